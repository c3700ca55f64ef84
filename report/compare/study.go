package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/quantity"
)

// A Study takes in replays and keeps of each what a comparison needs: a few numbers a metric, and distributions that are
// put together.
type Study struct {
	options  Options
	sides    []*side
	runs     []run
	rows     []*series
	at       map[string]int  // position in rows, by name
	jobs     int64           // of all runs
	both     int64           // of those, that succeed in every variant
	open     int64           // of those, that are unfinished in one or more
	alike    bool            // in each run the same jobs went equally far in all variants
	lone     int             // runs in which one job of the base has most of the task attempts
	loneJob  string          // that of the first of them
	unpaired bool            // runs that are compared do not have the same seed
	clusters bool            // runs that are compared do not have the same nodes
	queues   map[string]bool // in which a job of any run is
}

// run identifies what was replayed, by all variants.
type run struct {
	trace, name string // hash and name of the trace
	window      record.Window
	seeds       []uint64 // by variant
	jobs        int      // that any variant submitted
	decided     []string // the decision hashes, by variant
	worked      bool     // some task was launched
}

// twin reports whether two runs of different traces have the same jobs at the same times under every variant: one workload under two names, of which the second says nothing more.
func (r *run) twin(o *run) bool {
	return r.worked && r.trace != o.trace && slices.Equal(r.decided, o.decided) && !slices.Contains(r.decided, "")
}

// series is a metric over runs.
type series struct {
	metric.Value
	group int       // position of its metric
	by    [][]value // by variant, then run
	sees  bool      // in a run it is of values of which something is known besides that they are large
}

// value is a metric in one run.
type value struct {
	number float64 // NaN when absent
	absent string
}

// none is what a run has of a metric that it does not know: one of a queue, a class of sizes or another part of which there is nothing in it.
func none(name string) metric.Value {
	absent := "it does not have this value"
	if _, label, ok := strings.Cut(strings.TrimSuffix(name, "]"), "["); ok {
		key, of, _ := strings.Cut(label, "=")
		absent = "it has nothing of " + key + " " + of
	}
	return metric.Value{Number: math.NaN(), Absent: absent}
}

// New begins a study of variants, of which the first is the base.
func New(variants []Variant, o Options) (*Study, error) {
	if o.Unit == "" {
		o.Unit = inference.Seed
	}
	if len(variants) < 2 {
		return nil, fmt.Errorf("a comparison needs two variants, got %d", len(variants))
	}
	s := &Study{options: o, at: map[string]int{}, alike: true, queues: map[string]bool{}}
	for i, v := range variants {
		if slices.ContainsFunc(variants[:i], func(o Variant) bool { return o.Name == v.Name }) {
			return nil, fmt.Errorf("two variants are called %q", v.Name)
		}
		s.sides = append(s.sides, newSide(v.Name, v.Flags))
	}
	return s, nil
}

// Add takes in a replay of each variant, all of one trace. They are compared with each other, and not kept.
func (s *Study) Add(replays ...*metric.Summary) error {
	first := replays[0].Manifest
	if s.options.Unit == inference.Seed && len(s.runs) > 0 {
		first.TraceHash = s.runs[0].trace
	}
	next := run{trace: first.TraceHash, name: first.TraceName}
	if w := first.Window; w != nil {
		next.window = *w
	}
	for v, r := range replays {
		if r.Manifest.TraceHash != first.TraceHash {
			return fmt.Errorf("run %d of variant %q is of the trace %s (%s), that of %q is of %s (%s): want one trace (--nodes and --load of a replay change the cluster and the load of one)",
				len(s.runs)+1, s.sides[v].Name, r.Manifest.TraceName, r.Manifest.TraceHash, s.sides[0].Name, first.TraceName, first.TraceHash)
		}
		if w := r.Manifest.Window; (w == nil) != (first.Window == nil) || w != nil && *w != next.window {
			return fmt.Errorf("run %d of variant %q is of another window of the trace than that of %q", len(s.runs)+1, s.sides[v].Name, s.sides[0].Name)
		}
		if end, of := max(0, r.Manifest.Until), max(0, first.Until); end != of {
			return fmt.Errorf("run %d of variant %q ends %s, that of %q %s: what an end cuts off is no difference of theirs, want one --until for all",
				len(s.runs)+1, s.sides[v].Name, Ending(end), s.sides[0].Name, Ending(of))
		}
		next.seeds, next.decided = append(next.seeds, r.Manifest.Seed), append(next.decided, r.Manifest.DecisionHash)
		next.worked = next.worked || r.Manifest.Totals.TaskAttempts > 0
		s.unpaired = s.unpaired || r.Manifest.Seed != first.Seed
		s.clusters = s.clusters || r.Manifest.Cluster().Differs(first.Cluster())
	}
	p := newPairs(replays)
	next.jobs = len(p.ids)
	if i := slices.IndexFunc(s.runs, func(o run) bool { return next.twin(&o) }); i >= 0 && s.options.Unit == inference.Trace {
		return fmt.Errorf("traces %s and %s are one workload under two names, no variant decides anything else on the one than on the other: it would count twice", s.runs[i].name, next.name)
	}
	s.runs = append(s.runs, next)
	for v, r := range replays {
		s.sides[v].add(r, p, v)
		for _, j := range p.jobs[v] {
			if j != nil {
				s.queues[j.Queue] = true
			}
		}
	}
	if name, _ := replays[0].Lone(); name != "" {
		s.lone++
		s.loneJob = cmp.Or(s.loneJob, name)
	}
	s.alike = s.alike && p.alike
	s.jobs += int64(len(p.ids))
	s.both += p.succeeded()
	s.open += p.open
	s.values(replays, p)
	return nil
}

// Ending says when a replay ends that was asked to end at some time, in ms; 0 for one that was not.
func Ending(at int64) string {
	if at == 0 {
		return "with its jobs"
	}
	return "at " + quantity.MS.Amount(float64(at))
}

// values takes in the values of all metrics.
func (s *Study) values(replays []*metric.Summary, p *pairs) {
	for g := range metric.Metrics {
		for _, r := range replays {
			for _, x := range r.Groups[g].Values {
				i, ok := s.at[x.Name]
				if !ok {
					i = len(s.rows)
					s.at[x.Name] = i
					x.PerJob = nil // which would keep the replay
					row := &series{Value: x, group: g, by: make([][]value, len(s.sides))}
					for v := range row.by {
						row.by[v] = slices.Repeat([]value{{math.NaN(), none(x.Name).Absent}}, len(s.runs)-1)
					}
					s.rows = append(s.rows, row)
				}
				s.rows[i].least(&x)
			}
		}
	}
	for _, row := range s.rows {
		values := make([]metric.Value, len(replays))
		for v, r := range replays {
			var ok bool
			if values[v], ok = r.Value(row.Name); !ok {
				values[v] = none(row.Name)
			}
			if x, base := values[v].Number, values[0].Number; x != base && (x == x || base == base) { // before the jobs are paired: what is equal in everything has the same jobs
				s.sides[v].differs = true
			}
		}
		n, blind := p.pair(values)
		row.N, row.sees = min(row.N, n), row.sees || !blind
		for v, x := range values {
			row.by[v] = append(row.by[v], value{x.Number, x.Absent})
		}
	}
}

// least takes over what the number of x is about, if it is about fewer things than those before. What has no number, as the requests of
// the ideal scheduler, is about nothing and says nothing of the others.
func (s *series) least(x *metric.Value) {
	if x.Absent == "" && (s.Absent != "" || x.N < s.N) {
		s.N, s.Whole, s.Absent = x.N, x.Whole, ""
	}
	if x.Open > 0 { // which the first replay need not have
		s.About = x.About
	}
}

// Compare compares every variant with the first, in what was added so far. The comparison is good until more is added.
func (s *Study) Compare() (*Comparison, error) {
	if len(s.runs) == 0 {
		return nil, fmt.Errorf("variant %q has no runs", s.sides[0].Name)
	}
	if err := s.checkSeeds(); err != nil {
		return nil, err
	}
	c := &Comparison{Options: s.options, study: s, Tested: map[quantity.Family]int{}}
	for _, side := range s.sides {
		c.Variants = append(c.Variants, Variant{Name: side.Name, Flags: side.Flags})
		c.Same = append(c.Same, !side.differs)
		c.Decides = append(c.Decides, side.decides)
		c.Outcomes = append(c.Outcomes, side.outcome)
		c.Losses = append(c.Losses, side.loss)
	}
	c.Jobs = s.traceJobs()
	c.units()
	for g, m := range metric.Metrics {
		for _, row := range s.rows {
			if row.group == g {
				c.Rows = append(c.Rows, c.newRow(row, m.Title))
			}
		}
	}
	c.judge()
	return c, nil
}

// checkSeeds says where a variant has some of the first one's seeds and not all: a pair would be two replays that have nothing in
// common while others do.
func (s *Study) checkSeeds() error {
	if !s.unpaired {
		return nil
	}
	for v := 1; v < len(s.sides); v++ {
		k := slices.IndexFunc(s.runs, func(r run) bool { return r.seeds[v] != r.seeds[0] })
		if k < 0 {
			continue
		}
		for _, r := range s.runs {
			if slices.ContainsFunc(s.runs, func(b run) bool { return b.trace == r.trace && b.window == r.window && b.seeds[0] == r.seeds[v] }) {
				return fmt.Errorf("run %d of variant %q has seed %d, that of %q has %d, and both have seed %d: want the same seeds or none in common",
					k+1, s.sides[v].Name, s.runs[k].seeds[v], s.sides[0].Name, s.runs[k].seeds[0], r.seeds[v])
			}
		}
	}
	return nil
}

// units finds what the runs are drawn from.
func (c *Comparison) units() {
	at := map[string]int{}
	for k, r := range c.study.runs {
		name, key := r.name, r.trace
		switch c.Unit {
		case inference.Seed:
			name, key = fmt.Sprint(r.seeds[0]), fmt.Sprint(k)
		case inference.Window:
			name, key = fmt.Sprint(len(c.Units)+1), fmt.Sprint(r.window)
		}
		i, ok := at[key]
		if !ok {
			i = len(c.Units)
			at[key] = i
			c.Units = append(c.Units, Unit{Name: name})
		}
		c.Units[i].runs = append(c.Units[i].runs, k)
	}
	named := map[string]int{}
	for i := range c.Units { // two traces of one name are told apart
		u := &c.Units[i]
		if named[u.Name]++; c.Unit != inference.Seed && (named[u.Name] > 1 || u.Name == "") {
			u.Name = strings.TrimSpace(fmt.Sprintf("%s #%d", u.Name, i+1))
		}
	}
	c.place()
}

// place says of which trace or window the jobs are that reasons name.
func (c *Comparison) place() {
	if c.Unit == inference.Seed || len(c.Units) < 2 {
		return
	}
	for i := range c.Units {
		name := c.Units[i].Name
		if c.Unit == inference.Window {
			name = "window " + name
		}
		for _, o := range c.Outcomes {
			for k := range o.Reasons {
				if r := &o.Reasons[k]; slices.Contains(c.Units[i].runs, r.Run) {
					r.Of = name
				}
			}
		}
	}
}

// traceJobs is how many jobs the traces have that were submitted.
func (s *Study) traceJobs() (n int) {
	of := map[string]int{}
	for _, r := range s.runs {
		key := fmt.Sprint(r.trace, r.window)
		n += max(0, r.jobs-of[key])
		of[key] = max(of[key], r.jobs)
	}
	return n
}

// unlike says what not all variants have the same of, of what moves some quantities by itself: nodes, and work in words; empty where they have.
func (s *Study) unlike() (nodes bool, work string) {
	moved := func(o *side) bool { return slices.ContainsFunc(o.arrivals, func(by float64) bool { return by != 1 }) }
	switch {
	case slices.ContainsFunc(s.sides, moved):
		work = "arrivals"
	case slices.ContainsFunc(s.sides, func(o *side) bool { return o.loss.LeftOut > 0 }):
		work = "jobs"
	}
	return s.clusters, work
}

// manifest describes the first replay of variant v.
func (s *Study) manifest(v int) *record.Manifest { return &s.sides[v].manifest }

// seedsOf lists the seeds of variant v, by run.
func (s *Study) seedsOf(v int) (seeds []uint64) {
	for _, r := range s.runs {
		seeds = append(seeds, r.seeds[v])
	}
	return seeds
}
