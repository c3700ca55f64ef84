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
	hosts []int32      // in out, or those of the last call of SparseRequests
}

var _ SparsePlacement = (*localityRatio)(nil)

// SparseRequests is part of [SparsePlacement]: where all hosts need as many containers, or none because of those that they have, all containers between
// two ratios name the same ones.
func (p *localityRatio) SparseRequests(n int, hints *SparseHints) (local int, without []int32, ok bool) {
	e := expectation{executors: executorsOf(hints.LocalTasks, hints.PerExec), pairs: hints.Pairs, requests: hints.Pending, names: hints.PendingNames}
	each := e.more(hints.Least, 0, hints.Pending) // it does not fall with the tasks
	if n <= 0 || each == 0 || each != e.more(hints.Most, 0, hints.Pending) {
		return 0, nil, false
	}
	without = p.hosts[:0]
	for _, b := range hints.Busy {
		switch e.more(b.Tasks, b.Existing, b.Pending) {
		case 0:
			without = append(without, b.Host)
		case each:
		default:
			return 0, nil, false
		}
	}
	p.hosts = without
	return min(n, each*(hints.Hosts-len(without))), without, true
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

// expectation tells how many more containers a host should get.
//
// Source: LocalityPreferredContainerPlacementStrategy.expectedHostToContainerCount.
type expectation struct {
	executors, pairs int // all that are wanted, and (task, location) pairs of all hosts
	requests, names  int // pending ones, and names in them
}

// executorsOf returns how many executors run so many tasks at a time.
func executorsOf(tasks, perExec int) int { return ceilInt(float64(tasks) / float64(perExec)) }

// more is for a host with so many tasks, running containers and pending requests that name it.
func (e *expectation) more(tasks, existing, waiting int) int {
	pending := 0.0
	if waiting > 0 {
		pending = float64(waiting) * float64(e.requests) / float64(e.names)
	}
	return max(0, ceilInt(float64(tasks)*float64(e.executors)/float64(e.pairs)-(float64(existing)+pending)))
}

// expectedContainers returns, for each host of the hints, how many more containers it should get, their sum and the largest; need is room for
// that.
func expectedContainers(need []int, hints *Hints) (_ []int, total, largest int) {
	e := expectation{executors: executorsOf(hints.LocalTasks, hints.PerExec), requests: hints.PendingRequests, names: hints.PendingNames}
	for _, k := range hints.Tasks {
		e.pairs += k
	}
	need = slices.Grow(need[:0], len(hints.Tasks))[:len(hints.Tasks)]
	last, all := -1, 0 // as many tasks as on the host before make the same
	existing, waiting := hints.Existing[:len(need)], hints.Pending[:len(need)]
	for h, k := range hints.Tasks[:len(need)] {
		more := 0
		switch {
		case existing[h]|waiting[h] != 0:
			more = e.more(k, existing[h], waiting[h])
		case k != last:
			last, all = k, e.more(k, 0, 0)
			fallthrough
		default:
			more = all
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
