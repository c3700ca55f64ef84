package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.pick;
import static replay.golden.Tools.seq;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.TimerTask;
import java.util.TreeSet;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.util.ManualClock;
import scala.Tuple2;
import scala.collection.JavaConverters;

/** What further settings a run of task sets may have, who kills executors in it, and its timers. */
final class TaskSetFull {
    private static Path file;

    private TaskSetFull() {}

    /** Sets random pools, allocation and speculation in a configuration and returns them as a case has them. */
    static Map<String, Object> draw(SplittableRandom r, SparkConf c, boolean fair) throws Exception {
        Map<String, Object> drawn = new LinkedHashMap<>();
        c.remove("spark.scheduler.allocation.file");
        if (fair && chance(r, 0.8)) {
            String xml = pools(r);
            if (file == null) {
                file = Files.createTempFile("fairscheduler", ".xml");
                file.toFile().deleteOnExit();
            }
            Files.writeString(file, xml);
            c.set("spark.scheduler.allocation.file", file.toUri().toString());
            drawn.put("fairscheduler_xml", xml);
        }
        c.set("spark.dynamicAllocation.testing", "true"); // else a local master has none
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("spark.dynamicAllocation.enabled", chance(r, 0.5));
        keys.put("spark.excludeOnFailure.killExcludedExecutors", chance(r, 0.5));
        keys.put("spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout", pick(r, "5s", "120s"));
        keys.put("spark.speculation.efficiency.enabled", chance(r, 0.5));
        keys.put("spark.speculation.efficiency.longRunTaskFactor", pick(r, 1.0, 2.0, 3.0));
        String kill = "spark.executor.decommission.killInterval";
        c.remove(kill);
        if (chance(r, 0.4)) {
            keys.put(kill, pick(r, "1s", "6s"));
        }
        keys.forEach((k, v) -> c.set(k, v.toString()));
        drawn.putAll(keys);
        return drawn;
    }

    private static String pools(SplittableRandom r) {
        StringBuilder b = new StringBuilder("<allocations>");
        for (String name : Tools.some(r, List.of("a", "b", "default"), between(r, 1, 3))) {
            b.append("<pool name=\"").append(name).append("\"><schedulingMode>").append(pick(r, "FAIR", "FIFO"));
            b.append("</schedulingMode><weight>").append(between(r, 1, 4)).append("</weight><minShare>").append(pick(r, 0, 0, 1, 2, 5));
            b.append("</minShare></pool>");
        }
        return b.append("</allocations>").toString();
    }

    /** A timer that was set: what it runs, and when. */
    record Set(TimerTask task, long at, int stage, int attempt) {}

    /** Timers go off when the script says so. */
    static final class Timers extends Timer {
        final List<Set> set = new ArrayList<>();
        private final ManualClock clock;
        int stage;
        int attempt;

        Timers(ManualClock clock) {
            super(true);
            this.clock = clock;
        }

        @Override
        public void schedule(TimerTask task, long delay) {
            try {
                for (var f : task.getClass().getDeclaredFields()) { // what the task has taken along
                    f.setAccessible(true);
                    if (f.get(task) instanceof org.apache.spark.scheduler.TaskSetManager m) {
                        stage = m.taskSet().stageId();
                        attempt = m.taskSet().stageAttemptId();
                    }
                }
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
            set.add(new Set(task, clock.getTimeMillis() + delay, stage, attempt));
        }
    }

    /** Notes which executors are to be killed. */
    record Killer(TaskSchedulerImpl scheduler) implements ExecutorAllocationClient {
        @Override
        public scala.collection.Seq<String> killExecutors(scala.collection.Seq<String> ids, boolean adjust, boolean countFailures, boolean force) {
            TaskSetRuns.present.executorKills.addAll(new TreeSet<>(JavaConverters.seqAsJavaListConverter(ids).asJava()));
            return ids;
        }

        @Override
        public boolean killExecutorsOnHost(String host) {
            var alive = scheduler.getExecutorsAliveOnHost(host);
            if (alive.isDefined()) {
                TaskSetRuns.present.executorKills.addAll(new TreeSet<>(JavaConverters.setAsJavaSetConverter(alive.get()).asJava()));
            }
            return true;
        }

        @Override
        public boolean isExecutorActive(String id) {
            return true;
        }

        @Override
        public scala.collection.Seq<String> getExecutorIds() {
            return seq(List.of());
        }

        @Override
        public boolean requestTotalExecutors(scala.collection.immutable.Map<Object, Object> totals, scala.collection.immutable.Map<Object, Object> local,
                scala.collection.immutable.Map<Object, scala.collection.immutable.Map<String, Object>> byHost) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean requestExecutors(int more) {
            throw new UnsupportedOperationException();
        }

        @Override
        public scala.collection.Seq<String> decommissionExecutors(Tuple2<String, ExecutorDecommissionInfo>[] which, boolean adjust, boolean byExecutor) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean decommissionExecutorsOnHost(String host) {
            throw new UnsupportedOperationException();
        }
    }
}
