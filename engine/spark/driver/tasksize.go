package driver

import (
	"replay/engine/record"
	"replay/policy/resource"
	"replay/trace"
)

// TaskSizes returns what one task of each stage of a job takes where containers play no part: spark.task.cpus vcores, and the share of
// the executor's container, as it would be asked for, that falls to one of the tasks that run in it at a time, rounded down to MiB.
// The error says why the job can't run, as that of [Kind.Plan].
func (k *Kind) TaskSizes(j *trace.Job) ([]resource.Resource, []record.Warning, error) {
	set, err := k.settings(j)
	if err != nil {
		return nil, nil, err
	}
	sizes := make([]resource.Resource, len(j.Stages))
	for i := range j.Stages {
		p := &set.profiles[j.Stages[i].Profile]
		sizes[i] = resource.R(p.size[resource.Memory]/int64(p.perExec), int64(max(p.cpus, 1)))
	}
	return sizes, set.warnings, nil
}
