package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"replay/report/reporttest"
)

// moved adds to the mean wait and the mean duration of the jobs of queues, in each run another amount around that given, and to nothing else.
func moved(v Variant, by map[string]float64) Variant {
	for k, r := range v.Runs {
		for i := range r.Values {
			x := &r.Values[i]
			for queue, ms := range by {
				if x.Name == queueWait+"[queue="+queue+"]" || x.Name == queueDuration+"[queue="+queue+"]" {
					x.Number += ms + float64(20*k)
				}
			}
		}
	}
	return v
}

// What one queue pays for another's gain is told even where nothing changes for all jobs together.
func TestQueuesAgainstEachOther(t *testing.T) {
	base := func() Variant { return variant(t, reporttest.Usual, "now", 6) }
	next := moved(variant(t, reporttest.Usual, "next", 6), map[string]float64{"root.etl": 9_000, "root.adhoc": -6_000})
	c := of(t, base(), next)
	text := c.Verdict()[0].Text
	for _, want := range []string{
		"no difference between next and now is told apart from chance",
		" Of 3 queues 1 loses, root.etl in mean wait for the first task: ",
		"; 1 gains, root.adhoc in mean wait for the first task: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("does not say %q: %s", want, text)
		}
	}
	queues := c.Queues(1, queueWait)
	if len(queues) != 3 || queues[0].Name != "root.etl" || queues[2].Name != "root.adhoc" || !queues[0].Wait.Moved || !queues[2].Duration.Moved || queues[1].Wait.Moved {
		t.Errorf("queues are %+v", queues)
	}
	if got := queues[1].Wait.Text(); !strings.HasSuffix(got, " (=)") {
		t.Errorf("the queue that nothing happens to has %q, want it equal", got)
	}
	var b bytes.Buffer
	c.WriteText(&b, false)
	if table := b.String(); !strings.Contains(table, "\nqueue       mean wait for the first task") || !strings.Contains(table, "\nroot.etl    ") {
		t.Errorf("no table of queues:\n%s", table)
	}
	page, err := c.page(nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, []byte(">Queues</h2>")) {
		t.Error("the page has no table of queues")
	}
	var doc struct {
		Verdict []struct {
			Queues []struct {
				Queue   string
				Changes []struct {
					Metric string
					Half   *float64 `json:"half_interval"`
					Moved  bool
				}
			}
		}
	}
	text2, err := c.JSON()
	if err == nil {
		err = json.Unmarshal(text2, &doc)
	}
	if q := doc.Verdict[0].Queues; err != nil || len(q) != 3 || q[0].Queue != "root.etl" || !q[0].Changes[0].Moved || q[1].Changes[0].Half != nil {
		t.Errorf("JSON has %+v, %v", q, err)
	}

	// One variant more is one more thing that chance may do: each interval is wider.
	third := moved(variant(t, reporttest.Usual, "third", 6), map[string]float64{"root.etl": 100})
	if one, two := queues[0].Wait.Half, of(t, base(), next, third).Queues(1, queueWait)[0].Wait.Half; two <= one {
		t.Errorf("half an interval is %v beside one variant and %v beside two, want more", one, two)
	}
}

// Of fewer than five seeds, or where jobs are lost, no queue is said to lose or gain; nor is there a table where there is one queue.
func TestQueuesOfWhichNothingIsKnown(t *testing.T) {
	by := map[string]float64{"root.etl": 9_000}
	if text := of(t, variant(t, reporttest.Usual, "now", 4), moved(variant(t, reporttest.Usual, "next", 4), by)).Verdict()[0].Text; strings.Contains(text, "queues") {
		t.Errorf("of four seeds: %s", text)
	}
	lost := reporttest.Usual
	lost.LostJobs = 3
	if c := of(t, variant(t, reporttest.Usual, "now", 6), moved(variant(t, lost, "next", 6), by)); strings.Contains(c.Verdict()[0].Text, " loses, ") || c.shiftText(1) != "" {
		t.Errorf("where jobs are lost: %s", c.Verdict()[0].Text)
	}
	one := reporttest.Usual
	one.Queues = []string{"root.etl"}
	c := of(t, variant(t, one, "now", 6), moved(variant(t, one, "next", 6), by))
	var b bytes.Buffer
	if c.WriteText(&b, false); strings.Contains(b.String(), "\nqueue ") || c.queueTable(1) != nil {
		t.Errorf("one queue has a table:\n%s", b.String())
	}
}

// Of many queues the table has those that really changed, however little, then those that changed most, and counts the others.
func TestTableOfManyQueues(t *testing.T) {
	m := reporttest.Usual
	m.Jobs, m.Queues = 150, nil
	for i := range 40 {
		m.Queues = append(m.Queues, fmt.Sprintf("root.team%02d", i))
	}
	c := of(t, variant(t, m, "now", 6), moved(variant(t, m, "next", 6), map[string]float64{"root.team07": 8_000, "root.team31": -2_000}))
	var b bytes.Buffer
	c.WriteText(&b, false)
	_, table, _ := strings.Cut(b.String(), "\nqueue ")
	table, _, _ = strings.Cut(table, "\n\n")
	if n := strings.Count(table, "\nroot.team"); n != mostQueues || !strings.Contains(table, "\nroot.team07 ") || !strings.Contains(table, "\nroot.team31 ") {
		t.Errorf("lists %d queues, want %d, with the two that changed:\n%s", n, mostQueues, table)
	}
	all := len(c.Queues(1, queueWait))
	if want := fmt.Sprintf("Not listed: %d queues", all-mostQueues); !strings.Contains(strings.ReplaceAll(table, "\n", " "), want) {
		t.Errorf("does not say %q:\n%s", want, table)
	}
	b.Reset()
	if c.WriteText(&b, true); strings.Count(b.String(), "\nroot.team") != all || all < 30 {
		t.Error("--all does not list all queues")
	}
}

// A queue that is told otherwise and has no job is named whatever else is found; one with jobs, at it or below, is not, nor is one that is told the same.
func TestQueuesWithoutJobs(t *testing.T) {
	told := func(name string, queues map[string]string) Variant {
		v := variant(t, reporttest.Usual, name, 5)
		for _, r := range v.Runs {
			r.Manifest.Queues = queues
		}
		return v
	}
	base := map[string]string{"root": "1", "root.etl": "2", "root.idle": "3", "root.kept": "4", "root.gone": "5"}
	for _, tt := range []struct {
		name string
		next map[string]string
		want string
	}{
		{"the same", base, ""},
		{"with jobs", map[string]string{"root": "9", "root.etl": "9", "root.idle": "3", "root.kept": "4", "root.gone": "5"}, ""},
		{"one", map[string]string{"root": "1", "root.etl": "2", "root.idle": "9", "root.kept": "4", "root.gone": "5"}, "Nothing is known of what changes for queue root.idle: no job is in it."},
		{"new and gone", map[string]string{"root": "1", "root.etl": "2", "root.idle": "3", "root.kept": "4", "root.new": ""}, "Nothing is known of what changes for 2 queues in which no job is: root.gone, root.new."},
		{"not known", nil, ""},
	} {
		c := of(t, told("now", base), told("next", tt.next))
		if got := c.Unseen(1); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if text := c.Verdict()[0].Text; tt.want != "" && !strings.HasSuffix(text, " "+tt.want) {
			t.Errorf("%s: the answer is %q", tt.name, text)
		}
	}
	other := told("next", map[string]string{})
	for _, r := range other.Runs {
		r.Manifest.Scheduler = "capacity"
	}
	if got := of(t, told("now", base), other).Unseen(1); got != "" {
		t.Errorf("of another scheduler: %q", got)
	}
}
