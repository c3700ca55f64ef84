package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
	"replay/trace"
)

// TestEnginesDecideAlikeUnderCapacity has applications that limits of queues and users hold back, and reservations that wait for room.
func TestEnginesDecideAlikeUnderCapacity(t *testing.T) {
	executed, passed := decideAlike(t, randomCapacity, append([]uint64{15000322}, more((*seeds+1)/2)...)) // the first one has failed
	if executed*2 > passed {
		t.Errorf("%d of %d heartbeats were executed, want less than half", executed, passed)
	}
}

// randomCapacity is a cluster of randomFair or randomBacklog under the CapacityScheduler.
func randomCapacity(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	make := randomFair
	if r.IntN(2) == 0 {
		make = randomBacklog
	}
	in, o := make(r, seed)
	o.Scheduler, o.Sharing = "capacity", ""
	o.Files = scenario.Files{"capacity-scheduler.xml": {Text: []byte(randomCapacities(r))}}
	for key := range o.Conf {
		if strings.HasPrefix(key, "yarn.scheduler.fair.") {
			delete(o.Conf, key)
		}
	}
	users := 1 + r.Int64N(3)
	return func() scenario.Input {
		out := in()
		out.Users = nil
		for i := range users {
			out.Users = append(out.Users, trace.User{ID: int32(i), Name: fmt.Sprintf("u%d", i), Weight: 1})
		}
		out.Jobs = ofUsers{out.Jobs, users}
		return out
	}, o
}

// ofUsers gives jobs to users in turn.
type ofUsers struct {
	trace.JobSource
	users int64
}

func (s ofUsers) Next() (*trace.Job, error) {
	j, err := s.JobSource.Next()
	if j != nil {
		j.User = int32(j.ID % s.users)
	}
	return j, err
}

// randomCapacities makes a capacity-scheduler.xml for the queues of randomFair.
func randomCapacities(r *rand.Rand) string {
	var p scenariotest.Properties
	set := func(key string, value any) { p.Set("yarn.scheduler.capacity."+key, value) }
	set("root.queues", "a,b,c")
	set("root.c.queues", "x,y")
	split := func(parent string, names ...string) {
		left := 100
		for i, name := range names {
			part := left
			if i < len(names)-1 {
				part = 1 + r.IntN(left-len(names)+i+1)
			}
			left -= part
			q := parent + "." + name
			set(q+".capacity", part)
			if r.IntN(2) == 0 {
				set(q+".maximum-capacity", part+r.IntN(101-part))
			}
			set(q+".user-limit-factor", []string{"0.2", "0.5", "1", "1", "3", "-1"}[r.IntN(6)])
			set(q+".minimum-user-limit-percent", []int{10, 33, 100, 100}[r.IntN(4)])
			if name != "c" {
				set(q+".ordering-policy", []string{"fifo", "fair"}[r.IntN(2)])
			}
		}
	}
	split("root", "a", "b", "c")
	split("root.c", "x", "y")
	set("maximum-am-resource-percent", fmt.Sprintf("0.%d", 2+r.IntN(8)))
	set("node-locality-delay", []int{0, 3, 40}[r.IntN(3)])
	set("rack-locality-additional-delay", []int{-1, -1, 2}[r.IntN(3)])
	set("reservations-continue-look-all-nodes", r.IntN(3) > 0)
	set("per-node-heartbeat.multiple-assignments-enabled", r.IntN(2) == 0)
	set("per-node-heartbeat.maximum-container-assignments", []int{-1, 2, 100}[r.IntN(3)])
	if r.IntN(2) == 0 {
		set("resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator")
	}
	return p.Text()
}
