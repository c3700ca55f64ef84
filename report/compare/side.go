package compare

import (
	"cmp"
	"slices"

	"replay/engine/record"
	"replay/report/metric"
)

// side is what is kept of the replays of one variant.
type side struct {
	Name, Flags string
	begun       bool
	manifest    record.Manifest // of the first replay
	outcome     *metric.Outcome
	loss        Loss // against the first variant
	warnings    []string
	differs     bool // from the first variant, in some value of some replay
	decides     Decides
	arrivals    []float64 // how many times as fast as under the first variant jobs arrive, by replay
	pooled      Pooled
}

func newSide(name, flags string) *side {
	return &side{Name: name, Flags: flags, decides: AsFirst, outcome: metric.OutcomeOf(), pooled: newPooled(name)}
}

// add takes in a replay of the variant, which is the v-th of the pairs.
func (s *side) add(r *metric.Summary, p *pairs, v int) {
	s.pooled.add(r.Data, !s.begun)
	if !s.begun {
		s.begun, s.manifest = true, r.Manifest
	}
	switch hash, first := r.Manifest.DecisionHash, p.replays[0].Manifest.DecisionHash; {
	case hash == "" || first == "":
		s.decides = NotKnown
	case hash != first && s.decides == AsFirst:
		s.decides = Otherwise
	}
	s.arrivals = append(s.arrivals, cmp.Or(r.Manifest.Faster, 1)/cmp.Or(p.replays[0].Manifest.Faster, 1))
	s.outcome.Add(r.Data)
	s.loss.add(p.loss(v))
	for _, text := range r.Warnings() {
		if !slices.Contains(s.warnings, text) {
			s.warnings = append(s.warnings, text)
		}
	}
}

// Warnings returns the texts of the warnings of a variant's replays, each once.
func (c *Comparison) Warnings(v int) []string { return c.study.sides[v].warnings }
