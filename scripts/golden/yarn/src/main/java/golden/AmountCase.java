package golden;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.ConfigurableResource;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairSchedulerConfiguration;
import org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator;
import org.apache.hadoop.yarn.util.resource.DominantResourceCalculator;

/** Amounts of any number of types: texts of them, sizes of containers brought into limits and steps, and the steps that a configuration says. */
final class AmountCase {
  private static final long[] SOME = {0, 0, 1, 1, 2, 3, 5, 7, 100, 255, 256, 257, 500, 511, 512, 513, 1000, 1023, 1024, 1025, 1500, 3000, 4096, 8191, 8192, 100_000, Integer.MAX_VALUE, 1L << 31, Long.MAX_VALUE / 2, Long.MAX_VALUE};

  private final Random rnd;
  private final Map<String, Object> out = new LinkedHashMap<>();

  AmountCase(long seed) {
    rnd = new Random(seed);
    out.put("id", seed);
  }

  private String pick(String... of) {
    return of[rnd.nextInt(of.length)];
  }

  private boolean percent(int p) {
    return rnd.nextInt(100) < p;
  }

  private static void add(Map<String, Object> to, String name, Resource r) {
    List<Object> row = new ArrayList<>();
    Recorder.size(row, r);
    to.put(name, row);
  }

  String play() throws Exception {
    out.put("kind", pick("parse", "normalize", "normalize", "increment"));
    out.put("types", Recorder.names());
    switch ((String) out.get("kind")) {
      case "parse":
        parse();
        break;
      case "normalize":
        normalize();
        break;
      default:
        increment();
    }
    return Cases.JSON.writeValueAsString(out);
  }

  // ---- texts

  private String text() {
    List<String> parts = new ArrayList<>();
    boolean shares = percent(50);
    for (String name : Recorder.names()) {
      if (percent(85)) {
        String n = pick("0", "1", "10", "33.3", "100", "150", "2147483647", "9223372036854775807", "-1", "1.5", "", "x", "5k");
        boolean share = percent(95) == shares;
        parts.add(pick(name, name, name, name, name.toUpperCase(), " " + name, "gpu") + pick("=", "=", " = ", "==", "") + (percent(80) ? pick("1", "20", "4096") : n) + (share ? pick("%", "%", " %") : ""));
      }
    }
    java.util.Collections.shuffle(parts, rnd);
    return pick("", "", " ") + String.join(pick(",", ", ", " , ", ";"), parts) + pick("", "", ",", " ");
  }

  private void parse() throws Exception {
    String in = percent(75) ? text() : new Texts(rnd).resource();
    long missing = rnd.nextBoolean() ? 0 : Long.MAX_VALUE;
    out.put("in", in);
    out.put("missing", missing);
    try {
      ConfigurableResource r = FairSchedulerConfiguration.parseResourceConfigValue(in, missing);
      if (r.getPercentages() == null) {
        add(out, "res", r.getResource());
        return;
      }
      out.put("pct", r.getPercentages());
      Resource cluster = Recorder.resource(1_000_003, 997, 61);
      add(out, "cluster", cluster);
      add(out, "of_cluster", r.getResource(cluster));
    } catch (Exception x) {
      out.put("err", x.getMessage());
    }
  }

  // ---- limits and steps

  private long some(boolean cores) {
    long n = SOME[rnd.nextInt(percent(90) ? SOME.length - 4 : SOME.length)];
    if (percent(10)) {
      n = rnd.nextInt(20_000);
    }
    return cores ? Math.min(n, percent(70) ? n % 64 : Integer.MAX_VALUE) : n;
  }

  private Resource amounts(boolean steps) {
    long mem = some(false);
    int cores = (int) some(true);
    long gpu = some(true);
    if (steps && percent(85)) {
      mem = Math.max(mem, 1);
      cores = Math.max(cores, 1);
      gpu = Math.max(gpu, 1);
    }
    return Recorder.resource(mem, cores, gpu);
  }

  private void normalize() {
    boolean dominant = percent(70);
    out.put("calculator", dominant ? "dominant" : "default");
    Resource ask = amounts(false);
    Resource min = amounts(false);
    Resource max = amounts(false);
    Resource inc = amounts(true);
    add(out, "ask", ask);
    add(out, "min", min);
    add(out, "max", max);
    add(out, "inc", inc);
    try {
      add(out, "res", SchedulerUtils.getNormalizedResource(ask, dominant ? new DominantResourceCalculator() : new DefaultResourceCalculator(), min, max, inc));
    } catch (RuntimeException x) {
      out.put("err", x.getClass().getSimpleName());
    }
  }

  // ---- steps of a configuration

  private void increment() {
    Map<String, Object> site = new TreeMap<>();
    if (percent(50)) {
      site.put("yarn.scheduler.increment-allocation-mb", pick("1", "0", "300", "1024", "-1", "2147483647", " 512 ", "0x10"));
    }
    if (percent(50)) {
      site.put("yarn.scheduler.increment-allocation-vcores", pick("1", "0", "2", "4", "-1"));
    }
    for (String name : Recorder.names()) {
      if (percent(50)) {
        site.put("yarn.resource-types." + name + ".increment-allocation", pick("1", "3", "0", "2k", "1024", "1G", "1Gi", "500M", "1.5G", "-5", "x", "", " 7 ", "7 ", " 7", "8 Ki", "100000000Ki", "5000m", "999u", "1p", "3T", "2Ti", "1Pi", "1P", "9223372036854775807", "9223372036854775808",
            "1g", "1mb", "1 1", "007", "+1", "10n", "1Mi"));
      }
    }
    out.put("conf", site);
    Configuration conf = new Configuration(false);
    site.forEach((k, v) -> conf.set(k, v.toString()));
    try {
      add(out, "res", new FairSchedulerConfiguration(conf).getIncrementAllocation());
    } catch (RuntimeException x) {
      out.put("err", x.getClass().getSimpleName() + ": " + x.getMessage());
    }
  }
}
