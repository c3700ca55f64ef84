package explain

import (
	"fmt"
	"io"
	"math"
	"strings"

	"replay/engine/record"
	"replay/report/parting"
	"replay/report/quantity"
	"replay/shown"
	"replay/trace"
)

func ms(t int64) string { return quantity.Duration(float64(t)) }

func share(part, of int64) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(of))
}

// WriteText writes the parts as a tree: the wait for the first task and what came after it, each by cause, each cause by its longest parts.
func (j *Job) WriteText(w io.Writer, n *parting.Names) {
	name, queue := n.Job(j.ID)
	p := shown.Paint(w)
	shown.Paragraph(w, fmt.Sprintf("%s, %s of %s in %s: %s", p.In(shown.Heading, name), j.Kind, j.User, queue, outcome(&j.Job)), "  ")
	whole := j.End - j.Submit
	end := "its end"
	if j.Outcome == record.JobUnfinished {
		end = "the end of the replay"
	}
	fmt.Fprintf(w, "%s from its submission at %s to %s\n", ms(whole), ms(j.Submit), end)
	if j.Held != nil {
		j.Held.writeText(w)
	}
	for _, b := range j.Branches(n, 3) {
		fmt.Fprintf(w, "\n%s\n", p.In(shown.Heading, fmt.Sprintf("%s  %s  %s", ms(b.MS), share(b.MS, whole), b.Title)))
		for i, c := range b.Causes {
			stem, under := "├─ ", "│  "
			if i == len(b.Causes)-1 {
				stem, under = "└─ ", "   "
			}
			fmt.Fprintf(w, "%s%s  %s  %s\n", p.In(shown.Quiet, stem), ms(c.MS), share(c.MS, whole), p.In(shown.Heading, c.Label))
			for k, line := range c.Lines {
				stem, more := "├─ ", "│  "
				if k == len(c.Lines)-1 {
					stem, more = "└─ ", "   "
				}
				shown.Hang(w, p.In(shown.Quiet, under+stem), p.In(shown.Quiet, under+more), line)
			}
		}
	}
	if j.View != nil {
		j.View.writeText(w, j.Kind)
	}
}

func outcome(j *record.Job) string {
	if j.Reason == "" {
		return j.Outcome
	}
	return j.Outcome + ": " + j.Reason
}

func (v *View) writeText(w io.Writer, kind string) {
	one, idle := "containers", "no container"
	if kind == trace.KindSpark {
		one, idle = "executors", "driver alone, or no core"
	}
	fmt.Fprintf(w, "\n%s, as stages and tasks took in this replay:\n", shown.Paint(w).In(shown.Heading, "From its first task on"))
	t := &shown.Table{Indent: 2}
	row := func(amount, text string) { t.Row(amount, text) }
	row(ms(v.Took), "it took")
	row(ms(v.Modelled), fmt.Sprintf("by a simple model with its %s (%s) from the start, %s; the next lines and the curve are its", quantity.Counted(v.Executors, one), quantity.Counted(v.Cores, "cores"), v.off()))
	row(ms(v.NoSkew), "with these, were all tasks of a stage equally long")
	row(ms(v.Infinite), "with a core for each task: stages "+chain(v.Critical))
	row(ms(v.Driver), "of it no task ran: "+idle)
	t.Write(w)
	fmt.Fprintf(w, "  %s held %.2f core hours, tasks used %s of them\n", one, float64(v.HeldCoreMS)/quantity.HourMS, share(v.UsedCoreMS, v.HeldCoreMS))
	if len(v.Curve) > 0 {
		fmt.Fprintln(w)
		t = &shown.Table{Right: true}
		t.Head(one, "of those it had", "from the first task on, by this model")
		for _, p := range v.Curve {
			t.Row(quantity.Thousands(p.Executors), fmt.Sprintf("%.0f %%", 100*p.Share), ms(p.MS))
		}
		t.Write(w)
	}
}

// off says how far the model is from what the job took.
func (v *View) off() string {
	part := 100 * quantity.Over(float64(v.Modelled-v.Took), float64(v.Took))
	switch text := fmt.Sprintf("%.0f %%", math.Abs(part)); {
	case math.IsNaN(part) || text == "0 %":
		return "as long as it took"
	case part < 0:
		return text + " less than it took"
	default:
		return text + " more than it took"
	}
}

// chain writes the numbers of stages.
func chain(stages []int32) string {
	const most = 12
	var words []string
	for i, s := range stages {
		if i == most && len(stages) > most+1 {
			words = append(words, fmt.Sprintf("… %d more", len(stages)-most))
			break
		}
		words = append(words, fmt.Sprint(s))
	}
	return strings.Join(words, " → ")
}

// WriteText writes which causes make up the waits and the whole time of jobs; of says which jobs.
func (t *Totals) WriteText(w io.Writer, of string) {
	shown.Paragraph(w, fmt.Sprintf("%s: %s until their first tasks, %s in all\n", t.jobs(of), ms(t.Wait), ms(t.Whole)), "")
	table := &shown.Table{}
	for _, half := range []struct {
		title  string
		shares []Share
		of     int64
	}{{"until the first task", t.Waits(), t.Wait}, {"from submission to end", t.Wholes(), t.Whole}} {
		table.Head(half.title, "share", "mean of all", "jobs with it")
		for _, s := range half.shares {
			table.Row("  "+Label(s.Cause), share(s.MS, half.of), ms(s.MS/max(t.Jobs, 1)), quantity.Thousands(s.Jobs))
		}
	}
	table.Write(w)
}
