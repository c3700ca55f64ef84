// The workload W1 on SimGrid: simgrid LOAD TASKS prints what it comes to. A node is a host of 16 cores, a task an actor on it that executes as
// many operations as the host does in its duration.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

constexpr int nodes = 1000, cores = 16, memory = 65536, task_mib = 2048;

// First come, first served, on the first node with room.
struct Cluster {
  double load;
  int tasks;
  uint64_t state = 42;
  std::vector<sg4::Host*> hosts;
  std::vector<int> free_cores = std::vector<int>(nodes, cores), free_memory = std::vector<int>(nodes, memory);
  std::priority_queue<int, std::vector<int>, std::greater<int>> room;
  std::deque<std::pair<double, double>> waiting;
  double makespan = 0, waited = 0;
  size_t longest = 0;

  // The duration of the next task: 10 + (z mod 100) s for the output z of splitmix64.
  double seconds()
  {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return static_cast<double>(10 + (z ^ z >> 31) % 100);
  }

  double submitted(int task) const { return std::floor(task * 59.5 / (nodes * cores * load)); }

  void dispatch()
  {
    const double now = sg4::Engine::get_clock();
    while (not waiting.empty() && not room.empty()) {
      const int node = room.top();
      const auto [since, duration] = waiting.front();
      waiting.pop_front();
      waited += now - since;
      free_cores[node]--;
      free_memory[node] -= task_mib;
      if (free_cores[node] < 1 || free_memory[node] < task_mib)
        room.pop();
      sg4::Actor::create("task", hosts[node], [this, node, duration = duration] {
        sg4::this_actor::execute(duration);
        ended(node);
      });
    }
  }

  void ended(int node)
  {
    if (free_cores[node] < 1 || free_memory[node] < task_mib)
      room.push(node);
    free_cores[node]++;
    free_memory[node] += task_mib;
    makespan = sg4::Engine::get_clock();
    dispatch();
  }

  void submit()
  {
    for (int i = 0; i < tasks;) {
      const double now = submitted(i);
      sg4::this_actor::sleep_until(now);
      sg4::this_actor::yield(); // ends of the same second come first
      for (; i < tasks && submitted(i) == now; i++)
        waiting.emplace_back(now, seconds());
      dispatch();
      longest = std::max(longest, waiting.size());
    }
  }
};

int main(int argc, char* argv[])
{
  sg4::Engine engine(&argc, argv);
  sg4::Engine::set_config("contexts/stack-size:64"); // 16,000 actors at a time
  Cluster cluster;
  cluster.load = std::atof(argv[1]);
  cluster.tasks = std::atoi(argv[2]);
  auto* zone = sg4::create_full_zone("zone");
  for (int i = 0; i < nodes; i++) {
    cluster.hosts.push_back(zone->create_host("node" + std::to_string(i), 1.0)->set_core_count(cores)->seal());
    cluster.room.push(i);
  }
  auto* master = zone->create_host("master", 1.0)->seal();
  zone->seal();
  sg4::Actor::create("submissions", master, [&cluster] { cluster.submit(); });
  engine.run();
  std::printf("makespan %.0f s, mean wait %.4f s, longest queue %zu\n", cluster.makespan, cluster.waited / cluster.tasks, cluster.longest);
}
