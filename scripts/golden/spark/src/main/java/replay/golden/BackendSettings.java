package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.object;
import static replay.golden.Tools.pick;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.TaskResourceProfile;
import org.apache.spark.resource.TaskResourceRequests;
import org.apache.spark.storage.BlockManager;

/** The random settings of a run of a driver's backend, and its resource profiles. */
final class BackendSettings {
    final Map<String, Object> conf = new LinkedHashMap<>(); // called as Spark calls them
    final List<ResourceProfile> profiles = new ArrayList<>();
    final List<Object> written = new ArrayList<>(); // the profiles, as a case has them
    final List<Integer> cores = new ArrayList<>(); // of executors, by profile
    final boolean dynamic;
    final boolean speculation;
    final boolean service; // serves the shuffle output of executors that are gone
    final int failures; // that a task may have
    final boolean failing; // tasks fail often
    final Map<String, String> racks = new LinkedHashMap<>(); // by host
    final List<String> hosts = new ArrayList<>();
    final List<String> bad = new ArrayList<>(); // hosts on which tasks fail

    /** Draws them and makes them known to a context. */
    BackendSettings(SplittableRandom r, SparkContext context, boolean cached, boolean many) throws Exception {
        SparkConf c = context.conf();
        String wait = pick(r, 0, 500, 3000, 3000) + "ms";
        for (String level : List.of("process", "node", "rack")) {
            conf.put("spark.locality.wait." + level, wait);
        }
        conf.put("spark.locality.wait.legacyResetOnTaskLaunch", chance(r, 0.2));
        failures = pick(r, 1, 2, 4, 4, 9);
        conf.put("spark.task.maxFailures", failures);
        conf.put("spark.scheduler.mode", chance(r, 0.2) ? "FAIR" : "FIFO");
        dynamic = chance(r, 0.5);
        conf.put("spark.dynamicAllocation.enabled", dynamic);
        service = chance(r, 0.6);
        conf.put("spark.shuffle.service.enabled", service);
        Tools.field(BlockManager.class, "externalShuffleServiceEnabled").setBoolean(context.env().blockManager(), service);
        for (String key : List.of("minExecutors", "initialExecutors", "maxExecutors", "executorAllocationRatio", "schedulerBacklogTimeout", "sustainedSchedulerBacklogTimeout", "executorIdleTimeout", "cachedExecutorIdleTimeout",
                "shuffleTracking.enabled", "shuffleTracking.timeout")) {
            c.remove("spark.dynamicAllocation." + key);
        }
        conf.put("spark.decommission.enabled", dynamic && service && chance(r, 0.3));
        if (dynamic) {
            String dyn = "spark.dynamicAllocation.";
            int least = between(r, 0, 2);
            int first = between(r, least, 5);
            conf.put(dyn + "minExecutors", least);
            conf.put(dyn + "initialExecutors", first);
            conf.put(dyn + "maxExecutors", chance(r, 0.5) ? 10_000 : between(r, Math.max(first, 1), 12));
            conf.put(dyn + "executorAllocationRatio", pick(r, 1.0, 1.0, 0.5, 0.33));
            conf.put(dyn + "schedulerBacklogTimeout", between(r, 1, 2) + "s");
            conf.put(dyn + "sustainedSchedulerBacklogTimeout", between(r, 1, 3) + "s");
            conf.put(dyn + "executorIdleTimeout", pick(r, 1, 3, 10, 60) + "s");
            conf.put(dyn + "shuffleTracking.enabled", !service);
            if (cached && chance(r, 0.7)) {
                conf.put(dyn + "cachedExecutorIdleTimeout", pick(r, 2, 20, 300) + "s");
            }
            if (chance(r, 0.5)) {
                conf.put(dyn + "shuffleTracking.timeout", pick(r, 2, 15, 180) + "s");
            }
        }
        speculation = chance(r, 0.3);
        conf.put("spark.speculation", speculation);
        conf.put("spark.speculation.quantile", pick(r, 0.1, 0.5, 0.75));
        conf.put("spark.speculation.multiplier", pick(r, 1.1, 1.5, 2.0));
        conf.put("spark.speculation.minTaskRuntime", pick(r, "0ms", "100ms", "1s"));
        failing = chance(r, 0.4);
        Map<String, Object> limits = TaskSetLimits.draw(r, c, failing ? failures : 1);
        limits.put("spark.excludeOnFailure.enabled", limits.remove("exclude_on_failure"));
        limits.put("spark.excludeOnFailure.killExcludedExecutors", chance(r, 0.5));
        String timeout = "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout";
        limits.put(timeout, c.get(timeout));
        conf.putAll(limits);
        conf.forEach((k, v) -> c.set(k, v.toString()));
        c.set("spark.dynamicAllocation.testing", "true"); // else a local master has none
        c.set("spark.testing.dynamicAllocation.schedule.enabled", "false"); // ticks come when the script says so
        drawProfiles(r, context, many);
        drawHosts(r);
    }

    private void drawHosts(SplittableRandom random) {
        int n = between(random, 1, 7);
        int kinds = between(random, 1, 3);
        for (int i = 1; i <= n; i++) {
            hosts.add("h" + i);
            racks.put("h" + i, "/r" + random.nextInt(kinds));
        }
        if (failing) {
            bad.addAll(Tools.some(random, hosts, between(random, 1, 2)));
        }
    }

    /** The profile of the application and perhaps another one, or many: of executors of their own where these are allocated for it, else of tasks only. */
    private void drawProfiles(SplittableRandom random, SparkContext context, boolean many) throws Exception {
        Object manager = context.resourceProfileManager();
        Tools.field(manager.getClass(), "dynamicEnabled").setBoolean(manager, dynamic);
        int cpus = pick(random, 1, 1, 1, 2);
        int of = cpus + between(random, 0, 3);
        conf.put("spark.executor.cores", of);
        conf.put("spark.task.cpus", cpus);
        context.conf().set("spark.executor.cores", "" + of).set("spark.task.cpus", "" + cpus);
        ResourceProfile defaults = Tools.defaultProfile(context.conf());
        Tools.field(manager.getClass(), "defaultProfile").set(manager, defaults);
        add(manager, context, defaults, of, cpus);
        for (int more = many ? between(random, 1, 4) : chance(random, 0.3) ? 1 : 0; more > 0; more--) {
            int own = dynamic ? between(random, 1, 4) : of;
            int c = between(random, 1, own);
            add(manager, context, dynamic ? Tools.profile(own, c, null, null, null) : new TaskResourceProfile(new TaskResourceRequests().cpus(c).requests()), own, c);
        }
    }

    @SuppressWarnings("unchecked")
    private void add(Object manager, SparkContext context, ResourceProfile p, int of, int cpus) throws Exception {
        ((scala.collection.mutable.HashMap<Object, Object>) Tools.field(manager.getClass(), "resourceProfileIdToResourceProfile").get(manager)).put(p.id(), p);
        p.limitingResource(context.conf()); // as where a context is told of a profile
        profiles.add(p);
        cores.add(of);
        written.add(object("cores", of, "task_cpus", cpus));
    }
}
