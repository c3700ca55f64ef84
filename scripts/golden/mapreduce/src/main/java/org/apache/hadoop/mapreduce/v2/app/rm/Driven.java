package org.apache.hadoop.mapreduce.v2.app.rm;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.mapreduce.JobCounter;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryEvent;
import org.apache.hadoop.mapreduce.jobhistory.NormalizedResourceEvent;
import org.apache.hadoop.mapreduce.v2.api.records.JobId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.MRAppMaster;
import org.apache.hadoop.mapreduce.v2.app.job.Job;
import org.apache.hadoop.mapreduce.v2.app.job.Task;
import org.apache.hadoop.mapreduce.v2.app.job.TaskAttempt;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobCounterUpdateEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobDiagnosticsUpdateEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobUpdatedNodesEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptContainerAssignedEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptDiagnosticsUpdateEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptKillEvent;
import org.apache.hadoop.mapreduce.v2.app.rm.preemption.AMPreemptionPolicy;
import org.apache.hadoop.mapreduce.v2.app.rm.preemption.CheckpointAMPreemptionPolicy;
import org.apache.hadoop.mapreduce.v2.app.rm.preemption.KillAMPreemptionPolicy;
import org.apache.hadoop.mapreduce.v2.app.rm.preemption.NoopAMPreemptionPolicy;
import org.apache.hadoop.net.CachedDNSToSwitchMapping;
import org.apache.hadoop.yarn.api.ApplicationMasterProtocol;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.ExecutionType;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.PreemptionContainer;
import org.apache.hadoop.yarn.api.records.PreemptionContract;
import org.apache.hadoop.yarn.api.records.PreemptionMessage;
import org.apache.hadoop.yarn.api.records.PreemptionResourceRequest;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.api.records.StrictPreemptionContract;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException;
import org.apache.hadoop.yarn.exceptions.ApplicationMasterNotRegisteredException;
import org.apache.hadoop.yarn.exceptions.InvalidLabelResourceRequestException;
import org.apache.hadoop.yarn.proto.YarnServiceProtos.SchedulerResourceTypes;
import org.apache.hadoop.yarn.util.Clock;

/**
 * The unmodified RMContainerAllocator, driven by a script: its job, its ResourceManager and its clock are made up here, and what it decides is written down.
 * It stands in the package of the class because some of the methods that are watched are visible there alone.
 */
public final class Driven extends RMContainerAllocator {
  private static final ApplicationAttemptId ATTEMPT = ApplicationAttemptId.newInstance(ApplicationId.newInstance(1, 1), 1);
  private static final JobId JOB = job();

  private static Script script; // of the run that is being made

  /** What is scripted and what is recorded. */
  static final class Script {
    Map<String, String> racks;
    long now;
    int maps;
    int reduces;
    int doneMaps;
    int doneReduces;
    List<String> types;
    List<Integer> max;
    final Map<TaskAttemptId, Float> progress = new HashMap<>();
    Map<String, Object> answer;
    Map<String, Object> out;
    boolean inPolicy;
    String letter; // of the counter that came before its assignment
    final Set<TaskAttemptId> known = new HashSet<>();
  }

  private Driven(AppContext context, AMPreemptionPolicy policy) {
    super(null, context, policy);
    this.policy = policy;
  }

  private final AMPreemptionPolicy policy;
  private String policyName;

  /** Racks of hosts as the script says. */
  public static final class Racks extends CachedDNSToSwitchMapping {
    public Racks() {
      super(null);
    }
    @Override
    public List<String> resolve(List<String> names) {
      List<String> list = new ArrayList<>();
      for (String n : names) {
        list.add(script.racks.getOrDefault(n, "/default-rack"));
      }
      return list;
    }
  }

  /** The context of an application master that was never started. */
  private static final class Context extends MRAppMaster.RunningAppContext {
    private final MRAppMaster master;

    Context(MRAppMaster master, Configuration conf) {
      master.super(conf, null);
      this.master = master;
    }
    @Override
    public ApplicationAttemptId getApplicationAttemptId() {
      return ATTEMPT;
    }
    @Override
    public ApplicationId getApplicationID() {
      return ATTEMPT.getApplicationId();
    }
    @Override
    public Job getJob(JobId id) {
      return theJob();
    }
    @Override
    @SuppressWarnings({"unchecked", "rawtypes"})
    public EventHandler<Event> getEventHandler() {
      return Driven::record;
    }
    @Override
    public Clock getClock() {
      return () -> script.now;
    }
  }

  private static JobId job() {
    JobId id = new org.apache.hadoop.mapreduce.v2.api.records.impl.pb.JobIdPBImpl();
    id.setAppId(ATTEMPT.getApplicationId());
    id.setId(1);
    return id;
  }

  @SuppressWarnings("unchecked")
  private static <T> T fake(Class<T> type, Map<String, InvocationHandler> methods) {
    return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (p, m, args) -> {
      InvocationHandler h = methods.get(m.getName());
      if (h == null) {
        if (m.getReturnType() == void.class) {
          return null;
        }
        throw new UnsupportedOperationException(m.toString());
      }
      return h.invoke(p, m, args);
    });
  }

  private static Job theJob() {
    Map<String, InvocationHandler> m = new HashMap<>();
    m.put("getID", (p, x, a) -> JOB);
    m.put("getTotalMaps", (p, x, a) -> script.maps);
    m.put("getTotalReduces", (p, x, a) -> script.reduces);
    m.put("getCompletedMaps", (p, x, a) -> script.doneMaps);
    m.put("getCompletedReduces", (p, x, a) -> script.doneReduces);
    m.put("getProgress", (p, x, a) -> 0f);
    m.put("getTask", (p, x, a) -> fake(Task.class, Collections.singletonMap("getAttempt", (q, y, b) ->
        fake(TaskAttempt.class, Collections.singletonMap("getProgress", (s, z, c) -> script.progress.getOrDefault(b[0], 0f))))));
    return fake(Job.class, m);
  }

  public static Driven make(Map<String, Object> c, int maps, int reduces, List<String> types, List<Integer> max, long start, Map<String, String> racks) throws Exception {
    script = new Script();
    script.maps = maps;
    script.reduces = reduces;
    script.types = types;
    script.max = max;
    script.racks = racks;
    script.now = start;
    script.out = new LinkedHashMap<>();
    Configuration conf = new Configuration(false);
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, Racks.class, org.apache.hadoop.net.DNSToSwitchMapping.class);
    set(conf, MRJobConfig.COMPLETED_MAPS_FOR_REDUCE_SLOWSTART, c.get("slow_start"));
    set(conf, MRJobConfig.MR_AM_JOB_REDUCE_RAMPUP_UP_LIMIT, c.get("ramp_up_limit"));
    set(conf, MRJobConfig.MR_AM_JOB_REDUCE_PREEMPTION_LIMIT, c.get("preemption_limit"));
    set(conf, MRJobConfig.MR_JOB_REDUCER_UNCONDITIONAL_PREEMPT_DELAY_SEC, c.get("unconditional_preempt_delay_s"));
    set(conf, MRJobConfig.MR_JOB_REDUCER_PREEMPT_DELAY_SEC, c.get("preempt_delay_s"));
    set(conf, MRJobConfig.JOB_RUNNING_MAP_LIMIT, c.get("running_map_limit"));
    set(conf, MRJobConfig.JOB_RUNNING_REDUCE_LIMIT, c.get("running_reduce_limit"));
    set(conf, MRJobConfig.MR_AM_JOB_NODE_BLACKLISTING_ENABLE, c.get("blacklisting"));
    set(conf, MRJobConfig.MAX_TASK_FAILURES_PER_TRACKER, c.get("max_failures_per_node"));
    set(conf, MRJobConfig.MR_AM_IGNORE_BLACKLISTING_BLACKLISTED_NODE_PERECENT, c.get("ignore_blacklist_percent"));
    set(conf, MRJobConfig.MR_NUM_OPPORTUNISTIC_MAPS_PERCENT, c.get("opportunistic_maps_percent"));
    AMPreemptionPolicy real;
    switch ((String) c.get("preemption_policy")) {
      case "kill":
        real = new KillAMPreemptionPolicy();
        break;
      case "checkpoint":
        real = new CheckpointAMPreemptionPolicy();
        break;
      default:
        real = new NoopAMPreemptionPolicy();
    }
    MRAppMaster master = new MRAppMaster(ATTEMPT, ContainerId.newContainerId(ATTEMPT, 1), "am", 1, 1, start);
    Context context = new Context(master, conf);
    real.init(context);
    AMPreemptionPolicy watched = (AMPreemptionPolicy) Proxy.newProxyInstance(Driven.class.getClassLoader(), new Class<?>[] {AMPreemptionPolicy.class}, (p, m, args) -> {
      script.inPolicy = m.getName().equals("preempt");
      try {
        return m.invoke(real, args);
      } catch (java.lang.reflect.InvocationTargetException e) {
        throw e.getCause();
      } finally {
        script.inPolicy = false;
      }
    });
    Driven d = new Driven(context, watched);
    d.policyName = (String) c.get("preemption_policy");
    d.init(conf);
    d.scheduler = fake(ApplicationMasterProtocol.class, rm());
    field(RMCommunicator.class, "job").set(d, theJob());
    d.register();
    return d;
  }

  private static void set(Configuration conf, String key, Object value) {
    conf.set(key, String.valueOf(value));
  }

  private static Field field(Class<?> c, String name) throws Exception {
    Field f = c.getDeclaredField(name);
    f.setAccessible(true);
    return f;
  }

  @SuppressWarnings("unchecked")
  private static <T> T get(Object o, Class<?> c, String name) {
    try {
      return (T) field(c, name).get(o);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** The ResourceManager. */
  private static Map<String, InvocationHandler> rm() {
    Map<String, InvocationHandler> m = new HashMap<>();
    m.put("registerApplicationMaster", (p, x, a) -> {
      RegisterApplicationMasterResponse r = org.apache.hadoop.yarn.util.Records.newRecord(RegisterApplicationMasterResponse.class);
      r.setMaximumResourceCapability(Resource.newInstance(script.max.get(0), script.max.get(1)));
      r.setApplicationACLs(new HashMap<>());
      r.setQueue("default");
      EnumSet<SchedulerResourceTypes> types = EnumSet.noneOf(SchedulerResourceTypes.class);
      for (String t : script.types) {
        types.add(t.equals("cpu") ? SchedulerResourceTypes.CPU : SchedulerResourceTypes.MEMORY);
      }
      r.setSchedulerResourceTypes(types);
      if (script.answer != null) {
        script.out.put("registered", 1);
      }
      return r;
    });
    m.put("allocate", (p, x, a) -> {
      sent((AllocateRequest) a[0]);
      String error = (String) script.answer.get("error");
      if (error == null) {
        return answer();
      }
      switch (error) {
        case "io":
          throw new IOException("scripted");
        case "not_registered":
          throw new ApplicationMasterNotRegisteredException("scripted");
        case "attempt_not_found":
          throw new ApplicationAttemptNotFoundException("scripted");
        default:
          throw new InvalidLabelResourceRequestException("scripted");
      }
    });
    return m;
  }

  private static void sent(AllocateRequest r) {
    List<List<Object>> ask = new ArrayList<>();
    for (ResourceRequest q : r.getAskList()) {
      ask.add(Arrays.asList(q.getPriority().getPriority(), q.getResourceName(), q.getNumContainers(), q.getCapability().getMemorySize(), q.getCapability().getVirtualCores(),
          q.getRelaxLocality() ? 1 : 0, q.getExecutionTypeRequest().getExecutionType() == ExecutionType.OPPORTUNISTIC ? "O" : "G"));
    }
    script.out.put("ask", ask);
    List<Object> released = new ArrayList<>();
    for (ContainerId c : r.getReleaseList()) {
      released.add(c.getContainerId());
    }
    list("rel").addAll(released);
    list("bl+").addAll(new TreeSet<>(r.getResourceBlacklistRequest().getBlacklistAdditions()));
    list("bl-").addAll(new TreeSet<>(r.getResourceBlacklistRequest().getBlacklistRemovals()));
  }

  @SuppressWarnings("unchecked")
  private static AllocateResponse answer() {
    Map<String, Object> e = script.answer;
    List<Container> given = new ArrayList<>();
    for (List<Object> a : rows(e.get("alloc"))) {
      NodeId node = NodeId.newInstance((String) a.get(1), 8041);
      given.add(Container.newInstance(id(a.get(0)), node, a.get(1) + ":8042", Resource.newInstance((Integer) a.get(3), (Integer) a.get(4)), Priority.newInstance((Integer) a.get(2)), null));
    }
    List<ContainerStatus> done = new ArrayList<>();
    for (List<Object> a : rows(e.get("done"))) {
      done.add(ContainerStatus.newInstance(id(a.get(0)), ContainerState.COMPLETE, "", (Integer) a.get(1)));
    }
    List<NodeReport> updated = new ArrayList<>();
    for (List<Object> a : rows(e.get("updated"))) {
      updated.add(NodeReport.newInstance(NodeId.newInstance((String) a.get(0), 8041), NodeState.valueOf((String) a.get(1)), "", "", Resource.newInstance(0, 0), Resource.newInstance(0, 0), 0, "", 0));
    }
    List<Integer> avail = (List<Integer>) e.get("avail");
    PreemptionMessage message = null;
    Map<String, Object> p = (Map<String, Object>) e.get("preempt");
    if (p != null) {
      Map<String, Object> contract = (Map<String, Object>) p.getOrDefault("contract", Collections.emptyMap());
      List<PreemptionResourceRequest> requests = new ArrayList<>();
      for (List<Object> a : rows(contract.get("requests"))) {
        requests.add(PreemptionResourceRequest.newInstance(ResourceRequest.newInstance(Priority.newInstance(0), (String) a.get(0), Resource.newInstance((Integer) a.get(2), (Integer) a.get(3)), (Integer) a.get(1))));
      }
      message = PreemptionMessage.newInstance(StrictPreemptionContract.newInstance(containers(p.get("strict"))),
          PreemptionContract.newInstance(requests, containers(contract.get("containers"))));
    }
    return AllocateResponse.newBuilder().responseId(0).completedContainersStatuses(done).allocatedContainers(given).updatedNodes(updated)
        .availableResources(Resource.newInstance(avail.get(0), avail.get(1))).numClusterNodes((Integer) e.get("nodes")).preemptionMessage(message)
        .nmTokens(new ArrayList<>()).applicationPriority(Priority.newInstance(0)).build();
  }

  @SuppressWarnings("unchecked")
  private static Set<PreemptionContainer> containers(Object list) {
    Set<PreemptionContainer> set = new HashSet<>();
    for (Object c : list == null ? Collections.emptyList() : (List<Object>) list) {
      set.add(PreemptionContainer.newInstance(id(c)));
    }
    return set;
  }

  private static ContainerId id(Object number) {
    return ContainerId.newContainerId(ATTEMPT, ((Number) number).longValue());
  }

  @SuppressWarnings("unchecked")
  private static List<List<Object>> rows(Object list) {
    return list == null ? Collections.emptyList() : (List<List<Object>>) list;
  }

  @SuppressWarnings("unchecked")
  private static List<Object> list(String part) {
    return (List<Object>) script.out.computeIfAbsent(part, k -> new ArrayList<>());
  }

  private static String name(TaskAttemptId a) {
    return (a.getTaskId().getTaskType() == TaskType.MAP ? "m" : "r") + a.getTaskId().getId() + "_" + a.getId();
  }

  private static TaskAttemptId attempt(String name) {
    int cut = name.indexOf('_');
    TaskId task = new org.apache.hadoop.mapreduce.v2.api.records.impl.pb.TaskIdPBImpl();
    task.setJobId(JOB);
    task.setTaskType(name.charAt(0) == 'm' ? TaskType.MAP : TaskType.REDUCE);
    task.setId(Integer.parseInt(name.substring(1, cut)));
    TaskAttemptId a = new org.apache.hadoop.mapreduce.v2.api.records.impl.pb.TaskAttemptIdPBImpl();
    a.setTaskId(task);
    a.setId(Integer.parseInt(name.substring(cut + 1)));
    return a;
  }

  /** Writes an event that the allocator sends. */
  private static void record(Event<?> e) {
    if (e instanceof JobHistoryEvent) {
      NormalizedResourceEvent n = (NormalizedResourceEvent) ((JobHistoryEvent) e).getHistoryEvent();
      list("job").add(Arrays.asList("normalized", n.getTaskType().name(), n.getMemory()));
    } else if (e instanceof JobUpdatedNodesEvent) {
      list("job").add(Arrays.asList("updated_nodes", ((JobUpdatedNodesEvent) e).getUpdatedNodes().size()));
    } else if (e instanceof JobDiagnosticsUpdateEvent) {
      list("job").add(Arrays.asList("diagnostics"));
    } else if (e instanceof JobCounterUpdateEvent) {
      counter((JobCounterUpdateEvent) e);
    } else if (e instanceof JobEvent) {
      list("job").add(Arrays.asList(((JobEvent) e).getType().name()));
    } else if (e instanceof TaskAttemptContainerAssignedEvent) {
      TaskAttemptContainerAssignedEvent a = (TaskAttemptContainerAssignedEvent) e;
      list("assigned").add(Arrays.asList(name(a.getTaskAttemptID()), a.getContainer().getId().getContainerId(), script.letter));
      script.letter = null;
    } else if (e instanceof TaskAttemptDiagnosticsUpdateEvent) {
      return;
    } else if (e instanceof TaskAttemptKillEvent) {
      TaskAttemptKillEvent k = (TaskAttemptKillEvent) e;
      list("kill").add(Arrays.asList(name(k.getTaskAttemptID()), RAMPDOWN_DIAGNOSTIC.equals(k.getMessage()) ? "rampdown" : "node", k.getRescheduleAttempt() ? 1 : 0));
    } else if (e instanceof TaskAttemptEvent) {
      TaskAttemptEvent a = (TaskAttemptEvent) e;
      if (script.inPolicy) {
        list("policy_kill").add(a.getTaskAttemptID() == null ? null : name(a.getTaskAttemptID()));
      } else {
        list("done").add(Arrays.asList(name(a.getTaskAttemptID()), a.getType().name()));
      }
    } else {
      throw new IllegalStateException(e.toString());
    }
  }

  private static void counter(JobCounterUpdateEvent e) {
    Object key = e.getCounterUpdates().get(0).getCounterKey();
    String letter = key == JobCounter.DATA_LOCAL_MAPS ? "N" : key == JobCounter.RACK_LOCAL_MAPS ? "R" : key == JobCounter.OTHER_LOCAL_MAPS ? "O" : null;
    if (letter == null) {
      return;
    }
    List<Object> assigned = list("assigned");
    List<Object> last = assigned.isEmpty() ? null : row(assigned.get(assigned.size() - 1));
    if (last != null && last.get(2) == null && ((String) last.get(0)).startsWith("m")) {
      last.set(2, letter); // the counter comes after the assignment by locality
    } else {
      script.letter = letter; // and before that of a map after a failure
    }
  }

  @SuppressWarnings("unchecked")
  private static List<Object> row(Object o) {
    return (List<Object>) o;
  }

  public void clock(long t) {
    script.now = t;
  }

  public void completed(int maps, int reduces) {
    script.doneMaps = maps;
    script.doneReduces = reduces;
  }

  public void progress(String a, float p) {
    script.progress.put(attempt(a), p);
  }

  public Map<String, Object> request(String a, int[] size, List<String> hosts, List<String> racks, boolean failed) {
    Resource r = Resource.newInstance(size[0], size[1]);
    ContainerRequestEvent e = failed ? ContainerRequestEvent.createContainerRequestEventForFailedContainer(attempt(a), r)
        : new ContainerRequestEvent(attempt(a), r, hosts.toArray(new String[0]), racks.toArray(new String[0]));
    return handled(e);
  }

  public Map<String, Object> failed(String a, String host) {
    return handled(new ContainerFailedEvent(attempt(a), host));
  }

  public Map<String, Object> deallocate(String a) {
    return handled(new ContainerAllocatorEvent(attempt(a), ContainerAllocator.EventType.CONTAINER_DEALLOCATE));
  }

  private Map<String, Object> handled(ContainerAllocatorEvent e) {
    script.out = new LinkedHashMap<>();
    handleEvent(e);
    stamp();
    return finish();
  }

  private final Set<ContainerRequest> stamped = Collections.newSetFromMap(new java.util.IdentityHashMap<>());

  /** Requests carry the machine's time: they get the script's. */
  private void stamp() {
    List<ContainerRequest> all = new ArrayList<>(pending());
    all.addAll(getScheduledRequests().maps.values());
    all.addAll(getScheduledRequests().reduces.values());
    all.forEach(this::stamp);
  }

  private void stamp(ContainerRequest r) {
    if (stamped.add(r)) {
      try {
        field(ContainerRequest.class, "requestTimeMs").setLong(r, script.now);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  protected ContainerRequest getFilteredContainerRequest(ContainerRequest original) {
    ContainerRequest r = super.getFilteredContainerRequest(original);
    stamp(r);
    return r;
  }

  private LinkedList<ContainerRequest> pending() {
    return get(this, RMContainerAllocator.class, "pendingReduces");
  }

  public Map<String, Object> heartbeat(Map<String, Object> event) {
    script.answer = event;
    script.out = new LinkedHashMap<>();
    try {
      heartbeat();
    } catch (Exception e) {
      script.out.put("err", e.getClass().getSimpleName());
    }
    stamp();
    Map<String, Object> out = finish();
    out.put("t", Arrays.asList(get(this, RMContainerAllocator.class, "containersAllocated"), get(this, RMContainerAllocator.class, "containersReleased"),
        get(this, RMContainerAllocator.class, "hostLocalAssigned"), get(this, RMContainerAllocator.class, "rackLocalAssigned")));
    out.put("started", getIsReduceStarted() ? 1 : 0);
    java.util.concurrent.atomic.AtomicBoolean ignore = get(this, RMContainerRequestor.class, "ignoreBlacklisting");
    out.put("ignore", ignore.get() ? 1 : 0);
    Map<String, Object> order = new LinkedHashMap<>();
    order.put("maps", names(getScheduledRequests().maps.keySet()));
    order.put("failed", names(Driven.<LinkedList<TaskAttemptId>>get(getScheduledRequests(), ScheduledRequests.class, "earlierFailedMaps")));
    List<TaskAttemptId> waiting = new ArrayList<>();
    pending().forEach(r -> waiting.add(r.attemptID));
    order.put("pending", names(waiting));
    order.put("reduces", names(getScheduledRequests().reduces.keySet()));
    order.put("running_maps", names(getAssignedRequests().maps.keySet()));
    order.put("running_reduces", names(getAssignedRequests().reduces.keySet()));
    out.put("order", order);
    if (policyName.equals("checkpoint")) {
      TreeSet<String> marked = new TreeSet<>();
      for (TaskAttemptId a : script.known) {
        if (policy.isPreempted(a)) {
          marked.add(name(a));
        }
      }
      if (!marked.isEmpty()) {
        out.put("to_preempt", marked);
      }
    }
    return out;
  }

  private List<String> names(Iterable<TaskAttemptId> ids) {
    List<String> list = new ArrayList<>();
    for (TaskAttemptId a : ids) {
      list.add(name(a));
      script.known.add(a);
    }
    return list;
  }

  /** What an event is answered with, without empty parts. */
  private Map<String, Object> finish() {
    Map<String, Object> out = script.out;
    script.out = new LinkedHashMap<>(); // counters that come with a question are no answer
    if (out.containsKey("policy_kill")) {
      List<Object> kills = row(out.get("policy_kill"));
      kills.sort(java.util.Comparator.comparing(o -> o == null ? "" : (String) o));
    }
    out.entrySet().removeIf(e -> !e.getKey().equals("ask") && e.getValue() instanceof List && ((List<?>) e.getValue()).isEmpty());
    out.put("n", Arrays.asList(getNumOfPendingReduces(), getScheduledRequests().maps.size(), getScheduledRequests().reduces.size(), getAssignedRequests().maps.size(),
        getAssignedRequests().reduces.size()));
    return out;
  }

  @Override
  boolean preemptReducesIfNeeded() {
    boolean preempted = super.preemptReducesIfNeeded();
    script.out.put("pass", preempted ? "preempt" : "schedule");
    return preempted;
  }

  @Override
  public void rampUpReduces(int n) {
    list("ramp").add(Arrays.asList("up", n));
    super.rampUpReduces(n);
  }

  @Override
  public void rampDownReduces(int n) {
    list("ramp").add(Arrays.asList("down", n));
    super.rampDownReduces(n);
  }

  @Override
  public void scheduleAllReduces() {
    list("ramp").add(Arrays.asList("all", getNumOfPendingReduces()));
    super.scheduleAllReduces();
  }
}
