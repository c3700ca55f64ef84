package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.field;
import static replay.golden.Tools.list;
import static replay.golden.Tools.object;
import static replay.golden.Tools.pick;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskEndReason;
import org.apache.spark.rdd.RDD;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.scheduler.JobSubmitted;
import org.apache.spark.scheduler.Task;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.util.ManualClock;
import scala.Option;

/** Spark's own DAGScheduler behind a driver's backend: random jobs, and what becomes of their stages. */
final class BackendDag extends DagJobs {
    private final List<ResourceProfile> profiles;
    private final int most; // jobs
    private final BackendParts.Bus bus;

    /** Draws settings of stages, and starts a DAGScheduler over a scheduler whose backend is there. */
    BackendDag(SplittableRandom r, BackendSettings settings, List<String> hosts, ManualClock clock, BackendParts.Scheduler scheduler, BackendParts.Bus bus, boolean cached) throws Exception {
        super(cached, false);
        random = r;
        profiles = settings.profiles;
        this.hosts = hosts;
        this.clock = clock;
        this.scheduler = scheduler;
        this.bus = bus;
        fair = settings.conf.get("spark.scheduler.mode").equals("FAIR");
        barrier = !cached && !settings.dynamic && chance(r, 0.25);
        reduceLocality = chance(r, cached ? 0.4 : 0.7);
        most = between(r, cached ? 2 : 1, 4);
        mostKept = cached ? between(r, 1, 2) : 0;
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("spark.stage.maxConsecutiveAttempts", pick(r, 1, 2, 3, 4, 4, 8));
        keys.put("spark.stage.maxAttempts", pick(r, 1, 3, 6, 1000, 1000));
        keys.put("spark.files.fetchFailure.unRegisterOutputOnHost", chance(r, 0.5));
        keys.put("spark.stage.ignoreDecommissionFetchFailure", chance(r, 0.5));
        keys.put("spark.shuffle.reduceLocality.enabled", reduceLocality);
        keys.put("spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", between(r, 1, 3));
        SparkConf c = context().conf();
        keys.forEach((k, v) -> c.set(k, v.toString()));
        settings.conf.putAll(keys);
        tracker = (MapOutputTrackerMaster) context().env().mapOutputTracker();
        field(MapOutputTrackerMaster.class, "shuffleLocalityEnabled").setBoolean(tracker, reduceLocality);
        field(SparkContext.class, "_schedulerBackend").set(context(), scheduler.backend); // which counts slots
        start(bus);
        bus.stages = this;
    }

    @Override
    void dress(Rdd made) throws Exception {
        if (profiles.size() > 1 && chance(random, 0.4)) {
            int behind = profile(made.from); // a stage that has two fails its job
            ResourceProfile own = profiles.get(behind > 0 ? behind : profiles.size() > 2 ? between(random, 1, profiles.size() - 1) : 1);
            for (var f : RDD.class.getDeclaredFields()) {
                if (f.getName().endsWith("resourceProfile")) {
                    f.setAccessible(true);
                    f.set(made, Option.apply(own));
                }
            }
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    void describe(Rdd rdd, Map<String, Object> row) {
        List<List<String>> preferred = (List<List<String>>) row.remove("preferred");
        row.put("tasks", preferred != null ? preferred : Collections.nCopies(rdd.n, List.of()));
        row.put("profile", profile(rdd));
    }

    /** The profile of the stage that computes a data set, and those that it is made of. */
    private int profile(Rdd rdd) {
        int profile = 0;
        for (Rdd r = rdd; r != null; r = r.from) {
            profile = Math.max(profile, r.getResourceProfile() == null ? 0 : profiles.indexOf(r.getResourceProfile()));
        }
        return profile;
    }

    @Override
    void kept(BlockId id, TaskInfo info) {
        bus.kept(id, info);
    }

    /** Whether what is kept is read, as a trace does not know of it else. */
    boolean allRead() {
        return !caches || !makers.isEmpty() && makers.values().stream().allMatch(this::read);
    }

    @Override
    void taskEnded(Task<?> task, TaskEndReason reason, TaskInfo info) {
        String end = BackendParts.end(reason);
        if (end != null) {
            BackendParts.heard.ended.add(list(numbers.get(task.stageId()), task.partitionId(), info.attemptNumber(), end));
        }
    }

    /** Hands on what waits for the DAGScheduler, and what it has posted to listeners. */
    void deliver() {
        handle();
        bus.deliver();
    }

    /** Adds the profiles of stages that have been submitted, of which executors are asked for. */
    void staged(Set<Integer> to) {
        for (int s = 0; s < described.size(); s++) {
            if (submitted.get(s) > 0) {
                to.add((Integer) described.get(s).get("profile"));
            }
        }
    }

    /** Perhaps a step of jobs and stages, as it is written; null for none. */
    Map<String, Object> step(int dice) throws Exception {
        Map<String, Object> said = object("op", "submit_job");
        if (!checks.isEmpty() && chance(random, 0.15)) { // the job comes again that found too few slots
            clock.advance(15_000);
            said.put("op", "submit_again");
            said.put("job", bearing);
            checks.remove(0).run();
        } else if (jobNumbers.isEmpty() || dice < 6 && jobNumbers.size() < most && checks.isEmpty()) {
            JobSubmitted job = job(said);
            bearing = (Integer) said.get("job");
            loop.onReceive(job);
        } else if (!timers.isEmpty() && chance(random, 0.1)) {
            clock.advance(pick(random, 0, 100, 200));
            said.put("op", "resubmit");
            timers.remove(0).run();
        } else {
            return null;
        }
        return said;
    }

    /** Writes what became of stages since the last call, and where their output is. */
    void write(Map<String, Object> e, Map<String, Object> state) {
        List<Object> jobs = out.remove("ended");
        if (jobs != null) {
            e.put("jobs_ended", jobs);
        }
        e.putAll(out);
        out = new LinkedHashMap<>();
        List<Object> outputs = new ArrayList<>();
        for (Shuffle s : shuffles) {
            List<Object> at = null;
            if (s != null) {
                at = new ArrayList<>();
                for (String exec : outputs(s)) {
                    at.add(exec == null ? -1 : Integer.parseInt(exec));
                }
            }
            outputs.add(at);
        }
        state.put("outputs", outputs);
    }

    /** Whether a job has failed, of which its end tells. */
    boolean failed() {
        return out.containsKey("ended") && out.get("ended").stream().anyMatch(j -> (Boolean) ((List<?>) j).get(1));
    }
}
