package workload

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Param is an option of some formats alone. One name means one thing in all formats that have it.
type Param struct {
	Name    string
	Default string // "false" makes it a switch; "" is nothing given
	Usage   string
}

// Has tells whether the format has an option of its own called name.
func (f Format) Has(name string) bool {
	for _, p := range f.Params {
		if p.Name == name {
			return true
		}
	}
	return false
}

// params are the values of the format's own options.
func (f Format) params(opt *Options) (map[string]string, error) {
	values := make(map[string]string, len(f.Params))
	for _, p := range f.Params {
		values[p.Name] = p.Default
	}
	for name, v := range opt.Params {
		if _, ok := values[name]; !ok {
			return nil, fmt.Errorf("%s is no option of this format", name)
		}
		values[name] = v
	}
	return values, nil
}

// Param returns the value of one of the format's own options.
func (b *Builder) Param(name string) string {
	v, ok := b.params[name]
	if !ok {
		panic("workload: the format has no option " + name)
	}
	return v
}

// FlagError is the error of an import whose flags are wrong, which can show when its input is read.
type FlagError struct{ text string }

func (e *FlagError) Error() string { return e.text }

// WrongFlag returns a [*FlagError].
func WrongFlag(format string, args ...any) error { return &FlagError{fmt.Sprintf(format, args...)} }

// ParamError is the error of an option of the format that has a wrong value; want says what was wanted: "1 or more".
func (b *Builder) ParamError(name, want string) error {
	return WrongFlag("--%s is %q, want %s", name, b.Param(name), want)
}

// ParamBool returns the value of a switch.
func (b *Builder) ParamBool(name string) (bool, error) {
	v, err := strconv.ParseBool(b.Param(name))
	if err != nil {
		return false, b.ParamError(name, "true or false")
	}
	return v, nil
}

// ParamInt returns a whole number of at least least.
func (b *Builder) ParamInt(name string, least int64) (int64, error) {
	v, err := strconv.ParseInt(b.Param(name), 10, 64)
	if err != nil || v < least {
		return 0, b.ParamError(name, fmt.Sprintf("a whole number, %d or more", least))
	}
	return v, nil
}

// ParamFloat returns a finite number of at least least.
func (b *Builder) ParamFloat(name string, least float64) (float64, error) {
	v, err := strconv.ParseFloat(b.Param(name), 64)
	if err != nil || !(v >= least) || math.IsInf(v, 0) {
		return 0, b.ParamError(name, fmt.Sprintf("a number, %v or more", least))
	}
	return v, nil
}

// ParamBytes returns a number of bytes, 1 or more, such as of "128MiB".
func (b *Builder) ParamBytes(name string) (int64, error) {
	v, ok := ParseSize(b.Param(name))
	if !ok {
		return 0, b.ParamError(name, "a size such as 64MiB or 1GiB")
	}
	return v, nil
}

// ParamOneOf returns a value that is one of words.
func (b *Builder) ParamOneOf(name string, words ...string) (string, error) {
	v := b.Param(name)
	for _, w := range words {
		if v == w {
			return v, nil
		}
	}
	return "", b.ParamError(name, strings.Join(words, ", "))
}

// ParseSize reads a number of bytes, 1 or more: a whole number with a unit, KiB to TiB, or none.
func ParseSize(text string) (n int64, ok bool) {
	for _, u := range []struct {
		unit string
		size int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"", 1}} {
		digits, ok := strings.CutSuffix(text, u.unit)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(digits), 10, 62)
		if err != nil || n == 0 || n > math.MaxInt64/2/uint64(u.size) {
			break
		}
		return int64(n) * u.size, true
	}
	return 0, false
}
