package golden;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** What Configuration reads out of the text of a few files, one after the other: each key with its value, or that a file is refused. */
final class XmlCase {
  private static final String[] NAMES = {"a", "b", "c.d", "c.d", "e", "env.NOT_SET", "long.name-1", "a b", "été", "yarn.x"};
  private static final String[] BROKEN = {"&", "&nope;", "]]>", "<!-- a -- b -->", "\u0001", "<a", "&#0;", "&#x41;", "<b c=d/>", "<?xml version=\"1.0\"?>", "\ufffe", "<a:b/>", "</x>", "<b c='1' c='2'/>", "'", "\"", "<b c='<'/>",
      "<1/>", "<!-- c -->", "<?p?>", "\u00a0", "<b xmlns='u'/>", "&lt", "<b\n/>", "< b/>", "<b / >", "<![CDATA[ ]] > ]]>", "<![cdata[x]]>"};

  private final Random rnd;

  XmlCase(long seed) {
    rnd = new Random(seed);
  }

  private boolean percent(int p) {
    return rnd.nextInt(100) < p;
  }

  private String pick(String... of) {
    return of[rnd.nextInt(of.length)];
  }

  private String space() {
    return pick("", "", "", " ", "\n  ", "\t", "\r\n");
  }

  private String reference() {
    return pick("${" + pick(NAMES) + "}", "${" + pick(NAMES) + "}", "${env.NOT_SET" + pick("", "-x", ":-x", "-", ":-", "-${a}", ":-${b}", "-a-b") + "}", "${}", "${ a}", "${a", "$${a}", "${${a}}",
        "${no.such}", "$a", "{a}", "${a$}", "${env.}", "${env.-x}", "${a}}", "\\${a}", "${env.NOT_SET:x}", "${\t" + pick(NAMES) + "\n}", "${env.NOT_SET-x\t}");
  }

  private String value() {
    StringBuilder b = new StringBuilder();
    for (int i = percent(10) ? 0 : 1 + rnd.nextInt(3); i > 0; i--) {
      b.append(percent(45) ? reference() : pick("1", "x", " ", "true", "5%", "&lt;", "&amp;", "&#65;", "&quot;", "a,b", "-1", "\n", "\t", "\r\n", "😀"));
    }
    return b.toString();
  }

  /** Text of an element in one of the forms that XML has. */
  private String inside(String text) {
    switch (rnd.nextInt(16)) {
      case 0:
        return "<![CDATA[" + text.replace("&", "+") + "]]>";
      case 1:
        return text + "<!-- c -->" + pick("", "7");
      case 2:
        return pick("<i>", "<i/><i>") + text + "</i>" + pick("", "z");
      case 3:
        return "<?p q?>" + text;
      case 4:
        return text + "<![CDATA[" + pick("", "y", "<") + "]]>";
      default:
        return text;
    }
  }

  private String element(String tag, String text) {
    if (text.isEmpty() && percent(50)) {
      return "<" + tag + "/>";
    }
    return "<" + tag + ">" + inside(text) + "</" + tag + ">";
  }

  private String property() {
    List<String> parts = new ArrayList<>();
    StringBuilder attributes = new StringBuilder();
    String name = pick(NAMES);
    String value = value();
    boolean brief = percent(15);
    if (brief || percent(4)) {
      attributes.append(" name=").append(quoted(name));
    }
    if (brief ? percent(85) : percent(4)) {
      attributes.append(" value=").append(quoted(percent(15) ? "" : value));
    }
    if (percent(8)) {
      attributes.append(" final=").append(quoted(pick("true", "false", " true", "TRUE")));
    }
    if (!brief && percent(96)) {
      parts.add(element("name", percent(97) ? space() + name + space() : pick("", " ")));
    }
    if (!brief && percent(94) || brief && percent(10)) {
      parts.add(element("value", percent(20) ? space() + value + space() : value));
    }
    if (percent(25)) {
      parts.add(element("final", pick("true", "true", "false", " true ", "TRUE", "", "yes")));
    }
    if (percent(20)) {
      parts.add(element(pick("description", "source", "tag", "other"), pick("d", "", "${a}", "YARN")));
    }
    if (percent(3)) {
      parts.add(element(pick("name", "value"), pick("twice", "a", "")));
    }
    java.util.Collections.shuffle(parts, rnd);
    StringBuilder b = new StringBuilder("<property").append(attributes);
    if (parts.isEmpty() && percent(60)) {
      return b.append("/>").toString();
    }
    b.append('>');
    parts.forEach(p -> b.append(space()).append(percent(2) ? "text" : "").append(p));
    return b.append(space()).append("</property>").toString();
  }

  private static String quoted(String text) {
    return "\"" + text + "\"";
  }

  private String include(int depth) {
    String href = pick("g.xml", "g.xml", "h.xml", "none.xml", "none.xml");
    StringBuilder b = new StringBuilder("<xi:include").append(percent(98) ? " xmlns:xi=\"http://www.w3.org/2001/XInclude\"" : percent(50) ? " xmlns=\"u\" xmlns:x=\"u\"" : "");
    if (percent(95)) {
      b.append(" href=").append(quoted(href));
    }
    if (percent(href.equals("none.xml") ? 15 : 60)) {
      return b.append("/>").toString();
    }
    return b.append('>').append(percent(90) ? "<xi:fallback>" + body(depth + 1) + "</xi:fallback>" : property()).append("</xi:include>").toString();
  }

  private String body(int depth) {
    StringBuilder b = new StringBuilder();
    for (int i = rnd.nextInt(depth == 0 ? 7 : 3); i > 0; i--) {
      b.append(space());
      int dice = rnd.nextInt(40);
      if (dice == 0 && depth < 3) {
        b.append("<configuration>").append(body(depth + 1)).append("</configuration>");
      } else if (dice == 1 && depth < 3) {
        b.append("<other>").append(body(depth + 1)).append("</other>");
      } else if (dice == 2) {
        b.append(pick("text", "<!-- <property/> -->", "<![CDATA[x]]>", "<name>a</name>", "<value>v</value>"));
      } else if (dice <= 5 && depth < 3) {
        b.append(include(depth));
      } else {
        b.append(property());
      }
    }
    return b.append(space()).toString();
  }

  private String file() {
    String text = pick("", "<?xml version=\"1.0\"?>", "<?xml version=\"1.1\"?>", "<?xml version='1.0' standalone='yes' ?>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- c -->\n", "<?xml  version = '1.0'  encoding='utf-8' standalone=\"no\" ?>", "<?xml version=\"1.1\"?>", "\n", "<?xml-stylesheet type=\"text/xsl\" href=\"configuration.xsl\"?>")
        + "<configuration>" + body(0) + "</configuration>" + pick("", "\n", "<!-- c -->");
    int at = rnd.nextInt(text.length());
    return percent(1) ? text.substring(0, text.length() - 1 - rnd.nextInt(8)) : percent(1) ? text + "<x/>" : percent(9) ? text.substring(0, at) + pick(BROKEN) + text.substring(at) : text;
  }

  String play(long id, File dir) throws Exception {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", id);
    out.put("kind", "hadoop_xml");
    Map<String, String> included = new TreeMap<>();
    included.put("g.xml", file());
    included.put("h.xml", file());
    List<String> files = new ArrayList<>();
    for (int i = 1 + rnd.nextInt(3); i > 0; i--) {
      files.add(file());
    }
    for (Map.Entry<String, String> e : included.entrySet()) {
      Files.write(new File(dir, e.getKey()).toPath(), e.getValue().getBytes(StandardCharsets.UTF_8));
    }
    Configuration conf = new Configuration(false);
    for (int i = 0; i < files.size(); i++) {
      File f = new File(dir, "f" + i + ".xml");
      Files.write(f.toPath(), files.get(i).getBytes(StandardCharsets.UTF_8));
      conf.addResource(new Path(f.toURI()));
    }
    out.put("files", files);
    out.put("included", included);
    try {
      Map<String, Object> values = new TreeMap<>();
      for (Map.Entry<String, String> e : conf) {
        values.put(e.getKey(), conf.get(e.getKey()));
      }
      values.remove(""); // nothing asks for it
      out.put("values", values);
    } catch (Exception | StackOverflowError x) {
      out.put("refused", x.getClass().getSimpleName() + ": " + x.getMessage());
      System.gc(); // Configuration leaves the file open
    }
    return Cases.JSON.writeValueAsString(out);
  }
}
