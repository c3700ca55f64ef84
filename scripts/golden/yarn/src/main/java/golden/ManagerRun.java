package golden;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceOption;
import org.apache.hadoop.yarn.server.api.protocolrecords.UnRegisterNodeManagerRequest;
import org.apache.hadoop.yarn.server.resourcemanager.ClusterMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeResourceUpdateEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;

/** A random run of a whole ResourceManager. */
final class ManagerRun extends ManagerCalls {
  /**
   * With wide, nodes may report that they are not healthy, clients end applications, and settings are drawn that the others leave alone; with full, all settings of queues that the runs of the
   * schedulers alone draw.
   */
  ManagerRun(long seed, boolean wide, boolean full) {
    super(seed, wide);
    this.full = full;
  }

  /** Takes all settings of a run of a scheduler alone. Passes of continuous scheduling and preemption are threads of their own. */
  private void take(Run of) {
    settings = of;
    site.putAll(of.site);
    site.put("yarn.scheduler.fair.continuous-scheduling-enabled", false);
    site.put("yarn.scheduler.fair.preemption", false);
  }

  // ---- settings

  private String configure() {
    site.put("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", -1);
    site.put("yarn.nm.liveness-monitor.expiry-interval-ms", pick(6_000, 9_001, 15_000));
    site.put("yarn.am.liveness-monitor.expiry-interval-ms", pick(8_000, 12_002, 20_000));
    site.put("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", pick(3_000, 5_000, 7_001));
    site.put("yarn.resourcemanager.am.max-attempts", pick(1, 2, 2, 3));
    if (percent(50)) {
      site.put("yarn.resourcemanager.am.global.max-attempts", pick(1, 2, 4));
    }
    if (wide && percent(10)) {
      site.put("yarn.scheduler.include-port-in-node-name", true);
    }
    if (wide && percent(60)) {
      site.put("yarn.resourcemanager.am-scheduling.node-blacklisting-enabled", true);
      if (percent(70)) {
        site.put("yarn.resourcemanager.am-scheduling.node-blacklisting-disable-threshold", List.of("0.0", "0.4", "0.5", "0.8", "1.0", "-0.1", "1.5").get(rnd.nextInt(7)));
      }
    }
    site.put("yarn.scheduler.minimum-allocation-mb", pick(256, 512, 1024));
    site.put("yarn.scheduler.maximum-allocation-mb", pick(4096, 8192));
    site.put("yarn.scheduler.maximum-allocation-vcores", pick(3, 8));
    scheduler = List.of("fair", "fair", "capacity", "fifo").get(rnd.nextInt(4));
    switch (scheduler) {
      case "fair":
        if (full) {
          WideFairRun of = new WideFairRun(rnd.nextInt() * 2L + 1, false, false);
          of.rare = percent(60);
          of.configure();
          take(of);
          String xml = of.allocations();
          queues = of.queues();
          return xml;
        }
        site.put("yarn.scheduler.fair.assignmultiple", percent(70));
        site.put("yarn.scheduler.fair.dynamic.max.assign", percent(50));
        if (percent(40)) {
          site.put("yarn.scheduler.fair.locality.threshold.node", "0.5");
        }
        queues = List.of("root.a", "root.b");
        return "<?xml version=\"1.0\"?><allocations><defaultQueueSchedulingPolicy>" + (percent(50) ? "fair" : "drf") + "</defaultQueueSchedulingPolicy>"
            + "<queueMaxAMShareDefault>" + List.of("0.5", "1.0", "-1.0").get(rnd.nextInt(3)) + "</queueMaxAMShareDefault>"
            + "<queue name=\"a\"><maxRunningApps>" + pick(1, 2, 9) + "</maxRunningApps></queue><queue name=\"b\"/></allocations>";
      case "capacity":
        if (full) {
          CapacityRun of = percent(50) ? new RareCapacityRun(rnd.nextInt(), false, false) : new MixedCapacityRun(rnd.nextInt(), false, false);
          of.configure();
          take(of);
          queues = of.queues();
          return null;
        }
        site.put(CapacityRun.PREFIX + "resource-calculator", "org.apache.hadoop.yarn.util.resource." + (percent(50) ? "Dominant" : "Default") + "ResourceCalculator");
        site.put(CapacityRun.PREFIX + "maximum-am-resource-percent", percent(50) ? "0.4" : "1.0");
        site.put(CapacityRun.PREFIX + "root.queues", "a,b");
        site.put(CapacityRun.PREFIX + "root.a.capacity", 40);
        site.put(CapacityRun.PREFIX + "root.b.capacity", 60);
        site.put(CapacityRun.PREFIX + "root.a.user-limit-factor", 10);
        site.put(CapacityRun.PREFIX + "node-locality-delay", pick(-1, 2));
        queues = List.of("root.a", "root.b");
        return null;
      default:
        queues = List.of("default");
        return null;
    }
  }

  List<String> play(String name, int hosts, int events, File dir) throws Exception {
    String xml = configure();
    Configuration conf = Calls.conf(site);
    conf.set("yarn.resourcemanager.scheduler.class", SCHEDULERS + Map.of("fair", "fair.FairScheduler", "capacity", "capacity.CapacityScheduler", "fifo", "fifo.FifoScheduler").get(scheduler));
    if (xml != null) {
      File file = new File(dir, "fair-scheduler.xml");
      Files.write(file.toPath(), xml.getBytes(StandardCharsets.UTF_8));
      conf.set("yarn.scheduler.fair.allocation.file", file.getAbsolutePath());
    }
    QueueMetrics.clearQueueMetrics();
    ClusterMetrics.destroy();
    if (!Sizes.table(conf)) {
      return List.of();
    }
    Recorder.dates = true;
    try {
      m = new LiveManager(conf, dir);
    } catch (RuntimeException e) {
      if (full) {
        return List.of(); // the class refuses these settings
      }
      throw e;
    }
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("run", name);
    head.put("scheduler", scheduler);
    head.put("manager", true);
    head.put("start", Manager.START);
    head.put("sizes", true);
    head.put("site", site);
    if (xml != null) {
      fair = (FairScheduler) (Object) m.scheduler();
      head.put("fair_scheduler_xml", xml);
      head.put("queues", FairRun.settings(fair));
    }
    for (int i = 1; i <= hosts; i++) {
      Worker w = new Worker(i);
      workers.put(w.host, w);
      if (!percent(15)) {
        register(w);
      }
    }
    while (lines.size() < events && !stuck) {
      step();
    }
    m.end();
    head.put("events", lines.size());
    lines.add(0, JSON.writeValueAsString(head));
    return lines;
  }

  void asks(List<List<Object>> rows) {
    int priority = 1 + rnd.nextInt(3);
    int mem = percent(4) ? pick(-1, 100_000) : pick(1, 256, 512, 1000, 1024, 2048, 3000);
    int vc = percent(2) ? 1000 : pick(1, 1, 2);
    int count = pick(0, 1, 2, 4, 9);
    Map<String, Integer> racks = new TreeMap<>();
    if (percent(50) && !scheduler.equals("fifo")) { // which throws where a row is missing
      List<Worker> some = new ArrayList<>(workers.values());
      Collections.shuffle(some, rnd);
      for (Worker w : some.subList(0, 1 + rnd.nextInt(Math.min(3, some.size())))) {
        rows.add(Calls.row(priority, w.host, 1 + rnd.nextInt(1 + count), mem, vc, 0, true));
        racks.merge(LiveManager.rack(w.number), 1 + count / 2, Integer::sum);
      }
    }
    racks.forEach((r, n) -> rows.add(Calls.row(priority, r, n, mem, vc, 0, true)));
    rows.add(Calls.row(priority, "*", count, mem, vc, 0, true));
  }

  void ask(Master a, boolean quiet) throws Exception {
    List<List<Object>> rows = new ArrayList<>();
    List<Long> releases = new ArrayList<>();
    List<String> add = new ArrayList<>();
    List<String> remove = new ArrayList<>();
    if (!quiet) {
      for (int i = pick(0, 0, 1, 1, 2); i > 0; i--) {
        asks(rows);
      }
      for (Held c : a.held) {
        if (percent(c.ended ? 1 : 8)) {
          releases.add(Manager.number(c.id));
        }
      }
      if (percent(3)) {
        releases.add((((long) a.attempt - 1) << 32) + 60);
      }
      if (percent(6)) {
        add.add(pick(new ArrayList<>(workers.keySet())));
      }
      if (percent(6)) {
        remove.add(pick(new ArrayList<>(workers.keySet())));
      }
    }
    ask(a, rows, releases, add, remove);
  }

  // ---- the script

  private void step() throws Exception {
    long nm = ((Number) site.get("yarn.nm.liveness-monitor.expiry-interval-ms")).longValue();
    long am = ((Number) site.get("yarn.am.liveness-monitor.expiry-interval-ms")).longValue();
    if (percent(80)) {
      clock(pick(1, 100, 500, 1000, 1000, 1500));
    }
    if (masters.size() < 2 + workers.size() && percent(masters.size() < 2 ? 60 : 15)) {
      submit();
    }
    if (percent(70)) {
      state();
    }
    for (Worker w : new ArrayList<>(workers.values())) {
      if (w.up && (percent(45) || LiveManager.now() - w.beat > nm / 3)) {
        beat(w);
      }
      for (Process p : new ArrayList<>(w.processes)) {
        if (w.up && !p.exited && percent(p.told ? 50 : 4) && (p.told || !ends(p))) {
          exit(p, p.told ? pick(-105, 137, 143) : pick(0, 0, 1, 137));
        }
      }
    }
    for (Master a : new ArrayList<>(masters.values())) {
      if (masters.get(a.app) == a) {
        act(a, am);
      }
    }
    if (wide && percent(3) && !masters.isEmpty()) {
      withdraw(pick(new ArrayList<>(masters.values())));
    }
    if (wide) {
      for (Worker w : workers.values()) { // the next heartbeat says so
        if (w.up && in(w) && !m.drains(w.host)) {
          w.sick = (w.sick ? !percent(25) : percent(2)) && fits(m.getRMContext().getRMNodes().get(w.id()).getTotalCapability());
          w.wasSick |= w.sick;
        }
      }
    }
    if (percent(12)) {
      churn(pick(new ArrayList<>(workers.values())));
    }
  }

  /** Whether a process is that of a master, which ends by what its master does. */
  private boolean ends(Process p) {
    return masters.values().stream().anyMatch(a -> a.process == p);
  }

  private boolean up(Held c) {
    Worker w = workers.get(c.host);
    return w.up && in(w) && !w.sick && !unhealthy(w);
  }

  private void act(Master a, long am) throws Exception {
    boolean late = LiveManager.now() - a.heard > am / 3;
    if (a.own != null && !a.own.started && up(a.own) && percent(40)) {
      start(a, a.own);
    }
    if (!a.runs() || !up(a.own)) {
      return;
    }
    if (a.unregistered) {
      if (percent(40) || late) {
        exit(a.process, pick(0, 0, 0, 1));
      }
      return;
    }
    if (!a.registered) {
      if (percent(wide ? 12 : 3)) {
        exit(a.process, pick(1, 10, 137, -103));
      } else if (percent(50) || late) {
        registerMaster(a);
      }
      return;
    }
    if (percent(45) || late) {
      ask(a, percent(25));
    }
    for (Held c : a.held) {
      if (!c.started && up(c) && percent(c.ended ? 10 : 40) && !c.missed) {
        start(a, c);
      }
    }
    if (percent(2)) {
      exit(a.process, pick(1, 10, 137, -101, -104));
    } else if (percent(4)) {
      unregister(a);
    }
  }

  private void churn(Worker w) throws Exception {
    Map<String, Object> e;
    // With the FifoScheduler no attempt goes on once a node's total has changed: its report of usage takes the queue for one of the CapacityScheduler.
    switch (scheduler.equals("fifo") ? pick(0, 1, 5, 5) : pick(0, 1, 2, 2, 3, 4, 5, 5)) {
      case 0:
        if (w.up) { // its machine fails
          e = event("silent");
          e.put("n", w.host);
          w.up = false;
          w.processes.forEach(p -> p.exited = true);
          emit(e, () -> w.processes.clear());
        }
        break;
      case 1:
        if (w.up && in(w) && percent(40)) {
          e = event("leave");
          e.put("n", w.host);
          w.up = false;
          w.processes.forEach(p -> p.exited = true);
          w.processes.clear();
          emit(e, () -> m.tracker().unRegisterNodeManager(UnRegisterNodeManagerRequest.newInstance(w.id())));
        }
        break;
      case 2:
        if (in(w) && !w.wasSick) {
          int patience = pick(-1, 0, 1, 3, 30);
          e = event("drain");
          e.put("n", w.host);
          e.put("patience", patience < 0 ? -1 : patience * 1000);
          emit(e, () -> m.drain(w.host, patience));
        }
        break;
      case 3:
        if (m.drains(w.host)) {
          e = event("undrain");
          e.put("n", w.host);
          emit(e, () -> m.drain(w.host, null));
        }
        break;
      case 4:
        if (in(w)) {
          int mem = pick(1024, 4096, 8192, 16384);
          int vc = pick(1, 4, 8, 20);
          if ((w.sick || unhealthy(w)) && !fits(Resource.newInstance(mem, vc))) {
            break;
          }
          e = event("total");
          e.put("n", w.host);
          e.put("mem", mem);
          e.put("vc", vc);
          emit(e, () -> m.getRMContext().getDispatcher().getEventHandler().handle(
              new RMNodeResourceUpdateEvent(w.id(), ResourceOption.newInstance(Resource.newInstance(mem, vc), -1))));
        }
        break;
      default:
        if (!w.up && !m.drains(w.host)) {
          register(w);
        }
    }
  }
}
