package settings

import (
	"replay/cmd/replay/cmdline"
	"replay/engine/scenario"
	"strings"
	"testing"
)

// A change calls its job by its number, its name or its id, and the number it stands for is that of [cmdline.JobCalled].
func TestChangesOfNamedJobs(t *testing.T) {
	jobs := func(yield func(cmdline.Called) bool) {
		for i, c := range []cmdline.Called{{Name: "nightly load", ID: "application_1_0001"}, {Name: "on call", ID: "7"}, {Name: "twice"}, {Name: "twice"}} {
			if c.Number = int64(i); !yield(c) {
				return
			}
		}
	}
	for _, tt := range []struct{ text, want, wrong string }{
		{"without job 1", "without job 1", ""},
		{"without job application_1_0001", "without job 0", ""},
		{"without  job nightly load ", "without job 0", ""},
		{"without job id 7", "without job 1", ""},
		{"container 3 of job on call on node not", "", "one of"},
		{"container 3 of job on call not on h", "container 3 of job 1 not on h", ""},
		{"container 3 of job on call on h", "container 3 of job 1 on h", ""},
		{"without job twice", "", `--change "without job twice": 2 jobs are called "twice", by number: 2, 3`},
		{"without job hourly", "", `--change "without job hourly": none of the 4 jobs of the trace, 0 to 3, has the number, name or id "hourly"; near it: `},
		{"without job", "", "one of"},
		{"container x of job twice on h", "", `"x" is no number`},
		{"container 3 of job twice", "", "one of"},
		{"keep node h", "keep node h", ""},
	} {
		change, err := ParseChange(tt.text)
		if err == nil {
			change, err = Numbered(change, "the trace", jobs)
		}
		switch {
		case tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)):
			t.Errorf("%q: %v, want %q", tt.text, err, tt.wrong)
		case tt.wrong == "" && (err != nil || change.Text != tt.want):
			t.Errorf("%q: %q, %v; want %q", tt.text, change.Text, err, tt.want)
		}
	}
}

// A name that has not been looked up stands for no job, whoever forgets it.
func TestUnnumberedChangeIsRefused(t *testing.T) {
	change, err := ParseChange("without job nightly")
	if err != nil {
		t.Fatal(err)
	}
	o := scenario.DefaultOptions()
	o.Changes = []scenario.Change{change}
	open, err := cmdline.OpenTrace("../../../traces/fair-weights")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	if _, err := scenario.FromTrace(open, o); err == nil || !strings.Contains(err.Error(), `--change "without job nightly": there is no job 9223372036854775807`) {
		t.Errorf("error is %v", err)
	}
}
