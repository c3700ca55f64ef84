package golden;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.GroupMappingServiceProvider;
import org.apache.hadoop.security.Groups;
import org.apache.hadoop.yarn.LocalConfigurationProvider;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.RMAppManager;
import org.apache.hadoop.yarn.server.resourcemanager.placement.ApplicationPlacementContext;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplication;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AbstractCSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AbstractLeafQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.ConfigurableResource;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairSchedulerConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.security.RMContainerTokenSecretManager;
import org.apache.hadoop.yarn.server.security.ApplicationACLsManager;

/** Vectors of one line a case: configurations of the schedulers, and submissions through placement rules. */
final class Cases {
  static final ObjectMapper JSON = new ObjectMapper();

  private final Random rnd;
  private final Texts texts;
  private final File dir;
  private final Map<String, Object> site = new TreeMap<>();

  Cases(long seed, File dir) {
    rnd = new Random(seed);
    texts = new Texts(rnd);
    this.dir = dir;
  }

  /** The exception and its causes: class and message. What the Java runtime words is left out. */
  static List<Object> chain(Throwable x) {
    List<Object> out = new ArrayList<>();
    for (; x != null; x = x.getCause()) {
      String c = x.getClass().getSimpleName();
      boolean runtime = c.equals("NullPointerException") || c.equals("SAXParseException") || c.equals("ClassCastException")
          || c.equals("ResourceNotFoundException") && x.getMessage().contains("stack trace");
      out.add(Arrays.asList(c, runtime ? null : x.getMessage()));
    }
    return out;
  }

  private Configuration conf() {
    Configuration conf = new YarnConfiguration();
    for (Map.Entry<String, Object> e : site.entrySet()) {
      conf.set(e.getKey(), e.getValue().toString());
    }
    return conf;
  }

  private FairScheduler fair(Configuration conf, String xml, Manager[] m) throws Exception {
    File file = new File(dir, "fair-scheduler.xml");
    Files.write(file.toPath(), xml.getBytes(StandardCharsets.UTF_8));
    conf.set("yarn.scheduler.fair.allocation.file", file.getAbsolutePath());
    QueueMetrics.clearQueueMetrics();
    m[0] = new Manager(conf);
    FairScheduler f = new FairScheduler();
    f.setClock(m[0].clock);
    m[0].context.setScheduler(f);
    f.setRMContext(m[0].context);
    f.init(conf);
    return f;
  }

  /** Adds an application and tells its queue, or why not. */
  private static Object add(FairScheduler f, Manager m, int a, String user, String queue, ApplicationPlacementContext placed) {
    m.submit(a, queue, user, null, 0);
    m.rejection = null;
    try {
      f.handle(new AppAddedSchedulerEvent(user, m.context.getRMApps().get(Manager.appId(a)).getApplicationSubmissionContext(),
          false, Priority.newInstance(0), placed));
    } catch (Exception x) {
      return chain(x);
    }
    if (m.rejection != null) {
      return m.rejection;
    }
    SchedulerApplication<?> app = f.getSchedulerApplications().get(Manager.appId(a));
    return app.getQueue().getQueueName();
  }

  /** Settings of one case in eight that are not of the file: their draws leave those of the file as they are. */
  private void sizes(long seed) {
    Random other = new Random(seed * 7919);
    if (other.nextInt(8) == 0) {
      Texts.sizes(other, site);
    }
  }

  String allocFile(long id, boolean edges, boolean reserved) throws Exception {
    sizes(id);
    texts.reserved = reserved;
    Map<String, Object> out = new LinkedHashMap<>();
    String xml = texts.allocations();
    if (edges) {
      xml = new Edits(rnd).of(xml);
    }
    out.put("id", id);
    out.put("kind", "alloc_file");
    out.put("site", site);
    out.put("xml", xml);
    List<String> then = new ArrayList<>();
    for (int i = rnd.nextInt(reserved ? 6 : 3); i > 0; i--) {
      then.add(texts.path());
    }
    out.put("then", then);
    Manager[] m = new Manager[1];
    try {
      FairScheduler f = fair(conf(), xml, m);
      out.put("queues", FairRun.settings(f));
      Map<String, Object> users = new TreeMap<>();
      for (String u : new String[] {"u1", "u2", "u3", "other"}) {
        users.put(u, f.getAllocationConfiguration().getUserMaxApps(u));
      }
      out.put("user_max_apps", users);
      List<Object> res = new ArrayList<>();
      int a = 1;
      for (String q : then) {
        res.add(add(f, m[0], a++, "u1", q, new ApplicationPlacementContext(q)));
      }
      out.put("then_res", res);
      if (!then.isEmpty()) {
        out.put("then_queues", FairRun.settings(f));
      }
    } catch (Exception x) {
      out.put("err", chain(x));
    }
    return JSON.writeValueAsString(out);
  }

  /** Groups of the users of the present case. */
  public static final class CaseGroups implements GroupMappingServiceProvider {
    static final Map<String, List<String>> of = new TreeMap<>();

    @Override
    public List<String> getGroups(String user) {
      return of.getOrDefault(user, List.of());
    }

    @Override
    public java.util.Set<String> getGroupsSet(String user) {
      return new java.util.LinkedHashSet<>(getGroups(user));
    }

    @Override
    public void cacheGroupsRefresh() {}

    @Override
    public void cacheGroupsAdd(List<String> groups) {}
  }

  private static final String[] ODD_USERS = {"al", "bob", "root", "default", "a.b", ".al", "al.", "a..b", "été", "\u00a0al", "AL", "a b", "_dot_", "a_dot_b", ".", "users"};
  private static final String[] ODD_QUEUES = {"root.al", "root.users.al", ".", "..", "a.", "root..", " root.a ", "root.A", "\u00a0a", "root.a.b.c.d", "root.root", "root.root.a", "Root.a", "root.a b", "\t", "root.été", "root.a.", "default.a", "root.default.a", "DEFAULT ",
    "a_dot_b", "root. a", "root.a .b", "root.g1.al", "root.ops.dev"};

  String placement(long id, boolean edges) throws Exception {
    if (rnd.nextInt(3) == 0) {
      site.put("yarn.scheduler.fair.allow-undeclared-pools", rnd.nextBoolean());
    }
    if (rnd.nextInt(3) == 0) {
      site.put("yarn.scheduler.fair.user-as-default-queue", rnd.nextBoolean());
    }
    String xml = texts.placement();
    if (edges && rnd.nextInt(3) == 0) {
      xml = new Edits(rnd).of(xml);
    }
    CaseGroups.of.clear();
    String[] users = edges ? ODD_USERS : Texts.USERS;
    for (String u : users) {
      List<String> groups = new ArrayList<>();
      for (int i = rnd.nextInt(4); i > 0; i--) {
        String g = edges && rnd.nextInt(4) == 0 ? texts.pick(ODD_USERS) : texts.pick(Texts.NAMES);
        if (!groups.contains(g)) {
          groups.add(g);
        }
      }
      CaseGroups.of.put(u, groups);
    }
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", id);
    out.put("kind", "placement");
    out.put("site", site);
    out.put("xml", xml);
    out.put("groups", new TreeMap<>(CaseGroups.of));
    List<List<String>> apps = new ArrayList<>();
    for (int i = 3 + rnd.nextInt(5); i > 0; i--) {
      apps.add(List.of(texts.pick(users), edges && rnd.nextInt(2) == 0 ? texts.pick(ODD_QUEUES) : texts.submitted()));
    }
    out.put("apps", apps);
    Configuration conf = conf();
    conf.set("hadoop.security.group.mapping", CaseGroups.class.getName());
    FairRun.callIn(Groups.class, null, "reset");
    Groups.getUserToGroupsMappingService(conf);
    Manager[] m = new Manager[1];
    try {
      FairScheduler f = fair(conf, xml, m);
      RMAppManager manager = new RMAppManager(m[0].context, f, null, new ApplicationACLsManager(conf), conf);
      List<Object> res = new ArrayList<>();
      int a = 1;
      for (List<String> app : apps) {
        Map<String, Object> row = new LinkedHashMap<>();
        res.add(row);
        ApplicationSubmissionContext sub = ApplicationSubmissionContext.newInstance(Manager.appId(a), "app", app.get(1),
            Priority.newInstance(0), null, false, true, 1, null);
        ApplicationPlacementContext placed;
        try {
          placed = (ApplicationPlacementContext) FairRun.call(manager, "placeApplication",
              m[0].context.getQueuePlacementManager(), sub, app.get(0), false);
        } catch (java.lang.reflect.InvocationTargetException x) {
          row.put("err", chain(x.getCause()));
          a++;
          continue;
        }
        row.put("place", placed == null ? null : placed.getQueue());
        FairRun.call(manager, "copyPlacementQueueToSubmissionContext", placed, sub);
        row.put("queue", sub.getQueue());
        Object answer = add(f, m[0], a, app.get(0), sub.getQueue(), placed);
        row.put(answer instanceof List ? "fail" : m[0].rejection != null ? "reject" : "in", answer);
        a++;
      }
      out.put("res", res);
      List<String> tree = new ArrayList<>();
      for (FSQueue q : FairRun.all(f)) {
        tree.add(q.getName());
      }
      out.put("tree", tree);
    } catch (Exception x) {
      out.put("err", chain(x));
    }
    return JSON.writeValueAsString(out);
  }

  String capacityConf(long id, boolean edges) throws Exception {
    texts.capacity(site);
    sizes(id);
    if (edges) {
      CapacityEdges.draw(rnd, site);
    }
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", id);
    out.put("kind", "capacity_conf");
    out.put("site", site);
    Configuration conf = new YarnConfiguration();
    String p = "yarn.scheduler.capacity.root.";
    conf.set(p + "queues", "default");
    conf.set(p + "default.capacity", "100");
    conf.set(p + "default.user-limit-factor", "1");
    conf.set(p + "default.maximum-capacity", "100");
    conf.set(p + "default.state", "RUNNING");
    for (Map.Entry<String, Object> e : site.entrySet()) {
      conf.set(e.getKey(), e.getValue().toString());
    }
    QueueMetrics.clearQueueMetrics();
    Manager m = new Manager(conf);
    LocalConfigurationProvider files = new LocalConfigurationProvider();
    files.init(conf);
    m.context.setConfigurationProvider(files);
    m.context.setMultiNodeSortingManager(new org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.MultiNodeSortingManager<>());
    CapacityScheduler s = new CapacityScheduler();
    s.setClock(m.clock);
    s.setConf(conf);
    m.context.setScheduler(s);
    s.setRMContext(m.context);
    try {
      s.init(conf);
      out.put("queues", rows(s));
      for (int i = 1; i <= 2; i++) {
        s.handle(new NodeAddedSchedulerEvent(m.node("n" + i, 8041, "/rack", Resource.newInstance(10240, 10))));
      }
      out.put("queues_20480_20", rows(s));
    } catch (Exception x) {
      out.put("err", chain(x));
    }
    return JSON.writeValueAsString(out);
  }

  private static List<Object> pair(Resource r) {
    List<Object> l = new ArrayList<>();
    Recorder.size(l, r);
    return l;
  }

  private static List<Object> rows(CapacityScheduler s) {
    Map<String, CSQueue> all = new TreeMap<>();
    CapacityRun.collect(s.getRootQueue(), all);
    List<Object> out = new ArrayList<>();
    for (CSQueue q : all.values()) {
      Map<String, Object> r = new LinkedHashMap<>();
      r.put("path", q.getQueuePath());
      r.put("leaf", q instanceof AbstractLeafQueue);
      r.put("cap", q.getCapacity());
      r.put("abs", q.getAbsoluteCapacity());
      r.put("max", q.getMaximumCapacity());
      r.put("abs_max", q.getAbsoluteMaximumCapacity());
      r.put("weight", q.getQueueCapacities().getWeight());
      r.put("state", q.getState().name());
      r.put("priority", q.getPriority().getPriority());
      r.put("eff_min", pair(q.getQueueResourceQuotas().getEffectiveMinResource()));
      r.put("eff_max", pair(q.getQueueResourceQuotas().getEffectiveMaxResource()));
      r.put("max_alloc", pair(((AbstractCSQueue) q).getMaximumAllocation()));
      if (q instanceof AbstractLeafQueue) {
        AbstractLeafQueue l = (AbstractLeafQueue) q;
        r.put("user_limit", l.getUserLimit());
        r.put("user_limit_factor", l.getUserLimitFactor());
        r.put("max_apps", l.getMaxApplications());
        r.put("max_apps_user", l.getMaxApplicationsPerUser());
        r.put("max_am", l.getMaxAMResourcePerQueuePercent());
        r.put("order", l.getOrderingPolicy().getClass().getSimpleName());
        r.put("locality_delay", l.getNodeLocalityDelay());
        r.put("max_parallel", l.getMaxParallelApps());
      }
      out.add(r);
    }
    return out;
  }

  String resource(long id) throws Exception {
    String in = texts.resource();
    long missing = rnd.nextBoolean() ? 0 : Long.MAX_VALUE;
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", id);
    out.put("kind", "parse");
    out.put("types", List.of("memory-mb", "vcores"));
    out.put("in", in);
    out.put("missing", missing);
    try {
      ConfigurableResource r = FairSchedulerConfiguration.parseResourceConfigValue(in, missing);
      if (r.getPercentages() != null) {
        out.put("pct", r.getPercentages());
        Resource cluster = Resource.newInstance(1000003, 997);
        out.put("cluster", pair(cluster));
        out.put("of_cluster", pair(r.getResource(cluster)));
      } else {
        out.put("res", pair(r.getResource()));
      }
    } catch (Exception x) {
      out.put("err", x.getMessage());
    }
    return JSON.writeValueAsString(out);
  }
}
