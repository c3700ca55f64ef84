package golden;

import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.ResourceCommitRequest;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEvent;

/** A CapacityScheduler whose heartbeats have no limit of containers, and which says where one would never end: it makes a proposal that is refused again and again. */
final class UnlimitedScheduler extends CapacityScheduler {
  /** A heartbeat without an end. */
  static final class Endless extends Error {
    private static final long serialVersionUID = 1;
  }

  private static final int MOST = 90; // refusals of one heartbeat; a replay takes 100 for no end

  private int refused;

  @Override
  public void handle(SchedulerEvent event) {
    refused = 0;
    super.handle(event);
  }

  @Override
  @SuppressWarnings({"rawtypes", "unchecked"})
  public boolean tryCommit(Resource cluster, ResourceCommitRequest request, boolean pending) {
    boolean accepted = super.tryCommit(cluster, request, pending);
    if (!accepted && ++refused > MOST) {
      throw new Endless();
    }
    return accepted;
  }
}
