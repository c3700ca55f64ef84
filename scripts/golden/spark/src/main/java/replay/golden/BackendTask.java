package replay.golden;

import org.apache.spark.scheduler.TaskInfo;

/** A task attempt in an executor. */
final class BackendTask {
    final long id;
    final BackendRuns.Executor in;
    final int cpus;
    TaskInfo info;
    int stage;
    boolean told; // that it runs
    boolean killed;

    BackendTask(long id, BackendRuns.Executor in, int cpus) {
        this.id = id;
        this.in = in;
        this.cpus = cpus;
    }
}
