package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.object;
import static replay.golden.Tools.pick;
import static replay.golden.Tools.some;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.yarn.ExecutorRunnable;
import org.apache.spark.deploy.yarn.YarnAllocator;
import org.apache.spark.resource.ExecutorResourceRequests;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.ResourceProfileBuilder;
import org.apache.spark.resource.TaskResourceRequests;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.scheduler.ExecutorExited;
import scala.Option;

/** What the wide runs of YarnAllocator have besides: launches that take time or are refused, questions for the reasons of losses, sizes of every kind. */
final class YarnLaunches {
    private final SplittableRandom r;
    final List<Object> answers = new ArrayList<>(); // of the present event
    private final List<Launch> queued = new ArrayList<>();
    private final Set<String> asked = new LinkedHashSet<>(); // questions without an answer
    boolean decommission; // the driver is told of nodes that are decommissioned

    YarnLaunches(SplittableRandom r) {
        this.r = r;
    }

    /** A launch that waits for its NodeManager. */
    record Launch(Runnable run, String executor, Container container) {}

    /** Sets memory of every kind, hosts that are left out and the like, and returns what was set. */
    Map<String, Object> draw(SparkConf conf, List<String> hosts) {
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("spark.executor.maxNumFailures", 1_000_000);
        keys.put("spark.executor.memoryOverheadFactor", pick(r, "0.1", "0.07", "0.4", "0.333"));
        if (chance(r, 0.3)) {
            keys.put("spark.executor.memoryOverhead", between(r, 1, 3000) + "m");
        }
        boolean offHeap = chance(r, 0.3);
        keys.put("spark.memory.offHeap.enabled", offHeap);
        if (offHeap || chance(r, 0.3)) {
            keys.put("spark.memory.offHeap.size", between(r, 1, 3000) * 700_001L);
        }
        if (chance(r, 0.4)) {
            keys.put("spark.executor.pyspark.memory", between(r, 1, 2000) + "m");
        }
        keys.put("spark.yarn.isPython", chance(r, 0.5));
        if (chance(r, 0.3)) {
            keys.put("spark.yarn.exclude.nodes", String.join(",", some(r, hosts, between(r, 1, 2))));
        }
        boolean leave = chance(r, 0.4);
        boolean service = chance(r, 0.3);
        keys.put("spark.decommission.enabled", leave);
        keys.put("spark.shuffle.service.enabled", service);
        decommission = leave && !service;
        keys.forEach((k, v) -> conf.set(k, v.toString()));
        return keys;
    }

    /** A profile that sets some of the amounts, and what it sets. */
    ResourceProfile profile(Map<String, Object> set, boolean offHeap) {
        int cores = between(r, 1, 6);
        int cpus = between(r, 1, cores);
        ExecutorResourceRequests executor = new ExecutorResourceRequests();
        set.put("task_cpus", cpus);
        set.put("cores", cores);
        executor = executor.cores(cores);
        if (chance(r, 0.5)) {
            executor = executor.memory(put(set, "memory_mb", 256 * between(r, 2, 20)));
        }
        if (chance(r, 0.3)) {
            executor = executor.memoryOverhead(put(set, "overhead_mb", between(r, 1, 3000)));
        }
        if (chance(r, 0.3)) {
            executor = executor.pysparkMemory(put(set, "pyspark_mb", between(r, 1, 3000)));
        }
        if (chance(r, 0.3)) {
            executor = executor.offHeapMemory(put(set, "off_heap_mb", between(r, 1, 3000)));
        }
        return new ResourceProfileBuilder().require(executor).require(new TaskResourceRequests().cpus(cpus)).build();
    }

    private static String put(Map<String, Object> set, String name, int mb) {
        set.put(name, mb);
        return mb + "m";
    }

    /** Launches wait until the script lets them go on. */
    void wait(YarnAllocator a) throws Exception {
        Field pool = Tools.field(YarnAllocator.class, "launcherPool");
        ((ThreadPoolExecutor) pool.get(a)).shutdownNow();
        pool.set(a, new ThreadPoolExecutor(0, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>()) {
            @Override
            public void execute(Runnable launch) {
                try {
                    String executor = null;
                    Container container = null;
                    for (Field f : launch.getClass().getDeclaredFields()) { // what the launch has taken along
                        f.setAccessible(true);
                        Object v = f.get(launch);
                        if (v instanceof Container c) {
                            container = c;
                        } else if (v instanceof String s && Character.isDigit(s.charAt(0))) {
                            executor = s;
                        }
                    }
                    queued.add(new Launch(launch, executor, container));
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
    }

    /** The launches that wait, in order, from the given one on. */
    List<Object> launched(int from) {
        List<Object> out = new ArrayList<>();
        for (Launch l : queued.subList(Math.min(from, queued.size()), queued.size())) {
            out.add(object("exec", l.executor, "container", l.container.getId().getContainerId(), "host", l.container.getNodeId().getHost()));
        }
        return out;
    }

    int waiting() {
        return queued.size();
    }

    /** Some of the launches end, each with an event of its own. */
    Launch next() {
        return queued.isEmpty() ? null : queued.remove(r.nextInt(Math.min(3, queued.size())));
    }

    static void end(Launch l, boolean ok) {
        ExecutorRunnable.refused = !ok;
        l.run.run();
    }

    /** Asks for the reason of the loss of an executor, unless it has been asked for. */
    void ask(YarnAllocator a, String executor) {
        a.enqueueGetLossReasonRequest(executor, new RpcCallContext() {
            @Override
            public void reply(Object reason) {
                asked.remove(executor);
                ExecutorExited e = (ExecutorExited) reason;
                answers.add(object("exec", executor, "exit_code", e.exitCode(), "exit_caused_by_app", e.exitCausedByApp(),
                        "explicit", e.message().contains("explicit termination request")));
            }

            @Override
            public void sendFailure(Throwable e) {
                asked.remove(executor);
                answers.add(object("exec", executor, "unknown", true));
            }

            @Override
            public RpcAddress senderAddress() {
                return null;
            }
        });
    }

    boolean waitsFor(String executor) {
        return !asked.add(executor);
    }

    /** Nodes that are being decommissioned, and some that are not. */
    List<NodeReport> nodes(List<String> hosts, List<Object> written) {
        List<NodeReport> out = new ArrayList<>();
        if (chance(r, 0.1)) {
            for (String h : some(r, hosts, between(r, 1, 2))) {
                boolean leaves = chance(r, 0.7);
                out.add(NodeReport.newInstance(NodeId.newInstance(h, 8041), leaves ? NodeState.DECOMMISSIONING : NodeState.RUNNING, "", "", Resource.newInstance(0, 0),
                        Resource.newInstance(0, 0), 0, "", 0));
                if (leaves) {
                    written.add(h);
                }
            }
        }
        return out;
    }
}
