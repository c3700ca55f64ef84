import ch.qos.logback.classic.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import org.cloudsimplus.allocationpolicies.VmAllocationPolicyFirstFit;
import org.cloudsimplus.brokers.DatacenterBroker;
import org.cloudsimplus.brokers.DatacenterBrokerSimple;
import org.cloudsimplus.cloudlets.Cloudlet;
import org.cloudsimplus.cloudlets.CloudletSimple;
import org.cloudsimplus.core.CloudSimEntity;
import org.cloudsimplus.core.CloudSimPlus;
import org.cloudsimplus.core.events.SimEvent;
import org.cloudsimplus.datacenters.DatacenterSimple;
import org.cloudsimplus.hosts.Host;
import org.cloudsimplus.hosts.HostSimple;
import org.cloudsimplus.resources.Pe;
import org.cloudsimplus.resources.PeSimple;
import org.cloudsimplus.schedulers.cloudlet.CloudletSchedulerSpaceShared;
import org.cloudsimplus.util.Log;
import org.cloudsimplus.vms.Vm;
import org.cloudsimplus.vms.VmSimple;

/**
 * The workload W1 on CloudSim Plus: W1 LOAD TASKS prints what it comes to. A node is a host with one virtual machine of all its cores, a task a cloudlet of one core. First come, first served,
 * on the first node with room.
 *
 * <p>A cloudlet may end a ninth of a second late, which is how far apart the updates of a datacenter are at least, and in a row of them that adds up. So each is half a second shorter than its
 * task, which ends at the next whole second.
 */
public final class W1 extends CloudSimEntity {
  private static final int NODES = 1000, CORES = 16, MEMORY = 65_536, TASK_MIB = 2048;
  private static final int MIPS = 1000;
  private static final int SECOND = 1; // tag of an event at a whole second
  private static final int START = 10; // virtual machines take a moment to be there

  private record Task(long since, long seconds) {}

  private final double load;
  private final int tasks;
  private final DatacenterBroker broker;
  private final List<Vm> vms;
  private final int[] cores = new int[NODES], memory = new int[NODES];
  private final PriorityQueue<Integer> room = new PriorityQueue<>();
  private final Queue<Task> waiting = new ArrayDeque<>();
  private final Set<Long> seconds = new HashSet<>(); // that have an event
  private long state = 42;
  private int next, done;
  private long makespan, waited;
  private int longest;

  private W1(CloudSimPlus simulation, double load, int tasks, DatacenterBroker broker, List<Vm> vms) {
    super(simulation);
    this.load = load;
    this.tasks = tasks;
    this.broker = broker;
    this.vms = vms;
    for (int node = 0; node < NODES; node++) {
      cores[node] = CORES;
      memory[node] = MEMORY;
      room.add(node);
    }
  }

  /** The duration of the next task: 10 + (z mod 100) s for the output z of splitmix64. */
  private long duration() {
    state += 0x9e3779b97f4a7c15L;
    long z = state;
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return 10 + Long.remainderUnsigned(z ^ z >>> 31, 100);
  }

  private long submitted(int task) {
    return (long) Math.floor(task * 59.5 / (NODES * CORES * load));
  }

  /** The second of the workload that has come or comes next. */
  private long second() {
    return (long) Math.ceil(getSimulation().clock() - START - 1e-6);
  }

  /** Has a second looked at. */
  private void at(long second) {
    if (seconds.add(second)) {
      schedule(START + second - getSimulation().clock(), SECOND);
    }
  }

  private void dispatch(long now) {
    List<Cloudlet> begun = new ArrayList<>();
    while (!waiting.isEmpty() && !room.isEmpty()) {
      int node = room.peek();
      Task task = waiting.remove();
      waited += now - task.since;
      cores[node]--;
      memory[node] -= TASK_MIB;
      if (cores[node] < 1 || memory[node] < TASK_MIB) {
        room.remove();
      }
      Cloudlet c = new CloudletSimple(task.seconds * MIPS - MIPS / 2, 1).setVm(vms.get(node));
      c.addOnFinishListener(info -> ended(node));
      begun.add(c);
    }
    if (!begun.isEmpty()) {
      broker.submitCloudletList(begun);
    }
  }

  private void ended(int node) {
    if (cores[node] < 1 || memory[node] < TASK_MIB) {
      room.add(node);
    }
    cores[node]++;
    memory[node] += TASK_MIB;
    makespan = second();
    done++;
    if (done == tasks) {
      getSimulation().terminate();
    } else if (!waiting.isEmpty()) {
      at(makespan);
    }
  }

  @Override
  protected void startInternal() {
    at(0);
  }

  @Override
  public void processEvent(SimEvent event) {
    long now = second();
    for (; next < tasks && submitted(next) <= now; next++) {
      waiting.add(new Task(now, duration()));
    }
    dispatch(now);
    longest = Math.max(longest, waiting.size());
    if (next < tasks) {
      at(submitted(next));
    }
  }

  public static void main(String[] args) {
    double load = Double.parseDouble(args[0]);
    int tasks = Integer.parseInt(args[1]);
    Log.setLevel(Level.OFF);
    CloudSimPlus simulation = new CloudSimPlus();
    List<Host> hosts = new ArrayList<>();
    List<Vm> vms = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      List<Pe> pes = new ArrayList<>();
      for (int core = 0; core < CORES; core++) {
        pes.add(new PeSimple(MIPS));
      }
      hosts.add(new HostSimple(MEMORY, 1 << 20, 1 << 20, pes));
      Vm vm = new VmSimple(MIPS, CORES);
      vm.setRam(MEMORY).setBw(1000).setSize(1000).setCloudletScheduler(new CloudletSchedulerSpaceShared());
      vms.add(vm);
    }
    new DatacenterSimple(simulation, hosts, new VmAllocationPolicyFirstFit());
    DatacenterBroker broker = new DatacenterBrokerSimple(simulation);
    broker.submitVmList(vms);
    broker.setShutdownWhenIdle(false);
    W1 w = new W1(simulation, load, tasks, broker, vms);
    simulation.start();
    System.out.println(String.format(Locale.ROOT, "makespan %d s, mean wait %.4f s, longest queue %d", w.makespan, (double) w.waited / tasks, w.longest));
    System.exit(0);
  }
}
