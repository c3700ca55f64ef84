package foreseen

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/record"
)

// TestOrder compares with a list that is sorted each time: rows are put for later, near and far, and for the place at hand, while others are taken.
func TestOrder(t *testing.T) {
	type kept struct {
		at  int64
		ord uint64
		id  int64
	}
	rapid.Check(t, func(t *rapid.T) {
		var r Rows
		var want []kept
		now, ord, id := int64(0), uint64(0), int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			far := rapid.SampledFrom([]int64{4 << spanBits, 8 << spanBits, 16 << spanBits, 20_000_000}[:1+id/20%4]).Draw(t, "far") // which becomes more, so that what has gone around is there when room is made
			for range rapid.SampledFrom([]int{0, 1, 2, 4, 8, 40}).Draw(t, "put") {
				k := kept{at: now, ord: ord + rapid.Uint64Range(0, 2).Draw(t, "behind"), id: id}
				if later := rapid.SampledFrom([]int64{0, 1, 5000, 1 << spanBits, far}).Draw(t, "later"); later > 0 {
					k.at, k.ord = now+rapid.Int64Range(1, later).Draw(t, "at"), rapid.Uint64Range(0, 2).Draw(t, "ord")
				}
				row := record.Task{Job: id}
				r.Put(k.at, k.ord, &row)
				row.Job = -1 // which is not the one that is kept
				want = append(want, k)
				id++
			}
			slices.SortStableFunc(want, func(a, b kept) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.ord, b.ord)) })
			if r.Len() != len(want) {
				t.Fatalf("%d rows are kept, want %d", r.Len(), len(want))
			}
			if on := rapid.SampledFrom([]int64{0, 1, 5000, 1 << spanBits, 3 << spanBits, 1_000_000, 100_000_000}).Draw(t, "on"); on > 0 {
				now, ord = now+rapid.Int64Range(1, on).Draw(t, "to"), 0
			}
			ord += rapid.Uint64Range(0, 2).Draw(t, "place")
			for row := r.Before(now, ord); row != nil; row = r.Before(now, ord) {
				if len(want) == 0 || row.Job != want[0].id || want[0].at > now || want[0].at == now && want[0].ord >= ord {
					t.Fatalf("before %d ms, place %d, comes row %d, want the first of %v if it does", now, ord, row.Job, want)
				}
				want = want[1:]
			}
			if len(want) > 0 && (want[0].at < now || want[0].at == now && want[0].ord < ord) {
				t.Fatalf("before %d ms, place %d, nothing more comes, want %v", now, ord, want[0])
			}
		}
	})
}

// Memory is that of the rows that are kept at a time, and of the spans up to the last of them: neither of rows that were taken nor of time in which there were none.
func TestMemory(t *testing.T) {
	var r Rows
	for now := int64(1); now < 1<<40; now *= 3 {
		if r.Before(now, 0) != nil {
			t.Fatalf("at %d ms comes a row that was taken", now)
		}
		r.Put(now+2<<spanBits, 0, &record.Task{})
		if r.Before(now+2<<spanBits, 1) == nil {
			t.Fatalf("at %d ms comes no row", now)
		}
	}
	if len(r.rows) != 1 || len(r.later) > 4 {
		t.Errorf("there is memory of %d rows and %d spans, want that of 1 and few", len(r.rows), len(r.later))
	}
}

// BenchmarkRows keeps rows for up to an hour, some hundred thousand at a time, as a month of 12,000 nodes does.
func BenchmarkRows(b *testing.B) {
	var r Rows
	var row record.Task
	now := int64(0)
	for i := range b.N {
		now += 50
		r.Put(now+int64(uint64(i)*0x9e3779b97f4a7c15>>42), 0, &row)
		for r.Before(now, 0) != nil {
		}
	}
}
