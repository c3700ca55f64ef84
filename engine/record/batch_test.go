package record

import (
	"slices"
	"testing"
)

// Task attempts have the hash that they have one by one, however many are given at once and whichever stages they are of.
func TestDigestOfManyTasks(t *testing.T) {
	var rows []Task
	for i := range int64(7) {
		rows = append(rows, Task{Job: i / 4, Stage: int32(i / 3), StageAttempt: int32(i / 6), Index: int32(i), Launch: 10 * i, Finish: 100, End: []string{TaskSuccess, TaskKilled}[i%2]})
	}
	var want Digest
	for i := range rows {
		want.Task(&rows[i])
	}
	for n := 1; n <= len(rows); n++ {
		var got Digest
		got.Tasks(nil)
		for some := range slices.Chunk(rows, n) {
			got.Tasks(some)
		}
		if got, want := got.Hash(&Totals{}), want.Hash(&Totals{}); got != want {
			t.Errorf("%d at once: hash %s, want %s", n, got, want)
		}
	}
}

// So have containers.
func TestDigestOfManyContainers(t *testing.T) {
	var rows []Container
	for i := range int64(7) {
		rows = append(rows, Container{Job: i / 4, Number: i, AM: i == 0, Node: int32(3 * i), Type: []string{onNode, onRack, anywhere, "other"}[i%4], Ended: 10 * i, End: []string{EndCompleted, EndReleased, EndAppEnd}[i%3]})
	}
	var want Digest
	for i := range rows {
		want.Container(&rows[i])
	}
	for n := 1; n <= len(rows); n++ {
		var got Digest
		for some := range slices.Chunk(rows, n) {
			got.Containers(some)
		}
		if got, want := got.Hash(&Totals{}), want.Hash(&Totals{}); got != want {
			t.Errorf("%d at once: hash %s, want %s", n, got, want)
		}
	}
}
