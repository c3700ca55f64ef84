package spark

import (
	"slices"

	"replay/bench/conform/golden"
	sparkconf "replay/engine/spark/conf"
	"replay/engine/spark/scala"
	"replay/policy"
)

// containerPlacement is LocalityPreferredContainerPlacementStrategy.localityOfRequestedContainers.
var containerPlacement = golden.Kind{
	Name: "container_placement",
	Of:   golden.AnswersOf("LocalityPreferredContainerPlacementStrategy"),
	Match: func(_ string, first golden.Shape) bool {
		return first.Has("in", "tasks_per_executor", "expected_host_to_container_count")
	},
	Run: golden.Cases(runContainerPlacement),
}

type containerPlacementCase struct {
	ID string `json:"id"`
	In struct {
		Containers int                        `json:"num_container"`
		LocalTasks int                        `json:"num_locality_aware_tasks"`
		Tasks      []golden.Pair[string, int] `json:"host_to_local_task_count"`
		Allocated  []golden.Pair[string, int] `json:"allocated_host_to_containers"`
		Pending    [][]string                 `json:"locality_matched_pending"`
		Profile    struct {
			Cores        int      `json:"executor_cores"`
			TaskCPUs     int      `json:"task_cpus"`
			ExecutorGPUs *int64   `json:"executor_gpus"`
			TaskGPUs     *float64 `json:"task_gpus"`
		} `json:"resource_profile"`
		Racks map[string]string `json:"racks"`
	} `json:"in"`
	PerExec int                   `json:"tasks_per_executor"`
	Out     []placementPreference `json:"out"`
}

type placementPreference struct {
	Nodes   []string `json:"nodes"`
	Racks   []string `json:"racks"`
	Emitted []string `json:"nodes_as_emitted"`
}

func (p placementPreference) equal(o placementPreference) bool {
	return slices.Equal(p.Nodes, o.Nodes) && slices.Equal(p.Racks, o.Racks) && slices.Equal(p.Emitted, o.Emitted)
}

func runContainerPlacement(c *containerPlacementCase, out *golden.Results) {
	// The hosts in the order in which Spark walks over them.
	order := scala.Immutable[string]{Hash: scala.HashCode}
	tasks := map[string]int{}
	for _, t := range c.In.Tasks {
		order.Put(t.First)
		tasks[t.First] = t.Second
	}
	hosts := slices.Collect(order.All)
	hints := policy.Hints{
		LocalTasks: c.In.LocalTasks, PerExec: c.tasksPerExecutor(),
		Tasks: make([]int, len(hosts)), Existing: make([]int, len(hosts)), Pending: make([]int, len(hosts)),
		PendingRequests: len(c.In.Pending),
	}
	if hints.PerExec != c.PerExec {
		out.AddDifferent(golden.Difference{Case: c.ID, Expected: c.PerExec, Got: hints.PerExec, State: "tasks per executor"})
		return
	}
	for i, h := range hosts {
		hints.Tasks[i] = tasks[h]
		for _, a := range c.In.Allocated {
			if a.First == h {
				hints.Existing[i] = a.Second
			}
		}
		for _, request := range c.In.Pending {
			for _, node := range request {
				if node == h {
					hints.Pending[i]++
				}
			}
		}
	}
	for _, request := range c.In.Pending {
		hints.PendingNames += len(request)
	}
	strategy, err := policy.NewPlacement("locality-ratio")
	if err != nil {
		panic(err)
	}
	prefs := strategy.Requests(c.In.Containers, &hints)
	for i := range max(len(prefs), len(c.Out)) {
		var want, got *placementPreference
		if i < len(c.Out) {
			want = &c.Out[i]
		}
		if i < len(prefs) {
			got = c.named(prefs[i], hosts)
		}
		if want == nil || got == nil || !want.equal(*got) {
			out.AddDifferent(golden.Difference{Case: c.ID, Event: i, Expected: want, Got: got, State: hints})
			return
		}
	}
	out.AddEqual()
}

// tasksPerExecutor computes it from the profile.
func (c *containerPlacementCase) tasksPerExecutor() int {
	p := c.In.Profile
	o := sparkconf.DefaultProfile
	o.Cores, o.TaskCPUs = p.Cores, p.TaskCPUs
	if p.ExecutorGPUs != nil && p.TaskGPUs != nil {
		o.Resources = []sparkconf.CustomResource{{Name: "gpu", Executor: *p.ExecutorGPUs, Task: *p.TaskGPUs}}
	}
	return new(sparkconf.Conf).TasksPerExecutor(o)
}

// named gives a preference its host names and racks.
func (c *containerPlacementCase) named(pref policy.Preference, hosts []string) *placementPreference {
	out := &placementPreference{}
	for _, h := range pref {
		out.Emitted = append(out.Emitted, hosts[h])
		out.Racks = append(out.Racks, golden.RackOf(c.In.Racks, hosts[h]))
	}
	out.Nodes = slices.Sorted(slices.Values(out.Emitted))
	slices.Sort(out.Racks)
	out.Racks = slices.Compact(out.Racks)
	return out
}
