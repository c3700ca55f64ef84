package replay.golden;

import static replay.golden.Tools.*;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.ExecutorAllocationManager;
import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.FetchFailed;
import org.apache.spark.Resubmitted$;
import org.apache.spark.SparkConf;
import org.apache.spark.Success$;
import org.apache.spark.TaskCommitDenied;
import org.apache.spark.TaskEndReason;
import org.apache.spark.TaskKilled;
import org.apache.spark.TaskResultLost$;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.ResourceProfileManager;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.JobSucceeded$;
import org.apache.spark.scheduler.LiveListenerBus;
import org.apache.spark.scheduler.SparkListenerBlockUpdated;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerInterface;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerSpeculativeTaskSubmitted;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.SparkListenerUnpersistRDD;
import org.apache.spark.scheduler.SparkListenerUnschedulableTaskSetAdded;
import org.apache.spark.scheduler.SparkListenerUnschedulableTaskSetRemoved;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskLocality;
import org.apache.spark.scheduler.TaskLocation;
import org.apache.spark.scheduler.TaskLocation$;
import org.apache.spark.scheduler.cluster.ExecutorInfo;
import org.apache.spark.scheduler.dynalloc.ExecutorMonitor;
import org.apache.spark.storage.BlockManagerId$;
import org.apache.spark.storage.BlockUpdatedInfo;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.ShuffleDataBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.ManualClock;
import scala.Option;
import scala.Tuple2;
import scala.collection.JavaConverters;

/** ExecutorAllocationManager with its listener and ExecutorMonitor, event by event. */
final class ExecutorAllocationRuns implements Main.Recorder {
    /** A stage attempt that was submitted. */
    private record Stage(int id, int attempt, int tasks, int profile, List<Integer> rest, Set<Integer> started) {}

    private record Task(long tid, Stage stage, int index, String exec, boolean speculative, TaskInfo info) {}

    private final boolean wide; // the manager is reset, calls kill some executors of those asked for, shuffles move
    private final boolean odd; // jobs share stages, stages have no tasks, news of executors comes late, twice or again

    ExecutorAllocationRuns(boolean wide, boolean odd) {
        this.wide = wide;
        this.odd = odd;
    }

    /** One run: the manager, the cluster manager that answers it, and an application that could be. */
    private static final class Run implements ExecutorAllocationClient {
        final SplittableRandom r;
        final ManualClock clock = new ManualClock(10_000L);
        final List<ResourceProfile> profiles = new ArrayList<>();
        final List<Object> events = new ArrayList<>();
        final List<String> hosts;
        final double reachable; // chance that a call is acknowledged
        ExecutorAllocationManager manager;
        boolean tracking; // of shuffles
        final boolean wide;
        final boolean odd;
        final List<int[]> described = new ArrayList<>(); // stages of all jobs, with their shuffles or -1
        List<Object> calls = new ArrayList<>();

        final Map<String, Integer> executors = new TreeMap<>(); // active ones, with their profile
        final List<String> dying = new ArrayList<>(); // killed or decommissioned and still there
        final List<Stage> stages = new ArrayList<>(); // submitted and not completed
        final List<Stage> past = new ArrayList<>();
        final List<Task> running = new ArrayList<>();
        final List<Integer> jobs = new ArrayList<>();
        final List<int[]> ready = new ArrayList<>(); // stages of a job, to be submitted: id, attempt
        final Set<Integer> targeted = new HashSet<>(List.of(0));
        int lastExec, lastStage, lastShuffle, lastJob;
        long lastTid;

        Run(SplittableRandom r, boolean wide, boolean odd) {
            this.r = r;
            this.wide = wide;
            this.odd = odd;
            this.hosts = hosts(r, between(r, 1, 6));
            this.reachable = chance(r, 0.2) ? 0.7 : 1;
        }

        private int number(int rpId) {
            for (int i = 0; i < profiles.size(); i++) {
                if (profiles.get(i).id() == rpId) {
                    return i;
                }
            }
            throw new IllegalStateException("profile " + rpId);
        }

        private <V> TreeMap<Integer, V> byNumber(scala.collection.Map<Object, V> m) {
            TreeMap<Integer, V> out = new TreeMap<>();
            JavaConverters.mapAsJavaMapConverter(m).asJava().forEach((k, v) -> out.put(number((Integer) k), v));
            return out;
        }

        // What Spark asks of the cluster manager.

        @Override
        public boolean requestTotalExecutors(
                scala.collection.immutable.Map<Object, Object> totals,
                scala.collection.immutable.Map<Object, Object> local,
                scala.collection.immutable.Map<Object, scala.collection.immutable.Map<String, Object>> byHost) {
            boolean ok = chance(r, reachable);
            TreeMap<Integer, Object> counts = new TreeMap<>();
            byNumber(byHost).forEach((p, m) -> counts.put(p, javaMap(m)));
            calls.add(object("call", "request_total", "targets", pairs(byNumber(totals)),
                    "locality_aware_tasks", pairs(byNumber(local)), "host_to_local_task_count", pairs(counts), "acknowledged", ok));
            return ok;
        }

        @Override
        public scala.collection.Seq<String> killExecutors(
                scala.collection.Seq<String> ids, boolean adjust, boolean countFailures, boolean force) {
            List<String> execs = new ArrayList<>(JavaConverters.seqAsJavaListConverter(ids).asJava());
            boolean ok = chance(r, reachable);
            Map<String, Object> call = object("call", "kill", "execs", execs, "adjust_target", adjust, "count_failures", countFailures,
                    "force", force, "acknowledged", ok);
            return seq(ok ? gone(call, execs) : noted(call));
        }

        private List<String> noted(Map<String, Object> call) {
            calls.add(call);
            return List.of();
        }

        /** Those that go: in wide runs some are busy. */
        private List<String> gone(Map<String, Object> call, List<String> execs) {
            List<String> go = execs;
            if (wide && chance(r, 0.4)) {
                go = new ArrayList<>(execs);
                go.removeIf(e -> chance(r, 0.5));
                call.put("gone", go);
            }
            calls.add(call);
            dying.addAll(go);
            return go;
        }

        @Override
        public scala.collection.Seq<String> decommissionExecutors(
                Tuple2<String, ExecutorDecommissionInfo>[] which, boolean adjust, boolean triggeredByExecutor) {
            List<String> execs = new ArrayList<>();
            for (Tuple2<String, ExecutorDecommissionInfo> t : which) {
                execs.add(t._1());
            }
            boolean ok = chance(r, reachable);
            Map<String, Object> call = object("call", "decommission", "execs", execs, "adjust_target", adjust, "acknowledged", ok);
            return seq(ok ? gone(call, execs) : noted(call));
        }

        @Override
        public boolean isExecutorActive(String id) {
            return executors.containsKey(id);
        }

        @Override
        public scala.collection.Seq<String> getExecutorIds() {
            return seq(new ArrayList<>(executors.keySet()));
        }

        @Override
        public boolean requestExecutors(int more) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean decommissionExecutorsOnHost(String host) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean killExecutorsOnHost(String host) {
            throw new UnsupportedOperationException();
        }

        // Events.

        interface Tell {
            void to(SparkListenerInterface listener);
        }

        /** Hands an event to the manager's listener and then to the monitor, and notes what came of it. */
        void tell(Map<String, Object> e, Tell tell) throws Exception {
            done(e, () -> {
                tell.to(manager.listener());
                tell.to(manager.executorMonitor());
            });
        }

        interface Action {
            void run() throws Exception;
        }

        void done(Map<String, Object> e, Action action) throws Exception {
            calls = new ArrayList<>();
            action.run();
            if (!calls.isEmpty()) {
                e.put("calls", calls);
            }
            List<Object> needed = new ArrayList<>();
            for (int p = 0; p < profiles.size(); p++) {
                needed.add(list(p, manager.maxNumExecutorsNeededPerResourceProfile(profiles.get(p).id())));
            }
            long addTime = (Long) call(manager, "addTime");
            ExecutorMonitor monitor = manager.executorMonitor();
            List<String> pendingRemoval = new ArrayList<>();
            ((Map<String, ExecutorMonitor.Tracker>) call(monitor, "executors")).forEach((id, x) -> {
                if (x.pendingRemoval()) {
                    pendingRemoval.add(id);
                }
            });
            Collections.sort(pendingRemoval);
            e.put("state", object(
                    "targets", pairs(byNumber(manager.numExecutorsTargetPerResourceProfileId())),
                    "to_add_next", pairs(byNumber(manager.numExecutorsToAddPerResourceProfileId())),
                    "max_needed", needed, "add_time_ms", addTime == Long.MAX_VALUE ? null : addTime / 1_000_000,
                    "executors", monitor.executorCount(), "pending_removal", pendingRemoval));
            events.add(e);
        }

        Map<String, Object> event(String op, Object... more) {
            Map<String, Object> e = object("op", op, "t", clock.getTimeMillis());
            e.putAll(object(more));
            return e;
        }

        StageInfo info(int id, int attempt, int tasks, int profile, Integer shuffle, List<List<String>> preferred) {
            List<scala.collection.Seq<TaskLocation>> locations = new ArrayList<>();
            for (List<String> hosts : preferred) {
                List<TaskLocation> l = new ArrayList<>();
                hosts.forEach(h -> l.add(TaskLocation$.MODULE$.apply(h)));
                locations.add(seq(l));
            }
            return new StageInfo(id, attempt, "", tasks, seq(List.of()), seq(List.of()), "", null, seq(locations),
                    Option.apply((Object) shuffle), profiles.get(profile).id(), false, 0);
        }

        void jobStart() throws Exception {
            int job = lastJob++;
            List<Object> described = new ArrayList<>();
            List<StageInfo> infos = new ArrayList<>();
            Integer shuffle = null;
            for (int n = odd && !this.described.isEmpty() ? between(r, 0, 3) : 0; n > 0; n--) { // it reads what other jobs compute or have computed
                int[] known = pick(r, this.described);
                Integer of = known[1] < 0 ? null : (Integer) known[1];
                described.add(object("stage", known[0], "shuffle", of));
                infos.add(info(known[0], 0, 1, 0, of, List.of()));
            }
            for (int n = between(r, odd ? 0 : 1, 3); n > 0; n--) {
                int id = lastStage++;
                boolean again = shuffle != null && chance(r, 0.2); // a second stage for the same shuffle
                if (!again && chance(r, 0.4)) {
                    shuffle = null;
                } else if (!again) {
                    shuffle = lastShuffle > 0 && chance(r, 0.25) ? r.nextInt(lastShuffle) : lastShuffle++;
                }
                described.add(object("stage", id, "shuffle", shuffle));
                this.described.add(new int[] {id, shuffle == null ? -1 : shuffle});
                infos.add(info(id, 0, 1, 0, shuffle, List.of()));
                ready.add(new int[] {id, 0});
            }
            jobs.add(job);
            tell(event("job_start", "job", job, "stages", described),
                    l -> l.onJobStart(new SparkListenerJobStart(job, 0, seq(infos), new Properties())));
        }

        void stageSubmitted() throws Exception {
            int[] which = ready.remove(r.nextInt(ready.size()));
            int tasks = odd && chance(r, 0.1) ? 0 : between(r, 1, pick(r, 3, 12, 60));
            int profile = r.nextInt(profiles.size());
            boolean local = chance(r, 0.6);
            List<List<String>> preferred = new ArrayList<>();
            List<Integer> rest = new ArrayList<>();
            for (int i = 0; i < tasks; i++) {
                List<String> l = local && chance(r, 0.8) ? some(r, hosts, between(r, 1, 3)) : new ArrayList<>();
                if (!l.isEmpty() && chance(r, 0.05)) {
                    l.add(l.get(0)); // two locations on one host
                }
                preferred.add(l);
                rest.add(i);
            }
            StageInfo info = info(which[0], which[1], tasks, profile, null, preferred);
            tell(event("stage_submitted", "stage", which[0], "stage_attempt", which[1], "num_tasks", tasks,
                            "profile", profile, "preferred_hosts", preferred),
                    l -> l.onStageSubmitted(new SparkListenerStageSubmitted(info, new Properties())));
            stages.add(new Stage(which[0], which[1], tasks, profile, rest, new HashSet<>()));
            targeted.add(profile);
        }

        void stageCompleted() throws Exception {
            Stage s = stages.remove(r.nextInt(stages.size()));
            past.add(s);
            StageInfo info = info(s.id, s.attempt, s.tasks, s.profile, null, List.of());
            tell(event("stage_completed", "stage", s.id, "stage_attempt", s.attempt),
                    l -> l.onStageCompleted(new SparkListenerStageCompleted(info)));
            if (chance(r, 0.15)) {
                ready.add(new int[] {s.id, s.attempt + 1});
            }
        }

        void taskStart() throws Exception {
            Stage s = chance(r, 0.03) && !past.isEmpty() ? pick(r, past) : stages.isEmpty() ? null : pick(r, stages);
            if (s == null || executors.isEmpty()) {
                return;
            }
            boolean speculative = !s.started.isEmpty() && chance(r, 0.12);
            if (!speculative && s.rest.isEmpty()) {
                return;
            }
            int index = speculative ? pick(r, new ArrayList<>(s.started)) : s.rest.remove(0);
            String exec = chance(r, 0.02) ? "" + between(r, 1, lastExec) : pick(r, new ArrayList<>(executors.keySet()));
            TaskInfo info = new TaskInfo(lastTid, index, 0, index, clock.getTimeMillis(), exec, "h", TaskLocality.ANY(), speculative);
            Task t = new Task(lastTid++, s, index, exec, speculative, info);
            s.started.add(index);
            running.add(t);
            tell(event("task_start", "stage", s.id, "stage_attempt", s.attempt, "tid", t.tid, "index", index, "exec", exec,
                            "speculative", speculative),
                    l -> l.onTaskStart(new SparkListenerTaskStart(s.id, s.attempt, info)));
        }

        void taskEnd(Task t, String how) throws Exception {
            running.remove(t);
            TaskEndReason reason = switch (how) {
                case "success" -> Success$.MODULE$;
                case "exception" -> new ExceptionFailure(new RuntimeException("x"), seq(List.of()));
                case "killed" -> new TaskKilled("another attempt succeeded", seq(List.of()), seq(List.of()), seq(List.of()));
                case "fetch_failed" -> new FetchFailed(null, 0, 0, 0, 0, "x");
                case "commit_denied" -> new TaskCommitDenied(0, 0, 0);
                case "result_lost" -> TaskResultLost$.MODULE$;
                case "resubmitted" -> Resubmitted$.MODULE$;
                default -> new ExecutorLostFailure(t.exec, true, Option.empty());
            };
            if (!how.equals("success") && !how.equals("killed") && !t.speculative) {
                t.stage.rest.add(t.index);
            }
            tell(event("task_end", "stage", t.stage.id, "stage_attempt", t.stage.attempt, "tid", t.tid, "index", t.index,
                            "exec", t.exec, "speculative", t.speculative, "reason", how),
                    l -> l.onTaskEnd(new SparkListenerTaskEnd(t.stage.id, t.stage.attempt, "", reason, t.info, null, null)));
        }

        void executorAdded() throws Exception {
            String id = "" + ++lastExec;
            int profile = pick(r, new ArrayList<>(targeted));
            String host = pick(r, hosts);
            executors.put(id, profile);
            ExecutorInfo info = new ExecutorInfo(host, 1, BackendParts.cast(map(Map.of())), BackendParts.cast(map(Map.of())), BackendParts.cast(map(Map.of())), profiles.get(profile).id());
            tell(event("executor_added", "exec", id, "host", host, "cores", 1, "profile", profile),
                    l -> l.onExecutorAdded(new SparkListenerExecutorAdded(0, id, info)));
        }

        /** News of executors that are known, or gone. */
        void oddNews() throws Exception {
            String id = "" + between(r, 1, lastExec + 1);
            if (executors.containsKey(id) && chance(r, 0.5)) {
                int profile = executors.get(id);
                ExecutorInfo info = new ExecutorInfo("h1", 1, BackendParts.cast(map(Map.of())), BackendParts.cast(map(Map.of())), BackendParts.cast(map(Map.of())), profiles.get(profile).id());
                tell(event("executor_added", "exec", id, "host", "h1", "cores", 1, "profile", profile),
                        l -> l.onExecutorAdded(new SparkListenerExecutorAdded(0, id, info)));
            } else if (!executors.containsKey(id)) {
                tell(event("executor_removed", "exec", id, "reason", "lost"),
                        l -> l.onExecutorRemoved(new SparkListenerExecutorRemoved(0, id, "lost")));
            }
        }

        void executorRemoved() throws Exception {
            boolean killed = !dying.isEmpty() && chance(r, 0.8);
            String id = killed ? dying.remove(0) : pick(r, new ArrayList<>(executors.keySet()));
            if (!executors.containsKey(id)) {
                return;
            }
            dying.remove(id);
            executors.remove(id);
            if (chance(r, 0.9)) { // else the ends of its tasks come later
                for (Task t : new ArrayList<>(running)) {
                    if (t.exec.equals(id)) {
                        taskEnd(t, "executor_lost");
                    }
                }
            }
            String reason = killed ? "killed by driver" : "lost";
            tell(event("executor_removed", "exec", id, "reason", reason),
                    l -> l.onExecutorRemoved(new SparkListenerExecutorRemoved(0, id, reason)));
        }

        void blockUpdated() throws Exception {
            String exec = chance(r, odd ? 0.3 : 0.02) ? "" + between(r, 1, lastExec) : pick(r, new ArrayList<>(executors.keySet()));
            int rdd = r.nextInt(3);
            int split = r.nextInt(4);
            String level = pick(r, "NONE", "MEMORY_ONLY", "MEMORY_ONLY", "DISK_ONLY", "MEMORY_AND_DISK");
            BlockUpdatedInfo info = new BlockUpdatedInfo(BlockManagerId$.MODULE$.apply(exec, "h", 1, Option.empty()),
                    new RDDBlockId(rdd, split), StorageLevel.fromString(level), 0, 0);
            tell(event("block_updated", "exec", exec, "rdd", rdd, "split", split, "level", level),
                    l -> l.onBlockUpdated(new SparkListenerBlockUpdated(info)));
        }

        /** The application master registers again, or blocks of a shuffle move to another executor, which is busy: Spark may remove one that is idle nevertheless. */
        void furtherStep() throws Exception {
            if (chance(r, 0.15)) {
                done(event("reset"), manager::reset);
            } else if (lastShuffle > 0 && !running.isEmpty()) {
                String exec = pick(r, running).exec;
                int shuffle = r.nextInt(lastShuffle);
                BlockUpdatedInfo info = new BlockUpdatedInfo(BlockManagerId$.MODULE$.apply(exec, "h", 1, Option.empty()),
                        new ShuffleDataBlockId(shuffle, 0, 0), StorageLevel.DISK_ONLY(), 0, 0);
                tell(event("shuffle_moved", "exec", exec, "shuffle", shuffle), l -> l.onBlockUpdated(new SparkListenerBlockUpdated(info)));
            }
        }

        void step() throws Exception {
            if (odd && chance(r, 0.06)) {
                oddNews();
                return;
            }
            if (wide && chance(r, 0.03)) {
                furtherStep();
                return;
            }
            int kind = r.nextInt(100);
            Stage known = stages.isEmpty() ? null : pick(r, stages);
            if (kind < 24) {
                clock.advance(pick(r, 0, 1, 100, 100, 100, 500, 1000, 2000, 5000, 10_000, 61_000));
                done(event("tick"), manager::org$apache$spark$ExecutorAllocationManager$$schedule);
            } else if (kind < 26) {
                jobStart();
            } else if (kind < 28 && !jobs.isEmpty()) {
                int job = jobs.remove(r.nextInt(jobs.size()));
                tell(event("job_end", "job", job), l -> l.onJobEnd(new SparkListenerJobEnd(job, 0, JobSucceeded$.MODULE$)));
            } else if (kind < 32 && !ready.isEmpty()) {
                stageSubmitted();
            } else if (kind < 35 && !stages.isEmpty()) {
                stageCompleted();
            } else if (kind < 60) {
                taskStart();
            } else if (kind < 82 && !running.isEmpty()) {
                taskEnd(pick(r, running), wide && chance(r, 0.1) ? pick(r, "fetch_failed", "commit_denied", "result_lost", "resubmitted")
                        : pick(r, "success", "success", "success", "success", "exception", "killed"));
            } else if (kind < 87) {
                executorAdded();
            } else if (kind < 90 && !executors.isEmpty()) {
                executorRemoved();
            } else if (kind < 93 && !executors.isEmpty()) {
                blockUpdated();
            } else if (kind < 94) {
                int rdd = r.nextInt(3);
                tell(event("unpersist_rdd", "rdd", rdd), l -> l.onUnpersistRDD(new SparkListenerUnpersistRDD(rdd)));
            } else if (kind < 95 && lastShuffle > 0 && tracking) {
                int shuffle = r.nextInt(lastShuffle);
                done(event("shuffle_cleaned", "shuffle", shuffle), () -> call(manager.executorMonitor(), "cleanupShuffle", shuffle));
            } else if (kind < 97 && known != null && !known.started.isEmpty()) {
                int index = pick(r, new ArrayList<>(known.started));
                tell(event("speculative_task_submitted", "stage", known.id, "stage_attempt", known.attempt, "index", index),
                        l -> l.onSpeculativeTaskSubmitted(
                                new SparkListenerSpeculativeTaskSubmitted(known.id, known.attempt, index, index)));
            } else if (kind < 99 && known != null) {
                tell(event("unschedulable_added", "stage", known.id, "stage_attempt", known.attempt),
                        l -> l.onUnschedulableTaskSetAdded(new SparkListenerUnschedulableTaskSetAdded(known.id, known.attempt)));
            } else if (known != null) {
                tell(event("unschedulable_removed", "stage", known.id, "stage_attempt", known.attempt),
                        l -> l.onUnschedulableTaskSetRemoved(new SparkListenerUnschedulableTaskSetRemoved(known.id, known.attempt)));
            }
        }
    }

    @Override
    public Map<String, Object> record(String id, SplittableRandom r) throws Exception {
        Run run = new Run(r, wide, odd);
        int min = between(r, 0, 3);
        int max = chance(r, 0.3) ? Integer.MAX_VALUE : between(r, Math.max(1, min), 15);
        int initial = Math.min(max, between(r, 0, 5));
        int cores = between(r, 1, 4);
        int cpus = chance(r, 0.8) ? 1 : between(r, 1, cores);
        int backlog = between(r, 1, 2);
        int sustained = between(r, 1, 3);
        int idle = pick(r, 0, 1, 3, 10, 60);
        Integer cachedIdle = chance(r, 0.4) ? null : pick(r, 0, 2, 20, 120);
        double ratio = pick(r, 1.0, 1.0, 0.5, 0.8, 0.3, 0.33);
        boolean service = chance(r, 0.4);
        boolean fetchRdd = service && chance(r, 0.5);
        Integer shuffleTimeout = chance(r, 0.4) ? null : pick(r, 0, 2, 15, 180);
        boolean decommission = chance(r, 0.25);
        String dyn = "spark.dynamicAllocation.";
        SparkConf conf = sparkConf()
                .set("spark.executor.cores", "" + cores).set("spark.task.cpus", "" + cpus)
                .set("spark.shuffle.service.enabled", "" + service)
                .set("spark.shuffle.service.fetch.rdd.enabled", "" + fetchRdd)
                .set("spark.decommission.enabled", "" + decommission)
                .set(dyn + "enabled", "true").set(dyn + "minExecutors", "" + min).set(dyn + "maxExecutors", "" + max)
                .set(dyn + "initialExecutors", "" + initial).set(dyn + "executorAllocationRatio", "" + ratio)
                .set(dyn + "schedulerBacklogTimeout", backlog + "s")
                .set(dyn + "sustainedSchedulerBacklogTimeout", sustained + "s")
                .set(dyn + "executorIdleTimeout", idle + "s")
                .set(dyn + "shuffleTracking.enabled", "" + !service);
        if (cachedIdle != null) {
            conf.set(dyn + "cachedExecutorIdleTimeout", cachedIdle + "s");
        }
        if (shuffleTimeout != null) {
            conf.set(dyn + "shuffleTracking.timeout", shuffleTimeout + "s");
        }
        Map<String, Object> keys = new java.util.LinkedHashMap<>();
        if (wide) {
            if (chance(r, 0.3)) {
                keys.put("spark.executor.instances", between(r, 1, 6)); // more than the largest number is refused
            }
            if (decommission && chance(r, 0.7)) { // shuffles are neither served nor tracked
                keys.put("spark.storage.decommission.enabled", true);
                keys.put("spark.storage.decommission.shuffleBlocks.enabled", true);
                keys.put(dyn + "shuffleTracking.enabled", false);
            }
            if (keys.containsKey("spark.executor.instances")) {
                keys.put(dyn + "maxExecutors", Math.max(max, 6));
            }
            keys.forEach((k, v) -> conf.set(k, v.toString()));
        }
        run.tracking = !service && !keys.containsKey(dyn + "shuffleTracking.enabled");
        LiveListenerBus bus = new LiveListenerBus(conf);
        run.profiles.add(defaultProfile(conf));
        ResourceProfileManager manager = new ResourceProfileManager(conf, bus);
        for (int n = chance(r, 0.7) ? 0 : between(r, 1, 2); n > 0; n--) {
            int c = between(r, 1, 4);
            ResourceProfile p = profile(c, between(r, 1, c), null, null, null);
            manager.addResourceProfile(p);
            run.profiles.add(p);
        }
        run.manager = new ExecutorAllocationManager(run, bus, conf, Option.empty(), run.clock, manager, false);
        // Ticks come when the script says so.
        field(ExecutorAllocationManager.class, "executor").set(run.manager, new ScheduledThreadPoolExecutor(1) {
            @Override
            public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long pause, TimeUnit unit) {
                return null;
            }
        });
        run.done(run.event("start"), run.manager::start);
        for (int n = between(r, 20, 400); n > 0; n--) {
            run.step();
        }
        List<Object> described = new ArrayList<>();
        for (ResourceProfile p : run.profiles) {
            described.add(object("profile", described.size(), "tasks_per_executor", p.maxTasksPerExecutor(conf)));
        }
        Map<String, Object> written = object(
                "min_executors", min, "max_executors", max, "initial_executors", initial, "executor_cores", cores,
                "task_cpus", cpus, "scheduler_backlog_timeout_s", backlog,
                "sustained_scheduler_backlog_timeout_s", sustained, "executor_idle_timeout_s", idle,
                "cached_executor_idle_timeout_s", cachedIdle, "allocation_ratio", ratio, "shuffle_service", service,
                "shuffle_tracking", !service, "shuffle_tracking_timeout_s", shuffleTimeout,
                "shuffle_service_fetch_rdd", fetchRdd, "decommission", decommission);
        if (wide) {
            written.put("keys", keys);
        }
        return object(
                "id", id,
                "conf", written,
                "profiles", described,
                "events", run.events);
    }
}
