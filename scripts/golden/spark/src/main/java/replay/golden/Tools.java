package replay.golden;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.spark.SparkConf;
import org.apache.spark.resource.ExecutorResourceRequests;
import org.apache.spark.resource.ResourceProfile$;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.ResourceProfileBuilder;
import org.apache.spark.resource.TaskResourceRequests;
import scala.Tuple2;
import scala.collection.JavaConverters;

/** What several recorders need: Scala's collections, racks, profiles, random choices. */
final class Tools {
    private Tools() {}

    /** The racks of the present case. */
    static final Map<String, String> racks = new HashMap<>();

    /** Hadoop's topology, out of {@link #racks}. */
    public static final class Racks implements DNSToSwitchMapping {
        @Override
        public List<String> resolve(List<String> names) {
            List<String> out = new ArrayList<>();
            for (String n : names) {
                out.add(racks.getOrDefault(n, "/default-rack"));
            }
            return out;
        }

        @Override
        public void reloadCachedMappings() {}

        @Override
        public void reloadCachedMappings(List<String> names) {}
    }

    static YarnConfiguration yarnConf() {
        Configuration base = new Configuration(false);
        base.setClass("net.topology.node.switch.mapping.impl", Racks.class, DNSToSwitchMapping.class);
        return new YarnConfiguration(base);
    }

    static SparkConf sparkConf() {
        return new SparkConf(false).set("spark.master", "yarn").set("spark.app.name", "golden");
    }

    static <A> scala.collection.Seq<A> seq(List<A> list) {
        return JavaConverters.asScalaBufferConverter(list).asScala().toList();
    }

    /** An immutable Scala map with the entries put in order. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    static <K, V> scala.collection.immutable.Map<K, V> map(Map<K, V> entries) {
        scala.collection.immutable.Map m = scala.collection.immutable.Map$.MODULE$.empty();
        for (Map.Entry<K, V> e : entries.entrySet()) {
            m = m.$plus(new Tuple2<>(e.getKey(), e.getValue()));
        }
        return m;
    }

    static <A> scala.collection.immutable.Set<A> set(List<A> list) {
        return seq(list).toSet();
    }

    static <K, V> Map<K, V> javaMap(scala.collection.Map<K, V> m) {
        return new TreeMap<>(JavaConverters.mapAsJavaMapConverter(m).asJava());
    }

    static Object call(Object on, String method, Object... args) throws Exception {
        return call(on, on.getClass(), method, args);
    }

    /** Calls a method that a class of the object's declares. */
    static Object call(Object on, Class<?> of, String method, Object... args) throws Exception {
        for (Method m : of.getDeclaredMethods()) {
            if (m.getName().equals(method) && m.getParameterCount() == args.length) {
                m.setAccessible(true);
                return m.invoke(on, args);
            }
        }
        throw new NoSuchMethodException(method);
    }

    static Field field(Class<?> of, String name) throws Exception {
        Field f = of.getDeclaredField(name);
        f.setAccessible(true);
        return f;
    }

    /** The default profile of a configuration; Spark keeps one for the process. */
    static ResourceProfile defaultProfile(SparkConf conf) {
        ResourceProfile$.MODULE$.clearDefaultProfile();
        return ResourceProfile$.MODULE$.getOrCreateDefaultProfile(conf);
    }

    /** A resource profile of its own. */
    static ResourceProfile profile(int cores, int cpus, Integer gpus, Double taskGpus, Integer memoryMb) {
        ExecutorResourceRequests executor = new ExecutorResourceRequests().cores(cores);
        TaskResourceRequests task = new TaskResourceRequests().cpus(cpus);
        if (memoryMb != null) {
            executor = executor.memory(memoryMb + "m");
        }
        if (gpus != null) {
            executor = executor.resource("gpu", gpus, "", "");
            task = task.resource("gpu", taskGpus);
        }
        return new ResourceProfileBuilder().require(executor).require(task).build();
    }

    static Map<String, Object> object(Object... pairs) {
        Map<String, Object> m = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            m.put((String) pairs[i], pairs[i + 1]);
        }
        return m;
    }

    static List<Object> list(Object... values) {
        return new ArrayList<>(Arrays.asList(values));
    }

    static List<List<Object>> pairs(Map<?, ?> m) {
        List<List<Object>> out = new ArrayList<>();
        m.forEach((k, v) -> out.add(list(k, v)));
        return out;
    }

    /** A number from low to high, both possible. */
    static int between(SplittableRandom r, int low, int high) {
        return r.nextInt(low, high + 1);
    }

    static boolean chance(SplittableRandom r, double p) {
        return r.nextDouble() < p;
    }

    @SafeVarargs
    static <A> A pick(SplittableRandom r, A... of) {
        return of[r.nextInt(of.length)];
    }

    static <A> A pick(SplittableRandom r, List<A> of) {
        return of.get(r.nextInt(of.size()));
    }

    /** Up to n different elements of a list, in random order. */
    static <A> List<A> some(SplittableRandom r, List<A> of, int n) {
        List<A> rest = new ArrayList<>(of);
        List<A> out = new ArrayList<>();
        while (out.size() < n && !rest.isEmpty()) {
            out.add(rest.remove(r.nextInt(rest.size())));
        }
        return out;
    }

    /** Hosts h01, h02 and so on, most of them with a rack. */
    static List<String> hosts(SplittableRandom r, int n) {
        racks.clear();
        int count = between(r, 1, 4);
        List<String> out = new ArrayList<>();
        for (int i = 1; i <= n; i++) {
            String host = String.format("h%02d", i);
            out.add(host);
            if (chance(r, 0.9)) {
                racks.put(host, "/rack" + r.nextInt(count));
            }
        }
        return out;
    }

    /** Ids of executors as numbers. */
    static List<Object> numbers(Collection<String> ids) {
        List<Object> out = new ArrayList<>();
        ids.forEach(id -> out.add(Integer.parseInt(id)));
        return out;
    }

    /** Writes a list, unless it is empty. */
    static void put(Map<String, Object> e, String name, List<Object> what) {
        if (!what.isEmpty()) {
            e.put(name, what);
        }
    }
}
