package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.field;
import static replay.golden.Tools.list;
import static replay.golden.Tools.object;
import static replay.golden.Tools.pick;
import static replay.golden.Tools.seq;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import org.apache.spark.Dependency;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.FetchFailed;
import org.apache.spark.HashPartitioner;
import org.apache.spark.JobArtifactSet;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.TaskKilled;
import org.apache.spark.TaskState;
import org.apache.spark.scheduler.DAGScheduler;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.ExecutorExited;
import org.apache.spark.scheduler.ExecutorKilled$;
import org.apache.spark.scheduler.ExecutorLossReason;
import org.apache.spark.scheduler.ExecutorProcessLost;
import org.apache.spark.scheduler.JobSubmitted;
import org.apache.spark.scheduler.TaskDescription;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.TaskSetManager;
import org.apache.spark.scheduler.WorkerOffer;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.CallSite;
import org.apache.spark.util.ManualClock;
import scala.Enumeration;
import scala.Option;
import scala.collection.JavaConverters;
import scala.collection.Seq;
import scala.reflect.ClassTag$;

/** Random runs of DAGScheduler over TaskSchedulerImpl: jobs, lost executors, output that cannot be read, barrier stages. */
final class DagRuns extends DagCluster implements Main.Recorder {
    private final boolean caches; // data sets are kept and read by later jobs
    private final boolean shares; // jobs read output of others that are not done
    private final boolean counts; // barrier stages wait until there are enough cores
    private final boolean limits; // executors and hosts are excluded
    private final boolean all; // any of these, for each run anew
    private SplittableRandom random;
    private boolean reduceLocality;
    private boolean speculation;
    private boolean barrier; // there may be barrier stages
    private List<String> hosts;
    private int nextExecutor;

    DagRuns(boolean caches, boolean shares, boolean counts) {
        this(caches, shares, counts, false, false);
    }

    private DagRuns(boolean caches, boolean shares, boolean counts, boolean limits, boolean all) {
        this.counts = counts;
        this.caches = caches;
        this.shares = shares;
        this.limits = limits;
        this.all = all;
    }

    /** Runs in which any of what the other kinds do alone may meet, and exclusion. */
    static DagRuns all() {
        return new DagRuns(false, false, false, false, true);
    }

    private DagRuns drawn(SplittableRandom r) {
        if (!all) {
            return new DagRuns(caches, shares, counts);
        }
        boolean shared = chance(r, 0.5); // a trace does not tell when a job comes that waits for others, which is when its slots are counted
        return new DagRuns(chance(r, 0.4), shared, !shared && chance(r, 0.5), chance(r, 0.6), false);
    }

    @Override
    public Map<String, Object> record(String id, SplittableRandom random) throws Exception {
        DagRuns runs;
        Map<String, Object> run;
        do { // what is kept and not read is not known to a trace
            runs = drawn(random);
            run = runs.play(id, random.split());
        } while (!runs.makers.values().stream().allMatch(runs::read) || runs.caches && runs.makers.isEmpty() || runs.counts && !runs.allBegan());
        return run;
    }

    private Map<String, Object> play(String id, SplittableRandom r) throws Exception {
        random = r;
        SparkConf c = context().conf();
        int failures = pick(r, 2, 4, 4);
        fair = chance(r, 0.2);
        boolean service = chance(r, 0.4);
        speculation = chance(r, 0.2);
        barrier = counts || !caches && chance(r, 0.25);
        Map<String, Object> conf = object("spark.task.maxFailures", failures, "spark.scheduler.mode", fair ? "FAIR" : "FIFO",
                "spark.shuffle.service.enabled", service, "spark.speculation", speculation,
                "spark.stage.maxConsecutiveAttempts", pick(r, 1, 2, 3, 4, 4, 8), "spark.stage.maxAttempts", pick(r, 1, 3, 6, 1000, 1000),
                "spark.files.fetchFailure.unRegisterOutputOnHost", chance(r, 0.5), "spark.stage.ignoreDecommissionFetchFailure", chance(r, 0.5),
                "spark.shuffle.reduceLocality.enabled", chance(r, caches ? 0.4 : 0.7), "spark.locality.wait", pick(r, "0s", "3s"));
        if (counts) {
            conf.put("spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", between(r, 1, 3));
        }
        countSlots(counts);
        if (limits) {
            failures = 4;
            conf.put("spark.task.maxFailures", failures);
            Map<String, Object> keys = TaskSetLimits.draw(r, c, failures);
            keys.put("spark.excludeOnFailure.enabled", keys.remove("exclude_on_failure"));
            conf.putAll(keys);
        } else {
            c.set("spark.excludeOnFailure.enabled", "false");
            c.remove("spark.speculation.task.duration.threshold");
        }
        reduceLocality = (Boolean) conf.get("spark.shuffle.reduceLocality.enabled");
        conf.forEach((k, v) -> c.set(k, v.toString()));
        field(BlockManager.class, "externalShuffleServiceEnabled").setBoolean(context().env().blockManager(), service);
        hosts = new ArrayList<>();
        for (int i = between(r, 1, 5); i > 0; i--) {
            hosts.add("h" + i);
        }
        clock = new ManualClock(1_000_000);
        tracker = (MapOutputTrackerMaster) context().env().mapOutputTracker();
        field(MapOutputTrackerMaster.class, "shuffleLocalityEnabled").setBoolean(tracker, reduceLocality);
        start(failures);
        register(between(r, 1, 5));
        int most = between(r, 1, 4);
        for (int steps = between(r, 10, 150); steps > 0 && !aborted && !odd; steps--) {
            step(most);
        }
        stop();
        return object("id", id, "conf", conf, "stages", described, "hosts", hosts, "events", events);
    }

    /** Whether all jobs that came have begun, so that their stages are known. */
    private boolean allBegan() {
        return jobNumbers.values().stream().allMatch(j -> described.stream().anyMatch(s -> s.get("job").equals(j)));
    }

    // The steps of a run.

    private void step(int most) throws Exception {
        int dice = random.nextInt(100);
        if (!checks.isEmpty() && chance(random, 0.15)) {
            clock.advance(15_000);
            Runnable t = checks.remove(0);
            event(object("op", "submit_again", "job", bearing, "slots", slots()), t::run);
        } else if (jobNumbers.isEmpty() || dice < 5 && jobNumbers.size() < most && checks.isEmpty()) {
            submit();
        } else if (dice < 8) {
            register(between(random, 1, 2));
        } else if (dice < 28) {
            offer(new ArrayList<>(executors.values()), true);
        } else if (dice < 78 && !running.isEmpty()) {
            end();
        } else if (dice < 83 && !executors.isEmpty()) {
            lose();
        } else if (dice < 85 && !executors.isEmpty()) {
            decommission(pick(random, new ArrayList<>(executors.values())));
        } else if (dice < 95 && !timers.isEmpty()) {
            clock.advance(pick(random, 0, 100, 200));
            Runnable t = timers.remove(0);
            event(object("op", "resubmit"), t::run);
        } else if (dice < 97 && speculation) {
            clock.advance(pick(random, 0, 2000, 9000));
            event(object("op", "check_speculatable"), scheduler::checkSpeculatableTasks);
        } else {
            clock.advance(pick(random, 1, 500, 3000, 7000));
            event(object("op", "advance"), () -> {});
        }
    }

    private void register(int n) throws Exception {
        for (int i = 0; i < n; i++) {
            Executor e = new Executor("" + ++nextExecutor, pick(random, hosts), between(random, 1, 4));
            executors.put(e.id, e);
            places.put(e.id, e.host);
        }
        offer(new ArrayList<>(executors.values()), true);
    }

    private void offer(List<Executor> to, boolean all) throws Exception {
        List<WorkerOffer> offers = new ArrayList<>();
        List<Object> written = new ArrayList<>();
        for (Executor e : to) {
            if (e.decommissioned) {
                continue;
            }
            offers.add(new WorkerOffer(e.id, e.host, e.free, Option.apply(e.host + ":1"), scala.collection.immutable.Map$.MODULE$.empty(), 0));
            written.add(list(e.id, e.host, e.free));
        }
        event(object("op", "offer", "all_free", all, "offers", written), () -> {
            List<TaskDescription> launched = new ArrayList<>();
            Seq<Seq<TaskDescription>> answer = scheduler.resourceOffers(JavaConverters.asScalaBufferConverter(offers).asScala().toIndexedSeq(), all);
            for (Seq<TaskDescription> of : JavaConverters.seqAsJavaListConverter(answer).asJava()) {
                launched.addAll(JavaConverters.seqAsJavaListConverter(of).asJava());
            }
            launched.sort((a, b) -> Long.compare(a.taskId(), b.taskId()));
            for (TaskDescription t : launched) {
                TaskSetManager m = scheduler.taskIdToTaskSetManager().get(t.taskId());
                TaskInfo info = m.taskInfos().apply(t.taskId());
                executors.get(t.executorId()).free--;
                int stage = numbers.get(m.taskSet().stageId());
                running.put(t.taskId(), new Running(t.taskId(), t.executorId(), stage, info.partitionId()));
                note("launched", list(t.taskId(), stage, attempt(m.taskSet()), info.partitionId(), info.attemptNumber(), info.executorId(), info.speculative()));
            }
        });
    }

    /** A task ends, and its executor is offered alone. */
    private void end() throws Exception {
        Running t = pick(random, new ArrayList<>(running.values()));
        Executor e = executors.get(t.executor());
        clock.advance(pick(random, 0, 0, 10, 1000));
        running.remove(t.id());
        e.free++;
        String kind = killed.contains(t.id()) && chance(random, 0.8) ? "killed" : chance(random, limits ? 0.72 : 0.82) ? null : pick(random, "exception", "fetch_failed", "fetch_failed", "fetch_failed");
        Map<String, Object> said = kind == null ? object("op", "success", "tid", t.id()) : object("op", "failure", "tid", t.id(), "kind", kind);
        failure = null;
        if (kind != null) {
            failure = switch (kind) {
                case "exception" -> new ExceptionFailure("Failure", "made up", new StackTraceElement[0], "", Option.empty(), cast(seq(List.of())), cast(seq(List.of())), cast(seq(List.of())));
                case "killed" -> new TaskKilled("made up", cast(seq(List.of())), cast(seq(List.of())), cast(seq(List.of())));
                default -> unread(t, said);
            };
            if (failure == null) {
                said = object("op", "success", "tid", t.id());
            }
        }
        ByteBuffer nothing = ByteBuffer.allocate(0);
        Enumeration.Value state = failure == null ? TaskState.FINISHED() : failure instanceof TaskKilled ? TaskState.KILLED() : TaskState.FAILED();
        event(said, () -> scheduler.statusUpdate(t.id(), state, nothing));
        if (!e.decommissioned) {
            offer(List.of(e), false);
        }
    }

    /** Output that the task cannot read; null when it reads none. */
    private TaskFailedReason unread(Running t, Map<String, Object> said) throws Exception {
        @SuppressWarnings("unchecked")
        List<Integer> parents = (List<Integer>) described.get(t.stage()).get("parents");
        if (parents.isEmpty()) {
            return null;
        }
        int p = pick(random, parents);
        Shuffle s = shuffles.get(p);
        List<String> at = outputs(s);
        int map = random.nextInt(at.size());
        String exec = at.get(map);
        if (exec == null) {
            if (chance(random, 0.5)) {
                said.put("from", list(p, -1, null, null));
                return new FetchFailed(null, s.dependency().shuffleId(), -1, -1, t.partition(), "made up");
            }
            exec = "" + between(random, 1, nextExecutor); // as somebody remembers who read it before
        } else if (chance(random, 0.1)) {
            exec = "" + between(random, 1, nextExecutor);
        }
        String host = places.get(exec);
        said.put("from", list(p, map, exec, host));
        return new FetchFailed(BlockManagerId.apply(exec, host, 1, Option.empty()), s.dependency().shuffleId(), map, map, t.partition(), "made up");
    }

    private void lose() throws Exception {
        Executor e = pick(random, new ArrayList<>(executors.values()));
        String kind = pick(random, "exited_not_app", "exited_app", "killed", "process_lost");
        ExecutorLossReason reason = switch (kind) {
            case "exited_not_app" -> new ExecutorExited(1, false, "made up");
            case "exited_app" -> new ExecutorExited(1, true, "made up");
            case "killed" -> ExecutorKilled$.MODULE$;
            default -> new ExecutorProcessLost("made up", Option.empty(), true);
        };
        executors.remove(e.id);
        running.values().removeIf(t -> t.executor().equals(e.id));
        event(object("op", "executor_lost", "exec", e.id, "kind", kind), () -> scheduler.executorLost(e.id, reason));
    }

    private void decommission(Executor e) throws Exception {
        String worker = chance(random, 0.5) ? e.host : null;
        e.decommissioned = true;
        event(object("op", "executor_decommission", "exec", e.id, "worker_host", worker),
                () -> scheduler.executorDecommission(e.id, new ExecutorDecommissionInfo("made up", Option.apply(worker))));
    }

    /** A job comes: map stages of its own, some of which read output of earlier ones, and a stage that computes a result. */
    private void submit() throws Exception {
        List<Shuffle> old = new ArrayList<>();
        for (int s = 0; s < shuffles.size(); s++) {
            if (shuffles.get(s) != null && (shares || ended.contains((Integer) described.get(s).get("job"))) && chance(random, 0.5)) {
                old.add(shuffles.get(s));
            }
        }
        kept.clear();
        makers.forEach((rdd, stage) -> {
            if (ended.contains((Integer) described.get(stage).get("job"))) {
                kept.add(rdd);
            }
        });
        List<Shuffle> mine = new ArrayList<>();
        List<Shuffle> unread = new ArrayList<>();
        for (int n = between(random, 0, 4); n > 0; n--) {
            Rdd rdd = rdd(mine, old, unread, false);
            int reducers = between(random, 1, 6);
            long[] written = new long[rdd.getNumPartitions()];
            for (int i = 0; i < written.length; i++) {
                written[i] = pick(random, 0, 100, 1000, 1000, 50_000);
            }
            ShuffleDependency<Object, Object, Object> d = new ShuffleDependency<>(cast(rdd), new HashPartitioner(reducers), context().env().serializer(),
                    Option.empty(), Option.empty(), false, new org.apache.spark.shuffle.ShuffleWriteProcessor(), cast(ClassTag$.MODULE$.Any()), cast(ClassTag$.MODULE$.Any()), cast(ClassTag$.MODULE$.Any()));
            Shuffle s = new Shuffle(d, rdd, written, reducers);
            mine.add(s);
            made.put(d.shuffleId(), s);
            unread.add(s);
        }
        Rdd last = rdd(mine, old, unread, true);
        int job = jobNumbers.size();
        int id = jobs++;
        jobNumbers.put(id, job);
        int[] partitions = new int[last.getNumPartitions()];
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = i;
        }
        Properties properties = new Properties();
        String pool = chance(random, 0.3) ? pick(random, "a", "b") : null;
        if (pool != null) {
            properties.setProperty("spark.scheduler.pool", pool);
        }
        Map<String, Object> said = object("op", "submit_job", "job", job, "pool", pool);
        if (counts) {
            said.put("slots", slots());
        }
        event(said, () -> {
            bearing = job;
            loop.onReceive(new JobSubmitted(id, last, null, partitions, new CallSite("", ""), new Listener(), JobArtifactSet.emptyJobArtifactSet(), properties));
        });
    }

    /** A data set that reads some shuffles: those of the job that nobody reads yet, if it is the last one. */
    private Rdd rdd(List<Shuffle> mine, List<Shuffle> old, List<Shuffle> unread, boolean last) {
        List<Shuffle> reads = new ArrayList<>();
        if (last) {
            reads.addAll(unread);
        } else if (!unread.isEmpty() && chance(random, 0.6)) {
            reads.add(unread.get(random.nextInt(unread.size())));
        }
        if (!mine.isEmpty() && chance(random, 0.2)) {
            reads.add(pick(random, mine));
        }
        if (!old.isEmpty() && chance(random, 0.5)) {
            reads.add(pick(random, old));
        }
        Rdd from = kept();
        if (from != null) { // of what is behind it nothing is read beside it, nor where data sets differ in which of both they prefer
            List<ShuffleDependency<Object, Object, Object>> behind = from.behind();
            reads.removeIf(s -> reduceLocality || from.preferred() != null || s.reducers() != from.n || behind.contains(s.dependency()));
        }
        reads = new ArrayList<>(new java.util.LinkedHashSet<>(reads));
        int n = from != null ? from.n : reads.isEmpty() ? between(random, 1, 6) : 6;
        for (Shuffle s : reads) {
            n = Math.min(n, s.reducers());
        }
        if (from == null && !reads.isEmpty()) { // as of a join: all have that many parts
            int parts = n;
            List<Shuffle> fit = new ArrayList<>(reads);
            fit.removeIf(s -> s.reducers() != parts);
            reads = fit;
        }
        unread.removeAll(reads);
        List<Dependency<?>> on = new ArrayList<>();
        List<ShuffleDependency<Object, Object, Object>> dependencies = new ArrayList<>();
        for (Shuffle s : reads) {
            on.add(s.dependency());
            dependencies.add(s.dependency());
        }
        if (from != null) {
            on.add(new org.apache.spark.OneToOneDependency<>(from));
        }
        List<List<String>> preferred = null;
        if (from == null && reads.isEmpty() && chance(random, 0.5)) {
            preferred = new ArrayList<>();
            for (int i = 0; i < n; i++) {
                preferred.add(Tools.some(random, hosts, between(random, 0, 2)));
            }
        }
        Rdd made = new Rdd(context(), on, from, dependencies, n, barrier && chance(random, 0.4), preferred, tracker);
        if (caches && persisted < 3 && chance(random, 0.5)) {
            persisted++;
            made.persist(StorageLevel.MEMORY_ONLY());
        }
        return made;
    }

    // Data sets that are kept.

    private int persisted;
    private final List<Rdd> kept = new ArrayList<>(); // those of ended jobs

    /** What is kept of an ended job, most often what nothing has read yet; null for none. */
    private Rdd kept() {
        for (Rdd r : kept) {
            if (!read(makers.get(r)) && chance(random, 0.8)) {
                return r;
            }
        }
        return !kept.isEmpty() && chance(random, 0.6) ? pick(random, kept) : null;
    }

    private boolean read(int maker) {
        return described.stream().anyMatch(s -> s.containsKey("cache_of") && (Integer) s.get("cache_of") == maker);
    }
}
