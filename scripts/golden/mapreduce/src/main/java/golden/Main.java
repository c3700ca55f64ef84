package golden;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;

/** Writes vectors: first seed, number of runs, largest number of maps, steps a run, file. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    if (args.length != 5) {
      System.err.println("usage: SEED RUNS MAPS STEPS FILE.jsonl.gz");
      System.exit(2);
    }
    try (Writer w = new OutputStreamWriter(new GZIPOutputStream(new FileOutputStream(args[4])), StandardCharsets.UTF_8)) {
      long seed = Long.parseLong(args[0]);
      int runs = Integer.parseInt(args[1]);
      ObjectMapper json = new ObjectMapper();
      for (int i = 0; i < runs; i++) {
        // A run is odd when its seed is: settings and events as no cluster has them.
        Play play = new Play(seed + i, Integer.parseInt(args[2]), Integer.parseInt(args[3]), (seed + i) % 2 != 0);
        w.write(json.writeValueAsString(play.run()));
        w.write('\n');
      }
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(1);
    }
    System.exit(0);
  }
}
