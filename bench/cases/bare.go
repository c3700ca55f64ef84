package cases

import (
	"fmt"
	"math/bits"
)

// Bare is what a workload must come to, and what a loop without anything around it costs: a heap of ends, a tree over the nodes for the
// first one with room, a queue of tasks that wait. It knows no jobs, stages, queues or records; what is faster can't do the work.
type Bare struct {
	MakespanS    int64
	MeanWaitS    float64 // over all tasks
	LongestQueue int64
}

func (b Bare) String() string {
	return fmt.Sprintf("makespan %d s, mean wait %.4f s, longest queue %d", b.MakespanS, b.MeanWaitS, b.LongestQueue)
}

// bareEnd is a task that runs.
type bareEnd struct {
	at   int64
	node int32
}

// Bare runs the workload.
func (w W1) Bare() Bare {
	n := w.tasks()
	var (
		z             splitmix64 = w1Seed
		out           Bare
		heap          []bareEnd
		waiting       []int64 // durations of tasks from head on
		since         []int64
		head          int
		now, totalled int64
	)
	cores, memory := make([]int32, w1Nodes), make([]int32, w1Nodes)
	leaves := 1 << bits.Len(uint(w1Nodes-1))
	room := make([]bool, 2*leaves) // of a node, or of one below
	set := func(node int32) {
		i := leaves + int(node)
		has := cores[node] >= 1 && memory[node] >= w1TaskMiB
		if room[i] == has {
			return
		}
		room[i] = has
		for i >>= 1; i > 0; i >>= 1 {
			room[i] = room[2*i] || room[2*i+1]
		}
	}
	for i := range int32(w1Nodes) {
		cores[i], memory[i] = w1VCores, w1MemMiB
		set(i)
	}
	for i := 0; i < n || len(heap) > 0; {
		now = int64(1) << 62
		if i < n {
			now = w.submitted(i)
		}
		if len(heap) > 0 {
			now = min(now, heap[0].at)
		}
		for len(heap) > 0 && heap[0].at == now {
			node := heap[0].node
			last := heap[len(heap)-1]
			heap = heap[:len(heap)-1]
			if len(heap) > 0 {
				k := 0
				for {
					c := 2*k + 1
					if c >= len(heap) {
						break
					}
					if c+1 < len(heap) && heap[c+1].at < heap[c].at {
						c++
					}
					if heap[c].at >= last.at {
						break
					}
					heap[k] = heap[c]
					k = c
				}
				heap[k] = last
			}
			cores[node]++
			memory[node] += w1TaskMiB
			set(node)
		}
		for i < n && w.submitted(i) == now {
			waiting, since = append(waiting, z.seconds()), append(since, now)
			i++
		}
		for head < len(waiting) && room[1] {
			k := 1
			for k < leaves {
				k *= 2
				if !room[k] {
					k++
				}
			}
			node := int32(k - leaves)
			cores[node]--
			memory[node] -= w1TaskMiB
			set(node)
			end := bareEnd{now + waiting[head], node}
			totalled += now - since[head]
			head++
			out.MakespanS = max(out.MakespanS, end.at)
			heap = append(heap, end)
			k = len(heap) - 1
			for k > 0 && heap[(k-1)/2].at > end.at {
				heap[k] = heap[(k-1)/2]
				k = (k - 1) / 2
			}
			heap[k] = end
		}
		out.LongestQueue = max(out.LongestQueue, int64(len(waiting)-head))
		if head == len(waiting) {
			waiting, since, head = waiting[:0], since[:0], 0
		}
	}
	out.MeanWaitS = float64(totalled) / float64(n)
	return out
}
