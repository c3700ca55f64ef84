package mapreduce

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"slices"
	"testing"

	"replay/engine/mapreduce/allocator"
	"replay/engine/mapreduce/conf"
	"replay/engine/master"
)

var speculations = flag.String("speculations", "testdata/speculations.jsonl.gz", "file of what DefaultSpeculator did")

// TestSpeculatorDecidesAlike plays what the real speculator did with random attempts: which tasks each of its scans begins again.
func TestSpeculatorDecidesAlike(t *testing.T) {
	f, err := os.Open(*speculations)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	runs, begun := 0, 0
	for d := json.NewDecoder(bufio.NewReader(z)); ; runs++ {
		var r speculatorRun
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		begun += r.play(t)
	}
	if t.Logf("%d runs with %d further attempts", runs, begun); begun < runs {
		t.Errorf("%d runs began %d further attempts, want more than one in each", runs, begun)
	}
}

// speculatorRun is a run as the real class was given it. Attempts are [0 for a map or 1 for a reduce, task, number].
type speculatorRun struct {
	ID     string            `json:"id"`
	Conf   map[string]string `json:"conf"`
	Report int64             `json:"report_ms"`
	Tasks  [2]int            `json:"tasks"`
	Events []struct {
		Op      string   `json:"op"`
		T       int64    `json:"t"`
		Attempt [3]int32 `json:"attempt"`
		Begin   int64    `json:"begin"`
		Work    int64    `json:"work"`
		Added   [][2]int `json:"added"`
	} `json:"events"`

	now int64
	job *job
}

// hostAt is a host that has a clock and nothing else.
type hostAt struct {
	master.Host
	r *speculatorRun
}

func (h hostAt) Now() int64 { return h.r.now }

// ask adds an attempt of a task that waits for a container.
func (r *speculatorRun) ask(i int, task int32) {
	j := r.job
	a := &attempt{id: allocator.Attempt{Reduce: i == 1, Task: task, Number: j.tasks[i][task].attempts}}
	j.tasks[i][task].attempts++
	j.byID[a.id] = a
	j.live[i].add(a)
	j.waiting[i]++
}

// play has the scans of a run look at its attempts; it returns how many tasks they began again.
func (r *speculatorRun) play(t *testing.T) (begun int) {
	c, err := conf.New(func(key string) (string, bool) { v, ok := r.Conf[key]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	c.ReportMS = r.Report
	r.job = &job{h: hostAt{r: r}, set: &settings{Conf: c}, byID: map[allocator.Attempt]*attempt{}}
	j := r.job
	for i, n := range r.Tasks {
		j.tasks[i] = make([]task, n)
		for k := range n {
			r.ask(i, int32(k))
		}
	}
	for n, e := range r.Events {
		r.now = e.T
		i, index := int(e.Attempt[0]), e.Attempt[1]
		a := j.byID[allocator.Attempt{Reduce: i == 1, Task: index, Number: e.Attempt[2]}]
		switch e.Op {
		case "ask":
			r.ask(i, index)
		case "assign":
			a.state = assigned
			j.waiting[i]--
		case "launch":
			a.state, a.Launch, a.begin, a.work, a.fails = running, e.T, e.Begin, e.Work, true // the progress of one that fails grows with its time, also of a reduce
		case "stop":
			a.state = stopping
		case "lost":
			j.completed[i]--
		case "success":
			j.completed[i]++
			if tk := j.taskOf(a); !tk.measured {
				tk.measured = true
				j.spent[i].add(e.T - a.Launch)
			}
			j.live[i].remove(a)
		case "gone":
			if a.state == unassigned {
				j.waiting[i]--
			}
			j.live[i].remove(a)
		case "scan":
			got := [][2]int{}
			for i := range j.tasks {
				if task, ok := j.slowest(i); ok {
					j.tasks[i][task].speculated = true
					r.ask(i, task)
					got = append(got, [2]int{i, int(task)})
				}
			}
			if !slices.Equal(got, e.Added) {
				t.Errorf("%s, event %d: at %d %v are begun again, by the real one %v", r.ID, n, e.T, got, e.Added)
				return begun
			}
			begun += len(got)
		default:
			t.Fatalf("%s, event %d is %q", r.ID, n, e.Op)
		}
	}
	return begun
}
