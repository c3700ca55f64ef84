package golden;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSContext;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSLeafQueue;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSSchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.Schedulable;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.SchedulingPolicy;
import sun.reflect.ReflectionFactory;

/** What a policy of the FairScheduler makes of schedulables that are made up: the shares that it gives them, and the order in which it has them. */
final class ShareCase {
  private static final long[] LIMITS = {0, 0, 1, 2, 3, 1023, 1024, 65536, Integer.MAX_VALUE - 1L, Integer.MAX_VALUE, 1L << 31, (1L << 53) - 1, 1L << 53, (1L << 53) + 1, Long.MAX_VALUE / 2, Long.MAX_VALUE - 1, Long.MAX_VALUE};

  private final long seed;
  private final Random rnd;
  private final String[] types = Recorder.names().toArray(new String[0]);
  private final long scale; // of amounts of memory
  private final boolean even; // amounts and weights are often the same

  ShareCase(long seed) {
    this.seed = seed;
    rnd = new Random(seed);
    scale = pick(4, 100, 10_000, 1_000_000, 1L << 31, 1L << 40, 1L << 53, 1L << 62);
    even = rnd.nextInt(3) == 0;
  }

  /** The class would go on for ever, as no ratio makes shares come to what there is: none of the values around it is a double. */
  private static final class Endless extends RuntimeException {}

  /** A schedulable as it is made up; share is what a policy gives it. */
  private static final class Made {
    String name;
    float weight;
    long start;
    int priority;
    boolean active = true;
    Resource min;
    Resource max;
    Resource usage;
    Resource demand;
    Resource share;
    int asked; // for its weight

    float weight() {
      if (++asked > 20_000) {
        throw new Endless();
      }
      return weight;
    }
  }

  /** One that is no queue. */
  private record Plain(Made of) implements Schedulable {
    @Override
    public String getName() {
      return of.name;
    }

    @Override
    public Resource getDemand() {
      return of.demand;
    }

    @Override
    public Resource getResourceUsage() {
      return of.usage;
    }

    @Override
    public Resource getMinShare() {
      return of.min;
    }

    @Override
    public Resource getMaxShare() {
      return of.max;
    }

    @Override
    public float getWeight() {
      return of.weight();
    }

    @Override
    public long getStartTime() {
      return of.start;
    }

    @Override
    public Priority getPriority() {
      return Priority.newInstance(of.priority);
    }

    @Override
    public void updateDemand() {}

    @Override
    public Resource assignContainer(FSSchedulerNode node) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Resource getFairShare() {
      return of.share;
    }

    @Override
    public void setFairShare(Resource r) {
      of.share = r;
    }

    @Override
    public boolean isPreemptable() {
      return true;
    }
  }

  /** A queue without a scheduler: no constructor runs. */
  private static final class Leaf extends FSLeafQueue {
    private Made of;

    private Leaf() {
      super(null, null, null);
    }

    @Override
    public boolean isActive() {
      return of.active;
    }

    @Override
    public float getWeight() {
      return of.weight();
    }

    @Override
    public Resource getMinShare() {
      return of.min;
    }

    @Override
    public Resource getMaxShare() {
      return of.max;
    }

    @Override
    public Resource getFairShare() {
      return of.share;
    }

    @Override
    public Resource getSteadyFairShare() {
      return of.share;
    }
  }

  /** A scheduler of which a comparison asks how large the cluster is. */
  private static final class Cluster extends FairScheduler {
    private Resource total;

    @Override
    public Resource getClusterResource() {
      return total;
    }
  }

  private static FSContext context(Resource total) throws Exception {
    FSContext context = bare(FSContext.class);
    Cluster cluster = bare(Cluster.class);
    cluster.total = total;
    Field f = FSContext.class.getDeclaredField("scheduler");
    f.setAccessible(true);
    f.set(context, cluster);
    return context;
  }

  private static <T> T bare(Class<T> of) throws Exception {
    Constructor<?> c = ReflectionFactory.getReflectionFactory().newConstructorForSerialization(of, Object.class.getDeclaredConstructor());
    return of.cast(c.newInstance());
  }

  private long pick(long... from) {
    return from[rnd.nextInt(from.length)];
  }

  private long below(long n) {
    return n <= 1 ? 0 : Math.floorMod(rnd.nextLong(), n);
  }

  /** An amount of the i-th type. */
  private long amount(int i) {
    long most = i == 1 ? Math.min(scale, Integer.MAX_VALUE) : scale;
    switch (rnd.nextInt(even ? 12 : 8)) {
      case 0:
        return 0;
      case 1:
        return below(Math.min(most, 4));
      case 2:
        return most;
      case 3:
      case 4:
      case 5:
      case 6:
      case 7:
        return below(most);
      default:
        return most / (1 + rnd.nextInt(3));
    }
  }

  private Resource resource(long[] amounts) {
    Resource r = Resource.newInstance(0, 0);
    for (int i = 0; i < types.length; i++) {
      r.setResourceValue(types[i], i == 1 ? Math.min(amounts[i], Integer.MAX_VALUE) : amounts[i]);
    }
    return r;
  }

  private Resource some() {
    long[] a = new long[types.length];
    for (int i = 0; i < a.length; i++) {
      a[i] = amount(i);
    }
    return resource(a);
  }

  /** Less than nothing of some types, as of vcores where containers have -1 of them. */
  private Resource owed() {
    long[] a = new long[types.length];
    for (int i = 0; i < a.length; i++) {
      a[i] = rnd.nextBoolean() ? amount(i) : -amount(i);
    }
    return resource(a);
  }

  private Resource limit() {
    long[] a = new long[types.length];
    for (int i = 0; i < a.length; i++) {
      a[i] = rnd.nextInt(3) == 0 ? amount(i) : rnd.nextInt(30) == 0 ? -1 : LIMITS[rnd.nextInt(3) > 0 ? LIMITS.length - 1 : rnd.nextInt(LIMITS.length)];
    }
    return resource(a);
  }

  private Resource least() {
    return rnd.nextBoolean() ? resource(new long[types.length]) : some();
  }

  private float weight() {
    switch (rnd.nextInt(even ? 4 : 9)) {
      case 0:
        return 1;
      case 1:
        return rnd.nextInt(10);
      case 2:
        return rnd.nextInt(4) * 0.5f;
      case 3:
        return rnd.nextInt(3) == 0 ? 0 : 2;
      case 4:
        return (float) Math.exp(rnd.nextGaussian() * 12);
      case 5:
        return rnd.nextInt(4) == 0 ? -rnd.nextFloat() : Float.intBitsToFloat(rnd.nextInt(0x7f800000));
      default:
        return rnd.nextFloat() * 5;
    }
  }

  private List<Long> row(Resource r) {
    List<Long> out = new ArrayList<>();
    for (String t : types) {
      out.add(r.getResourceValue(t));
    }
    return out;
  }

  private int size() {
    return rnd.nextInt(12) == 0 ? rnd.nextInt(400) : 1 + rnd.nextInt(rnd.nextBoolean() ? 4 : 20);
  }

  /** Shares of a total. */
  String shares() throws Exception {
    while (true) {
      try {
        return divided();
      } catch (Endless e) {
        // another one is drawn
      }
    }
  }

  private String divided() throws Exception {
    String kind = new String[] {"fair", "drf", "steady_fair", "steady_drf", "fifo"}[rnd.nextInt(5)];
    boolean steady = kind.startsWith("steady_");
    boolean fifo = kind.equals("fifo");
    boolean queues = steady || !fifo && rnd.nextBoolean();
    Resource total = rnd.nextInt(8) == 0 ? limit() : some();
    int n = size();
    List<Made> all = new ArrayList<>();
    List<Schedulable> given = new ArrayList<>();
    List<FSLeafQueue> leaves = new ArrayList<>();
    List<Object> written = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      Made m = new Made();
      m.name = queues ? "root.q" + i : "s" + i;
      m.weight = even && i > 0 && rnd.nextBoolean() ? all.get(i - 1).weight : weight();
      m.min = least();
      m.max = limit();
      m.active = !queues || rnd.nextInt(4) > 0;
      m.start = rnd.nextInt(3 * n);
      m.share = fifo ? some() : resource(new long[types.length]);
      Map<String, Object> o = new LinkedHashMap<>();
      o.put("name", m.name);
      o.put("w", m.weight);
      o.put("min", row(m.min));
      o.put("max", row(m.max));
      o.put("active", m.active);
      if (fifo) {
        o.put("start", m.start);
        o.put("init", row(m.share));
      }
      written.add(o);
      all.add(m);
      if (queues) {
        Leaf leaf = bare(Leaf.class);
        leaf.of = m;
        leaves.add(leaf);
        given.add(leaf);
      } else {
        given.add(new Plain(m));
      }
    }
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", seed);
    out.put("kind", kind);
    out.put("types", Arrays.asList(types));
    out.put("queues", queues);
    out.put("total", row(total));
    out.put("s", written);
    SchedulingPolicy p = SchedulingPolicy.parse(kind.replace("steady_", ""));
    if (steady) {
      p.computeSteadyShares(leaves, total);
    } else {
      p.computeShares(given, total);
    }
    List<Object> shares = new ArrayList<>();
    for (Made m : all) {
      shares.add(row(m.share));
    }
    out.put("shares", shares);
    return Cases.JSON.writeValueAsString(out);
  }

  /** The order of schedulables. */
  String order() throws Exception {
    String kind = new String[] {"fair", "drf", "fifo"}[rnd.nextInt(3)];
    Resource cluster = rnd.nextInt(8) == 0 ? resource(new long[types.length]) : some();
    int n = 2 + rnd.nextInt(rnd.nextBoolean() ? 3 : 24);
    List<Schedulable> all = new ArrayList<>();
    List<Object> written = new ArrayList<>();
    Made last = null;
    for (int i = 0; i < n; i++) {
      Made m = new Made();
      boolean queue = rnd.nextInt(3) == 0;
      m.name = queue ? "root." + (char) ('a' + rnd.nextInt(3)) + (rnd.nextInt(4) == 0 ? "." + (char) ('A' + rnd.nextInt(3)) : "") + i : String.format("application_1700000000000_%04d", (rnd.nextInt(6) == 0 ? 9995 : 1) + i);
      boolean same = last != null && rnd.nextInt(even ? 2 : 4) == 0;
      m.weight = same ? last.weight : weight();
      m.usage = same ? last.usage : rnd.nextInt(3) == 0 ? resource(new long[types.length]) : rnd.nextInt(20) == 0 ? owed() : some();
      m.demand = same && rnd.nextBoolean() ? last.demand : some();
      m.min = same && rnd.nextBoolean() ? last.min : least();
      m.start = queue ? 0 : pick(0, 1, 2, 3, 1000, 2000, Long.MAX_VALUE);
      m.priority = rnd.nextInt(4) == 0 ? (int) pick(-1, 0, 2, 3, Integer.MAX_VALUE) : 1;
      last = m;
      all.add(new Plain(m));
      Map<String, Object> o = new LinkedHashMap<>();
      o.put("name", m.name);
      o.put("usage", row(m.usage));
      o.put("demand", row(m.demand));
      o.put("min", row(m.min));
      o.put("w", m.weight);
      o.put("start", m.start);
      o.put("pri", m.priority);
      written.add(o);
    }
    SchedulingPolicy p = SchedulingPolicy.parse(kind);
    p.initialize(context(cluster));
    Comparator<Schedulable> c = p.getComparator();
    int[][] cmp = new int[n][n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        cmp[i][j] = Integer.signum(c.compare(all.get(i), all.get(j)));
      }
    }
    TreeSet<Schedulable> set = new TreeSet<>(c);
    set.addAll(all);
    List<Integer> order = new ArrayList<>();
    for (Schedulable s : set) {
      order.add(all.indexOf(s));
    }
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", seed);
    out.put("policy", kind);
    out.put("types", Arrays.asList(types));
    out.put("cluster", row(cluster));
    out.put("s", written);
    out.put("cmp", cmp);
    out.put("order", order);
    out.put("consistent", consistent(cmp));
    return Cases.JSON.writeValueAsString(out);
  }

  /** Whether comparisons are those of an order. */
  private static boolean consistent(int[][] cmp) {
    int n = cmp.length;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        if (cmp[i][j] != -cmp[j][i]) {
          return false;
        }
        for (int k = 0; k < n; k++) {
          if (cmp[i][j] <= 0 && cmp[j][k] <= 0 && cmp[i][k] > 0 || cmp[i][j] == 0 && cmp[j][k] == 0 && cmp[i][k] != 0) {
            return false;
          }
        }
      }
    }
    return true;
  }
}
