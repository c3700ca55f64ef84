package metric

import (
	"fmt"

	"replay/engine/record"
	"replay/report/result"
)

// A job is alone in what is over task attempts when it has more than this part of them, among so many jobs that a reader takes their number for that of witnesses.
const (
	loneShare = 0.5
	loneAmong = 10
)

// Lone is the job that has more than half of the task attempts that were launched, as people call it, and its share of them, 0 to 1; "" where none has, and among few jobs.
// Means and percentiles over task attempts and containers are mostly of this job then, however many there are.
func (s *Summary) Lone() (name string, share float64) {
	var most result.Job
	all, jobs := int64(0), 0
	for j := range s.Jobs.All() {
		all, jobs = all+j.TaskWaits, jobs+1
		if j.TaskWaits > most.TaskWaits {
			most = *j
		}
	}
	if share = float64(most.TaskWaits) / float64(max(all, 1)); jobs < loneAmong || share <= loneShare {
		return "", 0
	}
	return record.JobCalled(most.ID, most.Name, most.ExternalID), share
}

// loneJob says that numbers over task attempts and containers are mostly of one job.
func loneJob(s *Summary) string {
	name, share := s.Lone()
	if name == "" {
		return ""
	}
	return fmt.Sprintf("%s of the task attempts are those of %s: what is over task attempts or containers is mostly its, not of the %d jobs.", percent(share), name, s.Outcome().Jobs)
}
