package counted

import (
	"strings"
	"testing"
)

// One of several things is said in the singular, with what is said of it behind its name.
func TestThings(t *testing.T) {
	for things, want := range map[string]string{
		"queue changes":                                "queue change",
		"files that are not read":                      "file that is not read",
		"sizes of nodes":                               "size of nodes",
		"inputs left out":                              "input left out",
		"files given twice":                            "file given twice",
		"dependencies":                                 "dependency",
		"executors removed":                            "executor removed",
		"task ends NODE LOCAL":                         "task end NODE LOCAL",
		"tasks never launched":                         "task never launched",
		"delays below zero":                            "delay below zero",
		"memory of tasks":                              "memory of tasks",
		"set spark.executor.cores":                     "set spark.executor.cores",
		"ids of applications that had that of another": "id of applications that had that of another",
		"stages run again for lost output":             "stage run again for lost output",
		"tasks whose block has moved":                  "task whose block has moved",
		"tasks that run as long as their job":          "task that runs as long as their job",
		"events that do not fit the one before":        "event that does not fit the one before",
		"outcomes other than success failed or killed": "outcome other than success failed or killed",
		"task core ms":                                 "task core ms",
		"input bytes 0":                                "input byte 0",
	} {
		if got := Things(1, strings.ReplaceAll(things, " ", "_")); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := Things(2, strings.ReplaceAll(things, " ", "_")); got != things {
			t.Errorf("%q, want %q", got, things)
		}
	}
}
