package master

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMany compares events of which time and number are kept with a sorted list.
func TestMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type event struct{ at, number int64 }
		before := func(a, b event) int {
			if a.at < b.at || a.at == b.at && a.number < b.number {
				return -1
			}
			return 1
		}
		var m Many
		var model []event
		number, now := int64(0), int64(0)
		for range rapid.IntRange(1, 30).Draw(t, "rounds") {
			ahead := rapid.SampledFrom([]int64{1, 30, 1000, longestMany / 100}).Draw(t, "ahead")
			for range rapid.IntRange(0, 60).Draw(t, "puts") {
				number++
				e := event{now + rapid.Int64Range(0, ahead).Draw(t, "at"), number}
				if takes := e.at < longestMany; m.Takes(e.at, e.number) != takes {
					t.Fatalf("%+v has a place: %v", e, !takes)
				} else if !takes {
					break
				}
				first := !slices.ContainsFunc(model, func(o event) bool { return before(o, e) < 0 })
				if got := m.Put(e.at, e.number); got != first {
					t.Fatalf("%+v is the first of %d: %v", e, len(model), got)
				}
				model = append(model, e)
				if n := len(m.Keys()); n > longestList {
					t.Fatalf("%d events are kept in order, want %d at most", n, longestList)
				}
			}
			slices.SortFunc(model, before)
			if len(model) > 0 {
				first := model[0].at
				var want []int64
				for _, e := range model {
					if e.at == first {
						want = append(want, e.number)
					}
				}
				got := m.At(first, nil)
				if slices.Sort(got); !slices.Equal(got, want) {
					t.Fatalf("at %d come %v, want %v", first, got, want)
				}
			}
			if got := m.At(now-1, nil); len(got) > 0 {
				t.Fatalf("before %d comes %v", now, got)
			}
			for range rapid.IntRange(0, 70).Draw(t, "takes") {
				if len(model) == 0 {
					break
				}
				if at, number, ok := m.First(); !ok || (event{at, number}) != model[0] {
					t.Fatalf("first is number %d at %d, %v; want %+v", number, at, ok, model[0])
				}
				m.Take()
				now, model = model[0].at, model[1:]
			}
			if at, number, ok := m.First(); ok != (len(model) > 0) {
				t.Fatalf("number %d at %d is first: %v; there are %d", number, at, ok, len(model))
			}
		}
		if m.Takes(longestMany, 1) || m.Takes(-1, 1) || m.Takes(0, 1<<NumberBits) {
			t.Fatal("what has no room in a key has a place")
		}
	})
}

// TestManyAtTheLimit: where as many are kept in order as may be and a few are behind them, one that is added has its place wherever it comes.
func TestManyAtTheLimit(t *testing.T) {
	for behind := range 4 {
		for taken := range 3 {
			for at := range int64(2*(longestList+behind) + 2) {
				var m Many
				var want []int64
				for i := range int64(longestList + behind) {
					m.Put(2*i+1, 1)
					want = append(want, 2*i+1)
				}
				for range taken {
					m.Take()
				}
				want = append(want[taken:], at)
				slices.Sort(want)
				m.Put(at, 2)
				var got []int64
				for at, _, ok := m.First(); ok; at, _, ok = m.First() {
					got = append(got, at)
					m.Take()
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%d behind, %d taken, then one at %d: times %v, want %v", behind, taken, at, got, want)
				}
			}
		}
	}
}

// TestManyTakesTheMemoryOfAFew: as many come as go, for long, and never none is there.
func TestManyTakesTheMemoryOfAFew(t *testing.T) {
	var m Many
	for at := range int64(10_000) {
		if m.Put(at, 1); at >= 10 {
			m.Take()
		}
	}
	if got := cap(m.list); got > 4*longestList {
		t.Errorf("memory for %d events where 10 are there", got)
	}
}

// TestSpan: a timer comes behind the events of its time, and in their place between others; what comes at the end of a span does not.
func TestSpan(t *testing.T) {
	var m Many
	for number, at := range []int64{10, 20, 20, 40} {
		m.Put(at, int64(number))
	}
	now, place := int64(5), uint64(1)
	var s Span
	s.Open(40, &m, &now, &place, 1<<NumberBits, 2<<NumberBits, 3<<NumberBits, new(int64), new(int64))
	type step struct {
		at    int64
		place uint64
	}
	var got []step
	timers := []int64{20, 30, 40}
	for {
		if s.Timed(timers[0]) {
			timers = timers[1:]
		} else if _, ok := s.Next(); !ok {
			break
		}
		got = append(got, step{now, place})
	}
	want := []step{{10, 1 << NumberBits}, {20, 1<<NumberBits | 1}, {20, 1<<NumberBits | 2}, {20, 3 << NumberBits}, {30, 3 << NumberBits}}
	if !slices.Equal(got, want) {
		t.Errorf("steps %v, want %v", got, want)
	}
	if s.Events != 5 || s.Taken != 3 || s.Worked != 20 {
		t.Errorf("%d events, %d taken, worked at %d; want 5, 3, 20", s.Events, s.Taken, s.Worked)
	}
}

// TestSpanBusy: cores are booked up to the sample that sees them, and those that begin to run a task are work.
func TestSpanBusy(t *testing.T) {
	var m Many
	now, place, cores, seen := int64(5), uint64(1), int64(3), int64(20)
	var s Span
	s.Open(40, &m, &now, &place, 1<<NumberBits, 2<<NumberBits, 3<<NumberBits, &cores, &seen)
	now = 10
	if !s.Busy(-2) || cores != 1 || s.Worked != 5 {
		t.Errorf("at 10: %d cores, worked at %d; want 1, and at 5", cores, s.Worked)
	}
	now = 20
	if !s.Busy(4) || cores != 5 || s.Worked != 20 {
		t.Errorf("at 20: %d cores, worked at %d; want 5, and at 20", cores, s.Worked)
	}
	now = 21
	if s.Busy(4) || cores != 5 {
		t.Errorf("at 21, behind the sample, %d cores are booked; want that they are not", cores)
	}
}
