package shares

import (
	"math"
	"slices"

	"replay/engine/record"
	"replay/report/sums"
)

// steps are the times between instants of which not all has been counted yet. Most queues are the same from instant to instant: what one holds is counted for
// many steps at a time, when it changes, and put into its timeline at the end, if it is one of those that are kept. Each step is added by itself, in order: sums of
// floating-point numbers depend on it.
type steps struct {
	spans     []sums.Span
	contended []bool // by step: two leaf queues or more had unmet demand

	// As of the last instant.
	cluster           record.Sample // its row but for the time
	clustered         bool          // there is one
	capMem, capVCores float64
	waiting           int // leaf queues with unmet demand
	jain, jainDom     float64
	jains, jainsDom   bool // there is such an index

	received, dominants []float64 // memory that is used again
}

// mostSteps is how many are kept at most: then all timelines are made.
const mostSteps = 1 << 12

// standing is what a queue holds from a step on.
type standing struct {
	from                                                           int // the first step that is not counted
	usedMem, usedVCores, fairMem, fairVCores, demandMem, steadyMem int64
	pending                                                        bool
	mem, vcores, dominant, fairDominant, entitled, ratio, domRatio float64 // ratio and domRatio of Jain's indexes, below 0 where the queue has no part in them
}

// stretch is what the timeline of a queue is to hold from a step on.
type stretch struct {
	step                   int
	away                   bool // the queue is not there
	dominant, fairDominant float64
}

// is reports whether a row says that the queue holds the same.
func (h *standing) is(r *record.Sample) bool {
	return r.UsedMem == h.usedMem && r.UsedVCores == h.usedVCores && r.FairMem == h.fairMem && r.FairVCores == h.fairVCores &&
		r.DemandMem == h.demandMem && r.SteadyMem == h.steadyMem && (r.PendingMem > 0 || r.PendingVCores > 0) == h.pending
}

// turn takes in the rows of an instant.
func (q *Queues) turn(rows []record.Sample) {
	capMem, capVCores := 0.0, 0.0
	same := len(q.rows) == len(rows)
	q.clustered = false
	for i := range rows {
		r := &rows[i]
		if r.Queue == "" {
			q.cluster, q.clustered = *r, true
			capMem, capVCores = float64(r.CapacityMem), float64(r.CapacityVCores)
		}
		same = same && q.rows[i].name == r.Queue
	}
	same = same && capMem == q.capMem && capVCores == q.capVCores
	if !same {
		q.flushAll()
		q.capMem, q.capVCores = capMem, capVCores
		for _, t := range q.rows {
			t.away = true
		}
		before := slices.Clone(q.rows)
		q.rows = q.rows[:min(len(q.rows), len(rows))]
		for i := range rows {
			q.track(i, rows[i].Queue)
			q.rows[i].away = false
		}
		for _, t := range before {
			if t.away {
				t.stretches = append(t.stretches, stretch{step: len(q.spans), away: true})
				t.standing = standing{} // a queue that is not there has nothing, until it is there again
			}
		}
	}
	changed := !same
	for i, t := range q.rows {
		if r := &rows[i]; t.name != "" && !(same && t.is(r)) {
			q.flush(t)
			q.holds(t, r)
			changed = true
		}
	}
	if changed {
		q.fairness()
	}
}

// holds takes in what a queue holds from the next step on.
func (q *Queues) holds(t *tracked, r *record.Sample) {
	mem, vcores := ratio(float64(r.UsedMem), q.capMem), ratio(float64(r.UsedVCores), q.capVCores)
	fairMem, fairVCores := float64(max(r.FairMem, 0)), float64(max(r.FairVCores, 0))
	t.standing = standing{
		from: len(q.spans), usedMem: r.UsedMem, usedVCores: r.UsedVCores, fairMem: r.FairMem, fairVCores: r.FairVCores, demandMem: r.DemandMem, steadyMem: r.SteadyMem,
		pending: r.PendingMem > 0 || r.PendingVCores > 0,
		mem:     mem, vcores: vcores, dominant: max(mem, vcores), fairDominant: max(ratio(fairMem, q.capMem), ratio(fairVCores, q.capVCores)),
		ratio: -1, domRatio: -1,
	}
	h := &t.standing
	if h.pending && r.SteadyMem > 0 && q.capMem > 0 {
		h.domRatio = h.dominant / (float64(r.SteadyMem) / q.capMem)
	}
	if r.FairMem != record.None {
		t.share.HasFair = t.share.HasFair || t.leaf
		if h.entitled = float64(min(r.FairMem, r.DemandMem)); h.entitled > 0 {
			h.ratio = float64(r.UsedMem) / h.entitled
		}
	}
	if n := len(t.stretches); n == 0 || t.stretches[n-1].away || t.stretches[n-1].dominant != h.dominant || t.stretches[n-1].fairDominant != h.fairDominant {
		t.stretches = append(t.stretches, stretch{step: len(q.spans), dominant: h.dominant, fairDominant: h.fairDominant})
	}
}

// fairness compares the leaf queues of an instant.
func (q *Queues) fairness() {
	q.waiting = 0
	received, dominants := q.received[:0], q.dominants[:0]
	for _, t := range q.rows {
		if !t.leaf {
			continue
		}
		if t.pending {
			q.waiting++
		}
		if t.domRatio >= 0 {
			dominants = append(dominants, t.domRatio)
		}
		if t.ratio >= 0 {
			received = append(received, t.ratio)
		}
	}
	of := func(xs []float64) (index float64, ok bool) {
		if len(xs) < 2 {
			return 0, false
		}
		index = jain(xs)
		return index, !math.IsNaN(index)
	}
	q.jain, q.jains = of(received)
	q.jainDom, q.jainsDom = of(dominants)
	q.jainsDom = q.jainsDom && q.waiting >= 2
	q.received, q.dominants = received, dominants
}

// step counts the time from the last instant on: of the cluster at once, of the queues with [Queues.flush].
func (q *Queues) step(from, to int64) {
	ms := float64(to - from)
	if len(q.spans) == mostSteps {
		q.startOver()
	}
	q.spans, q.contended = append(q.spans, sums.Span{From: from, To: to}), append(q.contended, q.waiting >= 2)
	c, r := &q.Cluster, &q.cluster
	if q.clustered {
		mem, vcores := ratio(float64(r.UsedMem), q.capMem), ratio(float64(r.UsedVCores), q.capVCores)
		dominant := max(mem, vcores)
		fair := max(ratio(float64(max(r.FairMem, 0)), q.capMem), ratio(float64(max(r.FairVCores, 0)), q.capVCores))
		q.Over[""].HoldAll(from, to, []float64{
			Dominant: dominant, FairDominant: fair, Present: 1,
			UsedMem: float64(r.UsedMem), UsedVCores: float64(r.UsedVCores), CapacityMem: q.capMem, CapacityVCores: q.capVCores, BusyCores: float64(r.BusyCores),
			Running: float64(r.Running), Waiting: float64(r.Pending), InCluster: float64(r.Nodes),
		})
		c.Dominant += float64(dominant * ms)
		c.Nodes += float64(float64(r.Nodes) * ms)
		c.MS += ms
	}
	if q.waiting > 0 {
		c.PendingMS += ms
	}
	if q.waiting > 1 {
		c.ContendedMS += ms
	}
	if q.jains {
		q.JainMS += ms
		q.JainSum += float64(q.jain * ms)
	}
	if q.jainsDom {
		q.DomMS += ms
		q.DomSum += float64(q.jainDom * ms)
	}
}

// flush counts what a queue has held, up to the last step.
func (q *Queues) flush(t *tracked) {
	if t.leaf {
		t.share.add(&t.standing, q.spans[t.from:], q.contended[t.from:])
	}
	t.from = len(q.spans)
}

// flushAll does so for all queues.
func (q *Queues) flushAll() {
	for _, t := range q.rows {
		q.flush(t)
	}
}

// startOver makes the timelines of all queues up to the last step, and forgets the steps.
func (q *Queues) startOver() {
	q.flushAll()
	for _, t := range q.known {
		q.draw(t)
		t.from = 0
	}
	q.spans, q.contended = q.spans[:0], q.contended[:0]
}

// draw puts what a queue has held, up to the last step, into its timeline. There is none while it has used nothing and nothing was due to it.
func (q *Queues) draw(t *tracked) {
	for i, c := range t.stretches {
		spans := q.spans[c.step:]
		if i+1 < len(t.stretches) {
			spans = q.spans[c.step:t.stretches[i+1].step]
		}
		for i := 0; i < len(spans) && !c.away; i++ {
			if t.over == nil {
				from, to := spans[i].From, spans[i].To
				if c.dominant == 0 && c.fairDominant == 0 && (t.since == t.until || t.until == from) {
					if t.since == t.until {
						t.since = from
					}
					t.until = to
					continue
				}
				q.begin(t, queueFields)
			}
			t.over.HoldEach(spans[i:], []float64{Dominant: c.dominant, FairDominant: c.fairDominant, Present: 1})
			break
		}
	}
	if n := len(t.stretches); n > 0 {
		t.stretches = append(t.stretches[:0], t.stretches[n-1])
		t.stretches[0].step = 0
	}
}

// add adds what a leaf queue holds over steps.
func (s *Share) add(h *standing, spans []sums.Span, contended []bool) {
	if h.mem != 0 || h.vcores != 0 {
		for i := range spans {
			ms := spans[i].MS()
			s.UsedMem += float64(h.mem * ms)
			s.UsedVCores += float64(h.vcores * ms)
			s.Dominant += float64(h.dominant * ms)
		}
	}
	if h.pending {
		for i := range spans {
			s.PendingMS += spans[i].MS()
		}
	}
	if slices.Contains(contended, true) {
		for i := range spans {
			if contended[i] {
				ms := spans[i].MS()
				s.ContendedMem += float64(h.mem * ms)
				s.ContendedVCores += float64(h.vcores * ms)
				s.ContDom += float64(h.dominant * ms)
			}
		}
	}
	if h.entitled > 0 {
		used := float64(h.usedMem)
		within, below := min(used, h.entitled), used < (1-belowTolerance)*h.entitled
		for i := range spans {
			ms := spans[i].MS()
			s.Entitled += float64(h.entitled * ms)
			s.Received += float64(used * ms)
			s.Within += float64(within * ms)
			s.EntitledMS += ms
			if below {
				s.Below += ms
			}
		}
	}
}
