"""The workload W1 on SimPy: python simpy_w1.py LOAD TASKS prints what it comes to."""

import sys
from collections import deque
from heapq import heapify, heappop, heappush

import simpy
from simpy.events import Event, URGENT

LOAD, TASKS = float(sys.argv[1]), int(sys.argv[2])
NODES, CORES, MEMORY, TASK_MIB = 1000, 16, 65_536, 2048
MASK = (1 << 64) - 1


def durations():
    """Yields 10 + (z mod 100) s for the outputs z of splitmix64 from seed 42."""
    state = 42
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield 10 + (z ^ (z >> 31)) % 100


class Cluster:
    """First come, first served, on the first node with room."""

    def __init__(self, env):
        self.env = env
        self.waiting = deque()
        self.cores, self.memory = [CORES] * NODES, [MEMORY] * NODES
        self.room = list(range(NODES))  # a heap of the nodes with room
        heapify(self.room)
        self.makespan = self.waited = self.longest = 0

    def dispatch(self):
        env = self.env
        while self.waiting and self.room:
            node = self.room[0]
            since, seconds = self.waiting.popleft()
            self.waited += env.now - since
            self.cores[node] -= 1
            self.memory[node] -= TASK_MIB
            if self.cores[node] < 1 or self.memory[node] < TASK_MIB:
                heappop(self.room)
            end = Event(env)  # an end comes before submissions of its second
            end._ok, end._value = True, node
            end.callbacks.append(self.ended)
            env.schedule(end, URGENT, seconds)

    def ended(self, event):
        node = event._value
        if self.cores[node] < 1 or self.memory[node] < TASK_MIB:
            heappush(self.room, node)
        self.cores[node] += 1
        self.memory[node] += TASK_MIB
        self.makespan = self.env.now
        self.dispatch()

    def submissions(self):
        seconds = durations()
        for i in range(TASKS):
            at = int(i * 59.5 / (NODES * CORES * LOAD))
            if at > self.env.now:
                self.dispatch()
                self.longest = max(self.longest, len(self.waiting))
                yield self.env.timeout(at - self.env.now)
            self.waiting.append((self.env.now, next(seconds)))
        self.dispatch()
        self.longest = max(self.longest, len(self.waiting))


env = simpy.Environment()
cluster = Cluster(env)
env.process(cluster.submissions())
env.run()
print(f"makespan {cluster.makespan} s, mean wait {cluster.waited / TASKS:.4f} s, longest queue {cluster.longest}")
