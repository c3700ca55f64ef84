package spark

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"replay/bench/conform/golden"
	"replay/engine/spark/conf"
)

// settings are texts of settings: refused, or the value of each that differs from its default, in the unit of its key, and what
// follows from them.
//
// Source: ConfigBuilder, JavaUtils.timeStringAs and byteStringAs, SparkConf.validateSettings, HealthTracker, HeartbeatReceiver,
// ExecutorAllocationManager.validateSettings, Client.createApplicationSubmissionContext, YarnAllocator.
var settings = golden.Kind{
	Name:  "spark settings",
	Of:    golden.AnswersOf("SparkConf, ConfigEntry, Client, YarnAllocator"),
	Match: func(_ string, first golden.Shape) bool { return first.Text("kind") == "settings" },
	Run:   golden.Cases(runSparkSettings),
}

type sparkSettingsCase struct {
	ID      string
	Conf    map[string]string
	Refused string // by Spark
	Mistake string // a key with a value that Spark takes and that can only be a mistake, so a replay refuses it
	Values  map[string]json.RawMessage

	// What follows from the values: the sizes of containers for the application master and executors (am, executor: amounts of settingTypes), tasks
	// that an executor runs at a time (slots), attempts (0: as the cluster says), priority, the times in ms of a question to the application master (ask), of
	// silent executors (silence) and of exclusion (excluded_for), whether anything is excluded for failures (excludes), the share of executors that must
	// register (ratio), how long in ms a failed executor counts (validity, below 1: for ever), and executors at first of dynamic allocation (initial, -1: none).
	Said map[string]json.RawMessage
}

// settingTypes are the types of resources that the cases have, in the order of the amounts of a size.
var settingTypes = []string{"memory-mb", "vcores", "yarn.io/gpu", "yarn.io/fpga"}

func runSparkSettings(c *sparkSettingsCase, out *golden.Results) {
	got, _, err := conf.Parse(conf.Layer{Name: "conf", Strict: true, Values: c.Conf})
	if golden.Refused(c.ID, c.Refused+c.Mistake, err, c.Conf, out) {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(settingOf)) {
		is := settingOf[key](got)
		want, differs := c.Values[key]
		if differs && sameSetting(is, string(want)) || !differs && is == settingOf[key](noSettings) {
			continue
		}
		out.AddDifferent(golden.Difference{Case: c.ID, Expected: string(want), Got: is, State: key})
		return
	}
	am, amErr := got.AMSize(settingTypes)
	executor, executorErr := got.ContainerSize(conf.DefaultProfile, settingTypes)
	said := map[string]any{
		"am": golden.Amounts(am, len(settingTypes)), "executor": golden.Amounts(executor, len(settingTypes)), "slots": got.TasksPerExecutor(conf.DefaultProfile),
		"attempts": max(got.MaxAppAttempts, 0), "priority": got.YarnPriority, "ask": got.AskTimeout, "silence": got.SilenceTimeout, "initial": -1,
		"excludes": got.Exclude.Enabled, "excluded_for": got.Exclude.Timeout, "ratio": got.MinRegisteredRatio, "validity": got.FailuresValidity,
	}
	if err := errors.Join(amErr, executorErr); err != nil {
		said["error of a size"] = err.Error()
	}
	if got.DynamicAllocation {
		said["initial"] = got.InitialTarget()
	}
	same := func(is any, want string) bool { return golden.Text(is) == want || sameSetting(is, want) }
	golden.SameValues(c.ID, said, c.Said, same, c.Conf, out)
}

// noSettings is a configuration without any.
var noSettings = func() *conf.Conf {
	c, _, err := conf.Parse()
	if err != nil {
		panic(err)
	}
	return c
}()
