package replay.golden;

import static replay.golden.Tools.seq;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.Partition;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.reflect.ClassTag$;

/** Partitions that read shuffles, the partitions of another one, or nothing. */
final class Rdd extends RDD<Object> {
    final int n;
    final transient Rdd from; // whose partitions it reads, null for none
    final boolean barrier;
    private final transient List<ShuffleDependency<Object, Object, Object>> reads;
    private final transient List<List<String>> preferred;
    private final transient MapOutputTrackerMaster tracker;

    Rdd(SparkContext c, List<Dependency<?>> on, Rdd from, List<ShuffleDependency<Object, Object, Object>> reads, int n, boolean barrier,
            List<List<String>> preferred, MapOutputTrackerMaster tracker) {
        super(c, seq(on), DagCluster.cast(ClassTag$.MODULE$.Any()));
        this.n = n;
        this.from = from;
        this.barrier = barrier;
        this.reads = reads;
        this.preferred = preferred;
        this.tracker = tracker;
    }

    @Override
    public Iterator<Object> compute(Partition p, TaskContext t) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Partition[] getPartitions() {
        Partition[] all = new Partition[n];
        for (int i = 0; i < n; i++) {
            all[i] = new TaskSetTasks.Part(i);
        }
        return all;
    }

    @Override
    public Seq<String> getPreferredLocations(Partition p) {
        if (preferred != null) {
            return seq(preferred.get(p.index()));
        }
        for (ShuffleDependency<Object, Object, Object> d : reads) { // as ShuffledRDD
            Seq<String> at = tracker.getPreferredLocationsForShuffle(d, p.index());
            if (!at.isEmpty()) {
                return at;
            }
        }
        return seq(List.of());
    }

    @Override
    public boolean isBarrier() {
        return barrier;
    }

    /** What it reads, and what those read whose partitions it reads. */
    List<ShuffleDependency<Object, Object, Object>> behind() {
        List<ShuffleDependency<Object, Object, Object>> all = new ArrayList<>();
        for (Rdd r = this; r != null; r = r.from) {
            all.addAll(r.reads);
        }
        return all;
    }

    List<List<String>> preferred() {
        return preferred != null || from == null ? preferred : from.preferred();
    }
}
