package depend

import (
	"fmt"

	"replay/engine/record"
)

// Codes of the warnings of a replay.
const (
	WasHeld        = "depends"       // jobs were held back until others had ended: [Held.Said]
	NeverSubmitted = "depends-unmet" // jobs were still held back at the end: [Jobs.NeverSubmitted]
)

// Said says that the job is submitted later than at its own time, as it begins after the end of another. What is measured of it does not have that time.
// The text has no time: replays of other seeds and variants say the same, which is shown once.
func (h *Held) Said() string {
	return fmt.Sprintf("%s was submitted later than the trace has it, as it begins after the end of job %d (depends_on); its wait and duration count from then",
		record.JobCalled(h.Job.ID, h.Job.Name, h.Job.ExternalID), h.By)
}

// NeverSubmitted says that jobs were not submitted, as others on which they depend had not ended when the replay did; empty for none.
func (d *Jobs) NeverSubmitted() string {
	jobs := d.left()
	if len(jobs) == 0 {
		return ""
	}
	j := jobs[0]
	called := record.JobCalled(j.ID, j.Name, j.ExternalID)
	if len(jobs) == 1 {
		return fmt.Sprintf("%s was not submitted, and is in no number, as not all after whose end it begins (depends_on: %s) had ended when the replay did", called, others(j.DependsOn))
	}
	return fmt.Sprintf("%d jobs were not submitted, and are in no number, as others after whose end they begin (depends_on) had not ended when the replay did; the first: %s, after %s",
		len(jobs), called, others(j.DependsOn))
}

func others(ids []int64) string {
	text := fmt.Sprintf("job %d", ids[0])
	if n := len(ids) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
