package golden;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.QueueMetrics;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler;

/** A random run of the FifoScheduler. */
final class FifoRun extends Run {
  private FifoScheduler fifo;

  private final boolean mixed; // draining nodes and further attempts, too

  FifoRun(long seed, boolean wide, boolean resized, boolean mixed) {
    super(seed);
    this.mixed = drainedTotals = mixed;
    this.wide = wide;
    resizes = resized ? new Resizes(this, false) : null;
    // The FifoScheduler throws when it needs the row of a rack or of anywhere that was never sent.
    wholeTables = percent(80);
  }

  @Override
  List<String> queues() {
    return List.of("default");
  }

  List<String> play(String name, int hosts, int events) throws Exception {
    rackCount = 1 + rnd.nextInt(4);
    site.put("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", percent(70) ? -1 : 1000000000000000L);
    if (rare) {
      Sizes.draw(this, false);
      site.values().removeIf(v -> v.equals(0)); // it divides by the least memory
    }
    Configuration conf = conf(site);
    if (rare && !Sizes.table(conf)) {
      return List.of();
    }
    QueueMetrics.clearQueueMetrics();
    m = new Manager(conf);
    fifo = new FifoScheduler();
    s = fifo;
    fifo.setClock(m.clock);
    fifo.setConf(conf);
    m.context.setScheduler(fifo);
    fifo.setRMContext(m.context);
    try {
      fifo.init(conf);
    } catch (RuntimeException e) {
      if (rare) {
        return List.of();
      }
      throw e;
    }
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("run", name);
    head.put("scheduler", "fifo");
    head.put("start", Manager.START);
    head.put("nodes", hosts);
    head.put("per_app", true);
    head.put("preemption", false);
    if (rare) {
      head.put("sizes", true);
    }
    head.put("site", site);
    script(hosts, events);
    if (broken) {
      head.put("ends_with_error", true);
    }
    head.put("events", lines.size());
    lines.add(0, JSON.writeValueAsString(head));
    return lines;
  }

  @Override
  void more() throws Exception {
    if (mixed) {
      drainAndFail(true, true);
    }
  }

  @Override
  void state() throws Exception {
    Map<String, Object> e = event("state");
    emit(e, () -> e.put("q", Arrays.asList(
        fifo.getRootQueueMetrics().getAllocatedMB(), fifo.getRootQueueMetrics().getAllocatedVirtualCores())));
  }
}
