package compare

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"replay/report/reporttest"
)

// Of many queues the tables list those whose share differs, by names that tell them apart, and count the others.
func TestManyQueues(t *testing.T) {
	m := reporttest.Usual
	m.Jobs, m.Nodes, m.Queues = 150, 2, nil // so few nodes that samples are known to see what runs
	for i := range 40 {
		m.Queues = append(m.Queues, fmt.Sprintf("root.team%02d", i))
	}
	unequal := m
	unequal.Unequal = .9
	c := of(t, variant(t, m, "equal", 6), variant(t, unequal, "unequal", 6))
	var b bytes.Buffer
	c.WriteText(&b, false)
	text := b.String()
	listed := regexp.MustCompile(`(?m)^contended sh\S*.*? +%`).FindAllString(text, -1)
	if len(listed) > mostQueues || len(listed) == 0 || !strings.Contains(listed[0], "team00 ") {
		t.Errorf("lists %d queues, want the one that differs first and %d at most: %q", len(listed), mostQueues, listed)
	}
	if want := fmt.Sprintf("Not listed: the contended share of %d queues (", 40-len(listed)); !strings.Contains(strings.ReplaceAll(text, "\n", " "), want) {
		t.Errorf("does not say %q:\n%s", want, text)
	}
	b.Reset()
	if c.WriteText(&b, true); strings.Count(b.String(), "queue_contended_dominant_share[queue=root.team") != 40 || strings.Contains(b.String(), "Not listed") {
		t.Error("--all does not list all queues")
	}
	page, err := c.page(nil)
	if err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(string(page), `<section id="metrics">`); strings.Count(first, ">contended share of root.team") != len(listed) || !strings.Contains(first, "Not listed: ") {
		t.Errorf("the page begins with %d queues, want %d", strings.Count(first, ">contended share of root.team"), len(listed))
	}
}

// A page with many variants begins with their order, and has a table for each of them against the first.
func TestPageOfManyVariants(t *testing.T) {
	var vs []Variant
	for i, wait := range []float64{40_000, 8_000, 20_000, 80_000} {
		m := reporttest.Few
		m.WaitMS = wait
		vs = append(vs, variant(t, m, fmt.Sprintf("v%d", i), 6))
	}
	for n, want := range map[int]int{3: 0, 4: 3} {
		page, err := of(t, vs[:n]...).page(nil)
		if err != nil {
			t.Fatal(err)
		}
		_, first, _ := strings.Cut(string(page), `<p class="outcome`)
		first, _, _ = strings.Cut(first, "</p>")
		if !strings.Contains(first, "For this trace (6 seeds), by mean wait for the first task, the best first: v1 ") {
			t.Errorf("%d variants: the page begins with %q", n, first)
		}
		if got := strings.Count(string(page), " against v0</h2>"); got != want {
			t.Errorf("%d variants have %d tables of their own, want %d", n, got, want)
		}
	}
}
