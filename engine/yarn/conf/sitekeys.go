package conf

import (
	"slices"
	"strings"
	"sync"

	"replay/engine/remark"
)

// notModelledKeys are the keys of YARN's ResourceManager that a replay does not follow, with the
// reason; the names are those of Hadoop 3.4.1's yarn-default.xml and YarnConfiguration.
var notModelledKeys = []struct {
	reason string
	keys   []string
}{
	{"everybody may submit to every queue", []string{
		"yarn.acl.enable",
		"yarn.acl.reservation-enable",
		"yarn.admin.acl",
		"yarn.authorization-provider",
	}},
	{"nodes have no labels", []string{
		"yarn.resourcemanager.node-labels.am.allow-non-exclusive-allocation",
		"yarn.resourcemanager.node-labels.am.default-node-label-expression",
		"yarn.resourcemanager.node-labels.provider",
		"yarn.resourcemanager.node-labels.provider.fetch-interval-ms",
		"yarn.resourcemanager.node-labels.provider.update-newly-registered-nodes-interval-ms",
	}},
	{"there are no reservations", []string{
		"yarn.resourcemanager.reservation-system.class",
		"yarn.resourcemanager.reservation-system.enable",
		"yarn.resourcemanager.reservation-system.plan.follower",
		"yarn.resourcemanager.reservation-system.planfollower.time-step",
	}},
	{"scheduling requests with constraints are not replayed", []string{
		"yarn.resourcemanager.application-master-service.processors",
		"yarn.resourcemanager.placement-constraints.algorithm.class",
		"yarn.resourcemanager.placement-constraints.algorithm.iterator",
		"yarn.resourcemanager.placement-constraints.algorithm.pool-size",
		"yarn.resourcemanager.placement-constraints.handler",
		"yarn.resourcemanager.placement-constraints.retry-attempts",
		"yarn.resourcemanager.placement-constraints.scheduler.pool-size",
		"yarn.scheduler.app-placement-allocator.class",
	}},
	{"the heartbeat interval is constant", []string{
		"yarn.resourcemanager.nodemanagers.heartbeat-interval-max-ms",
		"yarn.resourcemanager.nodemanagers.heartbeat-interval-min-ms",
		"yarn.resourcemanager.nodemanagers.heartbeat-interval-scaling-enable",
		"yarn.resourcemanager.nodemanagers.heartbeat-interval-slowdown-factor",
		"yarn.resourcemanager.nodemanagers.heartbeat-interval-speedup-factor",
	}},
	{"the submitting user is placed", []string{
		"yarn.resourcemanager.application-tag-based-placement.enable",
		"yarn.resourcemanager.application-tag-based-placement.force-lowercase",
		"yarn.resourcemanager.application-tag-based-placement.username.whitelist",
	}},
	{"submissions are taken as they are", []string{
		"yarn.resourcemanager.submission-preprocessor.enabled",
		"yarn.resourcemanager.submission-preprocessor.file-path",
		"yarn.resourcemanager.submission-preprocessor.file-refresh-interval-ms",
	}},
	{"all containers are guaranteed", []string{
		"yarn.resourcemanager.nm-container-queuing.load-comparator",
		"yarn.resourcemanager.nm-container-queuing.max-queue-length",
		"yarn.resourcemanager.nm-container-queuing.max-queue-wait-time-ms",
		"yarn.resourcemanager.nm-container-queuing.min-queue-length",
		"yarn.resourcemanager.nm-container-queuing.min-queue-wait-time-ms",
		"yarn.resourcemanager.nm-container-queuing.queue-limit-stdev",
		"yarn.resourcemanager.nm-container-queuing.sorting-nodes-interval-ms",
		"yarn.resourcemanager.opportunistic-container-allocation.enabled",
		"yarn.resourcemanager.opportunistic-container-allocation.nodes-used",
		"yarn.resourcemanager.opportunistic.max.container-allocation.per.am.heartbeat",
	}},
	{"an update of a container is told to its application", []string{
		"yarn.resourcemanager.auto-update.containers",
	}},
	{"sizes come from the trace", []string{
		"yarn.resourcemanager.resource-profiles.enabled",
		"yarn.resourcemanager.resource-profiles.source-file",
	}},
	{"node events come from the trace", []string{
		"yarn.resourcemanager.decommissioning-nodes-watcher.poll-interval-secs",
		"yarn.resourcemanager.enable-node-untracked-without-include-path",
		"yarn.resourcemanager.node-ip-cache.expiry-interval-secs",
		"yarn.resourcemanager.node-removal-untracked.node-selective-states-to-remove",
		"yarn.resourcemanager.node-removal-untracked.timeout-ms",
		"yarn.resourcemanager.nodemanager.minimum.version",
		"yarn.resourcemanager.nodes.exclude-path",
		"yarn.resourcemanager.nodes.include-path",
		"yarn.resourcemanager.nodestore-rootdir.num-retries",
		"yarn.resourcemanager.nodestore-rootdir.retry-interval-ms",
	}},
	{"the ResourceManager never fails or restarts", []string{
		"yarn.fail-fast",
		"yarn.resourcemanager.cluster-id",
		"yarn.resourcemanager.epoch.range",
		"yarn.resourcemanager.fail-fast",
		"yarn.resourcemanager.fs.state-store.num-retries",
		"yarn.resourcemanager.fs.state-store.retry-interval-ms",
		"yarn.resourcemanager.fs.state-store.uri",
		"yarn.resourcemanager.ha.automatic-failover.embedded",
		"yarn.resourcemanager.ha.automatic-failover.enabled",
		"yarn.resourcemanager.ha.automatic-failover.zk-base-path",
		"yarn.resourcemanager.ha.enabled",
		"yarn.resourcemanager.ha.failover-controller.active-standby-elector.zk.retries",
		"yarn.resourcemanager.ha.id",
		"yarn.resourcemanager.ha.rm-ids",
		"yarn.resourcemanager.leveldb-state-store.compaction-interval-secs",
		"yarn.resourcemanager.leveldb-state-store.path",
		"yarn.resourcemanager.recovery.enabled",
		"yarn.resourcemanager.state-store.max-completed-applications",
		"yarn.resourcemanager.store.class",
		"yarn.resourcemanager.zk-acl",
		"yarn.resourcemanager.zk-address",
		"yarn.resourcemanager.zk-appid-node.split-index",
		"yarn.resourcemanager.zk-client-ssl.enabled",
		"yarn.resourcemanager.zk-delegation-token-node.split-index",
		"yarn.resourcemanager.zk-max-znode-size.bytes",
		"yarn.resourcemanager.zk-auth",
		"yarn.resourcemanager.zk-num-retries",
		"yarn.resourcemanager.zk-retry-interval-ms",
		"yarn.resourcemanager.zk-state-store.parent-path",
		"yarn.resourcemanager.zk-state-store.root-node.acl",
		"yarn.resourcemanager.zk-timeout-ms",
	}},
	{"the configuration is the file that is given", []string{
		"yarn.resourcemanager.configuration.file-system-based-store",
		"yarn.resourcemanager.configuration.provider-class",
		"yarn.scheduler.configuration.fs.path",
		"yarn.scheduler.configuration.leveldb-store.compaction-interval-secs",
		"yarn.scheduler.configuration.leveldb-store.path",
		"yarn.scheduler.configuration.max.version",
		"yarn.scheduler.configuration.mutation.acl-policy.class",
		"yarn.scheduler.configuration.store.class",
		"yarn.scheduler.configuration.store.max-logs",
		"yarn.scheduler.configuration.zk-store.parent-path",
	}},
	{"the CapacityScheduler's queue mappings are not replayed", []string{
		"yarn.scheduler.queue-placement-rules",
	}},
	{"expiry is checked every third of its interval", []string{
		"yarn.resourcemanager.container.liveness-monitor.interval-ms",
	}},
	{"there are no application timeouts", []string{
		"yarn.resourcemanager.application-timeouts.monitor.interval-ms",
	}},
	{"it has no effect on decisions", []string{
		"yarn.intermediate-data-encryption.enable",
		"yarn.is.minicluster",
		"yarn.registry.class",
		"yarn.resourcemanager.activities-manager.app-activities.max-queue-length",
		"yarn.resourcemanager.activities-manager.app-activities.ttl-ms",
		"yarn.resourcemanager.activities-manager.cleanup-interval-ms",
		"yarn.resourcemanager.activities-manager.scheduler-activities.ttl-ms",
		"yarn.resourcemanager.address",
		"yarn.resourcemanager.admin.address",
		"yarn.resourcemanager.admin.client.thread-count",
		"yarn.resourcemanager.amlauncher.thread-count",
		"yarn.resourcemanager.application-https.policy",
		"yarn.resourcemanager.application.max-tag.length",
		"yarn.resourcemanager.application.max-tags",
		"yarn.resourcemanager.bind-host",
		"yarn.resourcemanager.client.thread-count",
		"yarn.resourcemanager.connect.max-wait.ms",
		"yarn.resourcemanager.connect.retry-interval.ms",
		"yarn.resourcemanager.delayed.delegation-token.removal-interval-ms",
		"yarn.resourcemanager.delegation-token-renewer.thread-count",
		"yarn.resourcemanager.delegation-token-renewer.thread-retry-interval",
		"yarn.resourcemanager.delegation-token-renewer.thread-retry-max-attempts",
		"yarn.resourcemanager.delegation-token-renewer.thread-timeout",
		"yarn.resourcemanager.delegation-token.always-cancel",
		"yarn.resourcemanager.delegation-token.max-conf-size-bytes",
		"yarn.resourcemanager.delegation.key.update-interval",
		"yarn.resourcemanager.delegation.token.max-lifetime",
		"yarn.resourcemanager.delegation.token.remove-scan-interval",
		"yarn.resourcemanager.delegation.token.renew-interval",
		"yarn.resourcemanager.history-writer.multi-threaded-dispatcher.pool-size",
		"yarn.resourcemanager.hostname",
		"yarn.resourcemanager.keytab",
		"yarn.resourcemanager.max-completed-applications",
		"yarn.resourcemanager.max-log-aggregation-diagnostics-in-memory",
		"yarn.resourcemanager.metrics.runtime.buckets",
		"yarn.resourcemanager.principal",
		"yarn.resourcemanager.proxy-user-privileges.enabled",
		"yarn.resourcemanager.proxy.connection.timeout",
		"yarn.resourcemanager.proxy.timeout.enabled",
		"yarn.resourcemanager.resource-tracker.address",
		"yarn.resourcemanager.resource-tracker.client.thread-count",
		"yarn.resourcemanager.resource-tracker.nm.ip-hostname-check",
		"yarn.resourcemanager.scheduler.address",
		"yarn.resourcemanager.scheduler.client.thread-count",
		"yarn.resourcemanager.system-metrics-publisher.dispatcher.pool-size",
		"yarn.resourcemanager.system-metrics-publisher.enabled",
		"yarn.resourcemanager.system-metrics-publisher.timeline-server-v1.batch-size",
		"yarn.resourcemanager.system-metrics-publisher.timeline-server-v1.enable-batch",
		"yarn.resourcemanager.system-metrics-publisher.timeline-server-v1.interval-seconds",
		"yarn.resourcemanager.webapp.address",
		"yarn.resourcemanager.webapp.cross-origin.enabled",
		"yarn.resourcemanager.webapp.delegation-token-auth-filter.enabled",
		"yarn.resourcemanager.webapp.https.address",
		"yarn.resourcemanager.webapp.rest-csrf.custom-header",
		"yarn.resourcemanager.webapp.rest-csrf.enabled",
		"yarn.resourcemanager.webapp.rest-csrf.methods-to-ignore",
		"yarn.resourcemanager.webapp.spnego-keytab-file",
		"yarn.resourcemanager.webapp.spnego-principal",
		"yarn.resourcemanager.webapp.ui-actions.enabled",
		"yarn.resourcemanager.webapp.xfs-filter.xframe-options",
		"yarn.rm.system-metrics-publisher.emit-container-events",
		"yarn.scheduler.fair.eventlog.dir",
		"yarn.scheduler.skip.node.multiplier",
		"yarn.system-metrics-publisher.enabled",
		"yarn.tracking.url.generator",
	}},
	{"it belongs to the converter of allocation files", []string{
		"yarn.scheduler.fair.migration.mode",
		"yarn.scheduler.fair.migration.terminal.rule.check",
	}},
	{"a node that cannot be reached refuses to start a container at once, and to stop a MapReduce task after 180000 ms", []string{
		"yarn.client.nodemanager-connect.max-wait-ms",
		"yarn.client.nodemanager-connect.retry-interval-ms",
		"yarn.resourcemanager.nodemanager-connect-retries",
	}},
	{"a drain waits as long as the trace says, and else for ever, as with -1", []string{
		"yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs",
	}},
}

// notModelledAreas are parts of YARN and Hadoop that a replay does not contain, by key prefix.
var notModelledAreas = []struct{ prefix, reason string }{
	{"yarn.nodemanager.", "the NodeManager is a source of heartbeats, the sizes of nodes come from the trace"},
	{"yarn.timeline-service.", "it has no effect on decisions"},
	{"yarn.federation.", "there is one cluster"},
	{"yarn.router.", "there is one cluster"},
	{"yarn.sharedcache.", "it has no effect on decisions"},
	{"yarn.node-labels.", "nodes have no labels"},
	{"yarn.node-attribute.", "nodes have no attributes"},
	{"yarn.log", "it has no effect on decisions"},
	{"yarn.webapp.", "it has no effect on decisions"},
	{"yarn.web-proxy.", "it has no effect on decisions"},
	{"yarn.client.", "it has no effect on decisions"},
	{"yarn.ipc.", "it has no effect on decisions"},
	{"yarn.http.", "it has no effect on decisions"},
	{"yarn.app.", "applications come from the trace"},
	{"yarn.apps.", "it has no effect on decisions"},
	{"yarn.application.", "applications come from the trace"},
	{"yarn.dispatcher.", "it has no effect on decisions"},
	{"yarn.minicluster.", "it has no effect on decisions"},
	{"yarn.workflow-id.", "it has no effect on decisions"},
	{PreemptionPrefix, noMonitors},
	{"yarn.resourcemanager.monitor.capacity.", "the CapacityScheduler's queue management is not replayed"},
	{"hadoop.", "it has no effect on decisions"},
	{"ipc.", "it has no effect on decisions"},
	{"io.", "it has no effect on decisions"},
	{"fs.", "it has no effect on decisions"},
	{"dfs.", "it has no effect on decisions"},
	{"mapreduce.", "applications come from the trace"},
	{"net.topology.", "racks come from the trace"},
}

// idle are the keys among those not modelled that decide in YARN, with the values with which they don't: YARN's
// default, or what switches the part off.
var idle = map[string][]string{
	"yarn.acl.enable":                                {"false"},
	"yarn.federation.enabled":                        {"false"},
	"yarn.node-labels.enabled":                       {"false"},
	"yarn.resourcemanager.reservation-system.enable": {"false"},
	"yarn.resourcemanager.nodemanagers.heartbeat-interval-scaling-enable": {"false"},
	"yarn.resourcemanager.application-tag-based-placement.enable":         {"false"},
	"yarn.resourcemanager.submission-preprocessor.enabled":                {"false"},
	"yarn.scheduler.configuration.store.class":                            {"file"},
	"yarn.scheduler.queue-placement-rules":                                {"user-group"},
	"yarn.client.nodemanager-connect.max-wait-ms":                         {"180000"},
	"yarn.client.nodemanager-connect.retry-interval-ms":                   {"10000"},
	"yarn.resourcemanager.nodemanager-connect-retries":                    {"10"},
	"yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs": {"-1"},
}

// ForCapacity reports whether a key that is not modelled decides with the CapacityScheduler alone.
func ForCapacity(key string) bool {
	switch key {
	case keyMonitorPolicies, "yarn.scheduler.configuration.store.class", "yarn.scheduler.queue-placement-rules":
		return true
	}
	return false
}

// isNotModelled reports whether YARN has the key and a replay does not follow it. Keys with the id of a
// ResourceManager at the end (high availability) count as those without.
func isNotModelled(key string) bool { return reasonOf(key) != "" }

// NotFollowed returns why a replay does not follow a key of yarn-site.xml, "" for others.
func NotFollowed(key string) string { return reasonOf(key) }

func reasonOf(key string) string {
	for _, g := range notModelledKeys {
		for _, k := range g.keys {
			if key == k || strings.HasPrefix(key, k+".") {
				return g.reason
			}
		}
	}
	for _, a := range notModelledAreas {
		if strings.HasPrefix(key, a.prefix) {
			return a.reason
		}
	}
	return ""
}

// notModelled returns what is to be said of a key that is not followed, and of its value.
func notModelled(key, value string) (remark.Kind, string) {
	values, decides := idle[key]
	if decides && !slices.Contains(values, strings.ToLower(value)) {
		return remark.Unmodelled, reasonOf(key)
	}
	return remark.NoEffect, reasonOf(key)
}

// siteKeys are the keys that [NewSite] follows.
var siteKeys = sync.OnceValue(func() []string {
	r := &reader{props: map[string]string{keyMonitors: "true"}, read: map[string]bool{}}
	r.site()
	return sortedKeys(r.read)
})

// SiteFollows reports whether [NewSite] follows the key.
func SiteFollows(key string) bool {
	return slices.Contains(siteKeys(), key) || strings.HasPrefix(key, keyResourceTypes+".") || strings.HasPrefix(key, keyAMPreemption+".")
}
