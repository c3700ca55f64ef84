package sparkonyarn

import (
	"fmt"
	"slices"
	"strings"

	"replay/trace"
	"replay/trace/importer/eventlog"
	"replay/trace/importer/recorded"
)

type stageAttempt struct {
	app            string
	stage, attempt int32
}

// stagePreferences are the preferred hosts and executors of the tasks of a stage attempt, by index or by partition.
type stagePreferences struct {
	App         string     `json:"app"`
	Stage       int32      `json:"stage"`
	Attempt     int32      `json:"attempt"`
	ByTask      [][]string `json:"by_task"`
	ByPartition [][]string `json:"by_partition_now"`
}

const preferencesFile = "task-preferences.jsonl.gz"

const executorPreference = "executor_" // of a cached block: executor_HOST_ID

// setPreferences gives every task the preferred hosts that its stage had when it was submitted first.
// A preferred executor is a cached block: it goes into CacheOf, not into hosts. The preferences of tasks that
// read shuffle output follow from where the parents ran: a replay derives its own, and they are left out.
func (s *scenario) setPreferences(a *eventlog.Application, app string) error {
	if s.unasked {
		s.preferBlocks(a)
		return nil
	}
	for i := range a.Job.Stages {
		st := &a.Job.Stages[i]
		id := a.Recorded.Stages[i].SparkStage
		prefs, withHosts, cached := make([][]int32, st.Tasks.Len()), int64(0), int64(0)
		for k, t := range a.Tasks[i] {
			p := s.preferences[stageAttempt{app, id, t.Attempt}]
			if p == nil {
				s.Counts.Dropped[recorded.UnaskedTasks]++
				continue
			}
			list, at := p.ByTask, t.Index
			if list == nil {
				list, at = p.ByPartition, t.Partition
			}
			if at < 0 || int(at) >= len(list) {
				return fmt.Errorf("stage %d attempt %d: task %d has no preferences, recorded are %d", id, t.Attempt, at, len(list))
			}
			for _, name := range list[at] {
				if rest, ok := strings.CutPrefix(name, executorPreference); ok {
					cached++
					if st.CacheOf != trace.Unset {
						continue
					}
					if name = rest; strings.Contains(rest, "_") {
						name = rest[:strings.LastIndexByte(rest, '_')]
					}
					s.Counts.Modelled["cached_blocks_as_preferred_hosts"]++
				}
				if n := a.Host(name); !slices.Contains(prefs[k], n) {
					prefs[k] = append(prefs[k], n)
				}
			}
			withHosts += int64(min(len(prefs[k]), 1))
		}
		if cached == 0 && st.CacheOf != trace.Unset {
			st.CacheOf = trace.Unset
			s.Counts.Modelled["stages_with_cached_input"]--
		}
		s.Counts.Read["tasks_with_recorded_hosts"] += withHosts
		s.Counts.Read["tasks_with_recorded_executors"] += cached
		if len(st.Parents) > 0 && st.Tasks.InputBytes == nil && st.CacheOf == trace.Unset {
			s.Counts.Dropped["preferences_for_shuffle_output"] += withHosts
			continue
		}
		st.Tasks.SetPrefs(prefs)
	}
	return nil
}
