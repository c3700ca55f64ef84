package record

import (
	"reflect"
	"testing"
)

// sum is the hash of one row.
func sum(add func(*Digest)) string {
	var d Digest
	add(&d)
	return d.Hash(&Totals{})
}

// TestDigestSeesEveryField changes each field of each row: the hash changes, except for names, texts and what the
// trace or the engine says rather than the replay.
func TestDigestSeesEveryField(t *testing.T) {
	unseen := map[string]bool{ // by type and field
		"Job.Name": true, "Job.ExternalID": true, "Job.Kind": true, "Job.User": true, "Job.Reason": true,
		"Job.Stages": true, "Job.Tasks": true, "Job.CriticalPathMS": true, "Job.RecordedMS": true, "Job.Recorded": true,
		"Job.DependsOn": true, "Job.HeldMS": true, "Job.HeldBy": true, // submission and ends of jobs say how it was held back
		"Container.Queue":     true,                                                                                                                    // that of its job
		"Container.AMAttempt": true, "Task.AMAttempt": true, "Container.Exited": true, "Container.Cores": true, "Task.Freed": true, "Task.Cores": true, // times and numbers follow from it
		"Totals.Stages": true, "Totals.Tasks": true, "Totals.TasksSucceeded": true, "Totals.TasksFailed": true,
		"Totals.ContainersRunning": true, "Totals.ExecutedHeartbeats": true, "Totals.ExecutedAMHeartbeats": true, "Totals.ExecutedUpdates": true, "Totals.Visits": true, "Totals.Events": true,
	}
	with := map[string]string{"Job.RunningTaskMS": "Job.WastedTaskMS"} // they count together: the rows of attempts say which of them run
	rows := []struct {
		row  any
		hash func(row any) string
	}{
		{Job{}, func(r any) string { j := r.(Job); return sum(func(d *Digest) { d.Job(&j) }) }},
		{Container{}, func(r any) string { c := r.(Container); return sum(func(d *Digest) { d.Container(&c) }) }},
		{Task{}, func(r any) string { k := r.(Task); return sum(func(d *Digest) { d.Task(&k) }) }},
		{Totals{}, func(r any) string { n := r.(Totals); return (&Digest{}).Hash(&n) }},
	}
	for _, tt := range rows {
		kind := reflect.TypeOf(tt.row)
		zero := tt.hash(tt.row)
		seen := map[string]string{zero: "nothing"}
		for i := range kind.NumField() {
			name := kind.Name() + "." + kind.Field(i).Name
			row := reflect.New(kind).Elem()
			set(row.Field(i))
			h := tt.hash(row.Interface())
			if unseen[name] {
				if h != zero {
					t.Errorf("%s changes the hash, want it left out", name)
				}
				continue
			}
			if other, ok := seen[h]; ok != (with[name] != "") || other != with[name] {
				t.Errorf("a change of %s gives the same hash as a change of %s", name, other)
			}
			seen[h] = name
		}
	}
}

// set makes a field differ from its zero value.
func set(f reflect.Value) {
	switch f.Kind() {
	case reflect.String:
		f.SetString("x")
	case reflect.Bool:
		f.SetBool(true)
	case reflect.Array:
		set(f.Index(f.Len() - 1))
	case reflect.Uint8:
		f.SetUint(1)
	default:
		f.SetInt(1)
	}
}

func TestDigestOfRowsIsOfASet(t *testing.T) {
	a, b := Task{Job: 1, Launch: 5}, Task{Job: 2, Launch: 7}
	ab := sum(func(d *Digest) { d.Task(&a); d.Task(&b) })
	if ba := sum(func(d *Digest) { d.Task(&b); d.Task(&a) }); ab != ba {
		t.Errorf("hash %s, in the other order %s, want no difference", ab, ba)
	}
	if once := sum(func(d *Digest) { d.Task(&a) }); once == ab {
		t.Error("a row more does not change the hash")
	}
}

func TestDigestOfEventsIsOfASequence(t *testing.T) {
	ab := sum(func(d *Digest) { d.Event(&[8]int64{1, 2}); d.Event(&[8]int64{3, 4}) })
	if ba := sum(func(d *Digest) { d.Event(&[8]int64{3, 4}); d.Event(&[8]int64{1, 2}) }); ab == ba {
		t.Error("two events in the other order have the same hash")
	}
}

// TestDigestIsPinned holds the mapping: stored hashes stay comparable.
func TestDigestIsPinned(t *testing.T) {
	var d Digest
	d.Event(&[8]int64{1, 2, 3, 7: 11})
	d.Job(&Job{ID: 7, Outcome: JobSucceeded, Finish: 12_345})
	d.Container(&Container{Job: 7, Number: 2, Type: "NODE_LOCAL", End: EndReleased})
	d.Task(&Task{Job: 7, Launch: 100, Finish: 200, End: TaskSuccess})
	if got, want := d.Hash(&Totals{Jobs: 1, EndMS: 12_345}), "f86fbada5e95c1c3"; got != want {
		t.Errorf("hash is %s, want %s", got, want)
	}
}
