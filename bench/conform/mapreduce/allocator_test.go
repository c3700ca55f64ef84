package mapreduce

import (
	"encoding/json"
	"io"
	"path/filepath"
	"testing"

	"replay/bench/conform/golden"
)

// Each part of each kind of answer is compared: a run whose answer is changed there differs there.
func TestMapReduceAnswersAreAllCompared(t *testing.T) {
	in, err := golden.Open(filepath.Join("..", "testdata", "mapreduce", "allocator_small.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	seen := map[string]bool{}
	for {
		line, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var run struct {
			Events []struct{ Out map[string]json.RawMessage }
		}
		if err := json.Unmarshal(line, &run); err != nil {
			t.Fatal(err)
		}
		for i, e := range run.Events {
			for part, value := range e.Out {
				if seen[part] || string(value) == "[]" {
					continue
				}
				seen[part] = true
				var changed map[string]any
				if err := json.Unmarshal(line, &changed); err != nil {
					t.Fatal(err)
				}
				delete(changed["events"].([]any)[i].(map[string]any)["out"].(map[string]any), part)
				text, err := json.Marshal(changed)
				if err != nil {
					t.Fatal(err)
				}
				var c mrCase
				if err := json.Unmarshal(text, &c); err != nil {
					t.Fatal(err)
				}
				// A number that is left out is 0: where it was 0 nothing changes, and another event has to show it.
				if string(value) == "0" {
					seen[part] = false
					continue
				}
				out := &golden.Results{}
				runMapReduceAllocator(&c, out)
				if out.Different != 1 || out.Differences[0].Event != i {
					t.Errorf("event %d without %q: %+v, want a difference there", i, part, out)
				}
			}
		}
	}
	for _, part := range []string{"ask", "rel", "bl+", "bl-", "err", "registered", "policy_kill", "job", "kill", "done", "assigned", "pass", "ramp", "to_preempt", "n", "t", "started", "ignore", "order"} {
		if !seen[part] {
			t.Errorf("no run has %q", part)
		}
	}
}
