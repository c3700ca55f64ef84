package main

import (
	"os"
	"strings"
	"testing"

	"replay/cmd/replay/command"
	"replay/policy"
	"replay/trace/importer/importtest"
)

// asProgram makes the test's own binary the program.
const asProgram = "REPLAY_SAMPLES_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(command.Main(policy.Tables{}))
	}
	os.Exit(m.Run())
}

// program returns the program as a file.
func program(t *testing.T) string {
	t.Setenv(asProgram, "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// A sample is replayed under each scheduler; counts that it has not, another format and an input that is not there are told.
func TestRun(t *testing.T) {
	fixtures := []sample{
		{"grid", "gwf", "IN/gwf/grid.gwf --nodes 3", counts{"jobs": 2}},
		{"counts", "gwf", "IN/gwf/grid.gwf --nodes 3", counts{"jobs": 2, "read.jobs": 99}},
		{"format", "swf", "IN/gwf/grid.gwf --nodes 3", nil},
		{"nothing", "gwf", "IN/gwf/none.gwf --nodes 3", nil},
	}
	var out strings.Builder
	bad, err := run(t.Context(), &out, fixtures, program(t), "../../trace/importer/testdata", "*", schedulers)
	if err != nil || bad != 3 {
		t.Errorf("%d are wrong, %v; want 3", bad, err)
	}
	blocks := strings.Split(out.String(), "\n")
	for i, want := range []string{"sample", "grid", "counts", "    read.jobs is", "format", "    import auto says", "nothing", "    import: exit status 3"} {
		if !strings.HasPrefix(blocks[i], want) {
			t.Errorf("line %d is %q, want %s…", i, blocks[i], want)
		}
	}
	if row := blocks[1]; strings.Count(row, " s") != 2+len(schedulers) || strings.Contains(row, "FAILED") {
		t.Errorf("%q, want CPU seconds of an import, a check and a replay for each scheduler", row)
	}
}

// Every sample is recognised, imports with the counts that it has, and follows all rules.
func TestSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("imports 25 million tasks")
	}
	folder := importtest.Sample(t, ".")
	var out strings.Builder
	if bad, err := run(t.Context(), &out, list, program(t), folder, "*", nil); bad > 0 || err != nil {
		t.Errorf("%d are wrong, %v\n%s", bad, err, out.String())
	}
}
