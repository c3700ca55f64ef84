package compare

import (
	"cmp"
	"slices"

	"replay/engine/record"
	"replay/report/dist"
	"replay/report/figure"
	"replay/report/metric"
	"replay/report/plot"
	"replay/report/result"
)

// side is what is kept of the replays of one variant.
type side struct {
	Name, Flags string
	begun       bool
	manifest    record.Manifest // of the first replay
	outcome     *metric.Outcome
	loss        Loss // against the first variant
	warnings    []string
	differs     bool // from the first variant, in some value of some replay
	decides     Decides
	arrivals    []float64 // how many times as fast as under the first variant jobs arrive, by replay

	// For plots; distributions and counts are of all replays.
	dists  map[*distribution]*dist.Dist
	open   map[*distribution]int64
	levels map[*levels][]figure.Level
	waits  *plot.WaitBar
	end    int64 // of the first replay
	over   *result.Timeline
}

// distribution is one that a plot shows.
type distribution struct {
	of   func(*result.Data) *dist.Dist
	open func(*result.Data) int64 // how many more are not over; nil where that cannot be
}

// levels are shares that a plot shows.
type levels struct {
	of func(*result.Data) []figure.Level
}

// What plots show.
var (
	jobWait       = &distribution{result.FirstTaskWait.Dist, result.FirstTaskWait.OpenJobs}
	jobDuration   = &distribution{result.JobDuration.Dist, result.JobDuration.OpenJobs}
	containerWait = &distribution{result.ContainerAllocation.Dist, nil}
	taskWait      = &distribution{result.TaskLaunch.Dist, nil}

	hintedContainers = &levels{plot.HintedLevels}
	askedContainers  = &levels{plot.ContainerLevels}
	preferringTasks  = &levels{plot.PreferringTaskLevels}
)

func newSide(name, flags string) *side {
	return &side{Name: name, Flags: flags, decides: AsFirst, outcome: metric.OutcomeOf(), dists: map[*distribution]*dist.Dist{}, open: map[*distribution]int64{}, levels: map[*levels][]figure.Level{}, waits: plot.NewWaitBar(name)}
}

// add takes in a replay of the variant, which is the v-th of the pairs.
func (s *side) add(r *metric.Summary, p *pairs, v int) {
	if !s.begun {
		s.begun, s.manifest = true, r.Manifest
		s.end, s.over = r.Queues.End, r.Queues.Over[""]
	}
	switch hash, first := r.Manifest.DecisionHash, p.replays[0].Manifest.DecisionHash; {
	case hash == "" || first == "":
		s.decides = NotKnown
	case hash != first && s.decides == AsFirst:
		s.decides = Otherwise
	}
	s.arrivals = append(s.arrivals, cmp.Or(r.Manifest.Faster, 1)/cmp.Or(p.replays[0].Manifest.Faster, 1))
	s.outcome.Add(r.Data)
	s.loss.add(p.loss(v))
	for _, text := range r.Warnings() {
		if !slices.Contains(s.warnings, text) {
			s.warnings = append(s.warnings, text)
		}
	}
	for _, d := range []*distribution{jobWait, jobDuration, containerWait, taskWait} {
		if s.dists[d] == nil {
			s.dists[d] = &dist.Dist{}
		}
		s.dists[d].Merge(d.of(r.Data))
		if d.open != nil {
			s.open[d] += d.open(r.Data)
		}
	}
	for _, l := range []*levels{hintedContainers, askedContainers, preferringTasks} {
		s.levels[l] = merged(s.levels[l], l.of(r.Data))
	}
	s.waits.Add(r.Data, func(*result.Job) bool { return true })
}

// Warnings returns the texts of the warnings of a variant's replays, each once.
func (c *Comparison) Warnings(v int) []string { return c.study.sides[v].warnings }

// merged adds the counts of levels.
func merged(a, b []figure.Level) []figure.Level {
	if a == nil {
		return b
	}
	for i := range b {
		a[i].Count += b[i].Count
	}
	return a
}
