package golden;

import java.util.ArrayList;
import java.util.List;

/** A random run of the CapacityScheduler with siblings whose capacities are of several kinds, draining nodes, further attempts, many users with weights. */
class MixedCapacityRun extends WideCapacityRun {
  final boolean drains = percent(50);
  private final boolean fails = percent(50);
  private final int crowd = pick(2, 3, 8, 20);
  boolean modern;

  MixedCapacityRun(long seed, boolean resized, boolean totals) {
    super(seed, resized);
    drainedTotals = totals;
  }

  @Override
  String user() {
    return pick("u", "user", "x") + (1 + rnd.nextInt(crowd));
  }

  @Override
  int limit(int hosts) {
    return crowd > 3 ? 6 + hosts : super.limit(hosts);
  }

  @Override
  void configure() {
    modern = percent(70);
    super.configure();
    site.put(PREFIX + "legacy-queue-mode.enabled", !modern);
    if (percent(40)) {
      site.put(PREFIX + "user-metrics.enable", true);
    }
    if (percent(15)) {
      site.put(PREFIX + "global-queue-max-application", 1 + rnd.nextInt(8));
    }
    if (percent(5)) {
      site.put(PREFIX + "per-node-heartbeat.maximum-container-assignments", 1000);
    }
    if (percent(30)) {
      site.put("yarn.scheduler.minimum-allocation-vcores", pick(1, 2));
    }
  }

  private static final String[] VECTORS = {"[memory=%d,vcores=%d]", "[memory=%d%%,vcores=%d%%]", "[memory=%dw,vcores=%dw]", "[memory=%dw,vcores=%d]",
    "[memory=%d,vcores=%dw]", "[memory=%d%%,vcores=%d]", "[memory=%d,vcores=%d%%]", "[memory=%d%%,vcores=%dw]"};

  private String vector() {
    String form = pick(VECTORS);
    boolean bare = form.startsWith("[memory=%d,");
    boolean cores = form.contains("vcores=%d]");
    return String.format(form, bare ? pick(512, 1024, 4096, 10000, 30000) : pick(1, 3, 10, 20, 50), cores ? pick(0, 1, 2, 4, 10) : pick(0, 1, 10, 30, 50));
  }

  @Override
  void children(String path, int depth) {
    if (!modern) {
      super.children(path, depth);
      return;
    }
    int n = 1 + rnd.nextInt(depth == 1 ? 5 : 3);
    List<String> names = new ArrayList<>();
    int uniform = percent(40) ? rnd.nextInt(3) : -1;
    for (int i = 0; i < n; i++) {
      String name = String.valueOf((char) ('a' + i)) + depth;
      names.add(name);
      String queue = path + "." + name;
      String q = PREFIX + queue + ".";
      int kind = uniform >= 0 ? uniform : rnd.nextInt(5);
      String capacity = kind == 0 ? String.valueOf(pick(0, 5, 20, 50)) : kind == 1 ? pick("1w", "0.5w", "3w") : kind == 2
          ? "[memory=" + pick(512, 2048, 8192, 20000) + ",vcores=" + pick(0, 1, 4, 16) + "]" : vector();
      if (!percent(3)) {
        site.put(q + "capacity", capacity);
      }
      if (percent(40)) {
        site.put(q + "maximum-capacity", percent(50) ? String.valueOf(pick(10, 50, 100)) : "[memory=" + pick(4096, 20000, 60000) + ",vcores=" + pick(4, 16, 64) + "]");
      }
      if (percent(30)) {
        site.put(q + "priority", pick(-1, 0, 1, 5));
      }
      if (percent(20)) {
        site.put(q + "max-parallel-apps", 1 + rnd.nextInt(4));
      }
      if (depth < 4 && percent(30)) {
        if (percent(50)) {
          site.put(q + "ordering-policy", pick("utilization", "priority-utilization"));
        }
        children(queue, depth + 1);
        continue;
      }
      leaves.add(queue);
      leaf(q);
    }
    site.put(PREFIX + path + ".queues", String.join(",", names));
  }

  @Override
  void leaf(String q) {
    super.leaf(q);
    if (percent(40)) {
      site.put(q + "minimum-user-limit-percent", pick("1", "5", "12.5"));
      for (int i = 1; i <= crowd; i++) {
        for (String kind : new String[] {"u", "user", "x"}) {
          if (percent(50)) {
            site.put(q + "user-settings." + kind + i + ".weight", pick("0.1", "0.3", "0.7", "1.1", "2.3", "7.9"));
          }
        }
      }
    }
    if (percent(5)) {
      site.put(q + "state", "STOPPED");
    }
    if (percent(5)) {
      site.put(q + "ordering-policy", pick("fifo-with-partitions", "fifo-for-pending-apps"));
    }
  }

  @Override
  void more() throws Exception {
    super.more();
    drainAndFail(drains, fails);
    for (int i = 0; i < 3 && apps.size() < limit(allHosts.size()) && percent(25); i++) {
      addApp();
    }
  }
}
