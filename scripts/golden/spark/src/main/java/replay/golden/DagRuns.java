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
import java.util.SplittableRandom;
import org.apache.spark.Dependency;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.TaskKilled;
import org.apache.spark.TaskState;
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
import org.apache.spark.util.ManualClock;
import scala.Enumeration;
import scala.Option;
import scala.collection.JavaConverters;
import scala.collection.Seq;

/** Random runs of DAGScheduler over TaskSchedulerImpl: jobs, lost executors, output that cannot be read, barrier stages. */
final class DagRuns extends DagJobs implements Main.Recorder {
    private final boolean counts; // barrier stages wait until there are enough cores
    private final boolean limits; // executors and hosts are excluded
    private final boolean all; // any of these, for each run anew
    private boolean speculation;
    private int nextExecutor;

    DagRuns(boolean caches, boolean shares, boolean counts) {
        this(caches, shares, counts, false, false);
    }

    private DagRuns(boolean caches, boolean shares, boolean counts, boolean limits, boolean all) {
        super(caches, shares);
        this.counts = counts;
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
        barriers = field(TaskSchedulerImpl.class, "barrierCoordinator").get(scheduler);
        stop();
        return object("id", id, "conf", conf, "stages", described, "hosts", hosts, "events", events);
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
                default -> unread(t.stage(), t.partition(), said);
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

    private void submit() throws Exception {
        Map<String, Object> said = object("op", "submit_job");
        JobSubmitted job = job(said);
        if (counts) {
            said.put("slots", slots());
        }
        event(said, () -> {
            bearing = (Integer) said.get("job");
            loop.onReceive(job);
        });
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
}
