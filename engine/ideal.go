package engine

import (
	"context"
	"slices"

	"replay/engine/ideal"
	"replay/engine/record"
	"replay/engine/scenario"
)

// summedTasks is a sink that adds jobs and task attempts to a digest on their way. Containers of the ideal scheduler are its task
// attempts over again.
type summedTasks struct{ summed }

func (s *summedTasks) Container(r *record.Container) { s.Sink.Container(r) }

// Wave implements record.Waves.
func (s *summedTasks) Wave(w *record.Wave) {
	s.digest.Wave(w)
	w.Give(s.Sink)
}

// runIdeal is [Run] without YARN.
func runIdeal(ctx context.Context, sc *scenario.Scenario, sink record.Sink, p *Progress) (*record.Manifest, error) {
	if p == nil {
		p = new(Progress)
	}
	p.start(sc)
	var digest record.Digest
	r, err := ideal.Run(ctx, sc, &summedTasks{summed{Sink: sink, digest: &digest}}, ideal.Watch{NowMS: &p.NowMS, Jobs: &p.Jobs, Containers: &p.Containers, Tasks: &p.Tasks})
	if err != nil {
		return nil, err
	}
	m := sc.Manifest()
	for i := range sc.Input.Nodes {
		m.Hosts = append(m.Hosts, sc.Input.Nodes[i].Host)
	}
	m.Totals, m.DecisionHash, m.Warnings = r.Totals, digest.Hash(&r.Totals), slices.Concat(sc.Warnings, r.Warnings, sc.Unchanged())
	return m, nil
}
