package engine

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"replay/engine/scenario"
	"replay/trace"
)

// An effect is a situation in which a setting that docs/yarn-config.md calls modelled decides something.
type effect struct {
	setting   string // as the table has it
	in        func() scenario.Input
	with, set scenario.Options // before, and with the setting changed
}

// keys makes a map of a text of KEY=VALUE words.
func keys(text string) map[string]string {
	out := map[string]string{}
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		out[key] = value
	}
	return out
}

// bySite is a key of yarn-site.xml, in the words of KEY=VALUE before and after; those of before stay.
func bySite(setting string, in func() scenario.Input, before, after string) effect {
	return effect{setting, in, scenario.Options{Conf: keys(before)}, scenario.Options{Conf: keys(before + " " + after)}}
}

// byFile is an element of fair-scheduler.xml: the file before and after.
func byFile(setting string, in func() scenario.Input, conf, before, after string) effect {
	of := func(text string) scenario.Options {
		return scenario.Options{Conf: keys(conf), Files: scenario.Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte("<allocations>" + text + "</allocations>")}}}
	}
	return effect{setting, in, of(before), of(after)}
}

// byQueue is a key of capacity-scheduler.xml with queues a and b of half the cluster each; keys are without their prefix.
func byQueue(setting string, in func() scenario.Input, before, after string) effect {
	of := func(text string) scenario.Options {
		conf := map[string]string{}
		for _, part := range []string{"root.queues=a,b root.a.capacity=50 root.b.capacity=50 root.a.user-limit-factor=2 root.b.user-limit-factor=2", text} {
			for key, value := range keys(part) {
				if !strings.HasPrefix(key, "yarn.") && !strings.HasPrefix(key, "spark.") {
					key = "yarn.scheduler.capacity." + key
				}
				conf[key] = value
			}
		}
		maps.DeleteFunc(conf, func(_, v string) bool { return v == "-" })
		return scenario.Options{Scheduler: "capacity", Conf: conf}
	}
	return effect{setting, in, of(before), of(before + " " + after)}
}

// queued is a trace of these jobs in queues root.a and root.b, by turns, of users u, v and w, by turns.
func queued(nodes []trace.Node, events []trace.NodeEvent, jobs ...*trace.Job) scenario.Input {
	in := input(nodes, events, jobs...)
	queue := func(id, parent int32, path string) trace.Queue {
		return trace.Queue{ID: id, Parent: parent, Path: path, Weight: 1, MaxMemMiB: trace.Unset, MaxVCores: trace.Unset, MaxApps: trace.Unset, AMShare: 0.5}
	}
	in.Queues = []trace.Queue{queue(0, trace.Unset, "root"), queue(1, 0, "root.a"), queue(2, 0, "root.b")}
	in.Users = []trace.User{{ID: 0, Name: "u", Weight: 1}, {ID: 1, Name: "v", Weight: 1}, {ID: 2, Name: "w", Weight: 1}}
	for i, j := range jobs {
		j.Queue, j.User = int32(i%2+1), int32(i%3)
	}
	return in
}

// busy is a small cluster that more is asked of than it has, by executors of several shapes.
func busy() scenario.Input {
	var jobs []*trace.Job
	for i := range int64(8) {
		j := sparkJob(i, i*2500, 6, stage(0, 20, 6000, nil, int32(i%4), int32((i+1)%4)), stage(1, 12, 4000, []int32{0}))
		j.ExecMemMiB, j.ExecVCores = []int64{2048, 1500, 3000}[i%3], []int32{2, 3, 1}[i%3]
		jobs = append(jobs, j)
	}
	return queued(cluster(4, 2), nil, jobs...)
}

// hogged is a cluster that one queue has whole when the other asks.
func hogged() scenario.Input {
	first, second := sparkJob(0, 0, 40, stage(0, 120, 40_000, nil)), sparkJob(1, 40_000, 10, stage(0, 30, 8000, nil))
	third := sparkJob(2, 45_000, 10, stage(0, 30, 8000, nil))
	return queued(cluster(3, 1), nil, first, second, third)
}

// failing loses nodes with containers on them, one of them with application masters.
func failing() scenario.Input {
	jobs := []*trace.Job{sparkJob(0, 0, 8, stage(0, 40, 15_000, nil)), sparkJob(1, 1000, 8, stage(0, 40, 15_000, nil)), sparkJob(2, 2000, 2, stage(0, 9, 9000, nil))}
	return queued(cluster(3, 1), []trace.NodeEvent{nodeEvent(9_000, 0, 0, trace.Fail), nodeEvent(30_000, 1, 1, trace.Fail), nodeEvent(300_000, 2, 0, trace.Recover), nodeEvent(300_000, 3, 1, trace.Recover)}, jobs...)
}

// one is a job that has the cluster alone and loses its only node for a while.
func one() scenario.Input {
	return input(cluster(1, 1), []trace.NodeEvent{nodeEvent(20_000, 0, 0, trace.Fail), nodeEvent(35_000, 1, 0, trace.Recover)}, sparkJob(0, 0, 1, stage(0, 1, 60_000, nil)))
}

// lostTwice is one whose node is lost again.
func lostTwice() scenario.Input {
	in := one()
	in.Events = append(in.Events, nodeEvent(100_000, 2, 0, trace.Fail), nodeEvent(115_000, 3, 0, trace.Recover))
	return in
}

// doomed is a job whose attempts all fail, as a barrier stage finds too few slots, on a cluster of four nodes.
func doomed() scenario.Input {
	j := sparkJob(0, 0, 2, stage(0, 50, 1000, nil))
	j.Stages[0].Kind, j.Stages[0].DelayMS, j.MinExecs, j.MaxExecs, j.InitialExecs = trace.StageGang, 5000, trace.Unset, trace.Unset, trace.Unset
	return input(cluster(4, 1), nil, j)
}

// avoiding is what doomed runs with.
const avoiding = "spark.executor.instances=2 spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures=1 yarn.resourcemanager.am.max-attempts=4 "

// priorities is busy with applications of different priorities.
func priorities() scenario.Input {
	in := busy()
	var jobs []*trace.Job
	for i := range int64(8) {
		j := sparkJob(i, i*500, 6, stage(0, 20, 6000, nil))
		j.Priority = int32(i)
		jobs = append(jobs, j)
	}
	m := queued(cluster(2, 1), nil, jobs...)
	m.Queues, m.Users = in.Queues, in.Users
	return m
}

// anywhere is busy with applications that name no queue.
func anywhere() scenario.Input {
	in := busy()
	in.Queues = nil
	return in
}

// masters is two nodes that one application has whole when the other asks for more of the first node than the executors there have.
func masters() scenario.Input {
	first, second := sparkJob(0, 0, 4, stage(0, 12, 40_000, nil)), sparkJob(1, 40_000, 1, stage(0, 2, 8000, nil))
	first.AMMemMiB, second.AMMemMiB = 5120, 6144
	nodes := cluster(2, 1)
	nodes[1].MemMiB = 4096
	return queued(nodes, nil, first, second)
}

// sizes is a node on which a small and a large application of one queue wait until another gives it back.
func sizes() scenario.Input {
	hog, small, large := sparkJob(0, 0, 12, stage(0, 24, 40_000, nil)), sparkJob(1, 1000, 4, stage(0, 40, 5000, nil)), sparkJob(2, 2000, 12, stage(0, 40, 5000, nil))
	nodes := cluster(1, 1)
	nodes[0].MemMiB, nodes[0].VCores = 28*1024, 32
	in := queued(nodes, nil, hog, small, large)
	hog.Queue, small.Queue, large.Queue = 2, 1, 1
	return in
}

// oneRack is busy with tasks that all prefer a node of the first of two racks.
func oneRack() scenario.Input {
	var jobs []*trace.Job
	for i := range int64(6) {
		jobs = append(jobs, sparkJob(i, i*3000, 8, stage(0, 20, 6000, nil, 0)))
	}
	return queued(cluster(4, 2), nil, jobs...)
}

// accelerated is a cluster with four accelerators a node.
func accelerated() scenario.Input {
	nodes := cluster(3, 1)
	for i := range nodes {
		nodes[i].Extra = []trace.NamedValue{{Name: "yarn.io/gpu", Value: 4}}
	}
	return queued(nodes, nil, sparkJob(0, 0, 6, stage(0, 20, 6000, nil)), sparkJob(1, 1000, 6, stage(0, 20, 6000, nil)))
}

// preempting is an allocation file whose queues are starved soon.
const preempting = "<defaultFairSharePreemptionTimeout>2</defaultFairSharePreemptionTimeout><defaultFairSharePreemptionThreshold>0.9</defaultFairSharePreemptionThreshold>" +
	"<queue name='a'><maxAMShare>-1</maxAMShare><weight>0.1</weight></queue><queue name='b'><maxAMShare>-1</maxAMShare></queue>"

// byPreemption is a key of yarn-site.xml with preemption.
func byPreemption(setting string, in func() scenario.Input, before, after string) effect {
	e := byFile(setting, in, before, preempting, preempting)
	e.set.Conf = keys(before + " " + after)
	return e
}

const queuesAB = "<queue name='a'/><queue name='b'/>"

// ofA is an allocation file with elements in queue a.
func ofA(text string) string { return "<queue name='a'>" + text + "</queue><queue name='b'/>" }

// byElement is an element of queue a of fair-scheduler.xml.
func byElement(setting string, in func() scenario.Input, conf, text string) effect {
	return byFile(setting, in, conf, ofA(""), ofA(text))
}

// starved is an allocation file with preemption on both queues, of which b is starved.
func starved(root, b string) string {
	return root + "<queue name='a'><maxAMShare>-1</maxAMShare><weight>0.1</weight></queue><queue name='b'><maxAMShare>-1</maxAMShare>" + b + "</queue>"
}

const preempts = "yarn.scheduler.fair.preemption=true"

var elements = []effect{
	byFile("<queue>", busy, "yarn.scheduler.fair.allow-undeclared-pools=false", "", queuesAB),
	byFile("<pool>", busy, "yarn.scheduler.fair.allow-undeclared-pools=false", "", "<pool name='a'/><pool name='b'/>"),
	byFile("<e>", nested, "yarn.scheduler.fair.allow-undeclared-pools=false", "<queue name='a' type='parent'/>", "<queue name='a'><e name='x'/></queue>"),
	byFile("<ue>", nested, "yarn.scheduler.fair.allow-undeclared-pools=false", "<queue name='a' type='parent'/>", "<queue name='a'><ue name='x'/></queue>"),
	byFile(`type="parent"`, busy, "", queuesAB, "<queue name='a' type='parent'/><queue name='b'/>"),
	byFile("reservation", busy, "", "<queue name='a' type='parent'/><queue name='b'/>", "<queue name='a'><reservation/></queue><queue name='b'/>"),
	byFile("root", busy, "", queuesAB, "<queue name='root'><maxResources>8192 mb, 8 vcores</maxResources><queue name='a'/><queue name='b'/></queue>"),
	byElement("minResources", busy, "", "<minResources>24000 mb, 20 vcores</minResources>"),
	byElement("maxContainerAllocation", busy, "", "<maxContainerAllocation>2048 mb, 2 vcores</maxContainerAllocation>"),
	byElement("maxResources", busy, "", "<maxResources>6000 mb, 6 vcores</maxResources>"),
	byFile("maxChildResources", nested, "", "<queue name='a' type='parent'/>", "<queue name='a' type='parent'><maxChildResources>6000 mb, 6 vcores</maxChildResources></queue>"),
	byFile("queueMaxResourcesDefault", busy, "", queuesAB, queuesAB+"<queueMaxResourcesDefault>6000 mb, 6 vcores</queueMaxResourcesDefault>"),
	byElement("weight", busy, "", "<weight>5</weight>"),
	byElement("maxRunningApps", busy, "", "<maxRunningApps>1</maxRunningApps>"),
	byElement("maxAMShare", busy, "", "<maxAMShare>0.1</maxAMShare>"),
	byElement("schedulingPolicy", busy, "", "<schedulingPolicy>fifo</schedulingPolicy>"),
	byElement("schedulingMode", busy, "", "<schedulingMode>fifo</schedulingMode>"),
	byFile("allowPreemptionFrom", hogged, preempts, preempting, strings.Replace(preempting, "<weight>", "<allowPreemptionFrom>false</allowPreemptionFrom><weight>", 1)),
	byFile("minSharePreemptionTimeout", hogged, preempts, starved("", "<minResources>20000 mb, 20 vcores</minResources>"), starved("", "<minResources>20000 mb, 20 vcores</minResources><minSharePreemptionTimeout>2</minSharePreemptionTimeout>")),
	byFile("fairSharePreemptionTimeout", hogged, preempts, starved("", ""), starved("", "<fairSharePreemptionTimeout>2</fairSharePreemptionTimeout>")),
	byFile("fairSharePreemptionThreshold", hogged, preempts, starved("", "<fairSharePreemptionTimeout>2</fairSharePreemptionTimeout>"), starved("", "<fairSharePreemptionTimeout>2</fairSharePreemptionTimeout><fairSharePreemptionThreshold>0.1</fairSharePreemptionThreshold>")),
	byFile("user", busy, "", queuesAB, queuesAB+"<user name='u'><maxRunningApps>1</maxRunningApps></user>"),
	byFile("userMaxAppsDefault", busy, "", queuesAB, queuesAB+"<userMaxAppsDefault>1</userMaxAppsDefault>"),
	byFile("queueMaxAppsDefault", busy, "", queuesAB, queuesAB+"<queueMaxAppsDefault>1</queueMaxAppsDefault>"),
	byFile("queueMaxAMShareDefault", busy, "", queuesAB, queuesAB+"<queueMaxAMShareDefault>0.1</queueMaxAMShareDefault>"),
	byFile("defaultQueueSchedulingPolicy", busy, "", queuesAB, queuesAB+"<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>"),
	byFile("defaultQueueSchedulingMode", busy, "", queuesAB, queuesAB+"<defaultQueueSchedulingMode>drf</defaultQueueSchedulingMode>"),
	byFile("defaultMinSharePreemptionTimeout", hogged, preempts, starved("", "<minResources>20000 mb, 20 vcores</minResources>"),
		starved("<defaultMinSharePreemptionTimeout>2</defaultMinSharePreemptionTimeout>", "<minResources>20000 mb, 20 vcores</minResources>")),
	byFile("defaultFairSharePreemptionTimeout", hogged, preempts, starved("", ""), starved("<defaultFairSharePreemptionTimeout>2</defaultFairSharePreemptionTimeout>", "")),
	byFile("defaultFairSharePreemptionThreshold", hogged, preempts, starved("<fairSharePreemptionTimeout>2</fairSharePreemptionTimeout>", ""),
		starved("<fairSharePreemptionTimeout>2</fairSharePreemptionTimeout><defaultFairSharePreemptionThreshold>0.1</defaultFairSharePreemptionThreshold>", "")),
	byRules("queuePlacementPolicy", "<rule name='default' queue='a'/>"),
	byRules("specified", "<rule name='specified'/><rule name='default' queue='a'/>"),
	byRules("user", "<rule name='user'/>"),
	byRules("primaryGroup", "<rule name='primaryGroup'/>"),
	byRules("secondaryGroupExistingQueue", "<rule name='secondaryGroupExistingQueue'/><rule name='default' queue='a'/>"),
	byRules("nestedUserQueue", "<rule name='nestedUserQueue'><rule name='default' queue='p'/></rule>"),
	byRules("default", "<rule name='default' queue='b'/>"),
	byRules("reject", "<rule name='specified' create='false'/><rule name='reject'/>"),
	byRules("create", "<rule name='specified' create='false'/><rule name='default' queue='a'/>"),
}

var capacityKeys = []effect{
	byQueue("resource-calculator", busy, "", "resource-calculator=org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"),
	byQueue("maximum-applications", busy, "", "maximum-applications=4"),
	byQueue("global-queue-max-application", busy, "", "global-queue-max-application=2"),
	byQueue("maximum-am-resource-percent", busy, "", "maximum-am-resource-percent=0.5"),
	byQueue("node-locality-delay", busy, "", "node-locality-delay=-1"),
	byQueue("rack-locality-additional-delay", oneRack, "node-locality-delay=1", "rack-locality-additional-delay=30"),
	byQueue("rack-locality-full-reset", oneRack, "node-locality-delay=2 rack-locality-additional-delay=5", "rack-locality-full-reset=false"),
	byQueue("per-node-heartbeat.multiple-assignments-enabled", busy, "", "per-node-heartbeat.multiple-assignments-enabled=false"),
	byQueue(".maximum-container-assignments", busy, "", "per-node-heartbeat.maximum-container-assignments=1"),
	byQueue(".maximum-offswitch-assignments", priorities, "", "per-node-heartbeat.maximum-offswitch-assignments=3"),
	byQueue("reservations-continue-look-all-nodes", busy, "", "reservations-continue-look-all-nodes=false"),
	byQueue("legacy-queue-mode.enabled", busy, "legacy-queue-mode.enabled=false root.a.capacity=[memory=50%,vcores=2w] root.b.capacity=[memory=50%,vcores=1w]", "legacy-queue-mode.enabled=true"),
	byQueue("<queue>.queues", busy, "", "root.queues=b,a"),
	byQueue("<queue>.capacity", busy, "", "root.a.capacity=80 root.b.capacity=20"),
	byQueue("<queue>.maximum-capacity", busy, "", "root.a.maximum-capacity=50"),
	byQueue("<queue>.minimum-user-limit-percent", busy, "", "root.a.minimum-user-limit-percent=20"),
	byQueue("<queue>.user-limit-factor", busy, "", "root.a.user-limit-factor=0.3"),
	byQueue("<queue>.user-settings.<user>.weight", busy, "root.a.minimum-user-limit-percent=20 root.a.user-limit-factor=0.5", "root.a.user-settings.u.weight=0.3"),
	byQueue("<queue>.maximum-applications", busy, "", "root.a.maximum-applications=1"),
	byQueue("<queue>.max-parallel-apps", busy, "", "root.a.max-parallel-apps=1"),
	byQueue("max-parallel-apps", busy, "", "max-parallel-apps=1"),
	byQueue("user.<user>.max-parallel-apps", busy, "", "user.u.max-parallel-apps=1"),
	byQueue("<queue>.maximum-allocation-mb", busy, "", "root.a.maximum-allocation-mb=2048"),
	byQueue("-vcores", busy, "", "root.a.maximum-allocation-vcores=2"),
	byQueue("<queue>.maximum-allocation", busy, "", "root.a.maximum-allocation=memory-mb=2048,vcores=2"),
	byQueue("<queue>.ordering-policy", busy, "maximum-am-resource-percent=1", "root.a.ordering-policy=fair"),
	byQueue(".ordering-policy.fair.enable-size-based-weight", sizes, "maximum-am-resource-percent=1 root.a.ordering-policy=fair", "root.a.ordering-policy.fair.enable-size-based-weight=true"),
	byQueue("<queue>.state", busy, "", "root.a.state=STOPPED"),
	byQueue("<queue>.priority", busy, "root.ordering-policy=priority-utilization", "root.a.priority=5"),
	byQueue("<queue>.default-application-priority", priorities, "yarn.cluster.max-application-priority=10", "root.a.default-application-priority=9"),
	byQueue("<queue>.allow-zero-capacity-sum", busy, "", "root.a.queues=x,y root.a.x.capacity=0 root.a.y.capacity=0 root.allow-zero-capacity-sum=true root.a.allow-zero-capacity-sum=true"),
}

// byRules is a placement policy over queues a, b and p, against the one that sends all to the queues they name.
func byRules(setting, rules string) effect {
	const queues = "<queue name='a'/><queue name='b'/><queue name='p' type='parent'/>"
	e := byFile(setting, undeclared, "", queues, queues+"<queuePlacementPolicy>"+rules+"</queuePlacementPolicy>")
	switch setting { // against another that differs in it alone
	case "specified":
		e.with.Files = byFile("", nil, "", "", queues+"<queuePlacementPolicy><rule name='default' queue='a'/></queuePlacementPolicy>").set.Files
	case "create":
		e.with.Files = byFile("", nil, "", "", queues+"<queuePlacementPolicy><rule name='specified' create='true'/><rule name='default' queue='a'/></queuePlacementPolicy>").set.Files
	}
	return e
}

// undeclared is busy with a queue that no file has.
func undeclared() scenario.Input {
	in := busy()
	in.Queues[2].Path = "root.undeclared"
	return in
}

// nested is busy with a queue below a.
func nested() scenario.Input {
	in := busy()
	in.Queues[1].Path = "root.a.x"
	return in
}

var modelled = []effect{
	bySite("yarn.resourcemanager.scheduler.class", busy, "", "yarn.resourcemanager.scheduler.class=org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler"),
	bySite("yarn.resource-types", accelerated, "yarn.resource-types=yarn.io/gpu spark.executor.resource.gpu.amount=1 spark.task.resource.gpu.amount=1", "yarn.resource-types="),
	bySite("yarn.scheduler.minimum-allocation-mb", busy, "", "yarn.scheduler.minimum-allocation-mb=4096"),
	bySite("yarn.scheduler.minimum-allocation-vcores", busy, "", "yarn.scheduler.minimum-allocation-vcores=4"),
	bySite("yarn.scheduler.maximum-allocation-mb", busy, "", "yarn.scheduler.maximum-allocation-mb=2048"),
	bySite("yarn.scheduler.maximum-allocation-vcores", busy, "", "yarn.scheduler.maximum-allocation-vcores=2"),
	bySite("yarn.scheduler.increment-allocation-mb", busy, "", "yarn.scheduler.increment-allocation-mb=3000"),
	bySite("yarn.scheduler.increment-allocation-vcores", busy, "", "yarn.scheduler.increment-allocation-vcores=4"),
	bySite("yarn.scheduler.reservation-threshold.increment-multiple", busy, "", "yarn.scheduler.reservation-threshold.increment-multiple=20"),
	bySite("yarn.resource-types.<type>.minimum-allocation", busy, "", "yarn.resource-types.memory-mb.minimum-allocation=4096"),
	bySite(".maximum-allocation", busy, "", "yarn.resource-types.vcores.maximum-allocation=2"),
	bySite(".increment-allocation", busy, "", "yarn.resource-types.memory-mb.increment-allocation=3000"),
	bySite(".units", accelerated, "yarn.resource-types=yarn.io/gpu yarn.resource-types.yarn.io/gpu.increment-allocation=2k yarn.resource-types.yarn.io/gpu.units=k spark.executor.resource.gpu.amount=1 spark.task.resource.gpu.amount=1",
		"yarn.resource-types.yarn.io/gpu.units="),
	bySite("yarn.scheduler.include-port-in-node-name", busy, "", "yarn.scheduler.include-port-in-node-name=true"),
	bySite("yarn.scheduler.fair.user-as-default-queue", anywhere, "", "yarn.scheduler.fair.user-as-default-queue=false"),
	bySite("yarn.scheduler.fair.allow-undeclared-pools", anywhere, "", "yarn.scheduler.fair.allow-undeclared-pools=false"),
	byPreemption("yarn.scheduler.fair.preemption", hogged, "", "yarn.scheduler.fair.preemption=true"),
	byPreemption("yarn.scheduler.fair.preemption.cluster-utilization-threshold", hogged, "yarn.scheduler.fair.preemption=true", "yarn.scheduler.fair.preemption.cluster-utilization-threshold=1"),
	byPreemption("yarn.scheduler.fair.waitTimeBeforeKill", hogged, "yarn.scheduler.fair.preemption=true", "yarn.scheduler.fair.waitTimeBeforeKill=1000"),
	byPreemption("yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", hogged, "yarn.scheduler.fair.preemption=true", "yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck=60000"),
	byPreemption("yarn.scheduler.fair.am.preemption", masters, "yarn.scheduler.fair.preemption=true", "yarn.scheduler.fair.am.preemption=false"),
	byPreemption("yarn.scheduler.fair.am.preemption.<queue>", masters, "yarn.scheduler.fair.preemption=true", "yarn.scheduler.fair.am.preemption.root.a=false"),
	bySite("yarn.scheduler.fair.sizebasedweight", busy, "", "yarn.scheduler.fair.sizebasedweight=true"),
	bySite("yarn.scheduler.fair.assignmultiple", busy, "", "yarn.scheduler.fair.assignmultiple=true"),
	bySite("yarn.scheduler.fair.dynamic.max.assign", busy, "yarn.scheduler.fair.assignmultiple=true", "yarn.scheduler.fair.dynamic.max.assign=false"),
	bySite("yarn.scheduler.fair.max.assign", busy, "yarn.scheduler.fair.assignmultiple=true yarn.scheduler.fair.dynamic.max.assign=false", "yarn.scheduler.fair.max.assign=1"),
	bySite("yarn.scheduler.fair.locality.threshold.node", busy, "yarn.scheduler.fair.locality.threshold.rack=0", "yarn.scheduler.fair.locality.threshold.node=0.9"),
	bySite("yarn.scheduler.fair.locality.threshold.rack", busy, "yarn.scheduler.fair.locality.threshold.node=0.2", "yarn.scheduler.fair.locality.threshold.rack=1"),
	bySite("yarn.scheduler.fair.locality-delay-node-ms", busy, "yarn.scheduler.fair.continuous-scheduling-enabled=true yarn.scheduler.fair.locality-delay-rack-ms=0", "yarn.scheduler.fair.locality-delay-node-ms=5000"),
	bySite("yarn.scheduler.fair.locality-delay-rack-ms", busy, "yarn.scheduler.fair.continuous-scheduling-enabled=true yarn.scheduler.fair.locality-delay-node-ms=500", "yarn.scheduler.fair.locality-delay-rack-ms=5000"),
	bySite("yarn.scheduler.fair.continuous-scheduling-enabled", busy, "", "yarn.scheduler.fair.continuous-scheduling-enabled=true"),
	bySite("yarn.scheduler.fair.continuous-scheduling-sleep-ms", busy, "yarn.scheduler.fair.continuous-scheduling-enabled=true", "yarn.scheduler.fair.continuous-scheduling-sleep-ms=700"),
	bySite("yarn.scheduler.fair.update-interval-ms", busy, "", "yarn.scheduler.fair.update-interval-ms=5000"),
	bySite("yarn.scheduler.fair.reservable-nodes", busy, "", "yarn.scheduler.fair.reservable-nodes=1"),
	bySite("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", busy, "", "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms=300"),
	bySite("yarn.nm.liveness-monitor.expiry-interval-ms", failing, "", "yarn.nm.liveness-monitor.expiry-interval-ms=5000"),
	bySite("yarn.am.liveness-monitor.expiry-interval-ms", one, "", "yarn.am.liveness-monitor.expiry-interval-ms=7s"), // more than two of its heartbeats
	bySite("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", failing, "", "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms=900"),
	{"yarn.cluster.max-application-priority", priorities, scenario.Options{Scheduler: "capacity"}, scenario.Options{Scheduler: "capacity", Conf: keys("yarn.cluster.max-application-priority=10")}},
	bySite("yarn.resourcemanager.am.max-attempts", one, "yarn.nm.liveness-monitor.expiry-interval-ms=2000", "yarn.resourcemanager.am.max-attempts=1"),
	bySite("yarn.resourcemanager.am.global.max-attempts", one, "yarn.nm.liveness-monitor.expiry-interval-ms=2000 spark.yarn.maxAppAttempts=2", "yarn.resourcemanager.am.global.max-attempts=1"),
	bySite("yarn.resourcemanager.am-scheduling.node-blacklisting-enabled", doomed, avoiding+"yarn.resourcemanager.am-scheduling.node-blacklisting-disable-threshold=1", "yarn.resourcemanager.am-scheduling.node-blacklisting-enabled=true"),
	bySite("yarn.resourcemanager.am-scheduling.node-blacklisting-disable-threshold", doomed, avoiding+"yarn.resourcemanager.am-scheduling.node-blacklisting-enabled=true", "yarn.resourcemanager.am-scheduling.node-blacklisting-disable-threshold=0.6"),
	bySite("yarn.resourcemanager.work-preserving-recovery.enabled", busy, "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms=10000", "yarn.resourcemanager.work-preserving-recovery.enabled=true"),
	bySite("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", busy, "yarn.resourcemanager.work-preserving-recovery.enabled=true", "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms=7000"),
}

// TestEffectOfDocumentedKeys goes through the tables of docs/yarn-config.md: each setting that they call modelled changes what is decided.
func TestEffectOfDocumentedKeys(t *testing.T) {
	text, err := os.ReadFile("../docs/yarn-config.md")
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile("`([^`]+)`")
	documented := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.HasPrefix(strings.TrimSpace(cells[len(cells)-2]), "modelled") {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[1], -1) {
			documented[m[1]] = true
		}
	}
	shown := map[string]bool{}
	for _, e := range slices.Concat(modelled, elements, capacityKeys, monitorKeys) {
		shown[e.setting] = true
		if !documented[e.setting] {
			t.Errorf("%s: docs/yarn-config.md does not call it modelled", e.setting)
		}
		t.Run(e.setting, func(t *testing.T) {
			t.Parallel()
			_, before := replay(t, e.in(), e.with)
			if _, err := scenario.New(e.in(), e.set); err == nil {
				if _, after := replay(t, e.in(), e.set); before.DecisionHash == after.DecisionHash {
					t.Errorf("the same is decided (%s) with\n%v %s and\n%v %s", before.DecisionHash, e.with.Conf, e.with.Files["fair-scheduler.xml"].Text, e.set.Conf, e.set.Files["fair-scheduler.xml"].Text)
				}
			} else if e.setting != "legacy-queue-mode.enabled" { // which takes what the other mode refuses
				t.Error(err)
			}
			if before.Totals.ContainersAllocated == 0 {
				t.Error("nothing is allocated")
			}
		})
	}
	for setting := range documented {
		if !shown[setting] {
			t.Errorf("docs/yarn-config.md calls %s modelled, and no situation shows it", setting)
		}
	}
}
