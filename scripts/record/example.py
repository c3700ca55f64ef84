"""A small application to record: a word count, a sort of its result, and a join in SQL."""
import random
from operator import add

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("record-example").getOrCreate()
sc = spark.sparkContext
words = [f"w{i}" for i in range(500)]


def line(n):
    r = random.Random(n)
    return " ".join(r.choices(words, k=40))


lines = sc.parallelize(range(6000), 12).map(line).cache()
counts = lines.flatMap(str.split).map(lambda w: (w, 1)).reduceByKey(add, 6)
print(counts.count(), counts.sortBy(lambda c: -c[1], numPartitions=4).take(3))
print(lines.filter(lambda text: "w7 " in text).count())

left = spark.range(0, 40000, 1, 8).selectExpr("id", "id % 100 as k")
right = spark.range(0, 100, 1, 2).selectExpr("id as k", "id * 2 as v")
print(left.join(right, "k").groupBy("v").count().collect()[:3])
spark.stop()
