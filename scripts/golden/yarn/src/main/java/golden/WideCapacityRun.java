package golden;

import java.util.ArrayList;
import java.util.List;

/** A random run of the CapacityScheduler with values at the edge and beyond: queues by amounts, tiny and absent limits of users. */
class WideCapacityRun extends CapacityRun {
  WideCapacityRun(long seed, boolean resized) {
    super(seed);
    wide = true;
    resizes = resized ? new Resizes(this, true) : null;
  }

  @Override
  int appPriority() {
    return percent(40) ? rnd.nextInt(12) : 0;
  }

  @Override
  void configure() {
    super.configure();
    site.put(PREFIX + "application.fail-fast", false);
    if (percent(50)) {
      site.put("yarn.cluster.max-application-priority", pick(0, 1, 10));
    }
    if (percent(40)) {
      site.put("yarn.scheduler.minimum-allocation-mb", pick(128, 256, 512));
      site.put("yarn.scheduler.maximum-allocation-mb", pick(4096, 16384));
      site.put("yarn.scheduler.maximum-allocation-vcores", pick(4, 8, 100));
    }
    if (percent(30)) {
      site.put(PREFIX + "user.max-parallel-apps", 1 + rnd.nextInt(3));
    }
    if (percent(15)) {
      site.put(PREFIX + "user.u1.max-parallel-apps", 1 + rnd.nextInt(3));
    }
    if (percent(20)) {
      site.put(PREFIX + "user-limit-factor", pick("-1", "0.1"));
    }
    if (percent(20)) {
      site.put(PREFIX + "maximum-am-resource-percent", pick("0", "0.0001", "1"));
    }
    if (percent(15)) {
      site.put(PREFIX + "maximum-applications", 1 + rnd.nextInt(6));
    }
    if (percent(15)) {
      site.put(PREFIX + "max-parallel-apps", 1 + rnd.nextInt(4));
    }
    if (percent(20)) {
      site.put(PREFIX + "legacy-queue-mode.enabled", false);
    }
  }

  private int memory = 100 + rnd.nextInt(20000);
  private int cores = rnd.nextInt(20);
  private final boolean amounts = percent(35);

  private static String amount(int memory, int cores) {
    return "[memory=" + memory + ",vcores=" + cores + "]";
  }

  @Override
  void children(String path, int depth) {
    branch(path, depth, memory, cores);
  }

  private void branch(String path, int depth, int memory, int cores) {
    int n = 1 + rnd.nextInt(depth == 1 ? 4 : 3);
    List<String> names = new ArrayList<>();
    int left = 100;
    boolean weights = !amounts && percent(20);
    for (int i = 0; i < n; i++) {
      String name = String.valueOf((char) ('a' + i)) + depth;
      names.add(name);
      String queue = path + "." + name;
      String q = PREFIX + queue + ".";
      int mem = rnd.nextInt(memory / n + 1);
      int vc = rnd.nextInt(cores / n + 1);
      if (amounts) {
        site.put(q + "capacity", amount(mem, vc));
        if (percent(40)) {
          site.put(q + "maximum-capacity", amount(mem + rnd.nextInt(30000), vc + rnd.nextInt(30)));
        }
      } else if (weights) {
        site.put(q + "capacity", pick("1w", "0.1w", "100w", "3w"));
        if (percent(40)) {
          site.put(q + "maximum-capacity", pick("1", "50", "100"));
        }
      } else {
        int share = i == n - 1 ? left : percent(20) ? 0 : rnd.nextInt(left + 1);
        left -= share;
        site.put(q + "capacity", share);
        if (percent(40)) {
          site.put(q + "maximum-capacity", share + rnd.nextInt(101 - share));
        }
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
        branch(queue, depth + 1, mem, vc);
        continue;
      }
      leaves.add(queue);
      leaf(q);
    }
    site.put(PREFIX + path + ".queues", String.join(",", names));
  }

  void leaf(String q) {
    if (percent(60)) {
      site.put(q + "user-limit-factor", pick("0.01", "0.5", "1", "100", "-1"));
    }
    if (percent(60)) {
      site.put(q + "minimum-user-limit-percent", pick(1, 10, 34, 50, 100));
    }
    if (percent(60)) {
      site.put(q + "ordering-policy", pick("fair", "fifo"));
      if (percent(40)) {
        site.put(q + "ordering-policy.fair.enable-size-based-weight", true);
      }
    }
    for (String user : new String[] {"u1", "u2"}) {
      if (percent(20)) {
        site.put(q + "user-settings." + user + ".weight", pick("0.0", "0.1", "0.8", "1"));
      }
    }
    if (percent(30)) {
      site.put(q + "maximum-am-resource-percent", pick("0", "0.01", "0.5", "1"));
    }
    if (percent(20)) {
      site.put(q + "maximum-applications", 1 + rnd.nextInt(4));
    }
    if (percent(20)) {
      site.put(q + "default-application-priority", rnd.nextInt(5));
    }
    if (percent(25)) {
      site.put(q + "maximum-allocation-mb", pick(1024, 1500, 4096));
    }
    if (percent(15)) {
      site.put(q + "maximum-allocation-vcores", pick(1, 4));
    }
  }
}
