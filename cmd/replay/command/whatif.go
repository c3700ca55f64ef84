package command

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"

	"replay/cmd/replay/cmdline"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/report"
	"replay/report/checkpoint"
	"replay/report/parting"
	"replay/report/quantity"
	"replay/report/result"
	"replay/shown"
	"replay/trace"
)

func whatifCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "whatif",
		Usage:     "change one thing in a finished run, replay it, and say what moved and for whom",
		ArgsUsage: "RESULT",
		Description: `Examples:
   replay whatif out/run --change 'without job 7'
   replay whatif out/run --change 'container 3 of job 2 not on node05'
   replay whatif out/run --conf spark.locality.wait=0s --out out/changed
   replay whatif out/run --regret 20

A --change is one of ` + scenario.Changes + `;
any flag of replay run changes the result, too, and wins over the one that it was made with: --reload 10m=next.xml puts an allocation file into force
from then on. A result with checkpoints (replay run --checkpoint-at, --checkpoint-every) is replayed from the latest one before the change can have an effect, another from its beginning.
Exit code 0, whether anything moves or not.`,
		Flags: append(append(scenarioFlags(p.policies), cmdline.ProgressFlags()...),
			&cli.StringFlag{Name: "out", Usage: "`DIR`ectory for the result with the change"},
			cmdline.With(&cli.IntFlag{Name: "regret", Usage: "for `K` allocations, spread over the run: what would each other node, and each other application in that room, have gained?"}, cmdline.From1To(10_000)),
			&cli.StringFlag{Name: "job", Usage: "with --regret, allocations of this `JOB` alone"},
			&cli.StringFlag{Name: "trace", Usage: "`DIR` of the trace of the result", DefaultText: "looked for here and beside the result"},
			&cli.BoolFlag{Name: "json", Usage: "print the answer as JSON"}),
		Action: p.whatif,
	}
}

// ofWhatif are the flags of whatif that say nothing of the change.
var ofWhatif = []string{"out", "regret", "job", "trace", "json", "quiet", "q", "progress", "color"}

func (p *program) whatif(c *cli.Context) error {
	if c.NArg() != 1 {
		return cmdline.Usagef("whatif wants one RESULT directory, got %s", quantity.Counted(int64(c.NArg()), "arguments"))
	}
	again, err := resultAgain(c.Args().First(), c.String("trace"))
	if err != nil {
		return err
	}
	more := p.words.Without(ofWhatif)
	if c.IsSet("regret") {
		if c.IsSet("out") {
			return cmdline.Usagef("--out is for the result of one change: with --regret no result is kept")
		}
		if len(more) > 0 {
			return cmdline.Usagef("--regret makes changes of its own: it has no place beside %s", strings.Join(more, " "))
		}
		return p.regret(c, again)
	}
	if c.IsSet("job") {
		return cmdline.Usagef("--job has a meaning with --regret alone")
	}
	changed := again.args
	if out := c.String("out"); out != "" {
		changed = append(slices.Clone(changed), "--out", out)
	}
	list, err := p.unchanged(again, c)
	if err != nil {
		return err
	}
	if len(more) == 0 {
		if c.IsSet("out") {
			err := fromOne(list, func(from kept) error {
				return p.replayAgain(c.Context, append(restored(changed, from.dir), "--allow-failures"), nil, nil)
			})
			if err != nil {
				return err
			}
		}
		if c.Bool("json") {
			return cmdline.WriteJSON(c.App.Writer, &partingAnswer{Answer: &parting.Answer{}})
		}
		_, err := fmt.Fprintf(c.App.Writer, "Nothing is changed: the replay is the same, with the decision hash %s.\n", again.manifest.DecisionHash)
		return err
	}
	return fromOne(list, func(from kept) error {
		sides := [2]diffSide{{name: "before", hash: again.manifest.DecisionHash, args: restored(again.args, from.dir)}, {name: "after", args: restored(changed, from.dir), more: more}}
		how := "Replayed from the beginning, which is the same up to the change."
		if from.Header != nil {
			how = fmt.Sprintf("Replayed from the checkpoint at %s, up to which nothing changes; decisions are counted from there on.", checkpoint.Name(from.AtMS))
		}
		_, err := p.part(c, sides, fmt.Sprintf("Changed: %s\n%s\n\n", quoted(more), how))
		return err
	})
}

// restored are the words of a replay that goes on from a checkpoint, "" for the beginning.
func restored(args []string, from string) []string {
	if from == "" {
		return args
	}
	return slices.Concat(args, []string{"--restore", from})
}

// quietly is a replay of which nothing but its result and what was allocated and ended is wanted.
type quietly struct {
	record.Sink
	decided []record.Decision
	nodes   []trace.Node
	result  *report.Result
}

func (q *quietly) decisions() bool        { return true }
func (q *quietly) ended(r *report.Result) { q.result = r }

func (q *quietly) sink(to record.Sink, sc *scenario.Scenario) record.Sink {
	q.Sink, q.nodes = to, sc.Input.Nodes
	return q
}

// Decision is part of [record.Sink].
func (q *quietly) Decision(d *record.Decision) {
	q.Sink.Decision(d)
	if d.Kind == allocates || d.Kind == "complete" {
		q.decided = append(q.decided, *d)
	}
}

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
	Better       int           `json:"better"`       // alternatives with a shorter mean duration of jobs
	Alternatives []alternative `json:"alternatives"` // the best first

	d *record.Decision
}

// alternative is another decision in the place of one.
type alternative struct {
	Says    string   `json:"instead"`
	Jobs    int      `json:"jobs"`                // that end in both replays, and that the mean is over
	Lost    int      `json:"jobs_lost"`           // that end without it alone
	OwnMS   *int64   `json:"job_ends_earlier_ms"` // null where it does not end in both
	MeanMS  float64  `json:"mean_duration_shorter_ms"`
	Changes []string `json:"changes"`
}

// regrets is the search for better decisions in a replay.
type regrets struct {
	p      *program
	c      *cli.Context
	args   []string // of the replay
	states *states
	base   quietly
	done   atomic.Int64
}

// regret replays some allocations with each alternative to them: each other node with room, and each application that would have been served in their place.
func (p *program) regret(c *cli.Context, again *stored) (err error) {
	r := &regrets{p: p, c: c, args: again.args}
	if r.states, err = p.statesOf(again, c.String("trace")); err != nil {
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
	for i := range r.base.decided {
		if d := &r.base.decided[i]; d.Kind == allocates && d.AMAttempt == 1 && (of < 0 || d.Job == of) {
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
	books := parting.NewBooks()
	var doing atomic.Int64
	stop := cmdline.WatchShare(c, "regret", func(time.Duration) (float64, string) {
		return float64(doing.Load()) / float64(max(k, 1)), fmt.Sprintf("%d of %s, %s done", doing.Load(), quantity.Counted(int64(k), "allocations"), quantity.Counted(r.done.Load(), "replays"))
	})
	defer stop()
	g, ctx := errgroup.WithContext(c.Context)
	g.SetLimit(workersOf(c))
	at := 0
	for i, place := range chosen {
		for ; at < place; at++ {
			books.Take(&r.base.decided[at])
		}
		d := &r.base.decided[place]
		rows[i] = regretted{Container: d.Container, AtMS: d.Time, d: d}
		rows[i].Job, rows[i].Queue = names.Job(d.Job)
		rows[i].Host, _, _ = names.Node(d.Node)
		room := r.room(d, &books)
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
	slices.SortStableFunc(rows, func(a, b regretted) int { return cmp.Compare(b.best().MeanMS, a.best().MeanMS) })
	if c.Bool("json") {
		return cmdline.WriteJSON(c.App.Writer, rows)
	}
	return shown.Whole(c.App.Writer, func(w io.Writer) { writeRegret(w, rows, all) })
}

// replay replays from a checkpoint, "" for the beginning.
func (r *regrets) replay(q *quietly, from string, changes ...string) error {
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

// room returns the nodes that had room for the container of an allocation.
func (r *regrets) room(d *record.Decision, held *parting.Books) (nodes []int32) {
	for i := range r.base.nodes {
		n, has := &r.base.nodes[i], held.ByNode[int32(i)]
		if int32(i) != d.Node && n.Present && has.MemMiB+d.MemMiB <= n.MemMiB && has.VCores+d.VCores <= int64(n.VCores) {
			nodes = append(nodes, int32(i))
		}
	}
	return nodes
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
		a.compare(r.base.result.Data, other.result.Data, d.Job)
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
	slices.SortStableFunc(row.Alternatives, func(a, b alternative) int {
		return cmp.Or(cmp.Compare(a.Lost, b.Lost), cmp.Compare(b.MeanMS, a.MeanMS))
	})
	return nil
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

// compare says how much earlier a job ends, and how much shorter jobs take on average, over those that end in both replays.
func (a *alternative) compare(before, after *result.Data, job int64) {
	sum := int64(0)
	for j := range before.Jobs.All() {
		if !result.Happened(j.Finish) {
			continue
		}
		other := after.Jobs.Find(j.ID)
		if other == nil || !result.Happened(other.Finish) {
			a.Lost++
			continue
		}
		a.Jobs++
		sum += j.Finish - other.Finish
		if j.ID == job {
			own := j.Finish - other.Finish
			a.OwnMS = &own
		}
	}
	a.MeanMS = float64(sum) / float64(max(a.Jobs, 1))
}

// best is the alternative with the shortest mean duration of jobs.
func (r *regretted) best() *alternative { return &r.Alternatives[0] }

func writeRegret(w io.Writer, rows []regretted, all int) {
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
