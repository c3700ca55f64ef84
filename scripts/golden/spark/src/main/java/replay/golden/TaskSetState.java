package replay.golden;

import static replay.golden.Tools.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.TaskSet;
import org.apache.spark.scheduler.TaskSetManager;
import scala.Enumeration;
import scala.Option;
import scala.collection.JavaConverters;


/** What is written of the state of task sets, which Spark keeps to itself. */
final class TaskSetState {
    private TaskSetState() {}

    /** The levels, times and counts of the task sets that the scheduler knows, of these stages up to these attempts. */
    @SuppressWarnings("unchecked")
    static List<Object> of(TaskSchedulerImpl scheduler, List<Integer> stages, Map<Integer, Integer> attempts) throws Exception {
        List<Object> out = new ArrayList<>();
        var rejects = (scala.collection.mutable.HashMap<TaskSet, Object>) Tools.field(TaskSchedulerImpl.class, "noRejectsSinceLastReset").get(scheduler);
        for (int stage : stages) {
            for (int attempt = 0; attempt <= attempts.get(stage); attempt++) {
                Option<TaskSetManager> found = scheduler.taskSetManagerForAttempt(stage, attempt);
                if (found.isEmpty()) {
                    continue;
                }
                TaskSetManager m = found.get();
                List<String> levels = new ArrayList<>();
                for (Enumeration.Value v : m.myLocalityLevels()) {
                    levels.add(v.toString());
                }
                Option<Object> noRejects = rejects.get(m.taskSet());
                out.add(object("stage", stage, "stage_attempt", attempt, "levels", levels, "level_index", value(m, "currentLocalityIndex"),
                        "last_reset", value(m, "lastLocalityWaitResetTime"), "no_rejects_since_reset", noRejects.isEmpty() ? null : noRejects.get(),
                        "running", m.runningTasks(), "succeeded", m.tasksSuccessful(), "zombie", m.isZombie()));
            }
        }
        return out;
    }

    private static Object value(TaskSetManager m, String name) throws Exception {
        for (var f : TaskSetManager.class.getDeclaredFields()) {
            if (f.getName().equals(name) || f.getName().endsWith("$$" + name)) {
                f.setAccessible(true);
                return f.get(m);
            }
        }
        throw new NoSuchFieldException(name);
    }

    static Map<String, Object> lists(scala.collection.mutable.HashMap<String, scala.collection.mutable.ArrayBuffer<Object>> m) {
        Map<String, Object> out = new TreeMap<>();
        JavaConverters.mapAsJavaMapConverter(m).asJava().forEach((k, v) -> out.put(k, buffer(v)));
        return out;
    }

    static List<Object> buffer(scala.collection.mutable.ArrayBuffer<Object> b) {
        return new ArrayList<>(JavaConverters.bufferAsJavaListConverter(b).asJava());
    }
}
