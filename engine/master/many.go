package master

import "math"

// Many are the events of a master that are of the kind of which there may be many at a time, see [Event]: a short sorted list of those that come first, and a binary heap of the others.
// Nothing of them is kept but time and number, in one word: a key. What has no place there, as its time is too late, is an event like others.
type Many struct {
	list []uint64 // ascending, from a position on; what is before that was taken
	from int
	far  []uint64 // behind those of the list; empty while the list is
}

// longestList is how many events the list holds at most: of so many one takes its place at less than what a heap costs, where each step is a guess of the processor's.
const longestList = 64

const (
	NumberBits  = 28                     // numbers of events have so many bits
	longestMany = 1 << (64 - NumberBits) // behind the last time, in ms, that a key has room for: two years
	none        = math.MaxUint64         // the key of no event
)

// Takes reports whether an event at a time has a place.
func (m *Many) Takes(at, number int64) bool {
	return uint64(at) < longestMany && number>>NumberBits == 0
}

// key returns that of the first event, the largest of all if there is none.
func (m *Many) key() uint64 {
	if m.from >= len(m.list) {
		return none
	}
	return m.list[m.from]
}

func timeOf(key uint64) int64 { return int64(key >> NumberBits) }

func numberOf(key uint64) int64 { return int64(key & (1<<NumberBits - 1)) }

// First returns the first event, if there is one.
func (m *Many) First() (at, number int64, ok bool) {
	key := m.key()
	return timeOf(key), numberOf(key), key != none
}

// Put adds an event that has a place, and reports whether it is the first one.
func (m *Many) Put(at, number int64) (first bool) {
	key := uint64(at)<<NumberBits | uint64(number)
	list, from := m.list, m.from
	n := len(list)
	if n-from >= longestList || len(m.far) > 0 {
		last := list[n-1]
		if key > last {
			m.putFar(key)
			return false
		}
		if n-from >= longestList {
			m.putFar(last)
			n--
			list = list[:n]
		}
	}
	if n == cap(list) && 4*from > n {
		n, from = copy(list, list[from:]), 0
		list = list[:n]
	}
	list = append(list, key)
	i := n
	for ; i > from && list[i-1] > key; i-- {
		list[i] = list[i-1]
	}
	list[i] = key
	m.list, m.from = list, from
	return i == from
}

// Take removes the first event.
func (m *Many) Take() {
	if m.from++; m.from >= len(m.list) {
		m.refill()
	}
}

// refill goes on with those behind the list, which is empty.
func (m *Many) refill() {
	m.list, m.from = m.list[:0], 0
	for len(m.far) > 0 && len(m.list) < longestList/2 {
		m.list = append(m.list, m.far[0])
		m.takeFar()
	}
}

// putFar adds an event to those behind the list.
func (m *Many) putFar(key uint64) {
	m.far = append(m.far, key)
	heap, i := m.far, len(m.far)-1
	for i > 0 {
		p := (i - 1) / 2
		if key > heap[p] {
			break
		}
		heap[i] = heap[p]
		i = p
	}
	heap[i] = key
}

// takeFar removes the first one of those behind the list.
func (m *Many) takeFar() {
	heap := m.far
	n := len(heap) - 1
	last := heap[n]
	heap = heap[:n]
	m.far = heap
	i := 0
	for c := 1; c < len(heap); c = 2*i + 1 {
		key := heap[c]
		if c+1 < len(heap) {
			if right := heap[c+1]; right < key {
				key = right
				c++
			}
		}
		if last < key {
			break
		}
		heap[i] = key
		i = c
	}
	if n > 0 {
		heap[i] = last
	}
}

// At appends the numbers of all events of a time to a list; none is earlier.
func (m *Many) At(at int64, list []int64) []int64 {
	for _, key := range m.list[m.from:] {
		if timeOf(key) != at {
			return list
		}
		list = append(list, numberOf(key))
	}
	if len(m.far) == 0 || timeOf(m.far[0]) != at {
		return list
	}
	n := len(list)
	for list = append(list, 0); n < len(list); n++ { // places in the heap, each of which becomes the number there
		i := int(list[n])
		list[n] = numberOf(m.far[i])
		for c := 2*i + 1; c < min(2*i+3, len(m.far)); c++ {
			if timeOf(m.far[c]) == at {
				list = append(list, int64(c))
			}
		}
	}
	return list
}

// Clear takes all events out.
func (m *Many) Clear() { m.list, m.from, m.far = m.list[:0], 0, m.far[:0] }

// Keys are where the next events are kept, in order. It must not be changed.
func (m *Many) Keys() []uint64 { return m.list[m.from:] }

// A Span is time in which nothing comes but events of a master of the kind of which there are many, what follows them, and a timer: the master executes these by itself, one after the
// other, as if each had been scheduled. See [Clock.Span].
type Span struct {
	Until  int64 // it ends with the first event that comes at this time or later; whatever is scheduled for before makes that earlier
	Events int64 // that were executed in it
	Worked int64 // time of the last one that was not a timer's
	Taken  int64 // of them, those that had been scheduled
	Puts   int64 // that were scheduled in it

	many          *Many
	cores, seen   *int64 // busy cores that have changed; up to this time, behind which another sample sees them
	now           *int64
	place         *uint64
	first, second uint64 // places in the order of events of its two kinds, but for the number
	timer         uint64 // and of the timer, which is behind both
}

// Open begins a span for the events of a kind of which there are many, those of a kind that may follow each of them, and a timer; now and place are those of what is being executed, first, second
// and timer the places in the order that events of the kinds have, but for the number; cores and seen are where busy cores are counted, and up to when. It has worked by now.
func (s *Span) Open(until int64, many *Many, now *int64, place *uint64, first, second, timer uint64, cores, seen *int64) {
	*s = Span{Until: until, Worked: *now, many: many, now: now, place: place, first: first, second: second, timer: timer, cores: cores, seen: seen}
}

// Busy books cores that begin or, negative, end to run a task. It reports false where it does nothing, as a sample has been taken since the last ones were booked.
func (s *Span) Busy(cores int32) bool {
	now := *s.now
	if now > *s.seen {
		return false
	}
	if *s.cores += int64(cores); cores > 0 {
		s.Worked = now
	}
	return true
}

// Timed goes on to the timer, which is set for a time, if nothing comes before it: then it is executed, and not set.
func (s *Span) Timed(at int64) bool {
	if at >= s.Until || at >= timeOf(s.many.key()) {
		return false
	}
	*s.now, *s.place = at, s.timer
	s.Events++
	return true
}

// Next goes on to the next event.
func (s *Span) Next() (number int64, ok bool) {
	key := s.many.key()
	at := timeOf(key)
	if at >= s.Until {
		return 0, false
	}
	s.many.Take()
	number = numberOf(key)
	*s.now, *s.place, s.Worked = at, s.first|uint64(number), at
	s.Events++
	s.Taken++
	return number, true
}

// Follows goes on to an event of the kind that may follow, at a time, if no other comes before it.
func (s *Span) Follows(at, number int64) bool {
	if at >= s.Until || at <= *s.now || at >= timeOf(s.many.key()) {
		return false
	}
	*s.now, *s.place, s.Worked = at, s.second|uint64(number), at
	s.Events++
	return true
}

// Put schedules an event of those of which there are many; it reports false where it does nothing, as there is no place for it.
func (s *Span) Put(at, number int64) bool {
	if !s.many.Takes(at, number) {
		return false
	}
	s.many.Put(at, number)
	s.Puts++
	return true
}
