package replay.golden;

/** An executor of a run of task sets, as its backend would know it. */
final class TaskSetExecutor {
    final String id;
    final String host;
    final int profile;
    int free;
    boolean pending; // the reason of its loss is not known
    boolean decommissioned;

    TaskSetExecutor(String id, String host, int cores, int profile) {
        this.id = id;
        this.host = host;
        this.free = cores;
        this.profile = profile;
    }
}
