package golden;

import java.util.Map;

/** A random run of the FairScheduler with passes of continuous scheduling between the heartbeats, and delays by time. */
final class ContinuousRun extends FairRun {
  ContinuousRun(long seed) {
    super(seed, false);
  }

  @Override
  void configure() {
    super.configure();
    ReloadRun.sizes(this);
    enable(this);
  }

  static void enable(FairRun run) {
    run.site.put("yarn.scheduler.fair.continuous-scheduling-enabled", true);
    run.site.put("yarn.scheduler.fair.locality-delay-node-ms", run.pick(-1, 0, 500, 3000));
    run.site.put("yarn.scheduler.fair.locality-delay-rack-ms", run.pick(-1, 0, 500, 3000));
  }

  static void pass(FairRun run) throws Exception {
    Map<String, Object> e = run.event("cs");
    run.emit(e, () -> call(run.fair, "continuousSchedulingAttempt"));
  }

  @Override
  void more() throws Exception {
    while (percent(60)) {
      pass(this);
      if (percent(50)) {
        clock(pick(5, 100, 500, 1000));
      }
    }
  }
}
