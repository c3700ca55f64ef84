// Package workload turns cases, and traces of a user's own, into work that can be measured: what is run, what it decided and how much it did.
package workload

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"replay/bench/cases"
	"replay/bench/regress"
	"replay/engine"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/report"
	"replay/trace"
)

// Work is a case that is ready to run.
type Work struct {
	Name  string
	Input string // hash of the trace
	// Check runs the work once and returns what it decided and did. The trail keeps the text of row want, see [regress.NewTrail].
	Check func(ctx context.Context, want int64) (*Checked, error)
	// Run runs the work once, as it is measured, and returns its decision hash, "" for one that decides nothing.
	Run func(ctx context.Context) (hash string, err error)
}

// Checked is what a run decided and did.
type Checked struct {
	Hash   string
	Counts []regress.Count
	Trail  *regress.Trail
}

// Of makes the work of a case, replayed with these options; its trace goes to dir, or is one of those under traces.
func Of(ctx context.Context, c *cases.Case, o scenario.Options, dir, traces string) (*Work, error) {
	from, err := c.Make(ctx, dir, traces)
	if err != nil {
		return nil, err
	}
	switch c.Kind {
	case cases.Read:
		return reading(c.Name, from)
	case cases.Report:
		return reporting(ctx, c.Name, from, filepath.Join(dir, c.Name+".result"), o)
	}
	return Replay(c.Name, func() (*scenario.Scenario, io.Closer, error) {
		t, err := trace.Open(from)
		if err != nil {
			return nil, nil, err
		}
		sc, err := scenario.FromTrace(t, o)
		if err != nil {
			t.Close()
			return nil, nil, err
		}
		return sc, t, nil
	})
}

// Replay is the work of replays, from the tables of a trace to the summary. Each run opens the scenario again.
func Replay(name string, open func() (*scenario.Scenario, io.Closer, error)) (*Work, error) {
	sc, t, err := open()
	if err != nil {
		return nil, err
	}
	w := &Work{Name: name, Input: sc.Input.Hash}
	if err := t.Close(); err != nil {
		return nil, err
	}
	run := func(ctx context.Context, decisions bool, sink func(*scenario.Scenario) record.Sink, done func(record.Sink, *record.Manifest) error) error {
		sc, t, err := open()
		if err != nil {
			return err
		}
		sc.Decisions = decisions
		to := sink(sc)
		m, err := engine.Run(ctx, sc, to, nil)
		if err == nil {
			err = done(to, m)
		}
		return errors.Join(err, t.Close())
	}
	w.Check = func(ctx context.Context, want int64) (*Checked, error) {
		out := &Checked{Trail: regress.NewTrail(want)}
		err := run(ctx, true, func(*scenario.Scenario) record.Sink { return out.Trail }, func(_ record.Sink, m *record.Manifest) error {
			out.Hash, out.Counts = m.DecisionHash, counts(&m.Totals)
			return nil
		})
		return out, err
	}
	w.Run = func(ctx context.Context) (hash string, err error) {
		err = run(ctx, false, func(sc *scenario.Scenario) record.Sink {
			to := report.NewMemory()
			return to
		}, func(sink record.Sink, m *record.Manifest) error {
			hash = m.DecisionHash
			r, err := sink.(report.Memory).Finish(*m)
			if err == nil {
				r.WriteText(io.Discard, false)
			}
			return err
		})
		return hash, err
	}
	return w, nil
}

// counts are the totals of a replay that say how much it did.
func counts(t *record.Totals) []regress.Count {
	return []regress.Count{
		{Unit: "jobs", N: t.Jobs}, {Unit: "tasks", N: t.TaskAttempts}, {Unit: "containers", N: t.ContainersAllocated}, {Unit: "reservations", N: t.Reservations},
		{Unit: "heartbeats", N: t.NodeHeartbeats}, {Unit: "updates", N: t.Updates}, {Unit: "am-heartbeats", N: t.AMHeartbeats},
		{Unit: "events", N: t.Events, Cost: true}, {Unit: "executed-heartbeats", N: t.ExecutedHeartbeats, Cost: true},
		{Unit: "executed-updates", N: t.ExecutedUpdates, Cost: true}, {Unit: "executed-am-heartbeats", N: t.ExecutedAMHeartbeats, Cost: true}, {Unit: "visits", N: t.Visits, Cost: true},
	}
}

// reading is the work of reading all jobs of a trace.
func reading(name, dir string) (*Work, error) {
	read := func() (hash string, jobs, stages, tasks int64, err error) {
		t, err := trace.Open(dir)
		if err != nil {
			return "", 0, 0, 0, err
		}
		for j, err := range trace.All(t.Jobs()) {
			if err != nil {
				return t.Hash(), jobs, stages, tasks, errors.Join(err, t.Close())
			}
			jobs, stages, tasks = jobs+1, stages+int64(len(j.Stages)), tasks+j.NumTasks()
		}
		return t.Hash(), jobs, stages, tasks, t.Close()
	}
	hash, _, _, _, err := read()
	return &Work{
		Name: name, Input: hash,
		Check: func(context.Context, int64) (*Checked, error) {
			_, jobs, stages, tasks, err := read()
			return &Checked{Trail: regress.NewTrail(0), Counts: []regress.Count{{Unit: "jobs", N: jobs}, {Unit: "stages", N: stages}, {Unit: "tasks", N: tasks}}}, err
		},
		Run: func(context.Context) (string, error) {
			_, _, _, _, err := read()
			return "", err
		},
	}, err
}

// reporting is the work of reading a result directory and computing its metrics. The replay before is not measured.
func reporting(ctx context.Context, name, from, result string, o scenario.Options) (*Work, error) {
	t, err := trace.Open(from)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	sc, err := scenario.FromTrace(t, o)
	if err != nil {
		return nil, err
	}
	ro := report.DefaultOptions()
	ro.Formats = nil
	w, err := report.NewWriter(result, ro)
	if err != nil {
		return nil, err
	}
	m, err := engine.Run(ctx, sc, w, nil)
	if err != nil {
		w.Abort()
		return nil, err
	}
	if _, err := w.Finish(*m); err != nil {
		return nil, err
	}
	read := func() (*report.Result, error) {
		r, err := report.Open(result)
		if err == nil {
			r.WriteText(io.Discard, true)
		}
		return r, err
	}
	return &Work{
		Name: name, Input: t.Hash(),
		Check: func(context.Context, int64) (*Checked, error) {
			r, err := read()
			if err != nil {
				return nil, err
			}
			return &Checked{Trail: regress.NewTrail(0), Counts: []regress.Count{{Unit: "tasks", N: r.Manifest.Totals.TaskAttempts}, {Unit: "values", N: int64(len(r.Values))}}}, nil
		},
		Run: func(context.Context) (string, error) {
			_, err := read()
			return "", err
		},
	}, nil
}
