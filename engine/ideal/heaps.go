package ideal

// A timer is something that is due at a time and ends no task: a stage after the driver's pause, the end of a job after its tail,
// the submission of one that had to wait for others, a node whose time to drain is over. What is due at one time comes in the order in which it was set.
type timer struct {
	at, number int64
	stage      *stage
	job        *job // where stage is nil
	submits    bool // job number held, where both are
	held       int64
	node       int32 // where none is
	round      int32 // of the draining of node
}

// timers are few: a binary heap.
type timers struct {
	heap []timer
	set  int64
}

func (t *timer) before(o *timer) bool { return t.at < o.at || t.at == o.at && t.number < o.number }

func (h *timers) next() int64 {
	if len(h.heap) == 0 {
		return never
	}
	return h.heap[0].at
}

func (h *timers) push(t timer) {
	h.set++
	t.number = h.set
	h.heap = append(h.heap, t)
	for i := len(h.heap) - 1; i > 0 && h.heap[i].before(&h.heap[(i-1)/2]); i = (i - 1) / 2 {
		h.heap[i], h.heap[(i-1)/2] = h.heap[(i-1)/2], h.heap[i]
	}
}

func (h *timers) pop() timer {
	top, n := h.heap[0], len(h.heap)-1
	h.heap[0] = h.heap[n]
	h.heap[n] = timer{}
	h.heap = h.heap[:n]
	for i := 0; ; {
		c := 2*i + 1
		if c >= n {
			return top
		}
		if c+1 < n && h.heap[c+1].before(&h.heap[c]) {
			c++
		}
		if !h.heap[c].before(&h.heap[i]) {
			return top
		}
		h.heap[i], h.heap[c] = h.heap[c], h.heap[i]
		i = c
	}
}

// ready is a binary heap of the stages that have tasks to start, in order of job and stage.
type ready struct{ heap []*stage }

func (s *stage) before(o *stage) bool {
	return s.job.turn < o.job.turn || s.job == o.job && s.st.ID < o.st.ID
}

// first is the stage whose task is served next, nil if none is ready.
func (h *ready) first() *stage {
	if len(h.heap) == 0 {
		return nil
	}
	return h.heap[0]
}

func (h *ready) push(s *stage) {
	h.heap = append(h.heap, s)
	for i := len(h.heap) - 1; i > 0 && h.heap[i].before(h.heap[(i-1)/2]); i = (i - 1) / 2 {
		h.heap[i], h.heap[(i-1)/2] = h.heap[(i-1)/2], h.heap[i]
	}
}

// pop removes the first.
func (h *ready) pop() {
	n := len(h.heap) - 1
	h.heap[0] = h.heap[n]
	h.heap[n] = nil
	h.heap = h.heap[:n]
	for i := 0; ; {
		c := 2*i + 1
		if c >= n {
			return
		}
		if c+1 < n && h.heap[c+1].before(h.heap[c]) {
			c++
		}
		if !h.heap[c].before(h.heap[i]) {
			return
		}
		h.heap[i], h.heap[c] = h.heap[c], h.heap[i]
		i = c
	}
}
