package replay.golden;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SplittableRandom;

/** Writes vectors: one JSON object a line, the same for the same kind, count and seed. */
public final class Main {
    /** One kind of vectors. */
    interface Recorder {
        /** Makes up one case from random, runs it through Spark and returns what is to be written. */
        Map<String, Object> record(String id, SplittableRandom random) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        if (args.length != 3) {
            System.err.println("usage: run container_placement|yarn_allocator|yarn_allocator_wide|yarn_allocator_loop|executor_allocation|executor_allocation_wide|executor_allocation_odd|task_set_manager|task_set_wide|task_set_full|task_set_rare|pools|scala_order|dag|dag_cached|dag_shared|dag_slots|dag_all|backend|backend_dag|backend_silent|backend_dag_silent|backend_ready|backend_dag_cached|backend_profiles|backend_dag_profiles|backend_masters|backend_dag_masters|silence|settings|settings_references|defaults COUNT SEED");
            System.exit(2);
        }
        Recorder recorder =
                switch (args[0]) {
                    case "container_placement" -> new ContainerPlacement();
                    case "yarn_allocator" -> new YarnAllocatorRuns(false, false);
                    case "yarn_allocator_wide" -> new YarnAllocatorRuns(true, false);
                    case "yarn_allocator_loop" -> new YarnAllocatorRuns(true, true);
                    case "executor_allocation" -> new ExecutorAllocationRuns(false, false);
                    case "executor_allocation_wide" -> new ExecutorAllocationRuns(true, false);
                    case "executor_allocation_odd" -> new ExecutorAllocationRuns(true, true);
                    case "task_set_manager" -> new TaskSetRuns(false, false, false);
                    case "task_set_wide" -> new TaskSetRuns(true, false, false);
                    case "task_set_full" -> new TaskSetRuns(true, true, false);
                    case "task_set_rare" -> new TaskSetRuns(true, true, true);
                    case "pools" -> new PoolRuns();
                    case "scala_order" -> new ScalaOrder();
                    case "dag" -> new DagRuns(false, false, false);
                    case "dag_cached" -> new DagRuns(true, false, false);
                    case "dag_shared" -> new DagRuns(false, true, false);
                    case "dag_slots" -> new DagRuns(false, false, true);
                    case "dag_all" -> DagRuns.all();
                    case "backend" -> new BackendRuns(false, false, false, false, new BackendWait(false), null);
                    case "backend_dag" -> new BackendRuns(true, false, false, false, new BackendWait(false), null);
                    case "backend_silent" -> new BackendRuns(false, true, false, false, new BackendWait(false), null);
                    case "backend_dag_silent" -> new BackendRuns(true, true, false, false, new BackendWait(false), null);
                    case "backend_ready" -> new BackendRuns(false, false, false, false, new BackendWait(true), null);
                    case "backend_dag_cached" -> new BackendRuns(true, false, true, false, new BackendWait(false), null);
                    case "backend_profiles" -> new BackendRuns(false, false, false, true, new BackendWait(false), null);
                    case "backend_dag_profiles" -> new BackendRuns(true, false, false, true, new BackendWait(false), null);
                    case "backend_masters" -> new BackendRuns(false, false, false, false, new BackendWait(false), new BackendMasters());
                    case "backend_dag_masters" -> new BackendRuns(true, false, false, true, new BackendWait(false), new BackendMasters());
                    case "silence" -> new SilenceRuns();
                    case "settings" -> new Settings(false);
                    case "settings_references" -> new Settings(true);
                    case "defaults" -> new Defaults();
                    default -> throw new IllegalArgumentException("unknown kind " + args[0]);
                };
        int count = Integer.parseInt(args[1]);
        long seed = Long.parseLong(args[2]);
        PrintStream out = new PrintStream(new BufferedOutputStream(System.out, 1 << 16), false, StandardCharsets.UTF_8);
        ObjectMapper mapper = new ObjectMapper();
        for (int i = 0; i < count; i++) {
            // Each case has a stream of its own, so it stays the same when the count changes.
            SplittableRandom random = new SplittableRandom(seed * 1_000_003L + i);
            out.println(mapper.writeValueAsString(recorder.record(args[0] + "-" + seed + "-" + i, random)));
        }
        out.flush();
        System.exit(0); // Spark's pools may have threads left
    }
}
