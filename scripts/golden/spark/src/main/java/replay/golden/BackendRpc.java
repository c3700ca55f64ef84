package replay.golden;

import java.nio.channels.ReadableByteChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpoint;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.RpcEnvFileServer;
import org.apache.spark.rpc.RpcTimeout;
import org.apache.spark.scheduler.TaskDescription;
import org.apache.spark.scheduler.TaskDescription$;
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages;
import scala.Function0;
import scala.concurrent.Future;
import scala.concurrent.Promise;
import scala.concurrent.Promise$;
import scala.reflect.ClassTag;

/** Messages between the endpoints of one driver, on one thread: sent ones wait until the script has them delivered, questions are answered at once. */
final class BackendRpc extends RpcEnv {
    final SparkConf conf;
    private final Map<RpcEndpoint, Endpoint> endpoints = new LinkedHashMap<>();
    private final Deque<Sent> waiting = new ArrayDeque<>();

    Runnable after = () -> {}; // each message

    private record Sent(RpcEndpoint to, Object message) {}

    BackendRpc(SparkConf conf) {
        super(conf);
        this.conf = conf;
    }

    /** Delivers what has been sent, and what is sent meanwhile, in order; what comes after a message comes first after what the step did itself. */
    void deliver() {
        after.run();
        for (Sent s = waiting.poll(); s != null; s = waiting.poll()) {
            try {
                s.to.receive().apply(s.message);
            } catch (Exception e) {
                if (!(e instanceof SparkException)) {
                    throw e;
                }
                // A barrier that a wait could never bring together: Spark's Inbox notes it and goes on with the next message.
            }
            after.run();
        }
    }

    /** An endpoint of the driver's process. */
    private final class Endpoint extends RpcEndpointRef {
        private final String name;
        private final RpcEndpoint to;

        Endpoint(String name, RpcEndpoint to) {
            super(conf);
            this.name = name;
            this.to = to;
        }

        @Override
        public RpcAddress address() {
            return BackendRpc.this.address();
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void send(Object message) {
            waiting.add(new Sent(to, message));
        }

        @Override
        public <T> Future<T> ask(Object message, RpcTimeout timeout, ClassTag<T> of) {
            Promise<T> answer = Promise$.MODULE$.apply();
            to.receiveAndReply(new Call<>(answer, address())).apply(message);
            return answer.future();
        }
    }

    /** One question that an endpoint answers. */
    private record Call<T>(Promise<T> answer, RpcAddress senderAddress) implements RpcCallContext {
        @Override
        @SuppressWarnings("unchecked")
        public void reply(Object response) {
            answer.success((T) response);
        }

        @Override
        public void sendFailure(Throwable e) {
            answer.failure(e);
        }
    }

    /** Somebody outside of the driver: what is sent to it is kept, what is asked is answered by the script. */
    abstract static class Outside extends RpcEndpointRef {
        private final RpcAddress address;
        private final String name;

        Outside(SparkConf conf, String name, String host, int port) {
            super(conf);
            this.name = name;
            this.address = new RpcAddress(host, port);
        }

        @Override
        public RpcAddress address() {
            return address;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void send(Object message) {}

        @Override
        public <T> Future<T> ask(Object message, RpcTimeout timeout, ClassTag<T> of) {
            throw new UnsupportedOperationException();
        }
    }

    /** An executor: it keeps which tasks it is told to launch and to stop. */
    static final class Executor extends Outside {
        final Map<Long, Integer> launched = new LinkedHashMap<>(); // with their cores
        final List<Long> killed = new ArrayList<>();

        Executor(SparkConf conf, int id, String host) {
            super(conf, "Executor", host, 10_000 + id);
        }

        @Override
        public void send(Object message) {
            if (message instanceof CoarseGrainedClusterMessages.LaunchTask t) {
                TaskDescription d = TaskDescription$.MODULE$.decode(t.data().value().duplicate());
                launched.put(d.taskId(), d.cpus());
            } else if (message instanceof CoarseGrainedClusterMessages.KillTask t) {
                killed.add(t.taskId());
            }
        }
    }

    /** The application master: it takes every request, and says why executors are gone when the script does. */
    static final class Master extends Outside {
        final List<CoarseGrainedClusterMessages.RequestExecutors> totals = new ArrayList<>();
        final List<String> kills = new ArrayList<>();
        final List<String> questions = new ArrayList<>(); // in this step
        final Map<String, Promise<Object>> open = new LinkedHashMap<>();

        Master(SparkConf conf) {
            super(conf, "YarnAM", "am", 9_999);
        }

        /** The totals that it was told, as they are written. */
        List<Object> totals(List<org.apache.spark.resource.ResourceProfile> profiles) {
            List<Object> rows = new ArrayList<>();
            for (CoarseGrainedClusterMessages.RequestExecutors q : totals) {
                List<Object> of = new ArrayList<>(); // profiles: number, total, tasks that prefer hosts, these hosts
                for (int i = 0; i < profiles.size(); i++) {
                    scala.Option<Object> total = q.resourceProfileToTotalExecs().get(profiles.get(i));
                    Object id = profiles.get(i).id();
                    if (total.isDefined()) {
                        var byHost = q.hostToLocalTaskCount().get(id);
                        of.add(Tools.list(i, total.get(), q.numLocalityAwareTasksPerResourceProfileId().getOrElse(id, () -> 0),
                                byHost.isDefined() ? Tools.javaMap(byHost.get()) : Map.of()));
                    }
                }
                List<String> excluded = new ArrayList<>(scala.collection.JavaConverters.setAsJavaSetConverter(q.excludedNodes()).asJava());
                excluded.sort(null);
                rows.add(Tools.object("of", of, "excluded", excluded));
            }
            return rows;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> Future<T> ask(Object message, RpcTimeout timeout, ClassTag<T> of) {
            Promise<T> answer = Promise$.MODULE$.apply();
            if (message instanceof CoarseGrainedClusterMessages.GetExecutorLossReason q) {
                questions.add(q.executorId());
                open.put(q.executorId(), (Promise<Object>) answer);
                return answer.future();
            }
            if (message instanceof CoarseGrainedClusterMessages.RequestExecutors r) {
                totals.add(r);
            } else if (message instanceof CoarseGrainedClusterMessages.KillExecutors k) {
                scala.collection.JavaConverters.seqAsJavaListConverter(k.executorIds()).asJava().forEach(kills::add);
            } else {
                throw new UnsupportedOperationException("" + message);
            }
            answer.success((T) Boolean.TRUE);
            return answer.future();
        }
    }

    // What a driver's backend needs of its environment.

    @Override
    public RpcEndpointRef endpointRef(RpcEndpoint endpoint) {
        return endpoints.get(endpoint);
    }

    @Override
    public RpcAddress address() {
        return new RpcAddress("driver", 1);
    }

    @Override
    public RpcEndpointRef setupEndpoint(String name, RpcEndpoint endpoint) {
        Endpoint e = new Endpoint(name, endpoint);
        endpoints.put(endpoint, e);
        return e;
    }

    /** The endpoint of a name. */
    RpcEndpoint endpoint(String name) {
        for (Map.Entry<RpcEndpoint, Endpoint> e : endpoints.entrySet()) {
            if (e.getValue().name.equals(name)) {
                return e.getKey();
            }
        }
        throw new IllegalArgumentException(name);
    }

    @Override
    public Future<RpcEndpointRef> asyncSetupEndpointRefByURI(String uri) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void stop(RpcEndpointRef endpoint) {}

    @Override
    public void shutdown() {}

    @Override
    public void awaitTermination() {}

    @Override
    public <T> T deserialize(Function0<T> action) {
        return action.apply();
    }

    @Override
    public RpcEnvFileServer fileServer() {
        return null;
    }

    @Override
    public ReadableByteChannel openChannel(String uri) {
        throw new UnsupportedOperationException();
    }
}
