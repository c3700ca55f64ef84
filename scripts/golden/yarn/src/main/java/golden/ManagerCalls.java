package golden;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.KillApplicationRequest;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.SubmitApplicationRequest;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceBlacklistRequest;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.server.api.protocolrecords.NodeHeartbeatRequest;
import org.apache.hadoop.yarn.server.api.protocolrecords.NodeHeartbeatResponse;
import org.apache.hadoop.yarn.server.api.protocolrecords.RegisterNodeManagerRequest;
import org.apache.hadoop.yarn.server.api.protocolrecords.RegisterNodeManagerResponse;
import org.apache.hadoop.yarn.server.api.records.NodeAction;
import org.apache.hadoop.yarn.server.api.records.NodeHealthStatus;
import org.apache.hadoop.yarn.server.api.records.NodeStatus;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceTrackerService;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;

/** What a script can have NodeManagers, application masters and clients tell a whole ResourceManager, and what was seen to follow. */
abstract class ManagerCalls {
  static final ObjectMapper JSON = new ObjectMapper();
  static final String SCHEDULERS = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.";

  final Random rnd;
  final Map<String, Object> site = new TreeMap<>();
  final List<String> lines = new ArrayList<>();
  final Map<String, Worker> workers = new TreeMap<>();
  final Map<Integer, Master> masters = new TreeMap<>();
  LiveManager m;
  FairScheduler fair;
  List<String> queues;
  String scheduler;
  final boolean wide;
  boolean full; // settings of queues
  Run settings; // whence they are
  int nextApp = 1;
  boolean stuck; // a scheduler has thrown at the ask for a master: the attempt waits for ever, and the run ends before

  /** A NodeManager. */
  static final class Worker {
    final int number;
    final String host;
    boolean up; // it sends heartbeats
    boolean sick; // it says that it is not healthy
    boolean wasSick; // since the ResourceManager has it
    int answers;
    long beat;
    final List<Process> processes = new ArrayList<>();

    Worker(int number) {
      this.number = number;
      host = LiveManager.host(number);
    }

    NodeId id() {
      return NodeId.newInstance(host, 8041);
    }
  }

  /** A container as its NodeManager has it, until the ResourceManager lets it forget it. */
  static final class Process {
    final Held held;
    boolean told; // to end
    boolean exited;
    boolean forgotten; // by the ResourceManager, once it has exited
    int exit;

    Process(Held held) {
      this.held = held;
    }
  }

  /** A container that its application has been given, or that of its master. */
  static final class Held {
    final ContainerId id;
    final String host;
    boolean started;
    boolean ended; // as its application has heard
    boolean missed; // its node was told to end it before it was started

    Held(ContainerId id, String host) {
      this.id = id;
      this.host = host;
    }
  }

  /** The attempt of an application. */
  static final class Master {
    final int app;
    int attempt = 1;
    boolean registered;
    boolean unregistered;
    Held own;
    Process process;
    int answers;
    long heard;
    final List<Held> held = new ArrayList<>();

    Master(int app) {
      this.app = app;
    }

    ApplicationAttemptId id() {
      return ApplicationAttemptId.newInstance(Manager.appId(app), attempt);
    }

    boolean runs() {
      return process != null && !process.exited;
    }
  }

  ManagerCalls(long seed, boolean wide) {
    rnd = new Random(seed);
    this.wide = wide;
  }

  boolean percent(int p) {
    return rnd.nextInt(100) < p;
  }

  int pick(int... of) {
    return of[rnd.nextInt(of.length)];
  }

  <T> T pick(List<T> of) {
    return of.get(rnd.nextInt(of.size()));
  }

  // ---- events

  static Map<String, Object> event(String e) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("e", e);
    return m;
  }

  /** Makes a call, handles what follows from it, and writes both. */
  void emit(Map<String, Object> e, Calls.Call call) throws Exception {
    List<String> before = inside();
    Recorder.begin();
    m.launches.clear();
    call.make();
    m.run();
    List<List<Object>> o = Recorder.taken();
    Recorder.sortEnds(o);
    Calls.put(e, "o", o);
    Calls.put(e, "launch", new ArrayList<>(m.launches));
    List<List<Object>> ends = new ArrayList<>();
    if (full) {
      stuck |= m.getRMContext().getRMApps().values().stream().anyMatch(a -> a.getCurrentAppAttempt() != null && a.getCurrentAppAttempt().getState() == RMAppAttemptState.SUBMITTED);
    }
    if (stuck) {
      return;
    }
    for (Master a : new ArrayList<>(masters.values())) {
      RMApp app = m.getRMContext().getRMApps().get(Manager.appId(a.app));
      RMAppState s = app.getState();
      boolean over = s == RMAppState.FINISHED || s == RMAppState.FAILED || s == RMAppState.KILLED;
      int attempt = app.getCurrentAppAttempt().getAppAttemptId().getAttemptId();
      if (over || attempt != a.attempt) {
        ends.add(Arrays.asList(a.app, s == RMAppState.FINISHED ? "finished" : s == RMAppState.KILLED ? "killed" : over ? "failed" : "again"));
        masters.remove(a.app);
        if (!over) {
          Master next = new Master(a.app);
          next.attempt = attempt;
          masters.put(a.app, next);
        }
      }
    }
    Calls.put(e, "ends", ends);
    before.removeAll(inside());
    Calls.put(e, "gone", before);
    lines.add(JSON.writeValueAsString(e));
    for (List<Object> l : m.launches) {
      Master a = masters.get((Integer) l.get(0));
      ContainerId id = Manager.container((Integer) l.get(0), (Long) l.get(1));
      if (a != null && id.getApplicationAttemptId().getAttemptId() == a.attempt) {
        a.own = new Held(id, (String) l.get(2));
      }
    }
  }

  List<String> inside() {
    List<String> in = new ArrayList<>();
    m.getRMContext().getRMNodes().forEach((id, n) -> {
      if (n.getState() != NodeState.UNHEALTHY) {
        in.add(id.getHost());
      }
    });
    Collections.sort(in);
    return in;
  }

  boolean in(Worker w) {
    return m.getRMContext().getRMNodes().containsKey(w.id());
  }

  /** Whether the ResourceManager has a node as one that is not healthy. */
  boolean unhealthy(Worker w) {
    RMNode n = m.getRMContext().getRMNodes().get(w.id());
    return n != null && n.getState() == NodeState.UNHEALTHY;
  }

  /** Whether a node that has this may register. Where one that is not healthy has less it comes back all the same, when it is: a trace does not tell the two apart. */
  boolean fits(Resource total) throws Exception {
    return total.getMemorySize() >= FairRun.field(ResourceTrackerService.class, "minAllocMb").getInt(m.tracker())
        && total.getVirtualCores() >= FairRun.field(ResourceTrackerService.class, "minAllocVcores").getInt(m.tracker());
  }

  void register(Worker w) throws Exception {
    Map<String, Object> e = event("node");
    int mem = pick(1024, 4096, 6000, 8192, 16384);
    int vc = pick(1, 4, 8, 20);
    e.put("n", w.host);
    e.put("rack", LiveManager.rack(w.number));
    e.put("mem", mem);
    e.put("vc", vc);
    w.processes.clear();
    w.up = true;
    w.sick = false;
    w.wasSick &= in(w);
    w.answers = 0;
    w.beat = LiveManager.now();
    emit(e, () -> {
      RegisterNodeManagerResponse r = m.tracker().registerNodeManager(RegisterNodeManagerRequest.newInstance(w.id(), 8042, Resource.newInstance(mem, vc),
          "3.4.1", List.of(), List.of(), null, null, null, status(w)));
      if (r.getNodeAction() != NodeAction.NORMAL) {
        e.put("refused", true);
        w.up = false;
      }
      m.run();
      if (unhealthy(w)) { // until its first heartbeat
        e.put("sick", true);
      }
    });
  }

  NodeStatus status(Worker w) {
    List<ContainerStatus> statuses = new ArrayList<>();
    for (Process p : w.processes) {
      statuses.add(ContainerStatus.newInstance(p.held.id, p.exited ? ContainerState.COMPLETE : ContainerState.RUNNING, "", p.exited ? p.exit : -1000));
    }
    return NodeStatus.newInstance(w.id(), w.answers, statuses, List.of(), NodeHealthStatus.newInstance(!w.sick, "", LiveManager.now()), null, null, null);
  }

  void beat(Worker w) throws Exception {
    Map<String, Object> e = event("beat");
    e.put("n", w.host);
    w.beat = LiveManager.now();
    masters.values().forEach(a -> a.held.forEach(c -> c.missed |= !c.started && c.host.equals(w.host) && m.scheduler().getRMContainer(c.id) == null));
    boolean was = unhealthy(w);
    emit(e, () -> {
      NodeHeartbeatResponse r = m.tracker().nodeHeartbeat(NodeHeartbeatRequest.newInstance(status(w), null, null, null));
      w.answers = r.getResponseId();
      if (r.getNodeAction() != NodeAction.NORMAL) {
        e.put("answer", r.getNodeAction().toString());
        w.up = false;
        w.processes.clear();
        return;
      }
      List<List<Object>> kill = new ArrayList<>();
      for (Process p : w.processes) {
        ContainerId id = p.held.id;
        if (!p.exited && !p.told && (r.getContainersToCleanup().contains(id) || r.getApplicationsToCleanup().contains(id.getApplicationAttemptId().getApplicationId()))) {
          p.told = true;
          kill.add(Arrays.asList(Recorder.app(id), Manager.number(id)));
        }
      }
      Calls.put(e, "kill", kill);
      for (Process p : w.processes) {
        p.forgotten |= r.getContainersToBeRemovedFromNM().contains(p.held.id) || r.getApplicationsToCleanup().contains(p.held.id.getApplicationAttemptId().getApplicationId());
      }
      w.processes.removeIf(p -> p.exited && p.forgotten);
      m.run();
      if (unhealthy(w)) {
        e.put("sick", true);
      } else if (was) {
        Resource total = m.getRMContext().getRMNodes().get(w.id()).getTotalCapability();
        e.put("well", List.of(total.getMemorySize(), total.getVirtualCores()));
      }
    });
  }

  Map<String, Object> about(String what, Held c) {
    Map<String, Object> e = event(what);
    e.put("a", Recorder.app(c.id));
    e.put("c", Manager.number(c.id));
    e.put("n", c.host);
    return e;
  }

  /** The call of a master, or of the launcher, that starts a container. */
  void start(Master a, Held c) throws Exception {
    c.started = true;
    Process p = new Process(c);
    Map<String, Object> e = about("start", c);
    emit(e, () -> {
      workers.get(c.host).processes.add(p);
      if (c == a.own) {
        a.process = p;
        a.heard = LiveManager.now();
        m.getRMContext().getDispatcher().getEventHandler().handle(new RMAppAttemptEvent(a.id(), RMAppAttemptEventType.LAUNCHED));
      }
    });
  }

  void exit(Process p, int status) throws Exception {
    Map<String, Object> e = about("exit", p.held);
    e.put("exit", status);
    emit(e, () -> {
      p.exited = true;
      p.exit = status;
    });
  }

  void submit() throws Exception {
    Master a = new Master(nextApp++);
    String queue = percent(4) ? "root.none.such." : pick(settings != null ? settings.queues() : queues);
    int mem = percent(3) ? 100_000 : pick(1, 512, 1000, 2048);
    int vc = pick(1, 1, 2);
    int tries = pick(0, 0, 1, 2, 3, 7);
    Map<String, Object> e = event("submit");
    e.put("a", a.app);
    e.put("queue", queue);
    e.put("u", settings != null ? settings.user() : "u" + pick(1, 2));
    int priority = settings != null ? settings.appPriority() : 0;
    if (priority != 0) {
      e.put("pri", priority);
    }
    e.put("am", List.of(mem, vc));
    e.put("tries", tries);
    long validity = wide ? pick(-1, -1, 1_500, 6_000, 20_000) : -1;
    if (wide) {
      e.put("validity", validity);
    }
    m.rejection = null;
    emit(e, () -> {
      ApplicationSubmissionContext sub = ApplicationSubmissionContext.newInstance(Manager.appId(a.app), "app", queue, settings != null && priority == 0 ? null : Priority.newInstance(priority),
          ContainerLaunchContext.newInstance(null, null, null, null, null, null), false, true, tries, Resource.newInstance(mem, vc));
      sub.setAttemptFailuresValidityInterval(validity);
      try {
        UserGroupInformation.createRemoteUser((String) e.get("u")).doAs((PrivilegedExceptionAction<Object>) () -> m.getClientRMService().submitApplication(SubmitApplicationRequest.newInstance(sub)));
        m.run();
        if (m.rejection == null) {
          masters.put(a.app, a);
        }
      } catch (java.lang.reflect.UndeclaredThrowableException x) {
        m.rejection = String.valueOf(x.getCause());
      }
      if (m.rejection != null) {
        e.put("refused", true);
      }
    });
  }

  /** What a client says that wants an application to end. */
  void withdraw(Master a) throws Exception {
    Map<String, Object> e = event("withdraw");
    e.put("a", a.app);
    emit(e, () -> m.getClientRMService().forceKillApplication(KillApplicationRequest.newInstance(Manager.appId(a.app))));
  }

  void registerMaster(Master a) throws Exception {
    a.registered = true;
    a.answers = 0;
    talk(a, "reg", e -> m.masters().registerApplicationMaster(RegisterApplicationMasterRequest.newInstance("h", 0, "")));
  }

  void unregister(Master a) throws Exception {
    a.unregistered = true;
    talk(a, "unreg", e -> m.masters().finishApplicationMaster(FinishApplicationMasterRequest.newInstance(FinalApplicationStatus.SUCCEEDED, "", "")));
  }

  interface Talk {
    void with(Map<String, Object> e) throws Exception;
  }

  void talk(Master a, String what, Talk t) throws Exception {
    Map<String, Object> e = event(what);
    e.put("a", a.app);
    a.heard = LiveManager.now();
    emit(e, () -> m.as(a.id(), () -> {
      t.with(e);
      return null;
    }));
  }

  void ask(Master a, List<List<Object>> rows, List<Long> releases, List<String> add, List<String> remove) throws Exception {
    List<ResourceRequest> requests = new ArrayList<>();
    for (List<Object> r : rows) {
      requests.add(ResourceRequest.newInstance(Priority.newInstance((Integer) r.get(0)), (String) r.get(1), Resource.newInstance((Integer) r.get(3), (Integer) r.get(4)), (Integer) r.get(2)));
    }
    List<ContainerId> rel = new ArrayList<>();
    releases.forEach(n -> rel.add(Manager.container(a.app, n)));
    talk(a, "ask", e -> {
      Calls.put(e, "ask", rows);
      Calls.put(e, "rel", releases);
      Calls.put(e, "bl+", add);
      Calls.put(e, "bl-", remove);
      AllocateResponse r;
      try {
        r = m.masters().allocate(AllocateRequest.newInstance(a.answers, 0, requests, rel, ResourceBlacklistRequest.newInstance(add, remove)));
      } catch (Exception x) {
        e.put("err", x.getClass().getSimpleName());
        return;
      }
      a.answers = r.getResponseId();
      List<Long> got = new ArrayList<>();
      for (Container c : r.getAllocatedContainers()) {
        got.add(Manager.number(c.getId()));
        a.held.add(new Held(c.getId(), c.getNodeId().getHost()));
      }
      Calls.put(e, "got", got);
      List<List<Object>> done = new ArrayList<>();
      for (ContainerStatus s : r.getCompletedContainersStatuses()) {
        done.add(Arrays.asList(Manager.number(s.getContainerId()), s.getExitStatus()));
        for (Held c : a.held) {
          c.ended |= c.id.equals(s.getContainerId());
        }
      }
      done.sort((x, y) -> Long.compare((Long) x.get(0), (Long) y.get(0)));
      Calls.put(e, "done", done);
      if (r.getAvailableResources() != null) {
        List<Object> head = new ArrayList<>();
        Recorder.size(head, r.getAvailableResources());
        e.put("head", head);
      }
      e.put("cn", r.getNumClusterNodes());
    });
  }

  /** Brings the time forward, look by look. */
  void clock(long by) throws Exception {
    for (long at = LiveManager.now() + by; LiveManager.now() < at;) {
      Map<String, Object> e = event("clock");
      emit(e, () -> {
        String look = m.forward(at);
        e.put("t", LiveManager.now());
        if (look != null) {
          e.put("look", look);
        }
      });
    }
  }

  void state() throws Exception {
    if (fair != null) {
      emit(event("tick"), fair::update);
    }
    Map<String, Object> e = event("nstate");
    emit(e, () -> {
      List<Object> rows = new ArrayList<>();
      for (Worker w : workers.values()) {
        SchedulerNode n = m.scheduler().getSchedulerNode(w.id());
        if (n != null) {
          List<Object> row = new ArrayList<>(List.of(w.host));
          Recorder.size(row, n.getUnallocatedResource());
          row.add(n.getNumContainers());
          rows.add(row);
        }
      }
      e.put("ns", rows);
    });
  }
}
