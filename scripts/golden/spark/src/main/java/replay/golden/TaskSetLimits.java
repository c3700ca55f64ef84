package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.pick;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.spark.SparkConf;

/** Random limits of exclusion and of copies of tasks that run long. */
final class TaskSetLimits {
    private TaskSetLimits() {}

    /** Sets them in a configuration and returns them as a case has them. */
    static Map<String, Object> draw(SplittableRandom r, SparkConf c, int failures) {
        String x = "spark.excludeOnFailure.";
        boolean exclude = failures > 2 && chance(r, 0.7);
        c.set(x + "enabled", "" + exclude);
        c.set("spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout", "1000000s"); // its timer has a thread and a clock of its own
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put(x + "task.maxTaskAttemptsPerExecutor", pick(r, 1, 1, 2));
        keys.put(x + "task.maxTaskAttemptsPerNode", pick(r, 1, 2, 2));
        keys.put(x + "stage.maxFailedTasksPerExecutor", between(r, 1, 3));
        keys.put(x + "stage.maxFailedExecutorsPerNode", between(r, 1, 2));
        keys.put(x + "application.maxFailedTasksPerExecutor", between(r, 1, 3));
        keys.put(x + "application.maxFailedExecutorsPerNode", between(r, 1, 2));
        keys.put(x + "application.fetchFailure.enabled", chance(r, 0.5));
        keys.put(x + "timeout", pick(r, "1s", "10s", "1h"));
        String threshold = "spark.speculation.task.duration.threshold";
        c.remove(threshold);
        if (chance(r, 0.5)) {
            keys.put(threshold, pick(r, "1s", "8s"));
        }
        keys.forEach((k, v) -> c.set(k, v.toString()));
        keys.put("exclude_on_failure", exclude);
        return keys;
    }
}
