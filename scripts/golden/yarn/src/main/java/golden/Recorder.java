package golden;

import static net.bytebuddy.matcher.ElementMatchers.any;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.description.field.FieldDescription;
import net.bytebuddy.description.field.FieldList;
import net.bytebuddy.description.method.MethodList;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.commons.ClassRemapper;
import net.bytebuddy.jar.asm.commons.SimpleRemapper;
import net.bytebuddy.pool.TypePool;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerUpdateType;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceInformation;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerImpl;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.NodeType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;
import org.apache.hadoop.yarn.server.scheduler.SchedulerRequestKey;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;

/**
 * Watches what a scheduler does inside one call. The classes of the published jars are not changed: watchers are woven
 * around five of their methods in memory.
 */
public final class Recorder {
  /** The records of the present call, in the order in which things happened. */
  static final List<List<Object>> records = new ArrayList<>();
  private static final Map<ContainerId, List<Object>> open = new HashMap<>();
  private static final Map<ContainerId, String> types = new HashMap<>();

  private Recorder() {}

  static void install() throws ClassNotFoundException {
    String pkg = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.";
    for (String c : new String[] {"SchedulerNode", "AppSchedulingInfo", "fair.FSSchedulerNode", "common.fica.FiCaSchedulerNode"}) {
      Class.forName(pkg + c);
    }
    AgentBuilder agent = new AgentBuilder.Default().disableClassFormatChanges()
        .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION);
    agent = watch(agent, pkg + "SchedulerNode", "allocateContainer", 1, OnAllocate.class);
    agent = watch(agent, pkg + "AppSchedulingInfo", "allocate", 4, OnType.class);
    for (String node : new String[] {"fair.FSSchedulerNode", "common.fica.FiCaSchedulerNode"}) {
      agent = agent.type(named(pkg + node)).transform((b, t, l, m, d) -> b
          .visit(Advice.to(OnReserve.class).on(named("reserveResource").and(takesArguments(3))))
          .visit(Advice.to(OnUnreserve.class).on(named("unreserveResource").and(takesArguments(1)))));
    }
    // Queues of one level are gone through by their addresses there: it is given their own order, which is one of those that addresses give.
    agent = agent.type(named("org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.PreemptableResourceCalculator"))
        .transform((b, t, l, m, d) -> b.visit(new Ordered()));
    // Applications take their start from the clock of the machine: two in one of its milliseconds would differ between runs.
    for (String clock : new String[] {"SystemClock", "MonotonicClock"}) {
      Class.forName("org.apache.hadoop.yarn.util." + clock);
      agent = watch(agent, "org.apache.hadoop.yarn.util." + clock, "getTime", 0, OnTime.class);
    }
    // How long ago an attempt has failed comes from there, too.
    String attempt = "org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptImpl";
    Method time;
    try {
      Class.forName(attempt);
      time = Recorder.class.getMethod("now");
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
    agent = agent.type(named(attempt)).transform((b, t, l, m, d) ->
        b.visit(MemberSubstitution.relaxed().method(named("currentTimeMillis")).replaceWith(time).on(any())));
    agent.installOn(ByteBuddyAgent.install());
  }

  /** Makes the sets of a class keep the order in which they are filled. */
  private static final class Ordered extends AsmVisitorWrapper.AbstractBase {
    @Override
    public ClassVisitor wrap(TypeDescription type, ClassVisitor to, Implementation.Context context, TypePool pool,
        FieldList<FieldDescription.InDefinedShape> fields, MethodList<?> methods, int writer, int reader) {
      return new ClassRemapper(to, new SimpleRemapper("java/util/HashSet", "java/util/LinkedHashSet"));
    }
  }

  private static AgentBuilder watch(AgentBuilder a, String type, String method, int args, Class<?> advice) {
    return a.type(named(type)).transform((b, t, l, m, d) ->
        b.visit(Advice.to(advice).on(named(method).and(takesArguments(args)))));
  }

  static void begin() {
    records.clear();
    open.clear();
    types.clear();
  }

  static long number(RMContainer c) {
    return Manager.number(c.getContainerId());
  }

  static int app(ContainerId id) {
    return id.getApplicationAttemptId().getApplicationId().getId();
  }

  /** Whether there is a third type of resource. The classes keep the types for the life of the process. */
  static boolean third;

  static final String GPU = "yarn.io/gpu";

  /** A fourth type, where there is one, whose amounts follow from the others. Its place among the types is that of a hash map. */
  private static final String DISK = "disk-gb";

  /** The types beside memory and vcores, by their index. */
  static final List<String> more = new ArrayList<>();

  /** Sets the types of resources, from their names alone. */
  static void types(boolean gpu, boolean disk) {
    third = gpu;
    Configuration conf = new Configuration(false);
    if (gpu) {
      conf.set("yarn.resource-types", names(disk));
    }
    ResourceUtils.resetResourceTypes(conf);
    for (ResourceInformation i : ResourceUtils.getResourceTypesArray()) {
      if (i.getName().equals(GPU) || i.getName().equals(DISK)) {
        more.add(i.getName());
      }
    }
  }

  private static String names(boolean disk) {
    return disk ? GPU + "," + DISK : GPU;
  }

  /** The types beside memory and vcores as configured. */
  static String configured() {
    return names(more.size() > 1);
  }

  /** The names of all types, by their index. */
  static List<String> names() {
    List<String> all = new ArrayList<>(List.of("memory-mb", "vcores"));
    all.addAll(more);
    return all;
  }

  /** The amounts beside memory and vcores of something with these ones, by the index of their type. */
  static List<Integer> more(int mem, int vc, int gpu) {
    List<Integer> amounts = new ArrayList<>();
    for (String name : more) {
      amounts.add(name.equals(GPU) ? gpu : disk(mem, vc));
    }
    return amounts;
  }

  private static int disk(long mem, int vc) {
    return (int) (mem / 512 % 7) * 10 + vc % 3;
  }

  /** How many gpus there are among the amounts of a row from a place on. */
  static int gpu(List<Object> row, int from) {
    return third ? (Integer) row.get(from + more.indexOf(GPU)) : 0;
  }

  static Resource resource(long mem, int vc, long gpu) {
    Resource r = Resource.newInstance(mem, vc);
    if (third) {
      r.setResourceValue(GPU, gpu);
    }
    if (more.size() > 1) {
      r.setResourceValue(DISK, disk(mem, vc));
    }
    return r;
  }

  static void size(List<Object> row, Resource r) {
    row.add(r.getMemorySize());
    row.add(r.getVirtualCores());
    third(row, r);
  }

  private static void third(List<Object> row, Resource r) {
    for (String name : more) {
      row.add(r.getResourceValue(name));
    }
  }

  /** A node as the script calls it, whatever the scheduler does. */
  static String host(SchedulerNode n) {
    return n.getNodeID().getHost();
  }

  private static List<Object> row(String kind, SchedulerNode n, RMContainer c) {
    return new ArrayList<>(Arrays.asList(kind, app(c.getContainerId()), number(c), host(n)));
  }

  public static void type(NodeType type, RMContainer c) {
    String t = type == NodeType.NODE_LOCAL ? "N" : type == NodeType.RACK_LOCAL ? "R" : "O";
    types.put(c.getContainerId(), t);
    List<Object> row = open.remove(c.getContainerId());
    if (row != null) {
      row.set(7, t);
    }
  }

  /** Whether containers are made at the script's time: the class takes the machine's, by which the newest ones are chosen. */
  static boolean dates;

  private static void date(RMContainer c) {
    try {
      FairRun.field(RMContainerImpl.class, "creationTime").setLong(c, now);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  public static void allocated(SchedulerNode n, RMContainer c) {
    if (dates) {
      date(c);
    }
    List<Object> row = row("A", n, c);
    row.add(c.getContainer().getPriority().getPriority());
    Resource r = c.getContainer().getResource();
    row.add(r.getMemorySize());
    row.add(r.getVirtualCores());
    row.add(types.get(c.getContainerId()));
    third(row, r);
    update(row, c.getAllocatedSchedulerKey());
    if (row.get(7) == null) {
      open.put(c.getContainerId(), row);
    }
    records.add(row);
  }

  /** Adds the container that an ask is to change, where it is. */
  private static void update(List<Object> row, SchedulerRequestKey key) {
    if (key != null && key.getContainerToUpdate() != null) {
      row.add(Manager.number(key.getContainerToUpdate()));
    }
  }

  static void told(Container c, ContainerUpdateType type) {
    List<Object> row = new ArrayList<>(Arrays.asList("V", app(c.getId()), Manager.number(c.getId()), c.getNodeId().getHost(),
        type == ContainerUpdateType.INCREASE_RESOURCE ? "I" : "D"));
    row.add(c.getResource().getMemorySize());
    row.add(c.getResource().getVirtualCores());
    records.add(row);
  }

  /** The records of a call that is over. What was placed without an ask is the empty container of a decrease; runs of sizes told to nodes are by container. */
  static List<List<Object>> taken() {
    open.values().forEach(row -> row.set(7, "H"));
    List<List<Object>> out = new ArrayList<>(records);
    for (int i = 0, j; i < out.size(); i = Math.max(j, i + 1)) {
      for (j = i; j < out.size() && out.get(j).get(0).equals("V"); j++) {
      }
      out.subList(i, j).sort((a, b) -> Long.compare((Long) a.get(2), (Long) b.get(2)));
    }
    return out;
  }

  /** Sorts ends that follow each other, which YARN goes through in the order of a hash map. */
  static void sortEnds(List<List<Object>> o) {
    for (int i = 0; i < o.size(); ) {
      int j = i;
      while (j < o.size() && o.get(j).get(0).equals("D")) {
        j++;
      }
      o.subList(i, j).sort((a, b) -> {
        int c = Integer.compare((Integer) a.get(1), (Integer) b.get(1));
        return c != 0 ? c : Long.compare((Long) a.get(2), (Long) b.get(2));
      });
      i = Math.max(j, i + 1);
    }
  }

  public static void reserved(SchedulerNode n, SchedulerRequestKey key, RMContainer c) {
    RMContainer held = n.getReservedContainer(); // another one, where an application reserves a node anew for what it has preempted there
    List<Object> row = row(held != null && held.getContainerId().equals(c.getContainerId()) ? "RR" : "R", n, c);
    row.add(c.getContainer().getPriority().getPriority());
    size(row, c.getContainer().getResource());
    update(row, key);
    records.add(row);
  }

  public static void unreserved(SchedulerNode n) {
    if (n.getReservedContainer() != null) {
      records.add(row("U", n, n.getReservedContainer()));
    }
  }

  static void ended(ContainerId id, int exit) {
    records.add(new ArrayList<>(Arrays.asList("D", app(id), Manager.number(id), exit)));
  }

  static void rejected(int app) {
    records.add(new ArrayList<>(Arrays.asList("X", app)));
  }

  public static class OnAllocate {
    @Advice.OnMethodEnter
    public static void enter(@Advice.This SchedulerNode n, @Advice.Argument(0) RMContainer c) {
      Recorder.allocated(n, c);
    }
  }

  /** The time of the script, as a watcher gives it to {@code SystemClock}. */
  public static long now = Manager.START;

  public static long now() {
    return now;
  }

  public static class OnTime {
    @Advice.OnMethodExit
    public static void exit(@Advice.Return(readOnly = false) long t) {
      t = Recorder.now;
    }
  }

  public static class OnType {
    @Advice.OnMethodEnter
    public static void enter(@Advice.Argument(0) NodeType t, @Advice.Argument(3) RMContainer c) {
      Recorder.type(t, c);
    }
  }

  public static class OnReserve {
    @Advice.OnMethodEnter
    public static void enter(@Advice.This SchedulerNode n, @Advice.Argument(1) SchedulerRequestKey key, @Advice.Argument(2) RMContainer c) {
      Recorder.reserved(n, key, c);
    }
  }

  public static class OnUnreserve {
    @Advice.OnMethodEnter
    public static void enter(@Advice.This SchedulerNode n) {
      Recorder.unreserved(n);
    }
  }
}
