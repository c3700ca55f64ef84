package golden;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.NMLivelinessMonitor;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceTrackerService;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppImpl;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.AMLivelinessMonitor;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.ContainerAllocationExpirer;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairSchedulerConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.security.AMRMTokenSecretManager;
import org.apache.hadoop.yarn.server.resourcemanager.security.NMTokenSecretManagerInRM;
import org.apache.hadoop.yarn.server.resourcemanager.security.RMContainerTokenSecretManager;
import org.apache.hadoop.yarn.util.AbstractLivelinessMonitor;

/** What the ResourceManager and the FairScheduler make of the text of settings in yarn-site.xml: the value of each, or that they refuse it. */
final class SiteCase {
  private static final String FAIR = "yarn.scheduler.fair.";
  private static final String[] INTS = {FAIR + "continuous-scheduling-sleep-ms", FAIR + "max.assign", FAIR + "waitTimeBeforeKill", "yarn.nm.liveness-monitor.expiry-interval-ms",
      "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "yarn.cluster.max-application-priority", "yarn.resourcemanager.am.max-attempts",
      "yarn.resourcemanager.am.global.max-attempts", "yarn.scheduler.minimum-allocation-mb", "yarn.scheduler.maximum-allocation-mb", "yarn.scheduler.minimum-allocation-vcores",
      "yarn.scheduler.maximum-allocation-vcores", "yarn.scheduler.increment-allocation-vcores"};
  private static final String[] LONGS = {FAIR + "locality-delay-node-ms", FAIR + "locality-delay-rack-ms", FAIR + "update-interval-ms", FAIR + "waitTimeBeforeNextStarvationCheck", "yarn.scheduler.increment-allocation-mb"};
  private static final String[] TIMES = {"yarn.am.liveness-monitor.expiry-interval-ms"};
  private static final String[] KEYS = {"yarn.resourcemanager.am-rm-tokens.master-key-rolling-interval-secs", "yarn.resourcemanager.nm-tokens.master-key-rolling-interval-secs",
      "yarn.resourcemanager.container-tokens.master-key-rolling-interval-secs"};
  private static final String[] FLOATS = {"yarn.scheduler.reservation-threshold.increment-multiple", FAIR + "locality.threshold.node", FAIR + "locality.threshold.rack",
      FAIR + "reservable-nodes", FAIR + "preemption.cluster-utilization-threshold"};
  private static final String[] SWITCHES = {FAIR + "continuous-scheduling-enabled", FAIR + "assignmultiple", FAIR + "dynamic.max.assign", FAIR + "sizebasedweight", FAIR + "preemption",
      FAIR + "am.preemption", FAIR + "am.preemption.root.a", FAIR + "user-as-default-queue", FAIR + "allow-undeclared-pools", "yarn.scheduler.include-port-in-node-name"};
  private static final String AVOIDS = "yarn.resourcemanager.am-scheduling.node-blacklisting-enabled";
  private static final String AVOIDS_AT_MOST = "yarn.resourcemanager.am-scheduling.node-blacklisting-disable-threshold";
  private static final String[] STEPS = {"yarn.resource-types.memory-mb.increment-allocation", "yarn.resource-types.vcores.increment-allocation"};

  private static final String[] NUMBERS = {"0", "1", "2", "3", "10", "1000", "4096", "-1", "-5", "2147483647", "2147483648", "-2147483648", "-2147483649", "9223372036854775807",
      "9223372036854775808", "1.0", "1e3", " 7 ", "+4", "007", "0x10", "0X1F", "-0x10", "0x", "0xg", "0x80000000", "0xffffffffffffffff", "x", "", " ", "1,000", "5s", "1k", "\t8\n", "-0",
      "0x7fffffff", "-0x80000000", "0x-1", "٣", "10L"};
  private static final String[] BEATS = {"1", "10", "1000", "600000", "600001", "9223372036854775807", "9223372036854775808", "1e3", " 7 ", "+4", "0x10", "x", "", "5s", "1.0"}; // 0 and less are the default in YARN and refused here
  private static final String[] SPANS = {"0", "1", "-1", "500", "10s", "10 s", "1m", "2h", "1d", "3ms", "5us", "7ns", "1500us", "2000000ns", "10S", "1M", "-5s", "1.5s", "x", "", "10min",
      "106751991167301d", "9223372036854775807s", "9223372036854775807", " 20s ", "20sec", "+5s", "5ss", "s", "0x10", "1w"};
  private static final String[] PARTS = {"0", "1", "0.5", "-1", "-0.5", "1.5", "50", "2", "1e-2", ".5", "1.", "0.3f", "0.3d", "1e39", "-1e39", "NaN", "Infinity", "x", "", " ", " 0.25 ", "0,5", "50%",
      "0x1p-1", "1e-50", "+0.5", "3.4028236e38", "infinity", "1F", "-0"};
  private static final String[] TRUTHS = {"true", "false", "TRUE", "False", " true ", "tRuE", "yes", "1", "0", "", "on", "t", "true false"};
  private static final String[] AMOUNTS = {"1", "512", "0", "2 Gi", "2Gi", "1G", "100M", "1000k", "-1", "1.5", "x", "", " 5", "5 ", "1  G", "3m", "1T", "2147483648", "4294967297", "9223372036854775807", "1X", "07"};

  private final Random rnd;
  private final Map<String, Object> site = new TreeMap<>();

  SiteCase(long seed) {
    rnd = new Random(seed);
  }

  private String of(String[] texts) {
    return texts[rnd.nextInt(texts.length)];
  }

  private void draw() {
    switch (rnd.nextInt(9)) {
      case 8:
        site.put(AVOIDS, rnd.nextInt(3) == 0 ? of(TRUTHS) : "true");
        if (rnd.nextInt(4) > 0) {
          site.put(AVOIDS_AT_MOST, of(PARTS));
        }
        break;
      case 0:
      case 1:
        site.put(of(INTS), of(NUMBERS));
        break;
      case 2:
        if (rnd.nextInt(4) == 0) {
          site.put("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", of(BEATS));
        } else {
          site.put(of(LONGS), of(NUMBERS));
        }
        break;
      case 3:
        site.put(of(TIMES), of(SPANS));
        if (rnd.nextInt(4) == 0) {
          site.put(of(KEYS), of(new String[] {"1800", "1801", "2700", "2701", "86400", "0", "-1", "1e3", " 3000 ", "0x1000", "3000s", ""}));
        }
        break;
      case 4:
      case 5:
        site.put(of(FLOATS), of(PARTS));
        break;
      case 6:
        site.put(of(SWITCHES), of(TRUTHS));
        break;
      default:
        site.put(of(STEPS), of(AMOUNTS));
    }
  }

  private static Object field(Class<?> of, Object on, String name) throws Exception {
    Field f = of.getDeclaredField(name);
    f.setAccessible(true);
    return f.get(on);
  }

  private static Configuration conf(Map<String, Object> site) {
    Configuration conf = new YarnConfiguration();
    site.forEach((k, v) -> conf.set(k, v.toString()));
    return conf;
  }

  private static List<Long> pair(Resource r) {
    return List.of(r.getMemorySize(), (long) r.getVirtualCores());
  }

  /** A part of the ResourceManager that starts. */
  private interface Part {
    void start() throws Throwable;
  }

  private static void part(String name, Map<String, Object> refused, Part part) {
    try {
      part.start();
    } catch (java.lang.reflect.InvocationTargetException x) {
      refused.put(name, Cases.chain(x.getCause()));
    } catch (Throwable x) {
      refused.put(name, Cases.chain(x));
    }
  }

  private static Map<String, Object> values(Map<String, Object> site, int asked, Map<String, Object> refused) {
    Map<String, Object> v = new TreeMap<>();
    Manager[] m = new Manager[1];
    part("configs", refused, () -> {
      Method check = ResourceManager.class.getDeclaredMethod("validateConfigs", Configuration.class);
      check.setAccessible(true);
      check.invoke(null, conf(site));
    });
    part("fair", refused, () -> {
      Configuration conf = conf(site);
      QueueMetrics.clearQueueMetrics();
      m[0] = new Manager(conf);
      FairScheduler f = new FairScheduler();
      f.setClock(m[0].clock);
      m[0].context.setScheduler(f);
      f.setRMContext(m[0].context);
      f.init(conf);
      FairSchedulerConfiguration c = f.getConf();
      v.put("reservation_multiple", c.getReservationThresholdIncrementMultiple());
      v.put("increment", pair(c.getIncrementAllocation()));
      v.put("least", pair(c.getMinimumAllocation()));
      v.put("most", pair(c.getMaximumAllocation()));
      v.put("threshold_node", c.getLocalityThresholdNode());
      v.put("threshold_rack", c.getLocalityThresholdRack());
      v.put("continuous", c.isContinuousSchedulingEnabled());
      v.put("continuous_sleep", c.getContinuousSchedulingSleepMs());
      v.put("delay_node", c.getLocalityDelayNodeMs());
      v.put("delay_rack", c.getLocalityDelayRackMs());
      v.put("preemption", c.getPreemptionEnabled());
      v.put("preemption_threshold", c.getPreemptionUtilizationThreshold());
      v.put("am_preemption", List.of(c.getAMPreemptionEnabled("root.a"), c.getAMPreemptionEnabled("root.b")));
      v.put("assign_multiple", c.getAssignMultiple());
      v.put("dynamic_max_assign", c.isMaxAssignDynamic());
      v.put("max_assign", c.getMaxAssign());
      v.put("size_based_weight", c.getSizeBasedWeight());
      v.put("before_kill", c.getWaitTimeBeforeKill()); // in the order of FSPreemptionThread
      v.put("next_check", c.getWaitTimeBeforeNextStarvationCheck());
      v.put("port", c.getUsePortForNodeName());
      v.put("reservable", c.getReservableNodes());
      v.put("update", field(AbstractYarnScheduler.class, f, "updateInterval"));
      v.put("priority", ((org.apache.hadoop.yarn.api.records.Priority) field(AbstractYarnScheduler.class, f, "maxClusterLevelAppPriority")).getPriority());
    });
    if (m[0] == null) {
      m[0] = new Manager(conf(Map.of()));
    }
    part("nodes", refused, () -> v.put("node_expiry", expiry(new NMLivelinessMonitor(m[0].context.getDispatcher()), site)));
    part("masters", refused, () -> v.put("am_expiry", expiry(new AMLivelinessMonitor(m[0].context.getDispatcher()), site)));
    part("containers", refused, () -> v.put("container_expiry", expiry(new ContainerAllocationExpirer(m[0].context.getDispatcher()), site)));
    part("tokens of masters", refused, () -> new AMRMTokenSecretManager(conf(site), m[0].context));
    part("tokens of nodes", refused, () -> new NMTokenSecretManagerInRM(conf(site)));
    part("tokens of containers", refused, () -> new RMContainerTokenSecretManager(conf(site)));
    part("tracker", refused, () -> {
      ResourceTrackerService t = new ResourceTrackerService(m[0].context, null, null, m[0].context.getContainerTokenSecretManager(), m[0].context.getNMTokenSecretManager());
      t.init(conf(site));
      v.put("heartbeat", field(ResourceTrackerService.class, t, "nextHeartBeatInterval"));
    });
    part("application", refused, () -> {
      ApplicationSubmissionContext a = org.apache.hadoop.yarn.util.Records.newRecord(ApplicationSubmissionContext.class);
      a.setApplicationId(Manager.appId(1));
      a.setMaxAppAttempts(asked);
      RMAppImpl app = new RMAppImpl(Manager.appId(1), m[0].context, conf(site), "a", "u", "default", a, null, null, 0, "SPARK", java.util.Set.of(), List.of());
      v.put("attempts", app.getMaxAppAttempts());
      v.put("avoids", field(RMAppImpl.class, app, "amBlacklistingEnabled"));
      v.put("avoids_at_most", field(RMAppImpl.class, app, "blacklistDisableThreshold"));
    });
    return v;
  }

  private static Object expiry(AbstractLivelinessMonitor<?> monitor, Map<String, Object> site) throws Exception {
    monitor.init(conf(site));
    return field(AbstractLivelinessMonitor.class, monitor, "expireInterval");
  }

  String play(long id) throws Exception {
    for (int i = 1 + rnd.nextInt(3); i > 0; i--) {
      draw();
    }
    int asked = new int[] {0, 0, 1, 3, 5, -1}[rnd.nextInt(6)];
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", id);
    out.put("kind", "site");
    out.put("site", site);
    out.put("asked", asked);
    Map<String, Object> refused = new TreeMap<>();
    Map<String, Object> values = values(site, asked, refused);
    if (refused.isEmpty()) {
      out.put("values", values);
    } else {
      out.put("refused", refused);
    }
    return Cases.JSON.writeValueAsString(out);
  }
}
