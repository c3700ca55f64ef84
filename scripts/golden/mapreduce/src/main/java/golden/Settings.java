package golden;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTaskAttemptImpl;
import org.apache.hadoop.mapred.ReduceTaskAttemptImpl;
import org.apache.hadoop.mapred.YARNRunner;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.util.MRJobConfUtil;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.TaskHeartbeatHandler;
import org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl;
import org.apache.hadoop.mapreduce.v2.app.speculate.DefaultSpeculator;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.util.Records;

/** What MapReduce makes of the text of a job's settings: the value of each as its reader takes it, the sizes of containers, or that it refuses them. */
final class Settings {
  private static final String[] INTS = {"mapreduce.job.reducer.unconditional-preempt.delay.sec", "mapreduce.job.reducer.preempt.delay.sec", "mapreduce.job.running.map.limit",
      "mapreduce.job.running.reduce.limit", "mapreduce.job.maxtaskfailures.per.tracker", "mapreduce.job.num-opportunistic-maps-percent", "mapreduce.job.speculative.minimum-allowed-tasks",
      "mapreduce.job.ubertask.maxmaps", "mapreduce.job.ubertask.maxreduces", "mapreduce.am.max-attempts", "mapreduce.map.maxattempts", "mapreduce.reduce.maxattempts",
      "mapreduce.map.failures.maxpercent", "mapreduce.reduce.failures.maxpercent", "mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb", "mapreduce.map.cpu.vcores",
      "mapreduce.reduce.cpu.vcores", "yarn.app.mapreduce.am.resource.mb", "yarn.app.mapreduce.am.resource.cpu-vcores", "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms",
      "mapreduce.task.timeout.check-interval-ms"};
  private static final String[] LONGS = {"mapreduce.job.speculative.retry-after-no-speculate", "mapreduce.job.speculative.retry-after-speculate", "mapreduce.job.ubertask.maxbytes",
      "mapreduce.task.timeout", "mapreduce.task.stuck.timeout-ms", "mapreduce.task.progress-report.interval", "yarn.app.mapreduce.am.scheduler.connection.wait.interval-ms"};
  private static final String[] FLOATS = {"mapreduce.job.reduce.slowstart.completedmaps", "yarn.app.mapreduce.am.job.reduce.rampup.limit", "yarn.app.mapreduce.am.job.reduce.preemption.limit"};
  private static final String[] DOUBLES = {"mapreduce.job.speculative.speculative-cap-running-tasks", "mapreduce.job.speculative.speculative-cap-total-tasks"};
  private static final String[] SWITCHES = {"yarn.app.mapreduce.am.job.node-blacklisting.enable", "mapreduce.job.ubertask.enable", "mapreduce.job.finish-when-all-reducers-done",
      "yarn.app.mapreduce.am.job.recovery.enable", "mapreduce.map.speculative", "mapreduce.reduce.speculative"};
  private static final String[] AMOUNTS = {"mapreduce.map.resource.memory-mb", "mapreduce.map.resource.memory", "mapreduce.map.resource.vcores", "mapreduce.reduce.resource.memory-mb",
      "mapreduce.reduce.resource.vcores", "yarn.app.mapreduce.am.resource.memory-mb", "yarn.app.mapreduce.am.resource.vcores", "yarn.app.mapreduce.am.resource.memory"};
  private static final String[] OPTIONS = {"mapreduce.map.java.opts", "mapreduce.reduce.java.opts", "mapred.child.java.opts"};

  private static final String[] NUMBERS = {"0", "1", "2", "3", "10", "1000", "4096", "-1", "-5", "2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "1.0", "1e3", " 7 ", "+4",
      "007", "0x10", "0X1F", "-0x10", "0x", "0x80000000", "x", "", " ", "1,000", "5s", "-0", "1_0", "10L"};
  private static final String[] PARTS = {"0", "1", "0.5", "-1", "1.5", "2", "1e-2", ".5", "1.", "0.3f", "0.3d", "x", "", " ", " 0.25 ", "0,5", "50%", "0x1p-1", "+0.5", "1F", "-0", "1e-50", "0.1D"};
  private static final String[] TRUTHS = {"true", "false", "TRUE", "False", " true ", "yes", "1", "0", "", "on", "t", " "};
  private static final String[] SIZES = {"0", "1", "512", "2048", "2 Gi", "2Gi", "1G", "100M", "1500Ki", "-1", "1.5", "x", "", " 5", "5 ", "2500m", "1T", "3X", "07", "4 g", "2147483648", "1k", "3000Mi"};
  private static final String[] HEAPS = {"-Xmx1g", "-Xmx1000m -ea", "-ea -Xmx512M -Xmx2G", "-Xmx1048576k", "-Xmx1073741824", "-Xms1g", "", "-Xmx", "-Xmx1t", "-Xmx0m", "-Xmx1.5g", "x", "-Xmx 1g", "  -Xmx700m ",
      "-Xmx1gb", "-XX:a -Xmx3g -Dx=-Xmx9g"};
  private static final String[] LARGE = {"2147483648", "4294967296", "4294967297", "6442450945", "99999999999", "-2147483648", "-2147483649"}; // beyond an int, also where it would be cut to one that is small
  private static final String[] WHOLE = {"yarn.app.mapreduce.am.resource.cpu-vcores", "yarn.app.mapreduce.am.resource.mb", "yarn.app.mapreduce.am.resource.vcores", "mapreduce.map.cpu.vcores", "mapreduce.reduce.memory.mb"};
  private static final String[] RATIOS = {"0.8", "0.5", "1", "2", "1e-1", "x", "", "0.75f"};

  /** The context of an application master that has nothing. */
  private static final AppContext NOTHING = (AppContext) Proxy.newProxyInstance(AppContext.class.getClassLoader(), new Class<?>[] {AppContext.class}, (p, m, a) -> null);

  private final Random rnd;
  private final Map<String, String> set = new TreeMap<>();

  Settings(long seed) {
    rnd = new Random(seed * 31 + 5);
  }

  private String of(String[] texts) {
    return texts[rnd.nextInt(texts.length)];
  }

  private void draw() {
    switch (rnd.nextInt(10)) {
      case 0:
      case 1:
      case 2:
        set.put(of(INTS), of(NUMBERS));
        break;
      case 3:
        set.put(of(LONGS), of(NUMBERS));
        break;
      case 4:
        set.put(of(FLOATS), of(PARTS));
        break;
      case 5:
        set.put(of(DOUBLES), of(PARTS));
        break;
      case 6:
        set.put(of(SWITCHES), of(TRUTHS));
        break;
      case 7:
      case 8:
        set.put(of(AMOUNTS), of(SIZES));
        break;
      default:
        set.put(of(OPTIONS), of(HEAPS));
        if (rnd.nextInt(3) == 0) {
          set.put("mapreduce.job.heap.memory-mb.ratio", of(RATIOS));
        }
    }
  }

  private static Field field(Class<?> of, String name) throws Exception {
    Field f = of.getDeclaredField(name);
    f.setAccessible(true);
    return f;
  }

  private static Object bare(Class<?> of) throws Exception {
    return ((sun.misc.Unsafe) field(sun.misc.Unsafe.class, "theUnsafe").get(null)).allocateInstance(of);
  }

  private static List<Long> size(Resource r) {
    return Arrays.asList(r.getMemorySize(), (long) r.getVirtualCores());
  }

  /** What an attempt asks for: an object without its constructor has its settings and its size. */
  private static List<Long> attempt(Class<?> of, TaskType type, JobConf conf) throws Exception {
    ((Map<?, ?>) field(TaskAttemptImpl.class, "RESOURCE_REQUEST_CACHE").get(null)).clear(); // one for the life of a process
    Object a = bare(of);
    field(TaskAttemptImpl.class, "conf").set(a, conf);
    Field size = field(TaskAttemptImpl.class, "resourceCapability");
    size.set(a, Records.newRecord(Resource.class));
    Method m = TaskAttemptImpl.class.getDeclaredMethod("populateResourceCapability", TaskType.class);
    m.setAccessible(true);
    m.invoke(a, type);
    return size((Resource) size.get(a));
  }

  private static List<Long> master(JobConf conf) throws Exception {
    Object runner = bare(YARNRunner.class);
    field(YARNRunner.class, "conf").set(runner, conf);
    Method m = YARNRunner.class.getDeclaredMethod("generateResourceRequests");
    m.setAccessible(true);
    return size(((ResourceRequest) ((List<?>) m.invoke(runner)).get(0)).getCapability());
  }

  private static Map<String, Object> values(JobConf c) throws Exception {
    Map<String, Object> v = new TreeMap<>();
    v.put("slow_start", c.getFloat(MRJobConfig.COMPLETED_MAPS_FOR_REDUCE_SLOWSTART, 0.05f));
    v.put("ramp_up", c.getFloat(MRJobConfig.MR_AM_JOB_REDUCE_RAMPUP_UP_LIMIT, 0.5f));
    v.put("preemption", c.getFloat(MRJobConfig.MR_AM_JOB_REDUCE_PREEMPTION_LIMIT, 0.5f));
    v.put("unconditional_s", c.getInt(MRJobConfig.MR_JOB_REDUCER_UNCONDITIONAL_PREEMPT_DELAY_SEC, 300));
    v.put("preempt_s", c.getInt(MRJobConfig.MR_JOB_REDUCER_PREEMPT_DELAY_SEC, 0));
    v.put("running_maps", c.getInt(MRJobConfig.JOB_RUNNING_MAP_LIMIT, 0));
    v.put("running_reduces", c.getInt(MRJobConfig.JOB_RUNNING_REDUCE_LIMIT, 0));
    v.put("blacklisting", c.getBoolean(MRJobConfig.MR_AM_JOB_NODE_BLACKLISTING_ENABLE, true));
    v.put("per_node", c.getInt(MRJobConfig.MAX_TASK_FAILURES_PER_TRACKER, 3));
    v.put("opportunistic", c.getInt(MRJobConfig.MR_NUM_OPPORTUNISTIC_MAPS_PERCENT, 0));
    DefaultSpeculator s = new DefaultSpeculator(c, NOTHING, null, null);
    v.put("speculation", Arrays.asList(field(DefaultSpeculator.class, "minimumAllowedSpeculativeTasks").get(s), field(DefaultSpeculator.class, "soonestRetryAfterNoSpeculate").get(s),
        field(DefaultSpeculator.class, "soonestRetryAfterSpeculate").get(s)));
    v.put("cap_running", field(DefaultSpeculator.class, "proportionRunningTasksSpeculatable").get(s));
    v.put("cap_total", field(DefaultSpeculator.class, "proportionTotalTasksSpeculatable").get(s));
    v.put("uber", c.getBoolean(MRJobConfig.JOB_UBERTASK_ENABLE, false));
    v.put("uber_bytes", c.getLong(MRJobConfig.JOB_UBERTASK_MAXBYTES, 128 << 20));
    for (String type : new String[] {"map", "reduce"}) { // as JobImpl.makeUberDecision reads them
      v.put("uber_" + type, Arrays.asList(c.getLong("mapreduce." + type + ".memory.mb", -1), c.getInt("mapreduce." + type + ".cpu.vcores", 1)));
    }
    v.put("uber_room", Arrays.asList((long) c.getInt(MRJobConfig.MR_AM_VMEM_MB, 1536), (long) c.getInt(MRJobConfig.MR_AM_CPU_VCORES, 1))); // which fail a job of which they are no numbers
    v.put("uber_limits", Arrays.asList(c.getInt(MRJobConfig.JOB_UBERTASK_MAXMAPS, 9), c.getInt(MRJobConfig.JOB_UBERTASK_MAXREDUCES, 1)));
    v.put("heartbeat", c.getInt(MRJobConfig.MR_AM_TO_RM_HEARTBEAT_INTERVAL_MS, 1000));
    v.put("refused", c.getLong(MRJobConfig.MR_AM_TO_RM_WAIT_INTERVAL_MS, 360000));
    TaskHeartbeatHandler h = new TaskHeartbeatHandler(null, null, 1);
    h.init(c);
    v.put("timeouts", Arrays.asList(field(TaskHeartbeatHandler.class, "taskTimeOut").get(h), field(TaskHeartbeatHandler.class, "taskStuckTimeOut").get(h),
        field(TaskHeartbeatHandler.class, "taskTimeOutCheckInterval").get(h)));
    v.put("report", MRJobConfUtil.getTaskProgressReportInterval(c));
    v.put("finish", c.getBoolean(MRJobConfig.FINISH_JOB_WHEN_REDUCERS_DONE, true));
    v.put("recovery", c.getBoolean(MRJobConfig.MR_AM_JOB_RECOVERY_ENABLE, true));
    v.put("am_attempts", c.getInt(MRJobConfig.MR_AM_MAX_ATTEMPTS, 2));
    v.put("attempts", Arrays.asList(c.getInt(MRJobConfig.MAP_MAX_ATTEMPTS, 4), c.getInt(MRJobConfig.REDUCE_MAX_ATTEMPTS, 4)));
    v.put("failures", Arrays.asList(c.getInt(MRJobConfig.MAP_FAILURES_MAX_PERCENT, 0), c.getInt(MRJobConfig.REDUCE_FAILURES_MAXPERCENT, 0)));
    v.put("speculative", Arrays.asList(c.getBoolean(MRJobConfig.MAP_SPECULATIVE, false), c.getBoolean(MRJobConfig.REDUCE_SPECULATIVE, false)));
    v.put("map", attempt(MapTaskAttemptImpl.class, TaskType.MAP, c));
    v.put("reduce", attempt(ReduceTaskAttemptImpl.class, TaskType.REDUCE, c));
    v.put("am", master(c));
    return v;
  }

  /** What MapReduce takes and a replay refuses, because it can only be a mistake: sizes beyond 32 bits or below 0, no attempts, no intervals. */
  private String mistake(Map<String, Object> values) {
    for (String size : new String[] {"map", "reduce", "am", "uber_room"}) {
      for (Object n : (List<?>) values.get(size)) {
        if ((Long) n < 0 || (Long) n > Integer.MAX_VALUE) {
          return size;
        }
      }
    }
    for (String key : AMOUNTS) { // vcores are cut to 32 bits
      if (key.endsWith("vcores") && set.containsKey(key) && set.get(key).matches("1T|2 ?Gi|3000Mi|2147483648|4294967296|4294967297|6442450945|99999999999")) {
        return key;
      }
    }
    for (Object n : (List<?>) values.get("attempts")) {
      if ((Integer) n < 1) {
        return "attempts";
      }
    }
    if ((Integer) values.get("heartbeat") < 1 || (Integer) ((List<?>) values.get("timeouts")).get(2) < 1 || ((Number) values.get("report")).longValue() < 0) {
      return "an interval";
    }
    return null;
  }

  Map<String, Object> run(long seed) throws Exception {
    for (int i = 1 + rnd.nextInt(3); i > 0; i--) {
      draw();
    }
    Random other = new Random(seed * 7919); // which leaves the draws of other cases as they are
    if (other.nextInt(4) == 0) {
      String[] texts = other.nextInt(3) == 0 ? NUMBERS : other.nextBoolean() ? SIZES : LARGE;
      set.put(WHOLE[other.nextInt(WHOLE.length)], texts[other.nextInt(texts.length)]);
    }
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", seed);
    out.put("kind", "mapreduce_settings");
    out.put("conf", set);
    JobConf conf = new JobConf(new Configuration());
    set.forEach(conf::set);
    try {
      Map<String, Object> values = values(conf);
      String mistake = mistake(values);
      if (mistake != null) {
        out.put("mistake", mistake);
      } else {
        out.put("values", values);
      }
    } catch (InvocationTargetException x) {
      out.put("refused", String.valueOf(x.getCause()));
    } catch (RuntimeException x) {
      out.put("refused", String.valueOf(x));
    }
    return out;
  }
}
