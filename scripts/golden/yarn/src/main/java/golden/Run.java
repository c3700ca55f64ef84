package golden;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.ContainerExpiredSchedulerEvent;

/** One random run of a scheduler: a script that reacts to what the scheduler does, and its recording. */
abstract class Run extends Calls {
  int crowd; // how many more applications there are at a time than in the other kinds

  Run(long seed) {
    super(seed);
  }

  /** A random ask table change of an application. */
  void randomAsk(App a) throws Exception {
    List<List<Object>> asks = new ArrayList<>();
    boolean calm = resizes != null && resizes.roomy && percent(60); // growth comes after all other asks
    int groups = calm ? 0 : pick(0, 1, 1, 1, 2, 3);
    for (int priority = 1; calm && priority <= 4 && percent(90); priority++) {
      asks.add(row(priority, "*", 0, 1024, 1, 0, true));
    }
    for (int g = 0; g < groups; g++) {
      int priority = odd ? rnd.nextInt(3) : 1 + rnd.nextInt(4);
      int mem = pick(256, 512, 1000, 1024, 2048, 3000, 4096, 7000);
      int vc = pick(1, 1, 1, 2, 3, 4);
      int count = pick(0, 1, 2, 3, 5, 8, 15);
      int gpu = Recorder.third ? pick(0, 0, 1, 2) : 0;
      if (wide && percent(15)) {
        mem = pick(0, 1, 12346, 100000);
        vc = pick(0, 1, 20, 1000);
      }
      List<List<Object>> some = new ArrayList<>();
      int shape = rnd.nextInt(10);
      boolean relax = !percent(12);
      if (shape >= 4) {
        Map<String, Integer> rackSums = new TreeMap<>();
        List<String> hosts = new ArrayList<>(allHosts);
        Collections.shuffle(hosts, rnd);
        for (String h : hosts.subList(0, Math.min(hosts.size(), 1 + rnd.nextInt(4)))) {
          int n = 1 + rnd.nextInt(Math.max(1, count));
          some.add(row(priority, called(h), odd && percent(15) ? 0 : n, mem, vc, gpu, !odd || percent(80)));
          rackSums.merge(racks.getOrDefault(h, rackPrefix + "0"), n, Integer::sum);
        }
        if (shape >= 5 || wholeTables) {
          for (Map.Entry<String, Integer> r : rackSums.entrySet()) {
            some.add(row(priority, r.getKey(), Math.min(r.getValue(), Math.max(1, count)), mem, vc, gpu, relax));
          }
        }
      } else if (shape == 3) {
        some.add(row(priority, rackPrefix + rnd.nextInt(rackCount), Math.max(1, count), mem, vc, gpu, true));
      }
      if (wholeTables || !percent(4)) {
        some.add(row(priority, "*", count, mem, vc, gpu, shape < 3 || relax));
      }
      if (percent(30)) {
        Collections.shuffle(some, rnd);
      }
      if (storm) {
        some.replaceAll(this::unlike);
      }
      if (strange != null) {
        some.replaceAll(strange::row);
      }
      asks.addAll(some);
    }
    List<Long> releases = new ArrayList<>();
    if (percent(20)) {
      for (Box b : boxes.values()) {
        if (b.app == a.id && b.acquired && !b.ended && (b.number & 0xffffffffL) > 1 && percent(30)) {
          releases.add(b.number);
        }
      }
    }
    List<String> add = percent(8) ? List.of(called(pick(allHosts))) : null;
    List<String> remove = percent(5) ? List.of(called(pick(allHosts))) : null;
    if (odd) {
      oddReleases(a, releases);
      add = percent(15) ? places() : null;
      remove = percent(15) ? places() : null;
    }
    if (strange != null) {
      strange.twice(releases);
      add = strange.places(add);
      remove = strange.places(remove);
    }
    List<List<Object>> updates = resizes == null ? List.of() : resizes.draw(a);
    if (resizes != null && resizes.numbers) {
      resizes.release(a, releases);
    }
    ask(a, asks, releases, add, remove, updates);
  }

  /** A row of an ask as no client makes it: of another size than others under its key, at an odd priority, of many containers. */
  private List<Object> unlike(List<Object> r) {
    int priority = percent(20) ? pick(-1, 0, 1, 2, 100, 1_000_000) : (Integer) r.get(0);
    int count = percent(8) ? pick(0, 500) : (Integer) r.get(2);
    boolean other = percent(40);
    int mem = other ? pick(0, 1, 255, 512, 1025, 2048, 9999) : (Integer) r.get(3);
    int vc = other ? pick(0, 1, 2, 5) : (Integer) r.get(4);
    return row(priority, (String) r.get(1), count, mem, vc, other ? pick(0, 1, 3) : Recorder.gpu(r, 6), percent(10) ? percent(50) : (Integer) r.get(5) == 1);
  }

  /** A host as a master calls it: where nodes have their ports in their names, most often as the scheduler does. */
  String called(String host) {
    RMNode node = nodes.get(host);
    return named && node != null && percent(70) ? node.getNodeID().toString() : host;
  }

  /** Releases what the master has not got yet, what has ended, its own container and what there never was. */
  private void oddReleases(App a, List<Long> releases) {
    for (Box b : boxes.values()) {
      if (b.app == a.id && percent((b.number & 0xffffffffL) == 1 ? 1 : 5)) {
        releases.add(b.number);
      }
    }
    if (percent(10)) {
      releases.add((long) 1 + rnd.nextInt(40));
    }
  }

  /** Hosts and racks. */
  private List<String> places() {
    List<String> list = new ArrayList<>();
    for (int i = 1 + rnd.nextInt(2); i > 0; i--) {
      list.add(percent(40) ? rackPrefix + rnd.nextInt(rackCount) : called(pick(allHosts)));
    }
    return list;
  }

  int limit(int hosts) {
    return 3 + hosts / 2;
  }

  void script(int hosts, int events) throws Exception {
    String names = rare ? pick("h%03d", "ip-10-0-%d-17.ec2.internal", "10.1.2.%d", "Node%d", "worker-%d.example.org") : "h%03d";
    nextApp = rare && percent(30) ? 9990 : nextApp; // names of applications are compared as texts
    rackPrefix = rare ? pick("/rack", "/dc1/rack", "/default-rack", "/R") : rackPrefix;
    for (int i = 1; i <= hosts; i++) {
      allHosts.add(String.format(names, i));
    }
    for (String h : allHosts) {
      if (!percent(10) || nodes.isEmpty()) {
        addNode(h);
      }
    }
    state();
    while (lines.size() < events && !broken) {
      if (storm ? percent(10) : percent(75)) {
        clock(storm ? pick(1, 1, 1, 500, 20000) : pick(1, 100, 200, 500, 500, 1000, 1500, 20000));
      }
      int limit = limit(hosts) + crowd;
      if (apps.size() < limit && percent(apps.size() < 2 + crowd / 2 ? 60 : 15)) {
        addApp();
      }
      List<App> running = new ArrayList<>();
      for (App a : apps.values()) {
        if (a.pulled) {
          running.add(a);
        }
      }
      for (App a : running) {
        if (percent(resizes == null && !lasting ? 30 : 60)) {
          randomAsk(a);
        }
      }
      if (percent(lasting ? 15 : 60)) {
        state();
      }
      if (keys && percent(40)) {
        largest();
      }
      if (wide) {
        continueOrKill();
      }
      more();
      List<String> order = new ArrayList<>(nodes.keySet());
      Collections.shuffle(order, rnd);
      for (String h : order.subList(0, lasting && percent(60) ? order.size() : rnd.nextInt(order.size() + 1))) {
        heartbeat(h);
        if (percent(3)) {
          state();
        }
      }
      if (percent(3)) {
        expire();
      }
      if (resizes != null) {
        resizes.nodeState();
        if (percent(8)) {
          resizes.expire();
        }
        if (resizes.numbers && percent(5)) {
          resizes.expireHelper();
        }
      }
      if (resizes != null && percent(6)) {
        resizes.expire();
      }
      if (percent(4) && !running.isEmpty()) {
        App a = pick(running);
        if (apps.containsKey(a.id)) {
          removeApp(a);
        }
      }
      if (percent(wide ? 6 : 2)) {
        churn();
      }
    }
  }

  /** The largest container that an application may ask for in each queue, in one that is not there and in no particular one. */
  private void largest() throws Exception {
    Set<String> names = new TreeSet<>(queues());
    names.addAll(List.of("", "root", "root.none"));
    Map<String, Object> e = event("largest");
    List<Object> rows = new ArrayList<>();
    e.put("max", rows);
    emit(e, () -> {
      for (String name : names) {
        List<Object> row = new ArrayList<>(List.of(name));
        Recorder.size(row, s.getMaximumResourceCapability(name));
        rows.add(row);
      }
    });
  }

  /** Brings applications that were left in a state between two calls on, or ends them there. */
  private void continueOrKill() throws Exception {
    for (App a : new ArrayList<>(apps.values())) {
      if (percent(a.pulled ? 3 : 10)) {
        removeApp(a);
      } else if (!a.attempted && percent(40)) {
        attempt(a);
      } else if (a.attempted && !a.amAsked && percent(40)) {
        askMaster(a);
      }
    }
  }

  /** Now and then the decommission of a node begins or is taken back, and an attempt fails. */
  void drainAndFail(boolean drains, boolean fails) throws Exception {
    if (drains && percent(10) && !nodes.isEmpty()) {
      drain(pick(new ArrayList<>(nodes.keySet())));
    }
    if (fails && percent(15) && !apps.isEmpty()) {
      App a = pick(new ArrayList<>(apps.values()));
      if (a.attempted) {
        fail(a);
      }
    }
  }

  private void churn() throws Exception {
    switch (rnd.nextInt(3)) {
      case 0:
        if (nodes.size() > 1) {
          removeNode(pick(new ArrayList<>(nodes.keySet())));
        }
        break;
      case 1:
        for (String h : allHosts) {
          if (!nodes.containsKey(h)) {
            addNode(h);
            break;
          }
        }
        break;
      default:
        resizeNode(pick(new ArrayList<>(nodes.keySet())));
    }
  }

  private void expire() throws Exception {
    List<Box> list = new ArrayList<>();
    for (Box b : boxes.values()) {
      if (b.acquired && !b.launched && !b.ended && (odd || (b.number & 0xffffffffL) > 1)) {
        list.add(b);
      }
    }
    if (list.isEmpty()) {
      return;
    }
    Box b = pick(list);
    Map<String, Object> e = event("expire");
    e.put("a", b.app);
    e.put("c", b.number);
    emit(e, () -> s.handle(new ContainerExpiredSchedulerEvent(
        Manager.container(b.app, b.number))));
  }
}
