package replay.golden;

/** An executor as it is outside of the driver. */
final class BackendExecutor {
    final int id;
    final String host;
    final BackendRpc.Executor ref;
    int profile;
    boolean registered; // as the driver answered
    boolean connected;
    boolean silent;
    boolean decommissioned;
    boolean removed; // the driver has removed it

    BackendExecutor(int id, String host, BackendRpc.Executor ref) {
        this.id = id;
        this.host = host;
        this.ref = ref;
    }
}
