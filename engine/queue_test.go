package engine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestQueueIsTotalOrder compares the queue with a sorted list for any mixture of pushes, timers and pops over several lanes.
func TestQueueIsTotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		for lane := range int32(6) {
			q.clear(lane)
		}
		type scheduled struct {
			event
			lane  int32
			timer bool
		}
		var model []scheduled
		ordOf := func(lane int32, kind eventKind, number int64) uint64 {
			return order(class(rapid.IntRange(1, 3).Draw(t, "class")), int64(lane/2), kind, number)
		}
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			lane := rapid.Int32Range(0, 5).Draw(t, "lane")
			at := rapid.Int64Range(0, 5).Draw(t, "at")
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0, 1:
				if len(model) == 0 {
					continue
				}
				slices.SortFunc(model, func(a, b scheduled) int {
					if a.before(&b.event) {
						return -1
					}
					return 1
				})
				if at, ord := q.peek(); at != model[0].at || ord != model[0].ord {
					t.Fatalf("first is at %d, %x, want %+v", at, ord, model[0])
				}
				got, lane := q.pop()
				if got != model[0].event || lane != model[0].lane {
					t.Fatalf("popped %+v of lane %d, want %+v", got, lane, model[0])
				}
				model = model[1:]
				apart := false
				for range rapid.IntRange(0, 3).Draw(t, "leads to") {
					to := lane
					if rapid.IntRange(0, 3).Draw(t, "elsewhere") == 0 {
						to, apart = rapid.Int32Range(0, 5).Draw(t, "to"), true
					}
					ord := ordOf(to, evCleanup, 1)
					q.push(to, got.at, ord, int64(len(model)))
					model = append(model, scheduled{event{at: got.at, ord: ord, seq: q.seq, arg: int64(len(model))}, to, false})
				}
				first := func(a, b scheduled) int {
					if a.before(&b.event) {
						return -1
					}
					return 1
				}
				var want *event
				reached := max(got.ord, rapid.SampledFrom([]uint64{0, afterBeats}).Draw(t, "reached"))
				if len(model) > 0 {
					if m := slices.MinFunc(model, first); m.lane == lane && m.at == got.at && (m.ord < got.ord || m.ord < behindMessages || reached >= afterBeats) {
						want = &m.event
					}
				}
				if next := q.follows(lane, &got, reached); next != nil && (want == nil || *next != *want) || next == nil && want != nil && !apart {
					t.Fatalf("behind %+v of lane %d comes %+v, want %+v of %v", got, lane, next, want, model)
				}
			case 2:
				ord := order(1, int64(lane/2), evCleanup, 0)
				if rapid.Bool().Draw(t, "off") {
					at = never
				}
				same := func(s scheduled) bool { return s.timer && s.lane == lane && s.ord == ord }
				if i := slices.IndexFunc(model, same); i >= 0 && model[i].at == at {
					q.set(lane, at, ord)
					continue
				}
				model = slices.DeleteFunc(model, same)
				q.set(lane, at, ord)
				if at != never {
					model = append(model, scheduled{event{at: at, ord: ord, seq: q.seq}, lane, true})
				}
			case 3:
				if rapid.IntRange(0, 9).Draw(t, "clear") == 0 {
					q.clear(lane)
					model = slices.DeleteFunc(model, func(s scheduled) bool { return s.lane == lane })
				}
			default:
				if rapid.Bool().Draw(t, "many") {
					number := rapid.Int64Range(0, 1000).Draw(t, "number")
					ord := order(2, 100+int64(lane), evExit, number)
					q.lanes[lane].ofMany = order(2, 100+int64(lane), evExit, 0)
					if q.lanes[lane].many.Put(at, number) {
						q.touch(lane)
					}
					model = append(model, scheduled{event{at: at, ord: ord, arg: number}, lane, false})
					break
				}
				ord := ordOf(lane, evSample, rapid.Int64Range(0, 2).Draw(t, "number"))
				q.push(lane, at, ord, int64(len(model)))
				model = append(model, scheduled{event{at: at, ord: ord, seq: q.seq, arg: int64(len(model))}, lane, false})
			}
			if q.empty() != (len(model) == 0) || q.emptyLane(lane) != !slices.ContainsFunc(model, func(s scheduled) bool { return s.lane == lane }) {
				t.Fatalf("the queue is empty: %v; lane %d is: %v; it has %v", q.empty(), lane, q.emptyLane(lane), model)
			}
		}
	})
}

// TestLaneOfManyEvents compares a lane with a sorted list when it holds more events than its own list does, and some of a kind are dropped.
func TestLaneOfManyEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		q.clear(0)
		var model []event
		before := func(a, b event) int {
			if a.before(&b) {
				return -1
			}
			return 1
		}
		now := int64(0)
		for range rapid.IntRange(1, 12).Draw(t, "rounds") {
			ahead := rapid.SampledFrom([]int64{1, 30, 1000}).Draw(t, "ahead")
			for range rapid.IntRange(0, 2*longestList).Draw(t, "pushes") {
				k := rapid.SampledFrom([]eventKind{evCleanup, evSample}).Draw(t, "kind")
				e := event{at: now + rapid.Int64Range(0, ahead).Draw(t, "at"), ord: order(1, 0, k, rapid.Int64Range(0, 2).Draw(t, "number"))}
				q.push(0, e.at, e.ord, e.arg)
				e.seq = q.seq
				model = append(model, e)
			}
			slices.SortFunc(model, before)
			for range rapid.IntRange(0, 2*longestList).Draw(t, "pops") {
				if len(model) == 0 {
					break
				}
				if got, _ := q.pop(); got != model[0] {
					t.Fatalf("popped %+v, want %+v", got, model[0])
				}
				now, model = model[0].at, model[1:]
			}
			if rapid.IntRange(0, 3).Draw(t, "drop") == 0 {
				n := len(model)
				model = slices.DeleteFunc(model, func(e event) bool { return e.kind() == evCleanup })
				if got := q.drop(0, evCleanup); got != n-len(model) {
					t.Fatalf("dropped %d events, want %d", got, n-len(model))
				}
			}
			if len(model) > 0 && !q.scheduled(0, model[len(model)-1].ord) {
				t.Fatalf("the last event of %d is not found", len(model))
			}
		}
		for _, want := range model {
			if got, _ := q.pop(); got != want {
				t.Fatalf("popped %+v, want %+v", got, want)
			}
		}
		if !q.empty() {
			t.Fatal("more events than were scheduled")
		}
	})
}
