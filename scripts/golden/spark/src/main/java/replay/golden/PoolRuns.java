package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.list;
import static replay.golden.Tools.object;
import static replay.golden.Tools.pick;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.FIFOSchedulableBuilder;
import org.apache.spark.scheduler.FairSchedulableBuilder;
import org.apache.spark.scheduler.Pool;
import org.apache.spark.scheduler.Schedulable;
import org.apache.spark.scheduler.SchedulableBuilder;
import org.apache.spark.scheduler.SchedulingMode;
import org.apache.spark.scheduler.Task;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.TaskSet;
import org.apache.spark.scheduler.TaskSetManager;
import org.apache.spark.util.ManualClock;
import scala.Enumeration;
import scala.Option;
import scala.collection.JavaConverters;

/** Random pools, allocation files and task sets, and the order in which the sets get their turn. */
final class PoolRuns implements Main.Recorder {
    private static final String[] NAMES = {"default", "prod", "Adhoc", "a", "b", "p2", "p10", "gold"};

    @Override
    public Map<String, Object> record(String id, SplittableRandom r) throws Exception {
        boolean fair = chance(r, 0.75);
        String xml = fair && chance(r, 0.75) ? file(r) : null;
        SparkConf conf = TaskSetRuns.context().conf();
        conf.set("spark.scheduler.mode", fair ? "FAIR" : "FIFO").remove("spark.scheduler.allocation.file");
        if (xml != null) {
            Path path = Files.createTempFile("fairscheduler", ".xml");
            path.toFile().deleteOnExit();
            Files.writeString(path, xml);
            conf.set("spark.scheduler.allocation.file", path.toUri().toString());
        }
        Enumeration.Value mode = fair ? SchedulingMode.FAIR() : SchedulingMode.FIFO();
        Pool root = new Pool("", mode, 0, 0);
        SchedulableBuilder builder = fair ? new FairSchedulableBuilder(root, TaskSetRuns.context()) : new FIFOSchedulableBuilder(root);
        builder.buildPools();
        List<Object> built = new ArrayList<>();
        for (Schedulable s : root.schedulableQueue()) {
            built.add(object("name", s.name(), "mode", s.schedulingMode().toString(), "min_share", s.minShare(), "weight", s.weight()));
        }
        List<Object> sets = new ArrayList<>();
        int n = between(r, 1, 9);
        int first = chance(r, 0.3) ? 7 : 0; // stages of one and two digits
        for (int stage = first; stage < first + n; stage++) {
            sets.add(add(r, builder, stage));
        }
        List<Object> running = new ArrayList<>();
        for (Schedulable s : root.schedulableQueue()) {
            running.add(list(s.name(), s.runningTasks()));
        }
        List<Object> order = new ArrayList<>();
        for (TaskSetManager m : JavaConverters.seqAsJavaListConverter(root.getSortedTaskSetQueue()).asJava()) {
            if (!m.isZombie()) {
                order.add(m.name());
            }
        }
        return object("id", id, "mode", mode.toString(), "fairscheduler_xml", xml, "pools_built", built, "task_sets", sets,
                "root_running", running, "order", order);
    }

    private static Map<String, Object> add(SplittableRandom r, SchedulableBuilder builder, int stage) {
        int attempt = chance(r, 0.2) ? 1 : 0;
        int priority = chance(r, 0.5) ? stage : r.nextInt(10);
        String pool = chance(r, 0.25) ? null : pick(r, NAMES);
        Properties properties = new Properties();
        if (pool != null) {
            properties.setProperty("spark.scheduler.pool", pool);
        }
        Task<?>[] tasks = {TaskSetTasks.task(false, false, stage, attempt, 0, 1, List.of(), properties)};
        TaskSet set = new TaskSet(tasks, stage, attempt, priority, properties, 0, Option.empty());
        TaskSchedulerImpl scheduler = (TaskSchedulerImpl) TaskSetRuns.context().taskScheduler();
        TaskSetManager m = new TaskSetManager(scheduler, set, 4, Option.empty(), new ManualClock(0));
        builder.addTaskSetManager(m, properties);
        int running = chance(r, 0.4) ? 0 : r.nextInt(20);
        for (int i = 0; i < running; i++) {
            m.addRunningTask(i);
        }
        boolean zombie = chance(r, 0.1);
        if (zombie) {
            m.isZombie_$eq(true);
        }
        return object("name", m.name(), "stage", stage, "stage_attempt", attempt, "priority", priority, "pool", pool, "running", running, "zombie", zombie);
    }

    private static String file(SplittableRandom r) {
        StringBuilder b = new StringBuilder("<?xml version=\"1.0\"?>\n<allocations>\n");
        for (int i = between(r, 0, 5); i > 0; i--) {
            boolean nested = chance(r, 0.05);
            b.append(nested ? "<group>" : "").append("  <pool name=\"").append(pick(r, NAMES)).append("\">");
            element(r, b, "schedulingMode", "FAIR", "FIFO", "fair", " Fair ", "NONE", "wrong", "");
            element(r, b, "weight", "1", "2", "3", "0", "-1", "1.5", "", " 4 ", "99999999999");
            element(r, b, "minShare", "0", "1", "4", "10", "-3", "-", "+2");
            b.append("</pool>").append(nested ? "</group>" : "").append("\n");
        }
        return b.append("</allocations>\n").toString();
    }

    private static void element(SplittableRandom r, StringBuilder b, String name, String... values) {
        if (chance(r, 0.8)) {
            b.append('<').append(name).append('>').append(pick(r, values)).append("</").append(name).append('>');
        }
    }
}
