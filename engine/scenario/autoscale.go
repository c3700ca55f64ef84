package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/policy/autoscale"
	"replay/trace"
)

// autoscaleKeys begin the single keys of the autoscaler.
const autoscaleKeys = "autoscale."

// scalingModelled is what is modelled of a cluster that is scaled, for its manifest.
const scalingModelled = "nodes that come and go: the time until one is there, which of them leave, when spot nodes are taken away"

// autoscale reads the policy that scales the cluster, and keeps for it, behind the nodes of the trace, as many more as each group may have. They have the
// racks of the trace's nodes in turn, a label that says their group, and no blocks. Nodes of the trace with the label secondary are secondary ones, all
// others primary.
func (sc *Scenario) autoscale() error {
	sc.OfTrace = len(sc.Input.Nodes)
	settings := maps.Clone(sc.AutoscaleSettings)
	if settings == nil {
		settings = autoscale.Settings{}
	}
	for key, value := range sc.keys[autoscaleKeys] {
		settings[strings.TrimPrefix(key, autoscaleKeys)] = autoscale.Setting{Value: value, Place: "--conf"}
	}
	if sc.Autoscale == "" {
		for _, key := range sortedKeys(settings) {
			return optionf("%s: %s is a setting of an autoscaler, and none is named: want --autoscale with one of %s", settings[key].Place, key, autoscale.Names())
		}
		return nil
	}
	var err error
	if sc.Scaling, err = sc.Policies.NewAutoscaler(sc.Autoscale, settings); err != nil {
		return &OptionError{err}
	}
	if sc.Scaling == nil {
		if n := len(settings); n > 0 {
			sc.warn("no-effect", "--autoscale %s keeps the nodes of the trace: %d settings of another policy have no effect", sc.Autoscale, n)
		}
		return nil
	}
	return sc.keepNodes()
}

// keepNodes adds the nodes that an autoscaler may add.
func (sc *Scenario) keepNodes() error {
	var present []trace.Node
	taken := map[string]bool{}
	for i := range sc.Input.Nodes {
		n := &sc.Input.Nodes[i]
		taken[n.Host] = true
		if n.Present {
			present = append(present, *n)
		}
		g := autoscale.Primary
		if slices.Contains(n.Labels, autoscale.Secondary.String()) {
			g = autoscale.Secondary
		}
		sc.Groups = append(sc.Groups, g)
	}
	if len(present) == 0 {
		return optionf("--autoscale %s: no node of the trace is in the cluster at the start, want one to begin with", sc.Autoscale)
	}
	like := usual(present)
	nodes := slices.Clone(sc.Input.Nodes)
	// The last is a primary one where there are any: it is the worker of which policies count.
	for _, g := range []autoscale.Group{autoscale.Secondary, autoscale.Primary} {
		for i, number := 0, 1; i < sc.Scaling.Max[g]; number++ {
			host := fmt.Sprintf("%s-%d", g, number)
			if taken[host] {
				continue
			}
			n := like
			if size := sc.Scaling.Size[g]; size != (autoscale.Size{}) {
				n.MemMiB, n.VCores, n.Extra = size.MemMiB, int32(size.VCores), nil
			}
			rack := &present[i%len(present)]
			n.ID, n.Host, n.RackID, n.Rack, n.Labels, n.Present = int32(len(nodes)), host, rack.RackID, rack.Rack, []string{g.String()}, false
			nodes = append(nodes, n)
			sc.Groups = append(sc.Groups, g)
			i++
		}
	}
	sc.Input.Nodes = nodes
	return nil
}

// usual is a node of the size that most have, of equals the first.
func usual(nodes []trace.Node) trace.Node {
	type size struct {
		mem    int64
		vcores int32
	}
	counts := map[size]int{}
	of := func(n *trace.Node) size { return size{n.MemMiB, n.VCores} }
	best := &nodes[0]
	for i := range nodes {
		counts[of(&nodes[i])]++
	}
	for i := range nodes {
		if counts[of(&nodes[i])] > counts[of(best)] {
			best = &nodes[i]
		}
	}
	return *best
}

// tellScaling writes the settings of the autoscaler into a manifest.
func (sc *Scenario) tellScaling(m *record.Manifest) {
	if sc.Scaling == nil {
		return
	}
	m.Config["autoscale"] = sc.Autoscale
	for key, value := range sc.Scaling.Resolved {
		m.Config[autoscaleKeys+key] = value
	}
}
