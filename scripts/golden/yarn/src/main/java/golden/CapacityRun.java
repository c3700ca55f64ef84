package golden;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.LocalConfigurationProvider;
import org.apache.hadoop.yarn.server.resourcemanager.placement.ApplicationPlacementContext;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AbstractLeafQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.MultiNodeSortingManager;

/** A random run of the CapacityScheduler. */
class CapacityRun extends Run {
  final List<String> leaves = new ArrayList<>();
  Preempting preempting; // null where nothing is preempted
  boolean unlimited; // heartbeats assign as many containers as there is room for
  private CapacityScheduler capacity;

  CapacityRun(long seed) {
    super(seed);
  }

  @Override
  List<String> queues() {
    return leaves;
  }

  @Override
  String queue() {
    return preempting == null ? super.queue() : preempting.queue();
  }

  @Override
  void clock(int ms) throws Exception {
    if (preempting == null) {
      super.clock(ms);
    } else {
      preempting.clock();
    }
  }

  @Override
  void randomAsk(App a) throws Exception {
    if (preempting == null || percent(30)) {
      super.randomAsk(a);
    } else {
      preempting.ask(a);
    }
  }

  @Override
  int appPriority() {
    return percent(25) ? rnd.nextInt(4) : 0;
  }

  @Override
  ApplicationPlacementContext placed(String queue) {
    return null;
  }

  static final String PREFIX = "yarn.scheduler.capacity.";

  void children(String path, int depth) {
    int n = depth == 1 ? 1 + rnd.nextInt(4) : 1 + rnd.nextInt(3);
    List<String> names = new ArrayList<>();
    int left = 100;
    boolean weights = percent(15);
    for (int i = 0; i < n; i++) {
      String name = String.valueOf((char) ('a' + i)) + depth;
      names.add(name);
      String q = PREFIX + path + "." + name + ".";
      int share = i == n - 1 ? left : 1 + rnd.nextInt(Math.max(1, left - (n - i)));
      left -= share;
      site.put(q + "capacity", weights ? (1 + rnd.nextInt(5)) + "w" : String.valueOf(share));
      if (percent(50)) {
        site.put(q + "maximum-capacity", String.valueOf(weights ? 40 + rnd.nextInt(61) : share + rnd.nextInt(101 - share)));
      }
      if (percent(20)) {
        site.put(q + "priority", rnd.nextInt(4));
      }
      if (depth < 3 && percent(35)) {
        if (percent(30)) {
          site.put(q + "ordering-policy", "priority-utilization");
        }
        children(path + "." + name, depth + 1);
        continue;
      }
      leaves.add(path + "." + name);
      if (percent(70)) {
        site.put(q + "user-limit-factor", pick("0.3", "0.5", "1", "2", "10", "-1"));
      }
      if (percent(60)) {
        site.put(q + "minimum-user-limit-percent", pick("10", "25", "34", "50", "100"));
      }
      if (percent(40)) {
        site.put(q + "ordering-policy", "fair");
        if (percent(30)) {
          site.put(q + "ordering-policy.fair.enable-size-based-weight", true);
        }
      }
      if (percent(25)) {
        site.put(q + "maximum-am-resource-percent", pick("0.05", "0.2", "0.5", "1"));
      }
      if (percent(15)) {
        site.put(q + "maximum-applications", 1 + rnd.nextInt(5));
      }
      if (percent(15)) {
        site.put(q + "max-parallel-apps", 1 + rnd.nextInt(3));
      }
      if (percent(15)) {
        site.put(q + "maximum-allocation-mb", pick(2048, 4096));
      }
    }
    site.put(PREFIX + path + ".queues", String.join(",", names));
  }

  void configure() {
    site.put("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", percent(70) ? -1 : 1000000000000000L);
    site.put(PREFIX + "resource-calculator", "org.apache.hadoop.yarn.util.resource."
        + (percent(50) || Recorder.third ? "DominantResourceCalculator" : "DefaultResourceCalculator"));
    site.put(PREFIX + "maximum-am-resource-percent", pick("0.1", "0.3", "0.5", "1.0"));
    site.put(PREFIX + "node-locality-delay", pick(-1, 0, 2, 5, 40));
    site.put(PREFIX + "rack-locality-additional-delay", pick(-1, -1, 2, 7));
    if (percent(20)) {
      site.put(PREFIX + "rack-locality-full-reset", false);
    }
    site.put(PREFIX + "per-node-heartbeat.multiple-assignments-enabled", percent(70));
    site.put(PREFIX + "per-node-heartbeat.maximum-container-assignments", pick(20, 1, 2, 5, 100));
    site.put(PREFIX + "per-node-heartbeat.maximum-offswitch-assignments", pick(1, 1, 3));
    if (percent(20)) {
      site.put(PREFIX + "reservations-continue-look-all-nodes", false);
    }
    if (percent(30)) {
      site.put(PREFIX + "root.ordering-policy", "priority-utilization");
    }
    children("root", 1);
  }

  List<String> play(String name, int hosts, int events) throws Exception {
    rackCount = 1 + rnd.nextInt(4);
    if (preempting == null) {
      configure();
    } else {
      preempting.configure();
    }
    if (unlimited) {
      site.put(PREFIX + "per-node-heartbeat.multiple-assignments-enabled", true);
      site.put(PREFIX + "per-node-heartbeat.maximum-container-assignments", -1);
      site.put(PREFIX + "per-node-heartbeat.maximum-offswitch-assignments", pick(1, 3, 100));
      site.put(PREFIX + "rack-locality-additional-delay", pick(-1, 0, 1, 9));
    }
    if (Recorder.third) {
      site.put("yarn.resource-types", Recorder.configured());
    }
    Configuration conf = conf(site);
    if (rare && !Sizes.table(conf)) {
      return List.of();
    }
    QueueMetrics.clearQueueMetrics();
    m = new Manager(conf);
    LocalConfigurationProvider files = new LocalConfigurationProvider();
    files.init(conf);
    m.context.setConfigurationProvider(files);
    m.context.setMultiNodeSortingManager(new MultiNodeSortingManager<>());
    capacity = unlimited ? new UnlimitedScheduler() : new CapacityScheduler();
    s = capacity;
    capacity.setClock(m.clock);
    capacity.setConf(conf);
    m.context.setScheduler(capacity);
    capacity.setRMContext(m.context);
    try {
      capacity.init(conf);
    } catch (RuntimeException e) {
      if (wide) {
        return List.of(); // the class refuses these settings
      }
      throw e;
    }
    if (preempting != null) {
      preempting.start(capacity);
    }
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("run", name);
    head.put("scheduler", "capacity");
    head.put("start", Manager.START);
    head.put("nodes", hosts);
    head.put("per_app", true);
    head.put("preemption", preempting != null);
    if (rare) {
      head.put("sizes", true);
    }
    if (Recorder.third) {
      head.put("types", Recorder.names());
    }
    head.put("site", site);
    try {
      script(hosts, events);
    } catch (UnlimitedScheduler.Endless e) {
      return List.of();
    }
    if (preempting != null && preempting.idle()) {
      return List.of();
    }
    if (broken) {
      head.put("ends_with_error", true);
    }
    head.put("events", lines.size());
    lines.add(0, JSON.writeValueAsString(head));
    return lines;
  }

  static void collect(CSQueue q, Map<String, CSQueue> out) {
    out.put(q.getQueuePath(), q);
    if (q.getChildQueues() != null) {
      for (CSQueue c : q.getChildQueues()) {
        collect(c, out);
      }
    }
  }

  @Override
  void state() throws Exception {
    Map<String, Object> e = event("state");
    emit(e, () -> {
      Map<String, CSQueue> all = new TreeMap<>();
      collect(capacity.getRootQueue(), all);
      List<Object> rows = new ArrayList<>();
      for (CSQueue q : all.values()) {
        List<Object> r = new ArrayList<>(Arrays.asList((Object) q.getQueuePath()));
        Recorder.size(r, q.getUsedResources());
        r.add(q.getUsedCapacity());
        r.add(q.getAbsoluteUsedCapacity());
        r.add(q.getNumApplications());
        if (q instanceof AbstractLeafQueue) {
          r.add(((AbstractLeafQueue) q).getNumActiveApplications());
          r.add(((AbstractLeafQueue) q).getNumPendingApplications());
        }
        rows.add(r);
      }
      e.put("q", rows);
    });
  }
}
