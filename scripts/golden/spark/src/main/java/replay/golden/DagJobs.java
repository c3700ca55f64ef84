package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.list;
import static replay.golden.Tools.pick;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import org.apache.spark.Dependency;
import org.apache.spark.FetchFailed;
import org.apache.spark.HashPartitioner;
import org.apache.spark.JobArtifactSet;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.scheduler.JobSubmitted;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.CallSite;
import scala.Option;
import scala.reflect.ClassTag$;

/** Random jobs for a DAGScheduler: their data sets, and what their tasks cannot read. */
abstract class DagJobs extends DagCluster {
    final boolean caches; // data sets are kept and read by later jobs
    final boolean shares; // jobs read output of others that are not done
    SplittableRandom random;
    List<String> hosts;
    boolean reduceLocality;
    boolean barrier; // there may be barrier stages

    DagJobs(boolean caches, boolean shares) {
        this.caches = caches;
        this.shares = shares;
    }

    /** A data set was made. */
    void dress(Rdd made) throws Exception {}

    /** Output that the task cannot read; null when it reads none. */
    TaskFailedReason unread(int stage, int partition, Map<String, Object> said) throws Exception {
        @SuppressWarnings("unchecked")
        List<Integer> parents = (List<Integer>) described.get(stage).get("parents");
        if (parents.isEmpty()) {
            return null;
        }
        int p = pick(random, parents);
        Shuffle s = shuffles.get(p);
        List<String> at = outputs(s);
        int map = random.nextInt(at.size());
        String exec = at.get(map);
        if (exec == null) {
            if (chance(random, 0.5)) {
                said.put("from", list(p, -1, null, null));
                return new FetchFailed(null, s.dependency().shuffleId(), -1, -1, partition, "made up");
            }
            exec = pick(random, new ArrayList<>(places.keySet())); // as somebody remembers who read it before
        } else if (chance(random, 0.1)) {
            exec = pick(random, new ArrayList<>(places.keySet()));
        }
        String host = places.get(exec);
        said.put("from", list(p, map, exec, host));
        return new FetchFailed(BlockManagerId.apply(exec, host, 1, Option.empty()), s.dependency().shuffleId(), map, map, partition, "made up");
    }

    /** Makes up a job: map stages of its own, some of which read output of earlier ones, and a stage that computes a result. */
    JobSubmitted job(Map<String, Object> said) throws Exception {
        List<Shuffle> old = new ArrayList<>();
        for (int s = 0; s < shuffles.size(); s++) {
            if (shuffles.get(s) != null && (shares || ended.contains((Integer) described.get(s).get("job"))) && chance(random, 0.5)) {
                old.add(shuffles.get(s));
            }
        }
        kept.clear();
        makers.forEach((rdd, stage) -> {
            if (ended.contains((Integer) described.get(stage).get("job"))) {
                kept.add(rdd);
            }
        });
        List<Shuffle> mine = new ArrayList<>();
        List<Shuffle> unread = new ArrayList<>();
        for (int n = between(random, 0, 4); n > 0; n--) {
            Rdd rdd = rdd(mine, old, unread, false);
            int reducers = between(random, 1, 6);
            long[] written = new long[rdd.getNumPartitions()];
            for (int i = 0; i < written.length; i++) {
                written[i] = pick(random, 0, 100, 1000, 1000, 50_000);
            }
            ShuffleDependency<Object, Object, Object> d = new ShuffleDependency<>(cast(rdd), new HashPartitioner(reducers), context().env().serializer(),
                    Option.empty(), Option.empty(), false, new org.apache.spark.shuffle.ShuffleWriteProcessor(), cast(ClassTag$.MODULE$.Any()), cast(ClassTag$.MODULE$.Any()), cast(ClassTag$.MODULE$.Any()));
            Shuffle s = new Shuffle(d, rdd, written, reducers);
            mine.add(s);
            made.put(d.shuffleId(), s);
            unread.add(s);
        }
        Rdd last = rdd(mine, old, unread, true);
        int job = jobNumbers.size();
        int id = jobs++;
        jobNumbers.put(id, job);
        int[] partitions = new int[last.getNumPartitions()];
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = i;
        }
        Properties properties = new Properties();
        String pool = chance(random, 0.3) ? pick(random, "a", "b") : null;
        if (pool != null) {
            properties.setProperty("spark.scheduler.pool", pool);
        }
        said.put("job", job);
        said.put("pool", pool);
        return new JobSubmitted(id, last, null, partitions, new CallSite("", ""), new Listener(), JobArtifactSet.emptyJobArtifactSet(), properties);
    }

    /** Whether all jobs that came have begun, so that their stages are known. */
    boolean allBegan() {
        return jobNumbers.values().stream().allMatch(j -> described.stream().anyMatch(s -> s.get("job").equals(j)));
    }

    /** A data set that reads some shuffles: those of the job that nobody reads yet, if it is the last one. */
    private Rdd rdd(List<Shuffle> mine, List<Shuffle> old, List<Shuffle> unread, boolean last) throws Exception {
        List<Shuffle> reads = new ArrayList<>();
        if (last) {
            reads.addAll(unread);
        } else if (!unread.isEmpty() && chance(random, 0.6)) {
            reads.add(unread.get(random.nextInt(unread.size())));
        }
        if (!mine.isEmpty() && chance(random, 0.2)) {
            reads.add(pick(random, mine));
        }
        if (!old.isEmpty() && chance(random, 0.5)) {
            reads.add(pick(random, old));
        }
        Rdd from = kept();
        if (from != null) { // of what is behind it nothing is read beside it, nor where data sets differ in which of both they prefer
            List<ShuffleDependency<Object, Object, Object>> behind = from.behind();
            reads.removeIf(s -> reduceLocality || from.preferred() != null || s.reducers() != from.n || behind.contains(s.dependency()));
        }
        reads = new ArrayList<>(new java.util.LinkedHashSet<>(reads));
        int n = from != null ? from.n : reads.isEmpty() ? between(random, 1, 6) : 6;
        for (Shuffle s : reads) {
            n = Math.min(n, s.reducers());
        }
        if (from == null && !reads.isEmpty()) { // as of a join: all have that many parts
            int parts = n;
            List<Shuffle> fit = new ArrayList<>(reads);
            fit.removeIf(s -> s.reducers() != parts);
            reads = fit;
        }
        unread.removeAll(reads);
        List<Dependency<?>> on = new ArrayList<>();
        List<ShuffleDependency<Object, Object, Object>> dependencies = new ArrayList<>();
        for (Shuffle s : reads) {
            on.add(s.dependency());
            dependencies.add(s.dependency());
        }
        if (from != null) {
            on.add(new org.apache.spark.OneToOneDependency<>(from));
        }
        List<List<String>> preferred = null;
        if (from == null && reads.isEmpty() && chance(random, 0.5)) {
            preferred = new ArrayList<>();
            for (int i = 0; i < n; i++) {
                preferred.add(Tools.some(random, hosts, between(random, 0, 2)));
            }
        }
        Rdd made = new Rdd(context(), on, from, dependencies, n, barrier && chance(random, 0.4), preferred, tracker);
        if (caches && persisted < mostKept && chance(random, 0.5)) {
            persisted++;
            made.persist(StorageLevel.MEMORY_ONLY());
        }
        dress(made);
        return made;
    }

    // Data sets that are kept.

    int mostKept = 3; // data sets
    private int persisted;
    private final List<Rdd> kept = new ArrayList<>(); // those of ended jobs

    /** What is kept of an ended job, most often what nothing has read yet; null for none. */
    private Rdd kept() {
        for (Rdd r : kept) {
            if (!read(makers.get(r)) && chance(random, 0.8)) {
                return r;
            }
        }
        return !kept.isEmpty() && chance(random, 0.6) ? pick(random, kept) : null;
    }

    boolean read(int maker) {
        return described.stream().anyMatch(s -> s.containsKey("cache_of") && (Integer) s.get("cache_of") == maker);
    }
}
