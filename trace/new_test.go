package trace

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// An optional number that the constructor leaves at 0 would be a value: every number is Unset but those that each
// job, stage or event has.
func TestNewLeavesOptionalNumbersUnset(t *testing.T) {
	for _, tt := range []struct {
		of       any
		required []string // have a value, or 0 in place of Unset
	}{
		{*NewJob(KindSpark), []string{"ID", "SubmitMS", "User", "Queue", "Priority", "AMMemMiB", "AMVCores"}},
		{NewStage(0, StageInput), []string{"ID", "TaskMemMiB", "TaskVCores", "Profile", "ExecMemMiB", "ExecVCores", "ExecTasks"}},
		{NewNodeEvent(0, 0, Fail), []string{"TimeMS", "Seq", "Node"}},
		{NewQueue(0, "root"), []string{"ID"}},
		{NewUser(0, "u"), []string{"ID"}},
	} {
		v := reflect.ValueOf(tt.of)
		for i := range v.NumField() {
			name, f := v.Type().Field(i).Name, v.Field(i)
			if slices.Contains(tt.required, name) {
				continue
			}
			switch {
			case f.CanInt() && f.Int() != Unset:
				t.Errorf("%s.%s is %d, want Unset", v.Type(), name, f.Int())
			case f.Kind() == reflect.Float32 && f.Float() != Unset:
				t.Errorf("%s.%s is %v, want Unset", v.Type(), name, f.Float())
			case f.Kind() == reflect.Float64 && !math.IsNaN(f.Float()):
				t.Errorf("%s.%s is %v, want NaN", v.Type(), name, f.Float())
			}
		}
	}
}

// What a constructor makes follows the rules, and comes back from a directory as it was.
func TestNewIsReadBack(t *testing.T) {
	j := NewJob(KindMapReduce)
	in, out := NewStage(0, StageInput), NewStage(1, StageShuffle, 0)
	in.Tasks, out.Tasks = NewTasks(3), NewTasks(1)
	j.Stages = []Stage{in, out}
	m := MemoryTrace{Meta: Meta{
		OriginUnixMS: Unset, LocalitySource: LocalityNone, DurationSource: DurationModelled,
		Nodes:  []Node{{Host: "h", Rack: "/r", Present: true}},
		Events: []NodeEvent{NewNodeEvent(5, 0, Fail)}, Queues: QueueTree([]string{"root"}), Users: []User{NewUser(0, "u")},
	}, JobList: []*Job{j}}
	dir := filepath.Join(t.TempDir(), "t")
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for what, pair := range map[string][2]any{"job": {got.JobList[0], j}, "event": {got.Events, m.Events}} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("the %s is %+v, want %+v", what, pair[0], pair[1])
		}
	}
	if q, u := got.Queues[0], got.Users[0]; fmt.Sprint(q, u) != fmt.Sprint(m.Queues[0], m.Users[0]) {
		t.Errorf("queue and user are %+v, %+v", q, u)
	}
}

func TestQueueTree(t *testing.T) {
	for _, tt := range []struct{ paths, want string }{
		{"", ""},
		{"root", "0:root<-1"},
		{"root.b root.a.x root", "0:root<-1 1:root.b<0 2:root.a<0 3:root.a.x<2"},
	} {
		var got []string
		for _, q := range QueueTree(strings.Fields(tt.paths)) {
			got = append(got, fmt.Sprintf("%d:%s<%d", q.ID, q.Path, q.Parent))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q gives %v, want %s", tt.paths, got, tt.want)
		}
	}
}
