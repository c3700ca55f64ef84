package depend

import (
	"math/rand/v2"
	"slices"
	"testing"

	"replay/trace"
)

// TestJobs: what is held back comes when what it depends on has ended, and not before, whatever comes and ends when, as a look at all jobs after each event says.
func TestJobs(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var d Jobs
		var came []*trace.Job
		ends, own, submitted, due := map[int64]int64{}, map[int64]int64{}, map[int64]int64{}, map[int64]int64{}
		for now := int64(0); now < 400; now += r.Int64N(3) {
			for _, id := range slices.Collect(func(yield func(int64) bool) {
				for _, j := range came {
					if at, ok := due[j.ID]; ok && at <= now && !yield(j.ID) {
						return
					}
				}
			}) {
				h := d.Take(id)
				if h == nil || h.Job.ID != id || h.Own != own[id] || !slices.Contains(h.Job.DependsOn, h.By) || ends[h.By]+max(h.Job.ThinkMS, 1) != due[id] {
					t.Fatalf("seed %d: %+v is taken for job %d, whose own time is %d", seed, h, id, own[id])
				}
				submitted[id] = due[id]
				delete(due, id)
			}
			switch live := slices.DeleteFunc(slices.Clone(came), func(j *trace.Job) bool {
				_, is := submitted[j.ID]
				_, was := ends[j.ID]
				return !is || was
			}); {
			case len(live) > 0 && r.IntN(2) == 0:
				id := live[r.IntN(len(live))].ID
				ends[id] = now
				for _, x := range d.Ended(id, now) {
					due[x.Job] = x.At
				}
			case len(came) < 40:
				j := trace.NewJob(trace.KindSpark)
				j.ID = int64(2 * len(came)) // of the others nothing is ever known
				for range r.IntN(4) {
					if j.ID > 0 {
						j.DependsOn = append(j.DependsOn, r.Int64N(j.ID)) // also one that it has already
					}
				}
				j.ThinkMS = []int64{trace.Unset, 0, 1, 30}[r.IntN(4)]
				came = append(came, j)
				own[j.ID] = now
				list, back := d.Comes(j, now)
				for _, x := range list {
					due[x.Job] = x.At
				}
				if !back {
					submitted[j.ID] = now
				}
			}
			held := 0
			for _, j := range came {
				want, waits := own[j.ID], false
				for _, id := range j.DependsOn {
					if end, ok := ends[id]; ok {
						want = max(want, end+max(j.ThinkMS, 1))
					} else if _, is := own[id]; is {
						waits = true
					}
				}
				at, is := submitted[j.ID]
				coming, soon := due[j.ID]
				if !is {
					held++
				}
				if is && at != want || soon && coming != want || waits == (is || soon) {
					t.Fatalf("seed %d, at %d: job %d after %v: submitted %d %v, due %d %v, want %d, or to wait: %v", seed, now, j.ID, j.DependsOn, at, is, coming, soon, want, waits)
				}
			}
			if left := d.left(); len(left) != held || d.Any() != (held > 0) {
				t.Fatalf("seed %d: %d jobs are held back, want %d", seed, len(left), held)
			}
		}
	}
}

// TestIndependent: where no job depends on another nothing is kept.
func TestIndependent(t *testing.T) {
	d := Jobs{Independent: true}
	if due, back := d.Comes(trace.NewJob(trace.KindSpark), 7); back || due != nil || d.Ended(0, 8) != nil || d.Any() || d.left() != nil || d.ends != nil {
		t.Errorf("%v, %v, %+v", due, back, d)
	}
}
