package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.field;
import static replay.golden.Tools.list;
import static replay.golden.Tools.object;
import static replay.golden.Tools.seq;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.Success$;
import org.apache.spark.TaskEndReason;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.scheduler.BarrierJobSlotsNumberCheckFailed;
import org.apache.spark.scheduler.DAGScheduler;
import org.apache.spark.scheduler.DAGSchedulerEvent;
import org.apache.spark.scheduler.DAGSchedulerEventProcessLoop;
import org.apache.spark.scheduler.DirectTaskResult;
import org.apache.spark.scheduler.HealthTracker;
import org.apache.spark.scheduler.JobListener;
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
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskLocation;
import org.apache.spark.scheduler.TaskResultGetter;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.TaskSet;
import org.apache.spark.scheduler.TaskSetManager;
import org.apache.spark.scheduler.WorkerOffer;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerMaster;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.AccumulatorV2;
import org.apache.spark.util.ManualClock;
import scala.Enumeration;
import scala.Option;
import scala.collection.IndexedSeq;
import scala.collection.JavaConverters;
import scala.collection.Seq;
import scala.reflect.ClassTag$;

/** A DAGScheduler over TaskSchedulerImpl between stand-ins, and what it has done: its stages by number, the tasks that run, where output and blocks are, what is written of each call. */
abstract class DagCluster {
    private static SparkContext context;
    static Object barriers; // the coordinator of barrier stages
    static int jobs; // submitted in this process

    ManualClock clock;
    TaskSchedulerImpl scheduler;
    Dag dag;
    Loop loop;
    MapOutputTrackerMaster tracker;
    boolean fair;
    final Map<String, Executor> executors = new LinkedHashMap<>();
    final Map<Long, Running> running = new TreeMap<>();
    final List<Object> events = new ArrayList<>();
    final List<Runnable> timers = new ArrayList<>(); // resubmissions
    final List<Runnable> checks = new ArrayList<>(); // of the job that waits for slots of its barrier stages
    TaskFailedReason failure; // of the status update under way; null = success
    boolean aborted; // a job has failed
    boolean odd; // a Stage for earlier output came whose number decides, see meet

    // The stages of submitted jobs by number, which is that of their first Stage of Spark's among all.
    final List<Map<String, Object>> described = new ArrayList<>();
    final List<Shuffle> shuffles = new ArrayList<>(); // by number, null for a stage that computes a result
    final Map<Integer, Integer> numbers = new LinkedHashMap<>(); // by Spark's number
    final Map<List<Integer>, Integer> attempts = new LinkedHashMap<>(); // by Spark's number of stage and attempt, how many came before
    final List<Integer> submitted = new ArrayList<>(); // attempts by number
    final Map<Integer, Integer> jobNumbers = new LinkedHashMap<>();
    final Set<Integer> ended = new HashSet<>();
    final Set<Long> killed = new HashSet<>();
    Map<String, List<Object>> out; // of the present event

    static final class Executor {
        final String id;
        final String host;
        final int cores;
        int free;
        boolean decommissioned;

        Executor(String id, String host, int cores) {
            this.id = id;
            this.cores = cores;
            this.host = host;
            this.free = cores;
        }
    }

    record Running(long id, String executor, int stage, int partition) {}

    /** A shuffle with what its map tasks write. */
    record Shuffle(ShuffleDependency<Object, Object, Object> dependency, Rdd rdd, long[] written, int reducers) {}

    /** Has runs use a context that is there. */
    static void use(SparkContext c) {
        context = c;
    }

    static SparkContext context() {
        if (context == null) {
            SparkConf c = new SparkConf(false).setMaster("local[1000]").setAppName("golden"); // slots for barrier stages
            c.set("spark.ui.enabled", "false").set("spark.speculation.interval", "1d");
            c.set("spark.cleaner.referenceTracking", "false"); // which follows the garbage collector
            context = new SparkContext(c);
        }
        return context;
    }

    /** Starts schedulers. */
    void start(int failures) throws Exception {
        Scheduler s = new Scheduler(failures);
        s.initialize(new Backend());
        scheduler = s;
        start(new Bus());
        scheduler.taskResultGetter_$eq(new Results());
        field(TaskSchedulerImpl.class, "barrierCoordinator").set(scheduler, barriers); // its name can be taken only once
    }

    /** Starts the DAGScheduler over the scheduler that is there; its resubmissions wait in timers. */
    void start(LiveListenerBus bus) throws Exception {
        out = new LinkedHashMap<>();
        dag = new Dag(bus);
        loop = new Loop();
        ((DAGSchedulerEventProcessLoop) field(DAGScheduler.class, "eventProcessLoop").get(dag)).stop();
        field(DAGScheduler.class, "eventProcessLoop").set(dag, loop);
        field(DAGScheduler.class, "messageScheduler").set(dag, new ScheduledThreadPoolExecutor(1) {
            @Override
            public ScheduledFuture<?> schedule(Runnable task, long after, TimeUnit unit) {
                if (unit == TimeUnit.SECONDS) {
                    checks.add(task);
                    note("checks", 1000 * after);
                    return null;
                }
                timers.add(task);
                note("timer", after);
                return null;
            }
        });
    }

    /** Barrier stages find the cores of the executors of the present run, or enough in any case. */
    void countSlots(boolean real) throws Exception {
        field(org.apache.spark.SparkContext.class, "_schedulerBackend").set(context(), new IdleBackend() {
            @Override
            public int maxNumConcurrentTasks(org.apache.spark.resource.ResourceProfile p) {
                return real ? slots() : 1000;
            }
        });
    }

    int slots() {
        return executors.values().stream().filter(e -> !e.decommissioned).mapToInt(e -> e.cores).sum();
    }

    /** Gives back what is one for all runs of the process. */
    void stop() throws Exception {
        for (Shuffle s : shuffles) {
            if (s != null) {
                tracker.unregisterShuffle(s.dependency.shuffleId());
            }
        }
        for (int stage : numbers.keySet()) { // numbers of stages begin again
            context().env().outputCommitCoordinator().stageEnd(stage);
        }
    }

    int attempt(TaskSet s) {
        return attempts.get(List.of(s.stageId(), s.stageAttemptId()));
    }

    final Map<String, String> places = new LinkedHashMap<>(); // of all executors that ever were

    int bearing; // the job that is submitted

    // Data sets that are kept.

    final Map<Rdd, Integer> makers = new LinkedHashMap<>(); // the stage that computes each first
    final Map<BlockId, Executor> blocks = new LinkedHashMap<>();
    final Set<String> dead = new HashSet<>(); // executors whose process has ended: a task that would read a block there keeps it where it runs, and of the two places the new one counts
    final Map<Integer, Rdd> data = new LinkedHashMap<>(); // by Spark's number of the stage

    /** A task has kept the blocks that were not there. What it keeps on an executor that Spark has taken for lost since does not count, as long as that does not register again. */
    void keep(Task<?> task, TaskInfo info) throws Exception {
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
            Executor held = blocks.get(id);
            if (held != null && !dead.contains(held.id)) {
                return;
            }
            Executor on = executors.get(info.executorId());
            blocks.put(id, on != null ? on : new Executor(info.executorId(), info.host(), 0));
            kept(id, info);
        }
    }

    /**
     * Gives the Stages that have come numbers, in the order of Spark's. A Stage that Spark makes for output of an ended job keeps the number that the first one got;
     * a run ends before it where Spark's own would decide: behind others of its job, which is by the order of addresses of objects, or in a FAIR pool, by name.
     */
    void meet() {
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
                describe(rdd, described.get(number));
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

    /** A block was kept where a task has run. */
    void kept(BlockId id, TaskInfo info) {}

    /** A stage was described by what its last data set is. */
    void describe(Rdd rdd, Map<String, Object> row) {}

    final Map<Integer, Shuffle> made = new LinkedHashMap<>(); // by Spark's number of the shuffle

    Shuffle mineOf(ShuffleDependency<Object, Object, Object> d) {
        return made.get(d.shuffleId());
    }

    // What is written.

    interface Action {
        void run() throws Exception;
    }

    void note(String what, Object value) {
        out.computeIfAbsent(what, k -> new ArrayList<>()).add(value);
    }

    void event(Map<String, Object> e, Action action) throws Exception {
        out = new LinkedHashMap<>();
        action.run();
        handle();
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

    /** Handles what was posted to the DAGScheduler, and what is meanwhile. */
    void handle() {
        while (!loop.posted.isEmpty()) {
            loop.onReceive(loop.posted.remove());
        }
    }

    /** Which executors hold the output of a shuffle, by map task. */
    List<String> outputs(Shuffle s) {
        List<String> at = new ArrayList<>();
        for (MapStatus m : tracker.shuffleStatuses().apply(s.dependency.shuffleId()).mapStatuses()) {
            at.add(m == null ? null : m.location().executorId());
        }
        return at;
    }

    /** What an attempt returns: where its output is and how large, if it has any. */
    Object value(TaskSetManager set, long id) {
        TaskInfo info = set.taskInfos().apply(id);
        Shuffle s = shuffles.get(numbers.get(set.taskSet().stageId()));
        if (s == null) {
            return null;
        }
        long[] sizes = new long[s.reducers];
        java.util.Arrays.fill(sizes, s.written[info.partitionId()] / s.reducers);
        return MapStatus$.MODULE$.apply(BlockManagerId.apply(info.executorId(), info.host(), 1, Option.empty()), sizes, id);
    }

    @SuppressWarnings("unchecked")
    static <A> A cast(Object o) {
        return (A) o;
    }

    // Spark's classes, with the ends that lead out of them cut off.

    final class Listener implements JobListener {
        @Override
        public void taskSucceeded(int index, Object result) {}

        @Override
        public void jobFailed(Exception e) {
            if (e instanceof BarrierJobSlotsNumberCheckFailed) {
                note("ended", list(bearing, true));
            }
            aborted = true; // also where its stages could not be made: a barrier stage that reads several of them as a join does
        }
    }

    /** Blocks are where tasks have kept them. */
    final class Blocks extends BlockManagerMaster {
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

        @Override
        public void removeExecutorAsync(String id) {
            removeExecutor(id);
        }
    }

    /** Notes what the DAGScheduler has said to listeners. */
    void posted(SparkListenerEvent e) {
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

    /** The events for listeners. */
    final class Bus extends LiveListenerBus {
        Bus() {
            super(context().conf());
        }

        @Override
        public void post(SparkListenerEvent e) {
            posted(e);
        }
    }

    /** The scheduler told the DAGScheduler that an attempt has ended. */
    void taskEnded(Task<?> task, TaskEndReason reason, TaskInfo info) {}

    final class Dag extends DAGScheduler {
        Dag(LiveListenerBus bus) {
            super(context(), scheduler, bus, tracker, new Blocks(), context().env(), clock);
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
            DagCluster.this.taskEnded(task, reason, info);
            super.taskEnded(task, reason, result, updates, peaks, info);
        }
    }

    /** Events wait until the call that posts them has ended. */
    final class Loop extends DAGSchedulerEventProcessLoop {
        final ArrayDeque<DAGSchedulerEvent> posted = new ArrayDeque<>();

        Loop() {
            super(dag);
        }

        @Override
        public void post(DAGSchedulerEvent e) {
            posted.add(e);
        }
    }

    final class Backend extends IdleBackend {
        @Override
        public void killTask(long id, String executor, boolean interrupt, String reason) {
            if (killed.add(id)) {
                note("kills", id);
            }
        }
    }

    final class Scheduler extends TaskSchedulerImpl {
        Scheduler(int maxFailures) {
            super(context(), maxFailures, false, clock);
        }

        private Option<HealthTracker> health;

        /** Spark's own follows the wall clock. */
        @Override
        public Option<HealthTracker> healthTrackerOpt() {
            if (health == null) {
                boolean on = HealthTracker.isExcludeOnFailureEnabled(context().conf());
                health = on ? Option.apply(new HealthTracker(context().listenerBus(), context().conf(), Option.empty(), clock)) : Option.empty();
            }
            return health;
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
    final class Results extends TaskResultGetter {
        Results() {
            super(context().env(), scheduler);
        }

        @Override
        public void enqueueSuccessfulTask(TaskSetManager set, long id, ByteBuffer data) {
            ByteBuffer bytes = context().env().serializer().newInstance().serialize(value(set, id), cast(ClassTag$.MODULE$.Any()));
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
