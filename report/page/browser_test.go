package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"replay/engine/record"
	"replay/report/metric"
	"replay/report/plot"
	"replay/report/reporttest"
	"replay/report/reporttest/browser"
	"replay/report/result"
)

// pageOf is the page of a replay.
func pageOf(t *testing.T, d *result.Data) []byte {
	t.Helper()
	b, err := Run(metric.Of(d), plot.Draw(d))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRunInBrowser(t *testing.T) {
	d := explained(reporttest.DataOf(t, func(sink record.Sink) record.Manifest {
		sink.Sample(&record.Sample{Queue: "root." + strings.Repeat("q", 200), UsedMem: 1024, UsedVCores: 1, FairMem: 1024, Containers: 1})
		return reporttest.Usual.Feed(sink)
	}))
	d.Jobs.At(3).Name = `<b onmouseover="alert(1)">` + "a-very-long-name-of-a-job-without-any-place-to-break-it-in-two-that-goes-on-and-on-and-on"
	d.Manifest.Config = map[string]string{"yarn.a.key": "value", "fair-scheduler.xml": "<allocations>\n</allocations>\n"}
	browser.Check(t, pageOf(t, d))
}

// By keyboard alone a reader sorts the jobs, opens one, finds another, and zooms.
func TestRunByKeyboard(t *testing.T) {
	tab := browser.Open(t, pageOf(t, reporttest.Usual.Data(t)))
	tab.Ready()
	focused := func(what string) bool {
		return browser.Eval[bool](tab, fmt.Sprintf(`document.activeElement.matches(%q)`, what))
	}
	reach := func(what string) {
		t.Helper()
		for range 200 {
			if focused(what) {
				return
			}
			tab.Press(kb.Tab)
		}
		t.Fatalf("200 times Tab do not lead to %s", what)
	}
	reach("#over-live button")
	before := browser.Eval[string](tab, `document.querySelector("#over-live [role=status]").textContent`)
	tab.Press(kb.Enter)
	if after := browser.Eval[string](tab, `document.querySelector("#over-live [role=status]").textContent`); after == before {
		t.Errorf("Enter on Zoom in leaves %q", after)
	}
	reach("#grid-jobs thead th:nth-child(6) button")
	tab.Press(kb.Enter)
	if sorted := browser.Eval[string](tab, `document.querySelector("#grid-jobs thead th:nth-child(6)").ariaSort`); sorted != "descending" {
		t.Errorf("after Enter the column is sorted %q, want descending", sorted)
	}
	if !browser.Eval[bool](tab, `(() => {
		const ms = {ms: 1, s: 1e3, min: 6e4, h: 36e5}, xs = [...document.querySelectorAll("#grid-jobs tbody tr td:nth-child(6)")].map(e => e.textContent.split(" ")).map(([x, u]) => x * ms[u]);
		return xs.length === 25 && xs.every((x, i) => i === 0 || x <= xs[i - 1]);
	})()`) {
		t.Error("the durations of the first 25 jobs do not fall")
	}
	reach("#grid-jobs button.open")
	tab.Press(kb.Enter)
	if !focused("#grid-jobs button.open[aria-expanded=true]") || browser.Eval[int](tab, `document.querySelectorAll("#grid-jobs .opened .parts li").length`) < 2 {
		t.Error("Enter on a job does not open the parts of its wait, or loses the focus")
	}
	tab.Press(kb.Enter)
	if browser.Eval[int](tab, `document.querySelectorAll("#grid-jobs .opened").length`) != 0 {
		t.Error("Enter again does not close the job")
	}
	browser.Eval[int](tab, `document.getElementById("seek-jobs").focus(), 0`)
	tab.Press("root.etl sort")
	if !browser.Eval[bool](tab, `(() => {
		const rows = [...document.querySelectorAll("#grid-jobs tbody tr")];
		return rows.length > 0 && rows.length < 25 && rows.every(r => r.textContent.includes("sort") && r.textContent.includes("root.etl"));
	})()`) {
		t.Error("a search for root.etl sort shows other jobs, or none")
	}
	tab.Quiet()
}

// Charts have times below them, whether a replay takes seconds or ten years.
func TestTimesBelowCharts(t *testing.T) {
	for _, ms := range []int64{2_000, 600_000, 10 * 365 * 24 * 3_600_000} {
		d := reporttest.DataOf(t, reporttest.Usual.Feed)
		d.Manifest.Totals.EndMS, d.Queues.End = ms, ms
		tab := browser.Open(t, pageOf(t, d))
		tab.Ready()
		ink := browser.Eval[int](tab, `(async () => {
			document.querySelector("#over-live .chart").scrollIntoView();
			for (let i = 0; i < 500 && !document.querySelector("#over-live canvas"); i++) await new Promise(requestAnimationFrame);
			await new Promise(requestAnimationFrame);
			const c = document.querySelector("#over-live canvas"), high = 18 * devicePixelRatio, from = 160 * devicePixelRatio;
			return c.getContext("2d").getImageData(from, c.height - high, c.width - from, high).data.filter((x, i) => i % 4 === 3 && x > 128).length;
		})()`)
		if ink < 100 {
			t.Errorf("of %d ms, %d pixels are drawn below the first chart, want times", ms, ink)
		}
	}
}

// A table of jobs fits the page, its last column whole, whatever queues and jobs are called and with what they waited for.
func TestJobsFitThePage(t *testing.T) {
	d := explained(reporttest.DataOf(t, reporttest.Usual.Feed))
	d.Jobs.At(1).Queue = "root." + strings.Repeat("q", 90)
	d.Jobs.At(2).Name = strings.Repeat("x", 200)
	tab := browser.Open(t, pageOf(t, d))
	tab.Ready()
	tab.Size(1280)
	if over := browser.Eval[int](tab, `(e => e.scrollWidth - e.clientWidth)(document.querySelector("#grid-jobs .scroll"))`); over > 0 {
		t.Errorf("the table of jobs is %d pixels wider than the page", over)
	}
}

// A thousand jobs are a page of at most 2 MB.
func TestPageOfAThousandJobs(t *testing.T) {
	m := reporttest.Usual
	m.Jobs, m.Nodes = 1000, 40
	b := pageOf(t, m.Data(t))
	t.Logf("%d bytes", len(b))
	if most := 2_000_000; len(b) > most {
		t.Errorf("the page has %d bytes, want at most %d", len(b), most)
	}
}
