package golden;

import java.util.List;
import org.apache.hadoop.yarn.api.records.Resource;

/** A container as the script sees it. */
final class Box {
  final int app;
  final long number;
  final String node;
  boolean acquired;
  boolean launched;
  boolean ended; // in the ResourceManager
  long[] size; // as the master knows it
  int version;
  boolean growing; // a difference was allocated and not handed out
  boolean unconfirmed; // its node has not reported the last growth
  boolean timed; // the timer of that growth runs

  Box(int app, long number, String node, List<Object> row) {
    this.app = app;
    this.number = number;
    this.node = node;
    size = new long[] {(Long) row.get(5), (Integer) row.get(6), Recorder.third ? (Long) row.get(8) : 0};
  }

  void resized(Resource r, int version) {
    size = new long[] {r.getMemorySize(), r.getVirtualCores(), Recorder.third ? r.getResourceValue(Recorder.GPU) : 0};
    this.version = version;
  }
}
