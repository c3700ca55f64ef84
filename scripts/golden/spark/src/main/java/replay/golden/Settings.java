package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.list;
import static replay.golden.Tools.object;
import static replay.golden.Tools.pick;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.protocolrecords.GetNewApplicationResponse;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceInformation;
import org.apache.hadoop.yarn.client.api.YarnClientApplication;
import org.apache.hadoop.yarn.util.Records;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;
import org.apache.spark.ExecutorAllocationManager;
import org.apache.spark.HeartbeatReceiver;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.deploy.yarn.Client;
import org.apache.spark.deploy.yarn.ClientArguments;
import org.apache.spark.deploy.yarn.ResourceRequestHelper$;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.internal.config.ConfigEntry$;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.scheduler.HealthTracker$;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.util.RpcUtils$;
import org.apache.spark.util.Utils$;
import scala.Option;
import scala.collection.JavaConverters;

/** What Spark makes of the text of its settings: the value of each, the sizes of containers, or that it refuses them. */
final class Settings implements Main.Recorder {
    static final String[] TYPES = {"yarn.io/gpu", "yarn.io/fpga"};

    private static final Map<String, List<String>> KEYS = new LinkedHashMap<>();
    private static final Map<String, String[]> TEXTS = new LinkedHashMap<>();

    private static void kind(String name, String[] texts, String... keys) {
        KEYS.put(name, List.of(keys));
        TEXTS.put(name, texts);
    }

    static {
        String[] counts = {"0", "1", "2", "3", "-1", "5", "40", "2147483647", "2147483648", "1.5", " 3 ", "", "x", "0x10", "1e3", "+4", "007", "1,000", "3s", "-0"};
        String[] times = {"0", "1", "-1", "3s", "500ms", "1.5s", "2 s", "10S", "1min", "2m", "100us", "1999ms", "1h", "1d", "9223372036854775807", "9223372036854775807s",
            "106751991168d", "", "x", "+5s", "-5s", " 7s ", "1w", "1e3", "45", "90s", "700", "1500", "-300us", "9223372036854775808", "60000", "15 "};
        String[] sizes = {"1", "512", "1g", "1.5g", "1G", "2gb", "100k", "2t", "-1", "-1m", "1 g", "2048mb", "8388608", "1048575b", "1048576b", "+1g", "", "x", "700m", " 4g ", "0", "3072M", "1023k", "1e3", "1p"};
        String[] fractions = {"0", "1", "-0.5", "1.5", "0.0001", "1e-3", "0.5f", "0.5d", "x", "", " 0.25 ", "1,5", ".5", "1.", "0.75", "2", "0x1p-1", "+0.5", "50%", "1D", "-0.0"};
        String[] switches = {"true", "false", "TRUE", "False", "yes", "1", "0", "", " true ", "t", "on", "tRuE"};
        String dyn = "spark.dynamicAllocation.";
        String ex = "spark.excludeOnFailure.";
        String black = "spark.blacklist.";
        kind("count", counts, "spark.yarn.priority", "spark.executor.instances", "spark.executor.cores", "spark.task.cpus", "spark.driver.cores", "spark.yarn.am.cores",
                "spark.yarn.maxAppAttempts", "spark.yarn.containerLauncherMaxThreads", "spark.executor.maxNumFailures", "spark.yarn.max.executor.failures",
                "spark.yarn.scheduler.reporterThread.maxFailures", dyn + "minExecutors", dyn + "maxExecutors", dyn + "initialExecutors", "spark.task.maxFailures",
                ex + "task.maxTaskAttemptsPerExecutor", ex + "task.maxTaskAttemptsPerNode", ex + "stage.maxFailedTasksPerExecutor", ex + "stage.maxFailedExecutorsPerNode",
                ex + "application.maxFailedTasksPerExecutor", ex + "application.maxFailedExecutorsPerNode", black + "task.maxTaskAttemptsPerNode", black + "application.maxFailedTasksPerExecutor",
                "spark.stage.maxConsecutiveAttempts", "spark.stage.maxAttempts", "spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures");
        kind("time", times, "spark.yarn.scheduler.heartbeat.interval-ms", "spark.yarn.scheduler.initial-allocation.interval", "spark.executor.failuresValidityInterval",
                "spark.yarn.executor.failuresValidityInterval", "spark.scheduler.maxRegisteredResourcesWaitingTime", "spark.network.timeout", "spark.rpc.askTimeout",
                "spark.storage.blockManagerHeartbeatTimeoutMs", "spark.storage.blockManagerSlaveTimeoutMs", "spark.network.timeoutInterval", "spark.executor.heartbeatInterval",
                dyn + "schedulerBacklogTimeout", dyn + "sustainedSchedulerBacklogTimeout", dyn + "executorIdleTimeout", dyn + "cachedExecutorIdleTimeout", dyn + "shuffleTracking.timeout",
                "spark.executor.decommission.killInterval", "spark.scheduler.revive.interval", "spark.locality.wait", "spark.locality.wait.process", "spark.locality.wait.node", "spark.locality.wait.rack",
                "spark.speculation.interval", "spark.speculation.minTaskRuntime", "spark.speculation.task.duration.threshold", "spark.scheduler.executorTaskExcludeOnFailureTime",
                "spark.scheduler.executorTaskBlacklistTime", ex + "timeout", black + "timeout", "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout",
                "spark.scheduler.blacklist.unschedulableTaskSetTimeout", "spark.scheduler.barrier.maxConcurrentTasksCheck.interval");
        kind("size", sizes, "spark.executor.memory", "spark.executor.memoryOverhead", "spark.yarn.executor.memoryOverhead", "spark.memory.offHeap.size", "spark.executor.pyspark.memory",
                "spark.driver.memory", "spark.driver.memoryOverhead", "spark.yarn.driver.memoryOverhead", "spark.yarn.am.memory", "spark.yarn.am.memoryOverhead");
        kind("fraction", fractions, "spark.executor.memoryOverheadFactor", "spark.driver.memoryOverheadFactor", "spark.scheduler.minRegisteredResourcesRatio", dyn + "executorAllocationRatio",
                "spark.speculation.quantile", "spark.speculation.multiplier", "spark.speculation.efficiency.processRateMultiplier", "spark.speculation.efficiency.longRunTaskFactor");
        kind("switch", switches, "spark.yarn.isPython", "spark.memory.offHeap.enabled", "spark.unsafe.offHeap", "spark.yarn.executor.launch.excludeOnFailure.enabled", dyn + "enabled",
                dyn + "shuffleTracking.enabled", "spark.shuffle.service.enabled", "spark.shuffle.service.fetch.rdd.enabled", "spark.decommission.enabled", "spark.storage.decommission.enabled",
                "spark.storage.decommission.shuffleBlocks.enabled", "spark.locality.wait.legacyResetOnTaskLaunch", "spark.speculation", "spark.speculation.efficiency.enabled", ex + "enabled",
                black + "enabled", ex + "killExcludedExecutors", black + "killBlacklistedExecutors", ex + "application.fetchFailure.enabled", "spark.stage.ignoreDecommissionFetchFailure",
                "spark.files.fetchFailure.unRegisterOutputOnHost", "spark.shuffle.reduceLocality.enabled");
        kind("mode", new String[] {"FAIR", "FIFO", "fair", "fifo", "Fair", " FAIR ", "NONE", "", "x"}, "spark.scheduler.mode");
        kind("deploy", new String[] {"cluster", "client", "Cluster", "CLIENT", " cluster ", "", "x"}, "spark.submit.deployMode");
        kind("names", new String[] {"h1", "h1,h2", " h1 , h2 ", "", ",", "h1,,h2", "h1;h2"}, "spark.yarn.exclude.nodes");
        kind("amount", new String[] {"0", "1", "2", "4", "-1", "1.5", "", "x", " 2 ", "2g", "1k", "1Ki"}, "spark.executor.resource.gpu.amount", "spark.executor.resource.fpga.amount",
                "spark.driver.resource.gpu.amount");
        kind("device", new String[] {"yarn.io/gpu", "yarn.io/fpga"}, "spark.yarn.resourceGpuDeviceName", "spark.yarn.resourceFpgaDeviceName");
    }

    // What makes the settings of others count.
    private static final String[][] FIRST = {
        {"spark.dynamicAllocation.enabled", "true"}, {"spark.excludeOnFailure.enabled", "true"}, {"spark.submit.deployMode", "cluster"}, {"spark.memory.offHeap.enabled", "true"},
        {"spark.yarn.isPython", "true"}, {"spark.speculation", "true"}, {"spark.network.timeout", "600s"}};

    // What Spark runs with and a replay refuses, because it can only be a mistake: less than this, in the unit of the key.
    private static final Map<String, Integer> LEAST = new TreeMap<>();

    static {
        for (String key : new String[] {"spark.task.maxFailures", "spark.stage.maxAttempts", "spark.stage.maxConsecutiveAttempts", "spark.yarn.maxAppAttempts",
            "spark.yarn.scheduler.heartbeat.interval-ms", "spark.yarn.scheduler.initial-allocation.interval"}) {
            LEAST.put(key, 1);
        }
        for (String key : new String[] {"spark.driver.cores", "spark.yarn.am.cores", "spark.driver.memory", "spark.yarn.am.memory", "spark.driver.memoryOverhead", "spark.yarn.am.memoryOverhead",
            "spark.executor.instances", "spark.executor.maxNumFailures", "spark.executor.decommission.killInterval", "spark.speculation.quantile", "spark.speculation.multiplier", "spark.speculation.minTaskRuntime",
            "spark.speculation.task.duration.threshold", "spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout"}) {
            LEAST.put(key, 0);
        }
    }

    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);

    private final boolean references; // values refer to others

    Settings(boolean references) {
        this.references = references;
        Configuration yarn = new Configuration(false);
        yarn.set("yarn.resource-types", String.join(",", TYPES));
        ResourceUtils.resetResourceTypes(yarn);
        TaskSetRuns.context();
        org.apache.spark.deploy.yarn.config.package$.MODULE$.AM_CORES(); // makes its entries known
    }

    @Override
    public Map<String, Object> record(String id, SplittableRandom r) throws Exception {
        Map<String, String> set = new TreeMap<>();
        for (int i = between(r, 0, 2); i > 0; i--) {
            String[] first = pick(r, FIRST);
            set.put(first[0], first[1]);
        }
        for (int i = between(r, 1, 3); i > 0; i--) {
            String kind = pick(r, new ArrayList<>(KEYS.keySet()));
            if (chance(r, 0.5)) {
                kind = pick(r, "count", "time", "time", "size", "fraction", "switch");
            }
            String key = pick(r, KEYS.get(kind));
            set.put(key, pick(r, TEXTS.get(kind)));
            for (int more = references ? between(r, 1, 3) : 0; more > 0 && !kind.equals("device"); more--) {
                String to = pick(r, KEYS.get(kind));
                set.putIfAbsent(to, pick(r, TEXTS.get(kind)));
                if (chance(r, 0.4)) {
                    set.remove(to);
                }
                set.put(key, chance(r, 0.7) ? "${" + to + "}" : pick(r, "", " ", "1", kind.equals("size") ? "" : "-", "$", "${spark.no.such}", "${" + key + "}") + "${" + to + "}" + pick(r, "", " ", "0", "s", "m", "}", "f", "${" + to + "}"));
                key = to;
            }
        }
        String gpu = set.get("spark.yarn.resourceGpuDeviceName");
        if (gpu != null) { // two resources of Spark's in one of YARN's would hide one another
            set.put("spark.yarn.resourceFpgaDeviceName", gpu.equals(TYPES[0]) ? TYPES[1] : TYPES[0]);
        } else {
            set.remove("spark.yarn.resourceFpgaDeviceName");
        }
        Map<String, Object> out = object("id", id, "kind", "settings", "conf", set);
        Map<String, Object> values = new TreeMap<>();
        Map<String, Object> said = object("initial", -1, "excludes", false);
        try {
            check(set, values, said);
        } catch (Exception | AssertionError x) {
            Throwable root = x instanceof InvocationTargetException ? x.getCause() : x;
            out.put("refused", root.getClass().getSimpleName() + ": " + root.getMessage());
            return out;
        }
        for (Map.Entry<String, Integer> least : LEAST.entrySet()) {
            if (values.get(least.getKey()) instanceof Number n && n.doubleValue() < least.getValue()) {
                out.put("mistake", least.getKey());
                return out;
            }
        }
        for (Map.Entry<String, String> kv : set.entrySet()) {
            if (kv.getKey().contains(".resource.") && kv.getValue().startsWith("-") || ((Number) said.get("ask")).longValue() < 0) {
                out.put("mistake", kv.getKey());
                return out;
            }
        }
        out.put("values", values);
        out.put("said", said);
        return out;
    }

    private static SparkConf conf(Map<String, String> set) {
        SparkConf c = Tools.sparkConf();
        set.forEach(c::set);
        return c;
    }

    private static Object value(SparkConf c, ConfigEntry<?> e) {
        Object v = c.get(e);
        if (v instanceof Option<?> o) {
            v = o.isEmpty() ? null : o.get();
        }
        if (v instanceof scala.collection.Seq<?> s) {
            return new ArrayList<Object>(JavaConverters.seqAsJavaListConverter(s).asJava());
        }
        return v;
    }

    @SuppressWarnings("unchecked")
    private void check(Map<String, String> set, Map<String, Object> values, Map<String, Object> out) throws Exception {
        SparkConf c = conf(set);
        SparkConf plain = conf(Map.of());
        for (List<String> keys : KEYS.values()) {
            for (String key : keys) {
                ConfigEntry<?> e = ConfigEntry$.MODULE$.findEntry(key);
                if (e == null) {
                    continue; // an older name, or a resource
                }
                Object v = value(c, e);
                if (!java.util.Objects.equals(v, value(plain, e))) {
                    values.put(key, v);
                }
            }
        }
        c.validateSettings();
        if (HealthTracker$.MODULE$.isExcludeOnFailureEnabled(c)) {
            HealthTracker$.MODULE$.validateExcludeOnFailureConfs(c);
            out.put("excludes", true);
        }
        out.put("excluded_for", HealthTracker$.MODULE$.getExcludeOnFailureTimeout(c));
        out.put("ratio", Math.min(1, (Double) c.get((ConfigEntry<Option<Object>>) ConfigEntry$.MODULE$.findEntry("spark.scheduler.minRegisteredResourcesRatio")).getOrElse(() -> 0.8)));
        out.put("validity", c.get((ConfigEntry<Option<Object>>) ConfigEntry$.MODULE$.findEntry("spark.executor.failuresValidityInterval")).getOrElse(() -> -1));
        int attempts = c.getInt("spark.stage.maxConsecutiveAttempts", 4);
        if (attempts != 4) {
            values.put("spark.stage.maxConsecutiveAttempts", attempts);
        }
        ResourceRequestHelper$.MODULE$.validateResources(c);
        timers(c);
        ResourceProfile profile = Tools.defaultProfile(c);
        profile.limitingResource(c);
        SparkContext context = TaskSetRuns.context();
        SparkConf its = context.conf();
        Map<String, String> before = new TreeMap<>();
        for (scala.Tuple2<String, String> kv : its.getAll()) {
            before.put(kv._1(), kv._2());
        }
        its.remove("spark.speculation.interval"); // which the context has, and to which a value may refer
        set.forEach(its::set);
        try {
            HeartbeatReceiver heart = new HeartbeatReceiver(context, new org.apache.spark.util.ManualClock());
            context.listenerBus().removeListener(heart);
            out.put("silence", Tools.field(HeartbeatReceiver.class, "executorTimeoutMs").getLong(heart));
            out.put("ask", RpcUtils$.MODULE$.askRpcTimeout(c).duration().toMillis());
            new TaskSchedulerImpl(context).initialize(new IdleBackend() {});
            if (Utils$.MODULE$.isDynamicAllocationEnabled(c)) {
                out.put("initial", Utils$.MODULE$.getDynamicAllocationInitialExecutors(c));
                new ExecutorAllocationManager(null, context.listenerBus(), c, Option.empty(), new org.apache.spark.util.ManualClock(), context.resourceProfileManager(), false);
            }
        } finally {
            set.keySet().forEach(its::remove);
            before.forEach(its::set);
        }
        master(c, out);
        executor(c, profile, out);
    }

    /** What Spark gives to the timers and pools of the Java library, which refuse some values. */
    private void timers(SparkConf c) {
        for (String key : new String[] {"spark.network.timeoutInterval", "spark.scheduler.revive.interval", "spark.speculation.interval", "spark.executor.heartbeatInterval"}) {
            Object ms = value(c, ConfigEntry$.MODULE$.findEntry(key));
            if (ms != null) {
                timer.scheduleAtFixedRate(() -> {}, Long.MAX_VALUE / 4_000_000, (Long) ms, TimeUnit.MILLISECONDS).cancel(false);
            }
        }
        Executors.newFixedThreadPool((Integer) value(c, ConfigEntry$.MODULE$.findEntry("spark.yarn.containerLauncherMaxThreads"))).shutdown();
    }

    private static List<Object> size(Resource r) {
        List<Object> out = list(r.getMemorySize(), r.getVirtualCores());
        for (String t : TYPES) {
            out.add(r.getResourceValue(t));
        }
        return out;
    }

    /** What the client submits: the size of the application master's container, attempts, priority. */
    private static void master(SparkConf c, Map<String, Object> out) {
        Client client = new Client(new ClientArguments(new String[0]), c, null);
        GetNewApplicationResponse answer = Records.newRecord(GetNewApplicationResponse.class);
        answer.setApplicationId(ApplicationId.newInstance(0, 1));
        ApplicationSubmissionContext context = Records.newRecord(ApplicationSubmissionContext.class);
        context.setApplicationId(answer.getApplicationId());
        client.createApplicationSubmissionContext(new YarnClientApplication(answer, context), null);
        out.put("am", size(context.getResource()));
        out.put("attempts", context.getMaxAppAttempts());
        out.put("priority", context.getPriority() == null ? 0 : context.getPriority().getPriority());
    }

    /** What a container for an executor of the application's own profile is asked with. */
    private static void executor(SparkConf c, ResourceProfile profile, Map<String, Object> out) throws Exception {
        out.put("executor", size(new YarnAllocatorRuns(false, false).sizeOf(c)));
        out.put("slots", profile.maxTasksPerExecutor(c));
    }
}
