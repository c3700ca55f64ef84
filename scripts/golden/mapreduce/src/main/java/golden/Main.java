package golden;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;

/** Writes vectors: rare or not, of settings, or of the speculator, first seed, number of runs, largest number of maps, steps a run, file. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    boolean rare = args.length == 6 && args[0].equals("rare");
    boolean settings = args.length == 6 && args[0].equals("settings");
    boolean speculations = args.length == 6 && args[0].equals("speculations");
    if (rare || settings || speculations) {
      args = Arrays.copyOfRange(args, 1, 6);
    }
    if (args.length != 5) {
      System.err.println("usage: [rare|settings|speculations] SEED RUNS MAPS STEPS FILE.jsonl.gz");
      System.exit(2);
    }
    try (Writer w = new OutputStreamWriter(new GZIPOutputStream(new FileOutputStream(args[4])), StandardCharsets.UTF_8)) {
      long seed = Long.parseLong(args[0]);
      int runs = Integer.parseInt(args[1]);
      ObjectMapper json = new ObjectMapper();
      for (int i = 0; i < runs; i++) {
        if (settings || speculations) {
          w.write(json.writeValueAsString(settings ? new Settings(seed + i).run(seed + i) : new Speculations(seed + i).run(seed + i)));
          w.write('\n');
          continue;
        }
        // A run is odd when its seed is: settings and events as no cluster has them.
        Play play = new Play(seed + i, Integer.parseInt(args[2]), Integer.parseInt(args[3]), (seed + i) % 2 != 0, rare);
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
