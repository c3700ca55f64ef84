package replay.golden;

import static replay.golden.Tools.object;

import org.apache.spark.SparkContext;
import org.apache.spark.TaskEndReason;
import org.apache.spark.scheduler.DAGScheduler;
import org.apache.spark.scheduler.ExecutorLossReason;
import org.apache.spark.scheduler.Task;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskSet;
import scala.Option;
import scala.collection.Seq;

/** Where TaskSchedulerImpl calls out: it is noted in the present run, and nothing else happens. */
final class TaskSetEnds {
    private TaskSetEnds() {}

    static final class Backend extends IdleBackend {
        @Override
        public void killTask(long id, String executor, boolean interrupt, String reason) {
            TaskSetRuns.present.kills.add(id);
        }
    }

    static final class Stages extends DAGScheduler {
        Stages(SparkContext c) {
            super(c, c.taskScheduler());
        }

        private static void up(Object... pairs) {
            TaskSetRuns.present.upcalls.add(object(pairs));
        }

        @Override
        public void taskStarted(Task<?> task, TaskInfo info) {}

        @Override
        public void taskGettingResult(TaskInfo info) {}

        @Override
        public void taskEnded(Task<?> task, TaskEndReason reason, Object result, Seq<org.apache.spark.util.AccumulatorV2<?, ?>> accumulators, long[] peaks, TaskInfo info) {
            String name = reason.getClass().getSimpleName().replace("$", "");
            up("dag", "task_ended", "tid", info.taskId(), "index", info.index(), "reason", name);
        }

        @Override
        public void executorLost(String id, ExecutorLossReason reason) {
            up("dag", "executor_lost", "exec", id);
        }

        @Override
        public void executorAdded(String id, String host) {
            up("dag", "executor_added", "exec", id);
        }

        @Override
        public void taskSetFailed(TaskSet set, String reason, Option<Throwable> error) {
            up("dag", "task_set_failed", "stage", set.stageId(), "stage_attempt", set.stageAttemptId());
        }

        @Override
        public void speculativeTaskSubmitted(Task<?> task, int index) {
            up("dag", "speculative_task_submitted", "stage", task.stageId(), "index", index);
        }

        @Override
        public void unschedulableTaskSetAdded(int stage, int attempt) {
            schedulable(stage, attempt, "added");
        }

        @Override
        public void unschedulableTaskSetRemoved(int stage, int attempt) {
            schedulable(stage, attempt, "removed");
        }

        private static void schedulable(int stage, int attempt, String what) {
            if (TaskSetRuns.present.wide) { // vectors of the other kind are without
                up("dag", "unschedulable_task_set_" + what, "stage", stage, "stage_attempt", attempt);
            }
        }
    }
}
