package starlark

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"replay/policy"
	"replay/policy/autoscale"
	"replay/policy/resource"
)

func read(t *testing.T, text string) *File {
	t.Helper()
	f, err := Read("dir/Mine.star", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// mistake returns what a call that cannot decide says.
func mistake(t *testing.T, call func()) (text string) {
	t.Helper()
	defer func() {
		m, ok := recover().(*policy.Mistake)
		if !ok {
			t.Fatal("no mistake")
		}
		text = m.Error()
	}()
	call()
	return ""
}

func TestFilesThatAreRefused(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "dir/Mine.star: defines no policy, want a function called compare, "},
		{"def compare(a, b):\n  return 0", "dir/Mine.star:1:1: compare takes other arguments than the 3 that it is given, want compare(a, b, cluster)"},
		{"import os", "dir/Mine.star:1:1: got import, want primary expression (this is read as Starlark, a small dialect of Python"},
		{"def compare(*all):\n  return 0", "dir/Mine.star:1:1: compare takes other arguments"},
		{"compare = 3", "dir/Mine.star: compare is 3, want a function of 3 arguments"},
		{"def compare(a, b, c):\n  return a -", "dir/Mine.star:2:13: "},
		{"def compare(a, b, c):\n  return now()", "dir/Mine.star:2:10: undefined: now"},
		{"load('other.star', 'x')\ndef compare(a, b, c):\n  return x", "dir/Mine.star:1:1: "},
		{"x = [n * n for m in range(10000) for n in range(10000)]", "takes more than 10000000 steps, and has not ended"},
		{"x = list(range(1 << 40))", "dir/Mine.star:1:15: in <toplevel>: range: has 1099511627776 elements, want at most 10000000"},
		{"like = 'fare'\ndef compare(a, b, c):\n  return 0", `dir/Mine.star: like is "fare", want the name of a built-in policy in quotes: fair, drf, fifo`},
		{"like = 'drf'\ndef scale(a, b, c):\n  pass", "dir/Mine.star: like says what holds beside compare"},
		{"settings = {}\ndef compare(a, b, c):\n  return 0", "dir/Mine.star: settings are those of scale, which is not there"},
		{"settings = {'a': 1}\ndef scale(a, b, c):\n  pass", `dir/Mine.star: settings has "a": 1, want keys and values in quotes`},
		{"settings = 3\ndef scale(a, b, c):\n  pass", "dir/Mine.star: settings is 3, want a dict"},
	} {
		if _, err := Read("dir/Mine.star", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// A call that fails, or returns what is no answer, says where, and what it was given.
func TestCallsThatFail(t *testing.T) {
	a := &policy.Contender{Usage: resource.R(10, 1), Weight: 2, Start: 7}
	cluster := resource.R(100, 10)
	hints := &policy.Hints{Tasks: []int{1, 2}, Existing: []int{0, 0}, Pending: []int{0, 0}, PerExec: 1}
	for _, tt := range []struct{ text, want string }{
		{"def compare(a, b, cluster):\n  return a.usage.memory // b.usage.vcores - less(a)\ndef less(a):\n  return a.age", "dir/Mine.star:4:11: in less: contender has no .age field or method (a = (usage [10, 1], demand [0, 0], min [0, 0], weight 2, priority 0, start 7), b = "},
		{"def compare(a, b, cluster):\n  return a.weight", "dir/Mine.star:1:1: compare returned 2.0, want a whole number: below 0 when a is served first, above 0 when b is ("},
		{"def compare(x, y, cluster):\n  pass", "compare returned None, want a whole number: below 0 when x is served first, above 0 when y is"},
		{"def compare(a, b, cluster):\n  for i in range(10000000):\n    a.start + i", "in compare: takes more than 10000000 steps, and has not ended (a = "},
		{"seen = []\ndef compare(a, b, cluster):\n  seen.append(a)\n  return 0", "dir/Mine.star:3:14: in compare: append: cannot append to frozen list"},
		{"def compare(a, b, cluster):\n  return math.floor(math.exp(a.weight))", "module has no .exp field or method"}, // its last bits are the machine's
		{"def compare(a, b, cluster):\n  return ratio(1, 'a')", `ratio(1, "a"): want two numbers`},
		{"def shares(total, claims):\n  return [1]", "shares returned [1], want a share is a number for each type of resource"},
		{"def shares(total, claims):\n  return [[1, 0.5]]", "0.5 is none"},
		{"def shares(total, claims):\n  return []", "shares returned [], want a list with a share for each claim, 1 of them (total = [100, 10], claims = (claim("},
		{"def total(c, cluster):\n  return 1", "total returned 1, want True or False"},
		{"def headroom(fair, used, available):\n  return [1 << 70, 1]", "is none"},
		{"def requests(n, hints):\n  return [[0]]", "requests returned [[0]], want a list with the hosts of each request, 2 of them (n = 2, hints = hints("},
		{"def requests(n, hints):\n  return [[0], [2]]", "want hosts by their position among the 2, each once and in ascending order; a request names [2]"},
		{"def requests(n, hints):\n  return [[1, 0], []]", "a request names [1, 0]"},
		{"def requests(n, hints):\n  return [0, 1]", "0 is no list of hosts"},
		{"def compare_in_leaf(a, b, size_based):\n  return a.used - b.useful", "application has no .useful"},
		{"def scale(shown, settings, state):\n  return 3", "scale returned 3, want None, or a dict"},
		{"def scale(shown, settings, state):\n  return {'primary': 0.5}", `want "primary": how many nodes come or, below 0, go`},
		{"def scale(shown, settings, state):\n  return {'primery': 1}", `want "primery": no such key`},
	} {
		f := read(t, tt.text)
		got := mistake(t, func() {
			for _, e := range f.Policies.Sharings {
				s := e.New(2)
				s.Compare(a, a, &cluster)
				s.(policy.WithTotality).Total(a, &cluster)
				s.(policy.WithHeadroom).Headroom(cluster, cluster, cluster)
				s.Shares(cluster, []policy.Claim{{Weight: 1, Max: cluster}})
			}
			for _, e := range f.Policies.Placements {
				e.New().Requests(2, hints)
			}
			for _, e := range f.Policies.LeafOrders {
				e.New(policy.LeafOrderSettings{}).Compare(&policy.LeafApp{}, &policy.LeafApp{})
			}
			if len(f.Policies.Autoscalers) > 0 {
				scalerOf(t, f).Policy.Evaluate(&autoscale.Shown{})
			}
		})
		if !strings.Contains(got, tt.want) {
			t.Errorf("%q: %s, want %q", tt.text, got, tt.want)
		}
	}
}

func scalerOf(t *testing.T, f *File, kv ...string) *autoscale.Plan {
	t.Helper()
	s := autoscale.Settings{"primary.max": {Value: "9", Place: "x.yaml:1"}}
	for i := 0; i < len(kv); i += 2 {
		s[kv[i]] = autoscale.Setting{Value: kv[i+1], Place: "x.yaml:2"}
	}
	p, err := (&f.Policies).NewAutoscaler(f.Policy, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A file whose name has blanks gives its policies one without.
func TestNameOf(t *testing.T) {
	f, err := Read("a folder/My, own policy.star", []byte("def compare(a, b, cluster):\n  return 0"))
	if err != nil || f.Policy != "my--own-policy.star" {
		t.Errorf("%+v, %v", f, err)
	}
	if err := f.Policies.Check(); err != nil {
		t.Error(err)
	}
}

// A policy without a function has that of the built-in one that it is like; numbers are exact beyond those of a double.
func TestSharing(t *testing.T) {
	f := read(t, "like = 'drf'\ndef compare(a, b, cluster):\n  return (a.usage.memory - b.usage.memory) * (a.usage[1] + 1)")
	if f.Policy != "mine.star" || len(f.Policies.Sharings) != 1 || f.Policies.Sharings[0].Name != "mine.star" {
		t.Fatalf("%+v", f)
	}
	s, err := f.Policies.NewSharing("mine.star", 2)
	drf, also := policy.NewSharing("drf", 2)
	if err != nil || also != nil {
		t.Fatal(err, also)
	}
	const most = 1<<62 + 1
	a, b := &policy.Contender{Usage: resource.R(most, 1<<40)}, &policy.Contender{Usage: resource.R(most-1, 0)}
	cluster := resource.R(1, 1)
	if s.Compare(a, b, &cluster) <= 0 || s.Compare(b, a, &cluster) >= 0 {
		t.Error("one MiB in 2^62 is lost")
	}
	vcores := resource.R(0, 1) // of which the calculator of fair sees nothing
	if s.Measure(vcores, vcores, resource.R(0, 0), true) != 1 || drf.Measure(vcores, vcores, resource.R(0, 0), true) != 1 || s.DividesEqually() != drf.DividesEqually() || !s.Total(a, &cluster) || s.Headroom(cluster, cluster, cluster) != drf.Headroom(cluster, cluster, cluster) {
		t.Error("what the file does not define is not that of drf")
	}
	claims := []policy.Claim{{Weight: 1, Max: resource.R(9, 9)}, {Weight: 3, Max: resource.R(90, 90)}}
	want := append([]policy.Claim{}, claims...)
	total := resource.R(40, 20)
	drf.Shares(total, want)
	if s.Shares(total, claims); !reflect.DeepEqual(claims, want) {
		t.Errorf("%v, want %v", claims, want)
	}
}

func TestPlacement(t *testing.T) {
	f := read(t, `
def requests(n, hints):
    most = max(hints.tasks)
    return [[i for i, k in enumerate(hints.tasks) if k == most] for _ in range(n - 1)] + [[]]

def requests_of_tasks(n, hints, tasks):
    return [tasks[i] for i in range(n)]
`)
	hints := &policy.Hints{Tasks: []int{2, 1, 2}, Existing: []int{0, 0, 0}, Pending: []int{0, 0, 0}, PerExec: 1}
	p, err := f.Policies.NewPlacement("mine.star")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Requests(2, hints), []policy.Preference{{0, 2}, nil}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := policy.Requests(p, 2, hints, [][]int32{{1, 2}, {}, {0}}), []policy.Preference{{1, 2}, nil}; !policy.WantsTasks(p) || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// An autoscaler has its settings, and a state of its own in each replay.
func TestScale(t *testing.T) {
	f := read(t, `
settings = {"step": "1"}
def scale(shown, settings, state):
    state["n"] = state.get("n", 0) + 1
    if state["n"] < 2:
        return None
    return {"primary": int(settings["step"]) * (settings["primary.max"] - shown.active.primary), "patience_ms": shown.now}
`)
	for range 2 {
		p := scalerOf(t, f, "step", "2")
		shown := &autoscale.Shown{Now: 70, Active: autoscale.Counts{4, 0}}
		if first := p.Policy.Evaluate(shown); first != (autoscale.Change{}) || p.Max[autoscale.Primary] != 9 {
			t.Errorf("%+v", first)
		}
		if got := p.Policy.Evaluate(shown); got != (autoscale.Change{Nodes: autoscale.Counts{10, 0}, PatienceMS: 70}) {
			t.Errorf("%+v", got)
		}
	}
	_, err := (&f.Policies).NewAutoscaler(f.Policy, autoscale.Settings{"primary.max": {Value: "9"}, "stap": {Value: "2", Place: "x.yaml:2"}})
	if err == nil || !strings.Contains(err.Error(), "x.yaml:2: stap=2 is no key of autoscaling mine.star, want one of interval, primary.max, ") {
		t.Error(err)
	}
}

// A mistake is an error that can be told from others.
func TestMistake(t *testing.T) {
	cause := errors.New("cause")
	if m := (&policy.Mistake{Err: cause}); !errors.Is(m, cause) || m.Error() != "cause" {
		t.Error(m)
	}
}

// BenchmarkCompare has what a comparison costs in Go and in Starlark.
func BenchmarkCompare(b *testing.B) {
	f, err := Read("fair.star", []byte("def compare(a, b, cluster):\n  return sign(ratio(a.usage.memory, a.weight) - ratio(b.usage.memory, b.weight))"))
	if err != nil {
		b.Fatal(err)
	}
	x, y := &policy.Contender{Usage: resource.R(1000, 1), Demand: resource.R(1, 1), Weight: 1}, &policy.Contender{Usage: resource.R(2000, 1), Demand: resource.R(1, 1), Weight: 3}
	cluster := resource.R(1<<20, 1<<10)
	for _, name := range []string{"fair", f.Policy} {
		s, err := f.Policies.NewSharing(name, 2)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Compare(x, y, &cluster)
			}
		})
	}
}
