package golden;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.mapreduce.v2.app.rm.Driven;

/** A random run: a job, a cluster and a ResourceManager that are made up as the allocator asks. */
final class Play {
  private final Random random;
  private final boolean odd;
  private final boolean rare; // settings, sizes and clusters at the edge, copies of tasks that run, nodes on which many fail
  private final long seed;
  private final int steps;
  private final int maps;
  private final int reduces;
  private final List<String> hosts = new ArrayList<>();
  private final Map<String, String> racks = new LinkedHashMap<>();
  private final int[] mapSize;
  private final int[] reduceSize;
  private final List<Map<String, Object>> events = new ArrayList<>();
  private Driven driven;
  private long clock;
  private int doneMaps;
  private int doneReduces;
  private long nextContainer = 2;

  /** An attempt that was asked for, by name; its container once it has one, 0 before. */
  private final Map<String, Long> live = new LinkedHashMap<>();
  private final Map<Long, String> hostOf = new TreeMap<>();
  private final Map<Long, Integer> ending = new LinkedHashMap<>();
  private final Map<String, Integer> attempts = new LinkedHashMap<>();
  private final Map<String, List<String>> inputs = new LinkedHashMap<>();
  /** What the ResourceManager was last asked for anywhere, by priority, less what it gave. */
  private final TreeMap<Integer, Integer> wanted = new TreeMap<>();

  Play(long seed, int most, int steps, boolean odd, boolean rare) {
    this.rare = rare;
    this.seed = seed;
    this.odd = odd;
    random = new Random(seed * 7919 + 17);
    this.steps = 5 + random.nextInt(steps);
    maps = 1 + random.nextInt(most);
    reduces = chance(5) ? 0 : random.nextInt(most / 2 + 1);
    int n = 1 + random.nextInt(rare ? 40 : 10);
    int r = 1 + random.nextInt(rare ? 12 : 4);
    for (int i = 1; i <= n; i++) {
      hosts.add("h" + i);
      if (!odd || !chance(20)) {
        racks.put("h" + i, "/r" + (1 + random.nextInt(r)));
      }
    }
    mapSize = size();
    reduceSize = size();
  }

  private boolean chance(int oneIn) {
    return random.nextInt(oneIn) == 0;
  }

  private <T> T of(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private int[] size() {
    if (rare) {
      return new int[] {of(Arrays.asList(1, 128, 1000, 1023, 1024, 1025, 8192, 100000)), of(Arrays.asList(0, 1, 1, 2, 3, 7, 100))};
    }
    return new int[] {of(Arrays.asList(256, 512, 1000, 1024, 1536, 2048, 3000, 4096)), 1 + (chance(3) ? random.nextInt(4) : 0)};
  }

  private Map<String, Object> conf() {
    Map<String, Object> c = new LinkedHashMap<>();
    boolean plain = chance(4);
    c.put("slow_start", plain ? 0.05f : of(Arrays.asList(0f, 0.05f, 0.3f, 0.5f, 0.8f, 1f, 0.33333f)));
    c.put("ramp_up_limit", plain ? 0.5f : of(Arrays.asList(0f, 0.1f, 0.5f, 0.7f, 1f)));
    c.put("preemption_limit", plain ? 0.5f : of(Arrays.asList(0f, 0.1f, 0.5f, 1f)));
    c.put("unconditional_preempt_delay_s", plain ? 300 : of(Arrays.asList(-1, 0, 1, 10, 300, odd ? 3000000 : 60)));
    c.put("preempt_delay_s", plain ? 0 : of(Arrays.asList(0, 0, 1, 5, 60, odd ? 4294968 : 2)));
    c.put("running_map_limit", plain ? 0 : of(Arrays.asList(0, 0, 1, 2, 5, 10)));
    c.put("running_reduce_limit", plain ? 0 : of(Arrays.asList(0, 0, 1, 2, 4)));
    c.put("blacklisting", plain || !chance(5));
    c.put("max_failures_per_node", plain ? 3 : of(Arrays.asList(1, 2, 3)));
    c.put("ignore_blacklist_percent", plain ? 33 : of(Arrays.asList(-1, 0, 20, 33, 50, 100)));
    c.put("opportunistic_maps_percent", plain || !chance(4) ? 0 : of(Arrays.asList(1, 3, 50, 100)));
    if (rare) {
      c.put("slow_start", of(Arrays.asList(-1f, 0f, 0.01f, 0.05f, 0.99f, 1f, 1.5f)));
      c.put("ramp_up_limit", of(Arrays.asList(-0.5f, 0f, 0.01f, 0.33333334f, 0.9f, 2f)));
      c.put("preemption_limit", of(Arrays.asList(-0.5f, 0f, 0.01f, 0.9f, 3f)));
      c.put("running_map_limit", of(Arrays.asList(-1, 0, 1, 3, 8, 100)));
      c.put("running_reduce_limit", of(Arrays.asList(-1, 0, 0, 1, 3, 100)));
      c.put("max_failures_per_node", of(Arrays.asList(0, 1, 1, 2, 5)));
      c.put("ignore_blacklist_percent", of(Arrays.asList(-1, 0, 1, 10, 67, 100)));
      c.put("opportunistic_maps_percent", chance(3) ? of(Arrays.asList(2, 7, 99)) : 0);
    }
    c.put("preemption_policy", plain ? "noop" : of(Arrays.asList("noop", "kill", "checkpoint")));
    return c;
  }

  Map<String, Object> run() throws Exception {
    Map<String, Object> run = new LinkedHashMap<>();
    Map<String, Object> conf = conf();
    List<String> types = chance(2) ? Arrays.asList("memory") : Arrays.asList("memory", "cpu");
    List<Integer> max = odd && chance(12) ? Arrays.asList(1024, 1) : Arrays.asList(1048576, 128);
    clock = 1000000;
    run.put("id", "own-" + seed);
    run.put("seed", seed);
    run.put("conf", conf);
    run.put("maps", maps);
    run.put("reduces", reduces);
    run.put("resource_types", types);
    run.put("max_capability", max);
    run.put("start", clock);
    run.put("racks", racks);
    run.put("events", events);
    driven = Driven.make(conf, maps, reduces, types, max, clock, racks);
    for (int i = 0; i < maps; i++) {
      request("m" + i, false);
    }
    for (int i = 0; i < reduces; i++) {
      request("r" + i, false);
    }
    for (int i = 0; i < steps; i++) {
      step();
      if (!heartbeat(i == steps - 1)) {
        break;
      }
    }
    return run;
  }

  private Map<String, Object> event(String kind) {
    Map<String, Object> e = new LinkedHashMap<>();
    e.put("e", kind);
    events.add(e);
    return e;
  }

  private void request(String task, boolean failed) {
    int number = attempts.merge(task, 1, Integer::sum) - 1;
    String a = task + "_" + number;
    int[] size = task.startsWith("m") ? mapSize : reduceSize;
    if (odd && chance(20)) {
      size = size();
    }
    Map<String, Object> e = event("req");
    e.put("a", a);
    e.put("mem", size[0]);
    e.put("vc", size[1]);
    List<String> names = new ArrayList<>();
    List<String> at = new ArrayList<>();
    if (failed) {
      e.put("failed", 1);
    } else {
      if (task.startsWith("m")) {
        names = inputs.computeIfAbsent(task, t -> input());
        for (String h : names) {
          String rack = racks.getOrDefault(h, "/default-rack");
          if (!at.contains(rack)) {
            at.add(rack);
          }
        }
      }
      e.put("hosts", names);
      e.put("racks", at);
    }
    live.put(a, 0L);
    e.put("out", driven.request(a, size, names, at, failed));
  }

  private List<String> input() {
    List<String> list = new ArrayList<>(hosts);
    if (odd && chance(6)) {
      list.add("elsewhere");
    }
    if (rare && chance(4)) {
      list.addAll(list); // a block may have a host twice
    }
    Collections.shuffle(list, random);
    return new ArrayList<>(list.subList(0, Math.min(list.size(), random.nextInt(4))));
  }

  private List<String> running() {
    List<String> list = new ArrayList<>();
    for (Map.Entry<String, Long> e : live.entrySet()) {
      if (e.getValue() != 0 && !ending.containsKey(e.getValue())) {
        list.add(e.getKey());
      }
    }
    return list;
  }

  private static String task(String attempt) {
    return attempt.substring(0, attempt.indexOf('_'));
  }

  /** What happens to the job between two heartbeats. */
  private void step() {
    clock += of(Arrays.asList(0, 1, 250, 1000, 1000, 1000, 1000, 5000, odd ? 400000 : 2000));
    Map<String, Object> e = event("clock");
    e.put("t", clock);
    driven.clock(clock);
    boolean counted = false;
    for (String a : running()) {
      switch (random.nextInt(10)) {
        case 0: case 1: // done
          if (a.startsWith("m")) {
            doneMaps = Math.min(maps, doneMaps + 1);
          } else {
            doneReduces = Math.min(reduces, doneReduces + 1);
          }
          counted = true;
          ending.put(live.get(a), 0);
          break;
        case 2:
          if (!chance(rare ? 1 : 3)) {
            break;
          }
          Map<String, Object> f = event("fail");
          f.put("a", a);
          String host = hostOf.get(live.get(a));
          f.put("host", chance(8) ? host : host + ":8041");
          f.put("out", driven.failed(a, (String) f.get("host")));
          ending.put(live.get(a), of(Arrays.asList(1, 143, 137, 255)));
          request(task(a), true);
          break;
        case 3:
          if (chance(6)) {
            dealloc(a);
          }
          break;
        case 4: case 5:
          Map<String, Object> p = event("progress");
          float v = random.nextInt(100) / 100f;
          p.put("p", Arrays.asList(Arrays.asList(a, v)));
          driven.progress(a, v);
          break;
        default:
      }
    }
    for (String a : rare ? running() : Collections.<String>emptyList()) { // a copy, as of the speculator
      if (chance(12)) {
        request(task(a), chance(8));
      }
    }
    for (String a : new ArrayList<>(live.keySet())) {
      if (live.get(a) == 0 && chance(40)) {
        dealloc(a);
        if (chance(2)) {
          request(task(a), chance(2));
        }
      }
    }
    if (odd && doneMaps > 0 && chance(10)) { // a map runs again
      doneMaps--;
      counted = true;
      request("m" + random.nextInt(maps), chance(2));
    }
    if (odd && chance(30)) {
      dealloc("m" + random.nextInt(maps) + "_7");
    }
    if (counted) {
      Map<String, Object> j = event("job");
      j.put("maps", doneMaps);
      j.put("reduces", doneReduces);
      driven.completed(doneMaps, doneReduces);
    }
  }

  private void dealloc(String a) {
    Map<String, Object> e = event("dealloc");
    e.put("a", a);
    live.remove(a);
    e.put("out", driven.deallocate(a));
  }

  /** A heartbeat; false if it was the last one that there can be. */
  private boolean heartbeat(boolean last) throws Exception {
    Map<String, Object> e = event("hb");
    if (last && odd && chance(3)) {
      e.put("error", chance(2) ? "attempt_not_found" : "invalid_label");
      e.put("out", driven.heartbeat(e));
      return false;
    }
    if (odd && chance(25)) {
      e.put("error", chance(2) ? "io" : "not_registered");
      Map<String, Object> out = driven.heartbeat(e);
      e.put("out", out);
      if (e.get("error").equals("not_registered")) {
        seen(out);
      }
      return true;
    }
    int each = chance(2) ? mapSize[0] : reduceSize[0];
    e.put("avail", of(Arrays.asList(Arrays.asList(0, 0), Arrays.asList(each * random.nextInt(8), random.nextInt(10)), Arrays.asList(random.nextInt(9000), random.nextInt(8)),
        Arrays.asList(1 << 20, 1000))));
    if (rare && chance(3)) {
      e.put("avail", of(Arrays.asList(Arrays.asList(-5000, -3), Arrays.asList(-each, 4), Arrays.asList(each, 0), Arrays.asList(2 * each - 1, -1), Arrays.asList(Integer.MAX_VALUE, Integer.MAX_VALUE))));
    }
    e.put("nodes", chance(8) ? random.nextInt(hosts.size() + 2) : hosts.size());
    List<List<Object>> alloc = new ArrayList<>();
    for (Integer priority : new ArrayList<>(wanted.keySet())) {
      int n = wanted.get(priority);
      int k = n <= 0 ? 0 : chance(3) ? n : random.nextInt(Math.min(n, 5) + 1);
      if (odd && chance(25)) {
        k++;
      }
      int p = odd && chance(60) ? 7 : priority;
      int[] size = priority == 10 ? reduceSize : mapSize;
      for (int i = 0; i < k; i++) {
        String host = odd && chance(40) ? "h99" : of(hosts);
        alloc.add(Arrays.asList(nextContainer, host, p, size[0] + (chance(6) ? 512 : 0) - (odd && chance(40) ? 1 : 0), size[1] + (chance(12) ? 1 : 0)));
        hostOf.put(nextContainer, host);
        nextContainer += chance(6) ? 2 : 1;
      }
      wanted.put(priority, n - k);
    }
    Collections.shuffle(alloc, random);
    if (!alloc.isEmpty()) {
      e.put("alloc", alloc);
    }
    List<List<Object>> done = new ArrayList<>();
    for (Long c : new ArrayList<>(ending.keySet())) {
      if (!chance(3)) {
        done.add(Arrays.asList(c, ending.remove(c)));
      }
    }
    for (String a : running()) {
      if (chance(40)) { // by the framework
        done.add(Arrays.asList(live.get(a), of(Arrays.asList(-100, -102, -108, -101, -105, -106, 0))));
      }
    }
    if (odd && chance(15)) {
      done.add(Arrays.asList(800000L + random.nextInt(99), 0));
    }
    if (!done.isEmpty()) {
      e.put("done", done);
    }
    if (chance(15)) {
      List<List<Object>> updated = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(2); i++) {
        updated.add(Arrays.asList(of(hosts), of(Arrays.asList("LOST", "UNHEALTHY", "RUNNING", "DECOMMISSIONED", "DECOMMISSIONING", "REBOOTED", "SHUTDOWN", "NEW"))));
      }
      e.put("updated", updated);
    }
    List<String> running = running();
    if (!running.isEmpty() && chance(8)) {
      preempt(e, running);
    }
    Map<String, Object> out = driven.heartbeat(e);
    e.put("out", out);
    seen(out);
    for (Object d : done) {
      Object c = ((List<?>) d).get(0);
      live.values().removeIf(v -> v.equals(c));
    }
    @SuppressWarnings("unchecked")
    List<List<Object>> assigned = (List<List<Object>>) out.getOrDefault("assigned", Collections.emptyList());
    for (List<Object> a : assigned) {
      live.put((String) a.get(0), (Long) a.get(1));
    }
    @SuppressWarnings("unchecked")
    List<List<Object>> kills = (List<List<Object>>) out.getOrDefault("kill", Collections.emptyList());
    for (List<Object> k : kills) {
      String a = (String) k.get(0);
      if (live.getOrDefault(a, 0L) != 0 && !ending.containsKey(live.get(a)) && !chance(3)) {
        ending.put(live.get(a), 143);
        request(task(a), k.get(2).equals(1));
      }
    }
    return true;
  }

  private void preempt(Map<String, Object> e, List<String> running) {
    Map<String, Object> p = new LinkedHashMap<>();
    List<Long> strict = new ArrayList<>();
    List<Long> containers = new ArrayList<>();
    for (String a : running) {
      if (chance(3)) {
        (chance(2) ? strict : containers).add(live.get(a));
      }
    }
    if (odd && chance(8)) { // an unknown container, alone, so that the order of a hash set does not show
      strict = Arrays.asList(800000L + random.nextInt(99));
      containers = new ArrayList<>();
    }
    if (!strict.isEmpty()) {
      p.put("strict", strict);
    }
    if (!containers.isEmpty()) {
      Map<String, Object> contract = new LinkedHashMap<>();
      List<List<Object>> requests = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(2); i++) {
        int[] size = chance(2) ? reduceSize : size();
        requests.add(Arrays.asList(chance(4) ? of(hosts) : "*", 1 + random.nextInt(3), size[0], size[1]));
      }
      contract.put("containers", containers);
      contract.put("requests", requests);
      p.put("contract", contract);
    }
    if (!p.isEmpty()) {
      e.put("preempt", p);
    }
  }

  /** The ResourceManager takes over what it was asked for. */
  @SuppressWarnings("unchecked")
  private void seen(Map<String, Object> out) {
    for (List<Object> a : (List<List<Object>>) out.get("ask")) {
      if (a.get(1).equals("*")) {
        wanted.put((Integer) a.get(0), (Integer) a.get(2));
      }
    }
  }
}
