package scenario

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/capacity"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/fair"
	"replay/engine/yarn/fifo"
	"replay/policy"
)

// readSite resolves yarn-site: our defaults, the trace's, the user's.
func (sc *Scenario) readSite() error {
	sc.site = map[string]string{}
	maps.Copy(sc.site, siteDefaults)
	sc.largestNode()
	maps.Copy(sc.site, sc.TraceSite)
	maps.Copy(sc.site, sc.YarnFile)
	maps.Copy(sc.site, sc.YarnSite)
	var err error
	if sc.Site, err = conf.NewSite(sc.site); err != nil {
		return err
	}
	var recorded []string
	for _, u := range sc.Site.Unknown {
		if _, users := sc.YarnSite[u.Key]; users {
			return &OptionError{u}
		}
		if _, users := sc.YarnFile[u.Key]; users {
			sc.warn("site:"+u.Key, "yarn-site.xml: %s is ignored: YARN does not know it either", u.Key)
			continue
		}
		recorded = append(recorded, u.Key)
	}
	for _, w := range sc.Site.Warnings {
		key, _, _ := strings.Cut(w, ":")
		key, _, _ = strings.Cut(key, " ")
		_, byFlag := sc.YarnSite[key]
		_, byFile := sc.YarnFile[key]
		if byFlag || byFile {
			sc.warn("site:"+key, "yarn-site: %s", w)
			continue
		}
		recorded = append(recorded, key)
	}
	if len(recorded) > 0 {
		sc.warn("trace-site", "keys of the trace's yarn-site.xml that are not modelled: %s", strings.Join(recorded, ", "))
	}
	for _, k := range []struct {
		name  string
		value int64
	}{
		{"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", sc.Site.HeartbeatInterval},
		{"yarn.nm.liveness-monitor.expiry-interval-ms", int64(sc.Site.NodeExpiry)},
		{"yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", int64(sc.Site.ContainerExpiry)},
	} {
		if k.value < 1 {
			return optionf("%s is %d, want 1 or more", k.name, k.value)
		}
	}
	return sc.Site.Check(sc.Scheduler)
}

// largestNode lets a container be as large as the largest node, where nobody says how large it may be:
// YARN's own 8 GiB and 4 vcores are smaller than many executors.
func (sc *Scenario) largestNode() {
	var mem int64
	var vcores int32
	for i := range sc.Input.Nodes {
		mem = max(mem, sc.Input.Nodes[i].MemMiB)
		vcores = max(vcores, sc.Input.Nodes[i].VCores)
	}
	if mem > 0 && vcores > 0 {
		sc.site["yarn.scheduler.maximum-allocation-mb"] = strconv.FormatInt(max(mem, 1024), 10)
		sc.site["yarn.scheduler.maximum-allocation-vcores"] = strconv.Itoa(int(vcores))
	}
}

// readQueues resolves the queues of the scheduler.
func (sc *Scenario) readQueues() error {
	switch sc.Scheduler {
	case "fair":
		return sc.readFair()
	case "capacity", "fifo":
		if sc.Sharing != "" {
			return optionf("sharing is %q: it is a policy of the FairScheduler, scheduler is %q", sc.Sharing, sc.Scheduler)
		}
		if sc.Scheduler == "capacity" {
			return sc.readCapacity()
		}
		sc.MemoryOnly = true
		return nil
	}
	return optionf("scheduler is %q, want fair, capacity or fifo", sc.Scheduler)
}

// readFair resolves the queues of the FairScheduler.
func (sc *Scenario) readFair() error {
	text, name := sc.FairXML, sc.FairName
	if text == nil && len(sc.Input.Queues) > 0 {
		for i := range sc.Input.Queues {
			q := &sc.Input.Queues[i]
			if _, err := policy.NewSharing(q.Policy, len(sc.Site.Types)); q.Policy != "" && err != nil {
				return fmt.Errorf("the trace's queue %s: %w", q.Path, err)
			}
		}
		text, name = queuesXML(sc.Input.Queues), "the trace's queues"
	}
	sc.Allocations = conf.DefaultAllocations(sc.Site)
	if text != nil {
		var err error
		if sc.Allocations, err = sc.parseAllocations(name, text); err != nil {
			return err
		}
	}
	sc.sharingGiven = sc.Sharing != ""
	sc.fairXML = text
	switch sc.Sharing {
	case "":
		sc.Sharing = sc.Allocations.DefaultPolicy
	default:
		s, err := policy.NewSharing(sc.Sharing, len(sc.Site.Types))
		if err != nil {
			return optionf("sharing is %q, want one of %s", sc.Sharing, strings.Join(policy.SharingNames(true), ", "))
		}
		if !s.Parents() {
			return optionf("sharing is %q: YARN refuses it as the default policy, because parent queues can't have it; set <schedulingPolicy>%s</schedulingPolicy> on leaf queues", sc.Sharing, s.Name)
		}
		sc.Sharing, sc.Allocations.DefaultPolicy = s.Name, s.Name
	}
	return nil
}

// parseAllocations reads an allocation file. It refuses what YARN accepts though it can only be a mistake.
func (sc *Scenario) parseAllocations(name string, text []byte) (*conf.Allocations, error) {
	a, err := conf.ParseAllocations(text, sc.Site)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(a.Problems) > 0 {
		return nil, fmt.Errorf("%s: %w", name, a.Problems[0])
	}
	for _, w := range a.Warnings {
		sc.warn("allocations:"+w, "%s: %s", name, w)
	}
	return a, nil
}

// NewScheduler builds the scheduler of the scenario. The time stamp of the cluster enters the ids of
// applications.
func (sc *Scenario) NewScheduler(names *protocol.Names, clusterTimestamp int64, o yarn.Observer) (yarn.Scheduler, error) {
	switch sc.Scheduler {
	case "capacity":
		return capacity.New(sc.Site, sc.Capacity, names, clusterTimestamp, o), nil
	case "fifo":
		return fifo.New(sc.Site, names, clusterTimestamp, o)
	}
	return fair.New(sc.Site, sc.Allocations, names, clusterTimestamp, o)
}

// readReloads parses the allocation files that come later.
func (sc *Scenario) readReloads() error {
	for i, r := range sc.Reloads {
		if sc.Scheduler != "fair" {
			return optionf("reload of %s: only the FairScheduler's allocation file can be replaced, scheduler is %q", r.Name, sc.Scheduler)
		}
		if i > 0 && r.AtMS < sc.Reloads[i-1].AtMS {
			return optionf("reload of %s is at %d ms, want it after the one before at %d ms", r.Name, r.AtMS, sc.Reloads[i-1].AtMS)
		}
		a, err := sc.parseAllocations(r.Name, r.XML)
		if err != nil {
			return err
		}
		if sc.sharingGiven {
			a.DefaultPolicy = sc.Sharing
		}
		sc.Later = append(sc.Later, a)
	}
	return nil
}
