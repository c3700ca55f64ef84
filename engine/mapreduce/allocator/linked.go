package allocator

// linked is a map of attempts that remembers the order in which they were put, as a LinkedHashMap: a second put of an attempt keeps its place.
type linked[V any] struct {
	at         map[Attempt]int32
	slots      []slot[V]
	first, end int32 // slots; -1 for none
	free       int32
}

type slot[V any] struct {
	key        Attempt
	value      V
	next, prev int32
}

func newLinked[V any]() linked[V] {
	return linked[V]{at: map[Attempt]int32{}, first: -1, end: -1, free: -1}
}

func (l *linked[V]) len() int { return len(l.at) }

func (l *linked[V]) get(k Attempt) (v V, ok bool) {
	i, ok := l.at[k]
	if ok {
		v = l.slots[i].value
	}
	return v, ok
}

func (l *linked[V]) put(k Attempt, v V) {
	if i, ok := l.at[k]; ok {
		l.slots[i].value = v
		return
	}
	i := l.free
	if i >= 0 {
		l.free = l.slots[i].next
	} else {
		i = int32(len(l.slots))
		l.slots = append(l.slots, slot[V]{})
	}
	l.slots[i] = slot[V]{key: k, value: v, next: -1, prev: l.end}
	if l.end >= 0 {
		l.slots[l.end].next = i
	} else {
		l.first = i
	}
	l.end = i
	l.at[k] = i
}

func (l *linked[V]) remove(k Attempt) (v V, ok bool) {
	i, ok := l.at[k]
	if !ok {
		return v, false
	}
	delete(l.at, k)
	s := l.slots[i]
	if s.prev >= 0 {
		l.slots[s.prev].next = s.next
	} else {
		l.first = s.next
	}
	if s.next >= 0 {
		l.slots[s.next].prev = s.prev
	} else {
		l.end = s.prev
	}
	l.slots[i] = slot[V]{next: l.free}
	l.free = i
	return s.value, true
}

// removeFirst takes the oldest entry; the map must not be empty.
func (l *linked[V]) removeFirst() V {
	v, _ := l.remove(l.slots[l.first].key)
	return v
}

// all yields the entries, oldest first. The map must not change meanwhile.
func (l *linked[V]) all(yield func(Attempt, V) bool) {
	for i := l.first; i >= 0; i = l.slots[i].next {
		if !yield(l.slots[i].key, l.slots[i].value) {
			return
		}
	}
}

// keys are the attempts, oldest first.
func (l *linked[V]) keys() []Attempt {
	out := make([]Attempt, 0, l.len())
	for k := range l.all {
		out = append(out, k)
	}
	return out
}

// fifo is a queue of attempts that also gives its last one.
type fifo struct {
	list []Attempt
	head int
}

func (f *fifo) len() int {
	if f == nil {
		return 0
	}
	return len(f.list) - f.head
}

func (f *fifo) push(a Attempt) { f.list = append(f.list, a) }

func (f *fifo) pop() Attempt {
	a := f.list[f.head]
	if f.head++; f.head == len(f.list) {
		f.list, f.head = f.list[:0], 0
	}
	return a
}

func (f *fifo) popLast() Attempt {
	a := f.list[len(f.list)-1]
	f.list = f.list[:len(f.list)-1]
	return a
}

func (f *fifo) left() []Attempt { return f.list[f.head:] }
