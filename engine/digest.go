package engine

import (
	"replay/engine/record"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// summed is a sink that adds every row to a digest on its way.
type summed struct {
	record.Sink
	digest *record.Digest
}

// AnyOrder implements record.AnyOrder: rows enter the digest as a set.
func (s *summed) AnyOrder() (containers, tasks bool) { return record.TakesAnyOrder(s.Sink) }

func (s *summed) Job(r *record.Job) {
	s.digest.Job(r)
	s.Sink.Job(r)
}

func (s *summed) Container(r *record.Container) {
	s.digest.Container(r)
	s.Sink.Container(r)
}

func (s *summed) Task(r *record.Task) {
	s.digest.Task(r)
	s.Sink.Task(r)
}

// sumEvent adds what the scheduler did to the digest.
func (s *sim) sumEvent(e *yarn.Event) {
	c := &e.Container
	s.digest.Event(&[...]int64{int64(e.Kind), s.now, int64(e.App), int64(c.ID.App), c.ID.N, int64(c.Node), int64(c.Priority), int64(c.Type),
		c.Size[resource.Memory], c.Size[resource.VCores], int64(e.Exit)})
}
