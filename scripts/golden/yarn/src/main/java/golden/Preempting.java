package golden;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.ContainerPreemptEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEventType;

/**
 * The policy of the CapacityScheduler's preemption, looking at its times, in a run in which some queues fill the cluster before others
 * come to want it.
 */
final class Preempting {
  private static final String POLICY = "yarn.resourcemanager.monitor.capacity.preemption.";
  private static final String INTRA = "intra-queue-preemption.";

  private final CapacityRun run;
  private final boolean defaults; // no setting of the policy is drawn
  private List<String> busy = List.of(); // the queues that want something at present
  private int left; // applications until others do
  private int kills;
  private long interval = 3000;
  private long wait = 15000;
  private long due = Manager.START;
  private CapacityScheduler scheduler;
  private ProportionalCapacityPreemptionPolicy policy;

  Preempting(CapacityRun run, boolean defaults) {
    this.run = run;
    this.defaults = defaults;
    run.lasting = true;
    run.crowd = 8;
  }

  private boolean percent(int p) {
    return run.percent(p);
  }

  // ---- configuration

  /** Draws settings until there are two leaf queues, and widens what keeps queues from using more than theirs. */
  void configure() {
    Map<String, Object> site = run.site;
    int most = percent(20) ? 40 : run.pick(4, 8);
    do {
      site.clear();
      run.leaves.clear();
      run.configure();
    } while (run.leaves.size() < 2 || run.leaves.size() > most);
    String c = CapacityRun.PREFIX;
    site.put("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", -1);
    site.put("yarn.resourcemanager.scheduler.monitor.enable", true);
    site.put(c + "maximum-am-resource-percent", run.pick("0.3", "0.5", "1.0"));
    site.put(c + "per-node-heartbeat.maximum-offswitch-assignments", run.pick(1, 5, 20, 100, 100));
    site.put(c + "per-node-heartbeat.maximum-container-assignments", run.pick(3, 20, 100));
    site.put(c + "per-node-heartbeat.multiple-assignments-enabled", percent(85));
    for (String key : new ArrayList<>(site.keySet())) {
      boolean narrow = key.endsWith(".maximum-capacity") || key.endsWith(".maximum-applications") || key.endsWith("max-parallel-apps")
          || key.startsWith(c + "root.") && key.endsWith(".maximum-am-resource-percent") || key.endsWith("global-queue-max-application");
      if (narrow && percent(75)) {
        site.remove(key);
      }
    }
    for (String leaf : run.leaves) {
      if (percent(85)) {
        site.put(c + leaf + ".user-limit-factor", run.pick("-1", "100", "10", "3", "1"));
      }
    }
    for (String queue : queues()) {
      if (percent(15)) {
        site.put(c + queue + ".disable_preemption", percent(70));
      }
      if (percent(15)) {
        site.put(c + queue + "." + INTRA + "disable_preemption", percent(70));
      }
    }
    if (!defaults) {
      settings(site);
    }
  }

  /** All queues but the root, parents with their children. */
  private List<String> queues() {
    List<String> out = new ArrayList<>();
    for (String leaf : run.leaves) {
      for (int dot = leaf.indexOf('.', 5); dot > 0; dot = leaf.indexOf('.', dot + 1)) {
        if (!out.contains(leaf.substring(0, dot))) {
          out.add(leaf.substring(0, dot));
        }
      }
      out.add(leaf);
    }
    return out;
  }

  private void settings(Map<String, Object> site) {
    if (percent(4)) {
      site.put(POLICY + "observe_only", percent(60));
    }
    if (percent(50)) {
      site.put(POLICY + "monitoring_interval", interval);
    }
    if (percent(85)) {
      wait = run.pick(0, 0, 3000, 3000, 15000);
      site.put(POLICY + "max_wait_before_kill", wait);
    }
    if (percent(80)) {
      site.put(POLICY + "total_preemption_per_round", run.pick("0.1", "0.25", "0.5", "0.8", "1", "1.0"));
    }
    if (percent(70)) {
      site.put(POLICY + "max_ignored_over_capacity", run.pick("0", "0.01", "0.05", "0.1", "0.2"));
    }
    if (percent(80)) {
      site.put(POLICY + "natural_termination_factor", run.pick("0.2", "0.3", "0.5", "0.8", "1", "1.0"));
    }
    if (percent(15)) {
      site.put(POLICY + "conservative-drf", true);
    }
    if (percent(20)) {
      site.put(POLICY + "select_based_on_reserved_containers", true);
    }
    if (percent(15)) {
      site.put(POLICY + "additional_res_balance_based_on_reserved_containers", true);
    }
    if (percent(15)) {
      site.put(POLICY + "preemption-to-balance-queue-after-satisfied.enabled", true);
      if (percent(70)) {
        site.put(POLICY + "preemption-to-balance-queue-after-satisfied.max-wait-before-kill", run.pick(0, 1000, 6000, 20000));
      }
    }
    if (percent(8)) {
      String under = CapacityRun.PREFIX + "ordering-policy.priority-utilization.underutilized-preemption.";
      site.put(under + "enabled", true);
      site.put(under + "reserved-container-delay-ms", run.pick(0, 1000));
      site.put(under + "allow-move-reservation", percent(50));
    }
    if (percent(25)) {
      site.put(POLICY + INTRA + "enabled", true);
      if (percent(60)) {
        site.put(POLICY + INTRA + "minimum-threshold", run.pick("0", "0.1", "0.5", "0.9"));
      }
      if (percent(60)) {
        site.put(POLICY + INTRA + "max-allowable-limit", run.pick("0.1", "0.2", "0.5", "1"));
      }
      if (percent(60)) {
        site.put(POLICY + INTRA + "preemption-order-policy", run.pick("userlimit_first", "priority_first", "PRIORITY_FIRST"));
      }
      if (percent(30)) {
        site.put(POLICY + INTRA + "conservative-drf", percent(20));
      }
    }
  }

  /**
   * Makes the policy. It goes through its selectors by their addresses: it is made until those would have it go through them in the order
   * in which it asks them.
   */
  void start(CapacityScheduler scheduler) throws Exception {
    this.scheduler = scheduler;
    do {
      policy = new ProportionalCapacityPreemptionPolicy(run.m.context, scheduler, run.m.clock);
    } while (!ascending());
  }

  private boolean ascending() throws Exception {
    int last = -1;
    for (Object selector : (List<?>) FairRun.field(policy.getClass(), "candidatesSelectionPolicies").get(policy)) {
      int bucket = (selector.hashCode() ^ selector.hashCode() >>> 16) & 15;
      if (bucket <= last) {
        return false;
      }
      last = bucket;
    }
    return true;
  }

  // ---- the script

  /** The queue of the next application: at first mostly a small one, later mostly one that uses the least of its own. */
  String queue() {
    if (left-- <= 0) {
      boolean first = busy.isEmpty();
      List<String> all = new ArrayList<>(run.leaves);
      Collections.shuffle(all, run.rnd);
      if (percent(75)) {
        all.sort(Comparator.comparingDouble(q -> first ? share(q) : -share(q) * (1 - used(q))));
      }
      left = first ? run.pick(1, 2, 3) : run.pick(0, 1, 2, 3);
      busy = all.subList(0, Math.min(all.size(), run.pick(1, 1, 1, 2)));
    }
    return percent(10) ? run.pick(run.leaves) : run.pick(busy);
  }

  private float share(String queue) {
    return scheduler.getQueue(queue).getAbsoluteCapacity();
  }

  private float used(String queue) {
    return scheduler.getQueue(queue).getUsedCapacity();
  }

  /** An ask for many containers anywhere. */
  void ask(App a) throws Exception {
    List<List<Object>> asks = new ArrayList<>();
    int small = run.allHosts.size() > 6 ? 3000 : run.pick(256, 512);
    for (int i = run.pick(1, 1, 1, 2); i > 0; i--) {
      asks.add(Calls.row(run.pick(1, 1, 2, 3), "*", run.pick(0, 3, 8, 15, 30, 60, 60), run.pick(small, 1000, 1024, 1500, 2048, 4096),
          run.pick(1, 1, 1, 2, 3), Recorder.third ? run.pick(0, 0, 0, 1) : 0, true));
    }
    run.ask(a, asks, List.of(), null, null);
  }

  /** Moves the clock, with the looks of the policy on the way. */
  void clock() throws Exception {
    long to = run.m.clock.now + (wait > 3000 ? run.pick(1, 500, 1000, 3000, 6000, 9000, 15000) : run.pick(1, 100, 500, 1000, 1000, 3000, 3000, 6000));
    for (; due <= to && !run.broken; due += interval) {
      if (due > run.m.clock.now) {
        run.tick((int) (due - run.m.clock.now));
      }
      look();
    }
    if (to > run.m.clock.now) {
      run.tick((int) (to - run.m.clock.now));
    }
  }

  private void look() throws Exception {
    Map<String, Object> e = run.event("monitor");
    List<Object> sent = new ArrayList<>();
    e.put("ev", sent);
    List<ContainerPreemptEvent> events = run.m.preempted;
    run.emit(e, () -> {
      events.clear();
      run.m.monitored = true;
      try {
        policy.editSchedule();
        e.put("q", shares());
      } catch (RuntimeException x) { // the thread of the policy skips this look
        e.put("err", x.getClass().getSimpleName());
      } finally {
        run.m.monitored = false;
      }
      for (ContainerPreemptEvent p : events) {
        kills += p.getType() == SchedulerEventType.MARK_CONTAINER_FOR_KILLABLE ? 1 : 0;
        sent.add(Arrays.asList(name(p), p.getAppId().getApplicationId().getId(), Recorder.number(p.getContainer())));
      }
      // Their handlers wait for the locks that the policy holds.
      for (ContainerPreemptEvent p : events) {
        run.s.handle(p);
      }
    });
  }

  /** Whether the run is left out: most of those are in which nothing was killed. */
  boolean idle() {
    return kills == 0 && percent(70);
  }

  private static String name(ContainerPreemptEvent e) {
    switch (e.getType()) {
      case MARK_CONTAINER_FOR_PREEMPTION:
        return "mark";
      case MARK_CONTAINER_FOR_KILLABLE:
        return "kill";
      case KILL_RESERVED_CONTAINER:
        return "drop";
      default:
        throw new IllegalArgumentException(e.toString());
    }
  }

  /** What the policy has come to for each queue, by its path: the last of its selectors that computes it. */
  private List<Object> shares() throws Exception {
    Map<?, ?> queues = (Map<?, ?>) FairRun.field(policy.getClass(), "queueToPartitions").get(policy);
    List<Object> rows = new ArrayList<>();
    for (Map.Entry<?, ?> q : new TreeMap<>(queues).entrySet()) {
      Object shares = ((Map<?, ?>) q.getValue()).get("");
      List<Object> row = new ArrayList<>(List.of(q.getKey()));
      for (String field : new String[] {"current", "pending", "idealAssigned", "toBePreempted", "actuallyToBePreempted"}) {
        Resource r = (Resource) FairRun.field(shares.getClass(), field).get(shares);
        if (r == null) {
          row.add(null);
        } else {
          List<Object> size = new ArrayList<>();
          Recorder.size(size, r);
          row.add(size);
        }
      }
      rows.add(row);
    }
    return rows;
  }
}
