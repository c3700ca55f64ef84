package starlark

import (
	"maps"
	"math"
	"slices"

	"go.starlark.net/starlark"

	"replay/policy/autoscale"
	"replay/policy/resource"
)

// scaler says how many nodes come and go. Its state is a dict that is empty at the start of a replay and that scale may change.
type scaler struct {
	scale    *call
	settings *starlark.Dict
	state    *starlark.Dict
}

// mostNodes is how many nodes a group may have.
const mostNodes = 1_000_000

func (f *File) newAutoscaler(r *autoscale.Reader, fleet *autoscale.Fleet) autoscale.Autoscaler {
	r.Needs("primary.max")
	fleet.Max[autoscale.Primary] = r.Count("primary.max", 0, 1, mostNodes)
	fleet.Max[autoscale.Secondary] = r.Count("secondary.max", 0, 0, mostNodes)
	s := &scaler{scale: f.call("scale"), settings: new(starlark.Dict), state: new(starlark.Dict)}
	for _, key := range slices.Sorted(maps.Keys(f.settings)) {
		set(s.settings, key, starlark.String(r.Text(key, f.settings[key])))
	}
	for g, n := range fleet.Max {
		set(s.settings, autoscale.Group(g).String()+".max", starlark.MakeInt(n))
	}
	s.settings.Freeze()
	return s
}

func set(d *starlark.Dict, key string, v starlark.Value) {
	if err := d.SetKey(starlark.String(key), v); err != nil {
		panic(err) // a dict of ours, with text for keys
	}
}

func (s *scaler) Evaluate(shown *autoscale.Shown) autoscale.Change {
	now := *shown
	of := func(r *resource.Resource) starlark.Value { return &amount{of: r, types: 2} }
	groups := func(c autoscale.Counts) starlark.Value {
		return record("nodes", starlark.StringDict{"primary": starlark.MakeInt(c[autoscale.Primary]), "secondary": starlark.MakeInt(c[autoscale.Secondary])})
	}
	c := s.scale
	c.args[0] = record("shown", starlark.StringDict{"now": starlark.MakeInt64(now.Now), "pending": of(&now.Pending), "allocated": of(&now.Allocated), "reserved": of(&now.Reserved),
		"available": of(&now.Available), "worker": of(&now.Worker), "active": groups(now.Active), "leaving": groups(now.Leaving), "coming": groups(now.Coming)})
	c.args[1], c.args[2] = s.settings, s.state
	v := c.do()
	if v == starlark.None {
		return autoscale.Change{}
	}
	d, ok := v.(*starlark.Dict)
	if !ok {
		c.refuse(v, "None, or a dict with some of primary, secondary, patience_ms and cancel")
	}
	var change autoscale.Change
	for _, item := range d.Items() {
		key, _ := starlark.AsString(item[0])
		good, wanted := false, ""
		switch key {
		case "primary", "secondary":
			g, n := autoscale.Primary, int64(0)
			if key == "secondary" {
				g = autoscale.Secondary
			}
			n, good = whole(item[1], -mostNodes, mostNodes)
			change.Nodes[g], wanted = int(n), "how many nodes come or, below 0, go"
		case "patience_ms":
			change.PatienceMS, good = whole(item[1], 0, math.MaxInt64/2)
			wanted = "a time in ms"
		case "cancel":
			var yes starlark.Bool
			yes, good = item[1].(starlark.Bool)
			change.Cancel, wanted = bool(yes), "True or False"
		default:
			wanted = "no such key, but some of primary, secondary, patience_ms and cancel"
		}
		if !good {
			c.refuse(v, "%s: %s", item[0], wanted)
		}
	}
	return change
}
