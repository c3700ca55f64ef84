package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/outdir"
	"replay/report"
	"replay/report/compare"
	"replay/report/metric"
	"replay/report/parting"
	"replay/report/quantity"
	"replay/report/result"
	"replay/shown"
	"replay/trace"
)

func diffCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "find the first decision in which two replays part, and what it did",
		ArgsUsage: "RESULT RESULT | TRACE",
		Description: `Examples:
   replay diff out/before out/after
   replay diff traces/fair-weights --variant 'fair: --sharing fair' --variant 'drf: --sharing drf'
   replay diff traces/fair-weights --base-binary old/replay
   replay diff traces/fair-weights --commits HEAD~1..HEAD

Results are made again from their run.json, with every decision. The answer is what they were told differently, and the first decision that differs with what it stood on: what the
queues, applications and nodes held, the last decisions that were equal, then decisions by kind, metrics, and the jobs that moved most.
Exit code 1: they differ.`,
		Flags: append(slices.Concat(p.settings.Flags(), cmdline.ProgressFlags(), programFlags()),
			cmdline.With(&cli.StringSliceFlag{Name: "variant", Usage: "`'NAME: FLAGS'` of run, two of them for a TRACE"}, func(text string) error {
				_, err := p.splitVariant(text)
				return err
			}),
			&cli.StringFlag{Name: "trace", Usage: "`DIR` of the trace of the results", DefaultText: "looked for here and beside the results"},
			&cli.BoolFlag{Name: "json", Usage: "print the answer as JSON"}),
		Action: p.diff,
	}
}

// ofDiff are the flags of diff that say nothing of its replays.
var ofDiff = []string{"variant", "trace", "json", "quiet", "q", "progress", "color"}

// diffSide is one of two replays.
type diffSide struct {
	name, hash string           // decision hash, "" when not known
	manifest   *record.Manifest // of a result
	args       []string         // of the command that replays it
	more       []string         // words of changes of a result

	binary     string // another program that replays it with args; "" for this one
	trace, out string // what it replays, and where it writes
}

func (p *program) diff(c *cli.Context) error {
	sides, err := [2]diffSide{}, error(nil)
	if c.IsSet("base-binary") || c.IsSet("head-binary") || c.IsSet("commits") {
		scratch, err := outdir.Scratch("replay-diff")
		if err != nil {
			return err
		}
		defer scratch.Abort()
		if sides, err = p.programs(c, scratch); err != nil {
			return err
		}
	} else if sides, err = p.diffSides(c); err != nil {
		return err
	}
	if h := sides[0].hash; h != "" && h == sides[1].hash {
		told := parting.Settings(sides[0].manifest, sides[1].manifest)
		if c.Bool("json") {
			return cmdline.WriteJSON(c.App.Writer, &partingAnswer{Answer: &parting.Answer{}, Told: told})
		}
		return shown.Whole(c.App.Writer, func(w io.Writer) {
			fmt.Fprintf(w, "No decision differs: both have the decision hash %s.\n", h)
			if told != nil {
				fmt.Fprintln(w)
			}
			parting.WriteSettings(w, told, [2]string{sides[0].name, sides[1].name})
		})
	}
	differ, err := p.part(c, sides, "")
	if err == nil && differ {
		err = cmdline.FailedCheck()
	}
	return err
}

// part replays two sides, writes where they part and what it did, with an introduction where that is text, and reports whether they do.
func (p *program) part(c *cli.Context, sides [2]diffSide, intro string) (differ bool, err error) {
	ctx, cancel := context.WithCancelCause(c.Context)
	defer cancel(nil)
	var taps [2]*tap
	var streams [2]iter.Seq[record.Decision]
	for i, side := range sides {
		t := &tap{rows: make(chan []record.Decision, 4), ctx: ctx}
		taps[i], streams[i] = t, t.all
		go func() {
			defer close(t.rows)
			replay := func() error { return p.replayAgain(ctx, side.args, side.more, t) }
			if side.binary != "" {
				replay = func() error { return side.replayBy(ctx, t) }
			}
			if err := replay(); err != nil {
				cancel(fmt.Errorf("%s: %w", side.name, err))
				return
			}
			t.flush()
		}()
	}
	found := parting.Find(streams[0], streams[1])
	if err := context.Cause(ctx); err != nil {
		return false, err
	}
	for i, side := range sides {
		if got := taps[i].result.Manifest.DecisionHash; side.hash != "" && side.hash != got && !c.Bool("quiet") {
			fmt.Fprintf(c.App.ErrWriter, "warning: %s has the decision hash %s, and made again %s: another program made it\n", side.name, side.hash, got)
		}
	}
	for i := range taps { // what both warn of is not what differs
		other := &taps[1-i].result.Manifest
		printWarnings(c, slices.DeleteFunc(slices.Clone(taps[i].result.Manifest.Warnings), func(w record.Warning) bool { return warnsOf(other.Warnings, w.Text) }))
	}
	moved := parting.Moved(taps[0].result.Data, taps[1].result.Data)
	names := parting.NamesOf(taps[0].named(), taps[1].named())
	names.Sides = [2]string{sides[0].name, sides[1].name}
	told := parting.Settings(&taps[0].result.Manifest, &taps[1].result.Manifest)
	if c.Bool("json") {
		err = cmdline.WriteJSON(c.App.Writer, &partingAnswer{found.Answer(names, moved), told, map[string]*metric.Outcome{
			sides[0].name: taps[0].result.Outcome(), sides[1].name: taps[1].result.Outcome()}})
	} else {
		err = shown.Whole(c.App.Writer, func(w io.Writer) {
			fmt.Fprint(w, intro)
			if intro == "" && told != nil {
				parting.WriteSettings(w, told, names.Sides)
				fmt.Fprintln(w)
			}
			if found.WriteText(w, names); found.At > 0 {
				writeMetrics(w, sides, taps, moved)
			}
		})
	}
	return found.At > 0, err
}

// partingAnswer is a parting for other programs with what became of the jobs of each replay: one that loses jobs leaves their room to the others.
type partingAnswer struct {
	*parting.Answer
	Told     []parting.Setting          `json:"told_differently"`
	Outcomes map[string]*metric.Outcome `json:"outcomes"`
}

// diffSides returns what is replayed: two results again, or two variants of a trace.
func (p *program) diffSides(c *cli.Context) (sides [2]diffSide, err error) {
	if texts := c.StringSlice("variant"); len(texts) > 0 {
		if c.IsSet("trace") {
			return sides, cmdline.Usagef("--trace says where the trace of results is, and with --variant the TRACE is the argument")
		}
		if len(texts) != 2 || c.NArg() != 1 {
			return sides, cmdline.Usagef("diff wants one TRACE with two --variant, got %s and %d", quantity.Counted(int64(c.NArg()), "arguments"), len(texts))
		}
		for i, text := range texts {
			v, err := p.splitVariant(text)
			if err != nil {
				return sides, err
			}
			if i > 0 && strings.EqualFold(v.name, sides[0].name) {
				return sides, cmdline.Usagef("%s is given twice", v.given)
			}
			args := append([]string{"replay", "run", cmdline.Operand(c.Args().First())}, silently...)
			sides[i] = diffSide{name: v.name, args: slices.Concat(args, p.words.Without(ofDiff), v.words)}
		}
		return sides, nil
	}
	if c.NArg() != 2 {
		return sides, cmdline.Usagef("diff wants two RESULT directories, or a TRACE and two --variant; got %s", quantity.Counted(int64(c.NArg()), "arguments"))
	}
	if more := p.words.Without(ofDiff); len(more) > 0 {
		return sides, cmdline.Usagef("two results are made again as they were, so %s has no place beside them (replay whatif RESULT changes one thing)", strings.Join(more, " "))
	}
	var of [2]*record.Manifest
	for i, dir := range c.Args().Slice() {
		again, err := resultAgain(dir, c.String("trace"))
		if err != nil {
			return sides, err
		}
		of[i] = &again.manifest
		sides[i] = diffSide{name: dir, hash: again.manifest.DecisionHash, manifest: of[i], args: again.args}
	}
	if a, b := of[0], of[1]; a.TraceHash != b.TraceHash {
		return sides, fmt.Errorf("%s is of the trace %s (%s), %s of %s (%s): want two replays of one trace", sides[0].name, a.TraceName, a.TraceHash, sides[1].name, b.TraceName, b.TraceHash)
	}
	return sides, nil
}

// tap is a sink that gives the decisions of a replay to a reader.
type tap struct {
	record.Sink
	ctx    context.Context
	rows   chan []record.Decision
	some   []record.Decision
	nodes  []trace.Node
	result *report.Result
}

func (t *tap) decisions() bool { return true }

func (t *tap) sink(to record.Sink, sc *scenario.Scenario) record.Sink {
	t.Sink, t.nodes = to, sc.Input.Nodes
	return t
}

func (t *tap) ended(r *report.Result) { t.result = r }

func (t *tap) named() parting.Named { return parting.Named{Jobs: &t.result.Jobs, Nodes: t.nodes} }

// Decision is part of [record.Sink].
func (t *tap) Decision(d *record.Decision) {
	t.Sink.Decision(d)
	t.add(d)
}

// Held is part of [record.Holder].
func (t *tap) Held(d *record.Decision) {
	h := *d
	h.Kind = parting.Held
	t.add(&h)
}

func (t *tap) add(d *record.Decision) {
	if t.some = append(t.some, *d); len(t.some) == 1024 {
		t.flush()
	}
}

func (t *tap) flush() {
	select {
	case t.rows <- t.some:
	case <-t.ctx.Done():
	}
	t.some = nil
}

// all yields the decisions until the replay ends, or is given up.
func (t *tap) all(yield func(record.Decision) bool) {
	for {
		select {
		case some, ok := <-t.rows:
			if !ok {
				return
			}
			for _, d := range some {
				if !yield(d) {
					return
				}
			}
		case <-t.ctx.Done():
			return
		}
	}
}

// writeMetrics writes the headline metrics of both, and the jobs that end at other times, those that moved most first.
func writeMetrics(w io.Writer, sides [2]diffSide, taps [2]*tap, moved []parting.Shift) {
	fmt.Fprintln(w)
	compare.WriteLosses(w, [2]string{sides[0].name, sides[1].name}, [2]*metric.Summary{taps[0].result, taps[1].result})
	if end, other := max(0, taps[0].result.Manifest.Until), max(0, taps[1].result.Manifest.Until); end != other {
		shown.Paragraph(w, fmt.Sprintf("%s ends %s and %s %s (--until): what an end cuts off is no difference of theirs, so their values are not compared.",
			sides[0].name, compare.Ending(end), sides[1].name, compare.Ending(other)), "")
	} else {
		writeValues(w, sides, taps)
	}
	if len(moved) == 0 {
		return
	}
	t := &shown.Table{Indent: 2}
	end := "end"
	if len(moved) == 1 {
		end = "ends"
	}
	fmt.Fprintf(w, "\n%s %s at another time; most of all:\n", quantity.Counted(int64(len(moved)), "jobs"), end)
	for _, m := range moved[:min(len(moved), 5)] {
		t.Row(m.Name, m.Queue, "ends at "+quantity.Duration(float64(m.EndsMS)), quantity.MS.Difference(float64(m.ByMS)))
	}
	t.Write(w)
}

// writeValues writes the headline metrics of both beside each other.
func writeValues(w io.Writer, sides [2]diffSide, taps [2]*tap) {
	t, how := &shown.Table{}, "replay compare"
	if sides[1].more != nil { // of a change
		how = "--seeds"
	}
	t.Head("one replay each, which is no evidence ("+how+")", sides[0].name, sides[1].name, "change", "n")
	same, cut := compare.SameJobs(taps[0].result, taps[1].result), compare.OthersCut(taps[0].result, taps[1].result)
	var left, without []string
	var few []*metric.Value
	open := false
	for i := range taps[0].result.Values {
		a := taps[0].result.Values[i]
		b, ok := taps[1].result.Value(a.Name)
		if a.Family != quantity.Headline || !ok {
			continue
		}
		if same != nil {
			both := []metric.Value{a, b}
			same(both)
			a, b = both[0], both[1]
		}
		if cut && a.Ends {
			left = append(left, a.Plain)
			continue
		}
		fewer := a
		if b.N < a.N || b.N == a.N && b.Open > a.Open {
			fewer = b
		}
		switch {
		case a.Absent == "" && b.Absent == "" && !a.Thin() && !b.Thin():
			s := a.Unit.ScaleOf(a.Number, b.Number) // one unit in a row
			t.Row(a.Plain, s.Number(a.Number)+s.Suffix(), s.Number(b.Number)+s.Suffix(), s.Signed(b.Number-a.Number)+s.Apart(), fewer.Of())
			few = append(few, &fewer)
			open = open || fewer.Open > 0
		case a.Absent != "" && b.Absent == "":
			without = append(without, fmt.Sprintf("%s, of which %s has none: %s", a.Plain, sides[0].name, a.Absent))
		case a.Absent == "" && b.Absent != "":
			without = append(without, fmt.Sprintf("%s, of which %s has none: %s", a.Plain, sides[1].name, b.Absent))
		default:
			without = append(without, a.Plain)
		}
	}
	if few != nil {
		t.Write(w)
		shown.Paragraph(w, strings.TrimSpace("n: what a number is over, in the replay with the fewer. "+metric.FewAmong(few)), "")
	}
	if without != nil {
		shown.Paragraph(w, fmt.Sprintf("\nLeft out, without a number in both or over next to nothing: %s.", strings.Join(without, "; ")), "")
	}
	if left != nil {
		shown.Paragraph(w, fmt.Sprintf("\nLeft out, as --until cuts off other jobs in each: %s.", strings.Join(left, ", ")), "")
	}
	if same != nil {
		text := "\nNot all jobs went equally far in both: what follows from jobs is over those that count for it in both."
		if open {
			text += " What is not over in one counts in both with at least the time so far, up to what both can see: means count longer times as that, and so are not those of each by itself; percentiles are Kaplan and Meier's."
		}
		shown.Paragraph(w, text, "")
	}
}

// programFlags say which programs replay the sides of a diff.
func programFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "base-binary", Usage: "the program `FILE` that replays the TRACE first", DefaultText: "this program"},
		&cli.StringFlag{Name: "head-binary", Usage: "the program `FILE` that replays it second", DefaultText: "this program"},
		&cli.StringFlag{Name: "commits", Usage: "build both programs from `A..B`, commits of the git repository here, and let them replay the TRACE"},
	}
}

// ofPrograms are the names of these flags.
var ofPrograms = []string{"base-binary", "head-binary", "commits"}

// programs returns the sides of a diff of two programs, which write their decisions into a scratch directory.
func (p *program) programs(c *cli.Context, scratch *outdir.Partial) (sides [2]diffSide, err error) {
	if c.NArg() != 1 || c.IsSet("variant") {
		return sides, cmdline.Usagef("two programs replay one TRACE, with the flags of run that stand beside it")
	}
	if c.IsSet("commits") {
		if c.IsSet("base-binary") || c.IsSet("head-binary") {
			return sides, cmdline.Usagef("--commits builds both programs: give it, or the programs")
		}
		from, to, ok := strings.Cut(c.String("commits"), "..")
		if !ok || from == "" || to == "" || strings.HasPrefix(to, ".") {
			return sides, cmdline.Usagef("--commits is %q, want A..B", c.String("commits"))
		}
		for i, commit := range []string{from, to} {
			if sides[i].binary, err = built(c.Context, commit, scratch.Path(fmt.Sprint("program-", i))); err != nil {
				return sides, err
			}
			sides[i].name = commit
		}
	} else {
		self, err := os.Executable()
		if err != nil {
			return sides, err
		}
		for i, flag := range []string{"base-binary", "head-binary"} {
			if sides[i].binary, sides[i].name = c.String(flag), c.String(flag); !c.IsSet(flag) {
				sides[i].binary, sides[i].name = self, "this program"
			}
			if info, err := os.Stat(sides[i].binary); err != nil || info.IsDir() {
				return sides, cmdline.Usagef("--%s is %q, want a program", flag, sides[i].binary)
			}
		}
	}
	dir := c.Args().First()
	for i := range sides {
		s := &sides[i]
		s.trace, s.out = dir, scratch.Path(fmt.Sprint("result-", i))
		s.args = slices.Concat([]string{"run", cmdline.Operand(dir)}, silently, p.words.Without(slices.Concat(ofDiff, ofPrograms)), []string{"--decisions", "--formats", "none", "--allow-failures", "--out", s.out})
	}
	if sides[0].name == sides[1].name {
		sides[0].name, sides[1].name = "base", "head"
	}
	return sides, nil
}

// built builds the program of a commit of the repository in the working directory, in a clone of its own.
func built(ctx context.Context, commit, dir string) (string, error) {
	source, binary := filepath.Join(dir, "source"), filepath.Join(dir, "replay")
	root, err := output(ctx, "", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	hash, err := output(ctx, "", "git", "rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{commit}")
	if err != nil {
		return "", cmdline.Usagef("--commits: there is no commit %q here", commit)
	}
	for _, step := range [][]string{
		{"git", "-c", "core.hooksPath=/dev/null", "clone", "--quiet", "--shared", "--no-checkout", strings.TrimSpace(root), source},
		{"git", "-c", "core.hooksPath=/dev/null", "-C", source, "checkout", "--quiet", "--detach", strings.TrimSpace(hash)},
	} {
		if _, err := output(ctx, "", step...); err != nil {
			return "", err
		}
	}
	_, err = output(ctx, source, "go", "build", "-o", binary, "./cmd/replay")
	return binary, err
}

// output runs a program in a directory and returns what it prints. The error has what it complains of.
func output(ctx context.Context, dir string, words ...string) (string, error) {
	run := exec.CommandContext(ctx, words[0], words[1:]...)
	run.Dir = dir
	var complaint bytes.Buffer
	run.Stderr = &complaint
	b, err := run.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", strings.Join(words[:min(len(words), 3)], " "), err, strings.TrimSpace(complaint.String()))
	}
	return string(b), err
}

// replayBy lets another program replay, and gives what it decided to the tap.
func (s *diffSide) replayBy(ctx context.Context, t *tap) error {
	if _, err := output(ctx, "", append([]string{s.binary}, s.args...)...); err != nil {
		return err
	}
	r, err := report.Open(s.out)
	if err != nil {
		return err
	}
	t.result = r
	tr, err := trace.Open(s.trace)
	if err != nil {
		return err
	}
	t.nodes = tr.Nodes
	return errors.Join(tr.Close(), result.Decisions(s.out, func(d *record.Decision) error {
		t.add(d)
		return ctx.Err()
	}))
}
