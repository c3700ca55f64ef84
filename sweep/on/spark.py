"""Replays the cells of a sweep as the tasks of one Spark job: replay sweep PLAN --out DIR --on spark submits it.

A task runs the program, which --files brought to its executor, on a list of cells. What is there already is not replayed again, so a
task may run twice or again after its executor was lost.
"""

import os
import subprocess
import sys
import tempfile

from pyspark import SparkContext, SparkFiles


def replay(ids, program, plan, out, jobs):
    """Replays the cells with these ids, and returns what the program says of those that fail; they would fail again."""
    with tempfile.NamedTemporaryFile("w", prefix="replay-cells-") as cells:
        cells.write("".join(i + "\n" for i in ids))
        cells.flush()
        words = [SparkFiles.get(program), "sweep", "run", plan, "--out", out, "--jobs", jobs, "--quiet", "--cells", cells.name]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode not in (0, 1):
        raise RuntimeError("%s: exit code %d: %s" % (" ".join(words), done.returncode, done.stderr.strip()))
    return done.stderr


def main(program, plan, out, folder, tasks):
    parts = []
    for i in range(int(tasks)):
        with open(os.path.join(folder, "cells-%d" % i)) as f:
            parts.append(f.read().split())
    sc = SparkContext()
    jobs = sc.getConf().get("spark.task.cpus", "1")
    for text in sc.parallelize(parts, len(parts)).map(lambda ids: replay(ids, program, plan, out, jobs)).collect():
        sys.stderr.write(text)
    sc.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
