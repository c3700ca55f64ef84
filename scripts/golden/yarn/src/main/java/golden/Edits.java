package golden;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Changes of a text of XML as hands and programs make them: some leave it well formed, some do not. */
final class Edits {
  private static final String[] PARTS = {"<!-- c -->", "<?p q?>", "<?p?>", "&#32;", "&amp;", "&", "&nope;", "]]>", "<!-- a -- b -->", "\u0001", "<a", "&#0;", "<b c=d/>", "<?xml version=\"1.0\"?>", "\ufffe", "<a:b/>", "</x>",
      "<b c='1' c='2'/>", "<b c='<'/>", "<1/>", "\u00a0", "&lt;", "< b/>", "<![CDATA[ ]] > ]]>", "<![cdata[x]]>", "<![CDATA[]]>", "<queue/>", "<queue name=''/>", "<queue name=\"a\"/>", "<pool name=\"root\"/>",
      "<queue name=\"default\"><weight>2</weight></queue>", "<user/>", "<user name=\"u1\"><maxRunningApps>3</maxRunningApps></user>", "<weight>-0</weight>", "<maxRunningApps> 7 </maxRunningApps>", "<allocations/>",
      "<maxResources>150%</maxResources>", "<minResources>-1 mb, 1 vcores</minResources>", "<maxResources>50% memory, 200% cpu</maxResources>", "<schedulingPolicy/>", "<weight>1e400</weight>", "\r", "\ufeff"};
  private static final Pattern NAME = Pattern.compile(" name=\"([^\"]*)\"");
  private static final Pattern ELEMENT = Pattern.compile("<(\\w+)>[^<]*</\\1>");

  private final Random rnd;

  Edits(Random rnd) {
    this.rnd = rnd;
  }

  private String pick(String... of) {
    return of[rnd.nextInt(of.length)];
  }

  /** A text with one or two changes. */
  String of(String xml) {
    for (int i = 1 + rnd.nextInt(2); i > 0; i--) {
      xml = edit(xml);
    }
    return xml;
  }

  private String edit(String xml) {
    int at = rnd.nextInt(xml.length() + 1);
    switch (rnd.nextInt(10)) {
      case 0: { // an attribute written otherwise
        String name = pick("a", "b", "root", "default", "");
        return any(NAME, xml, m -> pick(" name='" + m + "'", " name = \"" + m + "\"", "", " name=\" " + m + "\t\"", " name=\"" + m + "\" name=\"" + name + "\"", " Name=\"" + m + "\"", " x=\"1\" name=\"" + m + "\"", " x:name=\"" + m + "\"",
            " name=\"" + name + "\"", " name=\"&#97;" + m + "\"", " name=\"" + m + "\n\""), 1);
      }
      case 1: // an element again
        return any(ELEMENT, xml, m -> m + m, 0);
      case 2: // its text in pieces
        return any(ELEMENT, xml, m -> m.replaceFirst(">", pick("><!-- c -->", "><![CDATA[]]>", "><?p?>", ">&#32;", ">&#49;", ">\n", "><![CDATA[1]]>")), 0);
      case 3: // or less of it
        return any(ELEMENT, xml, m -> pick("", m.replaceFirst(">[^<]*<", "><"), m.replaceFirst(">[^<]*<", "> <"), m.toUpperCase(), m.replaceFirst("</\\w+", "</X")), 0);
      case 4: // another beginning
        return pick("", "\n", "\ufeff", "<!-- c -->", "<?xml version='1.1'?>", "<?xml version=\"1.0\" standalone='yes'?>", "<?xml version=\"1.0\" encoding='us-ascii'?>", "<?xml encoding='UTF-8'?>")
            + xml.replaceFirst("^<\\?xml[^>]*>\\s*", "");
      case 5: // another end
        return xml + pick("\n", "<!-- c -->", "<x/>", "text", "<?p?>", "\u0000", "</allocations>");
      default: // something between two characters, most often between elements
        if (rnd.nextInt(4) > 0) {
          List<Integer> all = new ArrayList<>();
          for (int i = 0; i < xml.length() - 1; i++) {
            if (xml.charAt(i) == '>' && xml.charAt(i + 1) == '<') {
              all.add(i + 1);
            }
          }
          at = all.isEmpty() ? at : all.get(rnd.nextInt(all.size()));
        }
        return xml.substring(0, at) + pick(PARTS) + xml.substring(at);
    }
  }

  /** One of the matches replaced by what is made of one of its groups. */
  private String any(Pattern p, String xml, java.util.function.UnaryOperator<String> to, int group) {
    List<int[]> all = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (Matcher m = p.matcher(xml); m.find();) {
      all.add(new int[] {m.start(), m.end()});
      texts.add(m.group(group));
    }
    if (all.isEmpty()) {
      return xml;
    }
    int i = rnd.nextInt(all.size());
    return xml.substring(0, all.get(i)[0]) + to.apply(texts.get(i)) + xml.substring(all.get(i)[1]);
  }
}
