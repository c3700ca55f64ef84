package tracecmd

import "testing"

// One of several things is said in the singular, with what is said of it behind its name.
func TestCountedThings(t *testing.T) {
	for things, want := range map[string]string{
		"queue changes":                                "1 queue change",
		"files that are not read":                      "1 file that is not read",
		"sizes of nodes":                               "1 size of nodes",
		"inputs left out":                              "1 input left out",
		"files given twice":                            "1 file given twice",
		"dependencies":                                 "1 dependency",
		"executors removed":                            "1 executor removed",
		"task ends NODE LOCAL":                         "1 task end NODE LOCAL",
		"tasks never launched":                         "1 task never launched",
		"delays below zero":                            "1 delay below zero",
		"memory of tasks":                              "1 memory of tasks",
		"set spark.executor.cores":                     "1 set spark.executor.cores",
		"ids of applications that had that of another": "1 id of applications that had that of another",
	} {
		if got := countedThings(1, things); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := countedThings(2, things); got != "2 "+things {
			t.Errorf("%q, want 2 %s", got, things)
		}
	}
}
