"""The workload W1 on AccaSim: python accasim_w1.py LOAD TASKS prints what it comes to. Its FIFO scheduler and FirstFit allocator decide."""

import collections
import collections.abc
import contextlib
import json
import os
import sys
import tempfile
import time

collections.Mapping = collections.abc.Mapping  # it was written for Python 3.5
time.clock = time.process_time

from accasim.base.allocator_class import FirstFit
from accasim.base.event_class import JobFactory
from accasim.base.resource_manager_class import ResourceManager, Resources
from accasim.base.scheduler_class import FirstInFirstOut, JobVerification
from accasim.base.simulator_class import Simulator
from accasim.utils.reader_class import Reader

LOAD, TASKS = float(sys.argv[1]), int(sys.argv[2])
NODES, CORES, MEMORY, TASK_MIB = 1000, 16, 65_536, 2048
MASK = (1 << 64) - 1
FIRST = 1  # AccaSim takes the time 0 for none


class W1(Reader):
    """Makes jobs of one task as they are read."""

    def __init__(self, factory):
        super().__init__(factory)
        self.i, self.state = 0, 42

    def _read(self, current_time):
        if self.i == TASKS:
            self.stop_submission()
            return None
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        seconds = 10 + (z ^ (z >> 31)) % 100
        i, self.i = self.i, self.i + 1
        return {
            "job_id": i, "queued_time": FIRST + int(i * 59.5 / (NODES * CORES * LOAD)), "duration": seconds,
            "requested_nodes": 1, "requested_resources": {"core": 1, "mem": TASK_MIB},
        }


class Fifo(FirstInFirstOut):
    """Counts who is left waiting."""

    longest = 0

    def schedule(self, cur_time, es_dict, es):
        dispatch, rejected = super().schedule(cur_time, es_dict, es)
        self.longest = max(self.longest, sum(1 for at, _, _ in dispatch if at is None))
        return dispatch, rejected


def main():
    resources = ResourceManager(Resources(groups={"node": {"core": CORES, "mem": MEMORY}}, resources={"node": NODES}))
    factory = JobFactory(resources)
    dispatcher = Fifo(FirstFit(), job_check=JobVerification.NO_CHECK)
    with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(sys.stderr):
        config = os.path.join(scratch, "none.json")
        with open(config, "w") as f:
            json.dump({}, f)
        simulator = Simulator(
            os.path.join(scratch, "w1"), config, dispatcher, resource_manager=resources, reader=W1(factory), job_factory=factory,
            scheduling_output=False, statistics_output=False, show_statistics=False, RESULTS_FOLDER_PATH=scratch, LOG_LEVEL="ERROR",
        )
        simulator.start_simulation()
    events = simulator.mapper
    wait = sum(events.wtimes) / TASKS
    print(f"makespan {events.last_run_time - FIRST} s, mean wait {wait:.4f} s, longest queue {dispatcher.longest}")


main()
