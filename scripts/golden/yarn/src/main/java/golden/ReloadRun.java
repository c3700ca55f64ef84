package golden;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FSQueue;

/** A random run of the FairScheduler whose allocation file changes, at times to one that is refused. */
class ReloadRun extends FairRun {
  ReloadRun(long seed, boolean preemption) {
    super(seed, preemption);
  }

  /** Limits of the sizes of containers. */
  static void sizes(Run run) {
    if (run.percent(50)) {
      run.site.put("yarn.scheduler.minimum-allocation-mb", run.pick(0, 128, 256, 1024));
      run.site.put("yarn.scheduler.maximum-allocation-mb", run.pick(4096, 10240, 16384));
    }
    if (run.percent(50)) {
      run.site.put("yarn.scheduler.minimum-allocation-vcores", run.pick(0, 1));
      run.site.put("yarn.scheduler.maximum-allocation-vcores", run.pick(4, 8, 32));
    }
  }

  @Override
  void configure() {
    super.configure();
    sizes(this);
  }

  @Override
  void more() throws Exception {
    if (percent(12)) {
      reload();
      if (percent(50)) {
        state();
      }
    }
    if (percent(8)) {
      cleanup();
    }
  }

  void reload() throws Exception {
    String xml = allocations();
    if (percent(12)) {
      xml = spoiled(xml);
    }
    write(xml);
    Map<String, Object> e = event("reload");
    e.put("xml", xml);
    emit(e, () -> {
      try {
        call(field(fair.getClass(), "allocsLoader").get(fair), "reloadAllocations");
      } catch (InvocationTargetException x) {
        e.put("msg", Cases.chain(x.getCause()));
      }
      order();
      e.put("queues", settings(fair));
    });
  }

  private String spoiled(String xml) {
    switch (rnd.nextInt(4)) {
      case 0:
        return xml.substring(0, xml.length() / 2);
      case 1:
        return xml.replace("allocations>", "queues>");
      case 2:
        return xml.replace("<allocations>", "<allocations><userMaxAppsDefault>x</userMaxAppsDefault>");
      default:
        return xml.replaceFirst("<schedulingPolicy>[a-z]+<", "<schedulingPolicy>best<");
    }
  }

  /** What each check of the loader does, whether the file has changed or not. */
  void cleanup() throws Exception {
    Map<String, Object> e = event("cleanup");
    emit(e, () -> {
      Object queues = fair.getQueueManager();
      call(queues, "removeEmptyDynamicQueues");
      call(queues, "removePendingIncompatibleQueues");
      List<String> names = new ArrayList<>();
      for (FSQueue q : all(fair)) {
        names.add(q.getName());
      }
      e.put("queues", names);
    });
  }
}
