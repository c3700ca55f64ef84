package golden;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.v2.api.records.JobId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptState;
import org.apache.hadoop.mapreduce.v2.api.records.TaskId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.job.Job;
import org.apache.hadoop.mapreduce.v2.app.job.Task;
import org.apache.hadoop.mapreduce.v2.app.job.TaskAttempt;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptStatusUpdateEvent.TaskAttemptStatus;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskEvent;
import org.apache.hadoop.mapreduce.v2.app.speculate.DefaultSpeculator;
import org.apache.hadoop.mapreduce.v2.app.speculate.SpeculatorEvent;
import org.apache.hadoop.mapreduce.v2.util.MRBuilderUtils;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.util.Clock;

/** A random run of DefaultSpeculator with its default estimator: attempts that ask, start, report and end, and scans. */
final class Speculations {
  private static final JobId JOB = MRBuilderUtils.newJobId(ApplicationId.newInstance(1, 1), 1);
  private static final int STEPS = 150;

  private final Random random;
  private final boolean round; // times and progress have few digits, so what is compared is often equal
  private final long every; // ms between two reports of an attempt
  private final TheTask[][] tasks = new TheTask[2][]; // maps and reduces
  private final int[] completed = new int[2];
  private final List<TheAttempt> all = new ArrayList<>();
  private final List<Object> events = new ArrayList<>();
  private final List<Object> added = new ArrayList<>(); // by the scan under way
  private final DefaultSpeculator speculator;
  private final Job job;
  private long now = 1_000_000;

  /** A task with its attempts in their order. */
  private final class TheTask {
    final TaskId id;
    final Map<TaskAttemptId, TaskAttempt> attempts = new LinkedHashMap<>();
    final Task shown;
    boolean over;

    TheTask(int type, int index) {
      id = MRBuilderUtils.newTaskId(JOB, index, type == 0 ? TaskType.MAP : TaskType.REDUCE);
      shown = fake(Task.class, Map.of("getID", (p, m, a) -> id, "getType", (p, m, a) -> id.getTaskType(), "getAttempts", (p, m, a) -> attempts,
          "getAttempt", (p, m, a) -> attempts.get(a[0])));
    }
  }

  /** An attempt and what it has reported. */
  private final class TheAttempt {
    final int type;
    final int index;
    final int number;
    final TaskAttemptId id;
    TaskAttemptState state = TaskAttemptState.STARTING;
    boolean waits = true; // for a container
    boolean stopping; // it is killed, and its container has not ended
    float progress;
    long begin;
    long work;
    long reports;

    TheAttempt(int type, int index) {
      this.type = type;
      this.index = index;
      TheTask t = tasks[type][index];
      number = t.attempts.size();
      id = MRBuilderUtils.newTaskAttemptId(t.id, number);
      t.attempts.put(id, fake(TaskAttempt.class, Map.of("getID", (p, m, a) -> id, "getState", (p, m, a) -> state, "getProgress", (p, m, a) -> progress)));
      all.add(this);
      speculator.handle(new SpeculatorEvent(t.id, 1));
    }

    List<Object> name() {
      return Arrays.asList(type, index, number);
    }

    TaskAttemptStatus status() {
      TaskAttemptStatus s = new TaskAttemptStatus();
      s.id = id;
      s.progress = progress;
      s.taskState = state;
      return s;
    }

    /** The time of its next report: the first interval tells only that it lives. */
    long next() {
      return state != TaskAttemptState.RUNNING || every == 0 ? Long.MAX_VALUE : begin + (reports + 2) * every;
    }
  }

  Speculations(long seed) {
    random = new Random(seed * 7919 + 23);
    round = random.nextInt(3) == 0;
    every = round ? pick(500, 1000) : pick(0, 500, 3000, 3000, 10_000);
    conf.setInt("mapreduce.job.speculative.minimum-allowed-tasks", (int) pick(0, 1, 2, 10));
    conf.set("mapreduce.job.speculative.speculative-cap-running-tasks", text("0", "0.1", "0.3", "1.0"));
    conf.set("mapreduce.job.speculative.speculative-cap-total-tasks", text("0", "0.01", "0.2"));
    conf.set("mapreduce.job.speculative.slowtaskthreshold", text("0.3", "1.0", "9.0"));
    Map<String, InvocationHandler> m = new HashMap<>();
    m.put("getID", (p, x, a) -> JOB);
    m.put("getTask", (p, x, a) -> tasks[((TaskId) a[0]).getTaskType() == TaskType.MAP ? 0 : 1][((TaskId) a[0]).getId()].shown);
    m.put("getTasks", (p, x, a) -> {
      Map<TaskId, Task> of = new LinkedHashMap<>(); // Hadoop's has no order that could be repeated
      for (TheTask t : tasks[a[0] == TaskType.MAP ? 0 : 1]) {
        of.put(t.id, t.shown);
      }
      return of;
    });
    m.put("getTotalMaps", (p, x, a) -> tasks[0].length);
    m.put("getTotalReduces", (p, x, a) -> tasks[1].length);
    m.put("getCompletedMaps", (p, x, a) -> completed[0]);
    m.put("getCompletedReduces", (p, x, a) -> completed[1]);
    job = fake(Job.class, m);
    EventHandler<Event> told = e -> {
      TaskId t = ((TaskEvent) e).getTaskID();
      added.add(Arrays.asList(t.getTaskType() == TaskType.MAP ? 0 : 1, t.getId()));
    };
    AppContext context = fake(AppContext.class, Map.of("getJob", (p, x, a) -> job, "getAllJobs", (p, x, a) -> Collections.singletonMap(JOB, job),
        "getEventHandler", (p, x, a) -> told));
    Clock clock = () -> now;
    speculator = new DefaultSpeculator(conf, context, clock);
    speculator.init(conf);
  }

  private final Configuration conf = new Configuration(false);

  @SuppressWarnings("unchecked")
  private static <T> T fake(Class<T> type, Map<String, InvocationHandler> methods) {
    return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (p, m, a) -> {
      switch (m.getName()) {
        case "hashCode":
          return System.identityHashCode(p);
        case "equals":
          return p == a[0];
        default:
          return methods.get(m.getName()).invoke(p, m, a);
      }
    });
  }

  private long pick(long... of) {
    return of[random.nextInt(of.length)];
  }

  private String text(String... of) {
    return of[random.nextInt(of.length)];
  }

  Map<String, Object> run(long seed) throws Throwable {
    for (int type = 0; type < 2; type++) {
      tasks[type] = new TheTask[(int) (type == 1 && random.nextInt(3) == 0 ? 0 : pick(20, 40, 1 + random.nextInt(4), 1 + random.nextInt(25), 1 + random.nextInt(60)))];
      for (int i = 0; i < tasks[type].length; i++) {
        tasks[type][i] = new TheTask(type, i);
      }
    }
    speculator.handle(new SpeculatorEvent(JOB, now));
    List<Integer> counts = Arrays.asList(tasks[0].length, tasks[1].length);
    for (int type = 0; type < 2; type++) {
      for (TheTask t : tasks[type]) {
        new TheAttempt(type, t.id.getId());
      }
    }
    Method scan = DefaultSpeculator.class.getDeclaredMethod("computeSpeculations");
    scan.setAccessible(true);
    boolean soon = random.nextBoolean(); // all have a container at the start
    for (TheAttempt a : new ArrayList<>(all)) {
      if (soon || random.nextInt(4) > 0) {
        step(a, soon ? 0 : random.nextInt(2));
      }
    }
    for (int step = 0; step < STEPS; step++) {
      advance(round ? pick(0, 1000, 1000, 2000, 4000, 9000) : pick(0, 1, 300, 1000, 1000, 1000, 3000, 9000, 9001, 20_000));
      List<TheAttempt> live = new ArrayList<>(all);
      live.removeIf(a -> !a.stopping && a.state != TaskAttemptState.STARTING && a.state != TaskAttemptState.RUNNING);
      for (TheAttempt a : live) {
        if (a.state == TaskAttemptState.STARTING ? random.nextInt(3) > 0 : random.nextInt(live.size() + 9) < 2) {
          step(a, random.nextInt(12));
        }
      }
      if (random.nextInt(4) > 0) {
        added.clear();
        scan.invoke(speculator);
        events.add(event("scan", null, "added", new ArrayList<>(added)));
        for (Object o : new ArrayList<>(added)) {
          List<?> t = (List<?>) o;
          new TheAttempt((Integer) t.get(0), (Integer) t.get(1));
        }
      }
    }
    Map<String, Object> c = new LinkedHashMap<>();
    for (Map.Entry<String, String> e : conf) {
      c.put(e.getKey(), e.getValue());
    }
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", "speculation-" + seed);
    out.put("conf", c);
    out.put("report_ms", every);
    out.put("tasks", counts);
    out.put("events", events);
    return out;
  }

  /** One attempt goes on as the dice say; what cannot be is passed over. */
  private void step(TheAttempt a, int dice) {
    boolean runs = a.state == TaskAttemptState.RUNNING;
    if (a.stopping) {
      end(a, TaskAttemptState.KILLED);
    } else if (a.state != TaskAttemptState.STARTING && !runs) {
      return;
    } else if (a.waits && dice < 8) {
      a.waits = false;
      speculator.handle(new SpeculatorEvent(tasks[a.type][a.index].id, -1));
      events.add(event("assign", a));
    } else if (!runs && !a.waits && dice < 8) {
      a.state = TaskAttemptState.RUNNING;
      a.begin = now + (round ? 0 : pick(0, 1, 700, 4000, 30_000));
      a.work = round ? pick(8000, 16_000, 32_000, 64_000) : pick(1, 5000, 20_000, 20_000, 60_000, 500_000, 9_000_000);
      speculator.handle(new SpeculatorEvent(a.id, true, now));
      events.add(event("launch", a, "begin", a.begin, "work", a.work));
    } else if (runs && dice < 3) {
      end(a, TaskAttemptState.SUCCEEDED);
    } else if (runs && dice < 4) {
      end(a, TaskAttemptState.FAILED);
    } else if (runs && dice > 9) {
      a.state = TaskAttemptState.KILLED;
      a.stopping = true;
      events.add(event("stop", a));
    } else if (dice == 11) {
      end(a, TaskAttemptState.KILLED);
    }
  }

  /** An attempt ends. With the first success its task is over, and the others go; else there is another attempt. */
  private void end(TheAttempt a, TaskAttemptState how) {
    TheTask t = tasks[a.type][a.index];
    a.state = how;
    a.stopping = false;
    if (a.waits) {
      a.waits = false;
      speculator.handle(new SpeculatorEvent(t.id, -1));
    }
    if (how == TaskAttemptState.SUCCEEDED) {
      a.progress = 1;
      t.over = true;
      completed[a.type]++;
      speculator.handle(new SpeculatorEvent(a.status(), now));
    }
    events.add(event(how == TaskAttemptState.SUCCEEDED ? "success" : "gone", a));
    if (how == TaskAttemptState.SUCCEEDED) {
      for (TheAttempt o : all) {
        if (o != a && o.type == a.type && o.index == a.index && (o.stopping || o.state == TaskAttemptState.STARTING || o.state == TaskAttemptState.RUNNING)) {
          end(o, TaskAttemptState.KILLED);
        }
      }
      if (a.type == 0 && random.nextInt(6) == 0) { // its output is lost with its node
        a.state = TaskAttemptState.KILLED;
        t.over = false;
        completed[0]--;
        events.add(event("lost", a));
        events.add(event("ask", new TheAttempt(a.type, a.index)));
      }
    } else if (!t.over) {
      events.add(event("ask", new TheAttempt(a.type, a.index)));
    }
  }

  /** Time passes, and attempts report in it. */
  private void advance(long ms) {
    long to = now + ms;
    while (true) {
      TheAttempt first = null;
      for (TheAttempt a : all) {
        if (first == null || a.next() < first.next()) {
          first = a;
        }
      }
      if (first.next() > to) {
        now = to;
        return;
      }
      now = Math.max(now, first.next());
      first.progress = (float) Math.min(now - first.begin, first.work) / first.work;
      first.reports++;
      speculator.handle(new SpeculatorEvent(first.status(), now));
    }
  }

  private Map<String, Object> event(String op, TheAttempt a, Object... more) {
    Map<String, Object> e = new LinkedHashMap<>();
    e.put("op", op);
    e.put("t", now);
    if (a != null) {
      e.put("attempt", a.name());
    }
    for (int i = 0; i < more.length; i += 2) {
      e.put((String) more[i], more[i + 1]);
    }
    return e;
  }
}
