package scenario

import (
	"strings"
	"testing"
)

// Shapes of files as administrators keep them: of distributions, cluster managers, images and roles. Each loads with at most ten
// remarks under the scheduler that it names, or is refused by the rule that YARN has.
func TestShapesOfRealFiles(t *testing.T) {
	property := func(kv ...string) string {
		var b strings.Builder
		b.WriteString("<?xml version=\"1.0\"?>\n<?xml-stylesheet type=\"text/xsl\" href=\"configuration.xsl\"?>\n<!-- a licence -->\n<configuration>\n")
		for i := 0; i < len(kv); i += 2 {
			b.WriteString("  <property>\n    <name>" + kv[i] + "</name>\n    <value>" + kv[i+1] + "</value>\n    <description>\n      text\n    </description>\n  </property>\n")
		}
		return b.String() + "</configuration>\n"
	}
	const c = "yarn.scheduler.capacity."
	class := func(i int) string { return Schedulers[i].Class }
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string // the scheduler, or the error
	}{
		{"high availability, one value an id", map[string]string{"yarn-site.xml": property(keySchedulerClass, class(1), "yarn.resourcemanager.ha.enabled", "true", "yarn.resourcemanager.ha.rm-ids", "rm1,rm2",
			"yarn.resourcemanager.hostname.rm1", "h1", "yarn.resourcemanager.hostname.rm2", "h2", "yarn.resourcemanager.webapp.address.rm1", "h1:8088", "yarn.resourcemanager.zk-address", "z:2181",
			"yarn.nodemanager.local-dirs", "${hadoop.tmp.dir}/nm", "yarn.log.server.url", "http://${yarn.resourcemanager.hostname.rm1}/logs")}, "capacity"},
		{"the file that Hadoop comes with", map[string]string{"capacity-scheduler.xml": property(c+"maximum-applications", "10000", c+"maximum-am-resource-percent", "0.1",
			c+"resource-calculator", "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator", c+"root.queues", "default", c+"root.default.capacity", "100", c+"root.default.user-limit-factor", "1",
			c+"root.default.maximum-capacity", "100", c+"root.default.state", "RUNNING", c+"root.default.acl_submit_applications", "*", c+"root.default.acl_administer_queue", "*",
			c+"root.default.acl_application_max_priority", "*", c+"root.default.maximum-application-lifetime\n    ", "-1", c+"root.default.default-application-lifetime", "-1", c+"node-locality-delay", "40",
			c+"rack-locality-additional-delay", "-1", c+"queue-mappings", "", c+"queue-mappings-override.enable", "false", c+"per-node-heartbeat.maximum-offswitch-assignments", "1",
			c+"application.fail-fast", "false", c+"workflow-priority-mappings", "", c+"workflow-priority-mappings-override.enable", "false")}, "capacity"},
		{"a cluster manager's keys of root and of parents", map[string]string{"capacity-scheduler.xml": property(c+"root.queues", "default,llap", c+"root.capacity", "100", c+"root.accessible-node-labels", "*",
			c+"root.acl_administer_queue", "*", c+"root.user-limit-factor", "1", c+"root.priority", "0", c+"root.ordering-policy", "priority-utilization", c+"root.default.capacity", "60",
			c+"root.llap.queues", "x", c+"root.llap.user-limit-factor", "4", c+"root.llap.minimum-user-limit-percent", "100", c+"root.llap.capacity", "40", c+"root.llap.x.capacity", "100",
			c+"root.default.acl_administer_jobs", "*", c+"root.unfunded.capacity", "50")}, "capacity"},
		{"an order of applications on a queue with children", map[string]string{"capacity-scheduler.xml": property(c+"root.queues", "a", c+"root.a.capacity", "100", c+"root.ordering-policy", "fair")},
			"Unable to construct queue ordering policy=fair queue=root: fair. YARN 3.4.1 refuses this too; write utilization or priority-utilization"},
		{"queues without a capacity", map[string]string{"capacity-scheduler.xml": property(c+"root.queues", "a,b,c", c+"root.a.queues", "a1", c+"root.b.queues", "b1")},
			"doesn't allow children capacity to set to 0. YARN 3.4.1 refuses this too; write a capacity for each of these queues (yarn.scheduler.capacity.root."},
		{"properties without their tags", map[string]string{"capacity-scheduler.xml": "<configuration>\n  " + c + "root.queues\n  <value>a,b</value>\n</configuration>"}, "Queue configuration missing child queue names for root. YARN 3.4.1 refuses this too"},
		{"pools under root with access of many, and preemption", map[string]string{
			"yarn-site.xml": property(keySchedulerClass, class(0), "yarn.scheduler.fair.preemption", "true", keyAllocationFile, "/etc/hadoop/conf/allocations.xml"),
			"allocations.xml": `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<allocations>
    <queue name="root">
        <weight>1.0</weight><schedulingPolicy>drf</schedulingPolicy><aclSubmitApps>h h</aclSubmitApps><aclAdministerApps>h h</aclAdministerApps>
        <queue name="production"><minResources>163840 mb, 80 vcores</minResources><weight>3.0</weight><aclSubmitApps>*</aclSubmitApps>
            <queue name="etl"><maxResources>2048000 mb, 500 vcores</maxResources><aclSubmitApps>etl </aclSubmitApps></queue>
        </queue>
        <queue name="users" type="parent"><aclSubmitApps>*</aclSubmitApps></queue>
    </queue>
    <userMaxAppsDefault>50</userMaxAppsDefault>
    <defaultQueueSchedulingPolicy>fair</defaultQueueSchedulingPolicy>
    <queuePlacementPolicy>
        <rule name="specified" create="false"/>
        <rule name="nestedUserQueue" create="true"><rule name="default" create="true" queue="users"/></rule>
        <rule name="default"/>
    </queuePlacementPolicy>
</allocations>`}, "Rules after rule 2 in queue placement policy can never be reached. YARN 3.4.1 refuses this too; write create=\"false\" in rule 2 (nestedUserQueue)"},
		{"pools of the first Hadoop", map[string]string{"yarn-site.xml": property(keySchedulerClass, class(0)), "fair-scheduler.xml": `<allocations>
  <pool name="p"><minMaps>5</minMaps><minReduces>5</minReduces><maxMaps>9</maxMaps><maxReduces>9</maxReduces><maxRunningJobs>9</maxRunningJobs><weight>2.0</weight></pool>
  <user name="u"><maxRunningJobs>6</maxRunningJobs></user>
  <poolMaxJobsDefault>20</poolMaxJobsDefault><userMaxJobsDefault>10</userMaxJobsDefault>
</allocations>`}, "fair"},
		{"a policy that parents can't have", map[string]string{"yarn-site.xml": property(keySchedulerClass, class(0)), "fair-scheduler.xml": "<allocations><defaultQueueSchedulingPolicy>fifo</defaultQueueSchedulingPolicy></allocations>"},
			"can't be FIFO. YARN 3.4.1 refuses this too; write fair or drf here, and <schedulingPolicy>fifo</schedulingPolicy> in leaf queues"},
		{"a comment with two dashes", map[string]string{"yarn-site.xml": property(keySchedulerClass, class(0)), "fair-scheduler.xml": "<allocations>\n<!-- a -- b -->\n</allocations>"}, "line 2: malformed XML"},
		{"a role's template", map[string]string{"yarn-site.xml": "<?xml version=\"1.0\"?>\n<!-- {{ ansible_managed|comment }} -->\n<configuration>\n{% for e in p %}\n<property><name>{{ e.key }}</name><value>{{ e.value }}</value></property>\n{% endfor %}\n</configuration>"},
			"this is a template whose variables are not filled in"},
		{"Spark's keys of many vendors", map[string]string{"spark-defaults.conf": "#!/usr/bin/env bash\nspark.master yarn\nspark.yarn.historyServer.address h:18080\nspark.history.fs.logDirectory hdfs:///h\nspark.eventLog.enabled=true\n" +
			"spark.executor.extraJavaOptions -XX:+PrintGCDetails -Dkey=value\nspark.shuffle.consolidateFiles true\nspark.storage.memoryFraction 0.5\nspark.blacklist.decommissioning.enabled true\n" +
			"spark.resourceManager.cleanupExpiredHost true\nspark.stage.attempt.ignoreOnDecommissionFetchFailure true\nspark.dynamicAllocation.enabled true\nspark.shuffle.service.enabled true\nhive.metastore.uris x\n"}, "fair"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sc, err := New(Input{}, Options{Folder: folder(t, tt.files)})
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %q", err, tt.want)
				}
				return
			}
			if sc.Scheduler != tt.want {
				t.Errorf("scheduler is %s, want %s", sc.Scheduler, tt.want)
			}
			if remarks := remarksOf(t, sc); strings.Count(remarks, "\n") > 9 {
				t.Errorf("more than ten remarks:\n%s", remarks)
			}
		})
	}
}
