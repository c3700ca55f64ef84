package prediction

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"replay/counted"
	"replay/report/dist"
	"replay/report/quantity"
)

// called is what texts call the application: a recording of a cluster has many.
func (a *App) called() string { return a.Recording + " " + a.Name }

// noPrediction is how the first of [App.Why] begins of an application that has none.
const noPrediction = "no prediction: "

// explain names the stages behind the largest differences and what the recording says of them.
func (a *App) explain() (why []string) {
	if a.PredictedMS < 0 && a.Reason != "" && !a.Failed() {
		why = append(why, noPrediction+a.Reason)
	}
	for _, i := range a.largest(3) {
		s := &a.Stages[i]
		if d := absolute(s.PredictedMS - s.RecordedMS); d < 1000 && (a.RecordedMS < 0 || d*50 < a.RecordedMS) {
			break
		}
		text := fmt.Sprintf("stage %d (%s, %s): recorded %d ms, predicted %d ms", s.Stage, s.Name, counted.Of(s.Tasks, "tasks"), s.RecordedMS, s.PredictedMS)
		if s.Attempts > 1 {
			text += fmt.Sprintf("; recorded %d attempts", s.Attempts)
		}
		if n := a.during(i); n > 0 {
			text += fmt.Sprintf("; %s ran at the same time", counted.Of(n, "other stages"))
		}
		why = append(why, text)
	}
	return why
}

// during counts the stages that overlapped stage i in the recording.
func (a *App) during(i int) (n int) {
	s := &a.Stages[i]
	for k := range a.Stages {
		o := &a.Stages[k]
		if k != i && o.RecordedMS > 0 && o.RecordedStartMS < s.RecordedStartMS+s.RecordedMS && s.RecordedStartMS < o.RecordedStartMS+o.RecordedMS {
			n++
		}
	}
	return n
}

// WriteText prints how near predictions are, a line for each application, job and stage, then the errors. Details 0 leaves out
// jobs and stages, 1 shows stages with the largest differences only, 2 shows all.
func (b *Report) WriteText(w io.Writer, details int) error {
	b.writeFailed(w)
	for _, line := range append([]string{b.sentence()}, b.Caveats...) {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "recorded\tpredicted\terror\t\tapplication\n")
	for i := range b.Applications {
		a := &b.Applications[i]
		fmt.Fprintf(t, "%s\t%s\t%s\t\t%s\n", msText(a.RecordedMS), a.predictedText(), percentText(a.Error), a.called())
		if details > 1 {
			for _, j := range a.Jobs {
				fmt.Fprintf(t, "%s\t%s\t%s\t\t  job %d\n", msText(j.RecordedMS), msText(j.PredictedMS), percentText(j.Error), j.Job)
			}
			for _, s := range a.Stages {
				fmt.Fprintf(t, "%s\t%s\t%s\t\t    stage %d of job %d, %d tasks: %s\n", msText(s.RecordedMS), msText(s.PredictedMS), percentText(s.Error), s.Stage, s.Job, s.Tasks, s.Name)
			}
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if details > 0 {
		b.writeLargest(w)
	}
	for i := range b.Clusters {
		if err := b.Clusters[i].writeText(w); err != nil {
			return err
		}
	}
	for i := range b.Noise {
		if err := b.Noise[i].writeText(w); err != nil {
			return err
		}
	}
	if len(b.Fit) > 0 {
		fmt.Fprintf(w, "\nfitted (medians):\n")
		for i := range b.Fit {
			fmt.Fprintf(w, "  --model %s=%s  (%d samples: %s)\n", b.Fit[i].Name, b.Fit[i].ValueText(), b.Fit[i].N, b.Fit[i].How)
		}
	}
	t = tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\nabsolute error\tmedian\tp90\tworst\tcorrelation\tpairs\tunknown\t\n")
	rows := func(label string, s *Summary) {
		for _, r := range []struct {
			name string
			e    *Errors
		}{{"applications", &s.Errors}, {"Spark jobs", &s.Jobs}, {"stages", &s.Stages}} {
			c := "–"
			if !math.IsNaN(float64(r.e.Correlation)) {
				c = fmt.Sprintf("%.4f", float64(r.e.Correlation))
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t\n", label+r.name, absText(r.e.Median), absText(r.e.P90), absText(r.e.Worst), c, r.e.N, r.e.Missing)
		}
	}
	rows("", &b.Summary)
	if b.LeaveOneOut != nil {
		rows("leave one out: ", b.LeaveOneOut)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, line := range slices.Concat(b.Summary.few(), b.worst()) {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// sentence says how near the times of applications are.
func (b *Report) sentence() string {
	s := &b.Summary
	if s.N == 0 {
		return "No application has both a recorded and a predicted time."
	}
	said := fmt.Sprintf("The time of %s is predicted to within %s in the median, and to within %s at worst.", quantity.Counted(int64(s.N), "applications"), absText(s.Median), absText(s.Worst))
	if s.Missing > 0 {
		said += fmt.Sprintf(" Without a recorded or a predicted time, and so without an error: %s more.", quantity.Counted(int64(s.Missing), "applications"))
	}
	return said
}

// few says of which times the p90 of errors is one of so few that it is about the largest.
func (s *Summary) few() []string {
	var of []string
	for _, x := range []struct {
		n    int
		name string
	}{{s.N, "applications"}, {s.Jobs.N, "Spark jobs"}, {s.Stages.N, "stages"}} {
		if x.n > 0 && x.n < dist.LeastOf(90) {
			of = append(of, quantity.Counted(int64(x.n), x.name))
		}
	}
	if of == nil {
		return nil
	}
	return []string{"of so few, p90 is about the largest: " + strings.Join(of, ", ")}
}

// writeLargest names the largest differences of each application that is far off, once for those of which the same is said, as it is of copies.
func (b *Report) writeLargest(w io.Writer) {
	alike := map[string]int{}
	var whose, what []string
	for i := range b.Applications {
		a := &b.Applications[i]
		if e := float64(a.Error); len(a.Why) > 0 && (math.IsNaN(e) || math.Abs(e) >= 0.05) {
			of, list := a.called()+": "+percentText(a.Error), a.Why
			if strings.HasPrefix(list[0], noPrediction) {
				of, list = a.called()+": "+list[0], list[1:]
			}
			why := ""
			if len(list) > 0 {
				why = "; the largest differences:\n  " + strings.Join(list, "\n  ")
			}
			if alike[of+why]++; alike[of+why] == 1 {
				whose, what = append(whose, of), append(what, why)
			}
		}
	}
	for i, of := range whose {
		times := ""
		if n := alike[of+what[i]]; n > 1 {
			times = fmt.Sprintf(" (%d times)", n)
		}
		fmt.Fprintf(w, "\n%s%s%s\n", of, times, what[i])
	}
}

// worst names what the worst errors are of.
func (b *Report) worst() (lines []string) {
	largest := map[string]float64{}
	text := map[string]string{}
	note := func(kind string, e Ratio, format string, args ...any) {
		if x := math.Abs(float64(e)); x > largest[kind] {
			largest[kind], text[kind] = x, fmt.Sprintf(format, args...)
		}
	}
	for i := range b.Applications {
		a := &b.Applications[i]
		if a.Failed() {
			continue
		}
		note("application", a.Error, "%s (%s, predicted %s)", a.called(), msText(a.RecordedMS), msText(a.PredictedMS))
		for _, j := range a.Jobs {
			note("Spark job", j.Error, "%d of %s (%s, predicted %s)", j.Job, a.called(), msText(j.RecordedMS), msText(j.PredictedMS))
		}
		for _, s := range a.Stages {
			note("stage", s.Error, "%d of %s (%s, predicted %s)", s.Stage, a.called(), msText(s.RecordedMS), msText(s.PredictedMS))
		}
	}
	for _, kind := range []string{"application", "Spark job", "stage"} {
		if largest[kind] > 0 {
			lines = append(lines, "worst "+kind+": "+text[kind])
		}
	}
	return lines
}

// failed says how many applications have no prediction because they did not succeed in the replay, and of each why; empty for none.
func (b *Report) failed() (text string, of []string) {
	if b.Summary.Failed == 0 {
		return "", nil
	}
	are := "are"
	if b.Summary.Failed == 1 {
		are = "is"
	}
	for i := range b.Applications {
		if a := &b.Applications[i]; a.Failed() {
			of = append(of, fmt.Sprintf("%s: %s: %s", a.called(), a.Outcome, a.Reason))
		}
	}
	return fmt.Sprintf("%s, and %s in no error below", FailedText(b.Summary.Failed, len(b.Applications)), are), of
}

// writeFailed leads with them.
func (b *Report) writeFailed(w io.Writer) {
	text, of := b.failed()
	if text == "" {
		return
	}
	fmt.Fprintln(w, text+":")
	for _, line := range of {
		fmt.Fprintln(w, "  "+line)
	}
	fmt.Fprintln(w)
}

// FailedText says how many of n applications did not succeed in their replay.
func FailedText(failed, n int) string {
	return fmt.Sprintf("%d of %d applications did not succeed in the replay", failed, n)
}

func (a *App) predictedText() string {
	if a.Failed() {
		return a.Outcome
	}
	return msText(a.PredictedMS)
}

func msText(ms int64) string {
	if ms < 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f s", float64(ms)/1000)
}

func percentText(r Ratio) string { return changeText(100*r, 1, " %") }

// changeText writes a difference with its sign and n decimals.
func changeText(r Ratio, n int, unit string) string {
	if math.IsNaN(float64(r)) {
		return "–"
	}
	return quantity.Signed(float64(r), n) + unit
}

func absText(r Ratio) string {
	if math.IsNaN(float64(r)) {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(r))
}
