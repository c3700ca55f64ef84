package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.field;
import static replay.golden.Tools.list;
import static replay.golden.Tools.object;
import static replay.golden.Tools.pick;
import static replay.golden.Tools.seq;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.spark.Dependency;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.FetchFailed;
import org.apache.spark.HashPartitioner;
import org.apache.spark.JobArtifactSet;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.Partition;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.Success$;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskEndReason;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.TaskKilled;
import org.apache.spark.TaskState;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.DAGScheduler;
import org.apache.spark.scheduler.DAGSchedulerEvent;
import org.apache.spark.scheduler.DAGSchedulerEventProcessLoop;
import org.apache.spark.scheduler.DirectTaskResult;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.ExecutorExited;
import org.apache.spark.scheduler.ExecutorKilled$;
import org.apache.spark.scheduler.ExecutorLossReason;
import org.apache.spark.scheduler.ExecutorProcessLost;
import org.apache.spark.scheduler.JobListener;
import org.apache.spark.scheduler.JobSubmitted;
import org.apache.spark.scheduler.LiveListenerBus;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.scheduler.ResultStage;
import org.apache.spark.scheduler.ShuffleMapStage;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.Stage;
import org.apache.spark.scheduler.Task;
import org.apache.spark.scheduler.TaskDescription;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskLocation;
import org.apache.spark.scheduler.TaskResultGetter;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.TaskSet;
import org.apache.spark.scheduler.TaskSetManager;
import org.apache.spark.scheduler.WorkerOffer;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerMaster;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.AccumulatorV2;
import org.apache.spark.util.CallSite;
import org.apache.spark.util.ManualClock;
import scala.Enumeration;
import scala.Option;
import scala.collection.IndexedSeq;
import scala.collection.Iterator;
import scala.collection.JavaConverters;
import scala.collection.Seq;
import scala.reflect.ClassTag$;

/** Random runs of DAGScheduler over TaskSchedulerImpl: jobs, lost executors, output that cannot be read, barrier stages. */
final class DagRuns implements Main.Recorder {
    private static SparkContext context;
    private static Object barriers; // the coordinator of barrier stages
    private static int jobs; // submitted in this process

    private final boolean caches; // data sets are kept and read by later jobs
    private SplittableRandom random;
    private ManualClock clock;
    private Scheduler scheduler;
    private Dag dag;
    private Loop loop;
    private MapOutputTrackerMaster tracker;
    private boolean fair;
    private boolean reduceLocality;
    private boolean speculation;
    private boolean barrier; // there may be barrier stages
    private List<String> hosts;
    private final Map<String, Executor> executors = new LinkedHashMap<>();
    private int nextExecutor;
    private final Map<Long, Running> running = new TreeMap<>();
    private final List<Object> events = new ArrayList<>();
    private final List<Runnable> timers = new ArrayList<>(); // resubmissions
    private TaskFailedReason failure; // of the status update under way; null = success
    private boolean aborted; // a job has failed
    private boolean odd; // a Stage for earlier output came whose number decides, see meet

    // The stages of submitted jobs by number, which is that of their first Stage of Spark's among all.
    private final List<Map<String, Object>> described = new ArrayList<>();
    private final List<Shuffle> shuffles = new ArrayList<>(); // by number, null for a stage that computes a result
    private final Map<Integer, Integer> numbers = new LinkedHashMap<>(); // by Spark's number
    private final Map<List<Integer>, Integer> attempts = new LinkedHashMap<>(); // by Spark's number of stage and attempt, how many came before
    private final List<Integer> submitted = new ArrayList<>(); // attempts by number
    private final Map<Integer, Integer> jobNumbers = new LinkedHashMap<>();
    private final Set<Integer> ended = new HashSet<>();
    private final Set<Long> killed = new HashSet<>();
    private Map<String, List<Object>> out; // of the present event

    private static final class Executor {
        final String id;
        final String host;
        int free;
        boolean decommissioned;

        Executor(String id, String host, int cores) {
            this.id = id;
            this.host = host;
            this.free = cores;
        }
    }

    DagRuns(boolean caches) {
        this.caches = caches;
    }

    private record Running(long id, String executor, int stage, int partition) {}

    /** A shuffle with what its map tasks write. */
    private record Shuffle(ShuffleDependency<Object, Object, Object> dependency, Rdd rdd, long[] written, int reducers) {}

    /** Partitions that read shuffles, the partitions of another one, or nothing. */
    static final class Rdd extends RDD<Object> {
        private final int n;
        private final transient Rdd from; // whose partitions it reads, null for none
        private final boolean barrier;
        private final transient List<ShuffleDependency<Object, Object, Object>> reads;
        private final transient List<List<String>> preferred;
        private final transient MapOutputTrackerMaster tracker;

        Rdd(SparkContext c, List<Dependency<?>> on, Rdd from, List<ShuffleDependency<Object, Object, Object>> reads, int n, boolean barrier,
                List<List<String>> preferred, MapOutputTrackerMaster tracker) {
            super(c, seq(on), cast(ClassTag$.MODULE$.Any()));
            this.n = n;
            this.from = from;
            this.barrier = barrier;
            this.reads = reads;
            this.preferred = preferred;
            this.tracker = tracker;
        }

        @Override
        public Iterator<Object> compute(Partition p, TaskContext t) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Partition[] getPartitions() {
            Partition[] all = new Partition[n];
            for (int i = 0; i < n; i++) {
                all[i] = new TaskSetRuns.Part(i);
            }
            return all;
        }

        @Override
        public Seq<String> getPreferredLocations(Partition p) {
            if (preferred != null) {
                return seq(preferred.get(p.index()));
            }
            for (ShuffleDependency<Object, Object, Object> d : reads) { // as ShuffledRDD
                Seq<String> at = tracker.getPreferredLocationsForShuffle(d, p.index());
                if (!at.isEmpty()) {
                    return at;
                }
            }
            return seq(List.of());
        }

        @Override
        public boolean isBarrier() {
            return barrier;
        }

        /** What it reads, and what those read whose partitions it reads. */
        List<ShuffleDependency<Object, Object, Object>> behind() {
            List<ShuffleDependency<Object, Object, Object>> all = new ArrayList<>();
            for (Rdd r = this; r != null; r = r.from) {
                all.addAll(r.reads);
            }
            return all;
        }

        List<List<String>> preferred() {
            return preferred != null || from == null ? preferred : from.preferred();
        }
    }

    @Override
    public Map<String, Object> record(String id, SplittableRandom random) throws Exception {
        DagRuns runs;
        Map<String, Object> run;
        do { // what is kept and not read is not known to a trace
            runs = new DagRuns(caches);
            run = runs.play(id, random.split());
        } while (!runs.makers.values().stream().allMatch(runs::read) || caches && runs.makers.isEmpty());
        return run;
    }

    private static SparkContext context() {
        if (context == null) {
            SparkConf c = new SparkConf(false).setMaster("local[1000]").setAppName("golden"); // slots for barrier stages
            c.set("spark.ui.enabled", "false").set("spark.speculation.interval", "1d");
            context = new SparkContext(c);
        }
        return context;
    }

    private Map<String, Object> play(String id, SplittableRandom r) throws Exception {
        random = r;
        SparkConf c = context().conf();
        int failures = pick(r, 2, 4, 4);
        fair = chance(r, 0.2);
        boolean service = chance(r, 0.4);
        speculation = chance(r, 0.2);
        barrier = !caches && chance(r, 0.25);
        Map<String, Object> conf = object("spark.task.maxFailures", failures, "spark.scheduler.mode", fair ? "FAIR" : "FIFO",
                "spark.shuffle.service.enabled", service, "spark.speculation", speculation,
                "spark.stage.maxConsecutiveAttempts", pick(r, 1, 2, 3, 4, 4, 8), "spark.stage.maxAttempts", pick(r, 1, 3, 6, 1000, 1000),
                "spark.files.fetchFailure.unRegisterOutputOnHost", chance(r, 0.5), "spark.stage.ignoreDecommissionFetchFailure", chance(r, 0.5),
                "spark.shuffle.reduceLocality.enabled", chance(r, caches ? 0.4 : 0.7), "spark.locality.wait", pick(r, "0s", "3s"));
        reduceLocality = (Boolean) conf.get("spark.shuffle.reduceLocality.enabled");
        conf.forEach((k, v) -> c.set(k, v.toString()));
        field(BlockManager.class, "externalShuffleServiceEnabled").setBoolean(context().env().blockManager(), service);
        hosts = new ArrayList<>();
        for (int i = between(r, 1, 5); i > 0; i--) {
            hosts.add("h" + i);
        }
        clock = new ManualClock(1_000_000);
        out = new LinkedHashMap<>();
        tracker = (MapOutputTrackerMaster) context().env().mapOutputTracker();
        field(MapOutputTrackerMaster.class, "shuffleLocalityEnabled").setBoolean(tracker, reduceLocality);
        scheduler = new Scheduler(failures);
        scheduler.initialize(new Backend());
        scheduler.taskResultGetter_$eq(new Results());
        dag = new Dag();
        loop = new Loop();
        ((DAGSchedulerEventProcessLoop) field(DAGScheduler.class, "eventProcessLoop").get(dag)).stop();
        field(DAGScheduler.class, "eventProcessLoop").set(dag, loop);
        field(DAGScheduler.class, "messageScheduler").set(dag, new ScheduledThreadPoolExecutor(1) {
            @Override
            public ScheduledFuture<?> schedule(Runnable task, long after, TimeUnit unit) {
                timers.add(task);
                note("timer", after);
                return null;
            }
        });
        field(TaskSchedulerImpl.class, "barrierCoordinator").set(scheduler, barriers); // its name can be taken only once
        register(between(r, 1, 5));
        int most = between(r, 1, 4);
        for (int steps = between(r, 10, 150); steps > 0 && !aborted && !odd; steps--) {
            step(most);
        }
        barriers = field(TaskSchedulerImpl.class, "barrierCoordinator").get(scheduler);
        for (Shuffle s : shuffles) {
            if (s != null) {
                tracker.unregisterShuffle(s.dependency.shuffleId());
            }
        }
        for (int stage : numbers.keySet()) { // numbers of stages begin again
            context().env().outputCommitCoordinator().stageEnd(stage);
        }
        return object("id", id, "conf", conf, "stages", described, "hosts", hosts, "events", events);
    }

    // The steps of a run.

    private void step(int most) throws Exception {
        int dice = random.nextInt(100);
        if (jobNumbers.isEmpty() || dice < 5 && jobNumbers.size() < most) {
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

    private int attempt(TaskSet s) {
        return attempts.get(List.of(s.stageId(), s.stageAttemptId()));
    }

    /** A task ends, and its executor is offered alone. */
    private void end() throws Exception {
        Running t = pick(random, new ArrayList<>(running.values()));
        Executor e = executors.get(t.executor);
        clock.advance(pick(random, 0, 0, 10, 1000));
        running.remove(t.id);
        e.free++;
        String kind = killed.contains(t.id) && chance(random, 0.8) ? "killed" : chance(random, 0.82) ? null : pick(random, "exception", "fetch_failed", "fetch_failed", "fetch_failed");
        Map<String, Object> said = kind == null ? object("op", "success", "tid", t.id) : object("op", "failure", "tid", t.id, "kind", kind);
        failure = null;
        if (kind != null) {
            failure = switch (kind) {
                case "exception" -> new ExceptionFailure("Failure", "made up", new StackTraceElement[0], "", Option.empty(), cast(seq(List.of())), cast(seq(List.of())), cast(seq(List.of())));
                case "killed" -> new TaskKilled("made up", cast(seq(List.of())), cast(seq(List.of())), cast(seq(List.of())));
                default -> unread(t, said);
            };
            if (failure == null) {
                said = object("op", "success", "tid", t.id);
            }
        }
        ByteBuffer nothing = ByteBuffer.allocate(0);
        Enumeration.Value state = failure == null ? TaskState.FINISHED() : failure instanceof TaskKilled ? TaskState.KILLED() : TaskState.FAILED();
        event(said, () -> scheduler.statusUpdate(t.id, state, nothing));
        if (!e.decommissioned) {
            offer(List.of(e), false);
        }
    }

    /** Output that the task cannot read; null when it reads none. */
    private TaskFailedReason unread(Running t, Map<String, Object> said) throws Exception {
        @SuppressWarnings("unchecked")
        List<Integer> parents = (List<Integer>) described.get(t.stage).get("parents");
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
                return new FetchFailed(null, s.dependency.shuffleId(), -1, -1, t.partition, "made up");
            }
            exec = "" + between(random, 1, nextExecutor); // as somebody remembers who read it before
        } else if (chance(random, 0.1)) {
            exec = "" + between(random, 1, nextExecutor);
        }
        String host = places.get(exec);
        said.put("from", list(p, map, exec, host));
        return new FetchFailed(BlockManagerId.apply(exec, host, 1, Option.empty()), s.dependency.shuffleId(), map, map, t.partition, "made up");
    }

    private final Map<String, String> places = new LinkedHashMap<>(); // of all executors that ever were

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
        running.values().removeIf(t -> t.executor.equals(e.id));
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
            if (shuffles.get(s) != null && ended.contains((Integer) described.get(s).get("job")) && chance(random, 0.5)) {
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
        event(object("op", "submit_job", "job", job, "pool", pool), () -> {
            bearing = job;
            loop.onReceive(new JobSubmitted(id, last, null, partitions, new CallSite("", ""), new Listener(), JobArtifactSet.emptyJobArtifactSet(), properties));
        });
    }

    private int bearing;

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
            reads.removeIf(s -> reduceLocality || from.preferred() != null || s.reducers != from.n || behind.contains(s.dependency));
        }
        reads = new ArrayList<>(new java.util.LinkedHashSet<>(reads));
        int n = from != null ? from.n : reads.isEmpty() ? between(random, 1, 6) : 6;
        for (Shuffle s : reads) {
            n = Math.min(n, s.reducers);
        }
        if (from == null && !reads.isEmpty()) { // as of a join: all have that many parts
            int parts = n;
            List<Shuffle> fit = new ArrayList<>(reads);
            fit.removeIf(s -> s.reducers != parts);
            reads = fit;
        }
        unread.removeAll(reads);
        List<Dependency<?>> on = new ArrayList<>();
        List<ShuffleDependency<Object, Object, Object>> dependencies = new ArrayList<>();
        for (Shuffle s : reads) {
            on.add(s.dependency);
            dependencies.add(s.dependency);
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
    private final Map<Rdd, Integer> makers = new LinkedHashMap<>(); // the stage that computes each first
    private final List<Rdd> kept = new ArrayList<>(); // those of ended jobs
    private final Map<BlockId, Executor> blocks = new LinkedHashMap<>();
    private final Map<Integer, Rdd> data = new LinkedHashMap<>(); // by Spark's number of the stage

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

    /** A task has kept the blocks that were not there. What it keeps on an executor that Spark has taken for lost since does not count, as long as that does not register again. */
    private void keep(Task<?> task, TaskInfo info) throws Exception {
        scala.collection.mutable.HashMap<String, Object> failed = cast(field(DAGScheduler.class, "executorFailureEpoch").get(dag));
        Option<Object> epoch = failed.get(info.executorId());
        if (epoch.isDefined() && task.epoch() <= (Long) epoch.get()) {
            return;
        }
        for (Rdd r = data.get(task.stageId()); r != null; r = r.from) {
            BlockId id = new org.apache.spark.storage.RDDBlockId(r.id(), task.partitionId());
            if (r.getStorageLevel().equals(StorageLevel.NONE())) {
                continue;
            }
            if (blocks.containsKey(id)) {
                return;
            }
            blocks.put(id, executors.get(info.executorId()));
        }
    }

    /**
     * Gives the Stages that have come numbers, in the order of Spark's. A Stage that Spark makes for output of an ended job keeps the number that the first one got;
     * a run ends before it where Spark's own would decide: behind others of its job, which is by the order of addresses of objects, or in a FAIR pool, by name.
     */
    private void meet() {
        Map<Integer, Stage> all = new TreeMap<>();
        JavaConverters.mapAsJavaMapConverter(dag.stageIdToStage()).asJava().forEach((k, v) -> all.put((Integer) k, v));
        int known = described.size();
        all.forEach((id, stage) -> {
            if (numbers.containsKey(id)) {
                return;
            }
            int number = -1;
            Shuffle shuffle = null;
            if (stage instanceof ShuffleMapStage m) {
                for (int i = 0; i < shuffles.size(); i++) {
                    if (shuffles.get(i) != null && shuffles.get(i).dependency == (Object) m.shuffleDep()) {
                        number = i;
                    }
                }
                if (number < 0) {
                    ShuffleDependency<Object, Object, Object> d = cast(m.shuffleDep());
                    shuffle = mineOf(d);
                }
            }
            if (number < 0) {
                number = described.size();
                shuffles.add(shuffle);
                submitted.add(0);
                Rdd rdd = (Rdd) stage.rdd();
                List<Integer> parents = new ArrayList<>();
                for (ShuffleDependency<Object, Object, Object> d : rdd.behind()) {
                    for (int i = 0; i < shuffles.size(); i++) {
                        if (shuffles.get(i) != null && shuffles.get(i).dependency == d) {
                            parents.add(i);
                        }
                    }
                }
                described.add(object("job", bearing, "parents", parents, "tasks", rdd.n, "barrier", rdd.barrier, "preferred", rdd.preferred(),
                        "written", shuffle == null ? null : shuffle.written));
                if (rdd.from != null) {
                    described.get(number).put("cache_of", makers.get(rdd.from));
                }
                if (!rdd.getStorageLevel().equals(StorageLevel.NONE())) {
                    makers.put(rdd, number);
                }
            }
            data.put(id, (Rdd) stage.rdd());
            odd |= number < known && (fair || described.size() > known);
            numbers.put(id, number);
        });
    }

    private final Map<Integer, Shuffle> made = new LinkedHashMap<>(); // by Spark's number of the shuffle

    private Shuffle mineOf(ShuffleDependency<Object, Object, Object> d) {
        return made.get(d.shuffleId());
    }

    // What is written.

    interface Action {
        void run() throws Exception;
    }

    private void note(String what, Object value) {
        out.computeIfAbsent(what, k -> new ArrayList<>()).add(value);
    }

    private void event(Map<String, Object> e, Action action) throws Exception {
        out = new LinkedHashMap<>();
        action.run();
        while (!loop.posted.isEmpty()) {
            loop.onReceive(loop.posted.remove());
        }
        e.put("t", clock.getTimeMillis());
        e.putAll(out);
        List<Object> state = new ArrayList<>();
        for (Shuffle s : shuffles) {
            state.add(s == null ? null : outputs(s));
        }
        e.put("outputs", state);
        if (!odd) {
            events.add(e);
        }
    }

    /** Which executors hold the output of a shuffle, by map task. */
    private List<String> outputs(Shuffle s) {
        List<String> at = new ArrayList<>();
        for (MapStatus m : tracker.shuffleStatuses().apply(s.dependency.shuffleId()).mapStatuses()) {
            at.add(m == null ? null : m.location().executorId());
        }
        return at;
    }

    @SuppressWarnings("unchecked")
    private static <A> A cast(Object o) {
        return (A) o;
    }

    // Spark's classes, with the ends that lead out of them cut off.

    private final class Listener implements JobListener {
        @Override
        public void taskSucceeded(int index, Object result) {}

        @Override
        public void jobFailed(Exception e) {
            aborted = true; // also where its stages could not be made: a barrier stage that reads several of them as a join does
        }
    }

    /** Blocks are where tasks have kept them. */
    private final class Blocks extends BlockManagerMaster {
        Blocks() {
            super(null, null, context().conf(), true);
        }

        @Override
        public IndexedSeq<Seq<BlockManagerId>> getLocations(BlockId[] ids) {
            List<Seq<BlockManagerId>> all = new ArrayList<>();
            for (BlockId id : ids) {
                Executor e = blocks.get(id);
                all.add(seq(e == null ? List.of() : List.of(BlockManagerId.apply(e.id, e.host, 1, Option.empty()))));
            }
            return JavaConverters.asScalaBufferConverter(all).asScala().toIndexedSeq();
        }

        @Override
        public void removeExecutor(String id) {
            blocks.values().removeIf(e -> e.id.equals(id));
        }
    }

    /** The events for listeners. */
    private final class Bus extends LiveListenerBus {
        Bus() {
            super(context().conf());
        }

        @Override
        public void post(SparkListenerEvent e) {
            if (e instanceof SparkListenerJobStart j) {
                meet();
                note("started", jobNumbers.get(j.jobId()));
            } else if (e instanceof SparkListenerJobEnd j) {
                ended.add(jobNumbers.get(j.jobId()));
                aborted |= !j.jobResult().getClass().getSimpleName().startsWith("JobSucceeded");
                note("ended", list(jobNumbers.get(j.jobId()), aborted));
            } else if (e instanceof SparkListenerStageSubmitted s) {
                int number = numbers.get(s.stageInfo().stageId());
                int attempt = submitted.get(number);
                submitted.set(number, attempt + 1);
                attempts.put(List.of(s.stageInfo().stageId(), s.stageInfo().attemptNumber()), attempt);
                note("submitted", list(number, attempt, s.stageInfo().numTasks()));
            } else if (e instanceof SparkListenerStageCompleted s) {
                Option<Stage> stage = dag.stageIdToStage().get(s.stageInfo().stageId());
                // The end of a failed attempt is said for each of its tasks; that of a result, also where its attempt has failed.
                boolean done = !stage.isEmpty() && stage.get() instanceof ResultStage r && !r.activeJob().isEmpty()
                        && r.activeJob().get().numFinished() == r.activeJob().get().numPartitions();
                if (done || !stage.isEmpty() && dag.runningStages().contains(stage.get())) {
                    note("completed", list(numbers.get(s.stageInfo().stageId()),
                            attempts.get(List.of(s.stageInfo().stageId(), s.stageInfo().attemptNumber())), !done && s.stageInfo().failureReason().isDefined()));
                }
            }
        }
    }

    private final class Dag extends DAGScheduler {
        Dag() {
            super(context(), scheduler, new Bus(), tracker, new Blocks(), context().env(), clock);
        }

        @Override
        public void taskEnded(Task<?> task, TaskEndReason reason, Object result, Seq<AccumulatorV2<?, ?>> updates, long[] peaks, TaskInfo info) {
            if (reason == Success$.MODULE$) {
                try {
                    keep(task, info);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
            super.taskEnded(task, reason, result, updates, peaks, info);
        }
    }

    /** Events wait until the call that posts them has ended. */
    private final class Loop extends DAGSchedulerEventProcessLoop {
        final ArrayDeque<DAGSchedulerEvent> posted = new ArrayDeque<>();

        Loop() {
            super(dag);
        }

        @Override
        public void post(DAGSchedulerEvent e) {
            posted.add(e);
        }
    }

    private final class Backend extends IdleBackend {
        @Override
        public void killTask(long id, String executor, boolean interrupt, String reason) {
            if (killed.add(id)) {
                note("kills", id);
            }
        }
    }

    private final class Scheduler extends TaskSchedulerImpl {
        Scheduler(int maxFailures) {
            super(context(), maxFailures, false, clock);
        }

        @Override
        public void submitTasks(TaskSet s) {
            List<Object> tasks = new ArrayList<>();
            for (Task<?> t : s.tasks()) {
                List<String> at = new ArrayList<>();
                for (TaskLocation l : JavaConverters.seqAsJavaListConverter(t.preferredLocations()).asJava()) {
                    at.add(l.host());
                }
                at.sort(null); // that of a hash table, where they are those of map tasks
                tasks.add(list(t.partitionId(), at));
            }
            note("sets", list(numbers.get(s.stageId()), attempt(s), s.priority() - (jobs - jobNumbers.size()), tasks));
            super.submitTasks(s);
        }

        @Override
        public IndexedSeq<WorkerOffer> shuffleOffers(IndexedSeq<WorkerOffer> offers) {
            return offers;
        }

        @Override
        public Option<String> getRackForHost(String host) {
            return Option.empty();
        }
    }

    /** Results are handled at once. */
    private final class Results extends TaskResultGetter {
        Results() {
            super(context().env(), scheduler);
        }

        @Override
        public void enqueueSuccessfulTask(TaskSetManager set, long id, ByteBuffer data) {
            TaskInfo info = set.taskInfos().apply(id);
            Shuffle s = shuffles.get(numbers.get(set.taskSet().stageId()));
            Object value = null;
            if (s != null) {
                long[] sizes = new long[s.reducers];
                java.util.Arrays.fill(sizes, s.written[info.partitionId()] / s.reducers);
                value = MapStatus$.MODULE$.apply(BlockManagerId.apply(info.executorId(), info.host(), 1, Option.empty()), sizes, id);
            }
            ByteBuffer bytes = context().env().serializer().newInstance().serialize(value, cast(ClassTag$.MODULE$.Any()));
            scheduler.handleSuccessfulTask(set, id, new DirectTaskResult<Object>(bytes, cast(seq(List.of())), new long[0]));
        }

        @Override
        public void enqueuePartitionCompletionNotification(int stage, int partition) {
            scheduler.handlePartitionCompleted(stage, partition);
        }

        @Override
        public void enqueueFailedTask(TaskSetManager set, long id, Enumeration.Value state, ByteBuffer data) {
            scheduler.handleFailedTask(set, id, state, failure);
        }
    }
}
