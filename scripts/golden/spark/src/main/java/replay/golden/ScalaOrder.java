package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.object;
import static replay.golden.Tools.pick;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import scala.Predef$;
import scala.Tuple2;
import scala.collection.JavaConverters;

/** The order in which Scala's collections are walked, after random puts and removals. */
final class ScalaOrder implements Main.Recorder {
    private SplittableRandom random;
    private int names; // of each kind, from which keys are drawn
    private boolean colliding;

    private String name() {
        int n = random.nextInt(names);
        if (colliding && chance(random, 0.5)) { // "Aa" and "BB" have one hash code
            StringBuilder s = new StringBuilder();
            for (int i = 0; i < 6; i++) {
                s.append((n >> i & 1) == 0 ? "Aa" : "BB");
            }
            return s.toString();
        }
        return switch (random.nextInt(6)) {
            case 0 -> "h" + n;
            case 1 -> String.format("h-%03d.example.com", n);
            case 2 -> "10.0." + n / 256 + "." + n % 256;
            case 3 -> "" + n;
            case 4 -> "/rack" + n;
            default -> Long.toString(n * 0x9e3779b97f4a7c15L, 36);
        };
    }

    @Override
    public Map<String, Object> record(String id, SplittableRandom r) throws Exception {
        random = r;
        names = pick(r, 3, 10, 50, 300);
        colliding = chance(r, 0.3);
        scala.collection.mutable.HashMap<String, Object> table = new scala.collection.mutable.HashMap<>();
        scala.collection.mutable.HashSet<String> set = new scala.collection.mutable.HashSet<>();
        scala.collection.immutable.Map<String, Object> map = scala.collection.immutable.Map$.MODULE$.empty();
        scala.collection.immutable.Set<String> fixed = scala.collection.immutable.Set$.MODULE$.empty();
        double removals = pick(r, 0.0, 0.1, 0.3, 0.5);
        List<Object> ops = new ArrayList<>();
        for (int n = between(r, 0, pick(r, 6, 80, 80, 1200)); n > 0; n--) {
            String key = name();
            boolean remove = chance(r, removals);
            ops.add(List.of(remove ? "remove" : "put", key));
            if (remove) {
                table.remove(key);
                set.remove(key);
                map = changed(map, "$minus", key);
                fixed = changed(fixed, "$minus", key);
            } else {
                table.put(key, 1);
                set.add(key);
                map = map.$plus(new Tuple2<>(key, 1));
                fixed = changed(fixed, "$plus", key);
            }
        }
        scala.collection.mutable.HashMap<Object, Object> ints = new scala.collection.mutable.HashMap<>();
        scala.collection.mutable.HashSet<Object> longs = new scala.collection.mutable.HashSet<>();
        scala.collection.immutable.Map<Object, Object> intMap = scala.collection.immutable.Map$.MODULE$.empty();
        List<Integer> keys = new ArrayList<>();
        int most = pick(r, 20, 200, 100_000, Integer.MAX_VALUE);
        boolean rising = chance(r, 0.4);
        for (int n = between(r, 1, pick(r, 5, 40, 40, 2000)), last = 0; n > 0; n--) {
            int key = last = rising ? last + between(r, 0, 3) : r.nextInt(most);
            if (keys.contains(key)) {
                continue;
            }
            keys.add(key);
            ints.put(key, 1);
            longs.add((long) key);
            intMap = intMap.$plus(new Tuple2<>(key, 1));
        }
        return object("id", id, "ops", ops, "mutable_hashmap_string", walk(table.keysIterator()), "mutable_hashset_string", walk(set.iterator()), "immutable_map_string", walk(map.keysIterator()),
                "immutable_set_string", walk(fixed.iterator()), "mutable_hashmap_to_map", walk(table.toMap(Predef$.MODULE$.$conforms()).keysIterator()), "int_keys_put", keys, "mutable_hashmap_int", walk(ints.keysIterator()),
                "immutable_map_int", walk(intMap.keysIterator()), "mutable_hashset_long", walk(longs.iterator()));
    }

    /** What a method of one key gives. The methods that javac finds are not there. */
    private static <A> A changed(Object on, String method, String key) throws Exception {
        for (Method m : on.getClass().getMethods()) {
            if (m.getName().equals(method) && m.getParameterCount() == 1) {
                m.setAccessible(true);
                return BackendParts.cast(m.invoke(on, key));
            }
        }
        throw new NoSuchMethodException(method);
    }

    private static List<Object> walk(scala.collection.Iterator<?> it) {
        return new ArrayList<>(JavaConverters.seqAsJavaListConverter(it.toList()).asJava());
    }
}
