package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.object;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.spark.SparkContext;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.TaskResourceProfile;
import org.apache.spark.resource.TaskResourceRequests;
import org.apache.spark.util.Utils;

/** The resource profiles of a run: one that stands for the default one, others with cores of their own, and those that say nothing of executors. */
final class TaskSetProfiles {
    private final List<ResourceProfile> all = new ArrayList<>();
    private final List<Integer> cpus = new ArrayList<>();
    private final List<Object> written = new ArrayList<>();
    private int ofExecutors; // how many say something of executors; they are the first ones

    /** Draws them and makes them known to a context, whose master has none. */
    @SuppressWarnings("unchecked")
    TaskSetProfiles(SplittableRandom r, SparkContext context, int taskCpus) throws Exception {
        Object manager = context.resourceProfileManager();
        boolean dynamic = Utils.isDynamicAllocationEnabled(context.conf());
        Tools.field(manager.getClass(), "dynamicEnabled").setBoolean(manager, dynamic);
        int cores = taskCpus + between(r, 0, 6); // of executors whose profile says nothing
        context.conf().set("spark.executor.cores", "" + cores);
        add(Tools.profile(cores, taskCpus, null, null, null), taskCpus, cores, false);
        for (int n = between(r, 0, 2); n > 0; n--) {
            int c = between(r, 1, 4);
            int own = c + between(r, 0, 6);
            add(Tools.profile(own, c, null, null, null), c, own, false);
        }
        ofExecutors = all.size();
        for (int n = chance(r, 0.6) ? between(r, 1, 2) : 0; n > 0; n--) {
            int c = between(r, 1, cores);
            add(new TaskResourceProfile(new TaskResourceRequests().cpus(c).requests()), c, cores, true);
        }
        var known = (scala.collection.mutable.HashMap<Object, Object>) Tools.field(manager.getClass(), "resourceProfileIdToResourceProfile").get(manager);
        all.forEach(p -> {
            known.put(p.id(), p);
            p.limitingResource(context.conf()); // as where a context is told of a profile
        });
    }

    private void add(ResourceProfile p, int c, int cores, boolean tasksOnly) {
        written.add(object("profile", all.size(), "task_cpus", c, "tasks_per_executor", cores / c, "tasks_only", tasksOnly));
        all.add(p);
        cpus.add(c);
    }

    List<Object> written() {
        return written;
    }

    /** One of them, as Spark numbers it. */
    int any(SplittableRandom r, boolean ofExecutor) {
        int n = ofExecutor ? ofExecutors : all.size();
        return all.get(chance(r, 0.5) ? 0 : r.nextInt(n)).id();
    }

    /** The number that a profile has in the case. */
    int number(int id) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).id() == id) {
                return i;
            }
        }
        throw new IllegalArgumentException("profile " + id);
    }

    int cpus(int number) {
        return cpus.get(number);
    }
}
