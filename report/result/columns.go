package result

import (
	"fmt"

	"github.com/parquet-go/parquet-go"

	"replay/engine/record"
	"replay/trace/tablefile"
)

// columns are the columns of a table that are being read. Names are those of the rows that [table] writes.
type columns struct {
	*tablefile.Reader
	leaves map[string]*tablefile.Leaf
	places map[string]int
}

// at says where a column is, which is there: the file has been compared with the rows.
func (c *columns) at(name string) tablefile.Binding {
	l := c.leaves[name]
	return tablefile.Binding{Name: name, Leaf: c.places[name], MaxDef: l.MaxDef}
}

func (c *columns) int64s(name string) *tablefile.Column[int64] {
	return tablefile.Bind(c.Reader, c.at(name), record.None, tablefile.Int64s)
}

func (c *columns) int32s(name string) *tablefile.Column[int32] {
	return tablefile.Bind(c.Reader, c.at(name), record.None, tablefile.Int32s)
}

func (c *columns) texts(name string) *tablefile.Column[string] {
	return tablefile.Bind(c.Reader, c.at(name), "", tablefile.Texts)
}

func (c *columns) bools(name string) *tablefile.Column[bool] {
	return tablefile.Bind(c.Reader, c.at(name), false, tablefile.Bools)
}

// readColumns reads a Parquet file with the columns of R, which is checked first. Bind binds those that are wanted and returns what
// takes row i of a batch.
func readColumns[R any](path string, bind func(*columns) func(i int) error) error {
	return withTable(path, func(f *tablefile.File) error { return eachRow[R](f, bind) })
}

func eachRow[R any](f *tablefile.File, bind func(*columns) func(i int) error) error {
	if err := tablefile.HasColumns(f, parquet.SchemaOf(new(R))); err != nil {
		return err
	}
	c := &columns{Reader: tablefile.NewReader(f), leaves: map[string]*tablefile.Leaf{}, places: map[string]int{}}
	for i := range f.Leaves() {
		l := f.Leaf(i)
		c.leaves[l.Name()], c.places[l.Name()] = l, i
	}
	defer c.Close()
	take := bind(c)
	for {
		row := c.Row()
		n, err := c.Next(batchRows)
		if err != nil {
			return err
		}
		if n == 0 {
			return c.End()
		}
		for i := range n {
			if err := take(i); err != nil {
				return fmt.Errorf("row %d: %w", row+int64(i), err)
			}
		}
	}
}

// words are what texts of a column stand for, found once for each text.
type words[T ~uint8] struct {
	texts  []string
	values []T
	parse  func(string) (T, error)
}

func (w *words[T]) of(text string) (T, error) {
	for i, t := range w.texts {
		if t == text {
			return w.values[i], nil
		}
	}
	v, err := w.parse(text)
	if err == nil {
		w.texts, w.values = append(w.texts, text), append(w.values, v)
	}
	return v, err
}

func (c *columns) misses() (*tablefile.Column[string], *words[record.Miss]) {
	return c.texts("miss"), &words[record.Miss]{parse: parseMiss}
}

// readContainers gives what is kept of containers to the collector.
func (c *Collector) readContainers(t *columns) func(int) error {
	job, number, am, node, queue := t.int64s("job"), t.int64s("container"), t.bools("am"), t.int32s("node"), t.texts("queue")
	mem, vcores, match := t.int64s("memory_mib"), t.int64s("vcores"), t.texts("match")
	hinting, hinted := t.bools("hinting"), t.bools("hinted")
	asked, allocated, started, registered, ended := t.int64s("asked_ms"), t.int64s("allocated_ms"), t.int64s("started_ms"), t.int64s("registered_ms"), t.int64s("ended_ms")
	end, busy := t.texts("end"), t.int64s("busy_core_ms")
	miss, misses := t.misses()
	matches := &words[record.Match]{parse: func(s string) (record.Match, error) {
		return parse("match", s, record.Unmatched+1, record.Match.String)
	}}
	var r record.Container
	return func(i int) (err error) {
		r.Job, r.Number, r.AM, r.Node, r.Queue, r.MemMiB, r.VCores = job.V[i], number.V[i], am.V[i], node.V[i], queue.V[i], mem.V[i], vcores.V[i]
		r.Hinting, r.Hinted, r.End, r.BusyMS = hinting.V[i], hinted.V[i], end.V[i], busy.V[i]
		r.Asked, r.Allocated, r.Started, r.Registered, r.Ended = asked.V[i], allocated.V[i], started.V[i], registered.V[i], ended.V[i]
		if r.Match, err = matches.of(match.V[i]); err != nil {
			return err
		}
		if r.Miss, err = misses.of(miss.V[i]); err != nil {
			return err
		}
		c.Container(&r)
		return nil
	}
}

// readTasks gives what is kept of task attempts to the collector.
func (c *Collector) readTasks(t *columns) func(int) error {
	job, node, ready, launch, finish := t.int64s("job"), t.int32s("node"), t.int64s("ready_ms"), t.int64s("launch_ms"), t.int64s("finish_ms")
	level, preferring, preferred := t.texts("locality"), t.bools("preferring"), t.bools("preferred")
	speculative, end := t.bools("speculative"), t.texts("end")
	duration, penalty, overhead := t.int64s("duration_ms"), t.int64s("modelled_penalty_ms"), t.int64s("modelled_overhead_ms")
	miss, misses := t.misses()
	levels := &words[record.TaskLevel]{parse: func(s string) (record.TaskLevel, error) {
		return parse("locality", s, record.AnyLevel+1, record.TaskLevel.String)
	}}
	var r record.Task
	return func(i int) (err error) {
		r.Job, r.Node, r.Ready, r.Launch, r.Finish = job.V[i], node.V[i], ready.V[i], launch.V[i], finish.V[i]
		r.Preferring, r.Preferred, r.Speculative, r.End = preferring.V[i], preferred.V[i], speculative.V[i], end.V[i]
		r.DurationMS, r.PenaltyMS, r.OverheadMS = duration.V[i], penalty.V[i], overhead.V[i]
		if r.Level, err = levels.of(level.V[i]); err != nil {
			return err
		}
		if r.Miss, err = misses.of(miss.V[i]); err != nil {
			return err
		}
		c.Task(&r)
		return nil
	}
}

// readSamples gives samples to the collector.
func (c *Collector) readSamples(t *columns) func(int) error {
	var s record.Sample
	queue, at := t.texts("queue"), t.int64s("time_ms")
	fields := []struct {
		to     *int64
		column *tablefile.Column[int64]
	}{
		{&s.UsedMem, t.int64s("used_memory_mib")},
		{&s.UsedVCores, t.int64s("used_vcores")},
		{&s.ReservedMem, t.int64s("reserved_memory_mib")},
		{&s.PendingMem, t.int64s("pending_memory_mib")},
		{&s.PendingVCores, t.int64s("pending_vcores")},
		{&s.DemandMem, t.int64s("demand_memory_mib")},
		{&s.DemandVCores, t.int64s("demand_vcores")},
		{&s.FairMem, t.int64s("fair_memory_mib")},
		{&s.FairVCores, t.int64s("fair_vcores")},
		{&s.SteadyMem, t.int64s("steady_memory_mib")},
		{&s.SteadyVCores, t.int64s("steady_vcores")},
		{&s.CapacityMem, t.int64s("capacity_memory_mib")},
		{&s.CapacityVCores, t.int64s("capacity_vcores")},
		{&s.BusyCores, t.int64s("busy_cores")},
		{&s.Running, t.int64s("apps_running")},
		{&s.Pending, t.int64s("apps_pending")},
		{&s.Containers, t.int64s("containers")},
		{&s.Nodes, t.int64s("nodes")},
	}
	return func(i int) error {
		s.Time, s.Queue = at.V[i], queue.V[i]
		for k := range fields {
			f := &fields[k]
			*f.to = f.column.V[i]
		}
		c.Sample(&s)
		return nil
	}
}
