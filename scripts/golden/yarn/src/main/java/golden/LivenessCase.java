package golden;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.event.Dispatcher;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.server.resourcemanager.NMLivelinessMonitor;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.AMLivelinessMonitor;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.AllocationExpirationInfo;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.ContainerAllocationExpirer;
import org.apache.hadoop.yarn.util.AbstractLivelinessMonitor;
import org.apache.hadoop.yarn.util.Clock;

/** At which of its looks a monitor of the ResourceManager finds that nodes or masters are silent, or that containers were not started. It looks at 0 and then at its own interval. */
final class LivenessCase {
  private final long seed;
  private final Random rnd;
  private long now;
  private boolean looking; // the first question for the time ends the loop after this look

  LivenessCase(long seed) {
    this.seed = seed;
    rnd = new Random(seed);
  }

  private static final Dispatcher NOBODY = new Dispatcher() {
    @Override
    @SuppressWarnings("rawtypes")
    public EventHandler getEventHandler() {
      return e -> {};
    }

    @Override
    @SuppressWarnings("rawtypes")
    public void register(Class<? extends Enum> type, EventHandler handler) {}
  };

  private static Field field(String name) throws Exception {
    Field f = AbstractLivelinessMonitor.class.getDeclaredField(name);
    f.setAccessible(true);
    return f;
  }

  private AbstractLivelinessMonitor<?> monitor(String what, long expiry) {
    Configuration conf = new YarnConfiguration();
    conf.setLong(YarnConfiguration.RM_NM_EXPIRY_INTERVAL_MS, expiry);
    conf.setLong(YarnConfiguration.RM_AM_EXPIRY_INTERVAL_MS, expiry);
    conf.setLong(YarnConfiguration.RM_CONTAINER_ALLOC_EXPIRY_INTERVAL_MS, expiry);
    AbstractLivelinessMonitor<?> m = what.equals("nodes") ? new NMLivelinessMonitor(NOBODY) : what.equals("masters") ? new AMLivelinessMonitor(NOBODY) : new ContainerAllocationExpirer(NOBODY);
    m.init(conf);
    return m;
  }

  private static Object key(String what, int i) {
    ApplicationAttemptId attempt = ApplicationAttemptId.newInstance(ApplicationId.newInstance(Manager.START, what.equals("masters") ? i : 1), 1);
    switch (what) {
      case "nodes":
        return NodeId.newInstance("h" + i, 8041);
      case "masters":
        return attempt;
      default:
        return new AllocationExpirationInfo(ContainerId.newContainerId(attempt, i));
    }
  }

  private int upTo(int... most) {
    return rnd.nextInt(most[rnd.nextInt(most.length)]);
  }

  @SuppressWarnings("unchecked")
  String play() throws Exception {
    String what = new String[] {"nodes", "masters", "containers"}[rnd.nextInt(3)];
    long expiry = new int[] {1, 2, 3, 4, 5, 100, 599, 1000, 30_000, 600_000, 600_001, 600_002, 900_000}[rnd.nextInt(13)];
    AbstractLivelinessMonitor<Object> monitor = (AbstractLivelinessMonitor<Object>) monitor(what, expiry);
    field("clock").set(monitor, (Clock) () -> {
      if (looking) {
        Thread.currentThread().interrupt();
      }
      return now;
    });
    long interval = Math.max(field("monitorInterval").getLong(monitor), 1);
    Map<Object, Long> running = (Map<Object, Long>) field("running").get(monitor);
    Constructor<?> c = Class.forName(AbstractLivelinessMonitor.class.getName() + "$PingChecker").getDeclaredConstructor(AbstractLivelinessMonitor.class);
    c.setAccessible(true);
    Runnable loop = (Runnable) c.newInstance(monitor);

    TreeMap<Long, List<Runnable>> calls = new TreeMap<>();
    List<Map<String, Object>> watched = new ArrayList<>();
    Map<Object, Map<String, Object>> left = new LinkedHashMap<>();
    int n = 1 + rnd.nextInt(12);
    for (int i = 1; i <= n; i++) {
      Object key = key(what, i);
      long since = upTo(1, 2, (int) interval + 1, (int) (3 * interval) + 1, (int) (10 * interval));
      Map<String, Object> w = new LinkedHashMap<>();
      w.put("since", since);
      calls.computeIfAbsent(since, t -> new ArrayList<>()).add(() -> monitor.register(key));
      if (what.equals("containers")) {
        if (rnd.nextInt(3) == 0) {
          long started = since + upTo((int) expiry, (int) expiry, (int) expiry + (int) interval);
          w.put("started", started);
          calls.computeIfAbsent(started, t -> new ArrayList<>()).add(() -> monitor.unregister(key));
        }
      } else {
        long last = since;
        for (int pings = upTo(1, 5, 20); pings > 0; pings--) {
          last += upTo((int) Math.min(expiry, 2000), (int) expiry);
          calls.computeIfAbsent(last, t -> new ArrayList<>()).add(() -> monitor.receivedPing(key));
        }
        w.put("last", last);
      }
      watched.add(w);
      left.put(key, w);
    }
    for (long due = 0; !calls.isEmpty() || !running.isEmpty(); due += interval) {
      for (; !calls.isEmpty() && calls.firstKey() <= due;) {
        now = calls.firstKey();
        calls.pollFirstEntry().getValue().forEach(Runnable::run);
      }
      now = due;
      List<Object> before = new ArrayList<>(running.keySet());
      looking = true;
      loop.run();
      Thread.interrupted();
      looking = false;
      for (Object key : before) {
        if (!running.containsKey(key)) {
          left.get(key).put("expired", now);
        }
      }
    }
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", seed);
    out.put("liveness", what);
    out.put("expiry", expiry);
    out.put("watched", watched);
    return Cases.JSON.writeValueAsString(out);
  }
}
