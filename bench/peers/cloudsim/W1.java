import ch.qos.logback.classic.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Queue;
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
 * The workload W1 on CloudSim Plus: W1 LOAD TASKS prints what it comes to. A node is a host with one virtual machine of all its cores, a task a cloudlet of one core, as long as the core does
 * in its duration. First come, first served, on the first node with room.
 */
public final class W1 extends CloudSimEntity {
  private static final int NODES = 1000, CORES = 16, MEMORY = 65_536, TASK_MIB = 2048;
  private static final int MIPS = 1000;
  private static final int SECOND = 1, SUBMIT = 2; // tags of events
  private static final double START = 10; // virtual machines take a moment to be there

  private record Task(double since, long seconds) {}

  private final double load;
  private final int tasks;
  private final DatacenterBroker broker;
  private final List<Vm> vms;
  private final int[] cores = new int[NODES], memory = new int[NODES];
  private final PriorityQueue<Integer> room = new PriorityQueue<>();
  private final Queue<Task> waiting = new ArrayDeque<>();
  private long state = 42;
  private int next, done;
  private double makespan, waited;
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
  private long seconds() {
    state += 0x9e3779b97f4a7c15L;
    long z = state;
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return 10 + Long.remainderUnsigned(z ^ z >>> 31, 100);
  }

  private double submitted(int task) {
    return Math.floor(task * 59.5 / (NODES * CORES * load));
  }

  /** The time of the workload. */
  private double now() {
    return Math.rint(getSimulation().clock() - START);
  }

  private void dispatch() {
    List<Cloudlet> begun = new ArrayList<>();
    while (!waiting.isEmpty() && !room.isEmpty()) {
      int node = room.peek();
      Task task = waiting.remove();
      waited += now() - task.since;
      cores[node]--;
      memory[node] -= TASK_MIB;
      if (cores[node] < 1 || memory[node] < TASK_MIB) {
        room.remove();
      }
      Cloudlet c = new CloudletSimple(task.seconds * MIPS, 1).setVm(vms.get(node));
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
    makespan = now();
    done++;
    if (done == tasks) {
      getSimulation().terminate();
    } else if (!waiting.isEmpty()) {
      schedule(SUBMIT); // cloudlets can't be submitted while others end
    }
  }

  @Override
  protected void startInternal() {
    schedule(START, SECOND);
  }

  @Override
  public void processEvent(SimEvent event) {
    if (event.getTag() == SECOND) {
      schedule(0.0, SUBMIT + 1); // ends of the same second come first
    } else if (event.getTag() == SUBMIT) {
      dispatch();
    } else {
      double now = now();
      for (; next < tasks && submitted(next) <= now; next++) {
        waiting.add(new Task(now, seconds()));
      }
      dispatch();
      longest = Math.max(longest, waiting.size());
      if (next < tasks) {
        schedule(submitted(next) - now, SECOND);
      }
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
    System.out.println(String.format(Locale.ROOT, "makespan %.0f s, mean wait %.4f s, longest queue %d", w.makespan, w.waited / tasks, w.longest));
    System.exit(0);
  }
}
