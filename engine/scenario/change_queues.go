package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/engine/spelling"
	"replay/engine/yarn/conf"
)

// ofQueues returns the changes of queues.
func (sc *Scenario) ofQueues() (list []*Change) {
	for i := range sc.Changes {
		if c := &sc.Changes[i]; c.queue != "" {
			list = append(list, c)
		}
	}
	return list
}

// findQueues finds the queues that changes are about among those of the scheduler: by the path, or by the last parts of it where that is one queue alone.
func (sc *Scenario) findQueues(paths []string) error {
	for _, c := range sc.ofQueues() {
		switch found := spelling.Called(c.queue, paths); len(found) {
		case 0:
			return c.unknown("queue", c.queue, paths)
		case 1:
			c.queue = found[0]
		default:
			return optionf("--change %q: %d queues end in %s, want one of %s", c.Text, len(found), c.queue, strings.Join(found, ", "))
		}
	}
	return nil
}

// unknown is the error that none of the known ones of a kind has a name; it has those that come near.
func (c *Change) unknown(kind, name string, known []string) error {
	text := fmt.Sprintf("no %s is called %q", kind, name)
	if near := spelling.NearestCalled(name, known, 3); near != nil {
		text += ", near it: " + strings.Join(near, ", ")
	}
	return optionf("--change %q: %s", c.Text, text)
}

// changeAllocations puts changes of queues and users into allocation files: that of the beginning, and those that come into force later.
func (sc *Scenario) changeAllocations(files []*conf.Allocations) error {
	if sc.ofQueues() != nil {
		if err := sc.findQueues(sc.fairQueues(files)); err != nil {
			return err
		}
	}
	for _, a := range files {
		for i := range sc.Changes {
			c := &sc.Changes[i]
			switch {
			case c.queue != "" && math.IsNaN(c.weight):
				a.Unlimited(c.queue)
			case c.queue != "":
				a.SetWeight(c.queue, float32(c.weight))
			case c.user != "":
				a.UserMaxApps[c.user] = math.MaxInt32
			}
		}
	}
	return nil
}

// fairQueues returns the paths of the queues that the FairScheduler can have, sorted: those that its files declare, those that its rules place the
// trace's users and queues in, and all above them.
func (sc *Scenario) fairQueues(files []*conf.Allocations) (paths []string) {
	known := map[string]bool{}
	add := func(path string) {
		for ; path != "" && !known[path]; path = path[:max(strings.LastIndexByte(path, '.'), 0)] {
			known[path] = true
		}
	}
	for _, a := range files {
		for _, path := range slices.Concat(a.Leaves, a.Parents) {
			add(path)
		}
	}
	for _, a := range files {
		if a.Rules == nil {
			continue
		}
		declared := func(path string) conf.QueueInfo {
			leaf, parent := a.Declared(path)
			return conf.QueueInfo{Exists: leaf || parent, Leaf: leaf}
		}
		for _, user := range sc.Input.Users {
			for _, queue := range sc.Input.Queues {
				if p, err := a.Rules.Place(conf.NewSubmission(user.Name, queue.Path), declared); err == nil && p.Placed {
					add(conf.WithRoot(p.Submitted))
				}
			}
		}
	}
	return sortedKeys(known)
}

// changeCapacity puts changes of queues and users into keys of capacity-scheduler.xml, which have these queues.
func (sc *Scenario) changeCapacity(keys map[string]string, queues []conf.CapacityQueue) error {
	var paths []string
	for i := range queues {
		paths = append(paths, queues[i].Path)
	}
	if err := sc.findQueues(paths); err != nil {
		return err
	}
	for i := range sc.Changes {
		c := &sc.Changes[i]
		prefix := "yarn.scheduler.capacity."
		switch {
		case c.queue != "" && math.IsNaN(c.weight):
			prefix += c.queue + "."
			for key, value := range map[string]string{"maximum-capacity": "100", "maximum-am-resource-percent": "1", "user-limit-factor": "-1", "minimum-user-limit-percent": "100", "max-parallel-apps": fmt.Sprint(math.MaxInt32)} {
				keys[prefix+key] = value
			}
		case c.queue != "":
			return optionf("--change %q: the CapacityScheduler has no weights of queues; --conf %s%s.capacity=… says a share", c.Text, prefix, c.queue)
		case c.user != "":
			keys[prefix+"user."+c.user+".max-parallel-apps"] = fmt.Sprint(math.MaxInt32)
			sc.warn("change", "--change %q: its limit on running applications is off; how much of a queue a user may have is a limit of the queue, which 'queue Q without limits' takes off", c.Text)
		}
	}
	return nil
}
