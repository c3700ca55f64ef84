package golden;

import java.util.ArrayList;
import java.util.List;

/**
 * A random run of the CapacityScheduler with settings that the other kinds leave as they are: limits of container sizes, percentages
 * with fractions, amounts of a third type, settings of parents and of the root, queues called by their last name.
 */
final class RareCapacityRun extends MixedCapacityRun {
  private final boolean amounts = percent(30);
  private final List<String> others = new ArrayList<>();

  RareCapacityRun(long seed, boolean resized, boolean totals) {
    super(seed, resized, totals);
    rare = true;
  }

  @Override
  List<String> queues() {
    return others.isEmpty() || !percent(20) ? leaves : others;
  }

  @Override
  void configure() {
    super.configure();
    Sizes.draw(this, false);
    if (percent(40)) {
      site.put(PREFIX + "per-node-heartbeat.maximum-container-assignments", pick(0, 3, 7, 300));
    }
    if (percent(30)) {
      site.put(PREFIX + "per-node-heartbeat.maximum-offswitch-assignments", pick(-1, 0, 2, 50));
    }
    if (percent(20)) {
      site.put(PREFIX + "minimum-user-limit-percent", pick("5", "33.3", "60"));
    }
    if (percent(20)) {
      site.put(PREFIX + "node-locality-delay", pick(-1, 0, 1, 3));
      site.put(PREFIX + "rack-locality-additional-delay", pick(-1, 0, 1, 3));
    }
    if (percent(50)) {
      parent(PREFIX + "root.");
    }
    if (strange != null) {
      if (percent(40)) {
        // Without an end, the class offers a draining node the same container for ever.
        site.put(PREFIX + "per-node-heartbeat.maximum-container-assignments", drains ? pick(0, 2, -7, 500) : -1);
      }
      if (percent(40)) {
        CapacityEdges.draw(rnd, site);
      }
    }
    for (String q : new ArrayList<>(leaves)) {
      others.add(q.substring(q.lastIndexOf('.') + 1));
    }
    others.add(pick("root", "root.none", "none", "root.a1", "a1"));
  }

  private String hundredths(int n) {
    return n % 100 == 0 ? String.valueOf(n / 100) : String.format("%d.%02d", n / 100, n % 100);
  }

  private String amount(int memory, int cores) {
    String third = Recorder.third && percent(70) ? ",yarn.io/gpu=" + pick(0, 1, 4, 10) : "";
    return pick("[memory=" + memory + ",vcores=" + cores + third + "]", "[vcores=" + cores + third + ",memory=" + memory + "]");
  }

  @Override
  void children(String path, int depth) {
    if (modern && percent(60)) {
      super.children(path, depth);
      return;
    }
    int n = 1 + rnd.nextInt(depth == 1 ? 4 : 3);
    List<String> names = new ArrayList<>();
    int left = named && percent(25) ? 0 : 10000;
    if (named && percent(60)) {
      site.put(PREFIX + path + ".allow-zero-capacity-sum", percent(90));
    }
    boolean weights = !amounts && percent(25);
    for (int i = 0; i < n; i++) {
      String name = String.valueOf((char) ('a' + i)) + (percent(80) ? depth : "");
      names.add(name);
      String queue = path + "." + name;
      String q = PREFIX + queue + ".";
      if (amounts) {
        int memory = rnd.nextInt(20000) / (n * depth);
        int cores = rnd.nextInt(20) / (n * depth);
        site.put(q + "capacity", amount(memory, cores));
        if (percent(40)) {
          site.put(q + "maximum-capacity", amount(memory + rnd.nextInt(40000), cores + rnd.nextInt(40)));
        }
      } else if (weights) {
        site.put(q + "capacity", pick("0.333w", "1.5w", "0w", "10000w", "2w"));
        if (percent(40)) {
          site.put(q + "maximum-capacity", pick("12.5", "66.67", "0", "-1"));
        }
      } else {
        int share = i == n - 1 ? left : rnd.nextInt(left + 1);
        left -= share;
        site.put(q + "capacity", hundredths(share));
        if (percent(50)) {
          site.put(q + "maximum-capacity", hundredths(share + rnd.nextInt(10001 - share)));
        }
      }
      if (percent(30)) {
        site.put(q + "priority", pick(-1, 0, 1, 5));
      }
      if (percent(15)) {
        site.put(q + "max-parallel-apps", rnd.nextInt(4));
      }
      if (depth < 4 && percent(35)) {
        if (percent(50)) {
          site.put(q + "ordering-policy", pick("utilization", "priority-utilization"));
        }
        parent(q);
        children(queue, depth + 1);
        continue;
      }
      leaves.add(queue);
      leaf(q);
      if (percent(15)) {
        largest(q);
      }
    }
    site.put(PREFIX + path + ".queues", String.join(",", names));
  }

  private void largest(String q) {
    site.put(q + "maximum-allocation", pick("memory-mb=2048,vcores=2", "memory-mb=1500", "vcores=1", "memory-mb=2g,vcores=3"));
  }

  /** Settings of a queue with children, some of which its leaves inherit. */
  private void parent(String q) {
    for (String user : new String[] {"u1", "u2", "user1", "x1"}) {
      if (percent(25)) {
        site.put(q + "user-settings." + user + ".weight", pick("0.2", "0.9", "1.7"));
      }
    }
    if (percent(20)) {
      site.put(q + "maximum-allocation-mb", pick(1024, 2048, 3000));
    }
    if (percent(15)) {
      site.put(q + "maximum-allocation-vcores", pick(1, 2, 3));
    }
    if (percent(10)) {
      largest(q);
    }
    if (percent(4)) {
      site.put(q + "state", "STOPPED");
    }
    if (percent(10)) {
      site.put(q + "user-limit-factor", pick("0.1", "3"));
    }
    if (percent(10)) {
      site.put(q + "minimum-user-limit-percent", pick("10", "50"));
    }
    if (percent(10)) {
      site.put(q + "maximum-am-resource-percent", pick("0.05", "1"));
    }
    if (percent(10)) {
      site.put(q + "maximum-applications", 1 + rnd.nextInt(5));
    }
    if (percent(10)) {
      site.put(q + "default-application-priority", rnd.nextInt(5));
    }
  }
}
