package jvm

// PriorityQueue is java.util.PriorityQueue (and PriorityBlockingQueue): a binary heap that is not
// stable, so that equal elements, and those of a comparator that contradicts itself, come out in Java's order.
type PriorityQueue[T any] struct {
	compare func(a, b T) int
	heap    []T
}

// NewPriorityQueue returns an empty queue ordered by compare.
func NewPriorityQueue[T any](compare func(a, b T) int) *PriorityQueue[T] {
	return &PriorityQueue[T]{compare: compare}
}

// Each yields the elements in heap order.
func (q *PriorityQueue[T]) Each(yield func(T) bool) {
	for _, x := range q.heap {
		if !yield(x) {
			return
		}
	}
}

// Peek returns the head; ok is false when the queue is empty.
func (q *PriorityQueue[T]) Peek() (head T, ok bool) {
	if len(q.heap) == 0 {
		return head, false
	}
	return q.heap[0], true
}

// Add appends x and sifts it up.
func (q *PriorityQueue[T]) Add(x T) {
	q.heap = append(q.heap, x)
	k := len(q.heap) - 1
	for k > 0 {
		parent := (k - 1) / 2
		if q.compare(x, q.heap[parent]) >= 0 {
			break
		}
		q.heap[k] = q.heap[parent]
		k = parent
	}
	q.heap[k] = x
}

// Poll removes and returns the head; ok is false when the queue is empty.
func (q *PriorityQueue[T]) Poll() (head T, ok bool) {
	n := len(q.heap) - 1
	if n < 0 {
		return head, false
	}
	head = q.heap[0]
	x := q.heap[n]
	var zero T
	q.heap[n] = zero
	q.heap = q.heap[:n]
	if n > 0 {
		q.siftDown(x)
	}
	return head, true
}

func (q *PriorityQueue[T]) siftDown(x T) {
	k, n := 0, len(q.heap)
	for k < n/2 {
		c := 2*k + 1
		if c+1 < n && q.compare(q.heap[c], q.heap[c+1]) > 0 {
			c++
		}
		if q.compare(x, q.heap[c]) <= 0 {
			break
		}
		q.heap[k] = q.heap[c]
		k = c
	}
	q.heap[k] = x
}
