package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/policy/autoscale"
)

func settings(kv ...string) autoscale.Settings {
	s := autoscale.Settings{}
	for i := 0; i < len(kv); i += 2 {
		s[kv[i]] = autoscale.Setting{Value: kv[i+1], Place: "test"}
	}
	return s
}

// TestEnginesScaleAlike replays random clusters with both engines while every policy scales them.
func TestEnginesScaleAlike(t *testing.T) {
	counted := []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 29} // the sum of what they do shows that there is something to decide; in the last one decommissions are taken back
	var did record.Scaling
	decideAlike(t, func(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
		in, o := randomScaled(r, seed)
		if slices.Contains(counted, seed) {
			_, m := replay(t, in(), o)
			s := m.Scaling
			did.Came, did.Left, did.SpotLost, did.Cancelled, did.Tasks = did.Came+s.Came, did.Left+s.Left, did.SpotLost+s.SpotLost, did.Cancelled+s.Cancelled, did.Tasks+s.Tasks
		}
		return in, o
	}, append(slices.Clone(counted), more((*seeds+7)/8)...))
	if did.Came == 0 || did.Left == 0 || did.SpotLost == 0 || did.Cancelled == 0 || did.Tasks == 0 {
		t.Errorf("hardly anything was scaled: %+v", did)
	}
}

// randomScaled is a cluster of randomFair or randomBacklog that a policy scales, each of them in turn.
func randomScaled(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	in, o := randomFair(r, seed)
	if r.IntN(3) == 0 {
		in, o = randomBacklog(r, seed)
	}
	letScale(r, &o, seed)
	return in, o
}

// letScale has a policy scale a cluster.
func letScale(r *rand.Rand, o *scenario.Options, seed uint64) {
	o.Autoscale = []string{"dataproc", "emr-managed", "schedule"}[seed%3]
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	switch o.Autoscale {
	case "dataproc":
		o.AutoscaleSettings = settings("workerConfig.maxInstances", pick("2", "5", "20"), "secondaryWorkerConfig.maxInstances", pick("0", "4"), "basicAlgorithm.cooldownPeriod", "2m",
			"basicAlgorithm.yarnConfig.scaleUpFactor", pick("0.3", "1"), "basicAlgorithm.yarnConfig.scaleDownFactor", pick("0.5", "1.0"),
			"basicAlgorithm.yarnConfig.gracefulDecommissionTimeout", pick("0s", "20s", "1h"))
	case "emr-managed":
		o.AutoscaleSettings = settings("ComputeLimits.MinimumCapacityUnits", "1", "ComputeLimits.MaximumCapacityUnits", pick("3", "12"), "ComputeLimits.MaximumCoreCapacityUnits", pick("1", "3"),
			"scaleDownAfter", pick("10s", "1m"), "gracefulDecommissionTimeout", pick("5s", "1h"))
	case "schedule":
		o.AutoscaleSettings = settings("every", "1m", "steps.0s", pick("2", "4+2"), "steps.20s", pick("8", "3+6"), "steps.40s", pick("1", "2+1"), "gracefulDecommissionTimeout", pick("0s", "5s", "10m"))
	}
	o.AutoscaleSettings["interval"] = autoscale.Setting{Value: pick("1s", "7s")}
	o.AutoscaleSettings["provisioningTime"] = autoscale.Setting{Value: pick("0s", "3s..20s")}
	o.AutoscaleSettings["spot.meanLifetime"] = autoscale.Setting{Value: pick("0s", "10s", "30s")}
	o.AutoscaleSettings["spot.notice"] = autoscale.Setting{Value: pick("0s", "5s")}
}

// TestScalingLeavesWhatIsKept: of the nodes that a policy would take out it leaves the one that a change keeps, and another goes.
func TestScalingLeavesWhatIsKept(t *testing.T) {
	for _, secondary := range []bool{false, true} { // decommissioned, or taken away as a spot node
		o := scenario.Options{Autoscale: "schedule", AutoscaleSettings: settings("steps.20s", "1", "gracefulDecommissionTimeout", "5s")}
		nodes := cluster(2, 1)
		if secondary {
			nodes[1].Labels = []string{"secondary"}
			o.AutoscaleSettings = settings("steps.1h", "1+1", "spot.meanLifetime", "1s", "spot.notice", "0s")
		}
		stays := func(change string) (stay [2]bool, warned bool) {
			t.Helper()
			o := o
			if change != "" {
				c, err := scenario.ParseChange(change)
				if err != nil {
					t.Fatal(err)
				}
				o.Changes = []scenario.Change{c}
			}
			k, m := replay(t, input(slices.Clone(nodes), nil, sparkJob(0, 60_000, 1, stage(0, 1, 5000, nil))), o)
			for i := range k.nodes {
				if n := &k.nodes[i]; n.Node < 2 { // of the trace
					stay[n.Node] = n.Registered
				}
			}
			return stay, slices.ContainsFunc(m.Warnings, func(w record.Warning) bool { return w.Code == "change" })
		}
		if was, _ := stays(""); was != [2]bool{true, false} {
			t.Fatalf("secondary %v: without a change stays %v", secondary, was)
		}
		want := [2]bool{false, true}
		if secondary {
			want = [2]bool{true, true}
		}
		if is, warned := stays("keep node " + nodes[1].Host); is != want || warned {
			t.Errorf("secondary %v: node 1 is kept: stays %v, want %v; warned %v", secondary, is, want, warned)
		}
	}
}

// TestSpotNodesThatLeaveWithinTheirNotice: a spot node on which nothing runs leaves when it is told that it will be taken, and counts as taken away all the same.
func TestSpotNodesThatLeaveWithinTheirNotice(t *testing.T) {
	for _, notice := range []string{"0s", "20s"} {
		o := scenario.Options{Autoscale: "schedule", AutoscaleSettings: settings("steps.0s", "1+4", "provisioningTime", "1s", "spot.meanLifetime", "1m", "spot.notice", notice)}
		k, m := replay(t, input(cluster(1, 1), nil, sparkJob(0, 900_000, 1, stage(0, 1, 5000, nil))), o)
		in := map[int32]bool{}
		for i := range k.nodes {
			in[k.nodes[i].Node] = k.nodes[i].Registered
		}
		there := int64(-1) // without the node of the trace
		for _, is := range in {
			if is {
				there++
			}
		}
		if s := m.Scaling; s.Came < 20 || s.Left != 0 || s.SpotLost != s.Came-there {
			t.Errorf("notice %s: %d came, %d left, %d were taken away and %d are there", notice, s.Came, s.Left, s.SpotLost, there)
		}
	}
}
