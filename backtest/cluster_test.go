package backtest

import (
	"encoding/json"
	"testing"

	"replay/engine/protocol"
	"replay/engine/record"
	"replay/trace"
)

// Each attempt of an application has its own latencies; one that is not the last ended with its process, or with its node
// when nobody tells the end of the process.
func TestLatenciesOfAttempts(t *testing.T) {
	var c clusterRecord
	err := json.Unmarshal([]byte(`{"applications": [{"job": 0, "t_am_allocated": 100, "t_registered": 3100, "attempt_times": {
			"1": {"t_attempt_scheduled": 50, "t_am_allocated": 100, "t_registered": 3100},
			"2": {"t_attempt_scheduled": 20000, "t_am_allocated": 20100, "t_registered": 21100},
			"3": {"t_attempt_scheduled": 50000, "t_am_allocated": 50100, "t_registered": 52100}}},
		{"job": 1, "t_am_allocated": 0, "t_registered": 4000}],
	"containers": [{"job": 0, "container": "container_1_0001_01_000001", "am": true, "t_nm_done": 19000, "exit_code": 7},
		{"job": 0, "container": "container_1_0001_02_000001", "am": true},
		{"job": 0, "container": "container_e2_1_0001_02_000002", "t_acquired": 22000, "t_am_launching": 22100, "t_registered": 26000},
		{"job": 0, "container": "container_1_0001_01_000002", "t_acquired": 4000, "t_am_launching": 4100, "t_registered": 9000},
		{"job": 1, "container": "container_1_0002_01_000002", "t_acquired": 5000, "t_am_launching": 5100}]}`), &c)
	if err != nil {
		t.Fatal(err)
	}
	l := c.latencies()
	if len(l[0]) != 3 || len(l[1]) != 1 {
		t.Fatalf("%d and %d attempts, want 3 and 1", len(l[0]), len(l[1]))
	}
	for n, want := range []struct {
		am, halt int64
		exit     int32
		first    int64 // executor
	}{{3000, 15_900, 7, 5000}, {1000, 28_900, protocol.ExitAborted, 4000}, {2000, trace.Unset, 0, trace.Unset}} {
		x := l[0][n]
		first, halt := int64(trace.Unset), int64(trace.Unset)
		if len(x.ExecutorMS) > 0 {
			first = x.ExecutorMS[0]
		}
		if x.Halts {
			halt = x.HaltMS
		}
		if x.AMMS != want.am || halt != want.halt || x.HaltExit != want.exit || first != want.first {
			t.Errorf("attempt %d: %+v, want %+v", n+1, x, want)
		}
	}
	if x := l[1][0]; x.AMMS != 4000 || x.Halts || x.ExecutorMS[0] != trace.Unset {
		t.Errorf("the application of one attempt: %+v", x)
	}
}

// What is compared of an application that began again is its last attempt.
func TestObservedOfTheLastAttempt(t *testing.T) {
	o := newObserved()
	o.tasks = map[int64][]record.Task{}
	for _, x := range []record.Task{
		{Ready: 100, Finish: 1100, End: record.TaskSuccess}, {Index: 1, Ready: 100, Finish: 1500, End: record.TaskKilled},
		{Ready: 5000, Finish: 5900, End: record.TaskFailed}, {Attempt: 1, Ready: 5900, Finish: 6900, End: record.TaskSuccess}, {Index: 1, Ready: 5000, Finish: 7000, End: record.TaskSuccess},
	} {
		o.Task(&x)
	}
	if got := o.of(0, 0); got != (span{5000, 7000}) || len(o.tasks[0]) != 3 {
		t.Errorf("the stage is from %d to %d with %d tasks, want 5000 to 7000 with 3", got.start, got.end, len(o.tasks[0]))
	}
}
