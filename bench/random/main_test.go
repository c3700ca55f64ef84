package main

import (
	"bytes"
	"strings"
	"testing"
)

// The short form: random cases hold, whatever scheduler they have; those of later seeds have more of Spark.
func TestRandomCases(t *testing.T) {
	n := uint64(60)
	if testing.Short() {
		n = 20
	}
	var out bytes.Buffer
	for _, first := range []uint64{1, 200_000_000} {
		if !run(t.Context(), &out, first, n, 1) {
			t.Fatal(out.String())
		}
	}
	for _, want := range []string{" 0 failed", "capacity ", "fair ", "fifo ", "expired ", "released "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// Seeds of which a record or a check was wrong once.
func TestKeptCases(t *testing.T) {
	for seed, was := range map[uint64]string{
		100281:  "the last report of a task was under way when its executor went",
		100348:  "a node that drains holds more than the capacity that it was left with",
		101452:  "a task was launched on an executor that had gone, and took core time there",
		400970:  "a task whose result was under way at the end held its core in its row",
		403670:  "a node that drained left in the millisecond of an allocation on it",
		406360:  "a task whose result was under way at the end held its core in its row, and another ran there",
		300285:  "a node fails on which processes run although it was decommissioned",
		820265:  "an application ran ahead, of which a container could still expire: its tasks outlived their executor",
		840257:  "an application ran ahead, of which a container could still expire, with several tasks in it",
		1004053: "an application ran ahead of the expiry of its master's container, and a process started after its end",
		1009736: "an application ran ahead of the expiry of its master's container, and submitted a stage",
	} {
		var out bytes.Buffer
		if !run(t.Context(), &out, seed, 1, 1) {
			t.Errorf("%s:\n%s", was, out.String())
		}
	}
}
