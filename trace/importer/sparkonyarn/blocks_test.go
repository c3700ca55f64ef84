package sparkonyarn

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// The preferred hosts that follow from where blocks are are those that a listener in the driver saw when the stages were submitted.
func TestHostsOfBlocksAreThoseRecorded(t *testing.T) {
	_, want, err := importtest.Import(t, Format, fixture, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := importtest.Copy(t, fixture)
	os.Remove(dir + "/task-preferences.jsonl.gz")
	importtest.Write(t, dir+"/tasks.jsonl.gz", string(importtest.Gzip(t, nil)))
	res, got, err := importtest.Import(t, Format, dir, func(o *workload.Options) { o.Strict = true })
	if err != nil {
		t.Fatal(err)
	}
	if a, b := want.Meta.LocalitySource, got.Meta.LocalitySource; a != trace.LocalityRecorded || b != trace.LocalityObserved {
		t.Errorf("with recorded preferences the trace says %q, without them %q", a, b)
	}
	tasks := int64(0)
	for j := range want.JobList {
		for i := range want.JobList[j].Stages {
			a, b := &want.JobList[j].Stages[i], &got.JobList[j].Stages[i]
			if a.FileID == trace.Unset {
				continue
			}
			for k := range a.Tasks.Len() {
				x, y := slices.Sorted(slices.Values(a.Tasks.Prefs(k))), slices.Sorted(slices.Values(b.Tasks.Prefs(k)))
				if !slices.Equal(x, y) {
					t.Errorf("job %d stage %d task %d: hosts of its block are %v, it preferred %v", j, i, k, y, x)
				}
				tasks++
			}
		}
	}
	if n := res.Counts.Read["tasks_with_hosts_of_their_block"]; tasks == 0 || n != tasks || res.Counts.Modelled["tasks_whose_block_has_moved"] != 0 {
		t.Errorf("%d tasks have the hosts of their block, want %d: %+v", n, tasks, res.Counts)
	}
}

// A task that ran where its block is not said to be tells where it was.
func TestBlocksThatMoved(t *testing.T) {
	dir := importtest.Copy(t, fixture)
	os.Remove(dir + "/task-preferences.jsonl.gz")
	importtest.Write(t, dir+"/recording.json", "{}")
	blocks := string(importtest.Read(t, dir+"/hdfs-blocks.jsonl"))
	importtest.Write(t, dir+"/hdfs-blocks.jsonl", strings.NewReplacer("node01", "node08", "node08", "node01", "node02", "node07", "node07", "node02").Replace(blocks))
	res, m, err := importtest.Import(t, Format, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.Counts.Modelled["tasks_whose_block_has_moved"] == 0 {
		t.Errorf("no block has moved: %+v", res.Counts)
	}
	for _, j := range m.JobList {
		for _, s := range j.Stages {
			for k := range s.Tasks.Len() {
				if s.FileID != trace.Unset && (s.Tasks.RecordedLocality[k] == "NODE_LOCAL") != slices.Contains(s.Tasks.Prefs(k), s.Tasks.RecordedNode[k]) {
					t.Errorf("stage %d task %d ran %s on node %d, preferred are %v", s.ID, k, s.Tasks.RecordedLocality[k], s.Tasks.RecordedNode[k], s.Tasks.Prefs(k))
				}
			}
		}
	}
}

// Splits as FileInputFormat makes them: sizes by goal and block, the last up to a tenth longer, one of a file that is unpacked as a whole.
func TestSplits(t *testing.T) {
	file := func(name string, lengths ...int64) (out []block) {
		at := int64(0)
		for i, n := range lengths {
			out = append(out, block{File: name, Offset: at, Length: n, Hosts: []string{fmt.Sprint(name, i), "all"}})
			at += n
		}
		return out
	}
	for _, x := range []struct {
		name   string
		blocks []block
		n      int
		want   string
	}{
		{"a block each", file("a", 100, 100, 50), 3, "[a0 all] [a1 all] [a2 all]"},
		{"two of one block", file("a", 100), 2, "[a0 all] [a0 all]"},
		{"a last one that is longer", file("a", 100, 100, 10), 2, "[a0 all] [all a1]"},
		{"two files", append(file("a", 100, 20), file("b", 30)...), 3, "[a0 all] [all a0] [b0 all]"},
		{"as many as asked for", file("a", 100, 100), 8, "[a0 all] [a0 all] [a0 all] [a0 all] [a1 all] [a1 all] [a1 all] [a1 all]"},
		{"packed", file("a.gz", 100, 60), 1, "[all a.gz0]"},
		{"not of this file", file("a", 100, 100, 100), 2, ""},
	} {
		got := strings.Trim(strings.Trim(fmt.Sprint(hostsOfSplits(x.blocks, x.n)), "[]"), "")
		if want := strings.Trim(x.want, "[]"); got != want {
			t.Errorf("%s: hosts are [%s], want [%s]", x.name, got, want)
		}
	}
}
