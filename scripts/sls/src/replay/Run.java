package replay;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.sls.AMDefinition;
import org.apache.hadoop.yarn.sls.AMDefinitionFactory;
import org.apache.hadoop.yarn.sls.AMRunner;
import org.apache.hadoop.yarn.sls.SLSRunner;
import org.apache.hadoop.yarn.sls.scheduler.TaskRunner;

/**
 * Runs the Scheduler Load Simulator on a trace of its own format, until all applications have ended. AMRunner of Hadoop 3.4 reads each job as a map from text to text,
 * which no list of tasks fits: it refuses every file of the format. This one reads the jobs as they are, and hands them to the same code.
 */
public final class Run {
  private static final class Reader extends AMRunner {
    private final SLSRunner sls;
    private String trace;
    private ResourceManager rm;

    Reader(TaskRunner runner, SLSRunner sls) {
      super(runner, sls);
      this.sls = sls;
    }

    @Override
    public void setInputTraces(String[] traces) {
      super.setInputTraces(traces);
      trace = traces[0];
    }

    @Override
    public void setResourceManager(ResourceManager rm) {
      super.setResourceManager(rm);
      this.rm = rm;
    }

    @Override
    @SuppressWarnings({"unchecked", "rawtypes"})
    public void startAM() throws YarnException, IOException {
      try (MappingIterator<Map> jobs = new ObjectMapper().readValues(new JsonFactory().createParser(new File(trace)), Map.class)) {
        Method start = AMRunner.class.getDeclaredMethod("startAMs", AMDefinition.class);
        start.setAccessible(true);
        while (jobs.hasNext()) {
          Map<String, Object> job = jobs.next();
          // Numbers are read as text: some by a cast.
          job.replaceAll((key, value) -> value instanceof List ? value : value.toString());
          for (Object task : (List<?>) job.get("job.tasks")) {
            ((Map<String, Object>) task).replaceAll((key, value) -> value.toString());
          }
          start.invoke(this, AMDefinitionFactory.createFromSlsTrace((Map) job, sls));
        }
        for (String name : new String[] {"numAMs", "remainingApps"}) {
          field(AMRunner.class, name).set(this, getAmMap().size());
        }
      } catch (ReflectiveOperationException e) {
        throw new YarnException(e);
      }
    }

    /** Whether all applications were submitted and have ended. */
    boolean ended() {
      var apps = rm.getRMContext().getRMApps().values();
      return apps.size() == getAmMap().size() && apps.stream().allMatch(RMApp::isAppFinalStateStored);
    }

    /** Says what all came to. */
    void say() {
      var apps = rm.getRMContext().getRMApps().values();
      long first = apps.stream().mapToLong(RMApp::getSubmitTime).min().orElse(0);
      long last = apps.stream().mapToLong(RMApp::getFinishTime).max().orElse(0);
      System.out.println(String.format(Locale.ROOT, "%d applications, %d containers, makespan %.1f s", apps.size(),
          rm.getResourceScheduler().getRootQueueMetrics().getAggregateAllocatedContainers(), (last - first) / 1000.0));
    }
  }

  private static Field field(Class<?> of, String name) throws NoSuchFieldException {
    Field f = of.getDeclaredField(name);
    f.setAccessible(true);
    return f;
  }

  public static void main(String[] args) throws Exception {
    SLSRunner sls = new SLSRunner();
    Reader reader = new Reader((TaskRunner) field(SLSRunner.class, "runner").get(null), sls);
    reader.init(sls.getConf());
    field(SLSRunner.class, "amRunner").set(sls, reader);
    sls.run(args);
    while (!reader.ended()) {
      Thread.sleep(500);
    }
    Thread.sleep(2000); // what the nodes have to say yet
    reader.say();
    System.exit(0);
  }
}
