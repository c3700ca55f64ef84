package golden;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Texts at their edges for some settings of a CapacityScheduler. */
final class CapacityEdges {
  private CapacityEdges() {}

  private static final String PREFIX = "yarn.scheduler.capacity.";
  private static final String[] GLOBAL = {"maximum-applications", "global-queue-max-application", "maximum-am-resource-percent", "node-locality-delay", "rack-locality-additional-delay",
      "rack-locality-full-reset", "per-node-heartbeat.multiple-assignments-enabled", "per-node-heartbeat.maximum-container-assignments", "per-node-heartbeat.maximum-offswitch-assignments",
      "reservations-continue-look-all-nodes", "legacy-queue-mode.enabled", "minimum-user-limit-percent", "user-limit-factor", "max-parallel-apps", "user.max-parallel-apps"};
  private static final String[] QUEUE = {"capacity", "maximum-capacity", "minimum-user-limit-percent", "user-limit-factor", "maximum-applications", "max-parallel-apps", "maximum-am-resource-percent",
      "maximum-allocation-mb", "maximum-allocation-vcores", "maximum-allocation", "ordering-policy", "ordering-policy.fair.enable-size-based-weight", "state", "priority",
      "default-application-priority", "allow-zero-capacity-sum", "user-settings.u1.weight"};
  private static final String[] TEXTS = {"", " ", "0", "1", "-1", "-0", "2", "10", "50", "100", "101", "+5", " 5 ", "007", "0x10", "-0x1", "0xZ", "1e1", "1E2", "1.0", "33.333333", "0.1", "1.", ".5", "50%", "NaN",
      "Infinity", "-Infinity", "1f", "0.5d", "1e39", "1e-50", "2147483647", "2147483648", "9223372036854775808", "1w", "0.5w", "1.5 w", "w", "-1w", "0w", "1W", "1e1w", "[memory=1024,vcores=1]",
      "[memory=10%,vcores=5]", "[memory=50%,vcores=50%]", "[memory=1w,vcores=1w]", "[memory=1024mb,vcores=1]", "[memory=1Gi,vcores=1]", "[memory-mb=1024,vcores=1]", "[memory=1024 vcores=1]",
      "[memory=1024,vcores=1", "[ memory = 1024 , vcores = 1 ]", "[memory=-1,vcores=1]", "[vcores=1]", "[]", "[memory=1e3,vcores=1]", "[memory=1024,vcores=1,gpu=1]", "memory-mb=1024,vcores=1", "vcores=1", "memory-mb=1g",
      "memory-mb= 2048 , vcores= 2", "true", "TRUE", "false ", "yes", "RUNNING", "running", " STOPPED", "DRAINING", "fair", "FIFO", " fifo", "utilization", "priority-utilization", "1,000", "x"};

  /** Sets one to three settings of the scheduler or of a queue that there is. */
  static void draw(Random rnd, Map<String, Object> site) {
    List<String> queues = new ArrayList<>(List.of("root"));
    for (String key : site.keySet()) {
      if (key.startsWith(PREFIX + "root.") && key.endsWith(".capacity")) {
        queues.add(key.substring(PREFIX.length(), key.length() - ".capacity".length()));
      }
    }
    for (int i = 1 + rnd.nextInt(3); i > 0; i--) {
      String key = rnd.nextInt(3) == 0 ? GLOBAL[rnd.nextInt(GLOBAL.length)] : queues.get(rnd.nextInt(queues.size())) + "." + QUEUE[rnd.nextInt(QUEUE.length)];
      site.put(PREFIX + key, TEXTS[rnd.nextInt(TEXTS.length)]);
    }
  }
}
