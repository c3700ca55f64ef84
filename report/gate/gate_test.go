package gate

import (
	"math"
	"strings"
	"testing"

	"replay/engine/record"
	"replay/report/compare"
	"replay/report/dist"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/quantity"
	"replay/report/reporttest"
	"replay/report/result"
	"replay/report/target"
)

// around are values whose mean is x, up to spread away from it.
func around(x, spread float64, n int) (out []float64) {
	for i := range n {
		out = append(out, x+spread*(2*float64(i)/float64(n-1)-1))
	}
	return out
}

func judged(t *testing.T, of quantity.Quantity, text string, must bool, was, is []float64) *Judged {
	t.Helper()
	c, err := target.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	row := &compare.Row{Value: metric.Value{Quantity: of}}
	for _, xs := range [][]float64{was, is} {
		mean := dist.Mean(xs)
		c := compare.Cell{Number: mean, ByUnit: xs}
		if len(row.Cells) > 0 {
			c.Difference = mean - row.Cells[0].Number
		}
		row.Cells = append(row.Cells, c)
	}
	at, limit, percent, err := c.Find([]metric.Value{row.Value})
	if err != nil || at != 0 {
		t.Fatal(err)
	}
	j := &Judged{Condition: Condition{c, must}, Row: row, Limit: limit, Percent: percent, Over: math.NaN(), Half: math.NaN(), Status: Open}
	j.test(&compare.Comparison{Options: compare.Options{Unit: inference.Seed}, Losses: make([]compare.Loss, 2)}, inference.Level)
	return j
}

func TestStatus(t *testing.T) {
	const s = 1000
	wait := quantity.Quantity{Name: "wait_job_first_task_mean_ms", Unit: quantity.MS}
	base := around(100*s, s, 10)
	plus := func(by float64) (out []float64) {
		for i, x := range base {
			out = append(out, x+by+float64(i%3)*100)
		}
		return out
	}
	for _, tt := range []struct {
		text string
		must bool
		head []float64
		want Status
	}{
		{"mean(wait) > +5%", false, plus(10 * s), Broken},
		{"mean(wait) > +15%", false, plus(10 * s), Kept},
		{"mean(wait) > +10s", false, plus(12 * s), Broken},
		{"mean(wait) > +0%", false, plus(-s), Kept},
		{"mean(wait) < -5%", false, plus(-10 * s), Broken},
		{"mean(wait) < +5%", true, plus(10 * s), Broken},
		{"mean(wait) < +5%", true, plus(s), Kept},
		{"mean(wait) < 105s", true, plus(10 * s), Broken},
		{"mean(wait) < 120s", true, plus(10 * s), Kept},
		{"mean(wait) < 110s", true, around(110*s, 20*s, 10), Open},
		{"mean(wait) > +5%", false, around(105*s, 20*s, 10), Open},
		{"mean(wait) > +5%", false, plus(10 * s)[:4], Open},
		{"mean(wait) >= +0%", false, base, Broken},
		{"mean(wait) > +0%", false, base, Kept},
		{"mean(wait) > +0%", false, append(append([]float64{}, base[:9]...), base[9]+s), Open}, // differs in one of ten
	} {
		was := base[:len(tt.head)]
		if got := judged(t, wait, tt.text, tt.must, was, tt.head); got.Status != tt.want {
			t.Errorf("%s of %v against %v is %s, want %s: %+v", tt.text, tt.head, was, got.Status, tt.want, got)
		}
	}
}

// Changes of a share by points and by a part of it are told apart, and what lies between a share and its limit is in points.
func TestSayShare(t *testing.T) {
	share := quantity.Quantity{Name: "locality_tasks_host_share", Unit: quantity.Share}
	was, is := around(.5, .01, 5), around(.46, .01, 5)
	for text, want := range map[string]string{
		"locality_tasks_host_share < -2pp":   " pp below a change of −2.00 pp",
		"locality_tasks_host_share < -2%":    " pp below a change of −2 % of base's value",
		"locality_tasks_host_share < -0.025": " pp below a change of −2.50 pp",
		"locality_tasks_host_share < 48%":    " pp below the limit",
	} {
		if got := judged(t, share, text, false, was, is).Say(); !strings.HasPrefix(got, "broken: 50.00 → 46.00 % (−4.00), ") || !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// Of several traces a job is named with its own.
func TestJobsOfTraces(t *testing.T) {
	data := func(trace string, finish int64, outcome string) *result.Data {
		d := *reporttest.DataOf(t, func(s record.Sink) record.Manifest {
			s.Job(&record.Job{ID: 0, Name: "etl", Outcome: outcome, FirstTask: record.None, Finish: finish, RecordedMS: record.None})
			m := record.Manifest{Format: record.Format, FormatVersion: record.FormatVersion, Totals: record.Totals{EndMS: finish, Jobs: 1, JobsSucceeded: 1}}
			if outcome != record.JobSucceeded {
				m.Totals.JobsSucceeded, m.Totals.JobsFailed = 0, 1
			}
			return m
		})
		d.Manifest.TraceHash, d.Manifest.TraceName = trace, "day "+trace
		return &d
	}
	var s jobs
	s.add(data("1", 1000, record.JobSucceeded), data("1", 3000, record.JobSucceeded))
	if hit := s.hit(); len(hit) != 1 || hit[0].Label != "job 0 (etl)" {
		t.Errorf("of one trace %+v", hit)
	}
	s.add(data("2", 1000, record.JobSucceeded), data("2", 2000, record.JobSucceeded))
	s.add(data("3", 1000, record.JobSucceeded), data("3", 2000, record.JobFailed))
	hit, lost := s.hit(), s.lostNames()
	if len(hit) != 2 || hit[0].Label != "job 0 (etl) of day 1" || hit[1].Label != "job 0 (etl) of day 2" || len(lost) != 1 || lost[0] != "job 0 (etl) of day 3" {
		t.Errorf("of three traces %+v, lost %q", hit, lost)
	}
}

// A job that its predecessors hold back longer is hit, though it takes as long from its submission.
func TestHitOfJobsHeldBack(t *testing.T) {
	data := func(held, firstTask int64) *result.Data {
		d := *reporttest.DataOf(t, func(s record.Sink) record.Manifest {
			s.Job(&record.Job{ID: 0, Name: "load", Outcome: record.JobSucceeded, FirstTask: 500, Finish: 1000, RecordedMS: record.None})
			s.Job(&record.Job{ID: 1, Name: "report", Submit: 1000 + held, HeldMS: held, HeldBy: 0, DependsOn: 1, Outcome: record.JobSucceeded, AMScheduled: 1000 + held, AMAllocated: 1000 + held, AMRegistered: 1000 + held, FirstAsked: 1000 + held, FirstAllocated: 1000 + held, FirstRegistered: 1000 + held, FirstTask: firstTask, Finish: 3000 + held, RecordedMS: record.None})
			return record.Manifest{Format: record.Format, FormatVersion: record.FormatVersion, Totals: record.Totals{EndMS: 3000 + held, Jobs: 2, JobsSucceeded: 2}}
		})
		return &d
	}
	var s jobs
	s.add(data(0, 1200), data(4000, 5200))
	want := Hit{Label: "job 1 (report)", Queue: "", Replays: 1, Base: 2000, Head: 6000, WaitBase: 200, WaitHead: 4200}
	if hit := s.hit(); len(hit) != 1 || hit[0] != want || !s.own {
		t.Errorf("hit %+v, own %v, want %+v", s.hit(), s.own, want)
	}
	var plain jobs
	if plain.add(data(0, 1200), data(0, 1300)); plain.own {
		t.Error("no job is held back, and times are said to begin before submissions")
	}
}
