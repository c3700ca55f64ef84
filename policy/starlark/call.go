package starlark

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"replay/policy"
)

// A call is a function of a file with the room for its arguments. One goroutine at a time.
type call struct {
	file   *File
	name   string
	thread *starlark.Thread
	fn     *starlark.Function
	args   starlark.Tuple
}

// call returns the function called name, nil if the file has none.
func (f *File) call(name string) *call {
	fn := f.functions[name]
	if fn == nil {
		return nil
	}
	return &call{f, name, newThread(MostSteps), fn, make(starlark.Tuple, len(parameters[name]))}
}

// do calls the function with what is in args.
func (c *call) do() starlark.Value {
	c.thread.Steps = 0
	v, err := starlark.Call(c.thread, c.fn, c.args, nil)
	if err != nil {
		panic(&policy.Mistake{Err: fmt.Errorf("%w (%s)", placed(c.file.name, c.thread, err), c.given())})
	}
	return v
}

// refuse ends the replay because of what the function has returned.
func (c *call) refuse(v any, wanted string, args ...any) {
	panic(&policy.Mistake{Err: fmt.Errorf("%s: %s returned %v, want %s (%s)", c.fn.Position(), c.name, v, fmt.Sprintf(wanted, args...), c.given())})
}

// mostShown is how much of an argument is shown in a message.
const mostShown = 400

// given are the arguments, for a message.
func (c *call) given() string {
	var all []string
	for i, v := range c.args {
		name, _ := c.fn.Param(i)
		text := v.String()
		if len(text) > mostShown {
			text = strings.ToValidUTF8(text[:mostShown], "") + "…"
		}
		all = append(all, name+" = "+text)
	}
	return strings.Join(all, ", ")
}

// order reads the result of a comparison.
func (c *call) order(v starlark.Value) int {
	n, ok := v.(starlark.Int)
	if !ok {
		c.refuse(v, "a whole number: below 0 when %s is served first, above 0 when %s is", c.param(0), c.param(1))
	}
	return n.Sign()
}

func (c *call) param(i int) string {
	name, _ := c.fn.Param(i)
	return name
}

// list reads a list or tuple of a length.
func (c *call) list(v, of starlark.Value, n int, what string) starlark.Indexable {
	l, ok := of.(starlark.Indexable)
	if _, text := of.(starlark.String); !ok || text || l.Len() != n {
		c.refuse(v, "%s, %d of them", what, n)
	}
	return l
}
