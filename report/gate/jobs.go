package gate

import (
	"cmp"
	"fmt"
	"slices"

	"replay/engine/record"
	"replay/report/compare"
	"replay/report/result"
)

// jobs are sums over the replays of each job of each trace.
type jobs struct {
	at     map[key]int
	sums   []sum
	lost   []lost            // the first ones that the base finishes and the head does not
	traces map[string]string // names by hash
	own    bool              // some were held back, so their own times are not those of their submissions
}

type lost struct{ trace, label string }

type key struct {
	trace string
	job   int64
}

type sum struct {
	trace      string // hash
	label      string
	queue      string
	n          int64 // replays in which it finishes on both sides
	base, head float64
	waitBase   float64
	waitHead   float64
}

// toName is how many lost jobs are named.
const toName = 5

func (s *jobs) add(base, head *result.Data) {
	if s.at == nil {
		s.at, s.traces = map[key]int{}, map[string]string{}
	}
	trace := base.Manifest.TraceHash
	s.traces[trace] = base.Manifest.TraceName
	for a := range base.Jobs.All() {
		if a.Outcome != record.JobSucceeded {
			continue
		}
		b := head.Jobs.Find(a.ID)
		if b == nil || b.Outcome != record.JobSucceeded {
			if l := (lost{trace, label(a)}); len(s.lost) < toName && head.Manifest.Until == 0 && (b != nil || !compare.Whole(head)) && !slices.Contains(s.lost, l) {
				s.lost = append(s.lost, l)
			}
			continue
		}
		k := key{trace, a.ID}
		n, ok := s.at[k]
		if !ok {
			n = len(s.sums)
			s.at[k] = n
			s.sums = append(s.sums, sum{trace: trace, label: label(a), queue: a.Queue})
		}
		x := &s.sums[n]
		x.n++
		x.base += float64(a.Finish - a.Own()) // a job that is held back longer is hit, too
		x.head += float64(b.Finish - b.Own())
		x.waitBase += float64(max(0, a.FirstTask-a.Own()))
		x.waitHead += float64(max(0, b.FirstTask-b.Own()))
		s.own = s.own || a.HeldMS > 0 || b.HeldMS > 0
	}
}

// label names a job as people know it: by its name and the id under which it was recorded, by its number where one of these is missing.
func label(j *result.Job) string {
	switch {
	case j.Name == "":
		return cmp.Or(j.ExternalID, record.JobCalled(j.ID))
	case j.ExternalID == "":
		return record.JobCalled(j.ID, j.Name)
	}
	return fmt.Sprintf("%s (%s)", j.Name, j.ExternalID)
}

// named is what a job is called: with its trace, where there are several.
func (s *jobs) named(trace, label string) string {
	if len(s.traces) < 2 {
		return label
	}
	return label + " of " + cmp.Or(s.traces[trace], trace[:min(8, len(trace))])
}

func (s *jobs) lostNames() (names []string) {
	for _, l := range s.lost {
		names = append(names, s.named(l.trace, l.label))
	}
	return names
}

// A Hit is an application that takes longer under the head than under the base, in ms, means over replays. Its time begins with its submission, of one that begins after
// others with its own time, at which it would be submitted if they had ended.
type Hit struct {
	Label    string  `json:"application"`
	Queue    string  `json:"queue"`
	Replays  int64   `json:"replays"` // in which it finishes under both
	Base     float64 `json:"base_ms"` // to its finish
	Head     float64 `json:"head_ms"`
	WaitBase float64 `json:"base_wait_ms"` // to its first task
	WaitHead float64 `json:"head_wait_ms"`
}

// worst is how many applications are named.
const worst = 5

// hit returns the applications that lose most time, the hardest hit first.
func (s *jobs) hit() (out []Hit) {
	for i := range s.sums {
		x := &s.sums[i]
		n := float64(x.n)
		if h := (Hit{s.named(x.trace, x.label), x.queue, x.n, x.base / n, x.head / n, x.waitBase / n, x.waitHead / n}); h.Head > h.Base {
			out = append(out, h)
		}
	}
	slices.SortStableFunc(out, func(a, b Hit) int { return cmp.Compare(b.Head-b.Base, a.Head-a.Base) })
	return out[:min(len(out), worst)]
}
