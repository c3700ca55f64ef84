package conf

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"replay/engine/remark"
	"replay/engine/spelling"
)

// followed are the keys that are read.
var followed = sync.OnceValue(func() map[string]bool {
	keys := map[string]bool{heapRatio: true}
	if _, err := New(func(key string) (string, bool) { keys[key] = true; return "", false }); err != nil {
		panic(err) // the defaults are no error
	}
	return keys
})

// Follows reports whether a key is read.
func Follows(key string) bool { return followed()[key] }

// sizing are those that enter the sizes of the containers of tasks.
var sizing = sync.OnceValue(func() map[string]bool {
	keys := map[string]bool{heapRatio: true}
	r := &reader{values: func(key string) (string, bool) { keys[key] = true; return "", false }}
	for _, kind := range []string{"map", "reduce"} {
		r.sizeOfTask(kind)
	}
	return keys
})

// SizesTasks reports whether a key enters the sizes of the containers of tasks.
func SizesTasks(key string) bool { return sizing()[key] }

// UnknownKey is the error of a single key that is not read.
type UnknownKey struct{ Key string }

func (e *UnknownKey) Error() string {
	text := e.Key + " is not followed: it is no key of MapReduce, or decides nothing in a replay"
	known := slices.Sorted(maps.Keys(followed()))
	if close := append(spelling.Called(e.Key, known), spelling.Nearest(e.Key, known, 1)...); len(close) > 0 {
		text += fmt.Sprintf("; did you mean %s?", close[0])
	}
	return text
}

// Renamed are older names of keys that are followed, with the names by which MapReduce knows them.
//
// Source: ConfigUtil.addDeprecatedKeys.
var Renamed = map[string]string{
	"mapred.job.map.memory.mb":                    "mapreduce.map.memory.mb",
	"mapred.job.reduce.memory.mb":                 "mapreduce.reduce.memory.mb",
	"mapred.map.child.java.opts":                  "mapreduce.map.java.opts",
	"mapred.reduce.child.java.opts":               "mapreduce.reduce.java.opts",
	"mapred.map.max.attempts":                     "mapreduce.map.maxattempts",
	"mapred.reduce.max.attempts":                  "mapreduce.reduce.maxattempts",
	"mapred.map.tasks.speculative.execution":      "mapreduce.map.speculative",
	"mapred.reduce.tasks.speculative.execution":   "mapreduce.reduce.speculative",
	"mapred.max.map.failures.percent":             "mapreduce.map.failures.maxpercent",
	"mapred.max.reduce.failures.percent":          "mapreduce.reduce.failures.maxpercent",
	"mapred.max.tracker.failures":                 "mapreduce.job.maxtaskfailures.per.tracker",
	"mapred.reduce.slowstart.completed.maps":      "mapreduce.job.reduce.slowstart.completedmaps",
	"mapred.speculative.execution.speculativeCap": "mapreduce.job.speculative.speculative-cap-running-tasks",
	"mapred.task.timeout":                         "mapreduce.task.timeout",
}

// Remarks returns what is to be said of the keys of a mapred-site.xml, or of single keys, and the error of a value that no job could run with.
func Remarks(values map[string]string) (remark.List, error) {
	r := &reader{values: func(key string) (string, bool) { v, ok := values[key]; return v, ok }}
	r.conf()
	out := r.odd
	known := slices.Concat(slices.Sorted(maps.Keys(followed())), slices.Sorted(maps.Keys(Renamed)))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if Follows(key) {
			continue
		}
		if name, right := misnamed(key); right != "" {
			r.wrong(key, values[key], right+": MapReduce fails a job whose tasks ask for a resource named "+name)
			continue
		}
		near := spelling.Nearest(key, known, 1)[0]
		if called := spelling.Called(key, known); called != nil {
			near = called[0]
		}
		if spelling.Near(key, near) || strings.HasSuffix(near, "."+key) {
			out.Add(remark.Odd, 0, key, "unknown, so it has no effect; probably "+near+" is meant")
			continue
		}
		if why := unmodelled(key, values[key]); why != "" && values[key] != "" {
			out.Add(remark.Unmodelled, 0, key+"="+values[key], why)
			continue
		}
		out.Add(remark.NoEffect, 0, key, "it has no part in scheduling, or the trace has its effect")
	}
	return out, r.err
}

// classes are keys that name a class, with the one that is modelled and what it does.
var classes = map[string][2]string{
	"yarn.app.mapreduce.am.job.speculator.class":     {"org.apache.hadoop.mapreduce.v2.app.speculate.DefaultSpeculator", "chooses the tasks to speculate on"},
	"yarn.app.mapreduce.am.job.task.estimator.class": {"org.apache.hadoop.mapreduce.v2.app.speculate.LegacyTaskRuntimeEstimator", "estimates how long tasks take"},
}

// misnamed says of a key that asks for a resource by the last part of another key, which no cluster has, which key is meant; "" for others.
//
// Source: TaskAttemptImpl.populateResourceCapability, which finds no resource of this name; YARNRunner alone knows these names.
func misnamed(key string) (name, right string) {
	for _, prefix := range []string{"mapreduce.map.", "mapreduce.reduce."} {
		switch name, _ := strings.CutPrefix(key, prefix+"resource."); name {
		case "mb":
			return name, prefix + "memory.mb"
		case "cpu-vcores":
			return name, prefix + "cpu.vcores"
		}
	}
	return "", ""
}

// unmodelled says why a key that decides what a job asks for is not followed, "" for others.
//
// Source: MRJobConfig, TaskAttemptImpl.populateResourceCapability, YARNRunner.generateResourceRequests.
func unmodelled(key, value string) string {
	if c, ok := classes[key]; ok && value != c[0] {
		return c[0][strings.LastIndex(c[0], ".")+1:] + " " + c[1] + ", whatever the key says"
	}
	if strings.HasPrefix(key, "mapreduce.reduce.shuffle.max-fetch-failures-") {
		return "outputs of maps can be fetched as long as their node is there"
	}
	for _, prefix := range []string{"mapreduce.map.resource.", "mapreduce.reduce.resource.", "yarn.app.mapreduce.am.resource."} {
		if strings.HasPrefix(key, prefix) {
			return "containers ask for memory and vcores by the keys that are followed"
		}
	}
	if strings.HasSuffix(key, ".node-label-expression") {
		return "nodes have no labels"
	}
	if key == "mapreduce.job.queuename" && value != "default" {
		return remark.OwnQueues
	}
	return ""
}
