package spark

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"replay/bench/conform/golden"
)

// exclusionLimits are the settings below spark.excludeOnFailure that a case may have as members of their own, in snake case with
// the point as an underscore: stage_max_failed_tasks_per_executor.
var exclusionLimits = []string{
	"task.maxTaskAttemptsPerExecutor", "task.maxTaskAttemptsPerNode", "stage.maxFailedTasksPerExecutor", "stage.maxFailedExecutorsPerNode",
	"application.maxFailedTasksPerExecutor", "application.maxFailedExecutorsPerNode",
}

// UnmarshalJSON keeps the members that are no fields.
func (c *taskSetConf) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &c.taskSetSettings); err != nil {
		return err
	}
	if err := json.Unmarshal(b, &c.others); err != nil {
		return err
	}
	fields := reflect.TypeFor[taskSetSettings]()
	for i := range fields.NumField() {
		delete(c.others, fields.Field(i).Tag.Get("json"))
	}
	return nil
}

// keys are the members that are settings of Spark: limits of exclusion, and those that are called as Spark calls them. why names one
// that is neither.
func (c *taskSetConf) keys() (keys map[string]string, why string) {
	keys = map[string]string{}
	limits := map[string]string{}
	for _, limit := range exclusionLimits {
		limits[snake(limit)] = "spark.excludeOnFailure." + limit
	}
	texts := golden.Properties(c.others)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		switch {
		case strings.HasPrefix(name, "spark."):
			keys[name] = texts[name]
		case limits[name] != "":
			keys[limits[name]] = texts[name]
		default:
			return nil, "conf has " + name + ", which is not read"
		}
	}
	return keys, ""
}

// snake is a name of Java in snake case.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == '.':
			b.WriteByte('_')
		case r >= 'A' && r <= 'Z':
			b.WriteByte('_')
			b.WriteRune(r - 'A' + 'a')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
