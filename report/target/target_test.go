package target

import (
	"math"
	"strings"
	"testing"

	"replay/report/metric"
	"replay/report/quantity"
)

var values = func() (out []metric.Value) {
	for _, v := range []quantity.Quantity{
		{Name: "wait_job_first_task_mean_ms", Unit: quantity.MS}, {Name: "wait_job_first_task_p95_ms", Unit: quantity.MS}, {Name: "wait_job_first_task_p95_ms[queue=root.a.etl]", Unit: quantity.MS},
		{Name: "wait_job_first_task_p95_ms[queue=root.b.etl]", Unit: quantity.MS}, {Name: "wait_job_first_task_p95_ms[queue=root.ad-hoc]", Unit: quantity.MS},
		{Name: "wait_job_first_task_p95_ms[size=1-10]", Unit: quantity.MS}, {Name: "slowdown_mean", Unit: quantity.Ratio}, {Name: "locality_tasks_node", Unit: quantity.Share}, {Name: "utilization_vcores_busy_share", Unit: quantity.Share}, {Name: "makespan_ms", Unit: quantity.MS},
	} {
		out = append(out, metric.Value{Quantity: v})
	}
	return out
}()

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		text, name, op string
		limit          float64
		change, part   bool
	}{
		{"p95(wait) < 30s", "wait_job_first_task_p95_ms", "<", 30_000, false, false},
		{" mean( wait_job_first_task )>= 1.5m ", "wait_job_first_task_mean_ms", ">=", 90_000, false, false},
		{"p95(wait, queue=ad-hoc) > +5%", "wait_job_first_task_p95_ms[queue=root.ad-hoc]", ">", .05, true, true},
		{"p95(wait, queue=root.b.etl) > +250ms", "wait_job_first_task_p95_ms[queue=root.b.etl]", ">", 250, true, false},
		{"p95(wait,size=1-10) <= 2d", "wait_job_first_task_p95_ms[size=1-10]", "<=", 172_800_000, false, false},
		{"p95(wait) < 1h30m", "wait_job_first_task_p95_ms", "<", 5_400_000, false, false},
		{"p95(wait) < 1d12h", "wait_job_first_task_p95_ms", "<", 129_600_000, false, false},
		{"p95(wait) > -1m30.5s", "wait_job_first_task_p95_ms", ">", -90_500, true, false},
		{"mean(slowdown) < 1.8", "slowdown_mean", "<", 1.8, false, false},
		{"locality_tasks_node >= 90%", "locality_tasks_node", ">=", .9, false, false},
		{"locality_tasks_node < -2pp", "locality_tasks_node", "<", -.02, true, false},
		{"locality_tasks_node < -2%", "locality_tasks_node", "<", -.02, true, true},
		{"locality_tasks_node > .9", "locality_tasks_node", ">", .9, false, false},
		{"locality_tasks_node >= 1", "locality_tasks_node", ">=", 1, false, false},
		{"locality_tasks_node < 100%", "locality_tasks_node", "<", 1, false, false},
		{"utilization_vcores_busy_share < 120%", "utilization_vcores_busy_share", "<", 1.2, false, false}, // memory alone may be counted
		{"p95(wait, queue='root.ad-hoc') < 30s", "wait_job_first_task_p95_ms[queue=root.ad-hoc]", "<", 30_000, false, false},
		{"mean(slowdown) <= 0", "slowdown_mean", "<=", 0, false, false},
		{"makespan_ms > -100%", "makespan_ms", ">", -1, true, true},
		{"makespan_ms > -300d", "makespan_ms", ">", -300 * 24 * quantity.HourMS, true, false},
		{"locality_tasks_node < -.02", "locality_tasks_node", "<", -.02, true, false},
		{"makespan_ms > +0%", "makespan_ms", ">", 0, true, true},
	} {
		got, err := Parse(tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		at, limit, percent, err := got.Find(values)
		if err != nil || values[at].Name != tt.name || got.Op != tt.op || limit != tt.limit || got.Change != tt.change || percent != tt.part {
			t.Errorf("%s: %s %s %v, change %v, percent %v (%v)", tt.text, values[at].Name, got.Op, limit, got.Change, percent, err)
		}
	}
}

func TestWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   ": no condition, want one such as",
		"p95(wait)":                          ": no condition, want one such as",
		"p95(wait) < ":                       ": no condition, want one such as",
		"p95(wait) < 30 s x":                 ": no condition, want one such as",
		"p95(wait) == 30s":                   ": no condition, want one such as",
		"p97(wait) < 30s":                    `"p97" is no statistic, want one of mean, p50`,
		"p95(queue=etl) < 30s":               `"queue=etl" is no quantity`,
		"p95(wait, user=bob) < 30s":          `"user=bob" tells nothing apart, want queue=NAME`,
		"p95(wait, queue=) < 30s":            "want queue=NAME",
		"p95(wait, queue=a, size=1-10) < 1s": "not by both",
		"p95(wait) < 30 parsecs":             `"parsecs" is no unit, want ms, s, m, h or d of a time`,
		"p95(wait) < 30":                     `30 has no unit, want ms, s, m, h or d as in 30s`,
		"makespan_ms < 30":                   `30 has no unit, want ms, s, m, h or d as in 30ms`,
		"p95(wait) < 30%":                    `30% is no time; a change has a sign: +30%`,
		"mean(slowdown) < 5%":                `5% is no number of it, want a bare one; a change has a sign: +5%`,
		"mean(slowdown) < 2x":                `"x" is no unit, want ms, s, m, h or d of a time, % or pp of a share, and none of another value`,
		"p95(wait) < 1h30":                   ": no condition, want one such as",
		"p95(wait) < 1h30q":                  "1h30q is no time, want one such as 90m or 1h30m",
		"p95(wait, queue=etl) < 30s":         "2 queues end in etl, want one of root.a.etl, root.b.etl, root.ad-hoc",
		"p95(wait, queue=etc) < 30s":         "no job is in a queue etc, nor is there one without jobs, want one of root.a.etl",
		"mean(wait, queue=etl) < 30s":        "is not told apart by queue",
		"p95(slowdown) < 3":                  "there is no p95 of slowdown, near it are slowdown_mean",
		"mean(weight) < 3s":                  "there is no mean of weight; replay run TRACE --all lists the values",
		"locality_tasks < 90%":               "there is no value locality_tasks, near it are locality_tasks_node",
		"Locality < 90%":                     `"Locality" is no name of a value`,
		"locality_tasks_node > 90":           "90 has no unit, want % as in 90%, or a part of the whole from 0 to 1",
		"locality_tasks_node < -2":           "-2 has no unit, want pp as in -2pp, or a part of the whole from -1 to +1",
		"locality_tasks_node > +1.5":         "+1.5 has no unit, want pp as in +1.5pp",
		"locality_tasks_node > 90s":          `"s" is no unit of a share`,
		"mean(slowdown) < 3s":                `"s" is no unit of it, want a bare number`,
		"wait < 5s":                          `wait has no statistic, want one of mean, p50, p90, p95, p99, max, as in p95(wait)`,
		"locality_tasks_node > 120%":         "never holds (it is from 0 to 100 %), whatever the replays",
		"locality_tasks_node > 1":            "never holds",
		"locality_tasks_node < 120%":         "always holds (it is from 0 to 100 %)",
		"locality_tasks_node <= 100%":        "always holds",
		"locality_tasks_node > -200pp":       "always holds",
		"p95(wait) < 0s":                     "never holds (it is never below 0)",
		"p95(wait) >= 0s":                    "always holds",
		"makespan_ms < -1000%":               "never holds (nothing gets less by more than 100 %)",
	} {
		got, err := Parse(text)
		if err == nil {
			_, _, _, err = got.Find(values)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestHolds(t *testing.T) {
	for op, want := range map[string][3]bool{"<": {true, false, false}, "<=": {true, true, false}, ">": {false, false, true}, ">=": {false, true, true}} {
		for i, x := range []float64{-1, 0, 1} {
			if got := (&Target{Op: op}).Holds(x); got != want[i] {
				t.Errorf("%v %s 0 is %v", x, op, got)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"p95(wait, queue=etl) < 30s", "mean(duration) > +5%", "a >= -1e9pp", "((", "x<1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(got.Text); err != nil || again.Text != got.Text {
			t.Fatalf("%q is read as %q, which is not read again: %v", text, got.Text, err)
		}
		got.Find(values)
	})
}

// What differs from a limit by rounding alone does not exceed it, and the least real difference does.
func TestOver(t *testing.T) {
	part, second, tenth := 0.07, 1000.0, 0.1 // no constants, which are exact
	for _, tt := range []struct{ x, limit, size, want float64 }{
		{7000, part * 100_000, 107_000, 0}, {2010, 2.01 * second, 2010, 0}, {2011, 2.01 * second, 2010, 1}, {tenth + 2*tenth, 0.3, 1, 0}, {-5, -5, 5, 0}, {0, 0, 0, 0}, {1, 0, 1, 1}, {0, 1, 0, -1},
		{100_000.001, 100_000, 100_000, 0.001},
	} {
		if got := Over(tt.x, tt.limit, tt.size); math.Abs(got-tt.want) > 1e-9 || (got == 0) != (tt.want == 0) {
			t.Errorf("%v over %v: %v, want %v", tt.x, tt.limit, got, tt.want)
		}
	}
	if got := Over(math.NaN(), 1, 1); !math.IsNaN(got) {
		t.Errorf("no number over 1: %v", got)
	}
}
