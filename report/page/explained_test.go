package page

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"replay/engine/record"
	"replay/report/explain"
	"replay/report/reporttest"
	"replay/report/reporttest/browser"
	"replay/report/result"
)

// explained adds parts to the jobs of a replay, of many causes and with texts that differ, as those of a replay do.
func explained(d *result.Data) *result.Data {
	waits := []record.Cause{record.CauseRunningLimit, record.CauseAMShare, explain.AMStart, explain.Ask, record.CauseNoRoom, record.CausePassedOver, record.CauseDelay, explain.ExecutorStart, record.CauseGate}
	works := []record.Cause{explain.Driver, explain.Work, explain.Straggler, explain.LocalityWait, explain.OwnTasks, record.CauseNoRoom, explain.Overhead, explain.RemoteRead}
	rng := rand.New(rand.NewPCG(3, 7))
	for j := range d.Jobs.All() {
		e := result.Explained{Job: j.ID}
		at := j.Submit
		fill := func(to int64, causes []record.Cause) {
			for n := range 5 * len(causes) {
				c := causes[n%len(causes)]
				end := min(to, at+rng.Int64N(max(2*(to-at)/int64(5*len(causes)-n), 1))+1)
				if n == 5*len(causes)-1 {
					end = to
				}
				if end > at {
					e.Parts = append(e.Parts, result.Part{From: at, To: end, Cause: c, Says: fmt.Sprintf("it wants %d MiB and %d vcores; host%02d lacks least, with %d MiB and 1 vcore free", 1024<<rng.IntN(4), 1<<rng.IntN(3), rng.IntN(40), rng.IntN(4096)),
						EndedBy: fmt.Sprintf("allocates container %d of job %d (sort) in root.etl on host%02d, 2,048 MiB, 2 vcores, priority 1", rng.IntN(99), rng.IntN(999), rng.IntN(40))})
					at = end
				}
			}
		}
		end := j.Finish
		if end == record.None {
			end = max(d.Manifest.Totals.EndMS, j.Submit)
		}
		if result.Happened(j.FirstTask) {
			fill(j.FirstTask, waits)
		}
		fill(end, works)
		d.Explained = append(d.Explained, e)
	}
	return d
}

// A job of an explained replay opens with its causes and their decisions, a queue with what its jobs waited for, and the page says it without scripts.
func TestExplainedInBrowser(t *testing.T) {
	d := explained(reporttest.Usual.Data(t))
	b := pageOf(t, d)
	static, _, _ := strings.Cut(string(b), "<script")
	for _, want := range []string{"Until their first tasks 60 jobs waited", "waited mostly for"} {
		if !strings.Contains(static, want) {
			t.Errorf("without scripts the page does not say %q", want)
		}
	}
	tab := browser.Open(t, b)
	tab.Ready()
	browser.Eval[int](tab, `document.querySelector("#grid-jobs button.open").click(), 0`)
	text := browser.Eval[string](tab, `document.querySelector("#grid-jobs .opened").textContent`)
	for _, want := range []string{" until its first task", " after it", "no node with room", "; until allocates container ", " more", "replay explain RESULT JOB"} {
		if want = strings.TrimSuffix(want, " RESULT JOB"); !strings.Contains(text, want) {
			t.Errorf("no %q in the opened job:\n%s", want, text)
		}
	}
	if n := browser.Eval[int](tab, `document.querySelectorAll("#grid-jobs .opened .causes > li").length`); n < 12 {
		t.Errorf("%d causes, want 12 or more", n)
	}
	browser.Eval[int](tab, `document.querySelector("#grid-queues button.open").click(), 0`)
	if text := browser.Eval[string](tab, `document.querySelector("#grid-queues .opened").textContent`); !strings.Contains(text, "until the first tasks of ") || !strings.Contains(text, "delay scheduling") {
		t.Errorf("the opened queue says:\n%s", text)
	}
	tab.Quiet()
}

// A thousand jobs with their explanations are a page of at most 2 MB.
func TestPageOfAThousandExplained(t *testing.T) {
	m := reporttest.Usual
	m.Jobs, m.Nodes = 1000, 40
	b := pageOf(t, explained(m.Data(t)))
	t.Logf("%d bytes", len(b))
	if most := 2_000_000; len(b) > most {
		t.Errorf("the page has %d bytes, want at most %d", len(b), most)
	}
}
