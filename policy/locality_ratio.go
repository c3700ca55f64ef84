package policy

import (
	"math"
	"slices"
)

// localityRatio asks for hosts in proportion to the tasks that prefer them: Spark's own strategy.
//
// It computes for each host how many more containers it should get and, for the containers that
// this gives a locality, how often each host may be named. All of them name the hosts that have
// a count left, which goes down by one with each container, so that a host with a small count is
// named by the first ones only. Containers without preference come first.
//
// Counts are rounded up host by host after what exists is subtracted, so their sum may exceed
// the executors wanted; pending requests count as fractions of a container on each of their hosts.
//
// Source: LocalityPreferredContainerPlacementStrategy.localityOfRequestedContainers.
type localityRatio struct {
	need  []int        // scratch
	out   []Preference // of the last call
	hosts []int32      // in out
}

func (p *localityRatio) Requests(n int, hints *Hints) []Preference {
	if n <= 0 {
		return nil
	}
	need, total, largest := expectedContainers(p.need, hints)
	p.need = need
	local := min(n, total)
	out := slices.Grow(p.out[:0], n)[:n]
	clear(out)
	p.out, p.hosts = out, p.hosts[:0]
	if local == 0 {
		return out
	}
	// All containers between two ratios share one list, the first one that of all hosts with a count.
	list := slices.Grow(p.hosts, len(need))[:len(need)]
	last, same, named, next := 0, 0, 0, local // the same k as the one before has the same ratio; that of 0 is 0
	for h, k := range need {
		if k != last {
			last, same = k, ceilInt(float64(k)*float64(local)/float64(largest))
		}
		need[h] = same
		if same > 0 {
			list[named] = int32(h)
			named++
			next = min(next, same)
		}
	}
	ratio, hosts := need, Preference(list[:named])
	for i := 0; ; {
		for ; i < next; i++ {
			out[n-local+i] = hosts
		}
		if next == local {
			break
		}
		first := named
		list = slices.Grow(list[:named], len(hosts))
		next = local
		for _, h := range hosts {
			if r := ratio[h]; r > i {
				list = append(list, h)
				next = min(next, r)
			}
		}
		named = len(list)
		hosts = list[first:]
	}
	p.hosts = list
	return out
}

// expectedContainers returns, for each host of the hints, how many more containers it should get, their sum and the largest; need is room for
// that.
//
// Source: LocalityPreferredContainerPlacementStrategy.expectedHostToContainerCount.
func expectedContainers(need []int, hints *Hints) (_ []int, total, largest int) {
	pairs := 0
	for _, k := range hints.Tasks {
		pairs += k
	}
	executors := ceilInt(float64(hints.LocalTasks) / float64(hints.PerExec))
	need = slices.Grow(need[:0], len(hints.Tasks))[:len(hints.Tasks)]
	last, expected, all := -1, 0.0, 0 // as many tasks as on the host before make the same
	existing, waiting := hints.Existing[:len(need)], hints.Pending[:len(need)]
	for h, k := range hints.Tasks[:len(need)] {
		if k != last {
			last, expected = k, float64(k)*float64(executors)/float64(pairs)
			all = max(0, ceilInt(expected))
		}
		more := all
		if existing[h]|waiting[h] != 0 {
			pending := 0.0
			if waiting[h] > 0 {
				pending = float64(waiting[h]) * float64(hints.PendingRequests) / float64(hints.PendingNames)
			}
			more = max(0, ceilInt(expected-(float64(existing[h])+pending)))
		}
		need[h] = more
		total += more
		largest = max(largest, more)
	}
	return need, total, largest
}

// ceilInt rounds up to a 32-bit integer as the JVM does: NaN (0/0, hosts without a task) is 0,
// what does not fit is the nearest that does.
func ceilInt(x float64) int {
	x = math.Ceil(x)
	switch {
	case math.IsNaN(x):
		return 0
	case x >= math.MaxInt32:
		return math.MaxInt32
	case x <= math.MinInt32:
		return math.MinInt32
	}
	return int(x)
}
