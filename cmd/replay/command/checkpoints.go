package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"replay/bench"
	"replay/cmd/replay/cmdline"
	"replay/cmd/replay/settings"
	"replay/engine"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/report"
	"replay/report/checkpoint"
	"replay/report/result"
	"replay/sealed"
	"replay/trace"
)

// checkpointFlags are about the states that a replay writes and goes on from. The result is the same with and without them.
func checkpointFlags() []cli.Flag {
	return []cli.Flag{
		cmdline.With(&cli.StringFlag{Name: "checkpoint-at", Usage: "keep the state at these `TIMES`, such as 10m,2h, in the result, for --restore and replay whatif"}, times),
		cmdline.With(&cli.StringFlag{Name: "checkpoint-every", Usage: "keep the state each `TIME`, such as 1h, likewise"}, cmdline.ATime),
		&cli.StringFlag{Name: "restore", Usage: "go on from the checkpoint in `DIR`, a folder in the checkpoints of a result, of the same trace and configuration"},
	}
}

// mostCheckpoints is how many a replay writes at most.
const mostCheckpoints = 1000

// times wants times.
func times(value string) error {
	_, err := parseTimes(value)
	return err
}

func parseTimes(text string) (list []int64, err error) {
	for _, part := range strings.Split(text, ",") {
		at, err := cmdline.ParseTime(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part, err)
		}
		list = append(list, at)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// checkpoints are the states that a replay writes, and the one from which it goes on.
type checkpoints struct {
	at      []int64
	every   int64
	restore string // folder of the state to go on from, "" for the beginning
	changed bool   // the scenario is another one from some time after it on
	state   *checkpoint.State
	last    int64 // time of the latest that was written or gone on from
}

// readCheckpoints reads the flags.
func (p *program) readCheckpoints(c *cli.Context) error {
	k := &p.checkpoints
	if c.IsSet("restore") {
		k.restore = c.String("restore")
	}
	if c.IsSet("checkpoint-at") {
		k.at, _ = parseTimes(c.String("checkpoint-at")) // the flag takes no other
	}
	if c.IsSet("checkpoint-every") {
		k.every, _ = cmdline.ParseTime(c.String("checkpoint-every"))
		for i := int64(1); i <= mostCheckpoints; i++ {
			k.at = append(k.at, i*k.every)
		}
		slices.Sort(k.at)
		k.at = slices.Compact(k.at)
	}
	switch writes := len(k.at) > 0; {
	case writes && c.String("out") == "":
		return cmdline.Usagef("--checkpoint-at and --checkpoint-every want --out: checkpoints are kept in the result")
	case (writes || k.restore != "") && c.Bool("explain"):
		return cmdline.Usagef("--explain has no place beside checkpoints: what it follows from the beginning on is not in them")
	case (writes || k.restore != "") && c.IsSet("dense-spans"):
		return cmdline.Usagef("--dense-spans has no place beside checkpoints; --restore DIR --engine dense executes everything from a checkpoint on")
	}
	return nil
}

// begin reads the state from which a replay goes on, and has the options agree with it.
func (k *checkpoints) begin(o *scenario.Options, out string) (err error) {
	if k.restore == "" {
		return nil
	}
	if k.state, err = checkpoint.Read(k.restore); err != nil {
		return err
	}
	if o.Engine == scenario.Dense && k.state.Manifest.Engine != scenario.Dense {
		if out != "" {
			return cmdline.Usagef("--engine dense from a checkpoint of the fast engine is a check of decisions and writes no result: it has no place beside --out")
		}
		o.Engine = ""
	} else if o.Engine != scenario.Dense && k.state.Manifest.Engine == scenario.Dense {
		return fmt.Errorf("%s: was written by the dense engine: want --engine dense", k.restore)
	}
	return nil
}

// errOther is the error of a checkpoint of another replay than the one that is to go on from it.
var errOther = errors.New("is of another replay")

// start returns the state for the engine, nil for the beginning. It is refused if it is not one of this program and of this replay.
func (k *checkpoints) start(sc *scenario.Scenario, dense bool) (*engine.Start, error) {
	s := k.state
	if s == nil {
		return nil, nil
	}
	layout, err := layoutOfStates()
	if err != nil {
		return nil, err
	}
	if s.Decisions != bench.Decisions() || s.Layout != layout {
		return nil, fmt.Errorf("%s: was written by another version of the program (decisions %s, state %.8s; this one has %s and %.8s): want one that was written by this one", k.restore, s.Decisions, s.Layout, bench.Decisions(), layout)
	}
	if sc.Input.Hash != s.Manifest.TraceHash {
		return nil, fmt.Errorf("%s: is of the trace %s (%s), and this is %s (%s)", k.restore, s.Manifest.TraceName, s.Manifest.TraceHash, sc.Input.Name, sc.Input.Hash)
	}
	differences := s.Differences(sc.Manifest())
	if k.changed { // what changes is known to have no effect before the state, and shows in these alone
		differences = slices.DeleteFunc(differences, func(d checkpoint.Difference) bool {
			return strings.HasPrefix(d.Name, "config change ") || strings.HasPrefix(d.Name, "config fair-scheduler.xml from ") || d.Name == "trace_jobs" || strings.HasPrefix(d.Name, "offered_load_of_")
		})
		if !slices.Equal(sc.Warnings, s.Manifest.Warnings) {
			differences = append(differences, checkpoint.Difference{Name: "warnings", Is: "others", Was: "not there"})
		}
	}
	if len(differences) > 0 {
		var texts []string
		for _, d := range differences {
			texts = append(texts, d.String())
		}
		return nil, fmt.Errorf("%s: %w: %s", k.restore, errOther, strings.Join(texts, "; "))
	}
	if sc.Until > 0 && sc.Until < s.AtMS {
		return nil, fmt.Errorf("%s: is at %s, after --until", k.restore, checkpoint.Name(s.AtMS))
	}
	return &engine.Start{State: s.Engine, AtMS: s.AtMS, Changed: k.changed, Dense: dense}, nil
}

// layoutOfStates is a hash over the types of all that a checkpoint holds.
func layoutOfStates() (string, error) {
	a, err := engine.StateLayout()
	if err != nil {
		return "", err
	}
	b, err := result.StateLayout()
	return a[:32] + b[:32], err
}

// A goer is a sink that goes on from a state.
type goer interface {
	State() ([]byte, error)
	GoOn([]byte) error
}

// goOn gives a sink what the rows before the checkpoint had added up to, and a result directory those rows.
func (k *checkpoints) goOn(takes taker) error {
	s := k.state
	if s == nil {
		return nil
	}
	if err := takes.(goer).GoOn(s.Sums); err != nil {
		return fmt.Errorf("%s: %w", k.restore, err)
	}
	w, ok := takes.(*report.Writer)
	if !ok {
		return nil
	}
	if err := checkTables(s.Result(), s.Rows); err != nil {
		return err
	}
	return w.Refill(s.Result(), s.Rows)
}

// checkTables refuses tables of a result that are not as they were written.
func checkTables(dir string, rows map[string]int64) error {
	r, err := resultAgain(dir, "")
	if err != nil {
		return err
	}
	for _, f := range r.manifest.Files {
		if _, used := rows[f.Name]; used {
			if err := sealed.File(f).Check(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// run replays, from the state if there is one, and writes those that were asked for.
func (k *checkpoints) run(ctx context.Context, sc *scenario.Scenario, sink record.Sink, takes taker, progress *engine.Progress, start *engine.Start) (*record.Manifest, error) {
	if k.state == nil && len(k.at) == 0 {
		return engine.Run(ctx, sc, sink, progress)
	}
	if k.state != nil {
		k.last = k.state.AtMS
	}
	var at []int64
	for _, t := range k.at {
		if k.state == nil || t > k.state.AtMS {
			at = append(at, t)
		}
	}
	layout, err := layoutOfStates()
	if err != nil {
		return nil, err
	}
	manifest := *sc.Manifest()
	manifest.Warnings = sc.Warnings
	m, err := engine.RunFrom(ctx, sc, sink, progress, engine.Checkpoints{At: at, From: start, Take: func(c *engine.Checkpoint) error {
		w := takes.(*report.Writer)
		s := &checkpoint.State{Header: checkpoint.Header{Decisions: bench.Decisions(), Layout: layout, AtMS: c.AtMS, Arriving: c.Arriving, Rows: w.Rows(), Manifest: manifest}}
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			return err
		}
		s.Engine = b.Bytes()
		if s.Sums, err = w.State(); err != nil {
			return err
		}
		k.last = c.AtMS
		return checkpoint.Write(w.Path(""), s)
	}})
	if err != nil && k.state != nil && errors.Is(err, engine.ErrState) {
		err = fmt.Errorf("%s: %w", filepath.Clean(k.restore), err)
	}
	return m, err
}

// kept is a checkpoint of a result.
type kept struct {
	dir string
	*checkpoint.Header
}

// states are the checkpoints of a result that this program can go on from.
type states struct {
	list    []kept // by time
	cluster func() ([]trace.Node, []trace.NodeEvent)
	failed  error // of cluster
	// numbered is a change with the number of the job that it names
	numbered func(scenario.Change) (scenario.Change, error)
	// allocated is when a container of a job's first attempt was allocated in the result, before all times where it was not
	allocated func(job, number int64) int64
}

func statesOf(r *stored, where string) (*states, error) {
	s := &states{allocated: func(job, number int64) int64 { return result.AllocatedAt(r.dir, job, number) }}
	s.numbered = func(change scenario.Change) (scenario.Change, error) {
		data, err := result.ReadJobs(r.dir)
		if err != nil {
			return change, err
		}
		return settings.Numbered(change, "the result", calledOf(data))
	}
	dirs, headers, err := checkpoint.Of(r.dir)
	if err != nil || len(dirs) == 0 {
		return s, err
	}
	layout, err := layoutOfStates()
	if err != nil {
		return nil, err
	}
	for i := range dirs {
		if h := headers[i]; h.Decisions == bench.Decisions() && h.Layout == layout {
			s.list = append(s.list, kept{dirs[i], h})
		}
	}
	s.cluster = sync.OnceValues(func() (nodes []trace.Node, events []trace.NodeEvent) {
		nodes, events, s.failed = clusterOf(r, where)
		return nodes, events
	})
	return s, nil
}

// A condition says of a checkpoint that it lies before anything that a change can have an effect on. True is certain, false is not.
type condition func(*checkpoint.Header) bool

// before returns the checkpoints for which all conditions hold, the latest first.
func (s *states) before(conditions ...condition) (list []kept, err error) {
	for _, k := range slices.Backward(s.list) {
		if !slices.ContainsFunc(conditions, func(holds condition) bool { return !holds(k.Header) }) {
			list = append(list, k)
		}
	}
	return list, s.failed
}

// fromOne replays from the first of some checkpoints that allows it, at last from the beginning, which has no header and no folder. A state may tell that a change has an effect before it.
func fromOne(list []kept, do func(from kept) error) error {
	for _, k := range list {
		err := do(k)
		if errors.Is(err, errOther) {
			break
		}
		if !errors.Is(err, engine.ErrState) {
			return err
		}
	}
	return do(kept{})
}

// after is the condition of a --change.
func (s *states) after(text string) (condition, error) {
	change, err := settings.ParseChange(text)
	if err != nil {
		return nil, err
	}
	if settings.Open(change) {
		if change, err = s.numbered(change); err != nil {
			return func(*checkpoint.Header) bool { return false }, nil // the replay says what is wrong, with the jobs of the trace
		}
	}
	job, number, is := change.Container()
	turn := sync.OnceValue(func() int64 { return s.allocated(job, number-1) })
	return func(h *checkpoint.Header) bool {
		submitted := h.Arriving < 0 || h.Arriving > job
		return change.Later(h.AtMS, h.Arriving, s.cluster) && !(is && submitted && turn() < h.AtMS)
	}, nil
}

// unchanged returns the checkpoints of a result that lie before anything that the changes in the words of whatif can have an effect on, the latest first.
func (p *program) unchanged(r *stored, c *cli.Context) ([]kept, error) {
	states, err := statesOf(r, c.String("trace"))
	if err != nil {
		return nil, err
	}
	var conditions []condition
	for i := range p.words.Flags {
		f := &p.words.Flags[i]
		switch {
		case slices.Contains(ofWhatif, f.Name):
		case f.Name == "reload":
			at, _, _ := strings.Cut(f.Value, "=")
			from, err := cmdline.ParseTime(at)
			if err != nil || slices.ContainsFunc(slices.Collect(maps.Keys(r.manifest.Config)), func(key string) bool { return strings.HasPrefix(key, "fair-scheduler.xml from ") }) {
				return nil, err // the files of a result have their numbers, which may change
			}
			conditions = append(conditions, func(h *checkpoint.Header) bool { return h.AtMS <= from })
		case f.Name == "change":
			holds, err := states.after(f.Value)
			if err != nil {
				return nil, err
			}
			conditions = append(conditions, holds)
		default:
			return nil, nil
		}
	}
	return states.before(conditions...)
}

// clusterOf reads nodes and events of a result's trace as it was replayed; there are none if the replay was of another cluster or of a window.
func clusterOf(r *stored, where string) (nodes []trace.Node, events []trace.NodeEvent, err error) {
	t, err := r.traceOf(where, "whatif")
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	if r.manifest.Window != nil || r.manifest.Scaling != nil || !slices.EqualFunc(t.Nodes, r.manifest.Hosts, func(n trace.Node, host string) bool { return n.Host == host }) {
		return nil, nil, nil
	}
	return t.Nodes, t.Events, nil
}

// missed are the checkpoints that were asked for by their time and not reached.
func (k *checkpoints) missed() (list []string) {
	for _, t := range k.at {
		if t > k.last && (k.every == 0 || t%k.every != 0) {
			list = append(list, checkpoint.Name(t))
		}
	}
	return list
}
