package driver

import (
	"slices"

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

// Sized returns a job as containers will be asked for: j, with the executors of each stage as they will be, whatever decided that. Its tasks are those of j. The
// error says why the job can't run, as that of [Kind.Plan].
func (k *Kind) Sized(j *trace.Job) (*trace.Job, error) {
	set, err := k.settings(j)
	if err != nil {
		return nil, err
	}
	sized := *j
	sized.TaskCPUs, sized.Stages = int32(set.profiles[0].cpus), slices.Clone(j.Stages)
	for i := range sized.Stages {
		s := &sized.Stages[i]
		p := &set.profiles[s.Profile]
		s.ExecMemMiB, s.ExecVCores, s.ExecExtra = p.size[resource.Memory], int32(p.cores), nil
		for n := resource.VCores + 1; n < min(len(k.Types), resource.MaxTypes); n++ {
			if p.size[n] > 0 {
				s.ExecExtra = append(s.ExecExtra, trace.NamedValue{Name: k.Types[n], Value: p.size[n]})
			}
		}
		if p.limited {
			s.ExecTasks = int32(p.perExec)
		}
	}
	return &sized, nil
}
