package replay.golden;

import static replay.golden.Tools.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.yarn.ContainerLocalityPreferences;
import org.apache.spark.deploy.yarn.LocalityPreferredContainerPlacementStrategy;
import org.apache.spark.deploy.yarn.SparkRackResolver;
import org.apache.spark.resource.ResourceProfile;

/** LocalityPreferredContainerPlacementStrategy.localityOfRequestedContainers. */
final class ContainerPlacement implements Main.Recorder {
    @Override
    public Map<String, Object> record(String id, SplittableRandom r) throws Exception {
        List<String> hosts = hosts(r, pick(r, 1, 3, 4, 5, 8, 16, 40));
        int cores = between(r, 1, 8);
        int cpus = chance(r, 0.7) ? 1 : between(r, 1, cores);
        boolean custom = chance(r, 0.3);
        Integer gpus = null;
        Double taskGpus = null;
        if (custom && chance(r, 0.5)) {
            taskGpus = pick(r, 1.0, 2.0, 0.5, 0.25, 0.3, 0.4, 0.07);
            gpus = between(r, taskGpus > 1 ? 2 : 1, 6);
        }
        SparkConf conf = sparkConf();
        ResourceProfile profile;
        if (custom) {
            profile = profile(cores, cpus, gpus, taskGpus, null);
        } else {
            conf.set("spark.executor.cores", "" + cores).set("spark.task.cpus", "" + cpus);
            profile = defaultProfile(conf);
        }

        Map<String, Object> counts = new LinkedHashMap<>();
        int most = pick(r, 1, 5, 30, 400);
        for (String h : some(r, hosts, between(r, 0, hosts.size()))) {
            counts.put(h, chance(r, 0.03) ? 0 : between(r, 1, most));
        }
        int localTasks = between(r, 0, pick(r, 2, 20, 200, 1000));
        Map<String, Integer> allocated = new LinkedHashMap<>();
        for (String h : some(r, hosts, between(r, 0, hosts.size()))) {
            allocated.put(h, between(r, 0, 4));
        }
        List<List<String>> pending = new ArrayList<>();
        for (int n = chance(r, 0.4) ? 0 : between(r, 0, 12); n > 0; n--) {
            pending.add(some(r, hosts, between(r, 1, Math.min(6, hosts.size()))));
        }
        int containers = chance(r, 0.04) ? 0 : between(r, 1, pick(r, 3, 20, 60));

        Configuration yarn = yarnConf();
        var strategy = new LocalityPreferredContainerPlacementStrategy(conf, yarn, new SparkRackResolver(yarn));
        ApplicationAttemptId attempt = ApplicationAttemptId.newInstance(ApplicationId.newInstance(1, 1), 1);
        var existing = new scala.collection.mutable.HashMap<String, scala.collection.mutable.Set<ContainerId>>();
        long next = 1;
        for (Map.Entry<String, Integer> e : allocated.entrySet()) {
            var ids = new scala.collection.mutable.HashSet<ContainerId>();
            for (int i = 0; i < e.getValue(); i++) {
                ids.add(ContainerId.newContainerId(attempt, next++));
            }
            existing.put(e.getKey(), ids);
        }
        List<ContainerRequest> requests = new ArrayList<>();
        for (List<String> nodes : pending) {
            requests.add(new ContainerRequest(
                    Resource.newInstance(1024, 1), nodes.toArray(new String[0]), null, Priority.newInstance(0)));
        }
        var expected = (scala.collection.Map<String, Object>) call(strategy, "expectedHostToContainerCount",
                localTasks, map(counts), existing, seq(requests), profile);
        ContainerLocalityPreferences[] prefs =
                strategy.localityOfRequestedContainers(containers, localTasks, map(counts), existing, seq(requests), profile);

        List<Object> out = new ArrayList<>();
        for (ContainerLocalityPreferences p : prefs) {
            out.add(object(
                    "nodes", p.nodes() == null ? null : new TreeSet<>(Arrays.asList(p.nodes())),
                    "racks", p.racks() == null ? null : new TreeSet<>(Arrays.asList(p.racks())),
                    "nodes_as_emitted", p.nodes() == null ? null : Arrays.asList(p.nodes())));
        }
        return object(
                "id", id,
                "note", "",
                "in", object(
                        "num_container", containers,
                        "num_locality_aware_tasks", localTasks,
                        "host_to_local_task_count", pairs(counts),
                        "allocated_host_to_containers", pairs(allocated),
                        "locality_matched_pending", pending,
                        "resource_profile", object(
                                "kind", custom ? "custom" : "default", "executor_cores", cores, "task_cpus", cpus,
                                "executor_gpus", gpus, "task_gpus", taskGpus),
                        "racks", new TreeMap<>(racks)),
                "tasks_per_executor", profile.maxTasksPerExecutor(conf),
                "expected_host_to_container_count", javaMap(expected),
                "out", out);
    }
}
