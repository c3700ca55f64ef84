package conf

import (
	"fmt"
	"slices"
	"strings"

	"replay/engine/remark"
)

// CapacityPreemption is how the CapacityScheduler takes containers from queues that have more than is guaranteed to them. Times are in ms, parts from 0 to 1.
//
// Source: ProportionalCapacityPreemptionPolicy.updateConfigIfNeeded.
type CapacityPreemption struct {
	On                 bool // the monitors are on, and the policy is one of them
	ObserveOnly        bool
	Interval           int64   // from one look to the next
	WaitBeforeKill     int64   // of a container that has been marked
	PerRound           float32 // part of the cluster that is taken at one look
	MaxIgnored         float64 // part of what is guaranteed that a queue may have beyond it
	NaturalTermination float64 // part of the excess that is taken at one look
	ConservativeDRF    bool    // nothing is chosen any more when one type is obtained
	OfReserved         bool    // what is reserved counts as wanted
	Balances           bool    // also for queues that have what is guaranteed
	BalanceWait        int64   // before a kill for these, WaitBeforeKill where it is not above 0

	ByPriority    bool  // first of all, containers of less urgent queues that are in the way of a reservation
	PriorityDelay int64 // for how long that has been there
	ForReserved   bool  // before the rest, containers of nodes on which something is reserved

	IntraQueue           bool    // also from applications for others of the same leaf
	IntraThreshold       float32 // used part of what is guaranteed to the leaf from which on
	IntraMost            float32 // part of what is guaranteed that is taken at one look
	IntraOrder           IntraQueueOrder
	IntraConservativeDRF bool
}

// IntraQueueOrder is what counts first among the applications of a leaf.
type IntraQueueOrder uint8

// The orders.
const (
	UserLimitFirst IntraQueueOrder = iota // nobody is brought below the limit of his user
	PriorityFirst
)

const (
	keyMonitors        = "yarn.resourcemanager.scheduler.monitor.enable"
	keyMonitorPolicies = "yarn.resourcemanager.scheduler.monitor.policies"
	keyMonitorInterval = PreemptionPrefix + "monitoring_interval"
	keyNonPreemptable  = "disable_preemption"
	intraQueue         = "intra-queue-preemption."
	underutilized      = capacityPrefix + "ordering-policy.priority-utilization.underutilized-preemption."
	keyLazy            = capacityPrefix + "lazy-preemption-enabled"

	preemptionPolicy = "org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy"
	noMonitors       = "nothing is preempted: " + keyMonitors + " is not true"
)

// PreemptionPrefix begins the keys of the policy, which may stand in yarn-site.xml or, before these, in capacity-scheduler.xml.
const PreemptionPrefix = "yarn.resourcemanager.monitor.capacity.preemption."

// OfMonitors reports whether a key of yarn-site.xml is one of the monitor that preempts.
func OfMonitors(key string) bool {
	return key == keyMonitors || strings.HasPrefix(key, PreemptionPrefix)
}

// defaultPreemption is the policy without settings.
//
// Source: CapacitySchedulerConfiguration.
var defaultPreemption = CapacityPreemption{
	Interval: 3000, WaitBeforeKill: 15000, PerRound: 0.1, MaxIgnored: 0.1, NaturalTermination: 0.2, BalanceWait: 300_000, PriorityDelay: 60_000,
	IntraThreshold: 0.5, IntraMost: 0.2, IntraConservativeDRF: true,
}

// policy reads how containers are preempted; def is what holds where nothing is said.
func (r *reader) policy(def CapacityPreemption) CapacityPreemption {
	const pre, intra, balance = PreemptionPrefix, PreemptionPrefix + intraQueue, PreemptionPrefix + "preemption-to-balance-queue-after-satisfied."
	p := def
	p.ObserveOnly = r.boolean(pre+"observe_only", def.ObserveOnly)
	p.Interval = r.long(keyMonitorInterval, def.Interval)
	p.WaitBeforeKill = r.long(pre+"max_wait_before_kill", def.WaitBeforeKill)
	p.PerRound = r.float(pre+"total_preemption_per_round", def.PerRound)
	r.most(pre+"total_preemption_per_round", p.PerRound, 1, "above 1, which is all of the cluster; it is a fraction and no percentage")
	p.MaxIgnored = r.double(pre+"max_ignored_over_capacity", def.MaxIgnored)
	p.NaturalTermination = r.double(pre+"natural_termination_factor", def.NaturalTermination)
	r.most(pre+"natural_termination_factor", float32(p.NaturalTermination), 1, "above 1, which is all that a queue has beyond its own; it is a fraction and no percentage")
	p.ConservativeDRF = r.boolean(pre+"conservative-drf", def.ConservativeDRF)
	p.OfReserved = r.boolean(pre+"additional_res_balance_based_on_reserved_containers", def.OfReserved)
	p.Balances = r.boolean(balance+"enabled", def.Balances)
	p.BalanceWait = r.long(balance+"max-wait-before-kill", def.BalanceWait)
	p.ForReserved = r.boolean(pre+"select_based_on_reserved_containers", def.ForReserved)
	p.IntraQueue = r.boolean(intra+"enabled", def.IntraQueue)
	p.IntraThreshold = r.float(intra+"minimum-threshold", def.IntraThreshold)
	p.IntraMost = r.float(intra+"max-allowable-limit", def.IntraMost)
	p.IntraConservativeDRF = r.boolean(intra+"conservative-drf", def.IntraConservativeDRF)
	if text, ok := r.raw(intra + "preemption-order-policy"); ok {
		switch strings.ToUpper(text) {
		case "USERLIMIT_FIRST":
			p.IntraOrder = UserLimitFirst
		case "PRIORITY_FIRST":
			p.IntraOrder = PriorityFirst
		default:
			r.fail(intra+"preemption-order-policy", text, refuse("IllegalArgumentException", "No enum constant %s.IntraQueuePreemptionOrderPolicy.%s", preemptionPolicy, strings.ToUpper(text)).
				instead("userlimit_first or priority_first"))
		}
	}
	if p.Interval <= 0 && r.err == nil {
		r.fail(keyMonitorInterval, r.text(keyMonitorInterval, ""), refuse("IllegalArgumentException", "the monitor has no such period").instead("a number of milliseconds above 0"))
	}
	return p
}

// monitors reads which monitors run, and how the one that preempts does.
//
// Source: SchedulingMonitorManager.updateSchedulingMonitors.
func (r *reader) monitors(s *Site) {
	s.Monitors = defaultPreemption
	on, preempts := r.boolean(keyMonitors, false), false
	var others []string
	for _, class := range strings.Split(r.text(keyMonitorPolicies, preemptionPolicy), ",") {
		switch class = javaTrim(class); {
		case class == preemptionPolicy:
			preempts = true
		case class != "" && !slices.Contains(others, class):
			others = append(others, class)
		}
	}
	switch {
	case !on:
		if text := r.text(keyMonitorPolicies, ""); text != "" {
			s.Remarks.Add(remark.NoEffect, 0, keyMonitorPolicies, noMonitors)
		}
		return
	case len(others) > 0:
		s.Remarks.Add(remark.Unmodelled, 0, keyMonitorPolicies, fmt.Sprintf("of the monitors a replay has %s alone, which preempts", preemptionPolicy))
	}
	if s.Monitors.On = preempts; preempts {
		s.failMonitors = r.apart(func() { s.Monitors = r.policy(s.Monitors) })
	}
}

// preemption reads what capacity-scheduler.xml says of the policy.
func (p *capacityParser) preemption() {
	def := p.site.Monitors
	if p.Preemption = def; !def.On {
		return
	}
	p.Preemption = p.policy(def)
	p.Preemption.ByPriority = p.boolean(underutilized+"enabled", false)
	p.Preemption.PriorityDelay = p.long(underutilized+"reserved-container-delay-ms", def.PriorityDelay)
	if p.boolean(underutilized+"allow-move-reservation", false) && p.Preemption.ByPriority {
		p.Remarks.Add(remark.Unmodelled, 0, underutilized+"allow-move-reservation", "reservations stay on their nodes")
	}
	if p.boolean(keyLazy, false) {
		p.Remarks.Add(remark.Unmodelled, 0, keyLazy, "containers that may be killed are killed at once")
	}
}

// preemptable reads whether anything may be taken from a queue, which those below it do as it does.
//
// Source: CSQueuePreemptionSettings.
func (p *capacityParser) preemptable(q *CapacityQueue, prefix string) {
	if !p.site.Monitors.On {
		return
	}
	var parent CapacityQueue
	if q.Parent >= 0 {
		parent = p.Queues[q.Parent]
	}
	q.NonPreemptable = p.boolean(prefix+keyNonPreemptable, parent.NonPreemptable)
	q.NonPreemptableWithin = p.boolean(prefix+intraQueue+keyNonPreemptable, parent.NonPreemptableWithin)
}
