package record

// A Wave is attempts of successive tasks of a stage that begin at one time and succeed, each in a container of its own that is there from
// its launch to its finish, with all cores busy. Task and Container are those of the first; the slices have a place for each, and the
// numbers of tasks and containers count up. It is valid during a call only.
type Wave struct {
	Task       Task
	Container  Container
	Nodes      []int32
	DurationMS []int64     // from launch to finish, which is the service time of the trace
	Levels     []TaskLevel // [NoPref] without a preference, [TaskNodeLocal] on a preferred host; nil where no task has a preference
}

// Waves is an [AnyOrder] of containers and task attempts that takes many of them at once.
type Waves interface {
	AnyOrder
	Wave(*Wave)
}

// TakesWaves returns a sink of waves, nil where it wants containers or task attempts in order.
func TakesWaves(s Sink) Waves {
	w, _ := s.(Waves)
	if containers, tasks := TakesAnyOrder(s); !containers || !tasks {
		return nil
	}
	return w
}

// Give gives a wave to a sink that takes any order, one by one if need be.
func (w *Wave) Give(s Sink) {
	if to := TakesWaves(s); to != nil {
		to.Wave(w)
		return
	}
	t, c := w.Task, w.Container
	for i := range w.Nodes {
		w.at(i, &t, &c)
		s.Task(&t)
		s.Container(&c)
	}
}

// at fills in what is different of an attempt and its container.
func (w *Wave) at(i int, t *Task, c *Container) {
	ms := w.DurationMS[i]
	w.attempt(i, t)
	c.Number, c.Node = t.Container, t.Node
	c.Ended, c.Exited, c.BusyMS = t.Finish, t.Finish, c.VCores*ms
}

// attempt fills in what is different of an attempt.
func (w *Wave) attempt(i int, t *Task) {
	ms := w.DurationMS[i]
	t.Index, t.Container, t.Node = w.Task.Index+int32(i), w.Task.Container+int64(i), w.Nodes[i]
	t.Finish, t.DurationMS = t.Launch+ms, ms
	t.Freed = t.Finish
	if w.Levels != nil {
		t.Level = w.Levels[i]
	}
	t.Preferring, t.Preferred = Preferences(t.Level)
}

// Preferences tells what the level of an attempt in a wave says.
func Preferences(l TaskLevel) (preferring, preferred bool) { return l != NoPref, l == TaskNodeLocal }
