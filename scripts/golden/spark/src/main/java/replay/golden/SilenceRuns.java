package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.object;
import static replay.golden.Tools.pick;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.spark.ExecutorRegistered;
import org.apache.spark.ExpireDeadHosts$;
import org.apache.spark.Heartbeat;
import org.apache.spark.HeartbeatReceiver;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskSchedulerIsSet$;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.ManualClock;
import scala.Option;

/** Executors whose heartbeats end, and at which of its looks the driver gives each of them up. */
final class SilenceRuns implements Main.Recorder {
    private static final String BEAT = "spark.executor.heartbeatInterval";
    private static final String LOOK = "spark.network.timeoutInterval";
    private static final String NETWORK = "spark.network.timeout";
    private static final String STORAGE = "spark.storage.blockManagerHeartbeatTimeoutMs";
    private static final List<String> KEYS = List.of(BEAT, LOOK, NETWORK, STORAGE);

    /** Nobody waits for the answers. */
    private static final RpcCallContext NOBODY = new RpcCallContext() {
        @Override
        public void reply(Object response) {}

        @Override
        public void sendFailure(Throwable e) {
            throw new IllegalStateException(e);
        }

        @Override
        public RpcAddress senderAddress() {
            return new RpcAddress("somewhere", 1);
        }
    };

    @Override
    public Map<String, Object> record(String id, SplittableRandom r) throws Exception {
        SparkContext context = TaskSetRuns.context();
        ManualClock clock = new ManualClock(1_000_000);
        Map<String, Object> conf = new LinkedHashMap<>();
        HeartbeatReceiver receiver = null;
        while (receiver == null) {
            conf.clear();
            KEYS.forEach(k -> context.conf().remove(k));
            draw(r, conf, BEAT, "500ms", "1s", "10s", "7s", "3333ms", "59s");
            draw(r, conf, LOOK, "1ms", "333ms", "1s", "7s", "60s", "119s");
            draw(r, conf, NETWORK, "120s", "60s", "11s", "10001ms", "2min", "5s");
            if (chance(r, 0.4)) {
                draw(r, conf, STORAGE, "120000", "10s", "7s", "65s", "1s");
            }
            conf.forEach((k, v) -> context.conf().set(k, v.toString()));
            try {
                context.conf().validateSettings();
                receiver = new HeartbeatReceiver(context, clock);
            } catch (IllegalArgumentException e) {
                // Spark does not begin with these settings.
            }
        }
        try {
            return play(id, r, clock, conf, receiver);
        } finally {
            receiver.onStop();
            context.removeSparkListener(receiver);
            KEYS.forEach(k -> context.conf().remove(k));
        }
    }

    private static void draw(SplittableRandom r, Map<String, Object> conf, String key, String... from) {
        if (chance(r, 0.8)) {
            conf.put(key, pick(r, from));
        }
    }

    private static Map<String, Object> play(String id, SplittableRandom r, ManualClock clock, Map<String, Object> conf, HeartbeatReceiver receiver) throws Exception {
        long made = clock.getTimeMillis();
        long beat = Tools.field(HeartbeatReceiver.class, "executorHeartbeatIntervalMs").getLong(receiver);
        long look = Tools.field(HeartbeatReceiver.class, "checkTimeoutIntervalMs").getLong(receiver);
        TreeMap<Long, List<Object>> messages = new TreeMap<>();
        List<Map<String, Object>> executors = new ArrayList<>();
        for (int n = between(r, 1, 6), i = 1; i <= n; i++) {
            long registered = made + pick(r, 0, 1, (int) look, r.nextInt(100_000));
            long died = registered + pick(r, 0, 1, (int) beat - 1, (int) beat, (int) beat + 1, r.nextInt(100_000));
            executors.add(object("registered", registered, "died", died));
            messages.computeIfAbsent(registered, t -> new ArrayList<>()).add(new ExecutorRegistered("" + i));
            for (long t = registered + beat; t <= died; t += beat) {
                messages.computeIfAbsent(t, k -> new ArrayList<>()).add(beats("" + i));
            }
        }
        tell(receiver, TaskSchedulerIsSet$.MODULE$);
        long due = made;
        int left = executors.size();
        while (left > 0) {
            boolean looks = messages.isEmpty() || messages.firstKey() > due;
            clock.setTime(looks ? due : messages.firstKey());
            if (!looks) {
                for (Object m : messages.pollFirstEntry().getValue()) {
                    tell(receiver, m);
                }
                continue;
            }
            var seen = receiver.org$apache$spark$HeartbeatReceiver$$executorLastSeen();
            List<Integer> before = known(seen, executors.size());
            tell(receiver, ExpireDeadHosts$.MODULE$);
            before.removeAll(known(seen, executors.size()));
            for (int i : before) {
                executors.get(i - 1).put("missed", clock.getTimeMillis());
            }
            left -= before.size();
            due += look;
        }
        return object("id", id, "kind", "silence", "conf", conf, "made", made, "executors", executors);
    }

    private static Heartbeat beats(String id) {
        return new Heartbeat(id, BackendParts.cast(new scala.Tuple2[0]), BlockManagerId.apply(id, "h", 1, Option.empty()), new scala.collection.mutable.HashMap<>());
    }

    private static List<Integer> known(scala.collection.mutable.HashMap<String, Object> seen, int n) {
        List<Integer> out = new ArrayList<>();
        for (int i = 1; i <= n; i++) {
            if (seen.contains("" + i)) {
                out.add(i);
            }
        }
        return out;
    }

    private static void tell(HeartbeatReceiver receiver, Object message) {
        receiver.receiveAndReply(NOBODY).apply(message);
    }
}
