package engine

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"replay/engine/depend"
	"replay/engine/random"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// TestDependencies: jobs begin think_ms after the end of the last of those that they depend on, or at their own times, under every scheduler, and the replay says how many
// had to wait.
func TestDependencies(t *testing.T) {
	for _, o := range []scenario.Options{{Scheduler: "fair"}, {Scheduler: "fair", Engine: "dense"}, {Scheduler: "capacity"}, {Scheduler: "fifo"}, {Scheduler: "ideal"}} {
		t.Run(o.Scheduler+o.Engine, func(t *testing.T) {
			var jobs []*trace.Job
			for id, after := range [][]int64{nil, {0}, {0, 1}, {0}, {2}, nil} {
				j := sparkJob(int64(id), 10_000*int64(id), 1, stage(0, 1, 60_000, nil))
				j.DependsOn, j.ThinkMS = after, []int64{trace.Unset, 0, 5000, 1_000_000, trace.Unset, trace.Unset}[id]
				jobs = append(jobs, j)
			}
			k, m := replay(t, input(cluster(6, 1), nil, jobs...), o)
			submittedAfter(t, k.jobs, jobs)
			for i := range k.jobs {
				r := &k.jobs[i]
				if r.DependsOn != []int64{0, 1, 2, 1, 1, 0}[r.ID] || (r.HeldMS > 0) != (r.ID > 0 && r.ID < 5) || r.HeldMS > 0 && (r.Submit-r.HeldMS != 10_000*r.ID || r.HeldBy != []int64{0, 0, 1, 0, 2}[r.ID]) {
					t.Errorf("job %d, submitted at %d, begins after %d, was held back for %d ms by job %d", r.ID, r.Submit, r.DependsOn, r.HeldMS, r.HeldBy)
				}
			}
			said := m.Warnings[slices.IndexFunc(m.Warnings, func(w record.Warning) bool { return w.Code == depend.WasHeld })]
			if said.Jobs != 4 || said.Voids || said.Text != "job 1 (job1) was submitted later than the trace has it, as it begins after the end of job 0 (depends_on); its wait and duration count from then" {
				t.Errorf("%+v", said)
			}
		})
	}
}

// TestDependenciesThatDoNotEnd: a job of which the others have not ended when a replay stops is in no number, and the replay says so; one after a job that is
// refused is submitted, and so is one after a job that a change has taken out.
func TestDependenciesThatDoNotEnd(t *testing.T) {
	for _, scheduler := range []string{"fair", "ideal"} {
		jobs := func() (list []*trace.Job) {
			for id := range int64(4) {
				list = append(list, sparkJob(id, 0, 1, stage(0, 1, 60_000, nil)))
			}
			list[2].DependsOn, list[3].DependsOn = []int64{0, 1}, []int64{2}
			return list
		}
		k, m := replay(t, input(cluster(6, 1), nil, jobs()...), scenario.Options{Scheduler: scheduler, Until: 30_000})
		if len(k.jobs) != 2 || m.Totals.Jobs != 2 || m.Totals.JobsUnfinished != 2 {
			t.Errorf("%s: %d jobs of %+v, want the 2 that were submitted", scheduler, len(k.jobs), m.Totals)
		}
		const want = "2 jobs were not submitted, and are in no number, as others after whose end they begin (depends_on) had not ended when the replay did; the first: job 2 (job2), after job 0 and 1 more"
		if !slices.ContainsFunc(m.Warnings, func(w record.Warning) bool { return w.Code == depend.NeverSubmitted && w.Text == want }) {
			t.Errorf("%s: %+v", scheduler, m.Warnings)
		}
		list := jobs()
		for _, j := range list[:2] {
			j.Kind = trace.KindGeneric
			j.Stages[0].TaskMemMiB, j.Stages[0].TaskVCores = 1<<30, 1
		}
		if k, _ = replay(t, input(cluster(6, 1), nil, list...), scenario.Options{Scheduler: scheduler}); len(k.jobs) != 4 || k.jobs[0].Outcome != record.JobFailed || k.jobs[3].Outcome != record.JobSucceeded {
			t.Errorf("%s: %d jobs, want the last two to run after the first two have been refused", scheduler, len(k.jobs))
		}
		change, err := scenario.ParseChange("without job 0")
		if err != nil {
			t.Fatal(err)
		}
		if k, _ = replay(t, input(cluster(6, 1), nil, jobs()...), scenario.Options{Scheduler: scheduler, Changes: []scenario.Change{change}}); len(k.jobs) != 3 || k.jobs[2].Outcome != record.JobSucceeded {
			t.Errorf("%s: %d jobs without the first one", scheduler, len(k.jobs))
		}
	}
}

// submittedAfter checks at which times jobs were submitted.
func submittedAfter(t *testing.T, records []record.Job, jobs []*trace.Job) {
	t.Helper()
	ends := map[int64]int64{}
	for i := range records {
		ends[records[i].ID] = records[i].Finish
	}
	for i := range records {
		j := jobs[records[i].ID]
		want := int64(0)
		for _, earlier := range jobs[:j.ID+1] { // they come in their order
			want = max(want, earlier.SubmitMS)
		}
		for _, id := range j.DependsOn {
			if end, ok := ends[id]; !ok || end == record.None {
				t.Errorf("job %d was submitted, and job %d has not ended", j.ID, id)
			} else {
				want = max(want, end+max(j.ThinkMS, 1))
			}
		}
		if got := records[i].Submit; got != want {
			t.Errorf("job %d was submitted at %d, want %d", j.ID, got, want)
		}
	}
}

// depending makes jobs of a trace depend on others.
func depending(t *testing.T, in func() scenario.Input, r *rand.Rand) (func() scenario.Input, []*trace.Job) {
	var jobs []*trace.Job
	of := in()
	for {
		j, err := of.Jobs.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for id := range j.ID {
			if r.IntN(3) == 0 {
				j.DependsOn = append(j.DependsOn, id)
			}
		}
		if j.DependsOn != nil && r.IntN(2) == 0 {
			j.ThinkMS = r.Int64N([]int64{2, 5000, 100_000}[r.IntN(3)])
		}
		jobs = append(jobs, j)
	}
	return func() scenario.Input {
		again := in()
		again.Jobs = (&trace.MemoryTrace{JobList: jobs}).Jobs()
		return again
	}, jobs
}

// TestDependenciesDecideAlike: in clusters of all kinds, whose jobs depend on others, both engines decide alike, jobs are submitted when they may be, and a replay goes on
// from each of its states.
func TestDependenciesDecideAlike(t *testing.T) {
	names := slices.Sorted(maps.Keys(randomClusters))
	for _, seed := range more((*seeds + 1) / 2) {
		name := names[seed%uint64(len(names))]
		r := random.Stream(seed, "dependencies of a test")
		in, o := randomClusters[name](random.Stream(seed, "dependencies"), seed)
		in, jobs := depending(t, in, r)
		t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
			alike(t, in, o)
			k, _ := replay(t, in(), o)
			if o.Load == 0 && o.Faster == 0 && len(o.Changes) == 0 {
				submittedAfter(t, slices.DeleteFunc(slices.Clone(k.jobs), func(j record.Job) bool { return j.Finish == record.None }), jobs)
			}
			writable(&o)
			_, want, manifest := pointsOf(t, in(), o, false, nil)
			at := []int64{r.Int64N(200_000), 200_000 + r.Int64N(400_000)}
			points, told, again := pointsOf(t, in(), o, false, at)
			tellSame(t, seed, "with checkpoints", told, want, again, manifest)
			for _, p := range points {
				_, told, again, err := replayFrom(t, in(), o, false, nil, &Start{State: p.state, AtMS: p.at})
				if err != nil {
					t.Fatalf("from %d ms: %v", p.at, err)
				}
				tellSame(t, seed, fmt.Sprintf("from %d ms", p.at), told, want[p.told:], again, manifest)
			}
		})
	}
}
