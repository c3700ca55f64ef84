package golden;

import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;

/** Writes vectors: kind, first seed, number of runs, nodes, events a run, file. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    try {
      write(args);
      System.exit(0);
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void write(String[] args) throws Exception {
    if (args.length != 6) {
      System.err.println("usage: KIND SEED RUNS NODES EVENTS FILE.jsonl.gz; "
          + "kinds: fair, preempt, continuous, reload, fair_wide, fair_wide_gpu, fair_resize, fair_resize_gpu, fair_mixed, fair_mixed_gpu, fair_mixed_resize, fair_odd, fair_odd_gpu, fair_rare, fair_rare_gpu, fair_rare_four, fair_keys, fair_numbers, fair_numbers_gpu, fair_all, fair_all_gpu, fair_all_four, fair_named, fair_named_gpu, fair_plans, fair_storm, fair_storm_gpu, capacity_storm, capacity_storm_gpu, fifo_storm, fair_strange, fair_strange_gpu, capacity_strange, capacity_strange_gpu, fifo_strange, capacity, capacity_wide, capacity_wide_gpu, capacity_resize, capacity_resize_gpu, capacity_mixed, capacity_mixed_gpu, capacity_mixed_resize, capacity_drain, capacity_odd, capacity_odd_gpu, capacity_rare, capacity_rare_gpu, capacity_rare_four, capacity_keys, capacity_numbers, capacity_numbers_gpu, capacity_all, capacity_all_gpu, capacity_all_four, capacity_named, capacity_named_gpu, capacity_unlimited, capacity_unlimited_gpu, capacity_preempt, capacity_preempt_gpu, capacity_preempt_wide, capacity_preempt_wide_gpu, capacity_preempt_default, fifo, fifo_wide, fifo_resize, fifo_mixed, fifo_odd, fifo_rare, fifo_keys, fifo_all, fifo_named, amrm_client, amrm_odd, alloc_file, alloc_edges, alloc_plans, placement, placement_edges, capacity_conf, capacity_edges, resources, amounts (also with _gpu and _four), liveness, manager, manager_wide, manager_all, compute_shares, comparators (both also with _gpu and _four), site, hadoop_xml; NODES is the largest cluster");
      System.exit(2);
    }
    // The time since which the ResourceManager runs is that at which its class is first looked at: within the first comparison with the clock it would be later than that.
    ResourceManager.getClusterTimeStamp();
    Recorder.types(args[0].endsWith("_gpu") || args[0].endsWith("_four"), args[0].endsWith("_four"));
    Recorder.install();
    DefaultMetricsSystem.setMiniClusterMode(true);
    long seed = Long.parseLong(args[1]);
    int runs = Integer.parseInt(args[2]);
    int nodes = Integer.parseInt(args[3]);
    int events = Integer.parseInt(args[4]);
    File dir = Files.createTempDirectory("golden").toFile();
    try (Writer w = new OutputStreamWriter(new GZIPOutputStream(new FileOutputStream(args[5])), StandardCharsets.UTF_8)) {
      for (int i = 0; i < runs; i++) {
        Runs.one(args[0], seed + i, nodes, events, dir, w);
        DefaultMetricsSystem.shutdown();
      }
    } finally {
      for (File f : dir.listFiles()) {
        f.delete();
      }
      dir.delete();
    }
  }
}
