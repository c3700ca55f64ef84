package fifo

import (
	"math"
	"slices"

	"replay/engine/reuse"
	"replay/policy/resource"
)

// asking is what all applications ask for together, so that neither a heartbeat nor a sample looks at those that ask for nothing.
type asking struct {
	apps    []*app            // that ask for something, by number
	pending resource.Resource // the sum of theirs
	stale   []*app            // whose asks may be others than app.pending and app.least say
}

// changed notes that an application may ask for something else.
func (k *asking) changed(a *app) {
	if !a.stale {
		a.stale = true
		k.stale = append(k.stale, a)
	}
}

// settle looks at the applications that have changed.
func (s *Scheduler) settle() {
	k := &s.asking
	for _, a := range k.stale {
		a.stale = false
		pending, least := resource.Resource{}, int64(math.MaxInt64)
		if a.attempt != nil {
			pending = a.attempt.Pending()
			for _, t := range a.attempt.Active() {
				least = min(least, t.Smallest())
			}
		}
		k.pending = k.pending.Add(pending.Sub(a.pending))
		if was, is := a.least < math.MaxInt64, least < math.MaxInt64; was != is {
			i, _ := search(k.apps, a.spec.ID)
			if is {
				k.apps = reuse.Insert(k.apps, i, a)
			} else {
				k.apps = slices.Delete(k.apps, i, i+1)
			}
		}
		a.pending, a.least = pending, least
		s.wants(min(s.least, least))
	}
	k.stale = k.stale[:0]
}
