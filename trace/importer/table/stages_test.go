package table

import (
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// Stages that no column puts in an order start together, which is said, with what the times of their tasks say against it.
func TestStagesInNoOrder(t *testing.T) {
	const head = "job_id,stage,submit_time,start_time,end_time"
	const inTurn = "a,s0,0,1,5\na,s0,0,1,7\na,s1,0,7,9\n"
	const together = "b,s0,10,11,15\nb,s1,10,12,19\n"
	const alone = "c,s0,20,21,25\nc,s0,20,22,29\n"
	const said = "no column has the role parents: stages of a job start together; jobs of several: "
	for _, tt := range []struct{ name, text, want string }{
		{"one after the other", head + "\n" + inTurn + together + alone, said + "2; of them 1 where, by the times of the tasks, each stage began when the one before had ended"},
		{"at once", head + "\n" + together, said + "1"},
		{"without times", "job_id,stage,submit_time,duration\na,s0,0,5\na,s1,0,7\n", said + "1"},
		{"one stage", head + "\n" + alone, ""},
		{"an order", head + ",parents\na,s0,0,1,5,\na,s1,0,7,9,s0\n", ""},
	} {
		var warned []string
		path := importtest.WriteNew(t, "t.csv", tt.text)
		if _, _, err := importtest.Import(t, CSV, path, func(o *workload.Options) {
			o.Warn = func(text string) {
				if strings.Contains(text, "stages") {
					warned = append(warned, text)
				}
			}
		}); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := strings.Join(warned, "; "); got != tt.want {
			t.Errorf("%s: said %q, want %q", tt.name, got, tt.want)
		}
	}
}
