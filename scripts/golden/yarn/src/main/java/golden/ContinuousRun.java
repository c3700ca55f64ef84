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
    site.put("yarn.scheduler.fair.continuous-scheduling-enabled", true);
    site.put("yarn.scheduler.fair.locality-delay-node-ms", pick(-1, 0, 500, 3000));
    site.put("yarn.scheduler.fair.locality-delay-rack-ms", pick(-1, 0, 500, 3000));
  }

  @Override
  void more() throws Exception {
    while (percent(60)) {
      Map<String, Object> e = event("cs");
      emit(e, () -> call(fair, "continuousSchedulingAttempt"));
      if (percent(50)) {
        clock(pick(5, 100, 500, 1000));
      }
    }
  }
}
