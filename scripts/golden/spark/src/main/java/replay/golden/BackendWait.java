package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.pick;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend;
import org.apache.spark.scheduler.cluster.SchedulerBackendUtils;
import org.apache.spark.util.ManualClock;

/** How long a driver waits for executors before the application's code begins. */
final class BackendWait {
    private static final String RATIO = "spark.scheduler.minRegisteredResourcesRatio";
    private static final String LONGEST = "spark.scheduler.maxRegisteredResourcesWaitingTime";
    private static final String INSTANCES = "spark.executor.instances";

    private final boolean asked; // whether the code may begin; else there is no wait
    private BackendParts.Backend backend;
    private ManualClock clock;
    private long made; // the backend
    private Field since;

    BackendWait(boolean asked) {
        this.asked = asked;
    }

    /** How many executors register at least before anything else: the first message has the time at which the backend was made. */
    int first() {
        return asked ? 1 : 0;
    }

    /** Sets how many executors a backend that was just made expects, as its start does. */
    void begins(BackendParts.Backend backend, ManualClock clock, SparkConf conf) throws Exception {
        this.backend = backend;
        this.clock = clock;
        made = clock.getTimeMillis();
        since = Tools.field(CoarseGrainedSchedulerBackend.class, "createTimeNs");
        if (asked) {
            backend.totalExpectedExecutors_$eq(SchedulerBackendUtils.getInitialTargetExecutorNumber(conf, SchedulerBackendUtils.getInitialTargetExecutorNumber$default$2()));
        }
    }

    /** Draws the settings of a wait. */
    void draw(SplittableRandom r, Map<String, Object> conf, SparkConf c) {
        if (!asked) {
            return;
        }
        for (String key : List.of(RATIO, LONGEST, INSTANCES)) {
            c.remove(key);
        }
        if (chance(r, 0.8)) {
            conf.put(RATIO, pick(r, "0", "1e-9", "0.1", "0.3334", "0.5", "0.8", "0.9999", "1", "1.5", "-0.5"));
        }
        if (chance(r, 0.8)) {
            conf.put(LONGEST, pick(r, "0", "1ms", "500ms", "5s", "30s", "2min", "-1s", "9223372036854775807ms"));
        }
        if (chance(r, 0.8)) {
            Object most = conf.get("spark.dynamicAllocation.maxExecutors");
            conf.put(INSTANCES, between(r, 1, Math.min(pick(r, 3, 12, 400), most == null ? 400 : (Integer) most)));
        }
        for (String key : List.of(RATIO, LONGEST, INSTANCES)) {
            if (conf.containsKey(key)) {
                c.set(key, conf.get(key).toString());
            }
        }
    }

    /** Writes whether the code may begin. Spark's own clock here is that of the machine. */
    void write(Map<String, Object> state) throws Exception {
        while (asked) {
            long now = System.nanoTime();
            since.setLong(backend, now - (clock.getTimeMillis() - made) * 1_000_000);
            boolean ready = backend.isReady();
            if (System.nanoTime() - now < 1_000_000) {
                state.put("ready", ready);
                return;
            }
        }
    }
}
