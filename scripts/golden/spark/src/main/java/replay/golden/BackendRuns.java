package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.list;
import static replay.golden.Tools.numbers;
import static replay.golden.Tools.object;
import static replay.golden.Tools.pick;
import static replay.golden.Tools.put;
import static replay.golden.Tools.seq;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.spark.ExecutorAllocationManager;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.TaskState;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.rpc.RpcEndpoint;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.ExecutorExited;
import org.apache.spark.scheduler.ExecutorLossReason;
import org.apache.spark.scheduler.ExecutorProcessLost;
import org.apache.spark.scheduler.HostTaskLocation;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.Task;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskLocation;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.TaskSet;
import org.apache.spark.scheduler.TaskSetManager;
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages.LaunchedExecutor;
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages.RegisterExecutor;
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages.RemoveExecutor;
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages.ReviveOffers$;
import org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages.StatusUpdate;
import org.apache.spark.util.ManualClock;
import org.apache.spark.util.SerializableBuffer;
import scala.Enumeration;
import scala.Option;
import scala.Tuple2;
import scala.collection.JavaConverters;
import scala.concurrent.Promise;
import scala.reflect.ClassTag$;

/** Random runs of a driver's backend on YARN with its task scheduler, and perhaps Spark's own DAGScheduler, message by message on one thread under a manual clock. */
final class BackendRuns implements Main.Recorder {
    private final boolean whole; // with the DAGScheduler
    private final boolean silent; // executors say some time after their registration that they take tasks
    private final boolean cached; // jobs read what others have kept in memory
    private final boolean many; // resource profiles, up to five
    private final BackendWait wait;
    private final BackendMasters masters; // null where there is one application master
    private BackendDag real; // null without it
    private static SparkContext context;
    private static BackendParts.Bus bus;
    private static BackendParts.Stages dag;
    private static Object barriers; // the coordinator of barrier stages

    private SplittableRandom random;
    private ManualClock clock;
    private BackendRpc rpc;
    private BackendRpc.Master master;
    private int next = 1; // executor that is started
    private BackendParts.Scheduler scheduler;
    private BackendParts.Backend backend;
    private BackendParts.Results results;
    private RpcEndpoint driver;
    private RpcEndpointRef toDriver;
    private Map<String, String> racks;
    private List<String> hosts;
    private BackendSettings settings;
    private List<ResourceProfile> profiles;
    private boolean dynamic;
    private final TreeSet<Integer> staged = new TreeSet<>(List.of(0)); // profiles of which executors are asked for
    private final Map<Integer, BackendExecutor> executors = new LinkedHashMap<>(); // all that ever were
    private final Map<Long, BackendTask> running = new TreeMap<>();
    private final List<Object> stages = new ArrayList<>();
    private final List<Object> messages = new ArrayList<>();

    BackendRuns(boolean whole, boolean silent, boolean cached, boolean many, BackendWait wait, BackendMasters masters) {
        this.wait = wait;
        this.masters = masters;
        this.whole = whole;
        this.silent = silent;
        this.cached = cached;
        this.many = many;
    }

    @Override
    public Map<String, Object> record(String id, SplittableRandom r) throws Exception {
        BackendRuns runs;
        Map<String, Object> run;
        do { // of a job that finds no slots nobody knows the stages
            runs = new BackendRuns(whole, silent, cached, many, wait, masters == null ? null : new BackendMasters());
            run = runs.play(id, whole ? r.split() : r);
        } while (whole && !(runs.real.allBegan() && runs.real.allRead()));
        return run;
    }

    private static SparkContext context() throws Exception {
        if (context == null) {
            context = TaskSetRuns.context();
            bus = new BackendParts.Bus(context.conf());
            Tools.field(SparkContext.class, "_listenerBus").set(context, bus);
            dag = new BackendParts.Stages(context, bus);
            DagCluster.use(context);
        }
        return context;
    }

    private Map<String, Object> play(String id, SplittableRandom r) throws Exception {
        random = r;
        settings = new BackendSettings(r, context(), cached, many);
        profiles = settings.profiles;
        dynamic = settings.dynamic;
        racks = settings.racks;
        hosts = settings.hosts;
        wait.draw(r, settings.conf, context().conf());
        clock = new ManualClock(1_000_000);
        rpc = new BackendRpc(context().conf());
        scheduler = new BackendParts.Scheduler(context(), settings.failures, clock, racks);
        backend = BackendParts.Backend.make(scheduler, context(), rpc);
        scheduler.backend = backend;
        wait.begins(backend, clock, context().conf());
        scheduler.initialize(backend);
        bus.stages = null;
        if (whole) {
            real = new BackendDag(r, settings, hosts, clock, scheduler, bus, cached);
        } else {
            scheduler.dagScheduler_$eq(dag);
        }
        results = new BackendParts.Results(scheduler);
        results.stages = real;
        scheduler.taskResultGetter_$eq(results);
        Tools.field(TaskSchedulerImpl.class, "barrierCoordinator").set(scheduler, barriers); // its name can be taken only once
        master = new BackendRpc.Master(context().conf());
        backend.master(master);
        driver = rpc.endpoint("CoarseGrainedScheduler");
        toDriver = backend.driverEndpoint();
        dag.stages.clear();
        dag.lost.clear();
        dag.served = settings.service;
        rpc.after = whole ? real::deliver : bus::deliver;
        bus.manager = null;
        if (dynamic) { // it has begun when the application master registers, and begins again then
            bus.manager = new ExecutorAllocationManager(backend, bus, context().conf(), Option.empty(), clock, context().resourceProfileManager(), false);
            bus.manager.start(); // ticks come when the script says so, as in a test
            Tools.field(ExecutorAllocationManager.class, "testing").setBoolean(bus.manager, false); // which would ask nobody
            if (masters == null) {
                bus.manager.reset();
            }
            master.totals.clear();
        }
        if (masters != null) {
            masters.begins(settings.conf, context(), bus.manager, rpc);
        }
        BackendParts.heard = new BackendParts.Heard();
        for (int n = between(r, wait.first(), 6); n > 0; n--) {
            register();
        }
        for (int steps = between(r, 5, 200); (steps > 0 || steps > -200 && cached && !real.allRead()) && !BackendParts.heard.failed && !BackendParts.heard.beyond; steps--) {
            step();
        }
        barriers = Tools.field(TaskSchedulerImpl.class, "barrierCoordinator").get(scheduler);
        if (whole) {
            real.stop();
        }
        Map<String, Object> run = object("id", id, "conf", settings.conf, "racks", new TreeMap<>(racks), "profiles", settings.written, "stages", whole ? real.described : stages, "messages", messages);
        if (whole) {
            run.put("dag", true);
        }
        return run;
    }

    // The steps of a run.

    private void step() throws Exception {
        if (silent && chance(random, 0.1)) {
            speak();
            return;
        }
        if (masters != null && chance(random, masters.lost() ? 0.12 : 0.05)) {
            if (masters.lost()) {
                master = new BackendRpc.Master(context().conf());
                done(masters.registers(master, next, executors));
                next = masters.last + 1;
            } else {
                starting();
            }
            return;
        }
        int dice = random.nextInt(100);
        Map<String, Object> said = whole ? real.step(dice) : null;
        if (said != null) {
            done(said);
        } else if (!whole && (stages.isEmpty() || dice < 6 && stages.size() < 6)) {
            submit();
        } else if (dice < 14) {
            register();
        } else if (dice < 24) {
            toDriver.send(ReviveOffers$.MODULE$);
            done(object("op", "revive"));
        } else if (dice < 30) {
            tell();
        } else if (dice < 62) {
            end();
        } else if (dice < 68) {
            result();
        } else if (dice < 72) {
            disconnect();
        } else if (dice < 77) {
            answer();
        } else if (dice < 80) {
            remove();
        } else if (dice < 85) {
            kill();
        } else if (dice < 88) {
            decommission();
        } else if (dice < 90 && !dynamic) {
            total();
        } else if (dynamic && chance(random, 0.25)) {
            clock.advance(pick(random, 0, 1, 100, 100, 500, 1000, 2000, 5000, 61_000));
            bus.manager.org$apache$spark$ExecutorAllocationManager$$schedule();
            done(object("op", "tick"));
        } else if (dice < 93 && settings.speculation) {
            clock.advance(pick(random, 0, 100, 2000, 9000));
            scheduler.checkSpeculatableTasks();
            done(object("op", "speculate"));
        } else {
            clock.advance(pick(random, 1, 100, 500, 1000, 2999, 3000, 3001, 7000, random.nextInt(20000)));
            done(object("op", "advance"));
        }
    }

    /** An executor that the application master has started. */
    private BackendExecutor starts() throws Exception {
        int id = next++;
        String host = pick(random, hosts);
        BackendExecutor e = new BackendExecutor(id, host, new BackendRpc.Executor(context().conf(), id, host));
        executors.put(id, e);
        if (whole) {
            real.staged(staged);
        }
        e.profile = dynamic && staged.size() > 1 ? pick(random, new ArrayList<>(staged)) : 0;
        return e;
    }

    /** The application master goes, when executors that it has started may not have registered. */
    private void starting() throws Exception {
        for (int n = between(random, 0, 2); n > 0; n--) {
            masters.starting.add(starts());
        }
        done(masters.goes(master));
    }

    private void register() throws Exception {
        if (masters != null && masters.lost() && masters.starting.isEmpty()) {
            return;
        }
        BackendExecutor e = masters != null && masters.lost() ? masters.starting.remove(0) : starts();
        int id = e.id;
        String host = e.host;
        int profile = e.profile;
        if (chance(random, 0.05) && (masters == null || !masters.lost())) { // the master hears of its end first
            toDriver.send(new RemoveExecutor("" + id, new ExecutorExited(1, false, "made up")));
            done(object("op", "remove", "exec", id, "host", host, "profile", profile, "kind", "exited_not_app"));
        }
        scala.collection.immutable.Map<String, ?> none = scala.collection.immutable.Map$.MODULE$.empty();
        var answer = toDriver.ask(new RegisterExecutor("" + id, e.ref, host, settings.cores.get(profile), BackendParts.cast(none), BackendParts.cast(none), BackendParts.cast(none), profiles.get(profile).id()), ClassTag$.MODULE$.Boolean());
        e.registered = answer.value().get().isSuccess();
        e.connected = e.registered;
        if (e.registered) {
            if (whole) {
                real.places.put("" + id, host);
            }
            e.silent = silent && chance(random, 0.8);
            if (!e.silent) {
                toDriver.send(new LaunchedExecutor("" + id));
            }
        }
        Map<String, Object> said = object("op", "register", "exec", id, "host", host, "profile", profile, "taken", e.registered);
        if (e.silent) {
            said.put("silent", true);
        }
        done(said);
    }

    /** An executor says that it takes tasks, which the driver may have removed by then. */
    private void speak() throws Exception {
        BackendExecutor e = any(x -> x.silent && x.connected);
        if (e != null) {
            e.silent = false;
            toDriver.send(new LaunchedExecutor("" + e.id));
            done(object("op", "speak", "exec", e.id));
        }
    }

    private void submit() throws Exception {
        int stage = stages.size();
        boolean prefer = chance(random, 0.6);
        boolean map = chance(random, 0.5); // its output is read by a stage that never comes
        int n = between(random, 1, pick(random, 4, 12));
        int profile = random.nextInt(profiles.size());
        staged.add(profile);
        List<Object> written = new ArrayList<>();
        List<scala.collection.Seq<TaskLocation>> all = new ArrayList<>();
        Task<?>[] tasks = new Task<?>[n];
        Properties properties = new Properties();
        for (int i = 0; i < n; i++) {
            List<String> names = prefer && chance(random, 0.85) ? Tools.some(random, hosts, between(random, 1, 3)) : List.of();
            List<TaskLocation> locations = new ArrayList<>();
            names.forEach(h -> locations.add(new HostTaskLocation(h)));
            written.add(names);
            all.add(seq(locations));
            tasks[i] = TaskSetTasks.task(map, false, stage, 0, i, n, locations, properties);
        }
        stages.add(object("profile", profile, "map", map, "tasks", written));
        dag.submits(new StageInfo(stage, 0, "", n, seq(List.of()), seq(List.of()), "", null, seq(all), map ? Option.apply((Object) stage) : Option.empty(), profiles.get(profile).id(), false, 0));
        scheduler.submitTasks(new TaskSet(tasks, stage, 0, stage, properties, profiles.get(profile).id(), map ? Option.apply((Object) stage) : Option.empty()));
        done(object("op", "submit", "stage", stage));
    }

    private void status(BackendTask t, Enumeration.Value state) {
        toDriver.send(new StatusUpdate("" + t.in.id, t.id, state, new SerializableBuffer(ByteBuffer.allocate(0)), t.cpus, scala.collection.immutable.Map$.MODULE$.empty()));
    }

    /** Some tasks are heard to run. */
    private void tell() throws Exception {
        List<Object> ids = new ArrayList<>();
        for (BackendTask t : running.values()) {
            if (!t.told && t.in.connected && chance(random, 0.7)) {
                t.told = true;
                ids.add(t.id);
                status(t, TaskState.RUNNING());
            }
        }
        if (!ids.isEmpty()) {
            done(object("op", "running", "tids", ids));
        }
    }

    private void end() throws Exception {
        List<BackendTask> all = new ArrayList<>();
        for (BackendTask t : running.values()) {
            if (t.in.connected) {
                all.add(t);
            }
        }
        if (all.isEmpty()) {
            return;
        }
        if (chance(random, 0.5)) {
            clock.advance(random.nextInt(4000));
        }
        BackendTask t = pick(random, all);
        running.remove(t.id);
        boolean fails = !t.killed && chance(random, settings.bad.contains(t.in.host) ? 0.8 : 0.03);
        if (!t.told) {
            status(t, TaskState.RUNNING());
        }
        Map<String, Object> said = object("op", "end", "tid", t.id);
        TaskFailedReason unread = whole && !t.killed && chance(random, 0.12) ? real.unread(t.stage, t.info.partitionId(), said) : null;
        if (unread != null) {
            results.reasons.put(t.id, unread);
            fails = true;
        }
        boolean stops = t.killed && chance(random, 0.7); // else its end crosses the word that it shall stop
        status(t, stops ? TaskState.KILLED() : fails ? TaskState.FAILED() : TaskState.FINISHED());
        if (stops) {
            rpc.deliver();
            if (results.waiting.containsKey(t.id)) {
                results.handle(t.id);
            }
        }
        said.put("kind", stops ? "killed" : unread != null ? "fetch_failed" : fails ? "failed" : "success");
        done(said);
        if (chance(random, 0.7) && results.waiting.containsKey(t.id)) {
            result(t.id);
        }
    }

    private void result() throws Exception {
        if (!results.waiting.isEmpty()) {
            result(pick(random, new ArrayList<>(results.waiting.keySet())));
        }
    }

    private void result(long id) throws Exception {
        results.handle(id);
        done(object("op", "result", "tid", id));
    }

    private BackendExecutor any(java.util.function.Predicate<BackendExecutor> which) {
        List<BackendExecutor> all = new ArrayList<>();
        for (BackendExecutor e : executors.values()) {
            if (which.test(e)) {
                all.add(e);
            }
        }
        return all.isEmpty() ? null : pick(random, all);
    }

    private void disconnect() throws Exception {
        BackendExecutor e = any(x -> x.connected);
        if (e == null) {
            return;
        }
        gone(e);
        driver.onDisconnected(e.ref.address());
        done(object("op", "disconnect", "exec", e.id));
    }

    /** The process of an executor has ended. */
    private void gone(BackendExecutor e) {
        e.connected = false;
        running.values().removeIf(t -> t.in == e);
        if (whole) {
            real.dead.add(String.valueOf(e.id));
        }
    }

    /** The master answers why an executor is gone, or does not in time. */
    private void answer() throws Exception {
        if (master.open.isEmpty()) {
            return;
        }
        String id = pick(random, new ArrayList<>(master.open.keySet()));
        Promise<Object> answer = master.open.remove(id);
        String kind = pick(random, "exited_not_app", "exited_app", "none");
        if (kind.equals("none")) {
            answer.failure(new java.util.concurrent.TimeoutException("made up"));
        } else {
            answer.success(new ExecutorExited(1, kind.equals("exited_app"), "made up"));
        }
        done(object("op", "answer", "exec", Integer.parseInt(id), "kind", kind));
    }

    /** The master says that an executor is gone, the executor says so of itself, or it has been silent for too long. */
    private void remove() throws Exception {
        BackendExecutor e = any(x -> x.registered && (!x.removed || chance(random, 0.02)));
        if (e == null) {
            return;
        }
        if (!e.removed && !e.connected && chance(random, 0.4)) {
            backend.killExecutors(seq(List.of("" + e.id)), false, true, true);
            toDriver.send(new RemoveExecutor("" + e.id, new ExecutorProcessLost("made up", Option.empty(), true)));
            done(object("op", "expire", "exec", e.id));
        } else if (e.connected && e.decommissioned && chance(random, 0.7)) {
            gone(e);
            toDriver.send(new RemoveExecutor("" + e.id, new ExecutorLossReason("made up")));
            done(object("op", "self_exit", "exec", e.id));
        } else if (masters == null || !masters.lost()) {
            String kind = pick(random, "exited_not_app", "exited_app");
            toDriver.send(new RemoveExecutor("" + e.id, new ExecutorExited(1, kind.equals("exited_app"), "made up")));
            done(object("op", "remove", "exec", e.id, "kind", kind));
        }
    }

    private List<String> someExecutors() {
        List<String> ids = new ArrayList<>();
        executors.keySet().forEach(id -> ids.add("" + id));
        ids.add("" + next); // one that never was
        return Tools.some(random, ids, between(random, 1, 3));
    }

    private void kill() throws Exception {
        List<String> ids = someExecutors();
        boolean force = chance(random, 0.3);
        var taken = backend.killExecutors(seq(ids), false, false, force);
        done(object("op", "kill", "execs", numbers(ids), "force", force, "acknowledged", numbers(JavaConverters.seqAsJavaListConverter(taken).asJava())));
    }

    private void decommission() throws Exception {
        List<String> ids = someExecutors();
        ids.removeIf(id -> !executors.containsKey(Integer.parseInt(id)) || !executors.get(Integer.parseInt(id)).registered);
        if (ids.isEmpty()) {
            return;
        }
        List<Tuple2<String, ExecutorDecommissionInfo>> which = new ArrayList<>();
        ids.forEach(id -> which.add(new Tuple2<>(id, new ExecutorDecommissionInfo("made up", Option.empty()))));
        Tuple2<String, ExecutorDecommissionInfo>[] all = BackendParts.cast(which.toArray(new Tuple2<?, ?>[0]));
        var taken = backend.decommissionExecutors(all, false, false);
        List<Object> acknowledged = numbers(JavaConverters.seqAsJavaListConverter(taken).asJava());
        acknowledged.forEach(id -> executors.get((Integer) id).decommissioned = true);
        done(object("op", "decommission", "execs", numbers(ids), "acknowledged", acknowledged));
    }

    /** New totals, as dynamic allocation asks for them. */
    private void total() throws Exception {
        int n = between(random, 0, 20);
        int local = between(random, 0, 9);
        Map<String, Object> byHost = new TreeMap<>();
        Tools.some(random, hosts, between(random, 0, 4)).forEach(h -> byHost.put(h, between(random, 1, 9)));
        Object of = profiles.get(0).id();
        backend.requestTotalExecutors(BackendParts.cast(Tools.map(Map.of(of, n))), BackendParts.cast(Tools.map(Map.of(of, local))), BackendParts.cast(Tools.map(Map.of(of, Tools.map(byHost)))));
        done(object("op", "total", "total", n, "local", local, "hosts", byHost));
    }

    // What is written.

    /** Delivers what a step has led to, and writes the step with all that followed. */
    private void done(Map<String, Object> e) throws Exception {
        rpc.deliver();
        if (whole) {
            BackendParts.heard.failed |= real.failed();
            BackendParts.heard.beyond |= real.odd || real.aborted && !BackendParts.heard.failed; // a job of which Spark makes no stages
        }
        if (BackendParts.heard.beyond) {
            return; // and the run ends
        }
        e.put("t", clock.getTimeMillis());
        List<Object> launched = new ArrayList<>();
        List<Object> stopped = new ArrayList<>();
        TreeMap<Long, BackendTask> begun = new TreeMap<>();
        for (BackendExecutor x : executors.values()) {
            x.ref.launched.forEach((id, cpus) -> begun.put(id, new BackendTask(id, x, cpus)));
            x.ref.killed.forEach(id -> {
                stopped.add(id);
                BackendTask t = running.get(id);
                if (t != null) {
                    t.killed = true;
                }
            });
            x.ref.launched.clear();
            x.ref.killed.clear();
        }
        running.putAll(begun);
        BackendParts.heard.removed.forEach(id -> executors.get(Integer.parseInt(id)).removed |= executors.get(Integer.parseInt(id)).registered);
        begun.forEach((id, t) -> {
            TaskSetManager m = scheduler.taskIdToTaskSetManager().get(id);
            TaskInfo info = m.taskInfos().apply(id);
            t.info = info;
            t.stage = whole ? real.numbers.get(m.taskSet().stageId()) : m.taskSet().stageId();
            Map<String, Object> l = object("tid", id, "stage", t.stage, "index", info.partitionId(), "attempt", info.attemptNumber(), "exec", t.in.id, "locality", info.taskLocality().toString(), "speculative", info.speculative());
            if (whole) {
                l.put("of", real.attempt(m.taskSet()));
            }
            launched.add(l);
        });
        put(e, "launched", launched);
        put(e, "kill_tasks", stopped);
        put(e, "killed", numbers(master.kills));
        put(e, "asked", numbers(master.questions));
        put(e, "ended", BackendParts.heard.ended);
        put(e, "added", numbers(BackendParts.heard.added));
        put(e, "removed", numbers(BackendParts.heard.removed));
        put(e, "totals", master.totals(profiles));
        if (BackendParts.heard.failed) {
            e.put("failed", true);
        }
        Map<String, Object> state = state();
        if (whole) {
            real.write(e, state);
        }
        e.put("state", state);
        boolean failed = BackendParts.heard.failed;
        BackendParts.heard = new BackendParts.Heard();
        BackendParts.heard.failed = failed;
        master.totals.clear();
        master.kills.clear();
        master.questions.clear();
        messages.add(e);
    }

    /** The executors that the driver knows, with their free cores and whether they get tasks; how many count as registered; slots by profile. */
    private Map<String, Object> state() throws Exception {
        List<Object> known = new ArrayList<>();
        for (BackendExecutor x : executors.values()) {
            Option<Object> free = backend.getExecutorAvailableCpus("" + x.id);
            if (free.isDefined()) {
                known.add(list(x.id, free.get(), backend.isExecutorActive("" + x.id)));
            }
        }
        List<Object> slots = new ArrayList<>();
        profiles.forEach(p -> slots.add(backend.maxNumConcurrentTasks(p)));
        Map<String, Object> state = object("executors", known, "registered", backend.registered(), "slots", slots);
        if (dynamic) {
            List<Object> needed = new ArrayList<>();
            profiles.forEach(p -> needed.add(bus.manager.maxNumExecutorsNeededPerResourceProfile(p.id())));
            state.put("needed", needed);
            state.put("tracked", bus.manager.executorMonitor().executorCount());
        }
        wait.write(state);
        return state;
    }
}
