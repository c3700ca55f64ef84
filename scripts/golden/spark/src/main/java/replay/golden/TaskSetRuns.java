package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.list;
import static replay.golden.Tools.object;
import static replay.golden.Tools.pick;
import static replay.golden.Tools.seq;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.FetchFailed;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkException;
import org.apache.spark.TaskCommitDenied;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.TaskKilled;
import org.apache.spark.TaskResultLost$;
import org.apache.spark.TaskState;
import org.apache.spark.scheduler.DAGScheduler;
import org.apache.spark.scheduler.DirectTaskResult;
import org.apache.spark.scheduler.ExecutorCacheTaskLocation;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.ExecutorExited;
import org.apache.spark.scheduler.ExecutorKilled$;
import org.apache.spark.scheduler.ExecutorLossReason;
import org.apache.spark.scheduler.ExecutorProcessLost;
import org.apache.spark.scheduler.HDFSCacheTaskLocation;
import org.apache.spark.scheduler.HealthTracker;
import org.apache.spark.scheduler.HostTaskLocation;
import org.apache.spark.scheduler.LossReasonPending$;
import org.apache.spark.scheduler.PendingTasksByLocality;
import org.apache.spark.scheduler.Task;
import org.apache.spark.scheduler.TaskDescription;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskLocation;
import org.apache.spark.scheduler.TaskResultGetter;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.TaskSet;
import org.apache.spark.scheduler.TaskSetManager;
import org.apache.spark.scheduler.WorkerOffer;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.ManualClock;
import scala.Enumeration;
import scala.Option;
import scala.collection.IndexedSeq;
import scala.collection.JavaConverters;
import scala.collection.Seq;
import scala.reflect.ClassTag$;

/** Random runs of TaskSchedulerImpl and TaskSetManager under a manual clock, on one thread. */
final class TaskSetRuns implements Main.Recorder {
    private static SparkContext context;
    private static DAGScheduler dag;
    private static Object barriers; // the coordinator of barrier stages
    static TaskSetRuns present; // the run that upcalls belong to

    final boolean wide; // with limits of exclusion, several resource profiles and long-running tasks that are copied
    private final boolean rare; // full, and with profiles of every size, barriers under both rules of the timer, and edges of what the others draw
    private TaskSetProfiles profiles; // of rare runs
    private final boolean full; // wide, and with pools out of a file, kills of executors and their timers, and output that cannot be read
    private TaskSetFull.Timers timers;
    private final Map<String, String> places = new LinkedHashMap<>(); // of all executors that ever were
    List<Object> executorKills = new ArrayList<>();
    private SplittableRandom random;
    private ManualClock clock;
    private Scheduler scheduler;
    private int taskCpus;
    private int profile;
    private boolean fair;
    private boolean speculation;
    private boolean service; // an external shuffle service keeps the output of lost executors
    private boolean barrier; // there may be barrier stages
    private Map<String, String> racks;
    private String defaultRack;
    private List<String> hosts;
    private final Map<String, TaskSetExecutor> executors = new LinkedHashMap<>(); // alive or waiting for the reason of their loss
    private int nextExecutor;
    private final Map<Long, Running> running = new TreeMap<>();
    private final List<Integer> stages = new ArrayList<>();
    private final Map<Integer, Integer> attempts = new LinkedHashMap<>();
    private final List<Object> events = new ArrayList<>();
    List<Object> upcalls = new ArrayList<>();
    List<Object> kills = new ArrayList<>();
    private TaskFailedReason failure; // of the status update under way; null = success

    private record Running(long id, String executor, int cpus, boolean reported) {}

    TaskSetRuns(boolean wide, boolean full, boolean rare) {
        this.wide = wide;
        this.full = full;
        this.rare = rare;
    }

    @Override
    public Map<String, Object> record(String id, SplittableRandom random) throws Exception {
        TaskSetRuns run = new TaskSetRuns(wide, full, rare);
        present = run;
        return run.play(id, random);
    }

    private Map<String, Object> play(String id, SplittableRandom r) throws Exception {
        random = r;
        Map<String, Object> conf = configure();
        makeHosts();
        clock = new ManualClock(1_000_000);
        scheduler = new Scheduler(context(), (Integer) conf.get("max_task_failures"), clock);
        scheduler.initialize(new TaskSetEnds.Backend());
        scheduler.dagScheduler_$eq(dag());
        scheduler.taskResultGetter_$eq(new Results(scheduler));
        Field coordinator = Tools.field(TaskSchedulerImpl.class, "barrierCoordinator");
        coordinator.set(scheduler, barriers); // its name can be taken only once
        if (full) {
            timers = new TaskSetFull.Timers(clock);
            Tools.field(TaskSchedulerImpl.class, "abortTimer").set(scheduler, timers);
        }
        register(between(r, 0, hosts.size() > 9 ? 30 : 8));
        for (int steps = between(r, 5, rare ? 200 : 110); steps > 0; steps--) {
            step();
        }
        barriers = coordinator.get(scheduler);
        return object("id", id, "conf", conf, "racks", new TreeMap<>(racks), "default_rack", defaultRack, "events", events);
    }

    private Map<String, Object> configure() throws Exception {
        SplittableRandom r = random;
        boolean wide = chance(r, rare ? 0.7 : 0.3);
        int process = wide ? pick(r, 0, 500, 1000, 3000, 6000) : 3000;
        int node = wide ? pick(r, 0, 500, 1000, 3000, 6000) : 3000;
        int rack = wide ? pick(r, 0, 500, 1000, 3000, 6000) : 3000;
        boolean legacy = chance(r, 0.3);
        taskCpus = chance(r, 0.15) ? 2 : 1;
        if (rare) {
            taskCpus = pick(r, 1, 1, 2, 3);
        }
        int failures = rare ? pick(r, 1, 3, 5, 9) : pick(r, 1, 2, 4, 4, 4);
        fair = chance(r, 0.3);
        boolean exclude = failures > 2 && chance(r, 0.3);
        speculation = chance(r, 0.35);
        double quantile = rare ? pick(r, 0.0, 0.1, 0.34, 0.75, 0.99, 1.0) : pick(r, 0.75, 0.5, 0.25, 0.9);
        double multiplier = rare ? pick(r, 0.0, 0.5, 1.0, 1.5, 3.7) : pick(r, 1.5, 1.1, 2.0);
        int runtime = rare ? pick(r, 0, 1, 999, 7000) : pick(r, 0, 100, 1000);
        SparkConf c = context().conf();
        c.set("spark.locality.wait.process", process + "ms").set("spark.locality.wait.node", node + "ms");
        c.set("spark.locality.wait.rack", rack + "ms");
        c.set("spark.locality.wait.legacyResetOnTaskLaunch", "" + legacy);
        c.set("spark.scheduler.mode", fair ? "FAIR" : "FIFO");
        c.set("spark.excludeOnFailure.enabled", "" + exclude).set("spark.speculation", "" + speculation);
        c.set("spark.speculation.quantile", "" + quantile).set("spark.speculation.multiplier", "" + multiplier);
        c.set("spark.speculation.minTaskRuntime", runtime + "ms");
        service = chance(r, 0.2);
        Object blocks = context().env().blockManager();
        Tools.field(BlockManager.class, "externalShuffleServiceEnabled").setBoolean(blocks, service);
        barrier = rare ? chance(r, 0.4) : !legacy && chance(r, 0.15);
        profile = rare || taskCpus == 1 ? 0 : TaskSetTasks.twoCpus().id();
        Map<String, Object> conf = object("wait_process_ms", process, "wait_node_ms", node, "wait_rack_ms", rack, "legacy_reset_on_task_launch", legacy,
                "task_cpus", taskCpus, "max_task_failures", failures, "scheduler_mode", fair ? "FAIR" : "FIFO", "exclude_on_failure", exclude, "shuffle_service", service, "health_clock", true,
                "speculation", speculation ? object("quantile", quantile, "multiplier", multiplier, "min_task_runtime_ms", runtime) : null);
        if (this.wide) {
            conf.putAll(TaskSetLimits.draw(r, c, failures));
            several = rare || taskCpus == 1 && chance(r, 0.5);
            if (several && !rare) {
                conf.put("profiles", list(object("profile", 0, "task_cpus", 1), object("profile", 1, "task_cpus", 2)));
                TaskSetTasks.twoCpus();
            }
        }
        if (full) {
            c.set("spark.shuffle.service.enabled", "" + service); // for HealthTracker
            conf.putAll(TaskSetFull.draw(r, c, fair));
        }
        if (rare) {
            profiles = new TaskSetProfiles(r, context(), taskCpus);
            conf.put("profiles", profiles.written());
        }
        return conf;
    }

    private boolean several; // there are several resource profiles, of tasks of one core and of two

    /** A resource profile of an executor or a stage. */
    private int anyProfile(boolean ofExecutor) throws Exception {
        if (rare) {
            return profiles.any(random, ofExecutor);
        }
        return several && chance(random, 0.4) ? TaskSetTasks.twoCpus().id() : profile;
    }

    /** A profile as the case calls it. */
    private int written(int profile) {
        if (rare) {
            return profiles.number(profile);
        }
        return several && profile != 0 ? 1 : 0;
    }

    private void makeHosts() {
        int n = between(random, 1, chance(random, 0.2) ? 40 : 9); // many hosts make Spark's tables grow
        int kinds = between(random, 1, 3);
        boolean known = chance(random, 0.6);
        racks = new LinkedHashMap<>();
        hosts = new ArrayList<>();
        for (int i = 1; i <= n; i++) {
            hosts.add("h" + i);
            if (known && chance(random, 0.85)) {
                racks.put("h" + i, "/r" + random.nextInt(kinds));
            }
        }
        defaultRack = chance(random, 0.2) ? "/default-rack" : null;
    }

    /** The one context of the process; cases change its configuration. */
    static SparkContext context() {
        if (context == null) {
            SparkConf c = new SparkConf(false).setMaster("local[1]").setAppName("golden");
            c.set("spark.ui.enabled", "false").set("spark.speculation.interval", "1d");
            c.set("spark.cleaner.referenceTracking", "false"); // which follows the garbage collector
            context = new SparkContext(c);
        }
        return context;
    }

    // The steps of a run.

    private void step() throws Exception {
        int dice = random.nextInt(100);
        List<TaskSetExecutor> alive = alive();
        if (full && chance(random, 0.05) && furtherStep()) {
            return;
        }
        if (attempts.isEmpty() || dice < 6 && stages.size() < 5) {
            submit();
        } else if (dice < 9) {
            register(between(random, 1, 3));
        } else if (dice < 30) {
            offerAll();
        } else if (dice < 40) {
            report();
        } else if (dice < 78 && !running.isEmpty()) {
            end(random.nextInt(100) < 85 ? null : pick(random, "exception", "exception", "killed", "result_lost", "commit_denied", "fetch_failed"));
        } else if (dice < 82 && !executors.isEmpty()) {
            lose();
        } else if (dice < 83 && !alive.isEmpty()) {
            decommission(pick(random, alive));
        } else if (dice < 90 && speculation) {
            clock.advance(pick(random, 0, 100, 2000, 9000));
            scheduler.checkSpeculatableTasks();
            event(object("op", "check_speculatable"));
        } else {
            clock.advance(pick(random, 1, 100, 500, 1000, 2999, 3000, 3001, 7000, random.nextInt(20000)));
            event(object("op", "advance"));
        }
    }

    /** A timer goes off, or a partition is done by another attempt of its stage; false if there is neither. */
    private boolean furtherStep() throws Exception {
        if (!timers.set.isEmpty()) {
            TaskSetFull.Set t = timers.set.remove(0);
            clock.advance(Math.max(0, t.at() - clock.getTimeMillis()));
            t.task().run();
            event(object("op", "abort_timeout", "stage", t.stage(), "stage_attempt", t.attempt()));
            return true;
        }
        if (stages.isEmpty()) {
            return false;
        }
        int stage = pick(random, stages);
        Option<TaskSetManager> m = scheduler.taskSetManagerForAttempt(stage, attempts.get(stage));
        if (m.isEmpty() || m.get().isZombie() || attempts.get(stage) == 0) {
            return false;
        }
        int partition = random.nextInt(m.get().taskSet().tasks().length);
        Tools.call(scheduler, TaskSchedulerImpl.class, "handlePartitionCompleted", stage, partition);
        event(object("op", "partition_completed", "stage", stage, "stage_attempt", attempts.get(stage), "index", partition));
        return true;
    }

    private List<TaskSetExecutor> alive() {
        List<TaskSetExecutor> out = new ArrayList<>();
        for (TaskSetExecutor e : executors.values()) {
            if (!e.pending && !e.decommissioned) {
                out.add(e);
            }
        }
        return out;
    }

    private void register(int n) throws Exception {
        if (n == 0) {
            return;
        }
        List<Object> added = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            TaskSetExecutor e = new TaskSetExecutor("" + ++nextExecutor, pick(random, hosts), between(random, 1, rare ? 7 : 4), anyProfile(true));
            executors.put(e.id, e);
            places.put(e.id, e.host);
            added.add(list(e.id, e.host, e.free));
        }
        event(object("op", "executors_registered", "execs", added));
        if (chance(random, 0.7)) {
            offerAll();
        } else {
            for (Object x : added) {
                offer(List.of(executors.get((String) ((List<?>) x).get(0))), false);
            }
        }
    }

    private void offerAll() throws Exception {
        offer(alive(), true);
    }

    private void offer(List<TaskSetExecutor> to, boolean all) throws Exception {
        List<WorkerOffer> offers = new ArrayList<>();
        List<Object> written = new ArrayList<>();
        for (TaskSetExecutor e : to) {
            offers.add(new WorkerOffer(e.id, e.host, e.free, Option.apply(e.host + ":1"), scala.collection.immutable.Map$.MODULE$.empty(), e.profile));
            written.add(several ? list(e.id, e.host, e.free, written(e.profile)) : list(e.id, e.host, e.free));
        }
        List<TaskDescription> launched = new ArrayList<>();
        Seq<Seq<TaskDescription>> answer;
        try {
            answer = scheduler.resourceOffers(JavaConverters.asScalaBufferConverter(offers).asScala().toIndexedSeq(), all);
        } catch (Exception e) {
            if (!rare || !(e instanceof SparkException)) {
                throw e;
            }
            answer = seq(List.of()); // a barrier that a wait could never bring together: what was to be launched is lost
        }
        for (Seq<TaskDescription> of : JavaConverters.seqAsJavaListConverter(answer).asJava()) {
            launched.addAll(JavaConverters.seqAsJavaListConverter(of).asJava());
        }
        launched.sort((a, b) -> Long.compare(a.taskId(), b.taskId()));
        List<Object> out = new ArrayList<>();
        for (TaskDescription t : launched) {
            out.add(launch(t));
        }
        event(object("op", "offer", "all_free", all, "offers", written, "launched", out));
    }

    private Object launch(TaskDescription t) {
        TaskSetManager m = scheduler.taskIdToTaskSetManager().get(t.taskId());
        TaskInfo info = m.taskInfos().apply(t.taskId());
        int number = written(m.taskSet().resourceProfileId());
        int cpus = rare ? profiles.cpus(number) : number == 1 ? 2 : taskCpus;
        executors.get(t.executorId()).free -= cpus;
        running.put(t.taskId(), new Running(t.taskId(), t.executorId(), cpus, false));
        return object("tid", t.taskId(), "stage", m.taskSet().stageId(), "stage_attempt", m.taskSet().stageAttemptId(), "index", info.index(),
                "attempt", info.attemptNumber(), "exec", info.executorId(), "host", info.host(), "locality", info.taskLocality().toString(),
                "speculative", info.speculative());
    }

    /** Some launched tasks are reported as running. */
    private void report() throws Exception {
        List<Object> ids = new ArrayList<>();
        for (Running t : new ArrayList<>(running.values())) {
            if (!t.reported && chance(random, 0.7)) {
                scheduler.statusUpdate(t.id, TaskState.RUNNING(), ByteBuffer.allocate(0));
                running.put(t.id, new Running(t.id, t.executor, t.cpus, true));
                ids.add(t.id);
            }
        }
        if (!ids.isEmpty()) {
            event(object("op", "running", "tids", ids));
        }
    }

    /** A task ends, and its executor is offered alone. */
    private void end(String kind) throws Exception {
        Running t = pick(random, new ArrayList<>(running.values()));
        TaskSetExecutor e = executors.get(t.executor);
        if (e == null || e.pending) {
            return;
        }
        if (chance(random, 0.5)) {
            clock.advance(random.nextInt(4000));
        }
        running.remove(t.id);
        e.free += t.cpus;
        Seq<Object> none = seq(List.of());
        String source = full ? pick(random, new ArrayList<>(places.keySet())) : null; // of what cannot be read
        failure = kind == null ? null : switch (kind) {
            case "exception" -> new ExceptionFailure("Failure", "made up", new StackTraceElement[0], "", Option.empty(), cast(none), cast(none), cast(none));
            case "killed" -> new TaskKilled("made up", cast(none), cast(none), cast(none));
            case "result_lost" -> TaskResultLost$.MODULE$;
            case "commit_denied" -> new TaskCommitDenied(0, 0, 0);
            default -> new FetchFailed(BlockManagerId.apply(full ? source : "0", full ? places.get(source) : "h0", 1, Option.empty()), 0, 0, 0, 0, "made up");
        };
        Enumeration.Value state = kind == null || kind.equals("result_lost") ? TaskState.FINISHED() : kind.equals("killed") ? TaskState.KILLED() : TaskState.FAILED();
        scheduler.statusUpdate(t.id, state, ByteBuffer.allocate(0));
        Map<String, Object> said = kind == null ? object("op", "success", "tid", t.id) : object("op", "failure", "tid", t.id, "kind", kind);
        if (full && "fetch_failed".equals(kind)) {
            said.put("from", list(source, places.get(source)));
        }
        event(said);
        if (!e.decommissioned) {
            offer(List.of(e), false);
        }
    }

    private void lose() throws Exception {
        TaskSetExecutor e = pick(random, new ArrayList<>(executors.values()));
        String kind = pick(random, "exited_not_app", "exited_app", "killed", "process_lost", "process_lost");
        if (!e.pending && chance(random, 0.25)) {
            kind = "pending";
        }
        ExecutorLossReason reason = switch (kind) {
            case "exited_not_app" -> new ExecutorExited(1, false, "made up");
            case "exited_app" -> new ExecutorExited(1, true, "made up");
            case "killed" -> ExecutorKilled$.MODULE$;
            case "process_lost" -> new ExecutorProcessLost("made up", Option.empty(), true);
            default -> LossReasonPending$.MODULE$;
        };
        scheduler.executorLost(e.id, reason);
        e.pending = kind.equals("pending");
        if (!e.pending) {
            executors.remove(e.id);
        }
        running.values().removeIf(t -> t.executor.equals(e.id));
        event(object("op", "executor_lost", "exec", e.id, "kind", kind));
    }

    private void decommission(TaskSetExecutor e) throws Exception {
        String worker = chance(random, 0.5) ? e.host : null;
        scheduler.executorDecommission(e.id, new ExecutorDecommissionInfo("made up", Option.apply(worker)));
        e.decommissioned = true;
        event(object("op", "executor_decommission", "exec", e.id, "worker_host", worker));
    }

    private void submit() throws Exception {
        boolean again = !stages.isEmpty() && chance(random, 0.2);
        int stage = again ? pick(random, stages) : stages.size();
        int attempt = attempts.merge(stage, again ? 1 : 0, Integer::sum);
        if (!again) {
            stages.add(stage);
        }
        int priority = chance(random, 0.7) ? stage : random.nextInt(4);
        String pool = chance(random, 0.6) ? null : pick(random, "a", "b", "default");
        boolean shuffleMap = chance(random, 0.6);
        boolean together = barrier && chance(random, 0.6);
        int style = random.nextInt(5); // 0: no preferences
        int n = between(random, 1, together ? 6 : chance(random, 0.2) ? 40 : 20);
        int of = anyProfile(false);
        List<Object> written = new ArrayList<>();
        Task<?>[] tasks = new Task<?>[n];
        Properties properties = new Properties();
        if (pool != null) {
            properties.setProperty("spark.scheduler.pool", pool);
        }
        for (int i = 0; i < n; i++) {
            List<TaskLocation> locations = new ArrayList<>();
            List<Object> names = new ArrayList<>();
            for (int k = style == 0 || style < 4 && chance(random, 0.2) ? 0 : between(random, 1, 3); k > 0; k--) {
                locate(style, locations, names);
            }
            written.add(names);
            tasks[i] = TaskSetTasks.task(shuffleMap, together, stage, attempt, i, n, locations, properties);
        }
        scheduler.submitTasks(new TaskSet(tasks, stage, attempt, priority, properties, of, Option.empty()));
        TaskSetManager m = scheduler.taskSetManagerForAttempt(stage, attempt).get();
        PendingTasksByLocality p = m.pendingTasks();
        Map<String, Object> submitted = object("op", "submit", "stage", stage, "stage_attempt", attempt, "priority", priority, "pool", pool, "shuffle_map", shuffleMap, "barrier", together,
                "tasks", written, "pending", object("for_executor", TaskSetState.lists(p.forExecutor()), "for_host", TaskSetState.lists(p.forHost()), "for_rack", TaskSetState.lists(p.forRack()),
                        "no_prefs", TaskSetState.buffer(p.noPrefs()), "all", TaskSetState.buffer(p.all()),
                        "host_iteration_order", new ArrayList<>(JavaConverters.seqAsJavaListConverter(p.forHost().keys().toSeq()).asJava())));
        if (several) {
            submitted.put("profile", written(of));
        }
        event(submitted);
    }

    /** One preferred location that is not there yet; Spark drops repeated ones. */
    private void locate(int style, List<TaskLocation> locations, List<Object> names) {
        String host = pick(random, hosts);
        List<TaskSetExecutor> all = new ArrayList<>(executors.values());
        TaskLocation location;
        Object name;
        if (style >= 3 && !all.isEmpty() && chance(random, 0.5)) {
            TaskSetExecutor e = pick(random, all);
            location = new ExecutorCacheTaskLocation(e.host, e.id);
            name = list(e.host, e.id);
        } else if (style == 2 && chance(random, 0.6)) {
            location = new HDFSCacheTaskLocation(host);
            name = list(host, "hdfs_cache");
        } else {
            location = new HostTaskLocation(host);
            name = list(host);
        }
        if (!names.contains(name)) {
            locations.add(location);
            names.add(name);
        }
    }

    // What is written.

    private void event(Map<String, Object> e) throws Exception {
        e.put("t", clock.getTimeMillis());
        if (!kills.isEmpty()) {
            e.put("kills", kills);
        }
        if (!executorKills.isEmpty()) {
            e.put("executor_kills", executorKills);
        }
        executorKills = new ArrayList<>();
        if (!upcalls.isEmpty()) {
            e.put("dag", upcalls);
        }
        e.put("state", TaskSetState.of(scheduler, stages, attempts));
        kills = new ArrayList<>();
        upcalls = new ArrayList<>();
        events.add(e);
    }

    @SuppressWarnings("unchecked")
    private static <A> A cast(Object o) {
        return (A) o;
    }

    // Spark's classes, with the ends that lead out of them cut off.

    /** Offers stay in the order given; racks are those of the run. */
    private final class Scheduler extends TaskSchedulerImpl {
        private Option<HealthTracker> health;

        Scheduler(SparkContext c, int maxFailures, ManualClock clock) {
            super(c, maxFailures, false, clock);
        }

        /** Spark's own follows the wall clock, for which all failures of a manual clock are long over. */
        @Override
        public Option<HealthTracker> healthTrackerOpt() {
            if (health == null) {
                boolean on = HealthTracker.isExcludeOnFailureEnabled(context().conf());
                health = on ? Option.apply(new HealthTracker(context().listenerBus(), context().conf(), full ? Option.apply(new TaskSetFull.Killer(this)) : Option.empty(), clock)) : Option.empty();
            }
            return health;
        }

        @Override
        public IndexedSeq<WorkerOffer> shuffleOffers(IndexedSeq<WorkerOffer> offers) {
            return offers;
        }

        @Override
        public Seq<Option<String>> getRacksForHosts(Seq<String> of) {
            List<Option<String>> out = new ArrayList<>();
            for (String h : JavaConverters.seqAsJavaListConverter(of).asJava()) {
                out.add(Option.apply(racks.getOrDefault(h, defaultRack)));
            }
            return seq(out);
        }

        @Override
        public Option<String> getRackForHost(String host) {
            return Option.apply(racks.getOrDefault(host, defaultRack));
        }
    }

    /** Results are handled at once. */
    private final class Results extends TaskResultGetter {
        private final TaskSchedulerImpl to;

        Results(TaskSchedulerImpl to) {
            super(context().env(), to);
            this.to = to;
        }

        @Override
        public void enqueueSuccessfulTask(TaskSetManager set, long id, ByteBuffer data) {
            if (failure != null) {
                to.handleFailedTask(set, id, TaskState.FINISHED(), failure);
                return;
            }
            ByteBuffer value = context().env().serializer().newInstance().serialize(0, cast(ClassTag$.MODULE$.Any()));
            to.handleSuccessfulTask(set, id, new DirectTaskResult<Object>(value, cast(seq(List.of())), new long[0]));
        }

        @Override
        public void enqueueFailedTask(TaskSetManager set, long id, Enumeration.Value state, ByteBuffer data) {
            to.handleFailedTask(set, id, state, failure);
        }
    }

    private static DAGScheduler dag() {
        if (dag == null) {
            dag = new TaskSetEnds.Stages(context());
        }
        return dag;
    }
}
