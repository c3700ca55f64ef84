package golden;

import java.util.ArrayList;
import java.util.List;

/** An application as the script sees it. */
final class App {
  final int id;
  final String queue;
  boolean attempted;
  boolean amAsked;
  boolean amHere; // its AM container was allocated
  boolean pulled;
  int[] am;
  final List<int[]> asked = new ArrayList<>(); // sizes by priority

  App(int id, String queue) {
    this.id = id;
    this.queue = queue;
  }
}
