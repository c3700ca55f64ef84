package starlark

import (
	"math"

	"go.starlark.net/starlark"

	"replay/policy"
	"replay/policy/resource"
)

// sharing is a sharing policy of a file. What the file does not define is that of the built-in policy that it is like.
type sharing struct {
	like                     policy.Sharing
	types                    int
	compares, divides, rooms *call
	totals                   *call
	a, b                     contender
	cluster                  amount
}

// equally is a sharing policy that divides as the built-in one, equal claims at once.
type equally struct{ *sharing }

func (f *File) newSharing(types int) policy.Sharing {
	s := &sharing{like: f.like.New(types), types: types, compares: f.call("compare"), divides: f.call("shares"), rooms: f.call("headroom"), totals: f.call("total")}
	s.cluster.types = types
	if _, ok := s.like.(policy.WithEqual); ok && s.divides == nil {
		return equally{s}
	}
	return s
}

func (s *sharing) Compare(a, b *policy.Contender, cluster *resource.Resource) int {
	if s.compares == nil {
		return s.like.Compare(a, b, cluster)
	}
	s.a.show(a, s.types)
	s.b.show(b, s.types)
	s.cluster.of = cluster
	c := s.compares
	c.args[0], c.args[1], c.args[2] = &s.a, &s.b, &s.cluster
	return c.order(c.do())
}

// Total holds of every contender if the file compares and does not say.
func (s *sharing) Total(a *policy.Contender, cluster *resource.Resource) bool {
	if c := s.totals; c != nil {
		s.a.show(a, s.types)
		s.cluster.of = cluster
		c.args[0], c.args[1] = &s.a, &s.cluster
		v := c.do()
		yes, ok := v.(starlark.Bool)
		if !ok {
			c.refuse(v, "True or False")
		}
		return bool(yes)
	}
	t, ok := s.like.(policy.WithTotality)
	return s.compares != nil || !ok || t.Total(a, cluster)
}

func (s *sharing) Shares(total resource.Resource, claims []policy.Claim) {
	c := s.divides
	if c == nil {
		s.like.Shares(total, claims)
		return
	}
	shown := make(starlark.Tuple, len(claims))
	for i := range claims {
		k := claims[i]
		of := func(r *resource.Resource) starlark.Value { return &amount{of: r, types: s.types} }
		shown[i] = record("claim", starlark.StringDict{"min": of(&k.Min), "max": of(&k.Max), "share": of(&k.Share), "weight": starlark.Float(k.Weight),
			"idle": starlark.Bool(k.Idle), "start": starlark.MakeInt64(k.Start)})
	}
	c.args[0], c.args[1] = &amount{of: &total, types: s.types}, shown
	v := c.do()
	all := c.list(v, v, len(claims), "a list with a share for each claim")
	for i := range claims {
		s.amount(c, v, all.Index(i), &claims[i].Share, "a share is a number for each type of resource, or None for one that stays as it is")
	}
}

// amount reads a number for each type of resource.
func (s *sharing) amount(c *call, v, of starlark.Value, to *resource.Resource, what string) {
	l := c.list(v, of, s.types, what)
	for t := range s.types {
		n := l.Index(t)
		if n == starlark.None {
			continue
		}
		x, ok := whole(n, math.MinInt64, math.MaxInt64)
		if !ok {
			c.refuse(v, "%s; %s is none", what, n)
		}
		if t == resource.VCores { // an int in YARN
			x = min(x, math.MaxInt32)
		}
		to[t] = x
	}
}

func (s *sharing) Headroom(fair, used, available resource.Resource) resource.Resource {
	c := s.rooms
	if c == nil {
		if h, ok := s.like.(policy.WithHeadroom); ok {
			return h.Headroom(fair, used, available)
		}
		return policy.MemoryHeadroom(fair, used, available)
	}
	for i, r := range []*resource.Resource{&fair, &used, &available} {
		c.args[i] = &amount{of: r, types: s.types}
	}
	var out resource.Resource
	v := c.do()
	s.amount(c, v, v, &out, "a number for each type of resource")
	return out
}

// Calculator is that of the built-in policy.
func (s *sharing) Calculator() resource.Calculator {
	if c, ok := s.like.(policy.WithCalculator); ok {
		return c.Calculator()
	}
	return resource.DefaultCalculator{}
}

// Parents is that of the built-in policy.
func (s *sharing) Parents() bool {
	n, ok := s.like.(policy.WithNesting)
	return !ok || n.Parents()
}

// Allows is that of the built-in policy.
func (s *sharing) Allows(child policy.Sharing) bool {
	n, ok := s.like.(policy.WithNesting)
	return !ok || n.Allows(child)
}

func (s equally) Equal(total resource.Resource, claim *policy.Claim, count int64) {
	s.like.(policy.WithEqual).Equal(total, claim, count)
}
