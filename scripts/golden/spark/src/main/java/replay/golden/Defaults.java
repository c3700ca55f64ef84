package replay.golden;

import static replay.golden.Tools.between;
import static replay.golden.Tools.chance;
import static replay.golden.Tools.object;
import static replay.golden.Tools.pick;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.spark.util.Utils$;
import scala.collection.JavaConverters;

/** What Spark reads out of the text of a spark-defaults.conf: each key with its value, or that it refuses the file. */
final class Defaults implements Main.Recorder {
    private final Path file;

    Defaults() throws Exception {
        file = Files.createTempFile("spark-defaults", ".conf");
        file.toFile().deleteOnExit();
    }

    private static String part(SplittableRandom r) {
        return pick(r, "spark.a", "spark.b", "spark.of.ours", "a", "x y", "1", "4g", "true", "=", ":", " ", " ", "\t", "\f", "#", "!", "\\", "\\\\", "\\ ", "\\=", "\\:", "\\n", "\\t", "\\r", "\\f", "\\u0041", "\\u00e9", "\\uD83D\\uDE00", "\\u12", "\\uxyzw", "\\q",
                "\\#", "é", "😀", "\u00a0", "\u0085", "\u2028", "\\\n", "\\\n  ", "\\\r\n", "\\\n#", "-Dx=y", ",", "\"", "'", "\u0007", "\u000b", "\\u0020", "\\u0009", "\\\t");
    }

    @Override
    public Map<String, Object> record(String id, SplittableRandom r) throws Exception {
        Map<String, Object> out;
        do { // until it can be written: half a character can't
            out = object("id", id, "kind", "defaults");
        } while (!draw(r, out));
        return out;
    }

    private boolean draw(SplittableRandom r, Map<String, Object> out) throws Exception {
        StringBuilder text = new StringBuilder(chance(r, 0.03) ? "\ufeff" : "");
        for (int lines = between(r, 1, 6); lines > 0; lines--) {
            if (chance(r, 0.1)) {
                text.append(pick(r, "# comment", "! comment \\", "", "  ", "\t# c", "#"));
            } else {
                if (chance(r, 0.8)) {
                    text.append(pick(r, "", "", " ", "\t")).append(pick(r, "spark.a", "spark.b", "spark.of.ours", "a")).append(pick(r, " ", "=", ":", " = ", "\t", "  :  ", "", "\f", " \\\n = "));
                }
                for (int parts = between(r, 0, 5); parts > 0; parts--) {
                    text.append(part(r));
                }
            }
            text.append(pick(r, "\n", "\n", "\n", "\r\n", "\r", "\n\n", "", " \n"));
        }
        Files.writeString(file, text, StandardCharsets.UTF_8);
        out.put("text", text.toString());
        try {
            Map<String, String> values = new TreeMap<>(JavaConverters.mapAsJavaMapConverter(Utils$.MODULE$.getPropertiesFromFile(file.toString())).asJava());
            values.remove(""); // nothing asks for it
            out.put("values", values);
            String all = values.toString();
            return all.equals(new String(all.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
        } catch (Exception x) {
            out.put("refused", x.getClass().getSimpleName() + ": " + x.getMessage());
            return true;
        }
    }
}
