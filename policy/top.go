package policy

// top lets each container prefer the one host with the most tasks left, and takes the tasks of
// one executor from it; the first host wins a tie. It is a baseline; Spark does not have it.
type top struct{}

func (top) Requests(n int, hints *Hints) []Preference {
	out := make([]Preference, max(0, n))
	if len(hints.Tasks) == 0 {
		return out
	}
	// A heap of hosts, most tasks left first, then by position.
	left := append([]int(nil), hints.Tasks...)
	heap := make([]int32, len(left))
	for h := range heap {
		heap[h] = int32(h)
	}
	before := func(a, b int32) bool { return left[a] > left[b] || left[a] == left[b] && a < b }
	down := func(i int) {
		for {
			best := i
			for c := 2*i + 1; c <= 2*i+2 && c < len(heap); c++ {
				if before(heap[c], heap[best]) {
					best = c
				}
			}
			if best == i {
				return
			}
			heap[i], heap[best] = heap[best], heap[i]
			i = best
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		down(i)
	}
	for i := range out {
		h := heap[0]
		out[i] = Preference{h}
		left[h] -= hints.PerExec
		down(0)
	}
	return out
}
