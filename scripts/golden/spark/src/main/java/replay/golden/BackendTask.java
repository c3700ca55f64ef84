package replay.golden;

import org.apache.spark.scheduler.TaskInfo;

/** A task attempt in an executor. */
final class BackendTask {
    final long id;
    final BackendExecutor in;
    final int cpus;
    TaskInfo info;
    int stage;
    boolean told; // that it runs
    boolean killed;

    BackendTask(long id, BackendExecutor in, int cpus) {
        this.id = id;
        this.in = in;
        this.cpus = cpus;
    }
}
