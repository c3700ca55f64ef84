// Package lineup keeps members in order while what they are compared by changes.
package lineup

// Of is members in the order of a comparison that tells any two of them apart: a tree that stays flat by weights that look random
// (a treap). The zero value has none. A member leaves without a comparison, so what it is compared by may have changed by then; of those that stay it must not.
type Of[T any] struct {
	top     *Place[T]
	entered uint64
}

// Place is where a member stands: in one lineup at most.
type Place[T any] struct {
	Member          T
	in              *Of[T]
	up, left, right *Place[T]
	weight          uint64
}

// Empty reports whether there are no members.
func (l *Of[T]) Empty() bool { return l.top == nil }

// In returns where a member stands, nil for nowhere.
func (p *Place[T]) In() *Of[T] { return p.in }

// Enter puts a member that stands nowhere into its place.
func (l *Of[T]) Enter(p *Place[T], compare func(a, b T) int) {
	l.entered++
	p.in, p.up, p.left, p.right, p.weight = l, nil, nil, nil, mixed(l.entered)
	at := &l.top
	for *at != nil {
		p.up = *at
		if compare(p.Member, p.up.Member) < 0 {
			at = &p.up.left
		} else {
			at = &p.up.right
		}
	}
	*at = p
	for p.up != nil && p.up.weight < p.weight {
		l.lift(p)
	}
}

// Alone reports whether a member is the only one where it stands: that is its place whatever it is compared by.
func (p *Place[T]) Alone() bool {
	return p.in != nil && p.in.top == p && p.left == nil && p.right == nil
}

// Leave takes a member out, wherever it stands.
func (p *Place[T]) Leave() {
	l := p.in
	if l == nil {
		return
	}
	for p.left != nil || p.right != nil {
		if p.right == nil || p.left != nil && p.left.weight > p.right.weight {
			l.lift(p.left)
		} else {
			l.lift(p.right)
		}
	}
	*l.to(p) = nil
	p.in, p.up = nil, nil
}

// to returns what points to a member.
func (l *Of[T]) to(p *Place[T]) **Place[T] {
	switch {
	case p.up == nil:
		return &l.top
	case p.up.left == p:
		return &p.up.left
	}
	return &p.up.right
}

// lift changes places with the member above.
func (l *Of[T]) lift(p *Place[T]) {
	above := p.up
	*l.to(above) = p
	p.up, above.up = above.up, p
	if above.left == p {
		above.left, p.right = p.right, above
		if above.left != nil {
			above.left.up = above
		}
	} else {
		above.right, p.left = p.left, above
		if above.right != nil {
			above.right.up = above
		}
	}
}

// First returns the first place, nil when there is none.
func (l *Of[T]) First() *Place[T] {
	if l.top == nil {
		return nil
	}
	return l.top.leftmost()
}

func (p *Place[T]) leftmost() *Place[T] {
	for p.left != nil {
		p = p.left
	}
	return p
}

// Next returns the place behind, nil when there is none.
func (p *Place[T]) Next() *Place[T] {
	if p.right != nil {
		return p.right.leftmost()
	}
	for p.up != nil && p.up.right == p {
		p = p.up
	}
	return p.up
}

// mixed is a number that looks random.
//
// Source: the output function of splitmix64.
func mixed(n uint64) uint64 {
	n *= 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}
