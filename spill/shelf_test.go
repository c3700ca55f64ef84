package spill

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
)

// What was written comes back from any place, wherever the file ends and what waits begins; a small Shelf has no file.
func TestShelf(t *testing.T) {
	for _, n := range []int{0, 1, mostWaiting - 1, mostWaiting, mostWaiting + 1, 3*mostWaiting + 7} {
		var s Shelf
		r := rand.New(rand.NewPCG(1, uint64(n)))
		var want []byte
		for len(want) < n {
			p := make([]byte, min(n-len(want), 1+r.IntN(1<<r.IntN(20))))
			for i := range p {
				p[i] = byte(r.Uint32())
			}
			want = append(want, p...)
			if _, err := s.Write(p); err != nil {
				t.Fatal(err)
			}
		}
		if got, inMemory := s.InMemory(0, int64(n)); inMemory != (n <= mostWaiting) || inMemory && !bytes.Equal(got, want) {
			t.Errorf("%d bytes are in memory: %v, or are others", n, inMemory)
		}
		for range 100 {
			at := r.IntN(n + 1)
			p := make([]byte, r.IntN(n-at+1))
			if k, err := s.ReadAt(p, int64(at)); err != nil || k != len(p) || !bytes.Equal(p, want[at:at+k]) {
				t.Fatalf("%d bytes: %d of %d from %d on, %v, or others", n, k, len(p), at, err)
			}
		}
		if k, err := s.ReadAt(make([]byte, 2), int64(n-min(n, 1))); k != min(n, 1) || err != io.EOF {
			t.Errorf("%d bytes, %v beyond the end", k, err)
		}
		if got, err := io.ReadAll(s.Reader(int64(n / 2))); err != nil || !bytes.Equal(got, want[n/2:]) || s.Len() != int64(n) {
			t.Errorf("%d bytes, %v, from the middle of %d", len(got), err, n)
		}
		if err := s.Close(); err != nil || s.Len() != 0 {
			t.Error(err)
		}
	}
}

// Records come back in the order in which they were added, as often as one asks, empty ones too.
func TestQueue(t *testing.T) {
	for _, n := range []int{0, 3, 100_000} {
		var q Queue
		var want [][]byte
		for i := range n {
			want = append(want, bytes.Repeat([]byte{byte(i)}, i%300))
			if err := q.Add(want[i]); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			i := 0
			for got, err := range q.All() {
				if err != nil || !bytes.Equal(got, want[i]) {
					t.Fatalf("record %d of %d has %d bytes, %v; want %d", i, n, len(got), err, len(want[i]))
				}
				i++
			}
			if i != n {
				t.Errorf("%d records, want %d", i, n)
			}
		}
		for range q.All() {
			break
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
}
