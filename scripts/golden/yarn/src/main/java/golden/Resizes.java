package golden;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.ContainerUpdateType;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.UpdateContainerError;
import org.apache.hadoop.yarn.api.records.UpdateContainerRequest;
import org.apache.hadoop.yarn.server.resourcemanager.RMServerUtils;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.Allocation;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AppSchedulingInfo;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ContainerUpdates;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.ContainerExpiredSchedulerEvent;

/**
 * Changes of the size of containers in a run: what application masters ask, what nodes report as done, timers that run out. Masters
 * ask with the right version or not, for their own container, for more by a "decrease", twice in a call, for numbers that they
 * were never told; nodes report what was asked, more, less or something else.
 */
final class Resizes {
  private final Run run;
  private final boolean timers; // increases are handed out, so their timers run
  final boolean roomy; // nodes have room for some growth
  boolean numbers; // masters and nodes speak of the numbers that decreases use up
  final List<Box> helpers = new ArrayList<>(); // the containers without a size that have these numbers

  Resizes(Run run, boolean timers) {
    this.run = run;
    this.timers = timers;
    roomy = run.percent(60);
  }

  /** Random requests of an application: rows of container, version, I or D, size. */
  List<List<Object>> draw(App a) {
    List<List<Object>> rows = new ArrayList<>();
    if (!run.percent(60)) {
      return rows;
    }
    for (Box b : run.boxes.values()) {
      if (b.app == a.id && run.percent(b.ended || !b.acquired ? 1 : 25)) {
        rows.add(row(b, a.queue));
        if (run.percent(6)) {
          rows.add(row(b, a.queue));
        }
      }
    }
    if (run.percent(5)) {
      // A number of a container that is gone, of the growth of another one, or of none.
      boolean up = run.percent(50);
      rows.add(row(1 + run.rnd.nextInt(30), run.rnd.nextInt(3), up, new long[] {run.pick(1, 1024, 5000), run.pick(1, 3), 0}));
    }
    return rows;
  }

  private List<Object> row(Box b, String queue) {
    // A decrease of what grows at the moment makes the class throw for the rest of the run.
    boolean up = run.percent(b.growing ? 96 : 55);
    int sign = run.percent(8) == up ? -1 : 1;
    long[] size = b.size.clone();
    size[0] += sign * run.pick(0, 1, 100, 256, 512, 1024, 1024, 2000, 4096);
    size[1] += sign * run.pick(0, 0, 0, 1, 1, 2, 5);
    if (Recorder.third) {
      size[2] += sign * run.pick(0, 0, 1, 3);
    }
    if (sign < 0 && !run.percent(10)) {
      for (int i = 0; i < size.length; i++) {
        size[i] = Math.max(size[i], i == 2 ? 0 : 1);
      }
    }
    if (!run.percent(10)) {
      Resource most = run.s.getMaximumResourceCapability(queue);
      size[0] = Math.min(size[0], most.getMemorySize());
      size[1] = Math.min(size[1], most.getVirtualCores());
    }
    if (run.percent(3)) {
      size[run.rnd.nextInt(2)] = run.pick(-1, 0, 100000);
    }
    int version = run.percent(6) ? b.version + run.pick(-1, 1) : b.version;
    return row(b.number, version, up, size);
  }

  private static List<Object> row(long container, int version, boolean up, long[] size) {
    List<Object> row = new ArrayList<>(List.of(container, version, up ? "I" : "D", size[0], size[1]));
    if (Recorder.third) {
      row.add(size[2]);
    }
    return row;
  }

  private static Resource resource(List<Object> row, int at) {
    return Recorder.resource(((Number) row.get(at)).longValue(), ((Number) row.get(at + 1)).intValue(),
        Recorder.third ? ((Number) row.get(at + 2)).longValue() : 0);
  }

  /** Checks requests as the application master service does before it calls the scheduler. */
  ContainerUpdates check(App a, List<List<Object>> rows, Map<String, Object> e) {
    List<UpdateContainerRequest> requests = new ArrayList<>();
    for (List<Object> r : rows) {
      requests.add(UpdateContainerRequest.newInstance((Integer) r.get(1), Manager.container(a.id, ((Number) r.get(0)).longValue()),
          r.get(2).equals("I") ? ContainerUpdateType.INCREASE_RESOURCE : ContainerUpdateType.DECREASE_RESOURCE, resource(r, 3), null));
    }
    AllocateRequest request = AllocateRequest.newBuilder().updateRequests(requests).build();
    List<UpdateContainerError> errors = new ArrayList<>();
    ContainerUpdates ok = RMServerUtils.validateAndSplitUpdateResourceRequests(run.m.context, request, run.s.getMaximumResourceCapability(a.queue), errors);
    List<List<Object>> refused = new ArrayList<>();
    for (UpdateContainerError x : errors) {
      refused.add(List.of(number(x), x.getReason(), x.getCurrentContainerVersion()));
    }
    Run.put(e, "uerr", refused);
    return ok;
  }

  private static long number(UpdateContainerError x) {
    return Manager.number(x.getUpdateContainerRequest().getContainerId());
  }

  /** Writes what a call gave out of changed sizes and refusals. */
  void given(App a, Allocation got, Map<String, Object> e) {
    SchedulerApplicationAttempt attempt = run.s.getApplicationAttempt(Manager.attemptId(a.id));
    List<List<Object>> refused = new ArrayList<>();
    if (attempt != null) {
      for (UpdateContainerError x : attempt.pullUpdateContainerErrors()) {
        refused.add(List.of(number(x), x.getReason()));
      }
    }
    Run.put(e, "serr", refused);
    Run.put(e, "inc", changed(got.getIncreasedContainers(), true));
    Run.put(e, "dec", changed(got.getDecreasedContainers(), false));
  }

  private List<List<Object>> changed(List<Container> list, boolean up) {
    List<List<Object>> rows = new ArrayList<>();
    for (Container c : list == null ? List.<Container>of() : list) {
      List<Object> row = new ArrayList<>(List.of(Manager.number(c.getId())));
      Recorder.size(row, c.getResource());
      row.add(c.getVersion());
      rows.add(row);
      Box b = run.boxes.get(Run.key(Recorder.app(c.getId()), Manager.number(c.getId())));
      if (b != null) {
        b.resized(c.getResource(), c.getVersion());
        b.growing = false;
        if (up && b.launched) {
          b.unconfirmed = b.timed = true;
        }
      }
    }
    rows.sort((x, y) -> Long.compare((Long) x.get(0), (Long) y.get(0)));
    return rows;
  }

  /** Releases numbers of decreases, and the next numbers, which one of the same call may use up. */
  void release(App a, List<Long> releases) throws Exception {
    for (Box h : helpers) {
      if (h.app == a.id && run.percent(4)) {
        releases.add(h.number);
      }
    }
    SchedulerApplicationAttempt attempt = run.s.getApplicationAttempt(Manager.attemptId(a.id));
    if (attempt != null && run.percent(40)) {
      long last = ((AtomicLong) FairRun.field(AppSchedulingInfo.class, "containerIdCounter").get(attempt.getAppSchedulingInfo())).get();
      long before = Manager.number(ContainerId.newContainerId(attempt.getApplicationAttemptId(), 0));
      for (int i = 1 + run.rnd.nextInt(2); i > 0; i--) {
        releases.add(before + last + i);
      }
    }
  }

  /** Adds to a heartbeat what the node says of sizes, and of numbers of decreases that it cannot know. */
  void report(String host, Map<String, Object> e, List<List<Object>> launched, List<ContainerStatus> up, List<List<Object>> ended, List<ContainerStatus> down) {
    for (Box h : helpers) {
      if (!numbers || !h.node.equals(host)) {
        continue;
      }
      ContainerId id = Manager.container(h.app, h.number);
      if (run.percent(4)) {
        launched.add(List.of(h.app, h.number));
        up.add(ContainerStatus.newInstance(id, ContainerState.RUNNING, "", 0));
      } else if (run.percent(2)) {
        int exit = run.pick(0, 1);
        ended.add(List.of(h.app, h.number, exit));
        down.add(ContainerStatus.newInstance(id, ContainerState.COMPLETE, "", exit));
      }
    }
    Run.put(e, "l", launched);
    List<List<Object>> grown = grown(host);
    Run.put(e, "i", grown);
    run.m.grown.put(host, containers(host, grown));
  }

  /** A container expires by the number of a decrease of it. */
  void expireHelper() throws Exception {
    if (helpers.isEmpty()) {
      return;
    }
    Box h = run.pick(helpers);
    Map<String, Object> e = run.event("expire");
    e.put("a", h.app);
    e.put("c", h.number);
    run.emit(e, () -> run.s.handle(new ContainerExpiredSchedulerEvent(Manager.container(h.app, h.number))));
  }

  /** What a node reports as grown: rows of application, container, size. */
  private List<List<Object>> grown(String host) {
    List<List<Object>> rows = new ArrayList<>();
    for (Box b : run.boxes.values()) {
      if (!b.unconfirmed || !b.node.equals(host) || run.percent(40)) {
        continue;
      }
      long[] size = b.size.clone();
      if (run.percent(25)) {
        size[0] += run.pick(-600, -1, 1, 512);
        size[1] += run.pick(-1, 0, 1);
      }
      b.unconfirmed = run.percent(10); // it may say so again
      b.timed &= size[0] < b.size[0] || size[1] < b.size[1];
      List<Object> row = new ArrayList<>(List.of(b.app, b.number, Math.max(size[0], 0), Math.max(size[1], 0)));
      if (Recorder.third) {
        row.add(size[2]);
      }
      rows.add(row);
    }
    return rows;
  }

  private List<Container> containers(String host, List<List<Object>> rows) {
    List<Container> out = new ArrayList<>();
    for (List<Object> r : rows) {
      ContainerId id = Manager.container((Integer) r.get(0), (Long) r.get(1));
      out.add(Container.newInstance(id, run.nodes.get(host).getNodeID(), "", resource(r, 2), null, null));
    }
    return out;
  }

  /** The timer of an increase that no node has confirmed runs out. */
  void expire() throws Exception {
    List<Box> list = new ArrayList<>();
    for (Box b : run.boxes.values()) {
      if (b.timed && !b.ended && run.apps.containsKey(b.app)) {
        list.add(b);
      }
    }
    if (!timers || list.isEmpty()) {
      return;
    }
    Box b = run.pick(list);
    b.timed = false;
    Map<String, Object> e = run.event("expire");
    e.put("a", b.app);
    e.put("c", b.number);
    e.put("up", true);
    run.emit(e, () -> run.s.handle(new ContainerExpiredSchedulerEvent(Manager.container(b.app, b.number), true)));
  }

  /** Free resources and number of containers of the nodes. */
  void nodeState() throws Exception {
    Map<String, Object> e = run.event("nstate");
    run.emit(e, () -> {
      List<List<Object>> rows = new ArrayList<>();
      for (Map.Entry<String, org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode> n : run.nodes.entrySet()) {
        SchedulerNode node = run.s.getSchedulerNode(n.getValue().getNodeID());
        List<Object> row = new ArrayList<>(List.of(n.getKey()));
        Recorder.size(row, node.getUnallocatedResource());
        row.add(node.getNumContainers());
        rows.add(row);
      }
      e.put("ns", rows);
    });
  }
}
