package jvm

// TreeSet is java.util.TreeSet, filled and then walked: elements that compare equal to one that is
// there are dropped, and where the comparator contradicts itself the order is that of Java's red-black tree.
// Reset it to use it again without allocation.
type TreeSet[T any] struct {
	nodes []treeNode[T] // 1-based by offset: link i is nodes[i-1], 0 is nil
	root  int32
}

type treeNode[T any] struct {
	val                 T
	left, right, parent int32
	red                 bool
}

// Reset drops all elements.
func (t *TreeSet[T]) Reset() {
	clear(t.nodes)
	t.nodes, t.root = t.nodes[:0], 0
}

// Len returns the number of elements.
func (t *TreeSet[T]) Len() int { return len(t.nodes) }

func (t *TreeSet[T]) n(i int32) *treeNode[T] { return &t.nodes[i-1] }

// Add inserts x unless compare(x, present) is 0 for an element met on the way down, and reports
// whether it did. All calls between two Resets must use the same compare.
func (t *TreeSet[T]) Add(x T, compare func(a, b T) int) bool {
	parent, at, d := int32(0), t.root, 0
	for at != 0 {
		parent = at
		d = compare(x, t.n(at).val)
		switch {
		case d < 0:
			at = t.n(at).left
		case d > 0:
			at = t.n(at).right
		default:
			return false
		}
	}
	t.nodes = append(t.nodes, treeNode[T]{val: x, parent: parent, red: true})
	i := int32(len(t.nodes))
	switch {
	case parent == 0:
		t.root = i
	case d < 0:
		t.n(parent).left = i
	default:
		t.n(parent).right = i
	}
	t.balance(i)
	return true
}

func (t *TreeSet[T]) balance(x int32) {
	for x != 0 && x != t.root && t.n(t.n(x).parent).red {
		p := t.n(x).parent
		g := t.n(p).parent
		leftSide := g != 0 && t.n(g).left == p
		uncle := int32(0)
		if g != 0 {
			uncle = t.n(g).left
			if leftSide {
				uncle = t.n(g).right
			}
		}
		if uncle != 0 && t.n(uncle).red {
			t.n(p).red, t.n(uncle).red, t.n(g).red = false, false, true
			x = g
			continue
		}
		if leftSide && x == t.n(p).right || !leftSide && x == t.n(p).left {
			x = p
			t.rotate(x, leftSide)
			p = t.n(x).parent
			g = t.n(p).parent
		}
		t.n(p).red = false
		if g != 0 {
			t.n(g).red = true
			t.rotate(g, !leftSide)
		}
	}
	t.n(t.root).red = false
}

// rotate turns p down to the left (left true) or to the right.
func (t *TreeSet[T]) rotate(p int32, left bool) {
	pn := t.n(p)
	var r int32
	if left {
		r = pn.right
		pn.right = t.n(r).left
		if pn.right != 0 {
			t.n(pn.right).parent = p
		}
	} else {
		r = pn.left
		pn.left = t.n(r).right
		if pn.left != 0 {
			t.n(pn.left).parent = p
		}
	}
	rn := t.n(r)
	rn.parent = pn.parent
	switch {
	case pn.parent == 0:
		t.root = r
	case t.n(pn.parent).left == p:
		t.n(pn.parent).left = r
	default:
		t.n(pn.parent).right = r
	}
	if left {
		rn.left = p
	} else {
		rn.right = p
	}
	pn.parent = r
}

// AppendTo appends the elements in order to dst.
func (t *TreeSet[T]) AppendTo(dst []T) []T {
	at := t.root
	if at == 0 {
		return dst
	}
	for t.n(at).left != 0 {
		at = t.n(at).left
	}
	for at != 0 {
		dst = append(dst, t.n(at).val)
		if r := t.n(at).right; r != 0 {
			at = r
			for t.n(at).left != 0 {
				at = t.n(at).left
			}
			continue
		}
		for at != 0 {
			p := t.n(at).parent
			if p == 0 || t.n(p).left == at {
				at = p
				break
			}
			at = p
		}
	}
	return dst
}
