package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"replay/engine/record"
	"replay/report/parting"
	"replay/report/quantity"
)

// mostShown is how many parts of one cause are shown one by one.
const mostShown = 3

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
	fmt.Fprintf(w, "%s, %s of %s in %s: %s\n", name, j.Kind, j.User, queue, outcome(&j.Job))
	whole := j.End - j.Submit
	fmt.Fprintf(w, "%s from its submission at %s to its end\n", ms(whole), ms(j.Submit))
	wait, rest := j.halves()
	if j.FirstTask == record.None {
		j.branch(w, n, wait, whole, "without a first task")
	} else {
		j.branch(w, n, wait, whole, "until its first task")
		j.branch(w, n, rest, whole, "after it")
	}
	if j.View != nil {
		j.View.writeText(w)
	}
}

func outcome(j *record.Job) string {
	if j.Reason == "" {
		return j.Outcome
	}
	return j.Outcome + ": " + j.Reason
}

// halves are the parts until the first task, and those after.
func (j *Job) halves() (wait, rest []Part) {
	for i := range j.Parts {
		if j.Parts[i].To > j.waited() {
			return j.Parts[:i], j.Parts[i:]
		}
	}
	return j.Parts, nil
}

func (j *Job) branch(w io.Writer, n *parting.Names, parts []Part, whole int64, title string) {
	sum := int64(0)
	var order []record.Cause
	by := map[record.Cause][]*Part{}
	sums := map[record.Cause]int64{}
	for i := range parts {
		p := &parts[i]
		sum += p.Length()
		if by[p.Cause] == nil {
			order = append(order, p.Cause)
		}
		by[p.Cause] = append(by[p.Cause], p)
		sums[p.Cause] += p.Length()
	}
	fmt.Fprintf(w, "\n%s  %s  %s\n", ms(sum), share(sum, whole), title)
	for i, c := range order {
		stem, under := "├─ ", "│  "
		if i == len(order)-1 {
			stem, under = "└─ ", "   "
		}
		fmt.Fprintf(w, "%s%s  %s  %s\n", stem, ms(sums[c]), share(sums[c], whole), Label(c))
		j.leaves(w, n, by[c], under)
	}
}

// leaves writes the longest parts of a cause in the order of time, and how much there is beside them.
func (j *Job) leaves(w io.Writer, n *parting.Names, parts []*Part, under string) {
	shown := slices.Clone(parts)
	slices.SortStableFunc(shown, func(a, b *Part) int { return cmp.Compare(b.Length(), a.Length()) })
	shown = shown[:min(len(shown), mostShown)]
	slices.SortFunc(shown, func(a, b *Part) int { return cmp.Compare(a.From, b.From) })
	left, count := int64(0), int64(len(parts)-len(shown))
	for _, p := range parts {
		left += p.Length()
	}
	for i, p := range shown {
		left -= p.Length()
		stem, more := "├─ ", "│  "
		if i == len(shown)-1 && count == 0 {
			stem, more = "└─ ", "   "
		}
		line := fmt.Sprintf("%s from +%s", ms(p.Length()), ms(p.From-j.Submit))
		if says := Says(p, n); says != "" {
			line += ": " + says
		}
		if by := Ended(p, n); by != "" {
			line += "; until " + by
		}
		wrap(w, under+stem, under+more, line)
	}
	if count > 0 {
		fmt.Fprintf(w, "%s└─ %s in %s more\n", under, ms(left), quantity.Counted(count, "parts"))
	}
}

// wrap writes a text in lines of at most 100 columns, with something before the first line and before the others.
func wrap(w io.Writer, first, others, text string) {
	line, begin := first, first
	for _, word := range strings.Fields(text) {
		if line != begin && len([]rune(line))+1+len([]rune(word)) > 100 {
			fmt.Fprintln(w, line)
			line, begin = others, others
		}
		if line != begin {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(w, line)
}

func (v *View) writeText(w io.Writer) {
	fmt.Fprintf(w, "\nFrom its first task on, as stages and tasks took in this replay:\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(amount, text string) { fmt.Fprintf(t, "  %s\t%s\n", amount, text) }
	row(ms(v.Took), "it took")
	row(ms(v.Modelled), fmt.Sprintf("by a simple model with its %s (%s) from the start, which the next lines and the curve are made by", quantity.Counted(v.Executors, "executors"), quantity.Counted(v.Cores, "cores")))
	row(ms(v.NoSkew), "with these, were all tasks of a stage equally long")
	row(ms(v.Infinite), "with a core for each task: stages "+chain(v.Critical))
	row(ms(v.Driver), "of it no task ran: driver alone, or no core")
	t.Flush()
	fmt.Fprintf(w, "  executors held %.2f core hours, tasks used %s of them\n", float64(v.HeldCoreMS)/quantity.HourMS, share(v.UsedCoreMS, v.HeldCoreMS))
	if len(v.Curve) > 0 {
		fmt.Fprintln(w)
		t = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "executors\tof those it had\tfrom the first task on\t")
		for _, p := range v.Curve {
			fmt.Fprintf(t, "%s\t%.0f %%\t%s\t\n", quantity.Thousands(p.Executors), 100*p.Share, ms(p.MS))
		}
		t.Flush()
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
	fmt.Fprintf(w, "%s%s: %s until their first tasks, %s in all\n\n", quantity.Counted(t.Jobs, "jobs"), of, ms(t.Wait), ms(t.Whole))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, half := range []struct {
		title  string
		shares []Share
		of     int64
	}{{"until the first task", t.Waits(), t.Wait}, {"from submission to end", t.Wholes(), t.Whole}} {
		fmt.Fprintf(table, "%s\tshare\ta job\tjobs\n", half.title)
		for _, s := range half.shares {
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", Label(s.Cause), share(s.MS, half.of), ms(s.MS/max(t.Jobs, 1)), quantity.Thousands(s.Jobs))
		}
	}
	table.Flush()
}
