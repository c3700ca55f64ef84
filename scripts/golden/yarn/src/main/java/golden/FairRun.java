package golden;

import java.io.File;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.AllocationConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.ConfigurableResource;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSAppAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSLeafQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSQueueType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSSchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.QueueManager;

/** A random run of the FairScheduler. */
class FairRun extends Run {
  private final List<String> leaves = new ArrayList<>();
  final boolean preemption;
  boolean plans; // leaf queues may be for reservations
  private final List<Object[]> kills = new ArrayList<>(); // due time, containers
  FairScheduler fair;
  private Object thread;
  private File file;

  FairRun(long seed, boolean preemption) {
    super(seed);
    this.preemption = preemption;
  }

  @Override
  List<String> queues() {
    return leaves;
  }

  @Override
  String queue() {
    String q = super.queue();
    if (strange == null || !percent(15)) {
      return q;
    }
    int dot = q.lastIndexOf('.');
    return percent(30) ? new Texts(rnd).path() : pick(q.substring(0, dot), q.substring(dot + 1), q + ".x", q + ".", "root", "default", "root.default", "Root" + q.substring(4), q.toUpperCase(), q.substring(0, dot) + ".y.z", q + " ", " " + q);
  }

  // ---- configuration

  String policy(String parent, boolean leaf) {
    if (parent.equals("fair")) {
      return leaf ? pick("fair", "fair", "fifo") : "fair";
    }
    return leaf ? pick("fair", "drf", "drf", "fifo") : pick("fair", "drf");
  }

  private String resource(int mem, int vc) {
    if (rare && Recorder.third && percent(60)) {
      int gpu = rnd.nextInt(20);
      return pick("memory-mb=" + mem + ", vcores=" + vc + ", yarn.io/gpu=" + gpu, "yarn.io/gpu=" + gpu + ",memory-mb=" + mem,
          "vcores=" + vc + ",yarn.io/gpu=" + gpu + ",memory-mb=" + mem);
    }
    return pick(mem + " mb, " + vc + " vcores", "memory-mb=" + mem + ", vcores=" + vc, "vcores=" + vc + ",memory-mb=" + mem);
  }

  private void queue(StringBuilder b, String path, String parentPolicy, int depth) {
    boolean leaf = depth >= (rare ? 5 : 3) || percent(depth == 1 || rare ? 60 : 75);
    String policy = policy(parentPolicy, leaf);
    String name = path.substring(path.lastIndexOf('.') + 1);
    b.append("<queue name=\"").append(name).append('"').append(leaf ? "" : " type=\"parent\"").append(">");
    // A queue without a policy of its own has the default one, which may be too much for its parent.
    if (!rare || percent(85)) {
      b.append("<schedulingPolicy>").append(policy).append("</schedulingPolicy>");
    }
    if (percent(60)) {
      b.append("<weight>").append(wide ? pick("0", "1e-30", "0.0001", "1", "1000000", "1e20", "3e38")
          : pick("0.1", "0.5", "1.5", "2", "3.0", "10", "0")).append("</weight>");
    }
    if (percent(preemption ? 60 : 30)) {
      b.append("<minResources>").append(resource(rnd.nextInt(8000), rnd.nextInt(12))).append("</minResources>");
    }
    if (percent(30)) {
      String most = wide && percent(40) ? pick(resource(0, 0), resource(rnd.nextInt(3000), rnd.nextInt(3)), "0%", "0.0% memory, 100% cpu", "200%")
          : percent(50) ? resource(2000 + rnd.nextInt(30000), 2 + rnd.nextInt(40))
          : pick((30 + rnd.nextInt(70)) + "%", (20 + rnd.nextInt(80)) + "% memory, " + (20 + rnd.nextInt(80)) + "% cpu",
              "vcores=" + (20 + rnd.nextInt(80)) + "%", "memory-mb=" + (4000 + rnd.nextInt(20000)));
      if (rare && percent(30)) {
        most = percentages();
      }
      b.append("<maxResources>").append(most).append("</maxResources>");
    }
    if (percent(25)) {
      b.append("<maxRunningApps>").append((wide ? 0 : 1) + rnd.nextInt(4)).append("</maxRunningApps>");
    }
    if (leaf && percent(40)) {
      b.append("<maxAMShare>").append(rare && percent(30) ? pick("-0.5", "-0.99995", "2.0", "0.33", "0.00001") : wide ? pick("0", "0.01", "0.5", "1.0", "-1.0") : pick("0.1", "0.3", "0.5", "1.0", "-1.0"))
          .append("</maxAMShare>");
    }
    if (percent(10)) {
      b.append("<maxContainerAllocation>").append(wide && percent(40) ? resource(rnd.nextInt(1500), rnd.nextInt(2))
          : resource(2048 + rnd.nextInt(6000), 1 + rnd.nextInt(6))).append("</maxContainerAllocation>");
    }
    if (!leaf && percent(30)) {
      b.append("<maxChildResources>").append(wide && percent(30) ? resource(0, rnd.nextInt(2))
          : resource(3000 + rnd.nextInt(9000), 3 + rnd.nextInt(9))).append("</maxChildResources>");
    }
    if (preemption) {
      timeouts(b);
      if (percent(15)) {
        b.append("<allowPreemptionFrom>false</allowPreemptionFrom>");
      }
    }
    if (leaf) {
      if (plans && percent(50)) {
        b.append("<reservation/>");
        if (percent(20)) {
          leaves.add(path + "." + name + pick("-default", "-other"));
        }
      }
      leaves.add(path);
    } else {
      int n = 1 + rnd.nextInt(3);
      for (int i = 0; i < n; i++) {
        queue(b, path + "." + (char) ('a' + i) + depth, policy, depth + 1);
      }
      if (percent(40)) {
        leaves.add(path + ".dyn" + rnd.nextInt(3));
      }
    }
    b.append("</queue>\n");
  }

  private String percentages() {
    int a = rnd.nextInt(130);
    int c = rnd.nextInt(130);
    if (Recorder.third && percent(60)) {
      return pick("yarn.io/gpu=" + a + "%", "memory-mb=" + a + ".7%, yarn.io/gpu=" + c + "%", "vcores=" + a + "%,yarn.io/gpu=" + c + ".25%, memory-mb=80%");
    }
    return pick(a + ".3%", a + ".1% cpu, " + c + "% memory", "memory-mb=" + a + "%, vcores=" + c + ".9%");
  }

  /** Settings of the root, which other kinds leave as they are. */
  private void root(StringBuilder b) {
    if (percent(25)) {
      b.append("<maxResources>").append(percent(50) ? percentages() : resource(4000 + rnd.nextInt(60000), 4 + rnd.nextInt(80))).append("</maxResources>");
    }
    if (percent(20)) {
      b.append("<minResources>").append(resource(rnd.nextInt(60000), rnd.nextInt(60))).append("</minResources>");
    }
    if (percent(20)) {
      b.append("<maxRunningApps>").append(rnd.nextInt(5)).append("</maxRunningApps>");
    }
    if (percent(20)) {
      b.append("<weight>").append(pick("0", "0.5", "7")).append("</weight>");
    }
    if (percent(15)) {
      b.append("<maxContainerAllocation>").append(resource(1024 + rnd.nextInt(9000), 1 + rnd.nextInt(8))).append("</maxContainerAllocation>");
    }
    if (percent(15)) {
      b.append("<maxChildResources>").append(resource(3000 + rnd.nextInt(9000), 3 + rnd.nextInt(9))).append("</maxChildResources>");
    }
    if (preemption) {
      timeouts(b);
      if (percent(5)) {
        b.append("<allowPreemptionFrom>false</allowPreemptionFrom>");
      }
    }
  }

  private void timeouts(StringBuilder b) {
    if (percent(40)) {
      b.append("<minSharePreemptionTimeout>").append(pick(0, 1, 5, 30)).append("</minSharePreemptionTimeout>");
    }
    if (percent(40)) {
      b.append("<fairSharePreemptionTimeout>").append(pick(0, 1, 5, 30)).append("</fairSharePreemptionTimeout>");
    }
    if (percent(40)) {
      b.append("<fairSharePreemptionThreshold>").append(wide ? pick("0.0", "0.5", "1.0") : pick("0.2", "0.5", "0.8", "1.0")).append("</fairSharePreemptionThreshold>");
    }
  }

  void configure() {
    String f = "yarn.scheduler.fair.";
    site.put("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", percent(70) ? -1 : 1000000000000000L);
    site.put(f + "assignmultiple", percent(60));
    if (percent(50)) {
      site.put(f + "dynamic.max.assign", percent(40));
      site.put(f + "max.assign", pick(-1, 1, 2, 3, 5));
    }
    if (percent(60)) {
      site.put(f + "locality.threshold.node", pick("0.1", "0.3", "0.5", "1.0", "-1.0", "0.7"));
      site.put(f + "locality.threshold.rack", pick("0.1", "0.3", "0.5", "1.0", "-1.0", "0.0"));
    }
    if (percent(15)) {
      site.put(f + "sizebasedweight", true);
    }
    if (percent(30)) {
      site.put(f + "reservable-nodes", pick("0.05", "0.3", "0.5", "1.0"));
    }
    if (percent(50)) {
      site.put("yarn.scheduler.reservation-threshold.increment-multiple", pick("0.5", "1.0", "2.0"));
    }
    if (percent(60)) {
      site.put("yarn.resource-types.memory-mb.increment-allocation", pick("1", "100", "256", "512", "1024"));
    }
    if (preemption) {
      site.put(f + "preemption", true);
      site.put(f + "preemption.cluster-utilization-threshold", pick("0.0", "0.3", "0.8"));
      site.put(f + "waitTimeBeforeKill", pick(0, 1000, 5000, 15000));
      site.put(f + "waitTimeBeforeNextStarvationCheck", pick(0, 1000, 10000));
      if (percent(20)) {
        site.put(f + "am.preemption", false);
      }
    }
  }

  private void rareSettings() {
    String f = "yarn.scheduler.fair.";
    if (percent(40)) {
      site.put(f + "locality.threshold.node", pick("0.0", "2.0", "0.01", "-0.5", "0.9"));
      site.put(f + "locality.threshold.rack", pick("0.0", "2.0", "0.01", "0.25", "-0.0"));
    }
    if (percent(30)) {
      site.put(f + "reservable-nodes", pick("0", "2.0", "0.34", "-1"));
    }
    if (percent(40)) {
      site.put("yarn.scheduler.reservation-threshold.increment-multiple", pick("0", "0.1", "1.3", "4", "-1"));
    }
    if (percent(20)) {
      site.put(f + "max.assign", pick(0, 1, 7, -5));
    }
    if (preemption && percent(30)) {
      site.put(f + "preemption.cluster-utilization-threshold", pick("-1", "0.99", "1.0", "0.55"));
    }
  }

  /** A random allocation file. Its queues are added to those that applications name. */
  String allocations() {
    StringBuilder b = new StringBuilder("<?xml version=\"1.0\"?>\n<allocations>\n");
    String root = pick("fair", "drf", "drf");
    b.append("<defaultQueueSchedulingPolicy>").append(root.equals("fair") ? "fair" : pick("fair", "drf")).append("</defaultQueueSchedulingPolicy>");
    if (percent(30)) {
      b.append("<queueMaxAMShareDefault>").append(pick("0.2", "0.5", "1.0", "-1.0")).append("</queueMaxAMShareDefault>");
    }
    if (percent(15)) {
      b.append("<queueMaxAppsDefault>").append((wide ? 0 : 2) + rnd.nextInt(4)).append("</queueMaxAppsDefault>");
    }
    if (percent(15)) {
      b.append("<userMaxAppsDefault>").append((wide ? 0 : 1) + rnd.nextInt(3)).append("</userMaxAppsDefault>");
    }
    if (percent(20)) {
      b.append("<user name=\"u1\"><maxRunningApps>").append((wide ? 0 : 1) + rnd.nextInt(2)).append("</maxRunningApps></user>");
    }
    if (percent(15)) {
      b.append("<queueMaxResourcesDefault>").append(resource(8000 + rnd.nextInt(30000), 8 + rnd.nextInt(40))).append("</queueMaxResourcesDefault>");
    }
    if (preemption) {
      b.append("<defaultMinSharePreemptionTimeout>").append(pick(0, 1, 5)).append("</defaultMinSharePreemptionTimeout>");
      b.append("<defaultFairSharePreemptionTimeout>").append(pick(0, 1, 5)).append("</defaultFairSharePreemptionTimeout>");
      b.append("<defaultFairSharePreemptionThreshold>").append(pick("0.5", "0.8", "1.0")).append("</defaultFairSharePreemptionThreshold>");
    }
    if (rare && percent(25)) {
      b.append("<queueMaxResourcesDefault>").append(percentages()).append("</queueMaxResourcesDefault>");
    }
    boolean bare = rare && percent(30); // the root is not in the file
    if (bare) {
      root = "fair";
      b.append("<defaultQueueSchedulingPolicy>fair</defaultQueueSchedulingPolicy>");
    } else {
      b.append("\n<queue name=\"root\"><schedulingPolicy>").append(root).append("</schedulingPolicy>\n");
      if (rare) {
        root(b);
      }
    }
    int n = 1 + rnd.nextInt(4);
    for (int i = 0; i < n; i++) {
      queue(b, "root." + pick("prod", "dev", "etl", "Zed", "x") + i, root, 1);
    }
    b.append(bare ? "</allocations>\n" : "</queue></allocations>\n");
    if (percent(30)) {
      leaves.add("root.new" + rnd.nextInt(2));
    }
    return strange != null && percent(20) ? new Edits(rnd).of(b.toString()).replace("us-ascii", "UTF-8") : b.toString();
  }

  List<String> play(String name, int hosts, int events, File dir) throws Exception {
    rackCount = 1 + rnd.nextInt(4);
    configure();
    if (rare) {
      Sizes.draw(this, true);
      Sizes.steps(this);
      rareSettings();
    }
    String xml = allocations();
    for (String q : odd ? leaves : List.<String>of()) {
      if (percent(40)) {
        site.put("yarn.scheduler.fair.am.preemption." + q, percent(50));
      }
    }
    file = new File(dir, "fair-scheduler.xml");
    write(xml);
    Configuration conf = conf(site);
    conf.set("yarn.scheduler.fair.allocation.file", file.getAbsolutePath());
    if (rare && !Sizes.table(conf)) {
      return List.of();
    }
    QueueMetrics.clearQueueMetrics();
    m = new Manager(conf);
    fair = new FairScheduler();
    s = fair;
    field(QueueManager.class, "incompatibleQueuesPendingRemoval").set(fair.getQueueManager(), new LinkedHashSet<>());
    fair.setClock(m.clock);
    m.context.setScheduler(fair);
    fair.setRMContext(m.context);
    try {
      fair.init(conf);
    } catch (RuntimeException e) {
      if (rare) {
        return List.of(); // the class refuses these settings
      }
      throw e;
    }
    order();
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("run", name);
    head.put("scheduler", "fair");
    head.put("start", Manager.START);
    head.put("nodes", hosts);
    head.put("per_app", true);
    head.put("preemption", preemption);
    if (rare) {
      head.put("sizes", true);
    }
    if (Recorder.third) {
      head.put("types", Recorder.names());
    }
    head.put("site", site);
    head.put("fair_scheduler_xml", xml);
    head.put("queues", settings(fair));
    if (preemption) {
      thread = field(FairScheduler.class, "preemptionThread").get(fair);
      head.put("wait_before_kill_ms", field(thread.getClass(), "warnTimeBeforeKill").get(thread));
      head.put("next_starvation_check_ms", field(thread.getClass(), "delayBeforeNextStarvationCheck").get(thread));
    }
    script(hosts, events);
    if (broken) {
      head.put("ends_with_error", true);
    }
    head.put("events", lines.size());
    lines.add(0, JSON.writeValueAsString(head));
    return lines;
  }

  /**
   * Gives what the class goes through by the addresses of objects an order of its own, which is one of those that addresses give: parents that a
   * reload no longer declares come before leaves. Queues that wait for another one to go are kept in the order in which they began to.
   */
  void order() throws Exception {
    AllocationConfiguration conf = fair.getAllocationConfiguration();
    Map<FSQueueType, Set<String>> declared = conf.getConfiguredQueues();
    Map<FSQueueType, Set<String>> ordered = new LinkedHashMap<>();
    ordered.put(FSQueueType.PARENT, declared.get(FSQueueType.PARENT));
    ordered.put(FSQueueType.LEAF, declared.get(FSQueueType.LEAF));
    field(AllocationConfiguration.class, "configuredQueues").set(conf, ordered);
  }

  void write(String xml) throws Exception {
    Files.write(file.toPath(), xml.getBytes(StandardCharsets.UTF_8));
  }

  // ---- state

  static Field field(Class<?> c, String name) throws Exception {
    for (; ; c = c.getSuperclass()) {
      try {
        Field f = c.getDeclaredField(name);
        f.setAccessible(true);
        return f;
      } catch (NoSuchFieldException e) {
        if (c.getSuperclass() == null) {
          throw e;
        }
      }
    }
  }

  static Object call(Object on, String name, Object... args) throws Exception {
    return callIn(on.getClass(), on, name, args);
  }

  static Object callIn(Class<?> type, Object on, String name, Object... args) throws Exception {
    for (Class<?> c = type; c != null; c = c.getSuperclass()) {
      for (Method f : c.getDeclaredMethods()) {
        if (f.getName().equals(name) && f.getParameterCount() == args.length) {
          f.setAccessible(true);
          return f.invoke(on, args);
        }
      }
    }
    throw new NoSuchMethodException(name);
  }

  private static List<Object> pair(Resource r) {
    List<Object> l = new ArrayList<>();
    Recorder.size(l, r);
    return l;
  }

  static List<FSQueue> all(FairScheduler f) {
    List<FSQueue> out = new ArrayList<>();
    collect(f.getQueueManager().getRootQueue(), out);
    return out;
  }

  private static void collect(FSQueue q, List<FSQueue> out) {
    out.add(q);
    for (FSQueue c : q.getChildQueues()) {
      collect(c, out);
    }
  }

  static List<Object> settings(FairScheduler f) throws Exception {
    List<Object> out = new ArrayList<>();
    for (FSQueue q : all(f)) {
      Map<String, Object> r = new LinkedHashMap<>();
      r.put("name", q.getName());
      r.put("leaf", q instanceof FSLeafQueue);
      r.put("policy", q.getPolicy().getName());
      r.put("weight", q.getWeight());
      r.put("min", pair(q.getMinShare()));
      r.put("max_running_apps", call(q, "getMaxRunningApps"));
      r.put("max_am_share", q.getMaxAMShare());
      r.put("preemptable", call(q, "isPreemptable"));
      r.put("fs_threshold", call(q, "getFairSharePreemptionThreshold"));
      r.put("fs_timeout", call(q, "getFairSharePreemptionTimeout"));
      r.put("min_timeout", call(q, "getMinSharePreemptionTimeout"));
      ConfigurableResource max = q.getRawMaxShare();
      if (max.getPercentages() != null) {
        r.put("max_pct", max.getPercentages());
      } else {
        r.put("max", pair(max.getResource()));
      }
      r.put("max_container", pair(q.getMaximumContainerAllocation()));
      out.add(r);
    }
    return out;
  }

  @Override
  void state() throws Exception {
    Map<String, Object> e = event("update");
    emit(e, () -> {
      fair.update();
      List<Object> q = new ArrayList<>();
      for (FSQueue x : all(fair)) {
        List<Object> r = new ArrayList<>();
        r.add(x.getName());
        Recorder.size(r, x.getFairShare());
        Recorder.size(r, x.getSteadyFairShare());
        Recorder.size(r, x.getDemand());
        Recorder.size(r, x.getResourceUsage());
        r.add(x.getNumRunnableApps());
        if (x instanceof FSLeafQueue) {
          r.add(call(x, "getNumNonRunnableApps"));
          Recorder.size(r, (Resource) call(x, "getAmResourceUsage"));
        }
        q.add(r);
      }
      e.put("q", q);
      List<Object> rows = new ArrayList<>();
      for (App a : apps.values()) {
        FSAppAttempt app = fair.getSchedulerApp(Manager.attemptId(a.id));
        if (app == null || !app.getApplicationAttemptId().equals(Manager.attemptId(a.id))) {
          continue; // the class gives the one before until the next one comes
        }
        List<Object> r = new ArrayList<>();
        r.add(a.id);
        Recorder.size(r, app.getFairShare());
        Recorder.size(r, app.getDemand());
        Recorder.size(r, app.getResourceUsage());
        r.add((Boolean) call(app.getQueue(), "isRunnableApp", app) ? 1 : 0);
        rows.add(r);
      }
      e.put("apps", rows);
    });
  }

  // ---- preemption

  @Override
  void more() throws Exception {
    if (!preemption || !percent(50)) {
      return;
    }
    preemptAndKill();
  }

  private static List<Object> id(RMContainer c) {
    List<Object> r = new ArrayList<>();
    r.add(Recorder.app(c.getContainerId()));
    r.add(Recorder.number(c));
    return r;
  }

  /** Shares, the thread that marks containers and the timer that kills them, in a row. */
  void preemptAndKill() throws Exception {
    state();
    preempt();
    kill();
  }

  private void preempt() throws Exception {
    Map<String, Object> e = event("preempt");
    List<Object> nodeNames = new ArrayList<>();
    List<Object> contents = new ArrayList<>();
    for (FSSchedulerNode n : fair.getNodeTracker().getAllNodes()) {
      nodeNames.add(Recorder.host(n));
      List<Object> list = new ArrayList<>();
      for (Object c : (List<?>) call(n, "getRunningContainersWithAMsAtTheEnd")) {
        list.add(id((RMContainer) c));
      }
      contents.add(list);
    }
    e.put("nodes", nodeNames);
    e.put("cont", contents);
    List<Object> starved = new ArrayList<>();
    List<Object> marks = new ArrayList<>();
    e.put("starved", starved);
    e.put("marks", marks);
    emit(e, () -> {
      Object queue = call(call(fair, "getContext"), "getStarvedApps");
      java.util.Collection<?> waiting = (java.util.Collection<?>) field(queue.getClass(), "appsToProcess").get(queue);
      while (!waiting.isEmpty()) {
        FSAppAttempt app = (FSAppAttempt) call(queue, "take");
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("a", app.getApplicationId().getId());
        row.put("starvation", pair((Resource) call(app, "getStarvation")));
        List<Object> rr = new ArrayList<>();
        for (Object o : (List<?>) call(app, "getStarvedResourceRequests")) {
          ResourceRequest q = (ResourceRequest) o;
          List<Object> r = new ArrayList<>();
          r.add(q.getPriority().getPriority());
          r.add(q.getResourceName());
          r.add(q.getNumContainers());
          Recorder.size(r, q.getCapability());
          rr.add(r);
        }
        row.put("rr", rr);
        starved.add(row);
        List<?> chosen = (List<?>) call(thread, "identifyContainersToPreempt", app);
        List<Object> mark = new ArrayList<>();
        for (Object o : chosen) {
          RMContainer c = (RMContainer) o;
          List<Object> r = id(c);
          r.add(c.getAllocatedNode().getHost());
          mark.add(r);
        }
        marks.add(mark);
        kills.add(new Object[] {m.clock.now + (Long) field(thread.getClass(), "warnTimeBeforeKill").get(thread), chosen});
        call(app, "preemptionTriggered", field(thread.getClass(), "delayBeforeNextStarvationCheck").get(thread));
      }
      // The thread would now wait for the next application, and forget this one before it does.
      field(queue.getClass(), "appBeingProcessed").set(queue, null);
    });
  }

  private void kill() throws Exception {
    Map<String, Object> e = event("kill");
    emit(e, () -> {
      for (Object[] k : new ArrayList<>(kills)) {
        if ((Long) k[0] > m.clock.now) {
          continue;
        }
        kills.remove(k);
        for (Object o : (List<?>) k[1]) {
          RMContainer c = (RMContainer) o;
          fair.completedContainer(c, SchedulerUtils.createPreemptedContainerStatus(
              c.getContainerId(), SchedulerUtils.PREEMPTED_CONTAINER), RMContainerEventType.KILL);
        }
      }
    });
  }
}
