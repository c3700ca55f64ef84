package golden;

import java.io.File;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.event.Dispatcher;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.security.AMRMTokenIdentifier;
import org.apache.hadoop.yarn.server.resourcemanager.AdminService;
import org.apache.hadoop.yarn.server.resourcemanager.ApplicationMasterService;
import org.apache.hadoop.yarn.server.resourcemanager.NodesListManager;
import org.apache.hadoop.yarn.server.resourcemanager.RMAppManagerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceTrackerService;
import org.apache.hadoop.yarn.server.resourcemanager.amlauncher.AMLauncherEvent;
import org.apache.hadoop.yarn.server.resourcemanager.amlauncher.AMLauncherEventType;
import org.apache.hadoop.yarn.server.resourcemanager.amlauncher.ApplicationMasterLauncher;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.NullRMStateStore;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.RMStateStoreEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.event.RMAppAttemptContainerFinishedEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler;
import org.apache.hadoop.yarn.util.AbstractLivelinessMonitor;

/**
 * A whole ResourceManager of the published jars that is initialised and not started: no thread or server of it runs. Its events are handled one by one on the
 * calling thread, those of the scheduler when no other is left; its store keeps nothing at once; its monitors look when the script's time has come.
 */
final class LiveManager extends ResourceManager {
  private final ArrayDeque<Event<?>> events = new ArrayDeque<>();
  private final ArrayDeque<SchedulerEvent> schedulings = new ArrayDeque<>();
  @SuppressWarnings("rawtypes")
  private final Map<Class<?>, List<EventHandler>> handlers = new HashMap<>();
  private final List<Monitor> monitors = new ArrayList<>();
  private final File excludes;
  private final Map<String, Integer> excluded = new TreeMap<>(); // hosts that drain, with their patience in s

  final List<List<Object>> launches = new ArrayList<>(); // of masters, since they were last taken
  String rejection;

  /** A monitor, or both of the masters, with the time of its next look. */
  private static final class Monitor {
    final String of;
    final List<Runnable> loops = new ArrayList<>();
    long interval;
    long next;

    Monitor(String of) {
      this.of = of;
    }
  }

  private static long now = Manager.START;
  private static boolean looking; // the first question for the time ends the loop of a monitor after this look

  LiveManager(Configuration conf, File dir) throws Exception {
    setClusterTimeStamp(Manager.START);
    Recorder.now = now = Manager.START;
    excludes = new File(dir, "excludes.xml");
    drains();
    conf.set("yarn.resourcemanager.nodes.exclude-path", excludes.getAbsolutePath());
    conf.set("yarn.resourcemanager.decommissioning-nodes-watcher.poll-interval-secs", "2000000");
    conf.set("net.topology.node.switch.mapping.impl", "org.apache.hadoop.net.TableMapping");
    conf.set("net.topology.table.file.name", racks(dir).getAbsolutePath());
    conf.set("yarn.webapp.api-service.enable", "false");
    init(conf);
    rmSecretManagerService.start();
    NullRMStateStore store = new NullRMStateStore() {
      @Override
      @SuppressWarnings("rawtypes")
      protected EventHandler getRMStateStoreEventHandler() {
        return e -> handleStoreEvent((RMStateStoreEvent) e);
      }
    };
    store.setResourceManager(this);
    store.init(conf);
    store.setRMDispatcher(getRMContext().getDispatcher());
    rmContext.setStateStore(store);
    ((ExecutorService) FairRun.field(activeServices.getClass(), "eventQueueMetricExecutor").get(activeServices)).shutdownNow();
    monitor("nodes", nmLivelinessMonitor);
    monitor("masters", getRMContext().getAMLivelinessMonitor(), getRMContext().getAMFinishingMonitor());
    monitor("containers", getRMContext().getContainerAllocationExpirer());
  }

  /** The rack of each host there can be, for the life of the process. */
  private static File racks(File dir) throws Exception {
    StringBuilder b = new StringBuilder();
    for (int i = 1; i <= 250; i++) {
      b.append(host(i)).append(' ').append(rack(i)).append('\n');
    }
    File f = new File(dir, "racks");
    Files.write(f.toPath(), b.toString().getBytes(StandardCharsets.UTF_8));
    return f;
  }

  static String host(int i) {
    return "10.0.0." + i;
  }

  static String rack(int i) {
    return "/rack" + i % 3;
  }

  private void monitor(String of, AbstractLivelinessMonitor<?>... all) throws Exception {
    Monitor w = new Monitor(of);
    for (AbstractLivelinessMonitor<?> m : all) {
      FairRun.field(AbstractLivelinessMonitor.class, "clock").set(m, (org.apache.hadoop.yarn.util.Clock) () -> {
        if (looking) {
          Thread.currentThread().interrupt();
        }
        return now;
      });
      w.interval = Math.max(FairRun.field(AbstractLivelinessMonitor.class, "monitorInterval").getLong(m), 1);
      Constructor<?> c = Class.forName(AbstractLivelinessMonitor.class.getName() + "$PingChecker").getDeclaredConstructor(AbstractLivelinessMonitor.class);
      c.setAccessible(true);
      w.loops.add((Runnable) c.newInstance(m));
    }
    w.next = Manager.START + w.interval;
    monitors.add(w);
  }

  /** Brings the time forward to the next look of a monitor and says what of, or to a time and says null if there is none before. */
  String forward(long at) {
    Monitor first = null;
    for (Monitor m : monitors) {
      if (m.next <= at && (first == null || m.next < first.next)) {
        first = m;
      }
    }
    Recorder.now = now = first == null ? at : first.next;
    if (first == null) {
      return null;
    }
    first.next += first.interval;
    for (Runnable loop : first.loops) {
      looking = true;
      loop.run();
      Thread.interrupted();
      looking = false;
    }
    return first.of;
  }

  static long now() {
    return now;
  }

  /** Handles all events, and those that follow from them. */
  @SuppressWarnings({"rawtypes", "unchecked"})
  void run() {
    for (;;) {
      if (!events.isEmpty()) {
        Event<?> e = events.poll();
        while (e instanceof RMAppManagerEvent && scheduler instanceof FifoScheduler && !schedulings.isEmpty()) { // it sums the application up, at which this one throws that still has it
          scheduler.handle(schedulings.poll());
        }
        for (EventHandler h : handlers.getOrDefault(e.getType().getClass(), List.of())) {
          h.handle(e);
        }
      } else if (!schedulings.isEmpty()) {
        scheduler.handle(schedulings.poll());
      } else {
        return;
      }
    }
  }

  private void post(Event<?> e) {
    if (e instanceof RMAppAttemptContainerFinishedEvent) {
      var status = ((RMAppAttemptContainerFinishedEvent) e).getContainerStatus();
      Recorder.ended(status.getContainerId(), status.getExitStatus());
    } else if (e instanceof RMAppEvent && e.getType() == RMAppEventType.APP_REJECTED) {
      rejection = ((RMAppEvent) e).getDiagnosticMsg();
    }
    events.add(e);
  }

  /** Lets a host drain for so many seconds, or with null no more. */
  void drain(String host, Integer patience) throws Exception {
    if (patience == null) {
      excluded.remove(host);
    } else {
      excluded.put(host, patience);
    }
    drains();
    nodesListManager.refreshNodesGracefully(getConfig(), -1);
    run();
  }

  private void drains() throws Exception {
    StringBuilder b = new StringBuilder("<?xml version=\"1.0\"?>\n<hosts>\n");
    excluded.forEach((h, s) -> b.append("<host><name>").append(h).append("</name><timeout>").append(s).append("</timeout></host>\n"));
    Files.write(excludes.toPath(), b.append("</hosts>\n").toString().getBytes(StandardCharsets.UTF_8));
  }

  boolean drains(String host) {
    return excluded.containsKey(host);
  }

  /** Makes a call as an attempt of an application. */
  <T> T as(ApplicationAttemptId id, PrivilegedExceptionAction<T> call) throws Exception {
    UserGroupInformation ugi = UserGroupInformation.createRemoteUser(id.toString());
    ugi.addTokenIdentifier(new AMRMTokenIdentifier(id, 1));
    try {
      return ugi.doAs(call);
    } catch (java.lang.reflect.UndeclaredThrowableException e) {
      throw (Exception) e.getCause();
    }
  }

  AbstractYarnScheduler<?, ?> scheduler() {
    return (AbstractYarnScheduler<?, ?>) scheduler;
  }

  ResourceTrackerService tracker() {
    return resourceTracker;
  }

  ApplicationMasterService masters() {
    return masterService;
  }

  NodesListManager lists() {
    return nodesListManager;
  }

  void end() {
    rmSecretManagerService.stop();
    schedulings.clear();
  }

  @Override
  protected void startWepApp() {}

  @Override
  protected AdminService createAdminService() {
    return new AdminService(this) {
      @Override
      protected void startServer() {}

      @Override
      protected void stopServer() {}
    };
  }

  @Override
  protected Dispatcher createDispatcher() {
    return new Dispatcher() {
      @Override
      @SuppressWarnings("rawtypes")
      public EventHandler getEventHandler() {
        return e -> post((Event<?>) e);
      }

      @Override
      @SuppressWarnings("rawtypes")
      public void register(Class<? extends Enum> type, EventHandler handler) {
        handlers.computeIfAbsent(type, t -> new ArrayList<>()).add(handler);
      }
    };
  }

  @Override
  protected EventHandler<SchedulerEvent> createSchedulerEventDispatcher() {
    return schedulings::add;
  }

  @Override
  protected ApplicationMasterLauncher createAMLauncher() {
    return new ApplicationMasterLauncher(getRMContext()) {
      @Override
      public synchronized void handle(AMLauncherEvent e) {
        if (e.getType() == AMLauncherEventType.LAUNCH) {
          Container c = e.getAppAttempt().getMasterContainer();
          launches.add(new ArrayList<>(List.of(Recorder.app(c.getId()), Manager.number(c.getId()), c.getNodeId().getHost())));
        }
      }
    };
  }
}
