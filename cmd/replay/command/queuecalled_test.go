package command

import (
	"strconv"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/report/result"
)

// A queue is named by its path or the end of it; which one is meant is asked where several end so.
func TestQueueCalled(t *testing.T) {
	var jobs []result.Job
	for i, q := range []string{"root.prod.etl", "root.prod.ml.train", "root.dev.train", "root.prod.etl", "root.default"} {
		j := result.Job{}
		j.ID, j.Queue = int64(i), q
		jobs = append(jobs, j)
	}
	data := &result.Data{Jobs: result.JobsOf(jobs)}
	for _, tt := range []struct{ name, want, wrong string }{
		{"", "", ""},
		{"root.prod.etl", "root.prod.etl", ""},
		{"prod", "root.prod", ""},
		{"etl", "root.prod.etl", ""},
		{"ml.train", "root.prod.ml.train", ""},
		{"ml", "root.prod.ml", ""},
		{"root", "root", ""},
		{"train", "", `2 queues are called "train": root.dev.train, root.prod.ml.train`},
		{"rain", "", `no job ran in queue "rain", only in root, root.default, root.dev, `},
		{"root.prod.etk", "", `no job ran in queue "root.prod.etk"; is root.prod.etl meant?`},
	} {
		got, err := queueCalled(data, tt.name)
		if got != tt.want || (err == nil) != (tt.wrong == "") || err != nil && !strings.HasPrefix(err.Error(), tt.wrong) {
			t.Errorf("%q: %q, %v; want %q, %q", tt.name, got, err, tt.want, tt.wrong)
		}
	}
}

// What is the number of one job and the id of another names neither: ids that begin at 1 would name the job after the one that is meant.
func TestJobsCalledByNumberAndID(t *testing.T) {
	jobs := make([]result.Job, 4)
	for i := range jobs {
		jobs[i].ID, jobs[i].ExternalID = int64(i), strconv.Itoa(i+1)
	}
	jobs[0].Name = "job 2"
	for _, tt := range []struct {
		name  string
		want  int64
		wrong string
	}{
		{"0", 0, ""},
		{"4", 3, ""},
		{"2", 0, `"2" is the number of a job and the name or id of another, job 1: want 'job 2' for the first and 'job 1' for the other`},
		{"job 3", 3, ""},
		{"job 2", 0, ""}, // its name
		{"id 2", 1, ""},
		{"id 9", 0, `none of the 4 jobs of the result, 0 to 3, has the number, name or id "id 9"; near it: `},
		{"", 0, `a job is called "", want its number, its name, or its id`},
	} {
		got, err := cmdline.JobCalled(tt.name, "the result", calledOf(&result.Data{Jobs: result.JobsOf(jobs)}))
		if got != tt.want || (err == nil) != (tt.wrong == "") || err != nil && !strings.HasPrefix(err.Error(), tt.wrong) {
			t.Errorf("%q: %d, %v; want %d, %q", tt.name, got, err, tt.want, tt.wrong)
		}
	}
}

// Of many jobs with one name the first are named, and the others counted.
func TestJobsCalledAlike(t *testing.T) {
	jobs := make([]result.Job, 13)
	for i := range jobs {
		jobs[i].ID, jobs[i].Name = int64(i), "nightly"
	}
	const want = `13 jobs are called "nightly", by number: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more`
	if _, err := cmdline.JobCalled("nightly", "the result", calledOf(&result.Data{Jobs: result.JobsOf(jobs)})); err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}
