package golden;

/** A random run of the FairScheduler in which everything happens that happens in the other kinds, with values at the edge and beyond. */
class WideFairRun extends ReloadRun {
  private final boolean continuous;
  private final boolean mixed; // draining nodes and further attempts, too
  private boolean drains;
  private boolean fails;

  WideFairRun(long seed, boolean resized, boolean mixed) {
    super(seed, seed % 2 == 0);
    this.mixed = drainedTotals = mixed;
    wide = true;
    continuous = percent(50);
    resizes = resized ? new Resizes(this, false) : null;
    if (mixed) {
      drains = percent(70);
      fails = percent(60);
    }
  }

  @Override
  void configure() {
    super.configure();
    if (continuous) {
      ContinuousRun.enable(this);
    }
    if (Recorder.third) {
      site.put("yarn.resource-types", Recorder.configured());
    }
    if (percent(20)) {
      site.put("yarn.scheduler.fair.user-as-default-queue", percent(50));
    }
  }

  @Override
  void more() throws Exception {
    super.more();
    if (mixed) {
      drainAndFail(drains, fails);
    }
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
