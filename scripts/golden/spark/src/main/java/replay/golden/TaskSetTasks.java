package replay.golden;

import static replay.golden.Tools.seq;

import java.util.List;
import java.util.Properties;
import org.apache.spark.JobArtifactSet;
import org.apache.spark.Partition;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.scheduler.ResultTask;
import org.apache.spark.scheduler.ShuffleMapTask;
import org.apache.spark.scheduler.Task;
import org.apache.spark.scheduler.TaskLocation;
import scala.Option;

/** Tasks that are never run, and the profile of those that take two cores. */
final class TaskSetTasks {
    private TaskSetTasks() {}

    private static ResourceProfile twoCpus;

    /** A profile whose tasks take two cores, known to the context although its master has no profiles. */
    @SuppressWarnings("unchecked")
    static ResourceProfile twoCpus() throws Exception {
        if (twoCpus == null) {
            twoCpus = Tools.profile(4, 2, null, null, null);
            Object manager = TaskSetRuns.context().resourceProfileManager();
            ((scala.collection.mutable.HashMap<Object, Object>) Tools.field(manager.getClass(), "resourceProfileIdToResourceProfile").get(manager))
                    .put(twoCpus.id(), twoCpus);
        }
        return twoCpus;
    }

    static Task<?> task(boolean map, boolean barrier, int stage, int attempt, int index, int n, List<TaskLocation> at, Properties properties) {
        JobArtifactSet artifacts = JobArtifactSet.emptyJobArtifactSet();
        Part partition = new Part(index);
        if (map) {
            return new ShuffleMapTask(stage, attempt, null, partition, n, seq(at), artifacts, properties, new byte[0], Option.empty(), Option.empty(), Option.empty(), barrier);
        }
        return new ResultTask<>(stage, attempt, null, partition, n, seq(at), index, artifacts, properties, new byte[0], Option.empty(), Option.empty(), Option.empty(), barrier);
    }

    /** A partition that is nothing but its number. */
    public record Part(int index) implements Partition {
        public boolean org$apache$spark$Partition$$super$equals(Object other) {
            return this == other;
        }
    }
}
