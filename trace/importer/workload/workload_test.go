package workload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace"
)

// sample is a container-per-task application, as a format without Spark's would make it: five maps that read a file
// and a reduce.
func sample(id string, submitMS int64) *Application {
	a := &Application{User: "u", Queue: "prod"}
	a.Job = *trace.NewJob(trace.KindMapReduce)
	a.Job.ExternalID, a.Job.Name, a.Job.SubmitMS, a.Job.RecordedStartMS = id, "job "+id, submitMS, submitMS+10
	a.Job.AMMemMiB, a.Job.AMVCores = 1536, 1
	maps, reduce := trace.NewStage(0, trace.StageInput), trace.NewStage(1, trace.StageShuffle, 0)
	for s, tasks := range map[*trace.Stage]int{&maps: 5, &reduce: 1} {
		s.TaskMemMiB, s.TaskVCores, s.Tasks = 1024, 1, trace.NewTasks(tasks)
	}
	maps.Tasks.InputBytes = []int64{100, 100, 100, 100, 40}
	a.ReadFile(&maps, "/in", false)
	a.Job.Stages = []trace.Stage{maps, reduce}
	return a
}

// format reads nothing and gives what read does.
func format(read func(b *Builder) error) Format {
	return Format{Read: func(_ context.Context, _ []string, b *Builder) error { return read(b) }}
}

func of(apps ...*Application) Format {
	return format(func(b *Builder) error {
		for _, a := range apps {
			if _, err := b.Add(a); err != nil {
				return err
			}
		}
		return nil
	})
}

// made imports the format and loads the trace, which must follow all rules.
func made(t *testing.T, f Format, change func(*Options)) (*Result, *trace.MemoryTrace) {
	t.Helper()
	opt := DefaultOptions()
	opt.Out = filepath.Join(t.TempDir(), "trace")
	opt.Nodes, opt.Blocks = 6, "none"
	if change != nil {
		change(&opt)
	}
	res, err := f.Import(t.Context(), "test", nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	if check, err := trace.Check(t.Context(), opt.Out, 5); err != nil || !check.OK() {
		t.Fatalf("%+v, %v", check, err)
	}
	m, err := trace.Load(opt.Out)
	if err != nil {
		t.Fatal(err)
	}
	return res, m
}

// refused returns the error of an import, which must leave nothing.
func refused(t *testing.T, f Format, change func(*Options)) error {
	t.Helper()
	opt := DefaultOptions()
	opt.Out = filepath.Join(t.TempDir(), "trace")
	if change != nil {
		change(&opt)
	}
	_, err := f.Import(t.Context(), "test", nil, opt)
	if err == nil {
		t.Fatal("the import is taken")
	}
	if _, e := os.Stat(opt.Out); !errors.Is(e, os.ErrNotExist) {
		t.Errorf("the import failed (%v) and left %s", err, opt.Out)
	}
	return err
}

func TestArrivals(t *testing.T) {
	apps := of(sample("a", 5000), sample("b", 1000), sample("c", 3000))
	for _, tt := range []struct {
		name, arrivals string
		copies         int
		want           string
	}{
		{"as recorded", "recorded", 1, "b@0 c@2000 a@4000"},
		{"copies come with the recorded", "recorded", 2, "b@0 b#1@0 c@2000 c#1@2000 a@4000 a#1@4000"},
		{"copies follow at fixed gaps", "fixed:10s", 2, "b@0 c@10000 a@20000 b#1@30000 c#1@40000 a#1@50000"},
		{"random gaps, pinned", "poisson:10s", 1, "b@0 c@5017 a@14956"},
		{"gaps of days", "fixed:1d12h", 1, "b@0 c@129600000 a@259200000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, m := made(t, apps, func(o *Options) { o.Arrivals, o.Copies = tt.arrivals, tt.copies })
			var got []string
			for _, j := range m.JobList {
				got = append(got, fmt.Sprintf("%s@%d", j.ExternalID, j.SubmitMS))
				if j.RecordedStartMS != j.SubmitMS+10 || j.RecordedFinishMS != trace.Unset {
					t.Errorf("%s came at %d, started at %d, finished at %d", j.ExternalID, j.SubmitMS, j.RecordedStartMS, j.RecordedFinishMS)
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%s, want %s", strings.Join(got, " "), tt.want)
			}
			if want := int64(3 * (tt.copies - 1)); res.Counts.Modelled["copies"] != want {
				t.Errorf("modelled %v, want %d copies", res.Counts.Modelled, want)
			}
			if origin := map[bool]int64{true: 1000, false: trace.Unset}[tt.arrivals == "recorded"]; m.OriginUnixMS != origin {
				t.Errorf("the origin is %d, want %d", m.OriginUnixMS, origin)
			}
		})
	}
	_, m := made(t, format(func(b *Builder) error {
		b.NoEpoch = true
		_, err := b.Add(sample("a", 77))
		return err
	}), nil)
	if m.OriginUnixMS != trace.Unset || m.JobList[0].SubmitMS != 0 {
		t.Errorf("times of no epoch have the origin %d, the job comes at %d", m.OriginUnixMS, m.JobList[0].SubmitMS)
	}
}

// An application waits for those that it names, each copy for the same copy of them.
func TestDependencies(t *testing.T) {
	b, c := sample("b", 2000), sample("c", 3000)
	b.DependsOn, c.DependsOn = []string{"a"}, []string{"b", "a", "b", "nobody", "d"}
	res, m := made(t, of(c, b, sample("a", 1000), sample("d", 4000)), func(o *Options) { o.Copies, o.Arrivals = 2, "fixed:1s" })
	var got []string
	for _, j := range m.JobList {
		got = append(got, fmt.Sprint(j.ExternalID, j.DependsOn))
	}
	if want := "a[] b[0] c[0 1] d[] a#1[] b#1[4] c#1[4 5] d#1[]"; strings.Join(got, " ") != want {
		t.Errorf("dependencies are %v, want %s", got, want)
	}
	if n := res.Counts.Dropped["dependencies_on_no_earlier_application"]; n != 4 {
		t.Errorf("dropped %v, want 4 dependencies", res.Counts.Dropped)
	}
}

func TestUsersAndQueues(t *testing.T) {
	a, b := sample("a", 0), sample("b", 0)
	a.User, a.Queue, b.Queue = "", "", "root.x.y"
	res, m := made(t, of(a, b), nil)
	for i, want := range []string{"default root.default", "u root.x.y"} {
		j := m.JobList[i]
		if got := m.Users[j.User].Name + " " + m.Queues[j.Queue].Path; got != want {
			t.Errorf("application %d is of %s, want %s", i, got, want)
		}
	}
	if res.Counts.Defaulted["users"] != 1 {
		t.Errorf("defaulted %v", res.Counts.Defaulted)
	}
}

func TestAttachments(t *testing.T) {
	_, m := made(t, format(func(b *Builder) error {
		b.Attach("a.txt", []byte("text"))
		b.AttachPlaced("b.json", func(origin int64, job map[string]int64) ([]byte, error) {
			return JSON(map[string]int64{"origin": origin, "late": job["late"]})
		})
		_, err1 := b.Add(sample("late", 500))
		_, err2 := b.Add(sample("early", 400))
		return errors.Join(err1, err2)
	}), nil)
	if a, b := string(m.Attached["a.txt"]), string(m.Attached["b.json"]); a != "text" || b != "{\n \"late\": 1,\n \"origin\": 400\n}\n" {
		t.Errorf("attached are %q and %q", a, b)
	}
	if _, ok := m.Attached["recorded.json"]; ok {
		t.Error("there is a recorded.json of nothing recorded")
	}
	err := refused(t, format(func(b *Builder) error {
		b.AttachPlaced("x", func(int64, map[string]int64) ([]byte, error) { return nil, errors.New("no content") })
		_, err := b.Add(sample("a", 0))
		return err
	}), func(o *Options) { o.Blocks, o.Nodes = "none", 1 })
	if err.Error() != "no content" {
		t.Errorf("error is %v", err)
	}
}

// What was tried several times counts once; the last attempt is that with the largest number.
func TestKeepLastAttempts(t *testing.T) {
	res, m := made(t, format(func(b *Builder) error {
		for _, attempt := range []string{"2", "10", "9"} {
			a := sample("a", 0)
			a.Attempt, a.User = attempt, "u"+attempt
			if err := b.AddRecording(NewInput("in", "in/"+attempt), a, NewCounts()); err != nil {
				return err
			}
		}
		return nil
	}), nil)
	if len(m.JobList) != 1 || m.Users[m.JobList[0].User].Name != "u10" || len(m.Users) != 1 || Summary(res.Inputs) != "2 files and recordings: 2 earlier attempt" {
		t.Errorf("%d jobs, users %v, inputs %+v", len(m.JobList), m.Users, res.Inputs)
	}
}

func TestNoTask(t *testing.T) {
	empty := sample("e", 0)
	empty.Job.Stages = nil
	res, m := made(t, of(empty, sample("a", 0)), nil)
	if len(m.JobList) != 1 || res.Counts.Dropped["applications_without_a_task"] != 1 {
		t.Errorf("%d jobs, dropped %v", len(m.JobList), res.Counts.Dropped)
	}
	if err := refused(t, of(empty), nil); !strings.Contains(err.Error(), "no application with a task") {
		t.Errorf("error is %v", err)
	}
	if err := refused(t, of(empty), func(o *Options) { o.Strict = true }); !strings.Contains(err.Error(), "application e ran no task") {
		t.Errorf("strict says %v", err)
	}
}

// The spool gives back what it was given, in any order, from memory or from a file that nobody sees.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, n := range []int{20, 3000} {
		s := newSpool()
		s.keep = true
		for i := range n {
			if err := s.add(sample(fmt.Sprintf("%04d", i), int64(i)), "q", nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, inMemory := s.InMemory(0, 1); inMemory != (n == 20) {
			t.Errorf("%d applications: in memory: %t", n, inMemory)
		}
		var rows []*spooled
		for x, err := range s.index.rows() {
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, x)
		}
		for _, i := range []int{3, 4, 5, n - 1, 0, 1, 1, n / 2, 7} {
			a, err := s.get(rows[i])
			if err != nil {
				t.Fatal(err)
			}
			if want := sample(fmt.Sprintf("%04d", i), int64(i)); fmt.Sprint(a.Job) != fmt.Sprint(want.Job) || !slices.Equal(a.Files, want.Files) {
				t.Errorf("application %d is %+v, want %+v", i, a, want)
			}
		}
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v of the spool is left: %v", left, err)
		}
	}
}

// Where nothing temporary can be written an import that needs it says what to do; a small one does without.
func TestSpoolNowhere(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	s := newSpool()
	s.keep = true
	var err error
	for i := 0; i < 3000 && err == nil; i++ {
		if err = s.add(sample(fmt.Sprint(i), int64(i)), "q", nil); err != nil && i < 20 {
			t.Errorf("application %d: %v", i, err)
		}
	}
	if err == nil || !strings.Contains(err.Error(), "TMPDIR says: want a folder there") {
		t.Errorf("error is %v", err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// A rule of queues that no application matches is told.
func TestUnmatchedQueueRules(t *testing.T) {
	var warned []string
	_, m := made(t, of(sample("a", 0), sample("b", 1)), func(o *Options) {
		for _, text := range []string{"^Job=adhoc", "^job a$=etl", "^job a=etl"} {
			r, err := ParseQueueRule(text)
			if err != nil {
				t.Fatal(err)
			}
			o.QueueMap = append(o.QueueMap, r)
		}
		o.Warn = func(s string) { warned = append(warned, s) }
	})
	want := []string{`queue rule "^Job=adhoc" matched the name of no application: rules are about names, not about the queues of the source`, `queue rule "^job a=etl" matched the name of no application, or none that a rule before it did not: rules are about names, not about the queues of the source`}
	if !slices.Equal(warned, want) || m.Queues[m.JobList[0].Queue].Path != "root.etl" {
		t.Errorf("warned %q, want %q", warned, want)
	}
}
