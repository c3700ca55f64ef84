package policy

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// run is n equal preferences in a row.
type run struct {
	n     int
	hosts Preference
}

func runs(prefs []Preference) (out []run) {
	for _, p := range prefs {
		if k := len(out); k > 0 && slices.Equal(out[k-1].hosts, p) {
			out[k-1].n++
		} else {
			out = append(out, run{1, p})
		}
	}
	return out
}

func ones(n int) []int { return slices.Repeat([]int{1}, n) }

// 20 tasks prefer hosts 0, 1, 2 and 10 prefer hosts 0, 1, 3; an executor runs two at a time.
func worked() Hints {
	return Hints{
		LocalTasks: 30, PerExec: 2,
		Tasks:    []int{30, 30, 20, 10},
		Existing: make([]int, 4), Pending: make([]int, 4),
	}
}

func TestLocalityRatioWorkedExample(t *testing.T) {
	four, three, two := Preference{0, 1, 2, 3}, Preference{0, 1, 2}, Preference{0, 1}
	each := func(k int) func(*Hints) {
		return func(h *Hints) {
			for i := range h.Existing {
				h.Existing[i] = k
			}
		}
	}
	pending := func(h *Hints) { // 3 requests for all four hosts, 2 for the first two
		h.Pending, h.PendingRequests, h.PendingNames = []int{5, 5, 3, 3}, 5, 16
	}
	tests := []struct {
		name string
		n    int
		set  func(*Hints)
		want []run
	}{
		{"a: 15, nothing there", 15, each(0), []run{{6, four}, {6, three}, {3, two}}},
		{"b: more than needed, the free ones first", 18, each(0), []run{{2, nil}, {7, four}, {6, three}, {3, two}}},
		{"c: fewer than needed", 10, each(0), []run{{4, four}, {4, three}, {2, two}}},
		{"d: one each, more than needed", 18, each(1), []run{{6, nil}, {3, four}, {6, three}, {3, two}}},
		{"e: one each, 10", 10, each(1), []run{{3, four}, {5, three}, {2, two}}},
		{"f: one each, 11", 11, each(1), []run{{3, four}, {6, three}, {2, two}}},
		{"g: one each, exactly what is needed", 12, each(1), []run{{3, four}, {6, three}, {3, two}}},
		{"h: enough everywhere", 6, each(5), []run{{6, nil}}},
		{"i: pending requests count as fractions", 10, pending, []run{{3, four}, {5, three}, {2, two}}},
		{"hosts without a task need nothing", 2, func(h *Hints) { clear(h.Tasks) }, []run{{2, nil}}},
		{"no hints", 2, func(h *Hints) { *h = Hints{PerExec: 1} }, []run{{2, nil}}},
		{"a negative number is none", -3, each(0), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := worked()
			tt.set(&h)
			got := runs(new(localityRatio).Requests(tt.n, &h))
			if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(run{})); d != "" {
				t.Errorf("Requests(%d) (-want +got)\n%s", tt.n, d)
			}
		})
	}
}

func TestBaselines(t *testing.T) {
	hints := worked()
	tasks := [][]int32{{2, 0, 1}, {0, 3}, {1, 1}, {2}, nil, {3}, {0}}
	tests := []struct {
		name string
		n    int
		want []run
	}{
		{"none", 3, []run{{3, nil}}},
		{"naive", 3, []run{{3, nil}}},
		{"union", 2, []run{{2, Preference{0, 1, 2, 3}}}},
		// 30, 30, 20, 10: the first two take turns down to 20, then three of them.
		{"top", 13, slices.Concat(slices.Repeat([]run{{1, Preference{0}}, {1, Preference{1}}}, 5),
			[]run{{1, Preference{0}}, {1, Preference{1}}, {1, Preference{2}}})},
		// {0,1,2} and {0,3} share 0; {1} and {2} share nothing; none and {3}: nothing shared; {0} alone.
		{"per-task", 6, []run{{1, Preference{0}}, {1, Preference{1, 2}}, {1, Preference{3}}, {1, Preference{0}}, {2, nil}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := NewPlacement(tt.name)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, runs(Requests(p, tt.n, &hints, tasks)), cmp.AllowUnexported(run{})); d != "" {
				t.Errorf("Requests(%d) (-want +got)\n%s", tt.n, d)
			}
		})
	}
}

func TestNewPlacementNamesTheKnownOnes(t *testing.T) {
	_, err := NewPlacement("best")
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range PlacementNames() {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%q does not name %q", err, name)
		}
	}
}

// drawHints returns hints as a caller could give them, and the preferred hosts of the tasks behind them.
func drawHints(t *rapid.T) (h Hints, tasks [][]int32) {
	hosts := rapid.IntRange(0, 12).Draw(t, "hosts")
	h = Hints{
		PerExec: rapid.IntRange(1, 8).Draw(t, "perExec"),
		Tasks:   make([]int, hosts), Existing: make([]int, hosts), Pending: make([]int, hosts),
	}
	if hosts == 0 {
		return h, nil
	}
	tasks = rapid.SliceOfN(rapid.SliceOfN(rapid.Int32Range(0, int32(hosts-1)), 0, 3), 0, 40).Draw(t, "tasks")
	for _, task := range tasks {
		if len(task) > 0 {
			h.LocalTasks++
		}
		for _, k := range task {
			h.Tasks[k]++
		}
	}
	for k := range h.Existing {
		h.Existing[k] = rapid.IntRange(0, 4).Draw(t, "existing")
	}
	for range rapid.IntRange(0, 6).Draw(t, "pending") {
		first := rapid.IntRange(0, hosts-1).Draw(t, "first")
		last := rapid.IntRange(first, hosts-1).Draw(t, "last")
		for k := first; k <= last; k++ {
			h.Pending[k]++
		}
		h.PendingRequests++
		h.PendingNames += last - first + 1 + rapid.IntRange(0, 2).Draw(t, "outside")
	}
	return h, tasks
}

func copyHints(h Hints) Hints {
	h.Tasks, h.Existing, h.Pending = slices.Clone(h.Tasks), slices.Clone(h.Existing), slices.Clone(h.Pending)
	return h
}

func TestPlacementProperties(t *testing.T) {
	for _, name := range PlacementNames() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				h, tasks := drawHints(t)
				if rapid.Bool().Draw(t, "no tasks") {
					tasks = nil
				}
				n := rapid.IntRange(-1, 60).Draw(t, "n")
				before := copyHints(h)
				tasksBefore := slices.Clone(tasks)
				for i, hosts := range tasks {
					tasksBefore[i] = slices.Clone(hosts)
				}
				p, _ := NewPlacement(name)
				got := Requests(p, n, &h, tasks)
				if len(got) != max(0, n) {
					t.Fatalf("%d preferences, want %d", len(got), n)
				}
				for i, pref := range got {
					for k, host := range pref {
						if host < 0 || int(host) >= len(h.Tasks) || k > 0 && host <= pref[k-1] {
							t.Fatalf("preference %d is %v, want ascending positions below %d", i, pref, len(h.Tasks))
						}
					}
				}
				if d := cmp.Diff(before, h) + cmp.Diff(tasksBefore, tasks); d != "" {
					t.Fatalf("hints changed\n%s", d)
				}
				if again := Requests(p, n, &before, tasks); !slices.EqualFunc(got, again, slices.Equal[Preference]) {
					t.Fatalf("second answer %v, first %v", again, got)
				}
			})
		})
	}
}

// What the strategy promises beyond the shape: the free ones first, then lists that only shrink,
// each host named at most as often as it is short of containers.
func TestLocalityRatioProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, _ := drawHints(t)
		n := rapid.IntRange(0, 60).Draw(t, "n")
		need, _, _ := expectedContainers(nil, &h)
		total := 0
		for _, k := range need {
			total += k
		}
		got := new(localityRatio).Requests(n, &h)
		free := max(0, n-total)
		named := make([]int, len(need))
		for i, pref := range got {
			if (len(pref) == 0) != (i < free) {
				t.Fatalf("preference %d of %d is %v with %d free", i, n, pref, free)
			}
			if i > free && len(pref) > len(got[i-1]) {
				t.Fatalf("preference %d is longer than the one before", i)
			}
			for _, k := range pref {
				named[k]++
			}
		}
		for k := range named {
			if n >= total && total > 0 && named[k] < need[k] {
				t.Fatalf("host %d is named %d times, needs %d", k, named[k], need[k])
			}
			if need[k] == 0 && named[k] > 0 {
				t.Fatalf("host %d needs nothing and is named", k)
			}
		}
	})
}

// What is said of all hosts at once is what is said of each, and it is said where they are alike.
func TestSparseRequestsAreRequests(t *testing.T) {
	said := 0
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.IntRange(1, 30).Draw(t, "hosts")
		most := rapid.IntRange(0, 3).Draw(t, "most")
		h := Hints{
			LocalTasks: rapid.IntRange(0, 60).Draw(t, "local"), PerExec: rapid.IntRange(1, 8).Draw(t, "perExec"),
			Tasks: make([]int, hosts), Existing: make([]int, hosts), Pending: make([]int, hosts),
		}
		pending := rapid.IntRange(0, 9).Draw(t, "pending")
		s := SparseHints{LocalTasks: h.LocalTasks, PerExec: h.PerExec, Hosts: hosts, Least: math.MaxInt, Pending: pending}
		h.PendingRequests = pending
		for k := range h.Tasks {
			h.Tasks[k] = 1 + rapid.IntRange(0, most).Draw(t, "tasks")
			s.Pairs, s.Least, s.Most = s.Pairs+h.Tasks[k], min(s.Least, h.Tasks[k]), max(s.Most, h.Tasks[k])
			if h.Pending[k] = pending; rapid.IntRange(0, 3).Draw(t, "busy") == 0 {
				h.Existing[k] = rapid.IntRange(0, 3).Draw(t, "existing")
				h.Pending[k] = rapid.IntRange(0, pending).Draw(t, "pending there")
				s.Busy = append(s.Busy, BusyHost{Host: int32(k), Tasks: h.Tasks[k], Existing: h.Existing[k], Pending: h.Pending[k]})
			}
			h.PendingNames += h.Pending[k]
		}
		if pending > 0 { // a request names a host, be it one without a task
			h.PendingNames += rapid.IntRange(pending, 2*pending).Draw(t, "others")
		}
		s.PendingNames = h.PendingNames
		n := rapid.IntRange(-1, 60).Draw(t, "n")
		p := new(localityRatio)
		local, without, ok := p.SparseRequests(n, &s)
		if !ok {
			return
		}
		said++
		var all Preference
		for k := range int32(hosts) {
			if !slices.Contains(without, k) {
				all = append(all, k)
			}
		}
		want := slices.Concat(make([]Preference, n-local), slices.Repeat([]Preference{all}, local))
		if got := new(localityRatio).Requests(n, &h); !slices.EqualFunc(got, want, slices.Equal[Preference]) {
			t.Fatalf("%d requests, of them %d without %v, want %v", n, local, without, got)
		}
	})
	if said == 0 {
		t.Error("it is never said of all hosts at once")
	}
}

func BenchmarkLocalityRatio(b *testing.B) {
	h := Hints{LocalTasks: 100_000, PerExec: 4, Tasks: make([]int, 1000), Existing: ones(1000), Pending: make([]int, 1000)}
	for i := range h.Tasks {
		h.Tasks[i] = 50 + i*7919%500
	}
	b.ReportAllocs()
	for b.Loop() {
		new(localityRatio).Requests(500, &h)
	}
}
