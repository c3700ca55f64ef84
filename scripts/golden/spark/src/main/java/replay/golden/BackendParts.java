package replay.golden;

import static replay.golden.Tools.list;
import static replay.golden.Tools.seq;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.ExecutorAllocationManager;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskEndReason;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.TaskKilled;
import org.apache.spark.TaskState;
import org.apache.spark.scheduler.DAGScheduler;
import org.apache.spark.scheduler.DirectTaskResult;
import org.apache.spark.scheduler.ExecutorLossReason;
import org.apache.spark.scheduler.HealthTracker;
import org.apache.spark.scheduler.JobSucceeded$;
import org.apache.spark.scheduler.LiveListenerBus;
import org.apache.spark.scheduler.SparkListenerBlockUpdated;
import org.apache.spark.scheduler.SparkListenerEvent;
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
import org.apache.spark.scheduler.SparkListenerUnschedulableTaskSetAdded;
import org.apache.spark.scheduler.SparkListenerUnschedulableTaskSetRemoved;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.Task;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskResultGetter;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.TaskSet;
import org.apache.spark.scheduler.TaskSetManager;
import org.apache.spark.scheduler.WorkerOffer;
import org.apache.spark.scheduler.cluster.YarnSchedulerBackend;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockUpdatedInfo;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.ManualClock;
import scala.Enumeration;
import scala.Option;
import scala.collection.IndexedSeq;
import scala.collection.JavaConverters;
import scala.collection.Seq;
import scala.concurrent.ExecutionContext$;
import scala.reflect.ClassTag$;

/** Spark's own classes around a driver's backend, with the ends that lead out of them cut off. */
final class BackendParts {
    private BackendParts() {}

    /** What is heard of outside of the backend, in the present step. */
    static final class Heard {
        List<Object> ended = new ArrayList<>(); // task attempts: stage, index, number and how
        List<String> added = new ArrayList<>(); // executors, as dynamic allocation hears of them
        List<String> removed = new ArrayList<>();
        boolean failed; // a stage has
        boolean beyond; // what follows would be of the DAGScheduler
    }

    static Heard heard = new Heard();

    /** The bus of the context: what is posted reaches dynamic allocation, if there is any, behind the message that has led to it. */
    static final class Bus extends LiveListenerBus {
        private final Deque<SparkListenerEvent> posted = new ArrayDeque<>();
        ExecutorAllocationManager manager;
        BackendDag stages; // hears of what Spark's own DAGScheduler posts; null without one

        Bus(SparkConf c) {
            super(c);
        }

        @Override
        public void post(SparkListenerEvent event) {
            posted.add(event);
            if (stages != null) {
                stages.posted(event);
            }
            if (event instanceof SparkListenerExecutorAdded e) {
                heard.added.add(e.executorId());
            } else if (event instanceof SparkListenerExecutorRemoved e) {
                heard.removed.add(e.executorId());
            }
        }

        /** A task has kept a block in the memory of its executor. */
        void kept(BlockId id, TaskInfo info) {
            post(new SparkListenerBlockUpdated(new BlockUpdatedInfo(BlockManagerId.apply(info.executorId(), info.host(), 1, Option.empty()), id, StorageLevel.MEMORY_ONLY(), 1, 0)));
        }

        void deliver() {
            for (SparkListenerEvent e = posted.poll(); e != null; e = posted.poll()) {
                if (manager != null) {
                    tell(manager.listener(), e);
                    tell(manager.executorMonitor(), e);
                }
            }
        }

        private static void tell(SparkListenerInterface l, SparkListenerEvent event) {
            if (event instanceof SparkListenerExecutorAdded e) {
                l.onExecutorAdded(e);
            } else if (event instanceof SparkListenerExecutorRemoved e) {
                l.onExecutorRemoved(e);
            } else if (event instanceof SparkListenerBlockUpdated e) {
                l.onBlockUpdated(e);
            } else if (event instanceof SparkListenerTaskStart e) {
                l.onTaskStart(e);
            } else if (event instanceof SparkListenerTaskEnd e) {
                l.onTaskEnd(e);
            } else if (event instanceof SparkListenerSpeculativeTaskSubmitted e) {
                l.onSpeculativeTaskSubmitted(e);
            } else if (event instanceof SparkListenerUnschedulableTaskSetAdded e) {
                l.onUnschedulableTaskSetAdded(e);
            } else if (event instanceof SparkListenerUnschedulableTaskSetRemoved e) {
                l.onUnschedulableTaskSetRemoved(e);
            } else if (event instanceof SparkListenerStageSubmitted e) {
                l.onStageSubmitted(e);
            } else if (event instanceof SparkListenerStageCompleted e) {
                l.onStageCompleted(e);
            } else if (event instanceof SparkListenerJobStart e) {
                l.onJobStart(e);
            } else if (event instanceof SparkListenerJobEnd e) {
                l.onJobEnd(e);
            }
        }
    }

    /** The backend that a driver on YARN has, with messages on one thread. */
    static final class Backend extends YarnSchedulerBackend {
        static Backend make(TaskSchedulerImpl scheduler, SparkContext context, BackendRpc rpc) throws Exception {
            Field f = Tools.field(SparkEnv.class, "rpcEnv");
            Object own = f.get(context.env());
            f.set(context.env(), rpc);
            try {
                return new Backend(scheduler, context);
            } finally {
                f.set(context.env(), own);
            }
        }

        private Backend(TaskSchedulerImpl scheduler, SparkContext context) throws Exception {
            super(scheduler, context);
            Tools.field(YarnSchedulerBackend.class, "org$apache$spark$scheduler$cluster$YarnSchedulerBackend$$schedulerEndpointEC")
                    .set(this, ExecutionContext$.MODULE$.fromExecutorService(org.apache.spark.util.ThreadUtils.sameThreadExecutorService()));
        }

        void master(BackendRpc.Master am) {
            amEndpoint_$eq(Option.apply(am));
        }

        int registered() {
            return totalRegisteredExecutors().get();
        }

    }

    /** Offers are in the order of executors; racks are those of the run. */
    static final class Scheduler extends TaskSchedulerImpl {
        private final ManualClock clock;
        private final Map<String, String> racks;
        private Option<HealthTracker> health;
        Backend backend;

        Scheduler(SparkContext c, int maxFailures, ManualClock clock, Map<String, String> racks) {
            super(c, maxFailures, false, clock);
            this.clock = clock;
            this.racks = racks;
        }

        /** Spark's own follows the wall clock. */
        @Override
        public Option<HealthTracker> healthTrackerOpt() {
            if (health == null) {
                boolean on = HealthTracker.isExcludeOnFailureEnabled(sc().conf());
                health = on ? Option.apply(new HealthTracker(sc().listenerBus(), sc().conf(), Option.apply(backend), clock)) : Option.empty();
            }
            return health;
        }

        @Override
        public IndexedSeq<WorkerOffer> shuffleOffers(IndexedSeq<WorkerOffer> offers) {
            List<WorkerOffer> all = new ArrayList<>(JavaConverters.seqAsJavaListConverter(offers).asJava());
            all.sort((a, b) -> Integer.compare(Integer.parseInt(a.executorId()), Integer.parseInt(b.executorId())));
            return JavaConverters.asScalaBufferConverter(all).asScala().toIndexedSeq();
        }

        @Override
        public Seq<Option<String>> getRacksForHosts(Seq<String> of) {
            List<Option<String>> out = new ArrayList<>();
            for (String h : JavaConverters.seqAsJavaListConverter(of).asJava()) {
                out.add(getRackForHost(h));
            }
            return seq(out);
        }

        @Override
        public Option<String> getRackForHost(String host) {
            return Option.apply(racks.get(host));
        }
    }

    /** One report whose result is to be handled. */
    record Result(TaskSetManager set, long id, Enumeration.Value state) {}

    /** Results wait until the script has them handled. */
    static final class Results extends TaskResultGetter {
        final Map<Long, Result> waiting = new LinkedHashMap<>();
        final Map<Long, TaskFailedReason> reasons = new HashMap<>(); // of failures that are not exceptions
        DagCluster stages; // know what their tasks return; null where they return nothing
        private final TaskSchedulerImpl to;

        Results(TaskSchedulerImpl to) {
            super(to.sc().env(), to);
            this.to = to;
        }

        @Override
        public void enqueueSuccessfulTask(TaskSetManager set, long id, ByteBuffer data) {
            waiting.put(id, new Result(set, id, TaskState.FINISHED()));
        }

        @Override
        public void enqueueFailedTask(TaskSetManager set, long id, Enumeration.Value state, ByteBuffer data) {
            waiting.put(id, new Result(set, id, state));
        }

        @Override
        public void enqueuePartitionCompletionNotification(int stage, int partition) {
            to.handlePartitionCompleted(stage, partition);
        }

        void handle(long id) {
            Result r = waiting.remove(id);
            if (r.state == TaskState.FINISHED()) {
                ByteBuffer value = to.sc().env().serializer().newInstance().serialize(stages == null ? (Object) 0 : stages.value(r.set, id), cast(ClassTag$.MODULE$.Any()));
                to.handleSuccessfulTask(r.set, id, new DirectTaskResult<Object>(value, cast(seq(List.of())), new long[0]));
                return;
            }
            Seq<Object> none = seq(List.of());
            TaskFailedReason why = r.state == TaskState.KILLED() ? new TaskKilled("made up", cast(none), cast(none), cast(none))
                    : reasons.containsKey(r.id) ? reasons.get(r.id) : new ExceptionFailure("Failure", "made up", new StackTraceElement[0], "", Option.empty(), cast(none), cast(none), cast(none));
            to.handleFailedTask(r.set, id, r.state, why);
        }
    }

    private static final Map<String, String> ENDS = Map.of("Success", "success", "TaskKilled", "killed", "ExecutorLostFailure", "lost", "ExceptionFailure", "failed", "FetchFailed", "failed");

    /** How an attempt has ended, null when only its output is lost. */
    static String end(TaskEndReason reason) {
        return ENDS.get(reason.getClass().getSimpleName().replace("$", ""));
    }

    /** A stage that was submitted, which of its tasks have not succeeded, and where the others have. */
    record Submitted(StageInfo info, Set<Integer> left, Map<Integer, String> done) {}

    /** The DAGScheduler notes what it is told, and posts what Spark's own would. */
    static final class Stages extends DAGScheduler {
        private final Bus bus;
        final Map<Integer, Submitted> stages = new HashMap<>();
        final Set<String> lost = new HashSet<>(); // executors
        boolean served; // their output is there all the same

        Stages(SparkContext c, Bus bus) {
            super(c, c.taskScheduler());
            this.bus = bus;
        }

        /** A stage is about to be submitted. */
        void submits(StageInfo info) {
            Set<Integer> left = new HashSet<>();
            for (int i = 0; i < info.numTasks(); i++) {
                left.add(i);
            }
            stages.put(info.stageId(), new Submitted(info, left, new HashMap<>()));
            bus.post(new SparkListenerJobStart(info.stageId(), 0, seq(List.of(info)), new Properties()));
            bus.post(new SparkListenerStageSubmitted(info, new Properties()));
        }

        @Override
        public void taskStarted(Task<?> task, TaskInfo info) {
            bus.post(new SparkListenerTaskStart(task.stageId(), task.stageAttemptId(), info));
        }

        @Override
        public void taskGettingResult(TaskInfo info) {}

        @Override
        public void taskEnded(Task<?> task, TaskEndReason reason, Object result, Seq<org.apache.spark.util.AccumulatorV2<?, ?>> accumulators, long[] peaks, TaskInfo info) {
            bus.post(new SparkListenerTaskEnd(task.stageId(), task.stageAttemptId(), "", reason, info, null, null));
            Submitted s = stages.get(task.stageId());
            String end = end(reason);
            if (end == null) { // resubmitted: its output is lost
                s.left.add(info.index());
                return;
            }
            heard.ended.add(list(task.stageId(), info.index(), info.attemptNumber(), end));
            if (!end.equals("success")) {
                return;
            }
            boolean map = s.info.shuffleDepId().isDefined();
            // Output of an executor that was lost meanwhile does not count: Spark runs the task again in another attempt of the stage.
            heard.beyond |= map && lost.contains(info.executorId());
            s.done.put(info.index(), info.executorId());
            if (s.left.remove(info.index()) && s.left.isEmpty()) {
                heard.beyond |= map && !served && s.done.values().stream().anyMatch(lost::contains); // likewise
                bus.post(new SparkListenerStageCompleted(s.info));
                if (s.info.shuffleDepId().isEmpty()) {
                    bus.post(new SparkListenerJobEnd(task.stageId(), 0, JobSucceeded$.MODULE$));
                }
            }
        }

        @Override
        public void executorLost(String id, ExecutorLossReason reason) {
            lost.add(id);
        }

        @Override
        public void executorAdded(String id, String host) {}

        @Override
        public void taskSetFailed(TaskSet set, String reason, Option<Throwable> error) {
            Submitted s = stages.get(set.stageId());
            if (served && s.info.shuffleDepId().isDefined() && s.done.size() == s.info.numTasks()) {
                heard.beyond = true; // all of its output is there, so its job goes on
            } else {
                heard.failed = true;
            }
        }

        @Override
        public void speculativeTaskSubmitted(Task<?> task, int index) {
            bus.post(new SparkListenerSpeculativeTaskSubmitted(task.stageId(), task.stageAttemptId(), index, index));
        }

        @Override
        public void unschedulableTaskSetAdded(int stage, int attempt) {
            bus.post(new SparkListenerUnschedulableTaskSetAdded(stage, attempt));
        }

        @Override
        public void unschedulableTaskSetRemoved(int stage, int attempt) {
            bus.post(new SparkListenerUnschedulableTaskSetRemoved(stage, attempt));
        }
    }

    @SuppressWarnings("unchecked")
    static <A> A cast(Object o) {
        return (A) o;
    }
}
