package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.pick;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.yarn.ApplicationMaster;
import org.apache.spark.deploy.yarn.ApplicationMasterArguments;
import org.apache.spark.deploy.yarn.YarnAllocator;

/** The loop of ApplicationMaster around an allocator: when it gives up, and how long it would sleep. It sleeps not at all, as its thread is interrupted. */
final class AmLoop {
    /** What a run does between two heartbeats. */
    interface Steps {
        /** Ends the heartbeat before, makes the steps behind it and prepares the next one; false after the last. */
        boolean next() throws Exception;
    }

    private final SplittableRandom r;
    private boolean bursts; // of calls that the ResourceManager refuses
    private ApplicationMaster master;
    private Steps steps;
    private boolean between; // two heartbeats
    boolean asked; // the present heartbeat has reached the ResourceManager
    boolean refused;
    private boolean over;
    private int initial;
    private int longest;

    AmLoop(SplittableRandom r) {
        this.r = r;
    }

    /** Draws the settings of the loop. */
    Map<String, Object> draw(SparkConf conf, YarnConfiguration yarn, boolean dynamic, int executors) {
        Map<String, Object> keys = new LinkedHashMap<>();
        if (chance(r, 0.75)) {
            keys.put("spark.executor.maxNumFailures", pick(r, 0, 1, 2, 3, 4, 6, 10));
        } else {
            conf.remove("spark.executor.maxNumFailures");
            if (dynamic) {
                keys.put("spark.dynamicAllocation.maxExecutors", Math.max(1, executors + between(r, 0, 2)));
            }
        }
        keys.put("spark.yarn.scheduler.heartbeat.interval-ms", pick(r, 1, 50, 1000, 3000, 3000, 10_000));
        keys.put("spark.yarn.scheduler.initial-allocation.interval", pick(r, "1ms", "70ms", "200ms", "200ms", "2s", "20s"));
        if (chance(r, 0.5)) {
            keys.put("spark.yarn.scheduler.reporterThread.maxFailures", pick(r, 0, 1, 2, 3));
        }
        keys.forEach((k, v) -> conf.set(k, v.toString()));
        bursts = chance(r, 0.3);
        int expiry = pick(r, 2, 300, 4001, 120_000, 600_000);
        yarn.setInt(YarnConfiguration.RM_AM_EXPIRY_INTERVAL_MS, expiry);
        keys.put("yarn.am.liveness-monitor.expiry-interval-ms", expiry);
        return keys;
    }

    /** Whether the number of failures is looked at by the loop; called for each heartbeat, before anything else of it. */
    void looked() {
        if (between || steps == null) {
            return;
        }
        between = true;
        try {
            over = !steps.next();
            asked = refused = false;
            field("finished").setBoolean(master, over);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            between = false;
        }
    }

    /** The loop is about to sleep, which it asks the allocator how long. */
    void sleeps() {
        if (!between && steps != null) {
            Thread.currentThread().interrupt();
        }
    }

    /** The call of the ResourceManager, which it may refuse. */
    void call() throws InvalidResourceRequestException {
        asked = true;
        refused = bursts && !over && chance(r, 0.5);
        if (refused) {
            throw new InvalidResourceRequestException("made up");
        }
    }

    void play(SparkConf conf, YarnConfiguration yarn, YarnAllocator allocator, Steps script) throws Exception {
        master = new ApplicationMaster(new ApplicationMasterArguments(new String[0]), conf, yarn);
        field("allocator").set(master, allocator);
        initial = field("initialAllocationInterval").get(master) instanceof Number n ? n.intValue() : 0;
        longest = field("heartbeatInterval").get(master) instanceof Number n ? n.intValue() : 0;
        steps = script;
        invoke("allocationThreadImpl");
        Thread.interrupted();
        steps = null;
    }

    /** The loop is woken, as a target has changed or a question has come. */
    void wake() throws Exception {
        invoke("resetAllocatorInterval");
    }

    /** What came of a heartbeat: why the application ends, or the sleep after it. */
    void result(Map<String, Object> e) throws Exception {
        if (refused) {
            e.put("refused", true);
        }
        int code = field("exitCode").getInt(master);
        if (code != 0) {
            e.put("finish", code);
            e.put("asked", asked);
            return;
        }
        int next = ((Number) field("nextAllocationInterval").get(master)).intValue();
        e.put("pause", next == initial ? longest : next / 2); // that after a short one is twice as long
    }

    private static Field field(String name) throws Exception {
        for (Field f : ApplicationMaster.class.getDeclaredFields()) {
            if (f.getName().equals(name) || f.getName().endsWith("$" + name)) {
                f.setAccessible(true);
                return f;
            }
        }
        throw new NoSuchFieldException(name);
    }

    private void invoke(String name) throws Exception {
        for (Method m : ApplicationMaster.class.getDeclaredMethods()) {
            if ((m.getName().equals(name) || m.getName().endsWith("$" + name)) && m.getParameterCount() == 0) {
                m.setAccessible(true);
                m.invoke(master);
                return;
            }
        }
        throw new NoSuchMethodException(name);
    }
}
