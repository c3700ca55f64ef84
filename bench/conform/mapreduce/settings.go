package mapreduce

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"replay/bench/conform/golden"
	"replay/engine/mapreduce/conf"
)

// settings are texts of a job's settings: refused by a part of MapReduce that reads them, or the values that these read.
//
// Source: Configuration, JobConf, MRJobConfUtil, DefaultSpeculator, TaskHeartbeatHandler, TaskAttemptImpl.populateResourceCapability,
// YARNRunner.generateResourceRequests.
var settings = golden.Kind{
	Name:  "mapreduce settings",
	Of:    golden.AnswersOf("JobConf, TaskAttemptImpl, YARNRunner"),
	Match: func(_ string, first golden.Shape) bool { return first.Text("kind") == "mapreduce_settings" },
	Run:   golden.Cases(runMapReduceSettings),
}

type mapReduceSettingsCase struct {
	ID      int64
	Conf    map[string]string
	Refused string // by MapReduce
	Mistake string // a key with a value that MapReduce takes and that can only be a mistake, so a replay refuses it
	Values  map[string]json.RawMessage
}

func runMapReduceSettings(c *mapReduceSettingsCase, out *golden.Results) {
	id := fmt.Sprint(c.ID)
	got, err := conf.New(func(key string) (string, bool) { v, ok := c.Conf[key]; return v, ok })
	if !golden.Refused(id, c.Refused+c.Mistake, err, c.Conf, out) {
		values := jobValues(got)
		if _, ok := c.Values["uber_room"]; !ok { // as vectors before it was looked at
			delete(values, "uber_room")
		}
		golden.SameValues(id, values, c.Values, sameJobValue, c.Conf, out)
	}
}

// jobValues are the values of a case by its names; times are in ms, or in seconds where the name ends in _s.
func jobValues(c *conf.Conf) map[string]any {
	a, s := &c.Allocator, &c.Speculation
	return map[string]any{
		"slow_start": a.SlowStart, "ramp_up": a.RampUpLimit, "preemption": a.PreemptionLimit, "unconditional_s": a.UnconditionalPreemptS, "preempt_s": a.PreemptDelayS,
		"running_maps": a.RunningMaps, "running_reduces": a.RunningReduces, "blacklisting": a.Blacklisting, "per_node": a.FailuresPerNode, "opportunistic": a.OpportunisticMapsPercent,
		"speculation": []int64{int64(s.Allowed), s.RetryIdleMS, s.RetryMS}, "cap_running": s.RunningCap, "cap_total": s.TotalCap,
		"uber": c.Uber.Enabled, "uber_bytes": c.Uber.Bytes, "uber_map": golden.Amounts(c.Map.Uber, 2), "uber_reduce": golden.Amounts(c.Reduce.Uber, 2), "uber_limits": []int{c.Uber.Maps, c.Uber.Reduces}, "uber_room": golden.Amounts(c.Uber.Room, 2),
		"heartbeat": c.HeartbeatMS, "refused": c.RefusedMS, "timeouts": []int64{c.TaskTimeoutMS, c.StuckMS, c.CheckMS}, "report": c.ReportMS,
		"finish": c.FinishWhenReducesDone, "recovery": c.Recovery, "am_attempts": c.AMMaxAttempts,
		"attempts": []int{c.Map.MaxAttempts, c.Reduce.MaxAttempts}, "failures": []int{c.Map.FailuresMaxPercent, c.Reduce.FailuresMaxPercent},
		"speculative": []bool{c.Map.Speculative, c.Reduce.Speculative},
		"map":         golden.Amounts(c.Map.Size, 2), "reduce": golden.Amounts(c.Reduce.Size, 2), "am": golden.Amounts(c.AMSize, 2),
	}
}

// sameJobValue compares a value with JSON; a float32 is written with as many digits as it takes.
func sameJobValue(is any, want string) bool {
	switch v := is.(type) {
	case float32:
		w, err := strconv.ParseFloat(want, 32)
		return err == nil && float32(w) == v
	case float64:
		w, err := strconv.ParseFloat(want, 64)
		return err == nil && w == v
	}
	return golden.Text(is) == strings.TrimSpace(want)
}
