package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"replay/engine/record"
	"replay/policy"
)

// A Script is a file of the user's with policies, each called Policy. They decide wherever the options name none: queues that name no sharing policy, leaf
// queues of the CapacityScheduler that name no order, container requests, the number of nodes. Of several scripts with a policy of one kind the last does.
type Script struct {
	File
	Policy   string
	Policies policy.Tables
}

// kindsOfScripts are the kinds of policies that a script can have.
var kindsOfScripts = []struct {
	name   string
	has    func(*policy.Tables) bool
	option func(*Scenario) *string // that names one
	of     func(*Scheduler) bool   // whether a scheduler has such policies
}{
	{"sharing", func(t *policy.Tables) bool { return len(t.Sharings) > 0 }, func(sc *Scenario) *string { return &sc.Sharing }, func(s *Scheduler) bool { return s.Sharing }},
	{"order of applications in leaf queues of the CapacityScheduler", func(t *policy.Tables) bool { return len(t.LeafOrders) > 0 }, func(sc *Scenario) *string { return &sc.Policies.LeafOrder }, func(s *Scheduler) bool { return s.Orders }},
	{"container placement", func(t *policy.Tables) bool { return len(t.Placements) > 0 }, func(sc *Scenario) *string { return &sc.Placement }, func(s *Scheduler) bool { return !s.Central }},
	{"autoscaling", func(t *policy.Tables) bool { return len(t.Autoscalers) > 0 }, func(sc *Scenario) *string { return &sc.Autoscale }, func(s *Scheduler) bool { return !s.Central }},
}

// script adds the policies of scripts to those that can be named, and names them where the options do not; a sharing policy only when there is a
// scheduler that has them, see [Scenario.scriptsUnder].
func (sc *Scenario) script() error {
	for i := range sc.Scripts {
		s := &sc.Scripts[i]
		sc.Policies = sc.Policies.With(&s.Policies)
		if err := sc.Policies.Check(); err != nil {
			return optionf("--policy %s: %w", s.Name, err)
		}
	}
	sc.nameScripts(func(option *string) bool { return option != &sc.Sharing })
	return nil
}

// nameScripts names the last script with a policy of a kind in each option that names none.
func (sc *Scenario) nameScripts(wanted func(option *string) bool) {
	for i := range slices.Backward(sc.Scripts) {
		s := &sc.Scripts[i]
		for _, k := range kindsOfScripts {
			if option := k.option(sc); k.has(&s.Policies) && *option == "" && wanted(option) {
				*option = s.Policy
			}
		}
	}
}

// scriptsUnder is for the time when the scheduler is known: it says which policies of scripts have no effect under it, or only where they are named.
func (sc *Scenario) scriptsUnder(scheduler *Scheduler) {
	if scheduler.Sharing {
		sc.nameScripts(func(option *string) bool { return option == &sc.Sharing })
	}
	for i := range sc.Scripts {
		s := &sc.Scripts[i]
		for _, k := range kindsOfScripts {
			switch named := *k.option(sc); {
			case !k.has(&s.Policies):
			case !k.of(scheduler):
				sc.warn("no-effect", "--policy %s: its %s has no effect: the scheduler is %s by %s", s.Name, k.name, sc.Scheduler, sc.chosenBy)
			case named != s.Policy:
				sc.warn("named", "--policy %s: its %s decides only where it is named: elsewhere %s does", s.Name, k.name, named)
			}
		}
	}
}

// scriptFiles are the scripts, for a manifest.
func (sc *Scenario) scriptFiles() (out []record.File) {
	for i := range sc.Scripts {
		s := &sc.Scripts[i]
		sum := sha256.Sum256(s.Text)
		out = append(out, record.File{Name: s.Name, Bytes: int64(len(s.Text)), SHA256: hex.EncodeToString(sum[:])})
	}
	return out
}
