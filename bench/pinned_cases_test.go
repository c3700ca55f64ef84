package bench_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"replay/engine/model"
	"replay/engine/scenario"
	"replay/engine/spark/driver"
	"replay/trace"
)

// pinnedCase is a small whole replay. shows names counts of the pinned line that must not be 0: what the case is for.
type pinnedCase struct {
	name  string
	shows []string
	make  func() (scenario.Input, scenario.Options)
}

// keys makes a map of keys and values.
func keys(kv ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	return m
}

var (
	nested = []string{"root.a", "root.b.x", "root.b.y"}

	nestedXML = `<allocations>
<queue name="a"><weight>3</weight></queue>
<queue name="b"><weight>1</weight><queue name="x"/><queue name="y"><maxRunningApps>1</maxRunningApps></queue></queue>
</allocations>`

	nestedCapacity = keys(
		"yarn.scheduler.capacity.root.queues", "a,b", "yarn.scheduler.capacity.root.b.queues", "x,y",
		"yarn.scheduler.capacity.root.a.capacity", "60", "yarn.scheduler.capacity.root.b.capacity", "40",
		"yarn.scheduler.capacity.root.b.x.capacity", "50", "yarn.scheduler.capacity.root.b.y.capacity", "50",
		"yarn.scheduler.capacity.root.a.user-limit-factor", "2", "yarn.scheduler.capacity.root.b.x.user-limit-factor", "2",
		"yarn.scheduler.capacity.root.b.y.ordering-policy", "fair",
		"yarn.scheduler.capacity.maximum-am-resource-percent", "0.4",
		"yarn.scheduler.capacity.resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator")

	// patient makes both schedulers wait for a preferred host.
	patient = keys("yarn.scheduler.fair.locality.threshold.node", "0.6", "yarn.scheduler.fair.locality.threshold.rack", "0.8")
)

// contended is five nodes, three queues and eight jobs that want more than there is.
func contended(events ...trace.NodeEvent) scenario.Input {
	queues, users := queuesOf(nested...)
	var jobs []*trace.Job
	for i := range int64(8) {
		n := int(i)
		j := jobOf(i, i*4000, int32(i%3), 4+int32(i%3), input(stageOf(0, 18+2*n, 2500), 5, 1+n%2), stageOf(1, 8+n, 1500, 0), stageOf(2, 2, 900, 1))
		if i%4 == 3 {
			j.ExecMemMiB, j.ExecVCores = 1536, 3
		}
		jobs = append(jobs, j)
	}
	return inputOf(nodesOf(5, 2), events, queues, users, jobs...)
}

// lonely is one application alone in a cluster of n nodes.
func lonely(n int, j *trace.Job, events ...trace.NodeEvent) scenario.Input {
	queues, users := queuesOf("root.default")
	return inputOf(nodesOf(n, 2), events, queues, users, j)
}

// several are applications in one queue of a cluster of n nodes.
func several(n int, jobs []*trace.Job, events ...trace.NodeEvent) scenario.Input {
	queues, users := queuesOf("root.default")
	for _, j := range jobs {
		j.Queue, j.User = 0, 0
	}
	return inputOf(nodesOf(n, 2), events, queues, users, jobs...)
}

// pinnedCases are the replays behind testdata/pinned.txt, in its order.
func pinnedCases() []pinnedCase {
	var out []pinnedCase
	add := func(name string, make func() (scenario.Input, scenario.Options), shows ...string) {
		out = append(out, pinnedCase{name, shows, make})
	}
	fair := func(o scenario.Options) scenario.Options {
		o.Files = scenario.Files{"fair-scheduler.xml": {Text: []byte(nestedXML)}}
		return o
	}
	capacity := func(o scenario.Options) scenario.Options {
		o.Scheduler, o.Conf = "capacity", nestedCapacity
		return o
	}

	// Schedulers, sharing policies, container placements.
	for _, placement := range []string{"locality-ratio", "none", "union", "top", "per-task"} {
		for _, sharing := range []string{"fair", "drf"} {
			add(sharing+"/"+placement, func() (scenario.Input, scenario.Options) {
				return contended(), fair(scenario.Options{Sharing: sharing, Placement: placement, Conf: patient})
			})
		}
		add("capacity/"+placement, func() (scenario.Input, scenario.Options) {
			return contended(), capacity(scenario.Options{Placement: placement})
		})
		add("fifo/"+placement, func() (scenario.Input, scenario.Options) {
			return contended(), scenario.Options{Scheduler: "fifo", Placement: placement}
		})
	}
	add("fair/queues-of-the-trace", func() (scenario.Input, scenario.Options) {
		in := contended()
		b := &in.Queues[3]
		b.Weight, b.MinMemMiB, b.MinVCores, b.MaxMemMiB, b.MaxVCores, b.MaxApps = 2, 4096, 2, 20_000, 20, 3
		in.Queues[1].Weight, in.Queues[2].Policy, in.Queues[0].AMShare = 4, "fifo", 0.3
		return in, scenario.Options{}
	})
	add("capacity/queues-of-the-trace", func() (scenario.Input, scenario.Options) {
		return contended(), scenario.Options{Scheduler: "capacity"}
	})
	add("fair/fifo-leaves", func() (scenario.Input, scenario.Options) {
		return contended(), scenario.Options{Files: scenario.Files{"fair-scheduler.xml": {Text: []byte(`<allocations><queue name="a"><schedulingPolicy>fifo</schedulingPolicy></queue>
<queue name="b"><schedulingPolicy>fair</schedulingPolicy><queue name="x"/><queue name="y"><schedulingPolicy>fifo</schedulingPolicy></queue></queue></allocations>`)}}}
	})
	add("fair/placement-rules", func() (scenario.Input, scenario.Options) {
		return contended(), scenario.Options{Files: scenario.Files{"fair-scheduler.xml": {Text: []byte(`<allocations><queue name="a"/><queue name="u" type="parent"/>
<queuePlacementPolicy><rule name="specified" create="false"/><rule name="nestedUserQueue"><rule name="default" queue="root.u"/></rule></queuePlacementPolicy></allocations>`)}}}
	})
	add("fair/reload-and-cleanup", func() (scenario.Input, scenario.Options) {
		o := scenario.Options{Files: scenario.Files{"fair-scheduler.xml": {Text: []byte(`<allocations><queue name="a"><maxResources>3072 mb, 3 vcores</maxResources></queue></allocations>`)}},
			Reloads: []scenario.Reload{{AtMS: 30_000, File: scenario.File{Name: "second.xml", Text: []byte(nestedXML)}}}}
		return contended(), o
	})
	add("fair/limits-of-applications", func() (scenario.Input, scenario.Options) {
		return contended(), scenario.Options{Files: scenario.Files{"fair-scheduler.xml": {Text: []byte(`<allocations><queueMaxAppsDefault>2</queueMaxAppsDefault><userMaxAppsDefault>1</userMaxAppsDefault>
<queueMaxAMShareDefault>0.2</queueMaxAMShareDefault></allocations>`)}}}
	})

	// What the FairScheduler does beyond a container for each heartbeat.
	greedy := func(site map[string]string) func() (scenario.Input, scenario.Options) {
		return func() (scenario.Input, scenario.Options) { // the first application takes all, then queue b wants its share
			queues, users := queuesOf(nested...)
			jobs := []*trace.Job{jobOf(0, 0, 0, 30, stageOf(0, 120, 20_000)), jobOf(1, 30_000, 1, 6, stageOf(0, 24, 3000)), jobOf(2, 35_000, 2, 4, stageOf(0, 10, 3000))}
			return inputOf(nodesOf(4, 2), nil, queues, users, jobs...), scenario.Options{Conf: site, Files: scenario.Files{"fair-scheduler.xml": {Text: []byte(`<allocations>
<defaultFairSharePreemptionTimeout>5</defaultFairSharePreemptionTimeout><defaultMinSharePreemptionTimeout>3</defaultMinSharePreemptionTimeout>
<queue name="a"/><queue name="b"><queue name="x"><minResources>4096 mb, 4 vcores</minResources></queue><queue name="y"/></queue></allocations>`)}}}
		}
	}
	add("preemption/fair", greedy(keys("yarn.scheduler.fair.preemption", "true", "yarn.scheduler.fair.waitTimeBeforeKill", "4000")), "preempted")
	add("preemption/drf", func() (scenario.Input, scenario.Options) {
		in, o := greedy(keys("yarn.scheduler.fair.preemption", "true", "yarn.scheduler.fair.preemption.cluster-utilization-threshold", "0.5"))()
		o.Sharing = "drf"
		return in, o
	}, "preempted")
	add("preemption/off", greedy(nil))
	big := func(o scenario.Options) func() (scenario.Input, scenario.Options) {
		return func() (scenario.Input, scenario.Options) { // executors of more than half a node between small ones
			queues, users := queuesOf(nested...)
			var jobs []*trace.Job
			for i := range int64(6) {
				j := jobOf(i, i*2500, int32(i%3), 8, stageOf(0, 30, 2200))
				if i%2 == 1 {
					j.ExecMemMiB, j.ExecVCores, j.MaxExecs = 5500, 5, 3
				}
				jobs = append(jobs, j)
			}
			return inputOf(nodesOf(3, 1), nil, queues, users, jobs...), o
		}
	}
	add("reservations/fair", big(scenario.Options{Conf: keys("yarn.scheduler.fair.reservable-nodes", "0.5")}), "reservations")
	add("reservations/drf", big(scenario.Options{Sharing: "drf"}), "reservations")
	add("reservations/capacity", big(scenario.Options{Scheduler: "capacity", Conf: keys("yarn.scheduler.capacity.resource-calculator",
		"org.apache.hadoop.yarn.util.resource.DominantResourceCalculator")}), "reservations")
	add("reservations/fifo", big(scenario.Options{Scheduler: "fifo"}))
	add("continuous", func() (scenario.Input, scenario.Options) {
		return contended(), fair(scenario.Options{Conf: keys("yarn.scheduler.fair.continuous-scheduling-enabled", "true",
			"yarn.scheduler.fair.continuous-scheduling-sleep-ms", "20", "yarn.scheduler.fair.locality-delay-node-ms", "2000",
			"yarn.scheduler.fair.locality-delay-rack-ms", "4000")})
	})
	add("assign-multiple/dynamic", func() (scenario.Input, scenario.Options) {
		return contended(), fair(scenario.Options{Conf: keys("yarn.scheduler.fair.assignmultiple", "true")})
	})
	add("assign-multiple/two", func() (scenario.Input, scenario.Options) {
		return contended(), fair(scenario.Options{Sharing: "drf", Conf: keys("yarn.scheduler.fair.assignmultiple", "true",
			"yarn.scheduler.fair.dynamic.max.assign", "false", "yarn.scheduler.fair.max.assign", "2")})
	})
	add("capacity/one-off-switch-a-heartbeat", func() (scenario.Input, scenario.Options) {
		o := capacity(scenario.Options{})
		o.Conf = keys("yarn.scheduler.capacity.per-node-heartbeat.multiple-assignments-enabled", "false",
			"yarn.scheduler.capacity.node-locality-delay", "8", "yarn.scheduler.capacity.rack-locality-additional-delay", "4")
		for k, v := range nestedCapacity {
			o.Conf[k] = v
		}
		return contended(), o
	})
	add("containers-that-expire", func() (scenario.Input, scenario.Options) {
		m := model.DefaultModel()
		m.NMStartMS = 900
		return contended(), scenario.Options{Model: m, Conf: keys("spark.yarn.containerLauncherMaxThreads", "1",
			"yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "1500")}
	}, "expired")

	// Nodes.
	quick := []string{"yarn.nm.liveness-monitor.expiry-interval-ms", "12000"}
	heavy := func(events ...trace.NodeEvent) scenario.Input { // long stages, so that a lost node takes output and running tasks with it
		queues, users := queuesOf(nested...)
		var jobs []*trace.Job
		for i := range int64(3) {
			jobs = append(jobs, jobOf(i, i*2000, int32(i), 5, input(stageOf(0, 16, 3000), 5, 1), stageOf(1, 20, 7000, 0), stageOf(2, 8, 4000, 1)))
		}
		return inputOf(nodesOf(5, 2), events, queues, users, jobs...)
	}
	for _, service := range []string{"true", "false"} {
		o := scenario.Options{Conf: keys(append(quick, "spark.shuffle.service.enabled", service)...)}
		for i, scheduler := range []string{"fair", "capacity", "fifo"} {
			node := []int32{1, 3, 3}[i] // one without a master
			o := o
			o.Scheduler = scheduler
			add("node-lost/"+scheduler+"/shuffle-service-"+service, func() (scenario.Input, scenario.Options) {
				return heavy(at(26_000, node, trace.Fail), at(70_000, node, trace.Recover)), o
			}, "node-lost", "tasks-lost")
		}
	}
	add("node-back-before-it-is-missed", func() (scenario.Input, scenario.Options) {
		return heavy(at(26_000, 1, trace.Fail), at(29_000, 1, trace.Recover)), scenario.Options{}
	}, "tasks-lost")
	add("nodes-leave-and-join", func() (scenario.Input, scenario.Options) {
		in := contended(at(15_000, 3, trace.Join), at(22_000, 0, trace.Leave), at(60_000, 0, trace.Join))
		in.Nodes[3].Present = false
		return in, scenario.Options{}
	}, "node-lost")
	add("drain/with-timeout", func() (scenario.Input, scenario.Options) {
		return contended(drained(20_000, 2, 6000), drained(21_000, 1, trace.Unset), at(90_000, 1, trace.Undrain), at(91_000, 2, trace.Undrain)), scenario.Options{}
	}, "tasks-lost")
	add("drain/taken-back", func() (scenario.Input, scenario.Options) {
		return contended(drained(20_000, 2, trace.Unset), resized(22_000, 2, 4096, 4), at(25_000, 2, trace.Undrain)), scenario.Options{Scheduler: "capacity"}
	})
	add("nodes-that-change-size", func() (scenario.Input, scenario.Options) {
		return contended(resized(14_000, 0, 2048, 2), resized(30_000, 1, 16_384, 16), resized(50_000, 0, 8192, 8)), scenario.Options{Sharing: "drf"}
	})
	add("every-node-fails", func() (scenario.Input, scenario.Options) {
		var events []trace.NodeEvent
		for i := range int32(5) {
			events = append(events, at(40_000, i, trace.Fail))
		}
		return contended(events...), scenario.Options{Conf: keys(quick...), StallMS: 600_000}
	}, "jobs-unfinished")

	// Application masters.
	for _, tries := range []string{"1", "3"} {
		add("master-lost/attempts-"+tries, func() (scenario.Input, scenario.Options) {
			return contended(at(18_000, 0, trace.Fail), at(19_000, 3, trace.Fail), at(60_000, 0, trace.Recover)),
				scenario.Options{Conf: keys(append(quick, "spark.yarn.maxAppAttempts", tries)...)}
		}, "node-lost")
	}
	add("master-that-gives-up", func() (scenario.Input, scenario.Options) { // too many executors fail
		var events []trace.NodeEvent
		for i := range int64(4) {
			events = append(events, at(20_000+i*9000, 1, trace.Fail), at(21_000+i*9000, 1, trace.Recover))
		}
		return lonely(2, jobOf(0, 0, 0, 4, stageOf(0, 60, 8000)), events...), scenario.Options{Conf: keys("spark.yarn.max.executor.failures", "2")}
	})

	// Spark.
	add("static-allocation", func() (scenario.Input, scenario.Options) {
		in := contended()
		source := in.Jobs
		var jobs []*trace.Job
		for j, err := source.Next(); err == nil; j, err = source.Next() {
			jobs = append(jobs, static(j, 3))
		}
		in.Jobs = (&trace.MemoryTrace{JobList: jobs}).Jobs()
		return in, fair(scenario.Options{Faster: 2, Conf: keys("spark.scheduler.minRegisteredResourcesRatio", "0.5")})
	})
	add("speculation", func() (scenario.Input, scenario.Options) {
		j := jobOf(0, 0, 0, 4, straggler(input(stageOf(0, 24, 3000), 4, 1), 12), straggler(stageOf(1, 8, 1500, 0), 9))
		return lonely(4, j), scenario.Options{Conf: keys("spark.speculation", "true", "spark.speculation.multiplier", "2", "spark.speculation.quantile", "0.5")}
	}, "speculative")
	add("speculation/copies-that-win", func() (scenario.Input, scenario.Options) { // the originals sit on a node that dies
		j := jobOf(0, 0, 0, 6, straggler(stageOf(0, 24, 6000), 4), straggler(stageOf(1, 12, 4000, 0), 6))
		return lonely(4, j, at(26_000, 0, trace.Fail), at(90_000, 0, trace.Recover)), scenario.Options{Conf: keys(append(quick, "spark.speculation", "true", "spark.speculation.quantile", "0.3", "spark.shuffle.service.enabled", "false")...)}
	}, "speculative", "tasks-killed")
	add("killed-with-their-application", func() (scenario.Input, scenario.Options) { // its master gives up while tasks run
		j := jobOf(0, 0, 0, 4, stageOf(0, 60, 30_000), stageOf(1, 4, 1000, 0))
		return lonely(4, j, at(30_000, 1, trace.Fail), at(31_000, 2, trace.Fail)), scenario.Options{Conf: keys(append(quick, "spark.task.maxFailures", "1",
			"spark.rpc.askTimeout", "5s", "spark.yarn.maxAppAttempts", "1")...)}
	}, "tasks-killed", "jobs-failed")
	add("decommissioning", func() (scenario.Input, scenario.Options) {
		j := jobOf(0, 0, 0, 5, stageOf(0, 20, 2000), later(stageOf(1, 20, 2000), 0, 20_000))
		return lonely(4, j), scenario.Options{Conf: keys("spark.decommission.enabled", "true", "spark.shuffle.service.enabled", "true",
			"spark.dynamicAllocation.executorIdleTimeout", "3s")}
	}, "completed")
	add("idle-executors-go", func() (scenario.Input, scenario.Options) {
		j := jobOf(0, 0, 0, 5, stageOf(0, 20, 2000), later(straggler(stageOf(1, 14, 2000), 8), 0, 20_000))
		return lonely(4, j), scenario.Options{Conf: keys("spark.dynamicAllocation.executorIdleTimeout", "3s", "spark.dynamicAllocation.shuffleTracking.enabled", "true",
			"spark.shuffle.service.enabled", "false", "spark.dynamicAllocation.shuffleTracking.timeout", "5s")}
	}, "released")
	add("cached-input", func() (scenario.Input, scenario.Options) {
		cached := with(later(stageOf(2, 16, 700), 1, 200), func(s *trace.Stage) { s.CacheOf, s.Kind = 0, trace.StageInput })
		again := with(later(stageOf(3, 16, 700), 2, 9000), func(s *trace.Stage) { s.CacheOf, s.Kind = 0, trace.StageInput })
		j := jobOf(0, 0, 0, 5, input(stageOf(0, 16, 2000), 4, 1), stageOf(1, 4, 800, 0), cached, again)
		return lonely(4, j, at(30_000, 2, trace.Fail), at(40_000, 2, trace.Recover)), scenario.Options{Conf: keys(append(quick, "spark.dynamicAllocation.cachedExecutorIdleTimeout", "4s", "spark.dynamicAllocation.executorIdleTimeout", "2s")...)}
	}, "process-local")
	add("barrier-stages", func() (scenario.Input, scenario.Options) {
		gang := func(st trace.Stage) trace.Stage { return with(st, func(s *trace.Stage) { s.Kind = trace.StageGang }) }
		j := static(jobOf(0, 0, 0, 0, gang(input(stageOf(0, 8, 3000), 4, 1)), stageOf(1, 12, 1000, 0), gang(stageOf(2, 6, 2000, 1))), 4)
		return lonely(4, j, at(12_000, 1, trace.Fail), at(13_000, 1, trace.Recover)), scenario.Options{}
	}, "tasks-lost")
	pooled := func(conf ...string) scenario.Options {
		return scenario.Options{Conf: keys(append(conf, "spark.scheduler.mode", "FAIR")...), Files: scenario.Files{scenario.SparkPools: {Text: []byte(`<allocations><pool name="heavy"><weight>4</weight><schedulingMode>FAIR</schedulingMode></pool><pool name="light"><minShare>2</minShare></pool></allocations>`)}}}
	}
	add("fair-pools", func() (scenario.Input, scenario.Options) {
		j := jobOf(0, 0, 0, 3, inPool(stageOf(0, 24, 1500), 0, "light"), inPool(input(stageOf(1, 24, 1500), 4, 1), 1, "heavy"), inPool(stageOf(2, 24, 1500), 2, "heavy"),
			inPool(stageOf(3, 12, 900), 3, "nobody"), inPool(stageOf(4, 6, 900, 1), 1, "heavy"))
		return lonely(4, j), pooled()
	})
	add("resource-profiles", func() (scenario.Input, scenario.Options) {
		wide := with(stageOf(1, 12, 2500, 0), func(s *trace.Stage) { s.Profile, s.ExecVCores, s.ExecMemMiB, s.TaskVCores = 1, 4, 3072, 2 })
		j := jobOf(0, 0, 0, 6, input(stageOf(0, 16, 2000), 4, 1), wide, stageOf(2, 8, 1000, 1))
		return lonely(4, j), scenario.Options{Conf: keys("spark.dynamicAllocation.executorIdleTimeout", "5s")}
	})
	add("failed-tasks", func() (scenario.Input, scenario.Options) {
		j := jobOf(0, 0, 0, 4, retried(input(stageOf(0, 24, 2000), 4, 1), 2), retried(stageOf(1, 9, 1500, 0), 1))
		return lonely(4, j), scenario.Options{Recorded: driver.Recorded{Attempts: failures(j)}}
	}, "tasks-failed")
	add("excluded-executors", func() (scenario.Input, scenario.Options) {
		j := jobOf(0, 0, 0, 6, retried(input(stageOf(0, 36, 2000), 4, 1), 3), retried(stageOf(1, 18, 1500, 0), 2))
		return lonely(4, j), scenario.Options{Recorded: driver.Recorded{Attempts: failures(j)}, Conf: keys("spark.excludeOnFailure.enabled", "true",
			"spark.excludeOnFailure.timeout", "9s", "spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor", "1", "spark.excludeOnFailure.task.maxTaskAttemptsPerNode", "2",
			"spark.excludeOnFailure.stage.maxFailedTasksPerExecutor", "2", "spark.excludeOnFailure.application.maxFailedTasksPerExecutor", "2",
			"spark.excludeOnFailure.killExcludedExecutors", "true")}
	}, "tasks-failed")
	add("locality-wait-10s", func() (scenario.Input, scenario.Options) {
		var jobs []*trace.Job
		for i := range int64(3) {
			jobs = append(jobs, jobOf(i, i*3000, 0, 3, input(stageOf(0, 30, 900), 6, 1), input(stageOf(1, 12, 600), 6, 2)))
		}
		return several(6, jobs), scenario.Options{Conf: keys("spark.locality.wait.node", "10s", "spark.locality.wait.rack", "1s", "spark.locality.wait.process", "2s")}
	})
	add("locality-wait-legacy", func() (scenario.Input, scenario.Options) {
		j := static(jobOf(0, 0, 0, 0, with(input(stageOf(0, 60, 1000), 6, 1), func(s *trace.Stage) {
			for i := range s.Tasks.Pref {
				s.Tasks.Pref[i] = int32(i % 3)
			}
		})), 5)
		return lonely(6, j), scenario.Options{Conf: keys("spark.locality.wait.legacyResetOnTaskLaunch", "true")}
	})
	add("locality-wait-0", func() (scenario.Input, scenario.Options) {
		return contended(), fair(scenario.Options{Conf: keys("spark.locality.wait", "0s")})
	})
	add("cold-executors-and-recorded-delays", func() (scenario.Input, scenario.Options) {
		cold := with(input(stageOf(0, 20, 2000), 4, 1), func(s *trace.Stage) {
			s.FreshFactor, s.FirstFactor = 1.6, 1.2
			for i := range int64(s.Tasks.Len()) {
				s.Tasks.SchedDelayMS = append(s.Tasks.SchedDelayMS, []int64{trace.Unset, 0, 3, 40}[i%4])
				s.Tasks.DeserializeMS = append(s.Tasks.DeserializeMS, i%5)
			}
		})
		j := jobOf(0, 0, 0, 4, cold, with(stageOf(1, 12, 1200, 0), func(s *trace.Stage) { s.DelayMS = 700 }))
		j.TailMS = 4000
		return lonely(4, j), scenario.Options{}
	})
	add("client-mode-and-slow-network", func() (scenario.Input, scenario.Options) {
		in := contended(at(25_000, 2, trace.Fail))
		return in, scenario.Options{Conf: keys("spark.submit.deployMode", "client", "spark.rpc.askTimeout", "20s")}
	})
	add("master-heartbeats-every-100ms", func() (scenario.Input, scenario.Options) {
		return contended(), scenario.Options{Conf: keys("spark.yarn.scheduler.heartbeat.interval-ms", "1000",
			"spark.yarn.scheduler.initial-allocation.interval", "100ms", "spark.yarn.containerLauncherMaxThreads", "1")}
	})
	add("stopped-in-the-middle", func() (scenario.Input, scenario.Options) {
		return contended(), fair(scenario.Options{Until: 33_333})
	}, "jobs-unfinished", "running")

	// Executors given by a recording.
	add("recorded-executors", recordedCase, "tasks-lost", "tasks-failed")
	add("recorded-latencies", func() (scenario.Input, scenario.Options) {
		l := map[int64][]*driver.Latencies{}
		for i := range int64(8) {
			l[i] = []*driver.Latencies{{AMMS: 3000 + 100*i, ExecutorMS: []int64{2000, trace.Unset, 2500 + i}}}
		}
		return contended(), scenario.Options{Recorded: driver.Recorded{Latencies: l}}
	})

	// Two seeds of one case differ; see TestPinned.
	add("another-seed", func() (scenario.Input, scenario.Options) {
		return contended(), fair(scenario.Options{Sharing: "fair", Placement: "locality-ratio", Conf: patient, Seed: 2})
	})
	return append(out, mapReduceCases()...)
}

// idleCases are clusters in which nothing is there most of the time, under everything that goes on by itself.
func idleCases() []pinnedCase {
	sparse := func(o scenario.Options) func() (scenario.Input, scenario.Options) {
		return func() (scenario.Input, scenario.Options) {
			queues, users := queuesOf(nested...)
			var jobs []*trace.Job
			for i := range int64(4) {
				jobs = append(jobs, jobOf(i, i*5_000_000+i*i*137, int32(i%3), 5, input(stageOf(0, 16, 3000), 5, 1), stageOf(1, 8, 1200, 0)))
			}
			jobs = append(jobs, jobOf(4, 15_002_000, 0, 30, stageOf(0, 90, 9000)), jobOf(5, 15_030_000, 1, 6, stageOf(0, 20, 4000)))
			events := []trace.NodeEvent{at(1_000_000, 1, trace.Fail), at(4_000_000, 1, trace.Recover), drained(6_000_000, 2, 60_000), resized(7_000_000, 3, 4096, 4),
				at(8_000_000, 0, trace.Leave), at(9_999_500, 0, trace.Join), at(9_999_501, 2, trace.Undrain)}
			return inputOf(nodesOf(5, 2), events, queues, users, jobs...), o
		}
	}
	preempting := keys("yarn.scheduler.fair.preemption", "true", "yarn.scheduler.fair.preemption.cluster-utilization-threshold", "0.3")
	withFile := func(site map[string]string) scenario.Options {
		o := scenario.Options{Conf: site}
		o.Files = scenario.Files{"fair-scheduler.xml": {Text: []byte(`<allocations><defaultFairSharePreemptionTimeout>4</defaultFairSharePreemptionTimeout>
<defaultMinSharePreemptionTimeout>3</defaultMinSharePreemptionTimeout><queue name="a"/><queue name="b"><queue name="x"><minResources>4096 mb, 4 vcores</minResources></queue></queue></allocations>`)}}
		return o
	}
	dynamic := scenario.Options{Files: scenario.Files{"fair-scheduler.xml": {Text: []byte(`<allocations><queue name="u" type="parent"/>
<queuePlacementPolicy><rule name="nestedUserQueue"><rule name="default" queue="root.u"/></rule></queuePlacementPolicy></allocations>`)}}}
	continuous := scenario.Options{Conf: keys("yarn.scheduler.fair.continuous-scheduling-enabled", "true", "yarn.scheduler.fair.continuous-scheduling-sleep-ms", "70")}
	return []pinnedCase{
		{"idle/fair", nil, sparse(scenario.Options{})},
		{"idle/drf", nil, sparse(scenario.Options{Sharing: "drf"})},
		{"idle/capacity", nil, sparse(scenario.Options{Scheduler: "capacity"})},
		{"idle/fifo", nil, sparse(scenario.Options{Scheduler: "fifo"})},
		{"idle/preemption", nil, sparse(withFile(preempting))},
		{"idle/dynamic-queues", nil, sparse(dynamic)},
		{"idle/continuous", nil, sparse(continuous)},
	}
}

// recordedCase is an application with executors that came, left, were killed, and failed by what a stage did.
func recordedCase() (scenario.Input, scenario.Options) {
	j := jobOf(0, 0, 0, 4, retried(input(stageOf(0, 20, 1500), 4, 1), 1), stageOf(1, 20, 2000, 0), later(stageOf(2, 10, 800, 0), 1, 500))
	j.RecordedStartMS, j.RecordedFinishMS = 0, 40_000
	wide := jobOf(1, 5000, 0, 4, stageOf(0, 10, 1500), with(stageOf(1, 8, 900, 0), func(s *trace.Stage) { s.Profile, s.ExecVCores, s.ExecMemMiB, s.TaskVCores = 1, 4, 3072, 2 }))
	executor := func(job int64, id, node, vcores int32, added, removed int64, reason string) driver.RecordedExecutor {
		e := driver.RecordedExecutor{ReadyMS: trace.Unset, LeaveMS: trace.Unset, CausedBy: trace.Unset}
		e.Job, e.ID, e.Node, e.VCores, e.MemMiB = job, id, node, vcores, 2048
		e.AddedMS, e.RemovedMS, e.Reason = added, removed, reason
		return e
	}
	var list []driver.RecordedExecutor
	for i := range int32(4) {
		list = append(list, executor(0, i+1, i, 2, 3000+int64(i)*400, trace.Unset, ""))
	}
	list[0].ReadyMS = 250
	list[0].FirstMS = []int64{600, 300}
	list[1].RemovedMS, list[1].LeaveMS, list[1].Idle, list[1].Reason = 9000, 8800, true, "Executor killed by driver."
	list[2].RemovedMS, list[2].CausedBy, list[2].AfterMS, list[2].Reason = 12_000, 1, 2500, "Container exited from explicit failure. Exit status: 52."
	list[3].RemovedMS, list[3].Reason = 15_000, "Container marked as failed on a *lost* node: host03"
	list = append(list, executor(0, 5, 1, 2, 10_000, trace.Unset, ""), executor(0, 6, 2, 2, 3600, 3601, "Executor heartbeat timed out after 120000 ms"))
	for i := range int32(2) {
		list = append(list, executor(1, i+1, i, 2, 3000, trace.Unset, ""))
	}
	late := executor(1, 3, 3, 4, 3500, trace.Unset, "")
	late.MemMiB, late.Profile = 3072, 1
	list = append(list, late)
	return several(4, []*trace.Job{j, wide}), scenario.Options{Conf: keys("spark.shuffle.service.enabled", "false"),
		Recorded: driver.Recorded{Executors: list, CodeMS: map[int64]int64{0: 2500, 1: 2000}, Attempts: map[int64][]driver.RecordedAttempt{0: attemptsOf(j)}}}
}

// failures are recorded attempts of the tasks of a job that failed as often as the trace counts retries, each as long as
// the one that succeeded.
func failures(j *trace.Job) map[int64][]driver.RecordedAttempt {
	var out []driver.RecordedAttempt
	for i := range j.Stages {
		t := &j.Stages[i].Tasks
		for k, n := range t.Retries {
			x := driver.RecordedAttempt{Stage: int32(i), Task: int32(k), Executor: trace.Unset, DurationMS: t.DurationMS[k], SchedDelayMS: trace.Unset, End: driver.AttemptFailed}
			for range n {
				out = append(out, x)
			}
			x.End = driver.AttemptSucceeded
			out = append(out, x)
		}
	}
	return map[int64][]driver.RecordedAttempt{j.ID: out}
}

// attemptsOf are recorded attempts of the tasks of the first stage of a job, on executors 1 to 4 in turn: they failed as
// often as the trace counts retries, some ran again, and the first on executor 1 took longer.
func attemptsOf(j *trace.Job) (out []driver.RecordedAttempt) {
	t := &j.Stages[0].Tasks
	for k, ms := range t.DurationMS {
		x := driver.RecordedAttempt{Task: int32(k), Executor: int32(k%4) + 1, LaunchMS: int64(3000 + 10*k), CoreMS: ms, DurationMS: ms,
			SchedDelayMS: trace.Unset, End: driver.AttemptFailed}
		for range t.Retries[k] {
			out = append(out, x)
		}
		x.End = driver.AttemptSucceeded
		if k == 0 || k == 4 {
			x.First, x.FirstMS = true, 600-75*int64(k)
		}
		out = append(out, x)
		if k%3 == 0 {
			x.LaunchMS, x.DurationMS, x.First = x.LaunchMS+9000, ms/2, false
			out = append(out, x)
		}
	}
	return out
}

// pinnedTrace is a replay of one of the traces of the project.
type pinnedTrace struct{ name, scheduler, sharing, placement string }

// line is what its pinned line begins with.
func (p *pinnedTrace) line() string {
	return strings.TrimRight(strings.Join([]string{"traces", p.name, p.scheduler, p.sharing, p.placement}, "/"), "/")
}

func (p *pinnedTrace) replayed(t *testing.T) string {
	t.Helper()
	tr, err := trace.Open(filepath.Join("..", "traces", p.name))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	in := scenario.Input{Name: p.name, Nodes: tr.Nodes, Events: tr.Events, Queues: tr.Queues, Users: tr.Users, Jobs: tr.Jobs()}
	line, _ := replayed(t, in, scenario.Options{Scheduler: p.scheduler, Sharing: p.sharing, Placement: p.placement})
	return line
}

// tracesPinned are the traces of the project, each with the flags of the case.
var tracesPinned = []pinnedTrace{
	{"fair-weights", "fair", "", "locality-ratio"},
	{"fair-weights", "capacity", "", "none"},
	{"node-lost", "fair", "drf", "locality-ratio"},
	{"node-lost", "fifo", "", "none"},
	{"locality-thresholds", "fair", "", "none"},
	{"contended-logs", "fair", "drf", "locality-ratio"},
	{"contended-logs", "capacity", "", "locality-ratio"},
	{"drf-mixed-sizes", "fair", "fair", "locality-ratio"},
}

func (p pinnedCase) String() string { return fmt.Sprintf("case %s", p.name) }
