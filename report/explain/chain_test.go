package explain

import (
	"encoding/json"
	"strings"
	"testing"

	"replay/report/reporttest"
)

// How a job was held back is said with the chain of jobs that led to it, by hand; of one that was not, that it was not, and of one that begins after none nothing.
func TestHeldBack(t *testing.T) {
	d := reporttest.DataOf(t, reporttest.InChains)
	said := func(id int64) (text, told string) {
		h := Back(d.Jobs.Chain(id))
		if h == nil {
			return "", ""
		}
		var b strings.Builder
		h.writeText(&b)
		j, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(b.String()), " "), string(j)
	}
	for id, want := range [][2]string{0: {}, 4: {},
		1: {"901 ms held back before its submission, from its own time at 100 ms on It begins after the end of 1 job (depends_on), of which the last was that of job 0. In the chain of jobs that led to it each was held back until the one before had ended; " +
			"from its first submission to that of this job it took 1.00 s, 1 ms of it between the end of one and the submission of the next: " +
			"job own time held back submitted first task after took job 0 0 s 0 s 0 s – 1.00 s job 1 100 ms 901 ms 1.00 s – 1.00 s",
			`{"depends_on":1,"own_submit_ms":100,"held_ms":901,"held_by":0,"chain":[{"job":0,"name":"","external_id":"","own_submit_ms":0,"submit_ms":0,"first_task_ms":null,"finish_ms":1000},{"job":1,"name":"","external_id":"","own_submit_ms":100,"submit_ms":1001,"first_task_ms":null,"finish_ms":2001}]}`},
		5: {"It begins after the end of 1 job (depends_on), and was not held back.",
			`{"depends_on":1,"own_submit_ms":1600,"held_ms":0,"held_by":null,"chain":[{"job":5,"name":"","external_id":"","own_submit_ms":1600,"submit_ms":1600,"first_task_ms":null,"finish_ms":2600}]}`},
	} {
		if id == 2 || id == 3 {
			continue
		}
		if text, told := said(int64(id)); text != want[0] || told != want[1] {
			t.Errorf("job %d: %s\n%s", id, text, told)
		}
	}
	if text, _ := said(3); !strings.Contains(text, "took 2.60 s, 600 ms of it between") || !strings.Contains(text, "job 2 200 ms 1.30 s 1.50 s – 1.00 s job 3 2.60 s 1 ms 2.60 s") {
		t.Error(text)
	}
}
