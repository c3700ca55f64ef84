package command

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"

	"replay/cmd/replay/cmdline"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/report/checkpoint"
	"replay/report/parting"
	"replay/report/quantity"
	"replay/report/result"
	"replay/shown"
	"replay/trace"
)

const allocates = "allocate"

// regretted is an allocation with what the alternatives to it would have gained.
type regretted struct {
	Job       string `json:"job"`
	Queue     string `json:"queue"`
	Container int64  `json:"container"`
	Host      string `json:"host"`
	AtMS      int64  `json:"at_ms"`

	Nodes        int           `json:"nodes"`        // of the alternatives: with room for the container
	Applications int           `json:"applications"` // that would have been served in its place
	Better       int           `json:"better"`       // alternatives that lose no job, with a shorter mean duration of jobs
	Alternatives []alternative `json:"alternatives"` // the best first

	d *record.Decision
}

// alternative is another decision in the place of one.
type alternative struct {
	Says    string   `json:"instead"`
	Jobs    int      `json:"jobs"`                // that succeed in both replays, and that the mean is over
	Lost    int      `json:"jobs_lost"`           // that succeed without it alone
	OwnMS   *int64   `json:"job_ends_earlier_ms"` // null where it does not succeed in both
	MeanMS  float64  `json:"mean_duration_shorter_ms"`
	Changes []string `json:"changes"`
}

// regrets is the search for better decisions in a replay.
type regrets struct {
	p      *program
	c      *cli.Context
	args   []string // of the replay
	states *states
	base   surveyed
	done   atomic.Int64
}

// surveyed is a replay of which the state of the nodes at each decision is known, too.
type surveyed struct {
	quietly
	ofTrace int32 // nodes, in front of those that an autoscaler may add
	events  []trace.NodeEvent
	told    []told // in order of time
}

// told is what became of a node, and how many decisions came before.
type told struct {
	record.Node
	before int
}

func (s *surveyed) sink(to record.Sink, sc *scenario.Scenario) record.Sink {
	s.quietly.sink(to, sc)
	s.ofTrace, s.events = int32(sc.OfTrace), sc.Input.Events
	return s
}

// Node is part of [record.Sink].
func (s *surveyed) Node(n *record.Node) {
	s.Sink.Node(n)
	s.told = append(s.told, told{*n, len(s.decided)})
}

// books are what is held and which nodes there are, in front of one decision after the other.
type books struct {
	parting.Books
	nodes map[int32]record.Node
	dead  map[int32]bool // it has failed, whether or not that has been found out
	of    *surveyed

	decided, told, events int // taken so far
}

// until takes all that comes before a decision.
func (b *books) until(place int) {
	for ; b.decided < place; b.decided++ {
		b.Take(&b.of.decided[b.decided])
	}
	for ; b.told < len(b.of.told) && b.of.told[b.told].before <= place; b.told++ {
		n := &b.of.told[b.told]
		b.nodes[n.Node.Node] = n.Node
	}
	for ; b.events < len(b.of.events) && b.of.events[b.events].TimeMS <= b.of.decided[place].Time; b.events++ {
		switch e := &b.of.events[b.events]; e.Kind {
		case trace.Fail:
			b.dead[e.Node] = true
		case trace.Recover:
			delete(b.dead, e.Node)
		}
	}
}

// room returns the nodes of the trace on which there was room for the container of an allocation, without the one that it got.
func (b *books) room(d *record.Decision) (nodes []int32) {
	for i := range b.of.ofTrace {
		n, has := b.nodes[i], b.ByNode[i]
		if i != d.Node && n.Registered && !n.Draining && !b.dead[i] && has.MemMiB+d.MemMiB <= n.MemMiB && has.VCores+d.VCores <= n.VCores {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// regret replays some allocations with each alternative to them: each other node with room, and each application that would have been served in their place.
func (p *program) regret(c *cli.Context, again *stored) (err error) {
	if name := again.manifest.Scheduler; slices.ContainsFunc(scenario.Schedulers, func(s scenario.Scheduler) bool { return s.Central && s.Name == name }) {
		return cmdline.Usagef("--regret: the scheduler %s serves strictly first come, first served, and no change makes it decide otherwise; want a result of another scheduler", name)
	}
	r := &regrets{p: p, c: c, args: again.args}
	if r.states, err = statesOf(again, c.String("trace")); err != nil {
		return err
	}
	if err := r.replay(&r.base, ""); err != nil {
		return err
	}
	allocated := map[[2]int64]int64{}
	for i := range r.base.decided {
		if d := &r.base.decided[i]; d.Kind == allocates && d.AMAttempt == 1 {
			allocated[[2]int64{d.Job, d.Container}] = d.Time
		}
	}
	r.states.allocated = func(job, number int64) int64 {
		if at, ok := allocated[[2]int64{job, number}]; ok {
			return at
		}
		return record.None
	}
	data := r.base.result.Data
	var chosen []int // places in the decisions
	of := int64(-1)
	if name := c.String("job"); name != "" {
		var err error
		if of, err = cmdline.JobCalled(name, "the result", calledOf(data)); err != nil {
			return err
		}
	}
	added := 0
	for i := range r.base.decided {
		if d := &r.base.decided[i]; d.Kind == allocates && d.AMAttempt == 1 && (of < 0 || d.Job == of) {
			if d.Node >= r.base.ofTrace {
				added++
				continue
			}
			chosen = append(chosen, i)
		}
	}
	all := len(chosen)
	k := min(c.Int("regret"), all)
	for i := range k { // spread over the run
		chosen[i] = chosen[i*all/k]
	}
	chosen = chosen[:k]
	names := parting.NamesOf(parting.Named{Jobs: &data.Jobs, Nodes: r.base.nodes})
	rows := make([]regretted, k)
	books := books{Books: parting.NewBooks(), nodes: map[int32]record.Node{}, dead: map[int32]bool{}, of: &r.base}
	var doing atomic.Int64
	stop := cmdline.WatchShare(c, "regret", func(time.Duration) (float64, string) {
		return float64(doing.Load()) / float64(max(k, 1)), fmt.Sprintf("%d of %s, %s done", doing.Load(), quantity.Counted(int64(k), "allocations"), quantity.Counted(r.done.Load(), "replays"))
	})
	defer stop()
	g, ctx := errgroup.WithContext(c.Context)
	g.SetLimit(workersOf(c))
	for i, place := range chosen {
		books.until(place)
		d := &r.base.decided[place]
		rows[i] = regretted{Container: d.Container, AtMS: d.Time, d: d}
		rows[i].Job, rows[i].Queue = names.Job(d.Job)
		rows[i].Host, _, _ = names.Node(d.Node)
		room := books.room(d)
		g.Go(func() error {
			defer doing.Add(1)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return r.alternatives(&rows[i], place, room, names)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	slices.SortStableFunc(rows, func(a, b regretted) int { return a.best().compare(b.best()) })
	if c.Bool("json") {
		return cmdline.WriteJSON(c.App.Writer, rows)
	}
	return shown.Whole(c.App.Writer, func(w io.Writer) { writeRegret(w, rows, all, added) })
}

// replay replays from a checkpoint, "" for the beginning.
func (r *regrets) replay(q listener, from string, changes ...string) error {
	var more []string
	for _, change := range changes {
		more = append(more, "--change", change)
	}
	r.done.Add(1)
	return r.p.replayAgain(r.c.Context, restored(r.args, from), more, q)
}

// changed replays with changes that have no effect before a time, and returns how many decisions there were before what is told: those before a checkpoint are not told again.
func (r *regrets) changed(changes []string, since int64) (q *quietly, before int, err error) {
	conditions := []condition{func(h *checkpoint.Header) bool { return h.AtMS <= since }}
	for _, change := range changes {
		holds, err := r.states.after(change)
		if err != nil {
			return nil, 0, err
		}
		conditions = append(conditions, holds)
	}
	list, err := r.states.before(conditions...)
	if err != nil {
		return nil, 0, err
	}
	err = fromOne(list, func(from kept) error {
		q, before = &quietly{}, 0
		if from.Header != nil {
			before = sort.Search(len(r.base.decided), func(i int) bool { return r.base.decided[i].Time >= from.AtMS })
		}
		return r.replay(q, from.dir, changes...)
	})
	return q, before, err
}

// alternatives replays an allocation, which stands at a place among the decisions, with each alternative to it.
func (r *regrets) alternatives(row *regretted, place int, room []int32, names *parting.Names) error {
	d := row.d
	try := func(says string, changes []string) (*record.Decision, error) {
		other, before, err := r.changed(changes, d.Time)
		if err != nil {
			return nil, err
		}
		a := alternative{Says: says, Changes: slices.Clone(changes)}
		a.over(r.base.result.Data, other.result.Data, d.Job)
		row.Alternatives = append(row.Alternatives, a)
		return instead(other.decided, place-before, d), nil
	}
	for _, node := range room {
		host, _, _ := names.Node(node)
		if _, err := try("it on "+host, []string{fmt.Sprintf("container %d of job %d on %s", d.Container, d.Job, host)}); err != nil {
			return err
		}
		row.Nodes++
	}
	// Who is served when it may not be there, and who when they may not either, and so on.
	for next, changes := d, []string(nil); ; {
		changes = append(changes, fmt.Sprintf("container %d of job %d not on %s", next.Container, next.Job, row.Host))
		var err error
		if next, err = try("", changes); err != nil {
			return err
		}
		a := &row.Alternatives[len(row.Alternatives)-1]
		if next == nil {
			a.Says = "nobody in its place"
			break
		}
		name, _ := names.Job(next.Job)
		a.Says = fmt.Sprintf("%s on %s", name, row.Host)
		row.Applications++
	}
	for i := range row.Alternatives {
		if a := &row.Alternatives[i]; a.Lost == 0 && a.MeanMS > 0 {
			row.Better++
		}
	}
	slices.SortStableFunc(row.Alternatives, func(a, b alternative) int { return a.compare(&b) })
	return nil
}

// compare orders alternatives, the best first: a gain in time is none that jobs are lost for.
func (a *alternative) compare(b *alternative) int {
	return cmp.Or(cmp.Compare(a.Lost, b.Lost), cmp.Compare(b.MeanMS, a.MeanMS))
}

// instead returns the allocation to another application that stands in the place of one; nil when there is none.
func instead(decided []record.Decision, place int, of *record.Decision) *record.Decision {
	if place >= len(decided) {
		return nil
	}
	if d := &decided[place]; d.Kind == allocates && d.Time == of.Time && d.Node == of.Node && d.Job != of.Job {
		return d
	}
	return nil
}

// over says how much earlier a job ends, and how much shorter jobs take on average from their own times on, over those that succeed in both replays. A job that begins
// after others has the same own time in both, and may be submitted at another.
func (a *alternative) over(before, after *result.Data, job int64) {
	sum := int64(0)
	for j := range before.Jobs.All() {
		if j.Outcome != record.JobSucceeded {
			continue
		}
		other := after.Jobs.Find(j.ID)
		if other == nil || other.Outcome != record.JobSucceeded {
			a.Lost++
			continue
		}
		a.Jobs++
		sum += j.Finish - j.Own() - (other.Finish - other.Own())
		if j.ID == job {
			own := j.Finish - other.Finish
			a.OwnMS = &own
		}
	}
	a.MeanMS = float64(sum) / float64(max(a.Jobs, 1))
}

// best is the alternative that loses the fewest jobs, and of these the one with the shortest mean duration.
func (r *regretted) best() *alternative { return &r.Alternatives[0] }

func writeRegret(w io.Writer, rows []regretted, all, added int) {
	tried, better, nodes, applications := 0, 0, 0, 0
	for i := range rows {
		r := &rows[i]
		tried, better, nodes, applications = tried+len(r.Alternatives), better+r.Better, nodes+r.Nodes, applications+r.Applications
	}
	k := int64(len(rows))
	shown.Paragraph(w, fmt.Sprintf("%s of %s, each replayed with the container on each other node that had room for it (%s), with each application that would have been served in its place (%s), and with nobody there: %s.",
		quantity.Counted(k, "allocations"), quantity.Thousands(int64(all)), quantity.Thousands(int64(nodes)), quantity.Thousands(int64(applications)), quantity.Counted(int64(tried), "alternatives")), "")
	shown.Paragraph(w, fmt.Sprintf("In %s of them jobs take less time on average. Regret is local: it is what one other decision would have changed in this replay with its seed, not what a rule that decides so would; and the best of several alternatives looks better than it is, because chance helped to choose it.",
		quantity.Thousands(int64(better))), "")
	if applications > 0 {
		shown.Paragraph(w, "An application in whose place another is served takes this container on another node, later or at once; where no other will do, its job is lost.", "")
	}
	if added > 0 {
		shown.Paragraph(w, fmt.Sprintf("Left out: %s on nodes that the autoscaler added.", quantity.Counted(int64(added), "allocations")), "")
	}
	if k == 0 {
		return
	}
	fmt.Fprintln(w)
	t := &shown.Table{}
	t.Head("mean duration", "over", "the job ends", "better", "allocation", "best instead")
	for i := range rows {
		r := &rows[i]
		b := r.best()
		own, over := "–", quantity.Counted(int64(b.Jobs), "jobs")
		if b.OwnMS != nil {
			own = quantity.MS.Difference(float64(-*b.OwnMS))
		}
		if b.Lost > 0 {
			over += fmt.Sprintf(", %d lost", b.Lost)
		}
		t.Row(quantity.MS.Difference(-b.MeanMS), over, own, fmt.Sprintf("%d of %d", r.Better, len(r.Alternatives)),
			fmt.Sprintf("container %d of %s in %s on %s at %s", r.Container, r.Job, r.Queue, r.Host, quantity.Duration(float64(r.AtMS))), b.Says)
	}
	t.Write(w)
}
