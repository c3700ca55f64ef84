package replay.golden;

import static replay.golden.Tools.*;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.client.api.impl.AMRMClientImpl;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.util.RackResolver;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.yarn.SparkRackResolver;
import org.apache.spark.deploy.yarn.YarnAllocator;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcTimeout;
import org.apache.spark.scheduler.ExecutorExited;
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages.DecommissionExecutorsOnHost;
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages.RemoveExecutor;
import org.apache.spark.util.ManualClock;
import scala.collection.JavaConverters;
import scala.concurrent.Future$;
import scala.concurrent.Future;
import scala.reflect.ClassTag;

/** YarnAllocator with the bookkeeping of AMRMClientImpl, and a ResourceManager out of a script. */
final class YarnAllocatorRuns implements Main.Recorder {
    private static final ApplicationAttemptId ATTEMPT =
            ApplicationAttemptId.newInstance(ApplicationId.newInstance(1, 1), 1);

    private final List<Integer> profileIds = new ArrayList<>(); // Spark's numbers, by ours
    private Map<String, List<Object>> out; // of the present event
    private Map<String, Container> before; // it, the executors
    private int waiting; // launches, before it
    private final boolean wide;
    private YarnLaunches launches; // of wide runs
    private final boolean looped;
    private AmLoop loop; // of looped runs, which are wide

    YarnAllocatorRuns(boolean wide, boolean looped) {
        this.wide = wide;
        this.looped = looped;
    }

    /** The client's table of asks, with a script in place of the ResourceManager. */
    private final class ScriptedClient extends AMRMClientImpl<ContainerRequest> {
        AllocateResponse response;

        @Override
        public AllocateResponse allocate(float progress) throws YarnException {
            if (looped) {
                loop.call();
            }
            return response;
        }

        @Override
        public synchronized void addContainerRequest(ContainerRequest request) {
            super.addContainerRequest(request);
            note("added", request);
        }

        @Override
        public synchronized void removeContainerRequest(ContainerRequest request) {
            super.removeContainerRequest(request);
            note("removed", request);
        }

        @Override
        public synchronized void releaseAssignedContainer(ContainerId id) {
            super.releaseAssignedContainer(id);
            if (out != null) {
                out.get("released").add(id.getContainerId());
            }
        }

        @Override
        public void updateBlacklist(List<String> add, List<String> remove) {
            super.updateBlacklist(add, remove);
            if (out != null) {
                out.computeIfAbsent("exclude_add", k -> new ArrayList<>()).addAll(add);
                out.computeIfAbsent("exclude_remove", k -> new ArrayList<>()).addAll(remove);
            }
        }

        private void note(String what, ContainerRequest r) {
            if (out != null) {
                out.get(what).add(object(
                        "profile", profileIds.indexOf(r.getPriority().getPriority()),
                        "nodes", sorted(r.getNodes()), "racks", sorted(r.getRacks())));
            }
        }

        private Collection<String> sorted(List<String> names) {
            return names == null || names.isEmpty() ? null : new TreeSet<>(names);
        }
    }

    /** The driver, which only listens. */
    private final class Driver extends RpcEndpointRef {
        Driver(SparkConf conf) {
            super(conf);
        }

        @Override
        public RpcAddress address() {
            return null;
        }

        @Override
        public String name() {
            return "driver";
        }

        @Override
        public void send(Object message) {
            if (out != null && message instanceof RemoveExecutor m && m.reason() instanceof ExecutorExited e) {
                out.get("remove_executor").add(object(
                        "exec", m.executorId(), "exit_code", e.exitCode(), "exit_caused_by_app", e.exitCausedByApp()));
            } else if (out != null && message instanceof DecommissionExecutorsOnHost m) {
                out.computeIfAbsent("decommission_hosts", k -> new ArrayList<>()).add(m.host());
            }
        }

        /** The one question: the number of the last executor of an earlier attempt. */
        @Override
        @SuppressWarnings("unchecked")
        public <T> Future<T> ask(Object message, RpcTimeout timeout, ClassTag<T> tag) {
            return (Future<T>) Future$.MODULE$.successful(0);
        }
    }

    private YarnAllocator allocator(SparkConf conf, YarnConfiguration yarn, ScriptedClient client, ManualClock clock) {
        return new YarnAllocator("", new Driver(conf), yarn, conf, client, ATTEMPT, null,
                BackendParts.cast(map(new LinkedHashMap<>())), new SparkRackResolver(yarn), clock) {
            @Override
            public int getNumExecutorsFailed() {
                if (looped) {
                    loop.looked();
                }
                return super.getNumExecutorsFailed();
            }

            @Override
            public int getNumContainersPendingAllocate() {
                if (looped) {
                    loop.sleeps();
                }
                return super.getNumContainersPendingAllocate();
            }
        };
    }

    /** What an allocator asks for with an executor of the application's own profile. */
    Resource sizeOf(SparkConf conf) throws Exception {
        YarnConfiguration yarn = yarnConf();
        return allocator(conf, yarn, client(yarn), new ManualClock(0)).rpIdToYarnResource().get(0);
    }

    private ScriptedClient client(YarnConfiguration yarn) throws Exception {
        Method reset = RackResolver.class.getDeclaredMethod("reset"); // its cache is one for the whole process
        reset.setAccessible(true);
        reset.invoke(null);
        ScriptedClient c = new ScriptedClient();
        c.init(yarn);
        return c;
    }

    @Override
    @SuppressWarnings("unchecked")
    public Map<String, Object> record(String id, SplittableRandom r) throws Exception {
        out = null;
        profileIds.clear();
        List<String> hosts = hosts(r, pick(r, 1, 2, 4, 6, 12));
        int cores = between(r, 1, 4);
        int cpus = between(r, 1, cores);
        int memory = 512 * between(r, 1, 16);
        int initial = between(r, 0, 4);
        boolean dynamic = chance(r, 0.8);
        long validity = chance(r, 0.5) ? -1 : pick(r, 5_000L, 30_000L, 120_000L);
        boolean exclude = chance(r, 0.5);
        int perNode = between(r, 1, 2);
        long timeout = pick(r, 20_000L, 60_000L, 300_000L);
        SparkConf conf = sparkConf()
                .set("spark.executor.cores", "" + cores)
                .set("spark.task.cpus", "" + cpus)
                .set("spark.executor.memory", memory + "m")
                .set("spark.yarn.launchContainers", "false")
                .set("spark.dynamicAllocation.enabled", "" + dynamic)
                .set(dynamic ? "spark.dynamicAllocation.initialExecutors" : "spark.executor.instances", "" + initial)
                .set("spark.yarn.executor.launch.excludeOnFailure.enabled", "" + exclude)
                .set("spark.excludeOnFailure.application.maxFailedExecutorsPerNode", "" + perNode)
                .set("spark.excludeOnFailure.timeout", timeout + "ms");
        if (validity > 0) {
            conf.set("spark.executor.failuresValidityInterval", validity + "ms");
        }
        launches = wide ? new YarnLaunches(r) : null;
        Map<String, Object> keys = new LinkedHashMap<>();
        if (wide) {
            keys.putAll(launches.draw(conf, hosts));
            conf.set("spark.yarn.launchContainers", "true");
        }
        YarnConfiguration yarn = yarnConf();
        loop = looped ? new AmLoop(r) : null;
        if (looped) {
            keys.putAll(loop.draw(conf, yarn, dynamic, initial));
            if (!conf.contains("spark.executor.maxNumFailures")) {
                keys.remove("spark.executor.maxNumFailures");
            }
        }
        List<ResourceProfile> profiles = new ArrayList<>();
        List<Map<String, Object>> sets = new ArrayList<>();
        profiles.add(defaultProfile(conf));
        sets.add(new LinkedHashMap<>());
        for (int n = !wide || chance(r, 0.4) ? 0 : between(r, 1, 3); n > 0; n--) {
            Map<String, Object> set = new LinkedHashMap<>();
            profiles.add(launches.profile(set, false));
            sets.add(set);
        }
        for (int n = wide || chance(r, 0.7) ? 0 : between(r, 1, 2); n > 0; n--) {
            int c = between(r, 1, 4);
            profiles.add(profile(c, between(r, 1, c), null, null, chance(r, 0.5) ? 256 * between(r, 2, 20) : null));
        }
        profiles.forEach(p -> profileIds.add(p.id()));

        ManualClock clock = new ManualClock(1_000_000L);
        YarnAllocator sizes = allocator(conf, yarn, client(yarn), clock); // asked for sizes only
        List<Object> described = new ArrayList<>();
        List<Resource> resources = new ArrayList<>();
        for (ResourceProfile p : profiles) {
            call(sizes, YarnAllocator.class, "createYarnResourceForResourceProfile", p);
            Resource size = sizes.rpIdToYarnResource().get(p.id());
            resources.add(size);
            described.add(object("profile", described.size(), "cores", size.getVirtualCores(),
                    "container_memory_mb", size.getMemorySize(), "tasks_per_executor", p.maxTasksPerExecutor(conf)));
            if (wide && described.size() > 1) {
                ((Map<String, Object>) described.get(described.size() - 1)).put("sets", sets.get(described.size() - 1));
            }
        }

        ScriptedClient client = client(yarn);
        YarnAllocator allocator = allocator(conf, yarn, client, clock);
        if (wide) {
            launches.wait(allocator);
        }
        List<Object> events = new ArrayList<>();
        events.add(event(object("op", "start", "t", clock.getTimeMillis()), allocator, () -> {}));
        List<Long> live = new ArrayList<>(); // containers that YARN has not reported as ended
        long[] next = {1};
        int n = between(r, 5, 60);
        if (looped) {
            int[] left = {n};
            Map<String, Object> now = new LinkedHashMap<>(); // the heartbeat under way
            loop.play(conf, yarn, allocator, () -> {
                ends(now, allocator, events);
                while (left[0]-- > 0) {
                    if (chance(r, 0.4)) {
                        furtherStep(r, allocator, clock, events);
                    } else if (chance(r, 0.1)) {
                        loop.wake();
                        events.add(event(object("op", "wake", "t", clock.getTimeMillis()), allocator, () -> {}));
                    } else {
                        Map<String, Object> e = step(r, allocator, client, profiles, resources, hosts, clock, live, next, events);
                        if (e != null) {
                            now.putAll(e);
                            begin();
                            return true;
                        }
                    }
                }
                client.response = AllocateResponse.newInstance(0, List.of(), List.of(), List.of(), Resource.newInstance(0, 0), null, 1000, null, List.of());
                return false;
            });
            ends(now, allocator, events);
        }
        for (; n > 0 && !looped; n--) {
            if (wide && chance(r, 0.4)) {
                furtherStep(r, allocator, clock, events);
                continue;
            }
            Map<String, Object> heartbeat = step(r, allocator, client, profiles, resources, hosts, clock, live, next, events);
            if (heartbeat != null) {
                events.add(event(heartbeat, allocator, allocator::allocateResources));
            }
        }
        out = null;
        allocator.stop();
        sizes.stop();
        Map<String, Object> written = object(
                "executor_cores", cores, "task_cpus", cpus, "executor_memory_mb", memory, "initial_executors", initial,
                "dynamic_allocation", dynamic, "failures_validity_interval_ms", validity,
                "launch_exclude_on_failure", exclude, "max_failed_executors_per_node", perNode, "exclude_timeout_ms", timeout);
        if (wide) {
            written.put("keys", keys);
        }
        return object(
                "id", id,
                "conf", written,
                "profiles", described,
                "hosts", hosts,
                "racks", new TreeMap<>(racks),
                "events", events);
    }

    /** One step of a run; of a heartbeat, which is returned, nothing is done but that its answer is prepared. */
    private Map<String, Object> step(SplittableRandom r, YarnAllocator allocator, ScriptedClient client, List<ResourceProfile> profiles, List<Resource> resources, List<String> hosts,
            ManualClock clock, List<Long> live, long[] next, List<Object> events) throws Exception {
        int kind = r.nextInt(100);
        if (kind < 30) {
            events.add(requestTotal(r, allocator, profiles, hosts, clock));
        } else if (kind < 42) {
            List<String> known = new ArrayList<>(javaMap(allocator.executorIdToContainer()).keySet());
            String exec = known.isEmpty() || chance(r, 0.1) ? "999" : pick(r, known);
            events.add(event(object("op", "kill_executor", "t", clock.getTimeMillis(), "exec", exec),
                    allocator, () -> allocator.killExecutor(exec)));
        } else if (kind < 50) {
            clock.advance(1000L * between(r, 1, 90));
            events.add(event(object("op", "advance", "t", clock.getTimeMillis()), allocator, () -> {}));
        } else {
            clock.advance(pick(r, 200L, 1000L, 3000L));
            List<Object> granted = new ArrayList<>();
            List<Object> completed = new ArrayList<>();
            List<Container> containers = new ArrayList<>();
            List<ContainerStatus> statuses = new ArrayList<>();
            for (int g = chance(r, 0.4) ? 0 : between(r, 0, 6); g > 0; g--) {
                int p = chance(r, 0.7) ? 0 : r.nextInt(profiles.size());
                if (!allocator.rpIdToYarnResource().containsKey(profileIds.get(p))) {
                    p = 0; // YARN gives nothing that was never asked for
                }
                String host = pick(r, hosts);
                long mb = (resources.get(p).getMemorySize() + 511) / 512 * 512;
                int vcores = resources.get(p).getVirtualCores();
                containers.add(Container.newInstance(ContainerId.newContainerId(ATTEMPT, next[0]),
                        NodeId.newInstance(host, 8041), host + ":8042", Resource.newInstance(mb, vcores),
                        Priority.newInstance(profileIds.get(p)), null));
                granted.add(object("container", next[0], "host", host, "profile", p, "memory_mb", mb, "vcores", vcores));
                next[0]++;
            }
            for (Long c : some(r, live, chance(r, 0.5) ? 0 : between(r, 0, 4))) {
                int exit = pick(r, -100, -101, -102, -103, -104, -105, -106, -107, -108, -109, -1000, 0, 1, 1, 1, 52, 137, 143);
                live.remove(c);
                statuses.add(ContainerStatus.newInstance(
                        ContainerId.newContainerId(ATTEMPT, c), ContainerState.COMPLETE, "", exit));
                completed.add(object("container", c, "exit_status", exit));
            }
            containers.forEach(c -> live.add(c.getId().getContainerId()));
            int nodes = wide ? pick(r, 0, 1, 2, 3, 1000, 1000, 1000) : 1000;
            List<Object> leaving = new ArrayList<>();
            client.response = AllocateResponse.newInstance(0, statuses, containers, wide ? launches.nodes(hosts, leaving) : new ArrayList<>(),
                    Resource.newInstance(0, 0), null, nodes, null, new ArrayList<>());
            Map<String, Object> heartbeat = object("op", "heartbeat", "t", clock.getTimeMillis(), "granted", granted, "completed", completed);
            if (wide) {
                heartbeat.put("nodes", nodes);
                if (launches.decommission) {
                    heartbeat.put("decommissioning", leaving);
                }
            }
            return heartbeat;
        }
        return null;
    }

    /** Ends the heartbeat under way, if there is one. */
    private void ends(Map<String, Object> now, YarnAllocator allocator, List<Object> events) throws Exception {
        if (!now.isEmpty()) {
            loop.result(now);
            Map<String, Object> e = new LinkedHashMap<>(now);
            finish(e, allocator);
            events.add(e);
            now.clear();
        }
    }

    /** A launch ends, or the driver asks why an executor went, or the application is about to end. */
    private void furtherStep(SplittableRandom r, YarnAllocator allocator, ManualClock clock, List<Object> events) {
        if (chance(r, 0.02)) {
            events.add(event(object("op", "shutdown", "t", clock.getTimeMillis()), allocator, () -> allocator.setShutdown(true)));
        } else if (chance(r, 0.25)) {
            String exec = "" + between(r, 1, 40);
            if (!launches.waitsFor(exec)) {
                events.add(event(object("op", "loss_reason", "t", clock.getTimeMillis(), "exec", exec), allocator, () -> launches.ask(allocator, exec)));
            }
        } else {
            YarnLaunches.Launch l = launches.next();
            if (l != null) {
                clock.advance(pick(r, 0, 20, 300));
                boolean ok = chance(r, 0.85);
                events.add(event(object("op", "launch_ends", "t", clock.getTimeMillis(), "exec", l.executor(), "ok", ok), allocator, () -> YarnLaunches.end(l, ok)));
            }
        }
    }

    private Map<String, Object> requestTotal(
            SplittableRandom r, YarnAllocator allocator, List<ResourceProfile> profiles, List<String> hosts, ManualClock clock)
            throws Exception {
        Map<ResourceProfile, Object> totals = new LinkedHashMap<>();
        Map<Object, Object> local = new LinkedHashMap<>();
        Map<Object, scala.collection.immutable.Map<String, Object>> byHost = new LinkedHashMap<>();
        List<Object> targets = new ArrayList<>();
        List<Object> localPairs = new ArrayList<>();
        List<Object> hostPairs = new ArrayList<>();
        boolean stop = chance(r, 0.02);
        for (int p = 0; p < profiles.size() && !stop; p++) {
            if (p > 0 && chance(r, 0.3)) {
                continue;
            }
            int total = between(r, 0, pick(r, 3, 10, 25));
            totals.put(profiles.get(p), total);
            targets.add(list(p, total));
            if (chance(r, 0.7)) {
                Map<String, Object> counts = new LinkedHashMap<>();
                int tasks = between(r, 1, pick(r, 4, 40));
                for (String h : some(r, hosts, between(r, 1, hosts.size()))) {
                    counts.put(h, between(r, 1, tasks));
                }
                local.put(profileIds.get(p), tasks);
                byHost.put(profileIds.get(p), map(counts));
                localPairs.add(list(p, tasks));
                hostPairs.add(list(p, pairs(counts)));
            }
        }
        List<String> excluded = chance(r, 0.15) ? some(r, hosts, between(r, 1, 2)) : new ArrayList<>();
        boolean[] changed = new boolean[1];
        Map<String, Object> e = object("op", "request_total", "t", clock.getTimeMillis(), "targets", targets,
                "locality_aware_tasks", localPairs, "host_to_local_task_count", hostPairs, "excluded_nodes", excluded);
        Map<String, Object> done = event(e, allocator, () -> changed[0] =
                allocator.requestTotalExecutorsWithPreferredLocalities(map(totals), map(local), map(byHost), set(excluded)));
        done.put("changed", changed[0]);
        return done;
    }

    /** Runs one event and adds what came of it. */
    private Map<String, Object> event(Map<String, Object> e, YarnAllocator allocator, Runnable run) {
        before = javaMap(allocator.executorIdToContainer());
        begin();
        run.run();
        return finish(e, allocator);
    }

    private void begin() {
        out = new LinkedHashMap<>();
        for (String key : Arrays.asList("removed", "added", "released", "launched", "remove_executor")) {
            out.put(key, new ArrayList<>());
        }
        waiting = wide ? launches.waiting() : 0;
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> finish(Map<String, Object> e, YarnAllocator allocator) {
        if (wide) {
            out.get("launched").addAll(launches.launched(waiting));
            out.put("answers", new ArrayList<>(launches.answers));
            launches.answers.clear();
        }
        javaMap(allocator.executorIdToContainer()).entrySet().stream()
                .filter(x -> !wide && !before.containsKey(x.getKey()))
                .sorted((x, y) -> Integer.compare(Integer.parseInt(x.getKey()), Integer.parseInt(y.getKey())))
                .forEach(x -> out.get("launched").add(object("exec", x.getKey(),
                        "container", x.getValue().getId().getContainerId(), "host", x.getValue().getNodeId().getHost())));
        e.put("out", out);
        out = null;

        List<Object> pending = new ArrayList<>();
        Map<Object, ?> requests = javaMap(allocator.getPendingAllocate());
        List<Object> byHost = new ArrayList<>();
        for (int p = 0; p < profileIds.size(); p++) {
            Object rp = profileIds.get(p);
            if (requests.get(rp) instanceof scala.collection.Seq<?> s) {
                pending.add(list(p, s.size()));
            }
            var onHosts = JavaConverters.mapAsJavaMapConverter(allocator.allocatedHostToContainersMapPerRPId()).asJava().get(rp);
            if (onHosts != null) {
                int profile = p;
                javaMap(onHosts).forEach((host, ids) -> byHost.add(list(profile, host, ids.size())));
            }
        }
        e.put("state", object(
                "running", allocator.getNumExecutorsRunning(), "starting", allocator.getNumExecutorsStarting(),
                "failed", allocator.getNumExecutorsFailed(), "released_not_completed", allocator.getNumReleasedContainers(),
                "unexpected_releases", allocator.getNumUnexpectedContainerRelease(), "pending", pending,
                "host_to_containers", byHost));
        if (wide) {
            ((Map<String, Object>) e.get("state")).put("all_excluded", allocator.isAllNodeExcluded());
        }
        return e;
    }
}
