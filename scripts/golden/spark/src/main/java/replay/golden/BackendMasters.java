package replay.golden;

import static replay.golden.Tools.list;
import static replay.golden.Tools.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.ExecutorAllocationManager;
import org.apache.spark.SparkContext;
import org.apache.spark.rpc.RpcEndpoint;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages.RegisterClusterManager;
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages.RetrieveLastAllocatedExecutorId$;
import scala.Option;
import scala.concurrent.Promise;
import scala.reflect.ClassTag$;

/** The application masters of a driver in client mode: one goes, and after some time the next one registers. */
final class BackendMasters {
    final List<BackendExecutor> starting = new ArrayList<>(); // that a master which has gone has started, and that may still register
    int last; // executor that has registered with the driver, by number, as the master is told
    private boolean lost;
    private RpcEndpoint endpoint; // of the driver, to which masters speak
    private RpcEndpointRef ref;

    boolean lost() {
        return lost;
    }

    /** Sets what a driver in client mode has: the master that is there registered before dynamic allocation began. */
    void begins(Map<String, Object> conf, SparkContext context, ExecutorAllocationManager manager, BackendRpc rpc) throws Exception {
        conf.put("spark.submit.deployMode", "client");
        Tools.field(SparkContext.class, "_executorAllocationManager").set(context, Option.apply(manager));
        endpoint = rpc.endpoint("YarnScheduler");
        ref = rpc.endpointRef(endpoint);
    }

    /** The connection of the master drops: what it was asked has no answer. */
    Map<String, Object> goes(BackendRpc.Master master) throws Exception {
        lost = true;
        List<Promise<Object>> open = new ArrayList<>(master.open.values());
        master.open.clear();
        open.forEach(p -> p.failure(new java.io.IOException("made up")));
        endpoint.onDisconnected(master.address());
        List<Object> rows = new ArrayList<>();
        starting.forEach(e -> rows.add(list(e.id, e.host, e.profile)));
        return object("op", "master_goes", "starting", rows);
    }

    /** The next master registers; executors that have not do so no more. */
    Map<String, Object> registers(BackendRpc.Master master, int next, Map<Integer, BackendExecutor> executors) {
        lost = false;
        starting.clear();
        ref.send(new RegisterClusterManager(master));
        last = (Integer) ref.ask(RetrieveLastAllocatedExecutorId$.MODULE$, ClassTag$.MODULE$.Int()).value().get().get();
        for (int id = last + 1; id < next; id++) {
            executors.remove(id);
        }
        return object("op", "master_comes", "last", last);
    }
}
