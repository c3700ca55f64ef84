package starlark

import (
	"fmt"

	"go.starlark.net/starlark"

	"replay/policy/resource"
)

// ratio(a, b) is a/b in Java's double: what is divided by 0 is infinite, and 0/0 is not a number.
func ratio(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	x, y, err := two(b, args, kwargs)
	return starlark.Float(x / y), err
}

// ratio32(a, b) is a/b in Java's float.
func ratio32(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 2 && len(kwargs) == 0 {
		x, first := single(args[0])
		y, second := single(args[1])
		if first && second {
			return starlark.Float(x / y), nil
		}
	}
	return nil, wrong(b, args, "two numbers")
}

// long(x) is Java's (long) of a double: towards zero, the nearest that fits, 0 for what is not a number.
func long(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 1 && len(kwargs) == 0 {
		if x, ok := starlark.AsFloat(args[0]); ok {
			return starlark.MakeInt64(resource.F2L(x)), nil
		}
	}
	return nil, wrong(b, args, "a number")
}

// sign(x) is -1, 0 or 1, and 0 for what is not a number, as YARN's comparators take it.
func sign(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 1 && len(kwargs) == 0 {
		switch x := args[0].(type) {
		case starlark.Int:
			return starlark.MakeInt(x.Sign()), nil
		case starlark.Float:
			return starlark.MakeInt(resource.Signum(float64(x))), nil
		}
	}
	return nil, wrong(b, args, "a number")
}

func two(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (x, y float64, err error) {
	if len(args) == 2 && len(kwargs) == 0 {
		x, first := starlark.AsFloat(args[0])
		y, second := starlark.AsFloat(args[1])
		if first && second {
			return x, y, nil
		}
	}
	return 0, 0, wrong(b, args, "two numbers")
}

func wrong(b *starlark.Builtin, args starlark.Tuple, wanted string) error {
	return fmt.Errorf("%s%s: want %s", b.Name(), args, wanted)
}

// single is a number as Java's float; a long is rounded once.
func single(v starlark.Value) (float32, bool) {
	switch x := v.(type) {
	case starlark.Float:
		return float32(x), true
	case starlark.Int:
		n, ok := x.Int64()
		return float32(n), ok
	}
	return 0, false
}

// whole reads a number of Java's long, or a smaller range.
func whole(v starlark.Value, least, most int64) (int64, bool) {
	x, ok := v.(starlark.Int)
	if !ok {
		return 0, false
	}
	n, ok := x.Int64()
	return n, ok && n >= least && n <= most
}
