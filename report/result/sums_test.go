package result

import (
	"strings"
	"testing"

	"replay/engine/record"
)

// What is kept of a job beside its record goes as soon as all that the record counts has come, in whatever order.
func TestSumsOfJobsGo(t *testing.T) {
	container := &record.Container{Job: 5, Number: 2, Allocated: 10, Asked: record.None, Started: record.None, Registered: record.None, Ended: 20}
	task := &record.Task{Job: 5, Container: 2, Ready: 11, Launch: 15, Finish: 18, End: record.TaskSuccess, Level: record.AnyLevel}
	job := &record.Job{ID: 5, Containers: 1, Attempts: 1, TaskLevels: [5]int64{record.AnyLevel: 1}}
	records := []func(*Collector){
		func(c *Collector) { c.Container(container) }, func(c *Collector) { c.Task(task) }, func(c *Collector) { c.Job(job) },
	}
	for first := range records {
		c := NewCollector()
		for i := range records {
			if records[(first+i)%3](c); i < 2 && len(c.sums) != 1 {
				t.Fatalf("begun at %d: %d sums after %d records, want 1", first, len(c.sums), i+1)
			}
		}
		if j := c.spare[0]; len(c.sums) != 0 || j.TaskWaitMS != 4 || j.TaskWaits != 1 {
			t.Errorf("begun at %d: %d sums left, want none; tasks waited %d ms, want 4", first, len(c.sums), j.TaskWaitMS)
		}
		c.Container(&record.Container{Job: 5, Number: 1, AM: true, Ended: 30})
		if len(c.sums) != 0 {
			t.Error("the container of an application master that ends after its job begins sums, want none")
		}
		c.Task(task)
		if _, err := c.Finish(record.Manifest{}); err == nil || !strings.Contains(err.Error(), "job 5: more containers or task attempts than its record says") {
			t.Errorf("a task too many after all that the record counts: error %v", err)
		}
	}
}

func TestIDSet(t *testing.T) {
	s := idSet{}
	for _, id := range []int64{0, 63, 64, 4095, 4096, 1 << 40} {
		if s.has(id) {
			t.Errorf("has %d before it was added", id)
		}
		s.add(id)
		if !s.has(id) || s.has(id+1) && id != 63 && id != 4095 || s.has(id+128) {
			t.Errorf("after %d was added it has %v, %v, %v", id, s.has(id), s.has(id+1), s.has(id+128))
		}
	}
}
