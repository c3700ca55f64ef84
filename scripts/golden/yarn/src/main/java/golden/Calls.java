package golden;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceOption;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.placement.ApplicationPlacementContext;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerImpl;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeResourceUpdateEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.UpdatedContainerInfo;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.Allocation;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ContainerUpdates;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAttemptAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAttemptRemovedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppRemovedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeRemovedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeResourceUpdateSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeUpdateSchedulerEvent;

/** The calls of a scheduler that a script can make, what each was seen to do, and their recording. */
abstract class Calls {
  static final ObjectMapper JSON = new ObjectMapper();
  private static final Configuration DEFAULTS = new YarnConfiguration();

  final Random rnd;
  final List<String> lines = new ArrayList<>();
  final Map<String, String> racks = new TreeMap<>();
  final Map<String, RMNode> nodes = new TreeMap<>();
  final Map<Integer, App> apps = new TreeMap<>();
  final Map<String, Box> boxes = new TreeMap<>();
  final List<String> allHosts = new ArrayList<>();
  final Map<String, Object> site = new TreeMap<>();
  Manager m;
  AbstractYarnScheduler<?, ?> s;
  int nextApp = 1;
  int rackCount;
  String rackPrefix = "/rack";
  boolean wide; // values at the edge and beyond, kills in every state
  boolean wholeTables; // every ask has rows for its racks and for anywhere
  boolean drainedTotals; // what a scheduler wants of a draining node comes about
  boolean odd; // what no master or node of the other kinds does
  boolean rare; // settings, names and ports that the other kinds never draw
  boolean keys; // asks of one priority that differ by their allocation request id
  boolean named; // nodes are called by host and port, types have units, capacities add up to 0
  boolean lasting; // containers seldom end of themselves, on larger nodes
  boolean storm; // asks that no client makes, unlike nodes, many events in one millisecond
  boolean broken; // the last event threw
  Strange strange; // null where clients and nodes know the cluster
  Resizes resizes; // null where containers keep their sizes

  Calls(long seed) {
    rnd = new Random(seed);
  }

  static Configuration conf(Map<String, Object> site) {
    DEFAULTS.size(); // parses the files of defaults, unless that is done
    Configuration conf = new YarnConfiguration(DEFAULTS);
    for (Map.Entry<String, Object> e : site.entrySet()) {
      conf.set(e.getKey(), e.getValue().toString());
    }
    return conf;
  }

  // ---- what a kind of scheduler adds

  abstract List<String> queues();

  /** Fields of an event that refreshes shares or shows state. */
  abstract void state() throws Exception;

  void more() throws Exception {}

  boolean percent(int p) {
    return rnd.nextInt(100) < p;
  }

  <T> T pick(List<T> list) {
    return list.get(rnd.nextInt(list.size()));
  }

  int pick(int... of) {
    return of[rnd.nextInt(of.length)];
  }

  String pick(String... of) {
    return of[rnd.nextInt(of.length)];
  }

  // ---- events

  Map<String, Object> event(String e) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("e", e);
    return m;
  }

  interface Call {
    void make() throws Exception;
  }

  /** Makes a call and writes the event with what happened inside. */
  void emit(Map<String, Object> e, Call call) throws Exception {
    if (broken) {
      return;
    }
    Recorder.begin();
    try {
      call.make();
      m.release(s);
    } catch (Exception x) {
      boolean reflected = x instanceof InvocationTargetException && x.getCause() instanceof Exception;
      e.put("err", (reflected ? x.getCause() : x).getClass().getSimpleName());
      // A call that fails on an overtaken decrease has half of its effects.
      broken = !"alloc".equals(e.get("e")) || resizes != null && "NullPointerException".equals(e.get("err"));
      if (System.getProperty("trace") != null) {
        x.printStackTrace();
      }
    }
    List<List<Object>> o = Recorder.taken();
    if ("node_rm".equals(e.get("e")) || "att_rm".equals(e.get("e")) || "app_rm".equals(e.get("e"))) {
      Recorder.sortEnds(o);
    }
    if (!o.isEmpty()) {
      e.put("o", o);
    }
    lines.add(JSON.writeValueAsString(e));
    for (List<Object> r : o) {
      follow(r);
      if (drainedTotals && ("A".equals(r.get(0)) || "R".equals(r.get(0)))) {
        date(Manager.container((Integer) r.get(1), (Long) r.get(2)), nodes.get((String) r.get(3)));
      }
    }
  }

  /** Gives a container the script's time as that of its making: the class takes the machine's, by which the newest ones are chosen. */
  private void date(ContainerId id, RMNode on) throws Exception {
    SchedulerNode node = s.getSchedulerNode(on.getNodeID());
    List<RMContainer> there = new ArrayList<>(node.getCopiedListOfRunningContainers());
    there.add(node.getReservedContainer());
    java.lang.reflect.Field made = RMContainerImpl.class.getDeclaredField("creationTime");
    made.setAccessible(true);
    for (RMContainer c : there) {
      if (c != null && c.getContainerId().equals(id) && made.getLong(c) > m.clock.now) {
        made.setLong(c, m.clock.now);
      }
    }
  }

  static String key(int app, long c) {
    return String.format("%06d/%09d", app, c);
  }

  private void follow(List<Object> r) {
    int app = (Integer) r.get(1);
    switch ((String) r.get(0)) {
      case "A":
        if (r.get(7).equals("H")) {
          resizes.helpers.add(new Box(app, (Long) r.get(2), (String) r.get(3), r));
          break;
        }
        if (r.size() > 8 + Recorder.more.size()) {
          Box grows = boxes.get(key(app, (Long) r.get(r.size() - 1)));
          if (grows != null) {
            grows.growing = true;
          }
          break;
        }
        boxes.put(key(app, (Long) r.get(2)), new Box(app, (Long) r.get(2), (String) r.get(3), r));
        if (apps.containsKey(app)) {
          apps.get(app).amHere = true;
        }
        break;
      case "D":
        Box b = boxes.get(key(app, (Long) r.get(2)));
        if (b != null) {
          b.ended = true;
          if (!b.launched) {
            boxes.remove(key(app, b.number));
            if (strange != null) {
              strange.ended(b);
            }
          }
        }
        break;
      case "X":
        apps.remove(app);
        break;
      default:
    }
  }

  void clock(int ms) throws Exception {
    tick(ms);
  }

  void tick(int ms) throws Exception {
    Map<String, Object> e = event("clock");
    m.clock.now += rare && percent(1) ? 5_000_000_000L : ms;
    Recorder.now = m.clock.now;
    e.put("t", m.clock.now);
    emit(e, () -> {});
  }

  void addNode(String host) throws Exception {
    String rack = racks.computeIfAbsent(host, h -> rackPrefix + rnd.nextInt(rackCount));
    int mem = wide ? pick(0, 512, 2048, 4096, 8192, 12345, 65536) : pick(2048, 4096, 8192, 10240, 16384, 5000);
    int vc = wide ? pick(0, 1, 4, 8, 16, 64) : pick(2, 4, 8, 16, 5);
    if (lasting && percent(85)) {
      mem = pick(8192, 10240, 16384, 24576, 40000);
      vc = pick(8, 10, 16, 24, 40);
    }
    if (resizes != null && resizes.roomy) {
      mem += 8192;
      vc += 8;
    }
    if (storm) {
      mem = pick(mem, 0, 1, 1023, 3000, 200_000);
      vc = pick(vc, 0, 1, 3, 500);
    }
    if (rare && strange == null && percent(10)) {
      mem = pick(786432, 1 << 30, Integer.MAX_VALUE);
      vc = pick(128, 30000);
    }
    Map<String, Object> e = event("node_add");
    e.put("n", host);
    e.put("rack", rack);
    e.put("mem", mem);
    e.put("vc", vc);
    int gpu = gpus(e, mem, vc);
    int port = rare ? pick(8041, 45454, 0, 30000 + rnd.nextInt(30000)) : 8041;
    if (rare) {
      e.put("port", port);
    }
    RMNode node = m.node(host, port, rack, Recorder.resource(mem, vc, gpu));
    nodes.put(host, node);
    m.ends = drainedTotals;
    emit(e, () -> s.handle(new NodeAddedSchedulerEvent(node)));
  }

  /** The third type of a node, where there is one. */
  private int gpus(Map<String, Object> e, int mem, int vc) {
    int gpu = !Recorder.third ? 0 : lasting ? pick(0, 4, 16, 16) : pick(0, 0, 1, 4, 16);
    if (Recorder.third) {
      e.put("x", Recorder.more(mem, vc, gpu));
    }
    return gpu;
  }

  void removeNode(String host) throws Exception {
    Map<String, Object> e = event("node_rm");
    e.put("n", host);
    RMNode node = nodes.remove(host);
    m.context.getRMNodes().remove(node.getNodeID());
    emit(e, () -> s.handle(new NodeRemovedSchedulerEvent(node)));
    boxes.values().removeIf(b -> b.node.equals(host));
    if (strange != null) {
      strange.gone(host);
    }
    if (wide && percent(30)) {
      racks.remove(host); // it may come back on another rack
    }
  }

  void resizeNode(String host) throws Exception {
    if (drainedTotals && m.states.containsKey(host)) {
      return; // it has what it holds
    }
    Map<String, Object> e = event("node_res");
    int mem = wide ? pick(0, 0, 512, 2048, 8192, 65536) : pick(1024, 2048, 4096, 8192, 12288);
    int vc = wide ? pick(0, 1, 2, 8, 64) : pick(1, 2, 4, 8, 12);
    e.put("n", host);
    e.put("mem", mem);
    e.put("vc", vc);
    Resource total = Recorder.resource(mem, vc, gpus(e, mem, vc));
    m.sizes.put(host, total);
    emit(e, () -> s.handle(new NodeResourceUpdateSchedulerEvent(nodes.get(host), ResourceOption.newInstance(total, -1))));
  }

  void addApp() throws Exception {
    App a = new App(nextApp++, queue());
    apps.put(a.id, a);
    String user = user();
    a.am = new int[] {pick(512, 1024, 1500, 2048), pick(1, 1, 1, 2), 0};
    if (wide && percent(20)) {
      a.am = new int[] {pick(1, 10, 100, 4096, 20000), pick(0, 1, 5, 40), Recorder.third ? pick(0, 1) : 0};
    }
    Map<String, Object> e = event("app_add");
    e.put("a", a.id);
    e.put("queue", a.queue);
    e.put("u", user);
    boolean sized = !wide || percent(85);
    if (sized) {
      List<Integer> size = new ArrayList<>(List.of(a.am[0], a.am[1]));
      size.addAll(Recorder.more(a.am[0], a.am[1], a.am[2]));
      e.put("am", size);
    }
    Resource am = sized ? Recorder.resource(a.am[0], a.am[1], a.am[2]) : null;
    int priority = appPriority();
    if (priority > 0) {
      e.put("pri", priority);
    }
    m.submit(a.id, a.queue, user, am, priority);
    emit(e, () -> s.handle(new AppAddedSchedulerEvent(user, m.context.getRMApps().get(Manager.appId(a.id))
        .getApplicationSubmissionContext(), false, Priority.newInstance(priority), placed(a.queue))));
    if (!apps.containsKey(a.id)) {
      return;
    }
    if (wide && percent(25)) {
      return; // its attempt comes later, or never
    }
    attempt(a);
  }

  String queue() {
    return pick(queues());
  }

  String user() {
    return "u" + (1 + rnd.nextInt(wide ? 2 : 4));
  }

  void attempt(App a) throws Exception {
    Map<String, Object> t = event("att_add");
    t.put("a", a.id);
    emit(t, () -> s.handle(new AppAttemptAddedSchedulerEvent(Manager.attemptId(a.id), false)));
    a.attempted = true;
    if (!wide || percent(85)) {
      askMaster(a);
    }
  }

  void askMaster(App a) throws Exception {
    // The ResourceManager keeps masters away from nodes on which others failed.
    List<String> away = rare && percent(25) ? List.of(pick(allHosts)) : null;
    List<String> back = rare && percent(10) ? List.of(pick(allHosts)) : null;
    ask(a, List.of(row(0, "*", 1, a.am[0], a.am[1], a.am[2], true)), List.of(), away, back);
    a.amAsked = true;
  }

  int appPriority() {
    return strange != null && percent(30) ? rnd.nextInt(12) : 0;
  }

  ApplicationPlacementContext placed(String queue) {
    return new ApplicationPlacementContext(queue);
  }

  static List<Object> row(int priority, String name, int count, int mem, int vc, int gpu, boolean relax) {
    List<Object> row = new ArrayList<>(Arrays.asList(priority, name, count, mem, vc, relax ? 1 : 0));
    row.addAll(Recorder.more(mem, vc, gpu));
    return row;
  }

  private long requestId() {
    long[] ids = {-1, 0, 1, 7, 1L << 32, Long.MAX_VALUE};
    return ids[rnd.nextInt(ids.length)];
  }

  void ask(App a, List<List<Object>> asks, List<Long> releases, List<String> add, List<String> remove) throws Exception {
    ask(a, asks, releases, add, remove, List.of());
  }

  void ask(App a, List<List<Object>> asks, List<Long> releases, List<String> add, List<String> remove,
      List<List<Object>> updates) throws Exception {
    Map<String, Object> e = event("alloc");
    e.put("a", a.id);
    List<ResourceRequest> requests = new ArrayList<>();
    List<Long> requestIds = new ArrayList<>();
    boolean several = keys && a.pulled && percent(60);
    Map<Integer, Long> of = new TreeMap<>(); // ids by priority: rows of one table are mostly for the same
    for (List<Object> r : asks) {
      ResourceRequest q = ResourceRequest.newInstance(Priority.newInstance((Integer) r.get(0)), (String) r.get(1),
          Recorder.resource((Integer) r.get(3), (Integer) r.get(4), Recorder.gpu(r, 6)), (Integer) r.get(2), (Integer) r.get(5) == 1);
      if (several) {
        long id = percent(5) ? requestId() : of.computeIfAbsent((Integer) r.get(0), p -> requestId());
        q.setAllocationRequestId(id);
        requestIds.add(id);
      }
      requests.add(q);
    }
    List<ContainerId> rel = new ArrayList<>();
    for (long c : releases) {
      rel.add(Manager.container(a.id, c));
    }
    put(e, "ask", asks);
    put(e, "ids", requestIds);
    put(e, "rel", releases);
    put(e, "bl+", add);
    put(e, "bl-", remove);
    put(e, "upd", updates);
    emit(e, () -> {
      ContainerUpdates checked = resizes == null ? new ContainerUpdates() : resizes.check(a, updates, e);
      Allocation got = s.allocate(Manager.attemptId(a.id), requests, null, rel, add, remove, checked);
      List<Long> ids = new ArrayList<>();
      for (Container c : got.getContainers()) {
        ids.add(Manager.number(c.getId()));
      }
      put(e, "got", ids);
      List<Object> head = new ArrayList<>();
      Recorder.size(head, got.getResourceLimit());
      e.put("head", head);
      List<Long> pre = new ArrayList<>();
      for (Set<ContainerId> some : Arrays.asList(got.getStrictContainerPreemptions(), got.getContainerPreemptions())) {
        for (ContainerId c : some == null ? Set.<ContainerId>of() : some) {
          pre.add(Manager.number(c));
        }
      }
      Collections.sort(pre);
      put(e, "pre", pre);
      for (long c : ids) {
        Box b = boxes.get(key(a.id, c));
        if (b != null) {
          b.acquired = true;
        }
      }
      if (resizes != null) {
        resizes.given(a, got, e);
      }
    });
  }

  static void put(Map<String, Object> e, String name, List<?> list) {
    if (list != null && !list.isEmpty()) {
      e.put(name, list);
    }
  }

  void pull(App a) throws Exception {
    Map<String, Object> e = event("am_pull");
    e.put("a", a.id);
    emit(e, () -> {
      Allocation got = s.allocate(Manager.attemptId(a.id), List.of(), null, List.of(), null, null, new ContainerUpdates());
      List<Long> ids = new ArrayList<>();
      for (Container c : got.getContainers()) {
        ids.add(Manager.number(c.getId()));
        Box b = boxes.get(key(a.id, Manager.number(c.getId())));
        if (b != null) {
          b.acquired = true;
        }
        if (ids.size() == 1) {
          m.masters.put(a.id, c);
          RMContainer rc = s.getRMContainer(c.getId());
          if (rc != null) {
            ((RMContainerImpl) rc).setAMContainer(true);
          }
        }
      }
      put(e, "got", ids);
    });
    a.pulled = true;
  }

  void heartbeat(String host) throws Exception {
    Map<String, Object> e = event("hb");
    e.put("n", host);
    List<List<Object>> launched = new ArrayList<>();
    List<List<Object>> ended = new ArrayList<>();
    List<ContainerStatus> up = new ArrayList<>();
    List<ContainerStatus> down = new ArrayList<>();
    for (Box b : new ArrayList<>(boxes.values())) {
      if (!b.node.equals(host)) {
        continue;
      }
      ContainerId id = Manager.container(b.app, b.number);
      if (b.acquired && !b.launched && !b.ended && percent(70)) {
        b.launched = true;
        launched.add(List.of(b.app, b.number));
        up.add(ContainerStatus.newInstance(id, ContainerState.RUNNING, "", 0));
      } else if (b.launched && (b.ended ? percent(60) : percent(endChance(b)))) {
        int exit = b.ended ? 143 : pick(0, 0, 0, 1, 137);
        ended.add(List.of(b.app, b.number, exit));
        down.add(ContainerStatus.newInstance(id, ContainerState.COMPLETE, "", exit));
        boxes.remove(key(b.app, b.number));
      } else if (odd && b.acquired && !b.launched && !b.ended && percent(20)) { // it has ended before its node could report it
        int exit = pick(0, 1, -1000);
        ended.add(List.of(b.app, b.number, exit));
        down.add(ContainerStatus.newInstance(id, ContainerState.COMPLETE, "", exit));
        boxes.remove(key(b.app, b.number));
      }
    }
    if (strange != null) {
      strange.report(host, launched, up);
    }
    if (resizes != null) {
      resizes.report(host, e, launched, up, ended, down);
    } else {
      put(e, "l", launched);
    }
    put(e, "c", ended);
    if (!up.isEmpty() || !down.isEmpty()) {
      m.reports.get(host).add(new UpdatedContainerInfo(up, down, Collections.emptyList()));
    }
    emit(e, () -> s.handle(new NodeUpdateSchedulerEvent(nodes.get(host))));
    for (App a : new ArrayList<>(apps.values())) {
      if (a.amHere && !a.pulled) {
        pull(a);
      }
    }
    if (drainedTotals) {
      drainedTotal();
    }
    m.totals.clear();
  }

  /** The attempt fails; the next one comes at once or later. */
  void fail(App a) throws Exception {
    Map<String, Object> e = event("att_rm");
    e.put("a", a.id);
    emit(e, () -> s.handle(new AppAttemptRemovedSchedulerEvent(Manager.attemptId(a.id), RMAppAttemptState.FAILED, false)));
    m.masters.remove(a.id);
    a.attempted = a.amAsked = a.amHere = a.pulled = false;
    Manager.attempts.merge(a.id, 2, (x, y) -> x + 1);
    if (percent(70) || drainedTotals) { // the ResourceManager begins the next one at once
      attempt(a);
    }
  }

  /** The decommission of a node begins or is taken back. */
  void drain(String host) throws Exception {
    boolean on = m.states.remove(host) == null;
    if (on) {
      m.states.put(host, NodeState.DECOMMISSIONING);
    }
    Map<String, Object> e = event("drain");
    e.put("n", host);
    e.put("up", on);
    emit(e, () -> {});
  }

  /** Gives the scheduler what it wants a draining node to have, as the node itself does when it is told. */
  private void drainedTotal() throws Exception {
    for (RMNodeResourceUpdateEvent u : m.totals) {
      String host = u.getNodeId().getHost();
      Resource total = u.getResourceOption().getResource();
      Map<String, Object> e = event("node_res");
      e.put("n", host);
      e.put("mem", total.getMemorySize());
      e.put("vc", total.getVirtualCores());
      if (Recorder.third) {
        List<Object> size = new ArrayList<>();
        Recorder.size(size, total);
        e.put("x", size.subList(2, size.size()));
      }
      e.put("timeout", u.getResourceOption().getOverCommitTimeout());
      m.sizes.put(host, total);
      emit(e, () -> s.handle(new NodeResourceUpdateSchedulerEvent(nodes.get(host), u.getResourceOption())));
    }
    m.totals.clear();
  }

  private int endChance(Box b) {
    if (odd && percent(5)) {
      return 100;
    }
    return (b.number & 0xffffffffL) == 1 ? 0 : lasting ? 2 : resizes == null ? 12 : 4;
  }

  void removeApp(App a) throws Exception {
    Map<String, Object> e = event("app_rm");
    e.put("a", a.id);
    apps.remove(a.id);
    emit(e, () -> {
      if (a.attempted || Manager.attemptId(a.id).getAttemptId() == 1) {
        s.handle(new AppAttemptRemovedSchedulerEvent(Manager.attemptId(a.id), RMAppAttemptState.FINISHED, false));
      }
      s.handle(new AppRemovedSchedulerEvent(Manager.appId(a.id), RMAppState.FINISHED));
    });
    m.context.getRMApps().remove(Manager.appId(a.id));
  }
}
