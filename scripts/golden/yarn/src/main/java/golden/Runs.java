package golden;

import java.io.File;
import java.io.Writer;
import java.util.List;
import java.util.Random;

/** Makes one run of a kind. */
final class Runs {
  private Runs() {}

  private static <T extends Run> T odd(T run) {
    run.odd = true;
    return run;
  }

  private static <T extends Run> T rare(T run) {
    run.rare = true;
    return run;
  }

  private static <T extends Run> T keyed(T run) {
    run.keys = true;
    return run;
  }

  /** A run in which masters and nodes speak of numbers that only the scheduler knows. */
  private static <T extends Run> T numbered(T run) {
    run.resizes.numbers = true;
    return odd(run);
  }

  /** A run in which any of what the other kinds do alone may meet: the seed says what. */
  private static <T extends Run> T met(T run, long seed) {
    Random draw = new Random(seed * 131 + 7);
    run.rare = true;
    run.odd = draw.nextBoolean();
    run.keys = draw.nextBoolean();
    run.crowd = draw.nextInt(3) == 0 ? 20 : draw.nextInt(3) == 0 ? 6 : 0;
    return run;
  }

  /** The same with asks that no client makes, on unlike nodes, many in one millisecond. */
  private static <T extends Run> T stormy(T run, long seed) {
    run.storm = true;
    return met(run, seed);
  }

  /** The same with the settings that no other kind draws. */
  private static <T extends Run> T named(T run, long seed) {
    run.named = true;
    run.site.put("yarn.scheduler.include-port-in-node-name", seed % 4 != 0);
    Sizes.units(run);
    return met(run, seed);
  }

  /** The same with clients and nodes that do not know the cluster. */
  private static <T extends Run> T strange(T run, long seed) {
    run.strange = new Strange(run);
    return met(run, seed);
  }

  /** A run of the CapacityScheduler in which it preempts. */
  private static CapacityRun preempting(CapacityRun run, boolean defaults) {
    run.preempting = new Preempting(run, defaults);
    return run;
  }

  private static boolean bit(long seed, int i) {
    return (new Random(seed * 977).nextInt() >> i & 1) == 1;
  }

  static void one(String kind, long seed, int maxNodes, int events, File dir, Writer w) throws Exception {
    int hosts = maxNodes > 20 ? maxNodes : 1 + new Random(seed * 31).nextInt(maxNodes);
    String name = kind + "-" + seed;
    List<String> lines;
    Cases cases = new Cases(seed, dir);
    switch (kind) {
      case "fair":
      case "preempt":
        lines = new FairRun(seed, kind.equals("preempt")).play(name, hosts, events, dir);
        break;
      case "continuous":
        lines = new ContinuousRun(seed).play(name, hosts, events, dir);
        break;
      case "reload":
        lines = new ReloadRun(seed, false).play(name, hosts, events, dir);
        break;
      case "fair_wide":
      case "fair_wide_gpu":
        lines = new WideFairRun(seed, false, false).play(name, hosts, events, dir);
        break;
      case "fair_resize":
      case "fair_resize_gpu":
        lines = new WideFairRun(seed, true, false).play(name, hosts, events, dir);
        break;
      case "fair_mixed":
      case "fair_mixed_gpu":
        lines = new WideFairRun(seed, false, true).play(name, hosts, events, dir);
        break;
      case "fair_mixed_resize":
        lines = new WideFairRun(seed, true, true).play(name, hosts, events, dir);
        break;
      case "fair_odd":
      case "fair_odd_gpu":
        lines = odd(new WideFairRun(seed, false, false)).play(name, hosts, events, dir);
        break;
      case "fair_rare":
      case "fair_rare_gpu":
      case "fair_rare_four":
        lines = rare(new WideFairRun(seed, false, seed % 3 == 0)).play(name, hosts, events, dir);
        break;
      case "capacity_rare":
      case "capacity_rare_gpu":
      case "capacity_rare_four":
        lines = new RareCapacityRun(seed, seed % 4 == 0 && !kind.endsWith("_four"), false).play(name, hosts, events);
        break;
      case "fifo_rare":
        lines = rare(new FifoRun(seed, true, false, seed % 2 == 0)).play(name, hosts, events);
        break;
      case "fair_keys":
        lines = keyed(rare(new WideFairRun(seed, seed % 3 == 1, false))).play(name, hosts, events, dir);
        break;
      case "capacity_keys":
        lines = keyed(new RareCapacityRun(seed, seed % 3 == 1, false)).play(name, hosts, events);
        break;
      case "fair_numbers":
      case "fair_numbers_gpu":
        lines = numbered(new WideFairRun(seed, true, seed % 3 == 0)).play(name, hosts, events, dir);
        break;
      case "capacity_numbers":
      case "capacity_numbers_gpu":
        lines = numbered(new MixedCapacityRun(seed, true, seed % 3 == 0)).play(name, hosts, events);
        break;
      case "fifo_keys":
        lines = keyed(rare(new FifoRun(seed, true, false, false))).play(name, hosts, events);
        break;
      case "fair_all":
      case "fair_all_gpu":
      case "fair_all_four":
        lines = met(new WideFairRun(seed, bit(seed, 0) && !kind.endsWith("_four"), bit(seed, 1)), seed).play(name, hosts, events, dir);
        break;
      case "capacity_all":
      case "capacity_all_gpu":
      case "capacity_all_four":
        lines = met(new RareCapacityRun(seed, bit(seed, 0) && !kind.endsWith("_four"), bit(seed, 1)), seed).play(name, hosts, events);
        break;
      case "capacity_unlimited":
      case "capacity_unlimited_gpu":
        RareCapacityRun most = new RareCapacityRun(seed, bit(seed, 0), bit(seed, 1));
        most.unlimited = true;
        lines = met(most, seed).play(name, hosts, events);
        break;
      case "fifo_all":
        lines = met(new FifoRun(seed, true, bit(seed, 0), bit(seed, 1)), seed).play(name, hosts, events);
        break;
      case "fair_storm":
      case "fair_storm_gpu":
        lines = stormy(new WideFairRun(seed, bit(seed, 0), bit(seed, 1)), seed).play(name, hosts, events, dir);
        break;
      case "capacity_storm":
      case "capacity_storm_gpu":
        lines = stormy(new RareCapacityRun(seed, bit(seed, 0), bit(seed, 1)), seed).play(name, hosts, events);
        break;
      case "fifo_storm":
        lines = stormy(new FifoRun(seed, true, bit(seed, 0), bit(seed, 1)), seed).play(name, hosts, events);
        break;
      case "fair_strange":
      case "fair_strange_gpu":
        lines = strange(new WideFairRun(seed, bit(seed, 0), bit(seed, 1)), seed).play(name, hosts, events, dir);
        break;
      case "capacity_strange":
      case "capacity_strange_gpu":
        lines = strange(new RareCapacityRun(seed, bit(seed, 0), bit(seed, 1)), seed).play(name, hosts, events);
        break;
      case "fifo_strange":
        lines = strange(new FifoRun(seed, true, bit(seed, 0), bit(seed, 1)), seed).play(name, hosts, events);
        break;
      case "fair_plans":
        WideFairRun plans = new WideFairRun(seed, bit(seed, 0), bit(seed, 1));
        plans.plans = true;
        lines = met(plans, seed).play(name, hosts, events, dir);
        break;
      case "fair_named":
      case "fair_named_gpu":
        lines = named(new WideFairRun(seed, bit(seed, 0), bit(seed, 1)), seed).play(name, hosts, events, dir);
        break;
      case "capacity_named":
      case "capacity_named_gpu":
        lines = named(new RareCapacityRun(seed, bit(seed, 0), bit(seed, 1)), seed).play(name, hosts, events);
        break;
      case "fifo_named":
        lines = named(new FifoRun(seed, true, bit(seed, 0), bit(seed, 1)), seed).play(name, hosts, events);
        break;
      case "capacity_odd":
      case "capacity_odd_gpu":
        lines = odd(new WideCapacityRun(seed, false)).play(name, hosts, events);
        break;
      case "fifo_odd":
        lines = odd(new FifoRun(seed, true, false, false)).play(name, hosts, events);
        break;
      case "capacity_wide":
      case "capacity_wide_gpu":
        lines = new WideCapacityRun(seed, false).play(name, hosts, events);
        break;
      case "capacity_preempt":
      case "capacity_preempt_gpu":
        lines = preempting(new CapacityRun(seed), false).play(name, hosts, events);
        break;
      case "capacity_preempt_wide":
      case "capacity_preempt_wide_gpu":
        lines = preempting(new MixedCapacityRun(seed, bit(seed, 0) && bit(seed, 1), bit(seed, 2)), false).play(name, hosts, events);
        break;
      case "capacity_preempt_default":
        lines = preempting(seed % 4 == 0 ? new WideCapacityRun(seed, false) : new CapacityRun(seed), true).play(name, hosts, events);
        break;
      case "capacity_resize":
      case "capacity_resize_gpu":
        lines = new WideCapacityRun(seed, true).play(name, hosts, events);
        break;
      case "capacity_mixed":
      case "capacity_mixed_gpu":
        lines = new MixedCapacityRun(seed, false, false).play(name, hosts, events);
        break;
      case "capacity_mixed_resize":
        lines = new MixedCapacityRun(seed, true, false).play(name, hosts, events);
        break;
      case "capacity_drain":
        lines = new MixedCapacityRun(seed, false, true).play(name, hosts, events);
        break;
      case "fifo_mixed":
        lines = new FifoRun(seed, true, false, true).play(name, hosts, events);
        break;
      case "fifo_wide":
      case "fifo_resize":
        lines = new FifoRun(seed, true, kind.equals("fifo_resize"), false).play(name, hosts, events);
        break;
      case "amrm_client":
      case "amrm_odd":
        lines = List.of(new ClientCase(seed, kind.equals("amrm_odd")).play(seed, events));
        break;
      case "capacity":
        lines = new CapacityRun(seed).play(name, hosts, events);
        break;
      case "fifo":
        lines = new FifoRun(seed, false, false, false).play(name, hosts, events);
        break;
      case "alloc_file":
        lines = List.of(cases.allocFile(seed, false, false));
        break;
      case "alloc_plans":
        lines = List.of(cases.allocFile(seed, false, true));
        break;
      case "alloc_edges":
        lines = List.of(cases.allocFile(seed, true, false));
        break;
      case "placement":
      case "placement_edges":
        lines = List.of(cases.placement(seed, kind.equals("placement_edges")));
        break;
      case "capacity_conf":
        lines = List.of(cases.capacityConf(seed, false));
        break;
      case "capacity_edges":
        lines = List.of(cases.capacityConf(seed, true));
        break;
      case "hadoop_xml":
        lines = List.of(new XmlCase(seed).play(seed, dir));
        break;
      case "site":
        lines = List.of(new SiteCase(seed).play(seed));
        break;
      case "compute_shares":
      case "compute_shares_gpu":
      case "compute_shares_four":
        lines = List.of(new ShareCase(seed).shares());
        break;
      case "comparators":
      case "comparators_gpu":
      case "comparators_four":
        lines = List.of(new ShareCase(seed).order());
        break;
      case "manager":
        lines = new ManagerRun(seed, false, false).play(name, hosts, events, dir);
        break;
      case "manager_wide":
        lines = new ManagerRun(seed, true, false).play(name, hosts, events, dir);
        break;
      case "manager_all":
        lines = new ManagerRun(seed, true, true).play(name, hosts, events, dir);
        break;
      case "liveness":
        lines = List.of(new LivenessCase(seed).play());
        break;
      case "amounts":
      case "amounts_gpu":
      case "amounts_four":
        lines = List.of(new AmountCase(seed).play());
        break;
      case "resources":
        lines = List.of(cases.resource(seed));
        break;
      default:
        throw new IllegalArgumentException("unknown kind " + kind);
    }
    for (String l : lines) {
      w.write(l);
      w.write('\n');
    }
  }
}
