package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/trace"
)

// remarksOf returns the texts of all warnings, and fails the test when one comes twice.
func remarksOf(t *testing.T, sc *Scenario) string {
	t.Helper()
	var texts []string
	for _, w := range sc.Warnings {
		if slices.Contains(texts, w.Text) {
			t.Errorf("twice: %s", w.Text)
		}
		texts = append(texts, w.Text)
	}
	return strings.Join(texts, "\n")
}

// What matters for scheduling and is not modelled stands alone and first; what has no effect takes one line.
func TestRemarks(t *testing.T) {
	mixed := site("yarn.resourcemanager.hostname", "h", "yarn.scheduler.fair.max.assigm", "1", "yarn.acl.enable", "true", "yarn.log-aggregation-enable", "true",
		"yarn.nodemanager.aux-services", "x", "yarn.of.ours", "1", "yarn.node-labels.enabled", "false")
	capacityFile := func(kv ...string) []byte {
		return site(append(kv, capacityQueues, "a,b", "yarn.scheduler.capacity.root.a.capacity", "40", "yarn.scheduler.capacity.root.b.capacity", "60")...)
	}
	const capacity = "yarn.scheduler.capacity."
	for _, tt := range []struct {
		name string
		in   Input
		o    Options
		want []string
	}{
		{"yarn-site.xml", Input{}, Options{Scheduler: "fair", Files: Files{YarnSite: {Name: "y.xml", Text: mixed}}}, []string{
			"y.xml: line 4: yarn.acl.enable=true: not modelled: everybody may submit to every queue",
			"y.xml: line 3: yarn.scheduler.fair.max.assigm: unknown, so it has no effect; probably yarn.scheduler.fair.max.assign is meant",
			"y.xml: unknown keys have no effect: yarn.of.ours",
			"y.xml: 4 keys have no effect on a replay (--verbose lists them)"}},
		{"all of it", Input{}, Options{Scheduler: "fair", Verbose: true, Files: Files{YarnSite: {Name: "y.xml", Text: site("yarn.resourcemanager.hostname", "h", "yarn.log-aggregation-enable", "true", "yarn.router.a", "1")}}}, []string{
			"y.xml: no effect (it has no effect on decisions): yarn.log-aggregation-enable, yarn.resourcemanager.hostname",
			"y.xml: no effect (there is one cluster): yarn.router.a"}},
		{"the trace's yarn-site.xml", Input{Files: Files{YarnSite: {Name: "t/yarn-site.xml", Text: site("yarn.acl.enable", "false", "yarn.node-labels.enabled", "true")}}}, Options{}, []string{
			"t/yarn-site.xml: line 3: yarn.node-labels.enabled=true: not modelled: nodes have no labels"}},
		{"all of the trace's yarn-site.xml", Input{Files: Files{YarnSite: {Text: site("yarn.acl.enable", "false")}}}, Options{Verbose: true}, []string{
			"yarn-site.xml: no effect (everybody may submit to every queue): yarn.acl.enable"}},
		{"nodes of other sizes", Input{Nodes: []trace.Node{{MemMiB: 4096, VCores: 4}, {MemMiB: 4096, VCores: 8}}},
			Options{Scheduler: "fair", Files: Files{YarnSite: {Name: "y.xml", Text: site("yarn.nodemanager.resource.memory-mb", "8192", "yarn.nodemanager.resource.cpu-vcores", "8")}}}, []string{
				"y.xml: line 3: yarn.nodemanager.resource.cpu-vcores=8: not modelled: the nodes are those of the trace, with 4 to 8 vcores (--node-vcores of import says other ones)",
				"y.xml: line 2: yarn.nodemanager.resource.memory-mb=8192: not modelled: the nodes are those of the trace, with 4096 MiB each (--node-mem of import says other ones)"}},
		{"nodes of no size", Input{Nodes: []trace.Node{{MemMiB: 49152, VCores: 4}}},
			Options{Scheduler: "fair", Files: Files{YarnSite: {Name: "y.xml", Text: site("yarn.nodemanager.resource.memory-mb", "48g", "yarn.nodemanager.resource.cpu-vcores", "0x4")}}}, []string{
				"y.xml: line 2: yarn.nodemanager.resource.memory-mb=48g: not modelled: no whole number, which is all that a NodeManager reads there; the nodes are those of the trace (--node-mem of import says other ones)",
				"y.xml: no effect on a replay: yarn.nodemanager.resource.cpu-vcores (the NodeManager is a source of heartbeats, the sizes of nodes come from the trace)"}},
		{"nodes of these sizes", Input{Nodes: []trace.Node{{MemMiB: 4096, VCores: 4}}},
			Options{Scheduler: "fair", Files: Files{YarnSite: {Name: "y.xml", Text: site("yarn.nodemanager.resource.memory-mb", "4096", "yarn.nodemanager.resource.cpu-vcores", "-1")}}}, []string{
				"y.xml: 2 keys have no effect on a replay (--verbose lists them)"}},
		{"preemption of the CapacityScheduler under it", Input{}, Options{Scheduler: "capacity", Files: Files{YarnSite: {Name: "y.xml", Text: site("yarn.resourcemanager.scheduler.monitor.enable", "true")}}}, nil},
		{"and other monitors, and what it does not do", Input{}, Options{Scheduler: "capacity", Files: Files{
			YarnSite: {Name: "y.xml", Text: site("yarn.resourcemanager.scheduler.monitor.enable", "true", "yarn.resourcemanager.scheduler.monitor.policies", "org.example.Own, org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy")},
			"capacity-scheduler.xml": {Name: "c.xml", Text: capacityFile(capacity+"lazy-preemption-enabled", "true", capacity+"root.a.disable_preemption", "true",
				capacity+"ordering-policy.priority-utilization.underutilized-preemption.enabled", "true", capacity+"ordering-policy.priority-utilization.underutilized-preemption.allow-move-reservation", "true",
				"yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round", "20")}}}, []string{
			"y.xml: line 3: yarn.resourcemanager.scheduler.monitor.policies=org.example.Own, org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy: not modelled: of the monitors a replay has org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy alone, which preempts",
			"c.xml: line 5: yarn.scheduler.capacity.ordering-policy.priority-utilization.underutilized-preemption.allow-move-reservation=true: not modelled: reservations stay on their nodes",
			"c.xml: line 2: yarn.scheduler.capacity.lazy-preemption-enabled=true: not modelled: containers that may be killed are killed at once",
			"c.xml: line 6: yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round=20: above 1, which is all of the cluster; it is a fraction and no percentage"}},
		{"settings of it that nobody knows", Input{}, Options{Scheduler: "capacity", Files: Files{
			YarnSite:                 {Name: "y.xml", Text: site("yarn.resourcemanager.scheduler.monitor.enable", "true", "yarn.resourcemanager.monitor.capacity.preemption.observ_only", "true")},
			"capacity-scheduler.xml": {Name: "c.xml", Text: capacityFile("yarn.resourcemanager.monitor.capacity.preemption.max_wait_befor_kill", "1")}}}, []string{
			"y.xml: line 3: yarn.resourcemanager.monitor.capacity.preemption.observ_only: unknown, so it has no effect; probably yarn.resourcemanager.monitor.capacity.preemption.observe_only is meant",
			"c.xml: line 2: yarn.resourcemanager.monitor.capacity.preemption.max_wait_befor_kill: unknown, so it has no effect; probably yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill is meant"}},
		{"its settings without it", Input{}, Options{Scheduler: "capacity", Files: Files{YarnSite: {Name: "y.xml", Text: site("yarn.resourcemanager.monitor.capacity.preemption.observe_only", "true")}}}, []string{
			"y.xml: no effect on a replay: yarn.resourcemanager.monitor.capacity.preemption.observe_only (nothing is preempted: yarn.resourcemanager.scheduler.monitor.enable is not true)"}},
		{"and under another", Input{}, Options{Scheduler: "fifo", Files: Files{YarnSite: {Name: "y.xml", Text: site("yarn.resourcemanager.scheduler.monitor.enable", "true")}}}, []string{
			"y.xml: no effect on a replay: yarn.resourcemanager.scheduler.monitor.enable (only the CapacityScheduler preempts by it)"}},
		{"capacity-scheduler.xml", Input{}, Options{Scheduler: "capacity", Files: Files{"capacity-scheduler.xml": {Name: "c.xml", Text: capacityFile(
			capacity+"root.user-limit-factor", "1", capacity+"root.acl_submit_applications", "*", capacity+"root.a.disable_preemption", "true", capacity+"root.a.allow-zero-capacity-sum", "true",
			capacity+"queue-mappings", "u:x:a", capacity+"queue-mappings-override.enable", "true", capacity+"root.a.maximum-application-lifetime", "-1", capacity+"root.b.maximum-application-lifetime", "60",
			capacity+"root.c.capacity", "1", capacity+"root.c.state", "STOPPED", capacity+"root.a.capasity", "1", capacity+"ours", "1")}}}, []string{
			"c.xml: line 6: yarn.scheduler.capacity.queue-mappings=u:x:a: not modelled: queue mappings are not replayed, the trace names the queue",
			"c.xml: line 9: yarn.scheduler.capacity.root.b.maximum-application-lifetime=60: not modelled: there are no application timeouts",
			"c.xml: line 12: yarn.scheduler.capacity.root.a.capasity: unknown, so it has no effect; probably yarn.scheduler.capacity.root.a.capacity is meant",
			"c.xml: queue root.c: no setting of queues lists it, so what is set for it has no effect",
			"c.xml: unknown keys have no effect: yarn.scheduler.capacity.ours",
			"c.xml: 6 keys have no effect on a replay (--verbose lists them)"}},
		{"capacity-scheduler.xml with keys of others", Input{}, Options{Scheduler: "capacity", Files: Files{"capacity-scheduler.xml": {Name: "c.xml", Text: capacityFile(
			"yarn.scheduler.minimum-allocation-mb", "512", "yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor", "1", "ours", "1", capacity+"user-metrics.enable", "true",
			capacity+"ordering-policy.priority-utilization.underutilized-preemption.enabled", "true", capacity+"root.a.ordering-policy.exclusive-enforced-partitions", "x")}}}, []string{
			"c.xml: line 2: yarn.scheduler.minimum-allocation-mb: has no effect here, want it in yarn-site.xml",
			"c.xml: 4 keys have no effect on a replay (--verbose lists them)"}},
		{"capacity-scheduler.xml with labels", Input{}, Options{Scheduler: "capacity", Files: Files{"capacity-scheduler.xml": {Name: "c.xml", Text: capacityFile(
			capacity+"root.accessible-node-labels", "*", capacity+"root.accessible-node-labels.CORE.capacity", "100", capacity+"root.accessible-node-labels.CORE.maximum-capacity", "100",
			capacity+"root.a.accessible-node-labels.CORE.capacity", "0.0", capacity+"root.b.accessible-node-labels.GPU.capacity", "[memory=1024,vcores=1]")}}}, []string{
			"c.xml: line 3: yarn.scheduler.capacity.root.accessible-node-labels.CORE.capacity=100 and 1 more: not modelled: nodes have no labels",
			"c.xml: 3 keys have no effect on a replay (--verbose lists them)"}},
		{"fair-scheduler.xml", Input{}, Options{Files: Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte("<allocations>\n<queue name='a'><aclSubmitApps>*</aclSubmitApps><minResources>10%</minResources><maxMaps>1</maxMaps></queue>\n" +
			"<queue name='b'><aclSubmitApps>*</aclSubmitApps><minResources>10%</minResources><maxRuningApps>1</maxRuningApps><reservation/></queue></allocations>")}}}, []string{
			"f.xml: line 3: <reservation> of queue root.b: not modelled: there are no reservations: what is submitted to the queue runs in root.b.b-default, as in YARN without one",
			"f.xml: line 2: <minResources> of queue root.a and 1 more: in percentages, which YARN ignores here",
			"f.xml: line 3: <maxRuningApps> of queue root.b: YARN does not know it, so it has no effect; probably <maxRunningApps> is meant",
			"f.xml: unknown elements have no effect: <maxMaps> of queue root.a",
			"f.xml: 2 elements have no effect on a replay (--verbose lists them)"}},
		{"defaults that root has, too", Input{}, Options{Files: Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte("<allocations>\n<queueMaxAppsDefault>3</queueMaxAppsDefault>\n<queueMaxResourcesDefault>9000 mb, 9 vcores</queueMaxResourcesDefault></allocations>")}}}, []string{
			"f.xml: line 2: <queueMaxAppsDefault> (3): holds for root, too, as in YARN: all queues together run no more applications (<maxRunningApps> of root is its own)",
			"f.xml: line 3: <queueMaxResourcesDefault> (9000 mb, 9 vcores): holds for root, too, as in YARN: all queues together have no more (<maxResources> of root is its own)"}},
		{"queues that YARN does not make", Input{}, Options{Files: Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte("<allocations><queue name='a'><schedulingPolicy>drf</schedulingPolicy></queue>" +
			"<queue name='b'><schedulingPolicy>fair</schedulingPolicy><queue name='x'><queue name='y'><schedulingPolicy>DRF</schedulingPolicy></queue><queue name='z'/></queue></queue>" +
			"<queue name='c' type='parent'><schedulingPolicy>fifo</schedulingPolicy></queue><queue name='d'><schedulingPolicy>fifo</schedulingPolicy></queue></allocations>")}}}, []string{
			"f.xml: queue root.a has the policy drf, which its parent root (fair) does not allow: as in YARN the queue is not made, and what is submitted to it or below it is refused",
			"f.xml: queue root.b.x.y has the policy drf, which its parent root.b.x (fair) does not allow: as in YARN the queue is not made, and what is submitted to it or below it is refused",
			"f.xml: queue root.c has the policy fifo, which no queue with queues below it can have: as in YARN the queue is not made, and what is submitted to it or below it is refused"}},
		{"the same below DRF", Input{}, Options{Sharing: "drf", Files: Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte("<allocations><queue name='a'><schedulingPolicy>drf</schedulingPolicy></queue>" +
			"<queue name='b'><schedulingPolicy>fair</schedulingPolicy></queue></allocations>")}}}, nil},
		{"spark-defaults.conf", Input{}, Options{Files: Files{SparkDefaults: {Name: "s.conf", Text: []byte("spark.ui.port 1\nspark.eventLog.enabled true\nspark.a 1\nspark.b 1\nspark.c 1\nspark.d 1\nspark.e 1\nspark.f 1\nspark.shuffle.push.enabled true\n")}}}, []string{
			"s.conf: line 9: spark.shuffle.push.enabled=true: not modelled: shuffle blocks are not pushed",
			"s.conf: unknown keys have no effect: spark.a, spark.b, spark.c, spark.d, 2 more (--verbose lists them)",
			"s.conf: 2 keys have no effect on a replay (--verbose lists them)"}},
		{"keys of Spark that are set twice", Input{}, Options{Files: Files{SparkDefaults: {Name: "s.conf", Text: []byte("spark.locality.wait 0s\nspark.task.cpus 2\nspark.locality.wait 5s\nspark.task.cpus 2\n")}}}, []string{
			"s.conf: line 3: spark.locality.wait: set more than once, the last value counts"}},
		{"single keys", Input{}, Options{Conf: map[string]string{"spark.ui.port": "1", "yarn.acl.enable": "true", "yarn.log-aggregation-enable": "true"}}, []string{
			"--conf: yarn.acl.enable=true: not modelled: everybody may submit to every queue",
			"--conf: 2 keys have no effect on a replay (--verbose lists them)"}},
		{"a file that is read for two schedulers", Input{}, Options{Scheduler: "capacity", Files: Files{YarnSite: {Name: "y.xml", Text: []byte("<configuration><x/><property name='yarn.acl.enable' value='true'/></configuration>")}}}, []string{
			"y.xml: line 1: yarn.acl.enable=true: not modelled: everybody may submit to every queue",
			"y.xml: unknown keys have no effect: <x>"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := remarksOf(t, resolve(t, tt.in, tt.o)), strings.Join(tt.want, "\n"); got != want {
				t.Errorf("warnings\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// What YARN refuses is refused with its rule and with what to write instead; what is not YARN's refusal is not called so.
func TestRefusals(t *testing.T) {
	rules := func(rules string) Options {
		return Options{Files: Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte("<allocations><queuePlacementPolicy>" + rules + "</queuePlacementPolicy></allocations>")}}}
	}
	element := func(tag, text string) Options {
		return Options{Files: Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte("<allocations><queue name='a'><" + tag + ">" + text + "</" + tag + "></queue></allocations>")}}}
	}
	capacity := func(kv ...string) Options {
		return Options{Scheduler: "capacity", Files: Files{"capacity-scheduler.xml": {Name: "c.xml", Text: site(kv...)}}}
	}
	const refuses = ". YARN 3.4.1 refuses this too"
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{rules("<rule name='specified'/><rule name='user'/><rule name='primaryGroup'/><rule name='default'/>"),
			"f.xml: line 1: <queuePlacementPolicy>: Rules after rule 2 in queue placement policy can never be reached" + refuses +
				`; write create="false" in rule 2 (user), which has an answer for every application as it stands, or leave out the rules after it`},
		{rules("<rule name='reject'/><rule name='default'/>"), "; write rule 1 (reject) as the last one"},
		{rules("<rule name='specified'/>"), `without assigning` + refuses + `; write <rule name="default"/> or <rule name="reject"/> as the last rule`},
		{rules("<rule name='nestedUserQueue'/>"), `must have a parent rule set` + refuses + `; write <rule name="nestedUserQueue">`},
		{rules("<rule name='best'/>"), "; write one of user, primaryGroup, secondaryGroupExistingQueue, specified, nestedUserQueue, default, reject"},
		{Options{Files: Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte("<allocations><queue name='a'><maxResources>1 mb</maxResources></queue></allocations>")}}},
			`<maxResources> of queue root.a is "1 mb": Cannot parse resource values from input: 1 mb` + refuses + "; write such as 4096 mb, 4 vcores"},
		{Options{Files: Files{"fair-scheduler.xml": {Name: "y.xml", Text: site("yarn.acl.enable", "${x}")}}}, "y.xml: line 1: <configuration>: Bad fair scheduler config file: top-level element not <allocations>" + refuses + "; write an allocation file"},
		{element("maxResources", "10 gb, 10 vcores"), "Missing resource: mb" + refuses + "; write such as 4096 mb, 4 vcores, or memory-mb=4096, vcores=4, or 50%"},
		{element("maxResources", "80% memory"), "Invalid percentage: 80% memory" + refuses + "; write such as 50%, or 50% memory, 50% cpu"},
		{element("maxResources", "memory-mb=1, gpus=1"), refuses + "; write one of the resources memory-mb, vcores"},
		{element("maxResources", "memory-mb=1g"), refuses + "; write a whole number"},
		{element("maxRunningApps", "10.5"), `For input string: "10.5"` + refuses + "; write a whole number"},
		{element("maxRunningApps", "99999999999"), refuses + "; write a whole number from -2147483648 to 2147483647"},
		{element("weight", "x"), `For input string: "x"` + refuses + "; write a number"},
		{Options{Files: Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte("<allocations><queue name='a'><weight></weight></queue></allocations>")}}}, refuses + "; write a value, or leave the element out"},
		{Options{Files: Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte("<allocations><queue name='a.b'/></allocations>")}}}, refuses + "; write a <queue> inside the <queue> of its parent"},
		{Options{Files: Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte("<allocations><queue name='a'/><queue name='a'/></allocations>")}}}, ""}, // YARN merges them
		{capacity("yarn.scheduler.capacity.x", "1"), "c.xml: yarn.scheduler.capacity.root.queues: Failed to initialize queues: Queue configuration missing child queue names for root" + refuses + "; write the names of the queues"},
		{capacity(capacityQueues, "a,b", "yarn.scheduler.capacity.root.a.capacity", "40", "yarn.scheduler.capacity.root.b.capacity", "50"), refuses + "; write capacities of these queues that add up to 100; they add up to 90.0"},
		{capacity(capacityQueues, "a", "yarn.scheduler.capacity.root.a.capacity", "100", "yarn.scheduler.capacity.root.ordering-policy", "fair"), refuses + "; write utilization or priority-utilization for a queue with children"},
		{capacity(capacityQueues, "a", "yarn.scheduler.capacity.resource-calculator", "org.example.C"), ""},
		{Options{Files: Files{YarnSite: {Name: "y.xml", Text: site("yarn.scheduler.minimum-allocation-mb", "1g")}}}, `y.xml: line 2: yarn.scheduler.minimum-allocation-mb is "1g": For input string: "1g"` + refuses + "; write a whole number"},
		{Options{Conf: map[string]string{"yarn.scheduler.minimum-allocation-mb": "9000"}}, "--conf: yarn.scheduler.minimum-allocation-mb"},
		{Options{Files: Files{YarnSite: {Name: "y.xml", Text: []byte("<configuration><!-- a -- b --></configuration>")}}}, `y.xml: line 1: malformed XML: invalid sequence "--" not allowed in comments` + refuses},
	} {
		_, err := New(Input{}, tt.o)
		if err == nil || tt.want != "" && !strings.Contains(err.Error(), tt.want) || tt.want == "" && strings.Contains(err.Error(), refuses) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

// A template gives one error that says so, whatever it is a template of.
func TestTemplatesAreRefused(t *testing.T) {
	for _, tt := range []struct {
		scheduler, kind, text string
	}{
		{"fair", YarnSite, string(site("yarn.scheduler.minimum-allocation-mb", "{{ min }}"))},
		{"fair", YarnSite, string(site("yarn.resource-types.memory-mb.minimum-allocation", "${min}"))},
		{"fair", YarnSite, "<configuration>{% for p in ps %}</configuration>"},
		{"capacity", "capacity-scheduler.xml", string(site(capacityQueues, "{{ queues }}"))},
		{"capacity", "capacity-scheduler.xml", "<configuration>\n<#list queues as q>\n</configuration>"},
		{"fair", "fair-scheduler.xml", "<allocations><queue name='a'><weight>[% W %]</weight></queue></allocations>"},
		{"fair", SparkDefaults, "spark.executor.cores <%= cores %>\n"},
	} {
		_, err := New(Input{}, Options{Scheduler: tt.scheduler, Files: Files{tt.kind: {Name: "mine", Text: []byte(tt.text)}}})
		if err == nil || !strings.HasPrefix(err.Error(), "mine:") || !strings.Contains(err.Error(), "this is a template whose variables are not filled in") {
			t.Errorf("%s: error %v, want that it is a template", tt.text, err)
		}
	}
	// References of Hadoop, and names in braces in keys that decide nothing, are none.
	sc := resolve(t, Input{}, Options{Scheduler: "fair", Files: Files{YarnSite: {Text: site("yarn.nodemanager.local-dirs", "${hadoop.tmp.dir}/nm", "yarn.application.classpath", "{{HADOOP_COMMON_HOME}}/share",
		"yarn.scheduler.minimum-allocation-mb", "${mine}", "mine", "512")}}})
	if sc.Site.MinAllocation[0] != 512 {
		t.Errorf("the minimum is %v, want the 512 to which it refers", sc.Site.MinAllocation)
	}
	resolve(t, Input{}, Options{Scheduler: "capacity", Files: Files{"capacity-scheduler.xml": {Text: site(capacityQueues, "a", "yarn.scheduler.capacity.root.a.capacity", "100",
		"yarn.scheduler.capacity.root.a.acl_submit_applications", "${user.name},svc a")}}})
}

func TestUnknownSingleKeysAreRefused(t *testing.T) {
	for _, tt := range []struct{ scheduler, key string }{{"capacity", "yarn.scheduler.capacity.ours"}, {"fair", "yarn.of.ours"}, {"fair", "spark.of.ours"}} {
		_, err := New(Input{}, Options{Scheduler: tt.scheduler, Conf: map[string]string{tt.key: "1"}})
		if _, ok := err.(*OptionError); !ok || !strings.Contains(fmt.Sprint(err), "unknown key") {
			t.Errorf("%s: error %v, want one of the options", tt.key, err)
		}
	}
}

// Of several single keys that nobody knows the first is named, in the order in which they were given.
func TestUnknownSingleKeysInOrder(t *testing.T) {
	known := "yarn.scheduler.fair.preemption"
	for _, tt := range []struct {
		order []string
		want  string
	}{
		{[]string{known, "yarn.of.ours", "spark.of.ours", "of.ours"}, "yarn.of.ours"},
		{[]string{known, "spark.of.ours", "of.ours", "yarn.of.ours"}, `"spark.of.ours"`},
		{[]string{"of.ours", "yarn.of.ours", known}, "--conf of.ours=true"},
		{[]string{"yarn.z", "yarn.b"}, "yarn.z"},
		{nil, "yarn.b"},
	} {
		o := Options{Conf: map[string]string{}, ConfOrder: tt.order}
		keys := tt.order
		if keys == nil {
			keys = []string{"yarn.z", "yarn.b"}
		}
		for _, key := range keys {
			o.Conf[key] = "true"
		}
		if _, err := New(Input{}, o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %s", tt.order, err, tt.want)
		}
	}
}
