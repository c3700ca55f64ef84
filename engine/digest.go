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
	batch  record.Batcher // the sink, if it takes many rows at once

	// Rows that wait.
	rows       []record.Task
	containers []record.Container // where the sink takes any order of them
}

// waitingRows is how many rows of a kind wait at most: so many that what is done once for them is little, and few enough to stay at hand.
const waitingRows = 32

func newSummed(sink record.Sink, digest *record.Digest) *summed {
	s := &summed{Sink: sink, digest: digest}
	if s.batch, _ = sink.(record.Batcher); s.batch != nil {
		s.rows = make([]record.Task, 0, waitingRows)
		if containers, _ := record.TakesAnyOrder(sink); containers {
			s.containers = make([]record.Container, 0, waitingRows)
		}
	}
	return s
}

// AnyOrder implements record.AnyOrder: rows enter the digest as a set.
func (s *summed) AnyOrder() (containers, tasks bool) { return record.TakesAnyOrder(s.Sink) }

func (s *summed) Job(r *record.Job) {
	s.flush()
	s.digest.Job(r)
	s.Sink.Job(r)
}

func (s *summed) Container(r *record.Container) {
	if n := len(s.containers); n < cap(s.containers) {
		s.containers = s.containers[:n+1]
		s.containers[n] = *r
		if n+1 == cap(s.containers) {
			s.giveContainers()
		}
		return
	}
	s.flush()
	s.digest.Container(r)
	s.Sink.Container(r)
}

func (s *summed) Task(r *record.Task) {
	if n := len(s.rows); n < cap(s.rows) {
		s.rows = s.rows[:n+1]
		s.rows[n] = *r
		if n+1 == cap(s.rows) {
			s.give()
		}
		return
	}
	s.digest.Task(r)
	s.Sink.Task(r)
}

// flush gives the rows that wait.
func (s *summed) flush() {
	if len(s.rows) > 0 {
		s.give()
	}
	if len(s.containers) > 0 {
		s.giveContainers()
	}
}

func (s *summed) give() {
	s.digest.Tasks(s.rows)
	s.batch.Tasks(s.rows)
	s.rows = s.rows[:0]
}

func (s *summed) giveContainers() {
	s.digest.Containers(s.containers)
	s.batch.Containers(s.containers)
	s.containers = s.containers[:0]
}

// sumEvent adds what the scheduler did to the digest.
func (s *sim) sumEvent(e *yarn.Event) {
	c := &e.Container
	s.digest.Event(&[...]int64{record.Pair(int32(e.Kind)|int32(c.Type)<<8, c.Priority), s.now, int64(e.App), int64(c.ID.App), c.ID.N, record.Pair(int32(c.Node), e.Exit),
		c.Size[resource.Memory], c.Size[resource.VCores]})
}
