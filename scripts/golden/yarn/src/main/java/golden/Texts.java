package golden;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random configuration texts, most of them valid, some not. */
final class Texts {
  static final String[] USERS = {"al", "bob", "cy", "dee", "bo.x", "Al", " eve "};
  static final String[] NAMES = {"a", "b", "ops", "dev", "g1", "g2", "al", "bob", "default", "users", "x.y", "A", "root"};

  private final Random rnd;
  final List<String> plans = new ArrayList<>(); // queues of the present file that reservations are for, and their parents
  boolean reserved; // files have such queues more often than others do

  Texts(Random rnd) {
    this.rnd = rnd;
  }

  boolean percent(int p) {
    return rnd.nextInt(100) < p;
  }

  String pick(String... of) {
    return of[rnd.nextInt(of.length)];
  }

  private String space() {
    return pick("", "", "", " ", "  ", "\t", "\n");
  }

  private String number() {
    if (percent(88)) {
      return String.valueOf(pick("0", "1", "5", "12", "100", "1024", "4096", "99999", "2147483647"));
    }
    return pick("-1", "-7", "2147483648", "9223372036854775807", "9223372036854775808", "1.5", "1e3", "x", "", " ", "0x10", "+5", "1_0", "1 0", "007", "٣");
  }

  private String decimal() {
    if (percent(85)) {
      return pick("0", "0.5", "1", "1.0", "2.5", "0.1", "10", "1e9", "0.30000001192", "3.4028236e38", "1e-50", "1e400");
    }
    return pick("-1", "-1.0", "-0.5", "NaN", "Infinity", "-Infinity", "0x1p3", "1f", "2d", ".5", "5.", "1e", "", "x", "inf", "1,5", "1_0", "--1");
  }

  private String unit(String u) {
    return pick("1", "5", "12", "1024", "4096", "100000", "1.5", "007", "", "-5", "1e3", "3000000000") + pick("", " ", "  ", "\t") + pick(u, u, u, u.toUpperCase(), "", u + "s", "x" + u);
  }

  /** A resource string in one of the three forms. */
  String resource() {
    switch (rnd.nextInt(8)) {
      case 0:
      case 1:
        return space() + unit("mb") + pick(", ", ",", " ", ",,", "") + unit("vcores") + space();
      case 2:
        return unit("vcores") + pick(", ", ",", " ") + unit("mb") + pick("", "", "", ",", ", 5 gpus");
      case 3:
        return space() + percentage() + space();
      case 4:
        return percentage() + pick("", " ") + pick("memory", "memory", "Memory", "cpu") + pick(",", ", ", " ") + percentage() + pick("", " ") + pick("cpu", "cpu", "CPU", "memory") + pick("", "", ",x");
      case 5:
        return "memory-mb" + space() + "=" + space() + number() + pick("", ",vcores=" + number(), " , vcores = " + number(), ",vcores=" + percentage(), ",");
      case 6:
        return "vcores=" + percentage() + pick("", ",memory-mb=" + percentage(), ", memory-mb=" + percentage(), ", gpu=5%");
      default:
        return pick("", " ", ",", "=", "%", "a=b=c", "=5", "memory=5,vcores=1", "Memory-Mb=1", "mb,vcores", "5", "5,6", "100%,", ",100%", "memory-mb=5;vcores=2", "vcores=1,vcores=2", "memory-mb=5,,vcores=1");
    }
  }

  private String percentage() {
    return pick("10", "50", "33.3", "100", "0", "150", "12.5", "99.999", "-5", "1.", ".5", "1e2", "") + pick("%", "%", "%", " %", "", "%%");
  }

  private String policy() {
    return percent(90) ? pick("fair", "drf", "fifo", "FAIR", "Drf") : pick("best", "", "FairSharePolicy", "org.example.Policy", "fair,drf");
  }

  private String name() {
    return percent(93) ? pick("a", "b", "c", "prod", "Prod", "default", "42", "x y", "été", "long_name-1", "😀")
        : pick("", " ", "a.b", "root", "Root", " ops ", "\u00a0z", "a&amp;b", ".");
  }

  String path() {
    String p = pick("root.", "root.", "") + name();
    for (int i = rnd.nextInt(3); i > 0; i--) {
      p += "." + pick(name(), "dyn", "d" + i, "");
    }
    if (reserved && !plans.isEmpty() && percent(80)) {
      p = plans.get(rnd.nextInt(plans.size()));
      String last = p.substring(p.lastIndexOf('.') + 1);
      return percent(60) ? p : percent(30) ? p.replaceFirst("^root\\.", "") : p + "." + pick(last, "x", "") + pick("-default", "-default", "");
    }
    return percent(5) ? pick("root", "default", "root.", "ROOT.a", "root.a..b", "") : p;
  }

  private void element(StringBuilder b, String tag, String value) {
    switch (rnd.nextInt(40)) {
      case 0:
        b.append('<').append(tag).append("/>");
        return;
      case 1:
        b.append('<').append(tag).append("><!-- c -->").append(escape(value)).append("</").append(tag).append('>');
        return;
      case 2:
        b.append('<').append(tag).append("><![CDATA[").append(value).append("]]></").append(tag).append('>');
        return;
      case 3:
        b.append('<').append(tag).append("><x/>").append(escape(value)).append("</").append(tag).append('>');
        return;
      case 4:
        b.append('<').append(tag).append(">").append(escape(value)).append("<!-- c -->7</").append(tag).append('>');
        return;
      default:
        b.append('<').append(tag).append('>').append(space()).append(escape(value)).append(space()).append("</").append(tag).append('>');
    }
  }

  private static String escape(String s) {
    return s.replace("&", "&amp;").replace("<", "&lt;");
  }

  private void queue(StringBuilder b, int depth) {
    queue(b, "root", depth);
  }

  private void queue(StringBuilder b, String above, int depth) {
    String tag = depth == 0 ? pick("queue", "queue", "queue", "pool") : pick("queue", "queue", "queue", "pool", "e", "ue", "eue");
    boolean parent = percent(12);
    String name = name();
    b.append('<').append(tag).append(" name=\"").append(name).append('"').append(parent ? " type=\"parent\"" : percent(3) ? " type=\"leaf\"" : "").append('>');
    int children = depth >= 3 ? 0 : percent(35) ? 1 + rnd.nextInt(3) : 0;
    String[] tags = {"minResources", "maxResources", "maxChildResources", "maxContainerAllocation", "maxRunningApps", "weight",
        "minSharePreemptionTimeout", "fairSharePreemptionTimeout", "fairSharePreemptionThreshold", "schedulingPolicy", "schedulingMode",
        "allowPreemptionFrom", "aclSubmitApps", "aclAdministerApps", "unknownThing", "maxAMShare", "reservation"};
    for (int i = rnd.nextInt(4); i > 0; i--) {
      String t = tags[rnd.nextInt(tags.length)];
      if ((t.equals("maxAMShare") || t.equals("reservation")) && (children > 0 || parent || t.equals("reservation")) && percent(85)) {
        continue;
      }
      field(b, t);
    }
    if (reserved && percent(children > 0 || parent ? 3 : 70)) {
      b.append("<reservation>").append(percent(50) ? "" : "true").append("</reservation>");
      plans.add(depth == 0 && name.equalsIgnoreCase("root") ? name : above + "." + name);
    }
    for (int i = 0; i < children; i++) {
      queue(b, above + "." + name, depth + 1);
    }
    b.append("</").append(tag).append('>');
  }

  private void field(StringBuilder b, String t) {
    switch (t) {
      case "minResources":
      case "maxResources":
      case "maxChildResources":
      case "maxContainerAllocation":
        element(b, t, percent(85) ? pick("memory-mb=" + (1 + rnd.nextInt(90000)) + ",vcores=" + rnd.nextInt(99), rnd.nextInt(90000) + " mb, " + rnd.nextInt(99) + " vcores", rnd.nextInt(150) + "%", "memory-mb=" + rnd.nextInt(90000)) : resource());
        break;
      case "schedulingPolicy":
      case "schedulingMode":
        element(b, t, policy());
        break;
      case "allowPreemptionFrom":
        element(b, t, pick("true", "false", "True", "yes", ""));
        break;
      case "weight":
      case "fairSharePreemptionThreshold":
      case "maxAMShare":
        element(b, t, decimal());
        break;
      case "aclSubmitApps":
      case "aclAdministerApps":
        element(b, t, pick("*", " ", "u1,u2 g1", "u1"));
        break;
      default:
        element(b, t, number());
    }
  }

  /** An allocation file. */
  String allocations() {
    StringBuilder b = new StringBuilder(percent(80) ? "<?xml version=\"1.0\"?>\n" : percent(50) ? "" : "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    if (percent(2)) {
      b.append("<!DOCTYPE a [<!ENTITY e \"x\">]>");
    }
    String root = percent(98) ? "allocations" : "allocation";
    b.append('<').append(root).append('>');
    String[] tags = {"queueMaxAppsDefault", "userMaxAppsDefault", "queueMaxResourcesDefault", "queueMaxAMShareDefault",
        "defaultFairSharePreemptionTimeout", "fairSharePreemptionTimeout", "defaultMinSharePreemptionTimeout",
        "defaultFairSharePreemptionThreshold", "defaultQueueSchedulingPolicy", "defaultQueueSchedulingMode", "user", "oddThing", "reservation-agent"};
    List<String> parts = new ArrayList<>();
    for (int i = rnd.nextInt(5); i > 0; i--) {
      StringBuilder p = new StringBuilder();
      String t = tags[rnd.nextInt(tags.length)];
      switch (t) {
        case "user":
          p.append("<user name=\"").append(pick("u1", "u2", "u3")).append("\">");
          element(p, "maxRunningApps", number());
          p.append("</user>");
          break;
        case "queueMaxResourcesDefault":
          field(p, "maxResources");
          p.replace(0, p.length(), p.toString().replace("maxResources", t));
          break;
        case "queueMaxAMShareDefault":
        case "defaultFairSharePreemptionThreshold":
          element(p, t, decimal());
          break;
        case "defaultQueueSchedulingPolicy":
        case "defaultQueueSchedulingMode":
          element(p, t, percent(80) ? pick("fair", "drf", "Fair") : policy());
          break;
        default:
          element(p, t, number());
      }
      parts.add(p.toString());
    }
    if (percent(25)) {
      StringBuilder p = new StringBuilder("<queue name=\"").append(pick("root", "root", "root", "Root", "ROOT", " root")).append("\">");
      field(p, pick("weight", "maxRunningApps", "schedulingPolicy", "maxResources", "minSharePreemptionTimeout"));
      for (int i = rnd.nextInt(3); i > 0; i--) {
        queue(p, 1);
      }
      parts.add(p.append("</queue>").toString());
    }
    if (percent(parts.toString().contains("oot\"") ? 4 : 90)) {
      for (int i = rnd.nextInt(4); i > 0; i--) {
        StringBuilder p = new StringBuilder();
        queue(p, 0);
        parts.add(p.toString());
      }
    }
    java.util.Collections.shuffle(parts, rnd);
    for (String p : parts) {
      b.append(p).append(space());
    }
    b.append("</").append(root).append('>');
    return percent(2) ? b.substring(0, b.length() - 1 - rnd.nextInt(5)) : b.toString();
  }

  // ---- placement

  private String rule(int depth) {
    String name = percent(96) ? pick("specified", "user", "primaryGroup", "secondaryGroupExistingQueue", "nestedUserQueue", "default", "reject")
        : pick("nosuch", "Default", "", "org.example.Rule");
    StringBuilder b = new StringBuilder("<").append(percent(95) ? "rule" : "Rule").append(" name=\"").append(name).append('"');
    String tag = b.substring(1, 5);
    if (percent(40)) {
      b.append(" create=\"").append(pick("true", "false", "", "TRUE", "no")).append('"');
    }
    if (name.equals("default") && percent(60)) {
      b.append(" queue=\"").append(pick("root.a", "b", "a.b", "root", "", "default", ".x", "x.", " a", "root.ops.al")).append('"');
    }
    boolean nest = name.equals("nestedUserQueue") ? percent(92) : percent(15);
    if (depth > 0 || !nest) {
      return b.append("/>").toString();
    }
    b.append('>').append(rule(1));
    if (percent(5)) {
      b.append(rule(1));
    }
    return b.append("</").append(tag).append('>').toString();
  }

  private void plain(StringBuilder b, int depth) {
    b.append("<queue name=\"").append(pick("a", "b", "ops", "dev", "al", "g1", "g2", "default", "A", "bob")).append('"').append(percent(40) ? " type=\"parent\"" : "").append('>');
    if (depth < 2 && percent(40)) {
      plain(b, depth + 1);
    }
    b.append("</queue>");
  }

  /** An allocation file with a placement policy. */
  String placement() {
    StringBuilder b = new StringBuilder("<?xml version=\"1.0\"?><allocations>");
    for (int i = rnd.nextInt(4); i > 0; i--) {
      plain(b, 0);
    }
    if (percent(85)) {
      b.append(percent(3) ? "<queuePlacementPolicy/>" : "<queuePlacementPolicy>");
      if (!b.toString().endsWith("/>")) {
        int n = percent(4) ? 0 : 1 + rnd.nextInt(4);
        for (int i = 0; i < n; i++) {
          String r = rule(0);
          // Most lists end with a rule that always answers and have none before.
          b.append(percent(75) && i < n - 1 && !r.contains("specified") && !r.contains("secondary") ? r.replaceFirst(" create=\"[^\"]*\"", "").replaceFirst("(name=\"[^\"]*\")", "$1 create=\"false\"") : r).append(space());
        }
        if (percent(65)) {
          b.append(pick("<rule name=\"default\"/>", "<rule name=\"reject\"/>", "<rule name=\"user\"/>"));
        }
        b.append("</queuePlacementPolicy>");
      }
    }
    return b.append("</allocations>").toString();
  }

  String submitted() {
    return pick("default", "default", "a", "root.a", "b", "root.b.x", "root.ops.al", "A", "root", "root.default", "DEFAULT", " a", "root.", "", "ROOT.a", "root.a..b", "al", "root.new.q", ".x", "x.");
  }

  // ---- CapacityScheduler

  private String share() {
    return percent(96) ? String.valueOf(rnd.nextInt(101)) : pick("50%", "x", "", "-1", "101", "1e1", "0.5", " 50", "100.0");
  }

  private void capacityQueues(Map<String, Object> site, String path, int depth, int mode) {
    String p = "yarn.scheduler.capacity.";
    int n = 1 + rnd.nextInt(3);
    List<String> names = new ArrayList<>();
    int left = 100;
    for (int i = 0; i < n; i++) {
      String name = pick("a", "b", "c", "d", "e") + i;
      names.add(percent(3) ? " " + name + " " : name);
      String q = p + path + "." + name + ".";
      int part = i == n - 1 ? left : rnd.nextInt(left + 1);
      left -= part;
      int own = percent(3) ? rnd.nextInt(3) : mode;
      String amount = "[memory=" + (1 + rnd.nextInt(8)) * 1024 + ",vcores=" + (1 + rnd.nextInt(8)) + "]";
      site.put(q + "capacity", percent(3) ? share() : own == 0 ? String.valueOf(part) : own == 1 ? rnd.nextInt(10) + "w"
          : percent(95) ? amount : pick("[memory=1Gi,vcores=2]", "[vcores=2]", "[memory=1024]", "[memory=50%,vcores=2w]", "[memory= 1024 , vcores = 2]", "[memory=x]", "[]"));
      if (percent(35)) {
        site.put(q + "maximum-capacity", own == 2 ? (percent(80) ? "[memory=" + (8 + rnd.nextInt(9)) * 1024 + ",vcores=" + (8 + rnd.nextInt(8)) + "]" : share()) : percent(94) ? String.valueOf(part + rnd.nextInt(101 - part)) : share());
      }
      String[] keys = {"maximum-am-resource-percent", "minimum-user-limit-percent", "user-limit-factor", "maximum-applications", "max-parallel-apps",
          "priority", "ordering-policy", "state", "maximum-allocation-mb", "maximum-allocation-vcores", "default-application-priority", "user-settings.u1.weight", "maximum-allocation"};
      boolean parent = depth < 3 && percent(35);
      for (int k = rnd.nextInt(4); k > 0; k--) {
        String key = keys[rnd.nextInt(keys.length)];
        String v;
        switch (key) {
          case "maximum-am-resource-percent":
            v = pick("0.05", "0.2", "0.5", "1", "2", "x", "0");
            break;
          case "ordering-policy":
            v = parent ? pick("utilization", "priority-utilization", "utilization", "best") : percent(95) ? pick("fifo", "fair", "fifo-with-partitions", " fair ", "fifo-for-pending-apps") : pick("best", "org.example.Policy", "");
            break;
          case "state":
            v = percent(95) ? pick("RUNNING", "RUNNING", "STOPPED", "running") : pick("PAUSED", "", "draining");
            break;
          case "user-limit-factor":
            v = pick("0.3", "1", "2.5", "100", "-1", "0", "x");
            break;
          case "maximum-allocation-mb":
            v = pick("2048", "4096", "8192", "8192", "999999", "0");
            break;
          case "maximum-allocation-vcores":
            v = pick("1", "2", "4", "4", "999");
            break;
          case "user-settings.u1.weight":
            v = pick("0.5", "1", "1.0", "3", "-1", "x");
            break;
          case "maximum-allocation":
            v = pick("memory-mb=4096,vcores=2", "memory-mb=2G,vcores=1", "vcores=9", "memory=5", "x", "memory-mb=1024", "memory-mb=2g ,vcores=2");
            break;
          default:
            v = pick("0", "1", "3", "29", "78", "100", "-1", "x", "5.5", "0x10");
        }
        if (!v.equals("x") || percent(15)) {
          site.put(q + key, v);
        }
      }
      if (parent) {
        capacityQueues(site, path + "." + name, depth + 1, percent(90) ? own : rnd.nextInt(3));
      }
    }
    site.put(p + path + ".queues", String.join(",", names));
  }

  /** Properties of a CapacityScheduler. */
  /** Sizes of containers, some of which a ResourceManager does not start with. */
  static void sizes(Random rnd, Map<String, Object> site) {
    String[] keys = {"yarn.scheduler.minimum-allocation-mb", "yarn.scheduler.maximum-allocation-mb", "yarn.scheduler.minimum-allocation-vcores",
        "yarn.scheduler.maximum-allocation-vcores", "yarn.scheduler.increment-allocation-mb", "yarn.scheduler.increment-allocation-vcores",
        "yarn.resource-types.memory-mb.increment-allocation", "yarn.resource-types.vcores.increment-allocation",
        "yarn.scheduler.reservation-threshold.increment-multiple", "yarn.scheduler.fair.max.assign"};
    String[] values = {"0", "1", "-1", "512", "4", "10000", "x", "1.5", " 2 ", "0x10", "", "99999999999"};
    for (int i = rnd.nextInt(3); i >= 0; i--) {
      site.put(keys[rnd.nextInt(keys.length)], values[rnd.nextInt(values.length)]);
    }
  }

  void capacity(Map<String, Object> site) {
    String p = "yarn.scheduler.capacity.";
    if (percent(25)) {
      site.put(p + "legacy-queue-mode.enabled", percent(20));
    }
    if (percent(35)) {
      site.put(p + "resource-calculator", "org.apache.hadoop.yarn.util.resource." + pick("DominantResourceCalculator", "DefaultResourceCalculator"));
    }
    if (percent(15)) {
      site.put(p + "maximum-applications", pick("5000", "10", "0", "x"));
    }
    if (percent(10)) {
      site.put(p + "global-queue-max-application", pick("20", "0", "-1"));
    }
    if (percent(15)) {
      site.put(p + "node-locality-delay", pick("-1", "0", "5", "40"));
    }
    if (percent(15)) {
      site.put(p + "user-limit-factor", pick("0.5", "3"));
    }
    if (percent(15)) {
      site.put(p + "minimum-user-limit-percent", pick("50", "25"));
    }
    if (percent(15)) {
      site.put(p + "maximum-am-resource-percent", pick("0.3", "1"));
    }
    if (percent(8)) {
      site.put(p + "root.capacity", pick("100", "50", "1w"));
    }
    if (percent(10)) {
      site.put(p + "root.maximum-capacity", pick("100", "80"));
    }
    if (percent(95)) {
      capacityQueues(site, "root", 1, rnd.nextInt(5) % 3);
    }
  }
}
