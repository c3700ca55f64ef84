package golden;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.apache.hadoop.yarn.api.ApplicationMasterProtocol;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.client.api.impl.AMRMClientImpl;
import org.apache.hadoop.yarn.util.RackResolver;

/** Random calls of an AMRMClient, with what it sends. */
final class ClientCase {
  private static Map<String, String> topology = Map.of();

  /** Racks of hosts, from the case at hand. */
  public static final class Topology implements DNSToSwitchMapping {
    @Override
    public List<String> resolve(List<String> hosts) {
      List<String> out = new ArrayList<>();
      for (String h : hosts) {
        out.add(topology.getOrDefault(h, "/default-rack"));
      }
      return out;
    }

    @Override
    public void reloadCachedMappings() {}

    @Override
    public void reloadCachedMappings(List<String> hosts) {}
  }

  /** A client whose protocol keeps what it is given. */
  private final class Client extends AMRMClientImpl<ContainerRequest> {
    @Override
    protected void serviceStart() {
      rmClient = (ApplicationMasterProtocol) Proxy.newProxyInstance(ClientCase.class.getClassLoader(),
          new Class<?>[] {ApplicationMasterProtocol.class}, (self, method, args) -> {
            if (!method.getName().equals("allocate")) {
              throw new UnsupportedOperationException(method.getName());
            }
            sent((AllocateRequest) args[0]);
            if (fails) {
              throw new IOException("lost");
            }
            return AllocateResponse.newInstance(1, List.of(), List.of(), List.of(), Resource.newInstance(0, 0), null, 1, null,
                List.of());
          });
    }

    @Override
    protected void serviceStop() {}
  }

  private final Random rnd;
  private final List<Object> ops = new ArrayList<>();
  private final List<ContainerRequest> requests = new ArrayList<>(); // null: never made
  private final List<Integer> live = new ArrayList<>();
  private Map<String, Object> op;
  private boolean fails;

  private final boolean odd; // requests of any size at any place, removed when they are not there

  ClientCase(long seed, boolean odd) {
    rnd = new Random(seed);
    this.odd = odd;
  }

  private int pick(int... of) {
    return of[rnd.nextInt(of.length)];
  }

  private boolean percent(int p) {
    return rnd.nextInt(100) < p;
  }

  private String[] names(String prefix, int most) {
    if (percent(35)) {
      return null;
    }
    String[] out = new String[rnd.nextInt(4)];
    for (int i = 0; i < out.length; i++) {
      out[i] = prefix + rnd.nextInt(most);
    }
    return out;
  }

  private void sent(AllocateRequest r) {
    List<Object> ask = new ArrayList<>();
    for (ResourceRequest q : r.getAskList()) {
      ask.add(List.of(q.getPriority().getPriority(), q.getResourceName(), q.getNumContainers(), q.getCapability().getMemorySize(),
          q.getCapability().getVirtualCores(), q.getRelaxLocality() ? 1 : 0, q.getAllocationRequestId()));
    }
    op.put("ask", ask);
    List<Long> release = new ArrayList<>();
    for (ContainerId c : r.getReleaseList()) {
      release.add(c.getContainerId());
    }
    release.sort(null);
    op.put("release", release);
    op.put("bl_add", new TreeSet<>(r.getResourceBlacklistRequest().getBlacklistAdditions()));
    op.put("bl_rem", new TreeSet<>(r.getResourceBlacklistRequest().getBlacklistRemovals()));
  }

  private void op(String name) {
    op = new LinkedHashMap<>();
    op.put("op", name);
    ops.add(op);
  }

  String play(long id, int events) throws Exception {
    Map<String, String> racks = new TreeMap<>();
    for (int i = 0; i < 6; i++) {
      if (percent(70)) {
        racks.put("h" + i, "/r" + rnd.nextInt(3));
      }
    }
    topology = racks;
    Configuration conf = Run.conf(Map.of("net.topology.node.switch.mapping.impl", Topology.class.getName()));
    Method reset = RackResolver.class.getDeclaredMethod("reset"); // it keeps the racks of hosts for good
    reset.setAccessible(true);
    reset.invoke(null);
    Client client = new Client();
    client.init(conf);
    client.start();
    int most = Math.max(1, Math.min(events, 60));
    int pools = 1 + rnd.nextInt(3); // how many priorities
    boolean ids = percent(40);
    while (ops.size() < most) {
      int what = rnd.nextInt(100);
      if (what < 50) {
        add(client, 1 + rnd.nextInt(pools), ids ? rnd.nextInt(3) : 0);
      } else if (what < 65) {
        remove(client);
      } else if (what < 82) {
        allocate(client);
      } else if (what < 93) {
        match(client, 1 + rnd.nextInt(pools));
      } else if (what < 97) {
        blacklist(client);
      } else {
        op("release");
        long c = 1 + rnd.nextInt(9);
        op.put("cid", c);
        client.releaseAssignedContainer(ContainerId.newContainerId(Manager.attemptId(1), c));
      }
    }
    client.stop();
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", id);
    out.put("topology", racks);
    out.put("ops", ops);
    return Run.JSON.writeValueAsString(out);
  }

  private void add(Client client, int priority, long arid) {
    op("add");
    int k = requests.size();
    int mem = pick(512, 1024, 1024, 2048);
    int vc = pick(1, 1, 2, 4);
    String[] nodes = names("h", 7);
    String[] racks = names("/r", 4);
    boolean relax = percent(70);
    if (odd) {
      mem = pick(mem, mem, 0, 1, 513, Integer.MAX_VALUE);
      vc = pick(vc, vc, 0, 1000);
      priority = percent(15) ? pick(-1, 0, 1_000_000) : priority;
      arid = percent(10) ? pick(-1, 7, Integer.MAX_VALUE) : arid;
      strange(nodes, "", "*", "H1", "h1 ", "r1");
      strange(racks, "", "*", "h1", "/default-rack", "r1", "/R1");
    }
    op.put("k", k);
    op.put("pri", priority);
    op.put("mem", mem);
    op.put("vc", vc);
    op.put("nodes", nodes);
    op.put("racks", racks);
    op.put("relax", relax);
    op.put("arid", arid);
    requests.add(null);
    ContainerRequest r;
    try {
      r = new ContainerRequest(Resource.newInstance(mem, vc), nodes, racks, Priority.newInstance(priority), arid, relax, null);
    } catch (RuntimeException x) {
      op.put("err", x.getClass().getSimpleName());
      op.put("msg", x.getMessage());
      op.put("at", "construct");
      return;
    }
    try {
      client.addContainerRequest(r);
    } catch (RuntimeException x) {
      if (odd) {
        requests.set(k, r);
      }
      op.put("err", x.getClass().getSimpleName());
      op.put("at", "add");
      return;
    }
    requests.set(k, r);
    live.add(k);
  }

  /** Puts others in the place of some of the names. */
  private void strange(String[] names, String... others) {
    for (int i = 0; names != null && i < names.length; i++) {
      if (percent(12)) {
        names[i] = others[rnd.nextInt(others.length)];
      }
    }
  }

  private void remove(Client client) {
    if (live.isEmpty()) {
      return;
    }
    op("remove");
    Integer k = live.get(rnd.nextInt(live.size()));
    if (odd && percent(25)) {
      do {
        k = rnd.nextInt(requests.size());
      } while (requests.get(k) == null);
    }
    live.remove(k);
    op.put("k", k);
    client.removeContainerRequest(requests.get(k));
  }

  private void allocate(Client client) throws Exception {
    op("allocate");
    fails = percent(12);
    op.put("fail", fails);
    try {
      client.allocate(0.5f);
    } catch (IOException x) {
      op.put("err", x.getClass().getSimpleName());
    }
  }

  private void match(Client client, int priority) {
    op("match");
    String where = odd && percent(10) ? percent(50) ? "" : "/default-rack" : percent(20) ? "*" : percent(30) ? "/r" + rnd.nextInt(4) : "h" + rnd.nextInt(7);
    int mem = pick(512, 1024, 2048, 4096);
    int vc = pick(1, 2, 4);
    if (odd) {
      mem = pick(mem, mem, 0, 1, 513, Integer.MAX_VALUE);
      vc = pick(vc, vc, 0, 1000);
      priority = percent(15) ? pick(-1, 0, 1_000_000) : priority;
    }
    op.put("pri", priority);
    op.put("loc", where);
    op.put("mem", mem);
    op.put("vc", vc);
    List<Object> res = new ArrayList<>();
    for (Collection<ContainerRequest> c : client.getMatchingRequests(
        Priority.newInstance(priority), where, Resource.newInstance(mem, vc))) {
      List<Integer> numbers = new ArrayList<>();
      for (ContainerRequest r : c) {
        numbers.add(number(r));
      }
      res.add(numbers);
    }
    op.put("res", res);
  }

  private int number(ContainerRequest r) {
    for (int i = 0; i < requests.size(); i++) {
      if (requests.get(i) == r) {
        return i;
      }
    }
    throw new IllegalStateException("a request that was never added");
  }

  private void blacklist(Client client) {
    op("blacklist");
    List<String> add = new ArrayList<>();
    List<String> rem = new ArrayList<>();
    for (int i = rnd.nextInt(3); i > 0; i--) {
      add.add(odd && percent(15) ? "*" : "h" + rnd.nextInt(7));
    }
    for (int i = rnd.nextInt(3); i > 0; i--) {
      rem.add("h" + rnd.nextInt(7));
    }
    op.put("add", add);
    op.put("rem", rem);
    client.updateBlacklist(add, rem);
  }
}
