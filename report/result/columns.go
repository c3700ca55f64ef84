package result

import (
	"cmp"
	"errors"
	"fmt"
	"math"

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

// since refuses a time that happened before another one, or without it. No replay has one, and what is made of their difference relies on it.
func since(what string, at int64, first string, from int64) error {
	if !Happened(at) || from >= 0 && at >= from {
		return nil
	}
	return fmt.Errorf("%s is %d, want no time before %s, which is %d", what, at, first, from)
}

// words are what texts of a column stand for.
type words[T ~uint8] struct {
	parse func(string) (T, error)
	wrong []error // why texts stand for nothing
}

// firstWrong is the value of the first text that stands for nothing, which only counts where a row has it.
const firstWrong = 128

// enumerated binds a column whose texts stand for values, found once for each text of a dictionary.
func enumerated[T ~uint8](c *columns, name string, parse func(string) (T, error)) (*tablefile.Column[T], *words[T]) {
	w := &words[T]{parse: parse}
	return tablefile.Bind(c.Reader, c.at(name), 0, w.values), w
}

func (w *words[T]) values(p parquet.Page) []T {
	texts := tablefile.Texts(p)
	out := make([]T, len(texts))
	for i, text := range texts {
		v, err := w.parse(text)
		if err != nil {
			if v = firstWrong + T(len(w.wrong)); v < firstWrong {
				v = math.MaxUint8 // the reason of another one will do
			} else {
				w.wrong = append(w.wrong, err)
			}
		}
		out[i] = v
	}
	return out
}

// err says why a value is none.
func (w *words[T]) err(v T) error {
	if v < firstWrong {
		return nil
	}
	return w.wrong[v-firstWrong]
}

// A number is a column of a table with the field that its values go to.
type number struct {
	to     *int64
	column *tablefile.Column[int64]
}

// set puts row i of a batch into the fields.
func set(fields []number, i int) {
	for k := range fields {
		f := &fields[k]
		*f.to = f.column.V[i]
	}
}

// readContainers gives what is kept of containers to the collector.
func (c *Collector) readContainers(t *columns) func(int) error {
	job, number, am, node, queue := t.int64s("job"), t.int64s("container"), t.bools("am"), t.int32s("node"), t.texts("queue")
	mem, vcores := t.int64s("memory_mib"), t.int64s("vcores")
	hinting, hinted := t.bools("hinting"), t.bools("hinted")
	asked, allocated, started, registered, ended := t.int64s("asked_ms"), t.int64s("allocated_ms"), t.int64s("started_ms"), t.int64s("registered_ms"), t.int64s("ended_ms")
	end, busy := t.texts("end"), t.int64s("busy_core_ms")
	miss, misses := enumerated(t, "miss", parseMiss)
	match, matches := enumerated(t, "match", func(s string) (record.Match, error) {
		return parse("match", s, record.Unmatched+1, record.Match.String)
	})
	var r record.Container
	return func(i int) error {
		r.Job, r.Number, r.AM, r.Node, r.Queue, r.MemMiB, r.VCores = job.V[i], number.V[i], am.V[i], node.V[i], queue.V[i], mem.V[i], vcores.V[i]
		r.Hinting, r.Hinted, r.End, r.BusyMS = hinting.V[i], hinted.V[i], end.V[i], busy.V[i]
		r.Asked, r.Allocated, r.Started, r.Registered, r.Ended = asked.V[i], allocated.V[i], started.V[i], registered.V[i], ended.V[i]
		r.Match, r.Miss = match.V[i], miss.V[i]
		err := cmp.Or(matches.err(r.Match), misses.err(r.Miss), since("started_ms", r.Started, "allocated_ms", r.Allocated),
			since("registered_ms", r.Registered, "allocated_ms", r.Allocated), since("ended_ms", r.Ended, "allocated_ms", r.Allocated))
		if Happened(r.Asked) {
			err = cmp.Or(err, since("allocated_ms", r.Allocated, "asked_ms", r.Asked))
		}
		if err != nil {
			return err
		}
		c.Container(&r)
		return nil
	}
}

// readTasks gives what is kept of task attempts to the collector.
func (c *Collector) readTasks(t *columns) func(int) error {
	job, node, ready, launch, finish := t.int64s("job"), t.int32s("node"), t.int64s("ready_ms"), t.int64s("launch_ms"), t.int64s("finish_ms")
	preferring, preferred := t.bools("preferring"), t.bools("preferred")
	speculative, end := t.bools("speculative"), t.texts("end")
	duration, penalty, overhead := t.int64s("duration_ms"), t.int64s("modelled_penalty_ms"), t.int64s("modelled_overhead_ms")
	miss, misses := enumerated(t, "miss", parseMiss)
	level, levels := enumerated(t, "locality", func(s string) (record.TaskLevel, error) {
		return parse("locality", s, record.AnyLevel+1, record.TaskLevel.String)
	})
	var r record.Task
	return func(i int) error {
		r.Job, r.Node, r.Ready, r.Launch, r.Finish = job.V[i], node.V[i], ready.V[i], launch.V[i], finish.V[i]
		r.Preferring, r.Preferred, r.Speculative, r.End = preferring.V[i], preferred.V[i], speculative.V[i], end.V[i]
		r.DurationMS, r.PenaltyMS, r.OverheadMS = duration.V[i], penalty.V[i], overhead.V[i]
		r.Level, r.Miss = level.V[i], miss.V[i]
		err := cmp.Or(levels.err(r.Level), misses.err(r.Miss), since("launch_ms", r.Launch, "ready_ms", r.Ready), since("finish_ms", r.Finish, "launch_ms", r.Launch))
		if !Happened(r.Launch) {
			err = cmp.Or(err, errors.New("launch_ms is -1, want a time"))
		}
		if err != nil {
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
	fields := []number{
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
		set(fields, i)
		c.Sample(&s)
		return nil
	}
}

// readJobs gives jobs to take, with the sums that their rows have. What else a row has follows from it.
func readJobs(t *columns, take func(*Job)) func(int) error {
	var j Job
	texts := []struct {
		to     *string
		column *tablefile.Column[string]
	}{
		{&j.Name, t.texts("name")},
		{&j.ExternalID, t.texts("external_id")},
		{&j.Kind, t.texts("kind")},
		{&j.User, t.texts("user")},
		{&j.Queue, t.texts("queue")},
		{&j.Outcome, t.texts("outcome")},
		{&j.Reason, t.texts("reason")},
		{&j.Recorded, t.texts("recorded_outcome")},
	}
	fields := []number{
		{&j.ID, t.int64s("job")},
		{&j.Submit, t.int64s("submit_ms")},
		{&j.AMScheduled, t.int64s("am_scheduled_ms")},
		{&j.AMAllocated, t.int64s("am_allocated_ms")},
		{&j.AMRegistered, t.int64s("am_registered_ms")},
		{&j.FirstAsked, t.int64s("first_asked_ms")},
		{&j.FirstAllocated, t.int64s("first_allocated_ms")},
		{&j.FirstRegistered, t.int64s("first_registered_ms")},
		{&j.FirstTask, t.int64s("first_task_ms")},
		{&j.Finish, t.int64s("finish_ms")},
		{&j.Stages, t.int64s("stages")},
		{&j.Tasks, t.int64s("tasks")},
		{&j.TasksSucceeded, t.int64s("tasks_succeeded")},
		{&j.TasksFailed, t.int64s("tasks_failed")},
		{&j.Attempts, t.int64s("task_attempts")},
		{&j.StageAttempts, t.int64s("stage_attempts")},
		{&j.TasksPreferring, t.int64s("tasks_preferring")},
		{&j.TasksPreferred, t.int64s("tasks_preferred")},
		{&j.Containers, t.int64s("containers")},
		{&j.ContainersPreferring, t.int64s("containers_preferring")},
		{&j.ContainersPreferred, t.int64s("containers_preferred")},
		{&j.ContainersRackPreferred, t.int64s("containers_rack_preferred")},
		{&j.ContainersHinting, t.int64s("containers_hinting")},
		{&j.ContainersHinted, t.int64s("containers_hinted")},
		{&j.MemMiBMS, t.int64s("memory_mib_ms")},
		{&j.VCoreMS, t.int64s("vcore_ms")},
		{&j.TaskMS, t.int64s("task_useful_ms")},
		{&j.WastedTaskMS, t.int64s("task_wasted_ms")},
		{&j.RunningTaskMS, t.int64s("task_running_ms")},
		{&j.CriticalPathMS, t.int64s("critical_path_ms")},
		{&j.RecordedMS, t.int64s("recorded_ms")},
		{&j.AskMS, t.int64s("containers_wait_allocation_ms")},
		{&j.Asks, t.int64s("containers_waited")},
		{&j.TaskWaitMS, t.int64s("tasks_wait_launch_ms")},
		{&j.TaskWaits, t.int64s("tasks_waited")},
		{&j.TaskLevels[0], t.int64s("tasks_process_local")},
		{&j.TaskLevels[1], t.int64s("tasks_node_local")},
		{&j.TaskLevels[2], t.int64s("tasks_no_pref")},
		{&j.TaskLevels[3], t.int64s("tasks_rack_local")},
		{&j.TaskLevels[4], t.int64s("tasks_any")},
	}
	depends := readDepends(t, &j)
	return func(i int) error {
		for k := range texts {
			f := &texts[k]
			*f.to = f.column.V[i]
		}
		set(fields, i)
		if err := depends(i); err != nil {
			return err
		}
		take(&j)
		return nil
	}
}
