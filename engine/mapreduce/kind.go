// Package mapreduce is a MapReduce job on YARN as the cluster sees it: its application master (MRAppMaster with JobImpl, TaskImpl and
// TaskAttemptImpl) around the allocator of engine/mapreduce/allocator. Each task runs in a container of its own.
//
// A [Kind] makes a master of each attempt of a job. Of a trace's job the stage without parents are the maps, and the one that reads it the reduces. Latencies
// and the cost of remote reads are the model's, docs/model.md.
package mapreduce

import (
	"fmt"
	"slices"
	"strconv"

	"replay/engine/mapreduce/allocator"
	"replay/engine/mapreduce/conf"
	"replay/engine/master"
	"replay/engine/model"
	"replay/engine/record"
	"replay/policy/resource"
	"replay/trace"
)

// Setup is what all MapReduce jobs of a replay have in common.
type Setup struct {
	Defaults map[string]string // of mapred-site.xml, under what is recorded with each job
	Over     map[string]string // single keys, over it
	File     string            // name of the user's mapred-site.xml, "" without one
	Keys     []string          // those of Over that are single keys
	Model    *model.Model
	CPU      bool // the ResourceManager says at registration that vcores count (SchedulerResourceTypes)
	// AMMS are the recorded times of jobs from the allocation of their application master to its registration, of each attempt, the last one for
	// further ones; trace.Unset where the model's counts.
	AMMS  map[int64][]int64
	Dense bool // each heartbeat and scan is executed, whether it can have an effect or not
}

// Kind is MapReduce as a kind of application.
type Kind struct {
	Setup
	histories map[int64]*history // of jobs that run
	jobs      int                // planned
	own       map[string]int     // by key of Defaults, how many jobs set it themselves
}

// NewKind returns MapReduce with this setup.
func NewKind(s Setup) *Kind {
	return &Kind{Setup: s, histories: map[int64]*history{}, own: map[string]int{}}
}

// The kinds of events, in the order of events.
const (
	evStopped master.EventKind = iota
	evTimeout
	evUnregister
	evHeartbeat
	evShuffled
	evDone
	evSetup
	evSpeculate
)

var events = []master.Event{
	evStopped:    {Name: "stop of a task attempt has been carried out", Class: master.Message, Number: "task attempt", Work: true},
	evTimeout:    {Name: "task attempt has said nothing for too long", Class: master.Message, Number: "task attempt", Work: true},
	evUnregister: {Name: "end of the job's commit", Class: master.Message, Work: true},

	evHeartbeat: {Name: "MapReduce application master's heartbeat", Class: master.Heartbeat},

	evShuffled: {Name: "reduce attempt has fetched its input", Class: master.Inbox, Number: "task attempt", Work: true},
	evDone:     {Name: "task attempt reports its end", Class: master.Inbox, Number: "task attempt", Work: true},
	evSetup:    {Name: "end of the job's setup", Class: master.Inbox, Work: true},

	evSpeculate: {Name: "look for MapReduce tasks to speculate on", Class: master.Timer},
}

// SetDense is part of [master.Literal].
func (k *Kind) SetDense(on bool) { k.Dense = on }

// Events is part of [master.Kind].
func (k *Kind) Events() []master.Event { return events }

// settings are those of a job.
type settings struct {
	*conf.Conf
	maps, reduces *trace.Stage // reduces is nil without any
	uber          bool
}

// Plan is part of [master.Kind].
func (k *Kind) Plan(j *trace.Job) (*master.Plan, error) {
	set, err := k.settings(j)
	if err != nil {
		return nil, err
	}
	return &master.Plan{
		AMSize: set.AMSize, AMStartMS: k.amStart(j.ID, 0), LaterAMStartsMS: k.laterAMStarts(j.ID), Priority: j.Priority, MaxAttempts: set.AMMaxAttempts,
		Warnings: k.warnings(set),
		Maker:    planned{k, set},

		WatchesNodes: true,
	}, nil
}

// TaskSizes returns what one task of each stage of a job takes where containers play no part: what its container would be asked for. The
// error says why the job can't run, as that of [Kind.Plan].
func (k *Kind) TaskSizes(j *trace.Job) ([]resource.Resource, error) {
	set, err := k.settings(j)
	if err != nil {
		return nil, err
	}
	sizes := make([]resource.Resource, len(j.Stages))
	for i := range j.Stages {
		sizes[i] = set.task(set.stage(true) == &j.Stages[i]).Size
	}
	return sizes, nil
}

// Sized returns a job as containers will be asked for: j, with the memory and vcores of the tasks of each stage as they will be, whatever decided that. The error is that of
// [Kind.Plan].
func (k *Kind) Sized(j *trace.Job) (*trace.Job, error) {
	sizes, err := k.TaskSizes(j)
	if err != nil {
		return nil, err
	}
	sized := *j
	sized.Stages = slices.Clone(j.Stages)
	for i := range sized.Stages {
		s := &sized.Stages[i]
		s.TaskMemMiB, s.TaskVCores, s.TaskMilliVCores = sizes[i][resource.Memory], int32(sizes[i][resource.VCores]), trace.Unset
		s.Tasks.MemMiB, s.Tasks.VCores = nil, nil
	}
	return &sized, nil
}

// planned are the masters of a job with these settings.
type planned struct {
	k   *Kind
	set *settings
}

// New is part of [master.Maker].
func (p planned) New(h master.Host, j *trace.Job) master.Master { return p.k.newMaster(h, j, p.set) }

// amStart is from the NodeManager's start of an application master to its registration.
func (k *Kind) amStart(job int64, attempt int) int64 {
	if list := k.AMMS[job]; attempt < len(list) && list[attempt] != trace.Unset {
		return max(list[attempt]-k.Model.NMStartMS, 0)
	}
	return k.Model.AMStartMS
}

func (k *Kind) laterAMStarts(job int64) (out []int64) {
	for n := 1; n < len(k.AMMS[job]); n++ {
		out = append(out, k.amStart(job, n))
	}
	return out
}

func (k *Kind) warnings(set *settings) (list []record.Warning) {
	if set.Allocator.OpportunisticMapsPercent > 0 {
		list = append(list, record.Warning{Code: "opportunistic", Text: "mapreduce.job.num-opportunistic-maps-percent is set: the ResourceManager allocates no opportunistic containers, these maps wait like others, without a preferred host"})
	}
	if set.Allocator.Preemption != allocator.PreemptNothing {
		list = append(list, record.Warning{Code: "am-preemption-policy", Text: "yarn.app.mapreduce.am.preemption.policy is set: the ResourceManager's messages of what it will preempt are not modelled, so applications give nothing back before it does"})
	}
	return list
}

// settings reads what a job sets: its own keys over those of the cluster, single keys over both. What no key says comes from the stages.
func (k *Kind) settings(j *trace.Job) (*settings, error) {
	set := &settings{}
	for i := range j.Stages {
		st := &j.Stages[i]
		switch {
		case len(st.Parents) == 0 && set.maps == nil:
			set.maps = st
		case set.maps != nil && set.reduces == nil && slices.Equal(st.Parents, []int32{set.maps.ID}):
			set.reduces = st
		default:
			return nil, fmt.Errorf("stage %d has parents %v: a MapReduce job has a stage of maps without parents and at most one of reduces that reads it", st.ID, st.Parents)
		}
	}
	if set.maps == nil {
		return nil, fmt.Errorf("it has no stage")
	}
	values := map[string]string{
		"mapreduce.map.memory.mb": strconv.FormatInt(set.maps.TaskMemMiB, 10), "mapreduce.map.cpu.vcores": strconv.Itoa(int(set.maps.TaskVCores)),
		"yarn.app.mapreduce.am.resource.mb": strconv.FormatInt(j.AMMemMiB, 10), "yarn.app.mapreduce.am.resource.cpu-vcores": strconv.Itoa(int(j.AMVCores)),
	}
	if r := set.reduces; r != nil {
		values["mapreduce.reduce.memory.mb"] = strconv.FormatInt(r.TaskMemMiB, 10)
		values["mapreduce.reduce.cpu.vcores"] = strconv.Itoa(int(r.TaskVCores))
		if r.StartFraction != trace.Unset {
			values["mapreduce.job.reduce.slowstart.completedmaps"] = strconv.FormatFloat(float64(r.StartFraction), 'g', -1, 32)
		}
	}
	own := make(map[string]string, len(j.Conf))
	for _, kv := range j.Conf {
		own[kv.Key] = kv.Value
	}
	k.jobs++
	for key := range k.Defaults {
		if _, ok := own[key]; ok {
			k.own[key]++
		}
	}
	c, err := conf.New(func(key string) (string, bool) {
		for _, layer := range []map[string]string{k.Over, own, k.Defaults, values} {
			if v, ok := layer[key]; ok {
				return v, true
			}
		}
		return "", false
	})
	if err != nil {
		return nil, err
	}
	set.Conf = c
	set.uber = set.isUber()
	return set, nil
}

// Remarks says what of the user's settings changed nothing: keys of mapred-site.xml that jobs set themselves, and all of them without a MapReduce job.
func (k *Kind) Remarks() []record.Warning {
	switch {
	case k.jobs == 0:
		return master.NoJobFor("MapReduce job", k.File, k.Keys)
	case k.File != "":
		return master.OwnKeys("mapred-site", k.File, k.own, k.jobs)
	}
	return nil
}

// isUber says whether the job is small enough to run in its application master. Sizes that other keys give its containers don't count.
//
// Source: JobImpl.makeUberDecision.
func (s *settings) isUber() bool {
	u := s.Uber
	maps, reduces, bytes := s.maps.Tasks.Len(), 0, int64(0)
	need := s.Map.Uber
	if s.reduces != nil {
		if reduces = s.reduces.Tasks.Len(); reduces > 0 {
			need = need.Max(s.Reduce.Uber)
		}
	}
	for _, b := range s.maps.Tasks.InputBytes {
		bytes += b
	}
	return u.Enabled && maps <= u.Maps && reduces <= u.Reduces && bytes <= u.Bytes &&
		need.FitsIn(u.Room)
}

// stage is the one of a type, nil when there are no reduces.
func (s *settings) stage(reduce bool) *trace.Stage {
	if reduce {
		return s.reduces
	}
	return s.maps
}

func (s *settings) task(reduce bool) *conf.Task {
	if reduce {
		return &s.Reduce
	}
	return &s.Map
}

// Concrete are values of the types that stand behind interfaces in the state of a replay.
func Concrete() []any { return []any{(*Kind)(nil), (*job)(nil), planned{}} }
