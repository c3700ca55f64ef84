// Package generic is an application of stages that runs each task in a container of its own, as Tez and MapReduce do: its application master asks for
// a container for each task on the hosts and racks that the task prefers and anywhere else, gives what it gets to the tasks that fit best, and begins a
// stage when enough of what it reads is there.
//
// A [Kind] makes a master of each attempt of a job. The rules of stages are in dag.go, those of tasks in tasks.go, and how containers are asked for
// and given to tasks in assign.go. Latencies and the cost of remote reads are the model's; docs/model.md says what is assumed.
package generic

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"replay/engine/master"
	"replay/engine/model"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/policy/resource"
	"replay/trace"
)

// Setup is what all applications of these kinds have in common in a replay.
type Setup struct {
	Model *model.Model
	Types []string          // resource types of the cluster, in the order of a [resource.Resource]
	Over  map[string]string // single keys, over those of a job
	Dense bool              // each heartbeat is executed, whether it can have an effect or not
}

// Kind is a kind of application whose tasks have containers of their own.
type Kind struct {
	Setup
	jobs, reusing, gangs int // planned: all, those that use containers again, those with a stage whose tasks start together
	spare                memory
	call                 call
}

// call is one of the ResourceManager, of which there is one at a time.
type call struct {
	req  protocol.AllocateRequest
	resp protocol.AllocateResponse
}

// NewKind returns the kind with this setup.
func NewKind(s Setup) *Kind { return &Kind{Setup: s} }

// The kinds of events, in the order of events.
const (
	evUnregister master.EventKind = iota
	evHeartbeat
	evDone
	evStage
	evGiveUp
	evAgain
	evIdle
)

var events = []master.Event{
	evUnregister: {Name: "end of the application's tail", Class: master.Message, Work: true},
	evHeartbeat:  {Name: "application master's heartbeat", Class: master.Heartbeat},
	evDone:       {Name: "task attempt reports its end", Class: master.Inbox, Number: "task attempt", Work: true, Many: true},
	evStage:      {Name: "end of the pause before a stage", Class: master.Inbox, Number: "stage", Work: true},
	evGiveUp:     {Name: "gang gives back what it holds", Class: master.Timer, Number: "stage"},
	evAgain:      {Name: "gang asks again", Class: master.Timer, Number: "stage"},
	evIdle:       {Name: "look at idle containers", Class: master.Timer},
}

// SetDense is part of [master.Literal].
func (k *Kind) SetDense(on bool) { k.Dense = on }

// Events is part of [master.Kind].
func (k *Kind) Events() []master.Event { return events }

// settings are those of a job.
type settings struct {
	*Conf
	stages []layout
}

// A layout is where the tasks of a stage are asked for: keys are of stages and sizes, see [key].
type layout struct {
	urgent, usual int32 // priorities of tasks that have failed before, and of others
	keys          []key // by task where they differ, else one
}

// Plan is part of [master.Kind].
func (k *Kind) Plan(j *trace.Job) (*master.Plan, error) {
	set, err := k.settings(j)
	if err != nil {
		return nil, err
	}
	return &master.Plan{
		AMSize: resource.R(j.AMMemMiB, int64(j.AMVCores)), AMStartMS: k.Model.AMStartMS, Priority: j.Priority,
		Maker: planned{k, set},
	}, nil
}

// planned are the masters of a job with these settings.
type planned struct {
	k   *Kind
	set *settings
}

// New is part of [master.Maker].
func (p planned) New(h master.Host, j *trace.Job) master.Master { return p.k.newMaster(h, j, p.set) }

// settings resolves what a job sets itself, under single keys of the user, and lays out its asks.
func (k *Kind) settings(j *trace.Job) (*settings, error) {
	own := make(map[string]string, len(j.Conf))
	for _, kv := range j.Conf {
		own[kv.Key] = kv.Value
	}
	c, err := NewConf(own, k.Over)
	if err != nil {
		return nil, err
	}
	k.count(j, c)
	set := &settings{Conf: c}
	return set, k.layOut(j, set)
}

// count counts a job.
func (k *Kind) count(j *trace.Job, c *Conf) {
	k.jobs++
	gangs := 0
	for i := range j.Stages {
		if j.Gang(&j.Stages[i]) {
			gangs++
		}
	}
	if gangs > 0 {
		k.gangs++
	}
	if c.Reuse && gangs < len(j.Stages) {
		k.reusing++
	}
}

// Remarks is part of [master.Remarker]: single keys of Tez that have changed nothing.
func (k *Kind) Remarks() []record.Warning {
	if k.jobs == 0 {
		return master.NoJobFor("generic job, gang or service", "", slices.Sorted(maps.Keys(k.Over)))
	}
	var idle []string
	for key, value := range k.Over {
		if k.reusing == 0 && ofReuse(key, value) {
			idle = append(idle, key)
		}
	}
	if len(idle) == 0 {
		return nil
	}
	slices.Sort(idle)
	return []record.Warning{{Code: "no-reuse", Count: 1,
		Text: "--conf: no application uses containers again (" + keyReuse + " is false, or its tasks start together), so these keys have no effect: " + strings.Join(idle, ", ")}}
}

// Models is part of [master.Modeller].
func (k *Kind) Models() (list []string) {
	if k.gangs > 0 {
		list = append(list, "pauses of gangs that have given back what they held: drawn from the seed")
	}
	if k.reusing > 0 {
		list = append(list, "for how long containers are held that no task wants: drawn from the seed, within Tez's bounds")
	}
	return list
}

// A key is what a ResourceManager keeps asks apart by: within a priority it takes one size for each request id.
//
// Source: SchedulerRequestKey.
type key struct {
	priority int32
	request  int64 // allocationRequestId
	size     resource.Resource
}

// one is the request of a container under the key.
func (k *key) one(number int64) protocol.ContainerRequest {
	return protocol.ContainerRequest{Priority: k.priority, RequestID: k.request, Size: k.size, Relax: true, Number: number}
}

// layOut gives each size of a priority a request id, from 0 in the order of stages and tasks.
func (k *Kind) layOut(j *trace.Job, set *settings) error {
	depth := make([]int, len(j.Stages))
	sizes := map[int32][]resource.Resource{}
	keyOf := func(priority int32, size resource.Resource) key {
		list := sizes[priority]
		i := slices.Index(list, size)
		if i < 0 {
			i = len(list)
			sizes[priority] = append(list, size)
		}
		return key{priority, int64(i), size}
	}
	for i := range j.Stages {
		st := &j.Stages[i]
		for _, list := range [][]int32{st.Parents, st.After} {
			for _, p := range list {
				depth[i] = max(depth[i], depth[p]+1)
			}
		}
		l := layout{urgent: st.Priority, usual: st.Priority}
		if st.Priority == trace.Unset {
			l.urgent, l.usual = natural(depth[i], i, len(j.Stages))
		}
		list, err := Sizes(st, k.Types)
		if err != nil {
			return err
		}
		for _, size := range list {
			l.keys = append(l.keys, keyOf(l.usual, size))
		}
		set.stages = append(set.stages, l)
	}
	return nil
}

// natural are the priorities of a stage without a recorded one, by its distance from the stages that read nothing and its number: of tasks that have failed before, and
// of others.
//
// Source: DAGScheduler.getPriorityLowLimit, getPriorityHighLimit of Tez.
func natural(depth, stage, stages int) (urgent, usual int32) {
	low := min((int64(depth)+1)*int64(stages)*3+int64(stage)*3, math.MaxInt32)
	return int32(low) - 2, int32(low) - 1
}

// Sizes returns what the tasks of a stage ask for: one size for all, or one for each where they have sizes of their own. Types are the resource types of the cluster.
func Sizes(st *trace.Stage, types []string) ([]resource.Resource, error) {
	size := resource.R(st.TaskMemMiB, int64(st.TaskVCores))
	if m := st.TaskMilliVCores; m != trace.Unset {
		size[resource.VCores] = (int64(m) + 999) / 1000
	}
	for _, x := range st.Extra {
		i := slices.Index(types, x.Name)
		switch {
		case i > resource.VCores:
			size[i] = x.Value
		case x.Value > 0:
			return nil, fmt.Errorf("stage %d: its tasks ask for %d of %q, which no node has and yarn.resource-types does not name", st.ID, x.Value, x.Name)
		}
	}
	t := &st.Tasks
	if t.MemMiB == nil && t.VCores == nil || t.Len() == 0 {
		return []resource.Resource{size}, nil
	}
	list := make([]resource.Resource, t.Len())
	for n := range list {
		list[n] = size
		list[n][resource.Memory] = st.TaskMem(n)
		if t.VCores != nil && t.VCores[n] != trace.Unset {
			list[n][resource.VCores] = int64(t.VCores[n])
		}
	}
	return list, nil
}

// at returns the key of a task, as one that has failed before or not.
func (l *layout) at(index int32, failed bool) key {
	k := l.keys[0]
	if len(l.keys) > 1 {
		k = l.keys[index]
	}
	if failed {
		k.priority = l.urgent
	}
	return k
}

// Concrete are values of the types that stand behind interfaces in the state of a replay.
func Concrete() []any { return []any{(*Kind)(nil), (*dag)(nil), planned{}} }
