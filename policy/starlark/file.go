// Package starlark reads policies that users write in Starlark, a small dialect of Python, and makes of them entries of [policy.Tables]. Such a policy sees
// what one in Go sees, and nothing else: it has no clock, no files, no randomness and no memory beside what it is given, and a limit of steps.
//
// Functions of a file with these names are its policies:
//
//	compare(a, b, cluster)                who is served first, of queues or applications [policy.Sharing]
//	shares(total, claims)                 how a total is divided among them
//	headroom(fair, used, available)       what an application may still get [policy.WithHeadroom]
//	total(c, cluster)                     whether compare orders all whatever it begins with [policy.WithTotality]
//	compare_in_leaf(a, b, size_based)     who is served first in a leaf queue of the CapacityScheduler [policy.LeafOrder]
//	requests(n, hints)                    preferred hosts of n container requests [policy.Placement]
//	requests_of_tasks(n, hints, tasks)    the same with the hosts of each task [policy.TaskPlacement]
//	scale(shown, settings, state)         how many nodes come or go [autoscale.Autoscaler]
//
// and two names are values: like, the built-in sharing policy whose part is what the file does not define (fair without it), and settings, the keys of
// scale with what they are where nobody sets them. docs/policies.md says the same to users.
package starlark

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"

	"replay/policy"
	"replay/policy/autoscale"
)

// MostSteps is how many steps of computation one call of a function may take, and reading a file, and how long a range may be. What else one step makes,
// such as a list of many times the same or the square of a large number, is not limited.
const MostSteps = 10_000_000

// A File is what a file defines. It does not change: several replays may use it at the same time.
type File struct {
	Policy   string // what its policies are called: the file's name without its folder, in lower case
	Policies policy.Tables

	name      string // for messages
	functions map[string]*starlark.Function
	like      policy.SharingEntry
	settings  map[string]string // of scale
}

// parameters are the functions that a file may define, with the arguments each is given.
var parameters = map[string][]string{
	"compare":           {"a", "b", "cluster"},
	"shares":            {"total", "claims"},
	"headroom":          {"fair", "used", "available"},
	"total":             {"c", "cluster"},
	"compare_in_leaf":   {"a", "b", "size_based"},
	"requests":          {"n", "hints"},
	"requests_of_tasks": {"n", "hints", "tasks"},
	"scale":             {"shown", "settings", "state"},
}

// Read reads the text of a file. Errors begin with its name and the line.
func Read(name string, text []byte) (*File, error) { return readWithin(MostSteps, name, text) }

// readWithin is Read with a limit of steps.
func readWithin(most uint64, name string, text []byte) (*File, error) {
	thread := newThread(most)
	options := syntax.FileOptions{}
	globals, err := starlark.ExecFileOptions(&options, thread, name, text, predeclared)
	if err != nil {
		return nil, placed(name, thread, err)
	}
	f := &File{Policy: nameOf(name), name: name, functions: map[string]*starlark.Function{}, like: policy.Sharings[0]}
	for _, key := range slices.Sorted(maps.Keys(globals)) {
		if err := f.define(key, globals[key]); err != nil {
			return nil, err
		}
	}
	if len(f.functions) == 0 {
		return nil, fmt.Errorf("%s: defines no policy, want a function called %s", name, strings.Join(slices.Sorted(maps.Keys(parameters)), ", "))
	}
	return f, f.enter()
}

// nameOf is what the policies of a file are called: as the file, in lower case, with a hyphen for each blank and comma.
func nameOf(file string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == ',' {
			return '-'
		}
		return r
	}, strings.ToLower(filepath.Base(file)))
}

// define takes one global of the file.
func (f *File) define(key string, v starlark.Value) error {
	given, known := parameters[key]
	fn, callable := v.(*starlark.Function)
	switch {
	case known && !callable:
		return fmt.Errorf("%s: %s is %s, want a function of %d arguments", f.name, key, v, len(given))
	case known:
		if fn.NumParams() != len(given) || fn.HasVarargs() || fn.HasKwargs() || fn.NumKwonlyParams() > 0 {
			return fmt.Errorf("%s: %s takes other arguments than the %d that it is given, want %s(%s)", fn.Position(), key, len(given), key, strings.Join(given, ", "))
		}
		f.functions[key] = fn
	case key == "like":
		s, _ := starlark.AsString(v)
		i := slices.IndexFunc(policy.Sharings, func(e policy.SharingEntry) bool { return e.Name == s })
		if i < 0 {
			return fmt.Errorf("%s: like is %s, want the name of a built-in policy in quotes: %s", f.name, v, strings.Join(policy.SharingNames(false), ", "))
		}
		f.like = policy.Sharings[i]
	case key == "settings":
		d, ok := v.(*starlark.Dict)
		if !ok {
			return fmt.Errorf("%s: settings is %s, want a dict of keys and values in quotes", f.name, v)
		}
		f.settings = map[string]string{}
		for _, item := range d.Items() {
			k, first := starlark.AsString(item[0])
			value, second := starlark.AsString(item[1])
			if !first || !second || k == "" {
				return fmt.Errorf("%s: settings has %s: %s, want keys and values in quotes", f.name, item[0], item[1])
			}
			f.settings[k] = value
		}
	}
	return nil
}

// enter fills the tables.
func (f *File) enter() error {
	has := func(names ...string) string {
		for _, name := range names {
			if f.functions[name] != nil {
				return name
			}
		}
		return ""
	}
	if has("compare", "shares", "headroom", "total") != "" {
		f.Policies.Sharings = []policy.SharingEntry{{Name: f.Policy, New: f.newSharing}}
	}
	if has("requests", "requests_of_tasks") != "" {
		f.Policies.Placements = []policy.PlacementEntry{{Name: f.Policy, New: f.newPlacement}}
	}
	if has("compare_in_leaf") != "" {
		f.Policies.LeafOrders = []policy.LeafOrderEntry{{Name: f.Policy, New: f.newLeafOrder}}
	}
	if has("scale") != "" {
		f.Policies.Autoscalers = []autoscale.Entry{{Name: f.Policy, New: f.newAutoscaler}}
	} else if f.settings != nil {
		return fmt.Errorf("%s: settings are those of scale, which is not there", f.name)
	}
	if f.like.Name != policy.Sharings[0].Name && len(f.Policies.Sharings) == 0 {
		return fmt.Errorf("%s: like says what holds beside compare, shares, headroom or total, and none of these is there", f.name)
	}
	return nil
}

// predeclared are names that a file finds beside those of the language.
var predeclared = starlark.StringDict{
	"ratio": starlark.NewBuiltin("ratio", ratio), "ratio32": starlark.NewBuiltin("ratio32", ratio32), "long": starlark.NewBuiltin("long", long), "sign": starlark.NewBuiltin("sign", sign),
	"range": starlark.NewBuiltin("range", steppable),
	"math":  exact("ceil", "copysign", "fabs", "floor", "mod", "remainder", "round", "sqrt"),
}

// steppable is range with as many elements as there are steps to look at them. Of more, which cost nothing by themselves, list would take all memory at once.
func steppable(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	v, err := starlark.Universe["range"].(*starlark.Builtin).CallInternal(thread, args, kwargs)
	if n := starlark.Len(v); err == nil && n > MostSteps {
		return nil, fmt.Errorf("range: has %d elements, want at most %d", n, MostSteps)
	}
	return v, err
}

// exact is the module of mathematics with the functions whose result is the same on every machine, to the last bit.
func exact(names ...string) *starlarkstruct.Module {
	m := &starlarkstruct.Module{Name: "math", Members: starlark.StringDict{}}
	for _, name := range names {
		m.Members[name] = math.Module.Members[name]
	}
	return m
}

func newThread(most uint64) *starlark.Thread {
	t := &starlark.Thread{Print: func(*starlark.Thread, string) {}}
	t.SetMaxExecutionSteps(most)
	return t
}

// placed gives an error of the interpreter the file and line at which it happened.
func placed(name string, thread *starlark.Thread, err error) error {
	if thread.Steps >= MostSteps {
		err = steps(err)
	}
	var unread syntax.Error
	if errors.As(err, &unread) {
		return fmt.Errorf("%w (this is read as Starlark, a small dialect of Python: docs/policies.md says what it has)", err)
	}
	var wrong *starlark.EvalError
	if !errors.As(err, &wrong) {
		return err // of reading, which says them
	}
	for _, frame := range slices.Backward(wrong.CallStack) {
		if frame.Pos.IsValid() && frame.Pos.Filename() == name {
			return fmt.Errorf("%s: in %s: %w", frame.Pos, frame.Name, err)
		}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// tooLong is an error of the interpreter because of the limit.
type tooLong struct{ error }

func steps(err error) error { return &tooLong{err} }

func (*tooLong) Error() string {
	return fmt.Sprintf("takes more than %d steps, and has not ended", MostSteps)
}

func (e *tooLong) Unwrap() error { return e.error }
