package conf

import (
	"slices"
	"strconv"
	"strings"

	"replay/engine/remark"
	"replay/engine/spelling"
)

// An unmodelledPart is a part of the CapacityScheduler that a replay does not contain.
type unmodelledPart struct {
	reason string
	// decides are ends of keys, or whole keys, that switch the part on, with the values that leave it off; so does no value.
	decides map[string][]string
	// within are texts in keys that belong to the part and decide nothing by themselves.
	within []string
}

const noLabels = "nodes have no labels"

var unmodelledParts = []unmodelledPart{
	{"there are no application timeouts", map[string][]string{".maximum-application-lifetime": {"-1", "0"}, ".default-application-lifetime": {"-1", "0"}}, nil},
	{noLabels, map[string][]string{".default-node-label-expression": nil}, []string{".accessible-node-labels", "yarn.scheduler.capacity.maximum-am-resource-percent.", ".ordering-policy.exclusive-enforced-partitions"}},
	{"queues are not created on demand", map[string][]string{".auto-create-child-queue.enabled": {"false"}, ".auto-queue-creation-v2.enabled": {"false"}},
		[]string{".auto-create-child-queue.", ".auto-queue-creation-v2.", ".leaf-queue-template."}},
	{"queue mappings are not replayed, the trace names the queue", map[string][]string{"yarn.scheduler.capacity.queue-mappings": nil,
		"yarn.scheduler.capacity.mapping-rule-json": nil, "yarn.scheduler.capacity.mapping-rule-json-file": nil},
		[]string{"yarn.scheduler.capacity.queue-mappings", "yarn.scheduler.capacity.mapping-rule", "yarn.scheduler.capacity.application-name.queue-mappings"}},
	{"the trace names the priority", map[string][]string{"yarn.scheduler.capacity.workflow-priority-mappings": nil}, []string{"yarn.scheduler.capacity.workflow-priority-mappings"}},
	{"nodes are visited at their heartbeats", map[string][]string{"yarn.scheduler.capacity.multi-node-placement-enabled": {"false"}},
		[]string{"yarn.scheduler.capacity.multi-node-", ".multi-node-sorting.policy"}},
	{"it chooses among several nodes, and nodes are visited one at a time at their heartbeats", nil, []string{"yarn.scheduler.capacity.skip-allocate-on-nodes-with-reserved-containers"}},
	{"scheduling happens at heartbeats", map[string][]string{"yarn.scheduler.capacity.schedule-asynchronously.enable": {"false"}}, []string{"yarn.scheduler.capacity.schedule-asynchronously"}},
	{"there are no reservations", map[string][]string{".reservable": {"false"}}, []string{".reservation", ".reservable", ".instantaneous-max-capacity", ".average-capacity", ".show-reservations-as-queues"}},
	{"everybody may submit to every queue, with every priority", nil, []string{".acl_", "yarn.scheduler.capacity.acl_"}},
	{noMonitors, nil, []string{"." + keyNonPreemptable, "." + intraQueue, ".underutilized-preemption.", keyLazy}}, // with them they are read
	{"it has no effect on decisions", nil, []string{"yarn.scheduler.capacity.application.fail-fast"}},
	{"the configuration is the file that is given", nil, []string{"yarn.scheduler.capacity.queue.auto.refresh"}},
}

// queueSettings are the settings that a queue can have, beside those not modelled. YARN reads some of them of leaf
// queues alone, and others of parents alone.
var queueSettings = []string{
	".capacity", ".maximum-capacity", ".queues", ".state", ".priority", ".user-limit-factor", ".minimum-user-limit-percent",
	".maximum-am-resource-percent", ".maximum-applications", ".maximum-allocation-mb", ".maximum-allocation-vcores",
	".maximum-allocation", ".ordering-policy", ".ordering-policy.fair.enable-size-based-weight", "." + maxParallel,
	".default-application-priority", ".allow-zero-capacity-sum",
}

// leftovers sorts the keys that were not read into not modelled and unknown.
func (p *capacityParser) leftovers() {
	var known []string
	for _, key := range sortedKeys(p.props) {
		if ofPolicy := p.Preemption.On && strings.HasPrefix(key, PreemptionPrefix); p.read[key] || !ofPolicy && !strings.HasPrefix(key, capacityPrefix) {
			continue
		}
		if kind, text := notModelledCapacity(key, javaTrim(p.props[key])); text != "" {
			p.Remarks.Add(kind, 0, key, text)
			continue
		}
		if kind, of, text := p.ofQueue(key); text != "" {
			p.Remarks.Add(kind, 0, of, text)
			continue
		}
		if known == nil {
			known = sortedKeys(p.read)
		}
		p.Unknown = append(p.Unknown, UnknownKey{key, spelling.Nearest(key, known, 3)})
	}
}

// CapacityIgnores reports whether a key of the CapacityScheduler with this value decides nothing in a replay.
func CapacityIgnores(key, value string) bool {
	kind, text := notModelledCapacity(key, javaTrim(value))
	return text != "" && kind == remark.NoEffect
}

// sharesLabel reports whether a key gives a queue a part of the nodes with a label, as those of EMR do as they come.
func sharesLabel(key, value string) bool {
	if !strings.Contains(key, ".accessible-node-labels.") || !strings.HasSuffix(key, ".capacity") || value == "" {
		return false
	}
	percent, err := strconv.ParseFloat(value, 64)
	return err != nil || percent != 0
}

// notModelledCapacity returns what is to be said of a key that YARN has and a replay does not follow; the text is "" for others.
func notModelledCapacity(key, value string) (remark.Kind, string) {
	if sharesLabel(key, value) {
		return remark.Unmodelled, noLabels
	}
	for _, part := range unmodelledParts {
		for _, end := range sortedKeys(part.decides) {
			if !strings.HasSuffix(key, end) || strings.HasPrefix(end, capacityPrefix) && key != end {
				continue
			}
			if slices.Contains(part.decides[end], strings.ToLower(value)) || value == "" {
				return remark.NoEffect, part.reason
			}
			return remark.Unmodelled, part.reason
		}
		for _, text := range part.within {
			if strings.Contains(key, text) {
				return remark.NoEffect, part.reason
			}
		}
	}
	return 0, ""
}

// ofQueue returns what is to be said of a setting that a queue can have and this one does not use, or whose queue
// does not exist; the text is "" for other keys.
func (p *capacityParser) ofQueue(key string) (kind remark.Kind, of, text string) {
	for _, setting := range queueSettings {
		path, ok := strings.CutSuffix(strings.TrimPrefix(key, capacityPrefix), setting)
		if !ok || path != policyRoot && !strings.HasPrefix(path, policyRoot+".") {
			continue
		}
		if i := p.Find(path); i >= 0 {
			if p.Queues[i].Leaf {
				return remark.NoEffect, key, "YARN reads it of queues with children alone"
			}
			return remark.NoEffect, key, "YARN reads it of leaf queues alone"
		}
		return remark.Odd, "queue " + path, "no setting of queues lists it, so what is set for it has no effect"
	}
	return 0, "", ""
}
