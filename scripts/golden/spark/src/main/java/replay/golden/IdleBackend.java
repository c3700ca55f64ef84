package replay.golden;

import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.scheduler.SchedulerBackend;

/** A backend of TaskSchedulerImpl that does nothing: what a run is about calls in, not out. */
abstract class IdleBackend implements SchedulerBackend {
    private String app = "golden";

    @Override
    public void org$apache$spark$scheduler$SchedulerBackend$_setter_$org$apache$spark$scheduler$SchedulerBackend$$appId_$eq(String id) {
        app = id;
    }

    @Override
    public String org$apache$spark$scheduler$SchedulerBackend$$appId() {
        return app;
    }

    @Override
    public void start() {}

    @Override
    public void stop() {}

    @Override
    public void reviveOffers() {}

    @Override
    public int defaultParallelism() {
        return 1;
    }

    @Override
    public int maxNumConcurrentTasks(ResourceProfile p) {
        return 0;
    }
}
