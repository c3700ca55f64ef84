import java.util.Arrays;
import java.util.Map;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

import scala.Tuple2;

/** A word count over a file, with a pause before a second one over the same file: WordCount FILE MILLISECONDS_A_TASK PAUSE_MS [fail]. */
public final class WordCount {
	public static void main(String[] args) throws Exception {
		long task = Long.parseLong(args[1]);
		boolean fails = args.length > 3;
		try (JavaSparkContext sc = new JavaSparkContext(new SparkConf())) {
			JavaRDD<String> lines = sc.textFile(args[0]).mapPartitions(part -> {
				Thread.sleep(task);
				if (fails) throw new IllegalStateException("asked to fail");
				return part;
			});
			JavaPairRDD<String, Integer> counts = lines.flatMap(line -> Arrays.asList(line.split(" ")).iterator())
				.mapToPair(word -> new Tuple2<>(word, 1)).reduceByKey(Integer::sum, 4);
			System.out.println(counts.count());
			Thread.sleep(Long.parseLong(args[2]));
			Map<String, Long> again = lines.flatMap(line -> Arrays.asList(line.split(" ")).iterator()).countByValue();
			System.out.println(again.size());
		}
	}
}
