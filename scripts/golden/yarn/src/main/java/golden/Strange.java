package golden;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.Resource;

/** What clients and nodes do that do not know the cluster: hosts, racks and queues that there are not, sizes at the limits, starts of what has been released. */
final class Strange {
  private final Run run;
  private final List<Box> released = new ArrayList<>(); // acquired and released before their nodes reported a start

  Strange(Run run) {
    this.run = run;
  }

  private static long of(Resource r, boolean memory) {
    return memory ? r.getMemorySize() : r.getVirtualCores();
  }

  /** A size at or beside itself, the least or the largest one. */
  private int edge(boolean memory, int size) {
    long n = run.percent(75) ? run.pick(size, size, 0) + (run.percent(30) ? run.pick(-1, 1) : 0)
        : run.percent(50) ? of(run.s.getMinimumResourceCapability(), memory) + run.pick(-1, 0, 1)
        : of(run.s.getMaximumResourceCapability(), memory) + run.pick(-1, 0, 0, 1, memory ? 513 : 1);
    return (int) Math.max(0, Math.min(n, Integer.MAX_VALUE));
  }

  /** A row of an ask with another place or size, or for very many containers. */
  List<Object> row(List<Object> r) {
    String name = (String) r.get(1);
    if (!name.equals("*") && run.percent(15)) {
      name = run.pick("nohost", "gone1", "gone2", "/norack", "/default-rack", "h", "/", name + "x", name.toUpperCase());
    }
    boolean other = run.percent(8);
    int mem = other ? edge(true, (Integer) r.get(3)) : (Integer) r.get(3);
    int vc = other ? edge(false, (Integer) r.get(4)) : (Integer) r.get(4);
    int count = run.percent(3) && mem >= 512 ? run.pick(1000, 100_000, 1_000_000, Integer.MAX_VALUE) : (Integer) r.get(2);
    return Run.row((Integer) r.get(0), name, count, mem, vc, Recorder.gpu(r, 6), (Integer) r.get(5) == 1);
  }

  /** Says the first release again. */
  void twice(List<Long> releases) {
    if (!releases.isEmpty() && run.percent(20)) {
      releases.add(releases.get(0));
    }
  }

  /** Adds hosts, racks and what is none to a list of places that are kept out or let in. */
  List<String> places(List<String> others) {
    List<String> list = new ArrayList<>(others == null ? List.of() : others);
    if (run.percent(12)) {
      for (int i = run.rnd.nextInt(3); i >= 0; i--) {
        list.add(run.percent(70) ? run.pick(run.allHosts) : run.pick("*", "nohost", "", run.rackPrefix + "0", "/norack"));
      }
    }
    return list.isEmpty() ? others : list;
  }

  /** A container has ended before its node reported a start. */
  void ended(Box b) {
    if (b.acquired && run.percent(60)) {
      released.add(b);
    }
  }

  void gone(String host) {
    released.removeIf(b -> b.node.equals(host));
  }

  /** A node has started what was released on the way, and reports it; it ends later as all that has ended in the ResourceManager. */
  void report(String host, List<List<Object>> launched, List<ContainerStatus> up) {
    for (Box b : new ArrayList<>(released)) {
      if (b.node.equals(host) && run.percent(50)) {
        released.remove(b);
        b.launched = b.ended = true;
        ContainerId id = Manager.container(b.app, b.number);
        launched.add(List.of(b.app, b.number));
        up.add(ContainerStatus.newInstance(id, ContainerState.RUNNING, "", 0));
        run.boxes.put(Run.key(b.app, b.number), b);
      }
    }
  }
}
