package trace

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// executor returns what an executor container has for the tasks of a stage of a Spark job: memory in MiB, vcores, further resources by YARN's names, and how many
// tasks these let it run at a time (0 = as many as its vcores do). A resource profile says it, or the job's own keys do: those of GPUs and FPGAs by Spark's
// names, all others by YARN's. Amounts with a unit are not in it: YARN's GPUs and FPGAs have none.
//
// Source: YarnAllocator.createYarnResourceForResourceProfile, ResourceProfile.calculateTasksAndLimitingResource.
func (j *Job) executor(s *Stage) (memMiB int64, vcores int32, further []NamedValue, tasks int64) {
	if s.ExecVCores > 0 && s.ExecMemMiB > 0 {
		return s.ExecMemMiB, s.ExecVCores, s.ExecExtra, int64(s.ExecTasks)
	}
	for _, kv := range j.Conf {
		key, ok := strings.CutSuffix(kv.Key, ".amount")
		if !ok {
			continue
		}
		name, yarn := strings.CutPrefix(key, "spark.yarn.executor.resource.")
		spark, own := strings.CutPrefix(key, "spark.executor.resource.")
		n, err := strconv.ParseInt(kv.Value, 10, 32)
		if !yarn && !own || err != nil || n <= 0 {
			continue
		}
		if own {
			each, err := strconv.ParseFloat(j.conf("spark.task.resource."+spark+".amount", "0"), 64)
			if err == nil && each > 0 {
				if limit := TasksServed(n, each); limit > 0 && (tasks == 0 || limit < tasks) {
					tasks = limit
				}
			}
			nameKey, device := SparkDevice(spark)
			if nameKey == "" {
				continue // YARN does not hear of it
			}
			name = j.conf(nameKey, device)
		}
		further = append(further, NamedValue{name, n})
	}
	return j.ExecMemMiB, j.ExecVCores, further, tasks
}

// ExecutorHas returns which further resources an executor of a Spark job has, by YARN's names, under one of its resource profiles; 0 is the job's own. A profile
// that no stage of the job has is not known.
func (j *Job) ExecutorHas(profile int32) (further []NamedValue) {
	s := &Stage{}
	if profile != 0 {
		at := slices.IndexFunc(j.Stages, func(s Stage) bool { return s.Profile == profile })
		if at < 0 {
			return nil
		}
		s = &j.Stages[at]
	}
	_, _, further, _ = j.executor(s)
	return further
}

// Devices of which YARN knows, by its names.
const (
	GPU  = "yarn.io/gpu"
	FPGA = "yarn.io/fpga"
)

// SparkDevice returns the key that has YARN's name for a resource of Spark's, and the name where that is not set. The key is "" for a resource that YARN
// hears of by Spark's own name, and in resource profiles alone.
//
// Source: ResourceRequestHelper.getResourceNameMapping.
func SparkDevice(name string) (key, without string) {
	switch name {
	case "gpu":
		return "spark.yarn.resourceGpuDeviceName", GPU
	case "fpga":
		return "spark.yarn.resourceFpgaDeviceName", FPGA
	}
	return "", name
}

// TasksServed returns how many tasks of a Spark job n of a resource serve at a time, each of which takes so much: above 0, a part of at most a half or whole ones.
//
// Source: ResourceProfile.calculateTasksAndLimitingResource.
func TasksServed(n int64, each float64) int64 {
	switch {
	case each <= 0.5:
		return n * int64(min(1/each, math.MaxInt32))
	case each > math.MaxInt32:
		return 0
	}
	return n / int64(math.Ceil(each))
}

// conf returns the value that a job sets for a key, or without one.
func (j *Job) conf(key, without string) string {
	if i := slices.IndexFunc(j.Conf, func(kv KeyValue) bool { return kv.Key == key }); i >= 0 {
		return j.Conf[i].Value
	}
	return without
}
