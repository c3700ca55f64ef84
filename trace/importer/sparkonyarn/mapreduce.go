package sparkonyarn

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"replay/trace"
	"replay/trace/importer/mapreduce"
	"replay/trace/importer/recorded"
	"replay/trace/importer/workload"
)

// MapReduceFormat is that of one recorded scenario of a MapReduce-on-YARN cluster: as [Format], with the task attempts of the job histories
// (tasks.jsonl.gz) in place of event logs. Applications of both kinds may be in one scenario.
var MapReduceFormat = workload.Format{
	Usage: "a recorded MapReduce-on-YARN cluster: one scenario folder",
	Detect: func(name string, head []byte) string {
		if isCluster(name, head) && bytes.Contains(head, []byte(mapReduceKey)) {
			return "nodes, settings of YARN and settings of MapReduce in cluster.json"
		}
		return ""
	},
	Folder: true,
	Read:   readCluster,
}

// tasksFile has the task attempts: of MapReduce from the job histories, of Spark what its event logs have too.
const tasksFile = "tasks.jsonl.gz"

// mapReduceAttempt is a task attempt of a job history. Times are absent where they did not happen.
type mapReduceAttempt struct {
	App       string   `json:"app"`
	Task      any      `json:"task"`
	Stage     *int32   `json:"stage"` // of a Spark application's task alone
	Type      string   `json:"type"`
	Container string   `json:"container"`
	Start     int64    `json:"start"`
	Finish    int64    `json:"finish"`
	Shuffled  int64    `json:"shuffle_finish"`
	Locality  string   `json:"locality"`
	Node      string   `json:"node"`
	Status    string   `json:"status"`
	Preferred []string `json:"preferred"`
}

// mapReduceContainer is what a container of a task or of an application master tells of its latencies.
type mapReduceContainer struct {
	Container string `json:"container"`
	App       string `json:"app"`
	AM        bool   `json:"am"`
	Assigned  int64  `json:"t_am_assigned"`
	JVMAsked  int64  `json:"t_jvm_asked"`
	NMDone    int64  `json:"t_nm_done"`
}

// mapReduceTask are the attempts of a task.
type mapReduceTask struct {
	done   *mapReduceAttempt // the one that succeeded
	failed int32
}

// readMapReduce reads the task attempts by application, and the containers.
func (s *scenario) readMapReduce() error {
	s.mapReduce, s.containersOf = map[string][]*mapReduceAttempt{}, map[string]*mapReduceContainer{}
	s.amDone = map[string]int64{}
	if err := eachLine(s, tasksFile, false, func(a *mapReduceAttempt, _ []byte) error {
		if a.Type == "" && a.Stage != nil {
			return nil // its event log has it
		}
		if a.Type != "MAP" && a.Type != "REDUCE" {
			return fmt.Errorf("type is %q, want MAP or REDUCE", a.Type)
		}
		if a.Status == "SUCCEEDED" && (a.Start <= 0 || a.Finish < a.Start) {
			return fmt.Errorf("start of a %s of %s is %d and finish %d, want when it began and, not before that, when it ended", a.Type, a.App, a.Start, a.Finish)
		}
		if a.Shuffled != 0 && (a.Shuffled < a.Start || a.Finish != 0 && a.Shuffled > a.Finish) {
			return fmt.Errorf("shuffle_finish of a %s of %s is %d, want one from start, %d, to finish, %d", a.Type, a.App, a.Shuffled, a.Start, a.Finish)
		}
		s.mapReduce[a.App] = append(s.mapReduce[a.App], a)
		s.Counts.Read["mapreduce_task_attempts"]++
		return nil
	}); err != nil || len(s.mapReduce) == 0 {
		return err
	}
	known := map[string]bool{}
	for _, list := range s.mapReduce {
		for _, a := range list {
			known[a.Container] = true
		}
	}
	lost := map[string]bool{}
	if err := eachLine(s, containersFile, false, func(c *mapReduceContainer, _ []byte) error {
		s.containersOf[c.Container] = c
		if c.AM && c.NMDone > 0 {
			s.amDone[c.App] = c.NMDone
		}
		if !c.AM && c.JVMAsked > 0 && s.mapReduce[c.App] != nil && !known[c.Container] {
			lost[c.Container] = true
		}
		return nil
	}); err != nil {
		return err
	}
	if n := len(lost); n > 0 {
		s.Counts.Dropped[recorded.LostAttempts] = int64(n)
		s.Warn("%s: has no task attempt of %d containers in which one ran: the trace lacks these attempts", filepath.Join(s.dir, tasksFile), n)
	}
	return nil
}

// mapReduceApplication makes the application of a job history.
func (s *scenario) mapReduceApplication(rec *recordedApp) error {
	conf := maps.Clone(s.setup.MapReduce)
	if conf == nil {
		conf = map[string]string{}
	}
	if sub := s.submits[rec.App]; sub != nil {
		maps.Copy(conf, sub.Conf)
	}
	a := &workload.Application{Job: *trace.NewJob(trace.KindMapReduce), Queue: rec.Queue, Manager: "YARN"}
	j := &a.Job
	j.Name, j.ExternalID, j.SubmitMS = rec.Name, rec.App, rec.Submitted
	j.RecordedStartMS = rec.Submitted
	master := mapreduce.Master(func(key string) string { return conf[key] })
	j.AMMemMiB, j.AMVCores = cmp.Or(master.MemMiB, mapreduce.MasterMiB), cmp.Or(master.VCores, 1)
	for _, key := range slices.Sorted(maps.Keys(conf)) {
		if strings.HasPrefix(key, "mapreduce.") || strings.HasPrefix(key, "yarn.app.mapreduce.") {
			j.Conf = append(j.Conf, trace.KeyValue{Key: key, Value: conf[key]})
		}
	}
	a.Recorded = &recorded.App{ID: rec.App, Name: rec.Name, SubmitMS: rec.Submitted, StartMS: rec.Submitted, ReadyMS: cmp.Or(rec.Registered, trace.Unset), FinishMS: trace.Unset}
	last, lastMap := int64(0), int64(0)
	var tasks [2][]mapReduceTask
	for _, x := range s.mapReduce[rec.App] {
		index, err := taskIndex(x.Task)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", s.dir, tasksFile, err)
		}
		list := &tasks[typeOf(x)]
		for len(*list) <= index {
			*list = append(*list, mapReduceTask{})
		}
		t := &(*list)[index]
		switch x.Status {
		case "SUCCEEDED":
			t.done = x
			last = max(last, x.Finish)
			if x.Type == "MAP" {
				lastMap = max(lastMap, x.Finish)
			}
		case "FAILED":
			t.failed++
		}
	}
	for i, list := range tasks {
		if len(list) == 0 {
			continue
		}
		st, seen := s.mapReduceStage(a, conf, i, list, lastMap)
		seen.SubmitMS = a.Recorded.ReadyMS // all tasks are there from the registration on
		a.Recorded.Stages = append(a.Recorded.Stages, seen)
		j.Stages = append(j.Stages, st)
	}
	if rec.Finished > 0 {
		j.RecordedFinishMS, a.Recorded.FinishMS = rec.Finished, rec.Finished
		if end := cmp.Or(s.amDone[rec.App], rec.Finished); last > 0 {
			j.TailMS = max(end-last, 0)
		}
	}
	j.RecordedOutcome = outcomeOf(rec)
	added, err := s.Add(a)
	s.added[rec.App] = s.added[rec.App] || added
	return err
}

func typeOf(a *mapReduceAttempt) int {
	if a.Type == "REDUCE" {
		return 1
	}
	return 0
}

// taskIndex reads the number of task_STAMP_JOB_m_000012.
func taskIndex(task any) (int, error) {
	name, _ := task.(string)
	parts := strings.Split(name, "_")
	n, err := strconv.ParseInt(parts[len(parts)-1], 10, 32)
	if err != nil || n < 0 || n > 1<<24 {
		return 0, fmt.Errorf("task %v, want as \"task_1795308165611_0001_m_000012\"", task)
	}
	return int(n), nil
}

// mapReduceStage makes the maps (type 0) or reduces (1). The process of an attempt began its work when it asked for it.
func (s *scenario) mapReduceStage(a *workload.Application, conf map[string]string, kind int, list []mapReduceTask, lastMap int64) (trace.Stage, recorded.Stage) {
	name := [...]string{"map", "reduce"}[kind]
	size := mapreduce.OfTask(func(key string) string { return conf[key] }, name)
	size.MemMiB, size.VCores = cmp.Or(size.MemMiB, 1024), cmp.Or(size.VCores, 1)
	tasks := make([]mapreduce.Task, len(list))
	for i := range list {
		x := list[i].done
		tasks[i] = mapreduce.Task{Failed: list[i].failed, WaitMS: trace.Unset, FetchMS: trace.Unset}
		if x == nil {
			continue
		}
		done := &mapreduce.Attempt{Begin: x.Start, Finish: x.Finish, Shuffled: x.Shuffled, Host: x.Node} // by its history: with the start of its process
		if c := s.containersOf[x.Container]; c != nil && c.JVMAsked > 0 && c.Assigned > 0 {
			done.Begin = c.JVMAsked
			done.DelayMS = max(c.JVMAsked-c.Assigned, 0)
		}
		switch x.Locality {
		case "NODE_LOCAL", "RACK_LOCAL":
			done.Locality = x.Locality
		default:
			done.Locality = [...]string{"ANY", "NO_PREF"}[kind]
		}
		tasks[i].Done, tasks[i].Preferred = done, x.Preferred
	}
	return mapreduce.Stage(s.Counts, a, kind, size, tasks, lastMap)
}
