package golden;

/** A random run of the FairScheduler in which everything happens that happens in the other kinds, with values at the edge and beyond. */
final class WideFairRun extends ReloadRun {
  private final boolean continuous;

  WideFairRun(long seed, boolean resized) {
    super(seed, seed % 2 == 0);
    wide = true;
    continuous = percent(50);
    resizes = resized ? new Resizes(this, false) : null;
  }

  @Override
  void configure() {
    super.configure();
    if (continuous) {
      ContinuousRun.enable(this);
    }
    if (Recorder.third) {
      site.put("yarn.resource-types", Recorder.GPU);
    }
    if (percent(20)) {
      site.put("yarn.scheduler.fair.user-as-default-queue", percent(50));
    }
  }

  @Override
  void more() throws Exception {
    super.more();
    if (continuous) {
      while (percent(40)) {
        ContinuousRun.pass(this);
        clock(pick(0, 5, 500, 3000));
      }
    }
    if (preemption && percent(40)) {
      preemptAndKill();
    }
  }
}
