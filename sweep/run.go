package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
)

// Run calls do with the numbers 0 to n-1, several at a time and begun in order. With keepGoing an error is kept and the others go on;
// without it the first one ends all. failed has the errors by number. The error is that the context ended.
func Run(ctx context.Context, n, workers int, keepGoing bool, do func(ctx context.Context, i int) error) (failed map[int]error, err error) {
	all, cancel := context.WithCancel(ctx)
	defer cancel()
	failed = map[int]error{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := 0
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, next <= n && all.Err() == nil
	}
	for range min(workers, n) {
		wg.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				err := do(all, i)
				if err == nil || all.Err() != nil && errors.Is(err, all.Err()) {
					continue
				}
				mu.Lock()
				failed[i] = err
				mu.Unlock()
				if !keepGoing {
					cancel()
				}
			}
		})
	}
	wg.Wait()
	return failed, ctx.Err()
}

// Missing returns the positions of the cells that are not in the store, one for each id. Damaged ones are missing. others counts those
// that are there and were replayed by another program whose pinned decisions are the same.
func (s Store) Missing(cells []Cell, program Program) (missing []int, others int, err error) {
	seen := map[string]bool{}
	for i := range cells {
		id := cells[i].ID
		if seen[id] {
			continue
		}
		seen[id] = true
		r, err := s.Load(id)
		var at *fs.PathError
		switch {
		case err == nil:
			if r.Program != program {
				others++
			}
		case errors.As(err, &at) && !errors.Is(err, fs.ErrNotExist): // nothing can be read, and so nothing written
			return nil, 0, err
		default:
			missing = append(missing, i)
		}
	}
	return missing, others, nil
}

// Shard returns the positions of the cells of the i-th of n parts, counted from 1. Neighbours are in different parts, as they cost alike.
func Shard(cells, i, n int) (out []int) {
	for k := i - 1; k < cells; k += n {
		out = append(out, k)
	}
	return out
}

// Parts divides ids into at most n lists, as [Shard] does.
func Parts(ids []string, n int) [][]string {
	parts := make([][]string, min(n, len(ids)))
	for i := range parts {
		for _, at := range Shard(len(ids), i+1, len(parts)) {
			parts[i] = append(parts[i], ids[at])
		}
	}
	return parts
}

// Pick returns the positions of the cells with these ids. An id that no cell has is an error.
func Pick(cells []Cell, ids []string) (out []int, err error) {
	at := map[string]int{}
	for i := range cells {
		if _, ok := at[cells[i].ID]; !ok {
			at[cells[i].ID] = i
		}
	}
	for _, id := range ids {
		i, ok := at[id]
		if !ok {
			return nil, fmt.Errorf("%q is the id of no cell of this plan, with these traces, files and this program", id)
		}
		out = append(out, i)
	}
	return out, nil
}
