package org.apache.spark.deploy.yarn;

import java.io.IOException;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.LocalResource;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import scala.Option;
import scala.collection.immutable.Map;

/** The call of a NodeManager, in place of Spark's own: it takes the order or refuses it, as the script says. */
public class ExecutorRunnable {
    /** Whether the next call is refused. */
    public static boolean refused;

    public ExecutorRunnable(Option<Container> container, YarnConfiguration conf, SparkConf sparkConf, String master, String executor, String host, int memory, int cores,
            String app, SecurityManager security, Map<String, LocalResource> resources, int profile) {}

    public void run() throws IOException {
        if (refused) {
            throw new IOException("refused");
        }
    }
}
