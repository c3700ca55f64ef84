package golden;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.net.NodeBase;
import org.apache.hadoop.yarn.util.Clock;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.event.Dispatcher;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.server.resourcemanager.RMContextImpl;
import org.apache.hadoop.yarn.server.resourcemanager.ahs.RMApplicationHistoryWriter;
import org.apache.hadoop.yarn.server.resourcemanager.metrics.NoOpSystemMetricPublisher;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.RMNodeLabelsManager;
import org.apache.hadoop.yarn.server.resourcemanager.placement.PlacementManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.event.RMAppAttemptContainerFinishedEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.ContainerAllocationExpirer;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeResourceUpdateEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeUpdateContainerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.UpdatedContainerInfo;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.constraint.AllocationTagsManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.ContainerPreemptEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.ReleaseContainerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.security.NMTokenSecretManagerInRM;
import org.apache.hadoop.yarn.server.resourcemanager.security.RMContainerTokenSecretManager;

/**
 * Plays the parts of a ResourceManager that a scheduler talks to: dispatcher, applications, nodes and the clock, all on the
 * calling thread.
 */
final class Manager {
  static final long START = 1700000000000L;

  /** The scheduler's clock. */
  static final class ManualClock implements Clock {
    long now = START;

    @Override
    public long getTime() {
      return now;
    }
  }

  final ManualClock clock = new ManualClock();
  final RMContextImpl context;
  final Map<Integer, Container> masters = new HashMap<>();
  final Map<Integer, List<ResourceRequest>> amRequests = new HashMap<>();
  final Map<String, List<UpdatedContainerInfo>> reports = new HashMap<>();
  final Map<String, List<Container>> grown = new HashMap<>(); // what nodes report as grown
  private final List<SchedulerEvent> releases = new ArrayList<>(); // of this call
  final List<RMNodeResourceUpdateEvent> totals = new ArrayList<>(); // that the scheduler wants draining nodes to have
  final List<ContainerPreemptEvent> preempted = new ArrayList<>(); // what a policy of preemption has sent
  boolean monitored; // the policy looks
  boolean ends; // containers for which a node has no room end when the scheduler says so
  String rejection; // text of the last one
  final Map<String, Resource> sizes = new HashMap<>();

  @SuppressWarnings({"rawtypes", "unchecked"})
  Manager(Configuration conf) {
    attempts.clear();
    Recorder.now = START;
    Dispatcher dispatcher = new Dispatcher() {
      @Override
      public EventHandler getEventHandler() {
        return Manager.this::event;
      }

      @Override
      public void register(Class type, EventHandler handler) {}
    };
    RMContainerTokenSecretManager tokens = new RMContainerTokenSecretManager(conf);
    tokens.rollMasterKey();
    NMTokenSecretManagerInRM nodeTokens = new NMTokenSecretManagerInRM(conf);
    nodeTokens.rollMasterKey();
    ContainerAllocationExpirer expirer = new ContainerAllocationExpirer(dispatcher);
    expirer.init(conf);
    context = new RMContextImpl(dispatcher, expirer, null, null, null, null, tokens, nodeTokens, null, null);
    RMApplicationHistoryWriter history = new RMApplicationHistoryWriter();
    history.init(conf);
    context.setRMApplicationHistoryWriter(history);
    context.setSystemMetricsPublisher(new NoOpSystemMetricPublisher());
    context.setYarnConfiguration(conf);
    context.setQueuePlacementManager(new PlacementManager());
    RMNodeLabelsManager labels = new RMNodeLabelsManager();
    labels.init(conf);
    context.setNodeLabelManager(labels);
    context.setAllocationTagsManager(new AllocationTagsManager(context));
    context.setSystemClock(clock);
  }

  private void event(Event<?> e) {
    if (e instanceof RMAppAttemptContainerFinishedEvent) {
      var status = ((RMAppAttemptContainerFinishedEvent) e).getContainerStatus();
      Recorder.ended(status.getContainerId(), status.getExitStatus());
    } else if (e instanceof RMAppEvent && e.getType() == RMAppEventType.APP_REJECTED) {
      Recorder.rejected(((RMAppEvent) e).getApplicationId().getId());
      rejection = ((RMAppEvent) e).getDiagnosticMsg();
    } else if (e instanceof RMNodeUpdateContainerEvent) {
      ((RMNodeUpdateContainerEvent) e).getToBeUpdatedContainers().forEach(Recorder::told);
    } else if (e instanceof RMNodeResourceUpdateEvent) {
      totals.add((RMNodeResourceUpdateEvent) e);
    } else if (monitored && e instanceof ContainerPreemptEvent) {
      preempted.add((ContainerPreemptEvent) e);
    } else if (ends && e.getType() == SchedulerEventType.MARK_CONTAINER_FOR_KILLABLE) {
      releases.add((SchedulerEvent) e);
    } else if (e instanceof ReleaseContainerEvent) {
      releases.add((ReleaseContainerEvent) e);
    }
  }

  /** Gives the scheduler what it has sent itself: containers that a change of size leaves over. */
  void release(AbstractYarnScheduler<?, ?> s) {
    while (!releases.isEmpty()) {
      s.handle(releases.remove(0));
    }
  }

  static ApplicationId appId(int a) {
    return ApplicationId.newInstance(START, a);
  }

  static final Map<Integer, Integer> attempts = new HashMap<>(); // numbers of the latest ones that are not the first
  final Map<String, NodeState> states = new HashMap<>(); // of hosts that do not just run

  static ApplicationAttemptId attemptId(int a) {
    return ApplicationAttemptId.newInstance(appId(a), attempts.getOrDefault(a, 1));
  }

  /** A container's number within its application: behind those of earlier attempts. */
  static long number(ContainerId id) {
    return ((long) (id.getApplicationAttemptId().getAttemptId() - 1) << 32) + id.getContainerId();
  }

  static ContainerId container(int a, long n) {
    return ContainerId.newContainerId(ApplicationAttemptId.newInstance(appId(a), (int) (n >> 32) + 1), n & 0xffffffffL);
  }

  /** Registers application a, so that the scheduler finds it in the context. */
  void submit(int a, String queue, String user, Resource am, int priority) {
    ApplicationSubmissionContext sub = ApplicationSubmissionContext.newInstance(appId(a), "app", queue,
        org.apache.hadoop.yarn.api.records.Priority.newInstance(priority), null, false, true, 1, am);
    List<ResourceRequest> asks = null;
    if (am != null) {
      asks = Collections.singletonList(ResourceRequest.newInstance(
          org.apache.hadoop.yarn.api.records.Priority.newInstance(0), ResourceRequest.ANY, am, 1));
    }
    RMAppAttemptMetrics metrics = new RMAppAttemptMetrics(attemptId(a), context);
    RMAppAttempt attempt = proxy(RMAppAttempt.class, Map.of(
        "getRMAppAttemptMetrics", x -> metrics,
        "getAppAttemptId", x -> attemptId(a),
        "getMasterContainer", x -> masters.get(a)));
    List<ResourceRequest> amAsks = asks;
    RMApp app = proxy(RMApp.class, Map.of(
        "getApplicationId", x -> appId(a),
        "getUser", x -> user,
        "getQueue", x -> queue,
        "getApplicationSubmissionContext", x -> sub,
        "getCurrentAppAttempt", x -> attempt,
        "getAMResourceRequests", x -> amAsks,
        "getApplicationSchedulingEnvs", x -> new HashMap<String, String>()));
    context.getRMApps().put(appId(a), app);
  }

  /** A node whose capability and reports the script sets. */
  RMNode node(String host, int port, String rack, Resource total) {
    NodeId id = NodeId.newInstance(host, port);
    // Tokens of containers are made for an address.
    NetUtils.addStaticResolution(host, "127.0.0.1");
    sizes.put(host, total);
    states.remove(host);
    reports.put(host, new ArrayList<>());
    Map<String, java.util.function.Function<Object[], Object>> m = new HashMap<>();
    m.put("getNodeID", x -> id);
    m.put("getHostName", x -> host);
    m.put("getCommandPort", x -> port);
    m.put("getNodeAddress", x -> host + ":" + port);
    m.put("getHttpAddress", x -> host + ":8042");
    m.put("getRackName", x -> rack);
    m.put("getNode", x -> new NodeBase(host, rack));
    m.put("getTotalCapability", x -> sizes.get(host));
    m.put("getState", x -> states.getOrDefault(host, NodeState.RUNNING));
    m.put("getNodeLabels", x -> Collections.emptySet());
    m.put("getRMContext", x -> context);
    m.put("pullContainerUpdates", x -> {
      List<UpdatedContainerInfo> out = new ArrayList<>(reports.get(host));
      reports.get(host).clear();
      return out;
    });
    m.put("pullNewlyIncreasedContainers", x -> {
      List<Container> out = grown.remove(host);
      return out == null ? new ArrayList<>() : out;
    });
    m.put("hashCode", x -> id.hashCode());
    m.put("equals", x -> x[0] instanceof RMNode && ((RMNode) x[0]).getNodeID().equals(id));
    RMNode node = proxy(RMNode.class, m);
    context.getRMNodes().put(id, node);
    return node;
  }

  @SuppressWarnings("unchecked")
  private static <T> T proxy(Class<T> type, Map<String, java.util.function.Function<Object[], Object>> answers) {
    InvocationHandler h = (self, method, args) -> {
      var f = answers.get(method.getName());
      if (f != null) {
        return f.apply(args);
      }
      Class<?> r = method.getReturnType();
      if (r == boolean.class) {
        return method.getName().equals("equals") && self == args[0];
      } else if (r == int.class) {
        return method.getName().equals("hashCode") ? System.identityHashCode(self) : 0;
      } else if (r == long.class) {
        return 0L;
      } else if (r == float.class) {
        return 0f;
      } else if (r == List.class) {
        return new ArrayList<>();
      } else if (r == java.util.Set.class) {
        return Collections.emptySet();
      } else if (r == Map.class) {
        return Collections.emptyMap();
      } else if (r == String.class) {
        return type.getSimpleName();
      }
      return null;
    };
    return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, h);
  }
}
