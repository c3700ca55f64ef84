package golden;

import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;

/** Limits of the sizes of containers, in the table of resource types from which a ResourceManager's scheduler takes them. */
final class Sizes {
  private Sizes() {}

  /** Draws limits and steps; a least size may be 0 where the scheduler allows that. */
  static void draw(Run run, boolean zero) {
    Map<String, Object> site = run.site;
    String y = "yarn.scheduler.";
    String t = "yarn.resource-types.";
    if (run.percent(70)) {
      site.put(y + "minimum-allocation-mb", zero && run.percent(15) ? 0 : run.pick(1, 100, 128, 256, 512, 1000, 1024, 2048));
      site.put(y + "maximum-allocation-mb", run.pick(2048, 4096, 5000, 8192, 16384, 100000));
    }
    if (run.percent(70)) {
      site.put(y + "minimum-allocation-vcores", zero && run.percent(20) ? 0 : run.pick(1, 1, 2, 3));
      site.put(y + "maximum-allocation-vcores", run.pick(3, 4, 5, 8, 32, 1000));
    }
    if (run.percent(20)) {
      site.put(t + "memory-mb.minimum-allocation", run.pick(0, 1, 200, 512, 1024));
    }
    if (run.percent(20)) {
      site.put(t + "memory-mb.maximum-allocation", run.pick(2048, 3000, 6000, 12288));
    }
    if (run.percent(15)) {
      site.put(t + "vcores.minimum-allocation", run.pick(0, 1, 2));
      site.put(t + "vcores.maximum-allocation", run.pick(2, 3, 6, 12));
    }
    if (Recorder.third) {
      if (run.percent(30)) {
        site.put(t + Recorder.GPU + ".minimum-allocation", run.pick(0, 1, 2));
      }
      if (run.percent(50)) {
        site.put(t + Recorder.GPU + ".maximum-allocation", run.pick(2, 3, 4, 16));
      }
    }
  }

  /** Draws the steps to which the FairScheduler rounds. */
  static void steps(Run run) {
    Map<String, Object> site = run.site;
    if (run.percent(50)) {
      site.put("yarn.scheduler.increment-allocation-mb", run.pick(1, 100, 300, 512, 1024, 5000));
    }
    if (run.percent(50)) {
      site.put("yarn.scheduler.increment-allocation-vcores", run.pick(1, 2, 3));
    }
    if (run.percent(25)) {
      site.put("yarn.resource-types.vcores.increment-allocation", run.pick("1", "2", "5"));
    }
    if (Recorder.third && run.percent(50)) {
      site.put("yarn.resource-types." + Recorder.GPU + ".increment-allocation", run.pick("0", "1", "2", "3"));
    }
  }

  /** Draws units of a third type, and steps in other units than those of their types. */
  static void units(Run run) {
    if (run.percent(40)) {
      run.site.put("yarn.resource-types.memory-mb.increment-allocation", run.pick("1Gi", "512 Mi", "1G", "2000000Ki", "100000k", "1500"));
    }
    if (Recorder.third) {
      String gpu = "yarn.resource-types." + Recorder.GPU + ".";
      if (run.percent(60)) {
        run.site.put(gpu + "units", run.pick("k", "m", "G", "Ki"));
      }
      if (run.percent(60)) {
        run.site.put(gpu + "increment-allocation", run.pick("1", "2k", "3000m", "2 k", "4000000", "1Ki"));
      }
    }
  }

  /** Makes the table of types that of a configuration; says whether the class takes it. */
  static boolean table(Configuration conf) {
    try {
      ResourceUtils.resetResourceTypes(conf);
      return true;
    } catch (RuntimeException e) {
      return false;
    }
  }
}
