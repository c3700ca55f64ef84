package starlark

import (
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"replay/policy"
	"replay/policy/resource"
)

// unhashed is what all values of this package have in common: they cannot be changed and are no keys.
type unhashed struct{}

func (unhashed) Freeze()               {}
func (unhashed) Truth() starlark.Bool  { return starlark.True }
func (unhashed) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable") }

// amount is a resource: amount.memory in MiB, amount.vcores, amount[i] for each type of the cluster.
type amount struct {
	unhashed
	of    *resource.Resource
	types int
}

var (
	_ starlark.Indexable = (*amount)(nil)
	_ starlark.Sequence  = (*amount)(nil)
)
var _ starlark.HasAttrs = (*amount)(nil)

func (*amount) Type() string { return "resource" }

func (a *amount) String() string {
	var all []string
	for i := range a.types {
		all = append(all, strconv.FormatInt(a.of[i], 10))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func (a *amount) Len() int { return a.types }

func (a *amount) Index(i int) starlark.Value { return starlark.MakeInt64(a.of[i]) }

func (a *amount) Iterate() starlark.Iterator { return &amounts{a, 0} }

// amounts goes through the types of a resource.
type amounts struct {
	of *amount
	at int
}

func (i *amounts) Next(v *starlark.Value) bool {
	if i.at == i.of.types {
		return false
	}
	*v = i.of.Index(i.at)
	i.at++
	return true
}

func (*amounts) Done() {}

func (a *amount) Attr(name string) (starlark.Value, error) {
	switch name {
	case "memory":
		return starlark.MakeInt64(a.of[resource.Memory]), nil
	case "vcores":
		return starlark.MakeInt64(a.of[resource.VCores]), nil
	}
	return nil, nil
}

func (*amount) AttrNames() []string { return []string{"memory", "vcores"} }

// contender is a [policy.Contender].
type contender struct {
	unhashed
	of                 *policy.Contender
	usage, demand, min amount
}

var _ starlark.HasAttrs = (*contender)(nil)

// show makes c the contender that the value stands for.
func (v *contender) show(c *policy.Contender, types int) {
	v.of = c
	v.usage.of, v.demand.of, v.min.of = &c.Usage, &c.Demand, &c.Min
	v.usage.types, v.demand.types, v.min.types = types, types, types
}

func (*contender) Type() string { return "contender" }

func (v *contender) String() string {
	return fmt.Sprintf("(usage %s, demand %s, min %s, weight %v, priority %d, start %d)", &v.usage, &v.demand, &v.min, v.of.Weight, v.of.Priority, v.of.Start)
}

func (v *contender) Attr(name string) (starlark.Value, error) {
	switch name {
	case "usage":
		return &v.usage, nil
	case "demand":
		return &v.demand, nil
	case "min":
		return &v.min, nil
	case "weight":
		return starlark.Float(v.of.Weight), nil
	case "priority":
		return starlark.MakeInt(int(v.of.Priority)), nil
	case "start":
		return starlark.MakeInt64(v.of.Start), nil
	case "rank":
		return starlark.MakeUint64(v.of.Rank), nil
	}
	return nil, nil
}

func (*contender) AttrNames() []string {
	return []string{"demand", "min", "priority", "rank", "start", "usage", "weight"}
}

// leafApp is a [policy.LeafApp].
type leafApp struct {
	unhashed
	of *policy.LeafApp
}

var _ starlark.HasAttrs = (*leafApp)(nil)

func (*leafApp) Type() string { return "application" }

func (v *leafApp) String() string {
	return fmt.Sprintf("(used %d, demand %d, start %d, priority %d, id %d)", v.of.Used, v.of.Demand, v.of.Start, v.of.Priority, v.of.ID)
}

func (v *leafApp) Attr(name string) (starlark.Value, error) {
	switch name {
	case "used":
		return starlark.MakeInt64(v.of.Used), nil
	case "demand":
		return starlark.MakeInt64(v.of.Demand), nil
	case "start":
		return starlark.MakeInt64(v.of.Start), nil
	case "priority":
		return starlark.MakeInt(int(v.of.Priority)), nil
	case "id":
		return starlark.MakeInt(int(v.of.ID)), nil
	}
	return nil, nil
}

func (*leafApp) AttrNames() []string { return []string{"demand", "id", "priority", "start", "used"} }

// record is a value with fields for what is not looked at often.
func record(kind string, fields starlark.StringDict) starlark.Value {
	s := starlarkstruct.FromStringDict(starlark.String(kind), fields)
	s.Freeze()
	return s
}

// ints is a list of numbers that cannot be changed.
func ints[N int | int32](all []N) starlark.Tuple {
	out := make(starlark.Tuple, len(all))
	for i, n := range all {
		out[i] = starlark.MakeInt(int(n))
	}
	return out
}
