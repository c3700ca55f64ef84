package command

import (
	"fmt"
	"path/filepath"
	"slices"

	"replay/cmd/replay/cmdline"
	"replay/engine/record"
	"replay/input"
	"replay/report/quantity"
	"replay/report/result"
	"replay/trace"
)

// traceOf opens the trace of a result; a command with the flag --trace says where it is, where it is not found.
func (r *stored) traceOf(where, command string) (*trace.Trace, error) {
	file := filepath.Join(r.dir, "run.json")
	text, err := input.ReadFile(file)
	if err != nil {
		return nil, err
	}
	_, wanted, _, err := readDescribed(text)
	if err != nil {
		return nil, err
	}
	var given []string
	if where != "" {
		given = []string{where}
	}
	dirs, err := findTraces(file, command, wanted, given)
	if err != nil {
		return nil, saidByFlag(err)
	}
	return cmdline.OpenTrace(dirs[0])
}

// unsubmitted says of a name that no job of a result has why the job of its trace that has it is not there; "" where there is no such job, or the trace is not at hand.
func (r *stored) unsubmitted(data *result.Data, where, name string) string {
	m := &data.Manifest
	if m.TraceJobs == int64(data.Jobs.Len()) || m.Window != nil { // jobs of a window have numbers of their own
		return ""
	}
	t, err := r.traceOf(where, "explain")
	if err != nil {
		return ""
	}
	defer t.Close()
	var called []cmdline.Called      // position is the number
	dependsOn := map[int64][]int64{} // of jobs that were not submitted
	for j, err := range trace.All(t.Jobs()) {
		if err != nil {
			return ""
		}
		called = append(called, cmdline.Called{Number: j.ID, Name: j.Name, ID: j.ExternalID})
		if len(j.DependsOn) > 0 && data.Jobs.Find(j.ID) == nil {
			dependsOn[j.ID] = slices.Clone(j.DependsOn)
		}
	}
	id, err := cmdline.JobCalled(name, "the trace", slices.Values(called))
	if err != nil || data.Jobs.Find(id) != nil {
		return ""
	}
	words := func(id int64) string { return record.JobCalled(id, called[id].Name, called[id].ID) }
	text := fmt.Sprintf("%s of the trace was never submitted in this replay, which ends at %s, so nothing of it is known", words(id), quantity.MS.Amount(float64(m.Totals.EndMS)))
	for _, before := range dependsOn[id] {
		switch b := data.Jobs.Find(before); {
		case b == nil:
			return text + fmt.Sprintf(": it begins after %s (depends_on), which was not submitted either", words(before))
		case !result.Happened(b.Finish):
			return text + fmt.Sprintf(": it begins after %s (depends_on), which had not ended", words(before))
		}
	}
	return text
}
