package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"replay/engine/protocol"
	"replay/engine/scenario/queuefile"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/fair"
	"replay/policy"
)

// fairSetup is the FairScheduler with its allocation file.
type fairSetup struct {
	site        *conf.Site
	allocations *conf.Allocations
	later       []*conf.Allocations // of files that come into force during the replay
	file        File                // made from the trace's queues when there is none; without a text YARN's defaults hold
}

// readFair resolves the queues of the FairScheduler, those of files that come into force later included.
func readFair(sc *Scenario) (Setup, error) {
	if err := sc.siteError(sc.Site.CheckFair()); err != nil {
		return nil, err
	}
	file, err := sc.allocationFile()
	if err != nil {
		return nil, err
	}
	if sc.AllocationFile = file.Text != nil; sc.AllocationFile {
		sc.use(file)
	}
	if file.Text == nil && len(sc.Input.Queues) > 0 {
		for i := range sc.Input.Queues {
			q := &sc.Input.Queues[i]
			if _, err := sc.Policies.NewSharing(q.Policy, len(sc.Site.Types)); q.Policy != "" && err != nil {
				return nil, fmt.Errorf("the trace's queue %s: %w", q.Path, err)
			}
		}
		file = File{Name: "the trace's queues", Text: queuefile.Allocations(sc.Input.Queues)}
	}
	sharing := ""
	if sc.Sharing != "" {
		s, err := sc.Policies.NewSharing(sc.Sharing, len(sc.Site.Types))
		if err != nil {
			return nil, optionf("--sharing is %q, want one of %s", sc.Sharing, strings.Join(sc.Policies.SharingNames(true), ", "))
		}
		if !s.Parents() {
			return nil, optionf("--sharing is %q: YARN refuses it as the default policy, because parent queues can't have it; set <schedulingPolicy>%s</schedulingPolicy> on leaf queues", sc.Sharing, s.Name)
		}
		sharing = s.Name
	}
	read := func(f File) (*conf.Allocations, error) {
		a, err := sc.parseAllocations(f)
		if err != nil {
			return nil, err
		}
		if sharing != "" {
			a.DefaultPolicy = sharing
		}
		return a, sc.notMade(f, a)
	}
	f := &fairSetup{site: sc.Site, file: file, allocations: conf.DefaultAllocations(sc.Site)}
	if file.Text != nil {
		if f.allocations, err = read(file); err != nil {
			return nil, err
		}
	} else if sharing != "" {
		f.allocations.DefaultPolicy = sharing
	}
	sc.Sharing = f.allocations.DefaultPolicy
	sc.placement(file, f.allocations)
	sc.Reloads = slices.Clone(sc.Reloads)
	slices.SortStableFunc(sc.Reloads, func(a, b Reload) int { return cmp.Compare(a.AtMS, b.AtMS) })
	for _, r := range sc.Reloads {
		a, err := read(r.File)
		if err != nil {
			return nil, err
		}
		sc.Later = append(sc.Later, a)
	}
	f.later = sc.Later
	all := append([]*conf.Allocations{f.allocations}, sc.Later...)
	if err := sc.changeAllocations(all); err != nil {
		return nil, err
	}
	switch first := slices.IndexFunc(all, (*conf.Allocations).Preempts); {
	case sc.Site.Preemption && first < 0:
		sc.warn("preemption", "%s is true, but nothing is ever preempted, as in YARN: in %s no queue has a minSharePreemptionTimeout or fairSharePreemptionTimeout, nor is there a default", keyPreemption, file.Name)
		sc.Site.Preemption = false
	case !sc.Site.Preemption && first >= 0 && file.Text != nil:
		of := file.Name
		if first > 0 {
			of = sc.Reloads[first-1].Name
		}
		sc.warn("preemption", "%s has timeouts of preemption, but nothing is preempted, as in YARN: %s is false, %s", of, keyPreemption, sc.switchedOff(keyPreemption))
	}
	if _, from := sc.File(sc.scheduler.File); from >= OfFile || sc.site[keyAllocationFile].from >= OfFile {
		sc.sayLimitsOfOne(file.Name, sc.appLimits(f.allocations))
	}
	yarnSite, _ := sc.File(YarnSite)
	for _, r := range sc.Site.Idle {
		sc.noteKey(sc.site, yarnSite.Name, r)
	}
	return f, nil
}

// switchedOff says where a switch of yarn-site.xml that is false was set so, and if nowhere, what sets it.
func (sc *Scenario) switchedOff(key string) string {
	switch s := sc.site[key]; {
	case s.from == OfKey:
		return "by --conf"
	case s.text != "":
		site, _ := sc.File(YarnSite)
		return fmt.Sprintf("by %v", sc.site.placeOf(key, site.Name))
	}
	return "its default; --yarn-site FILE, or --conf " + key + "=true, switches it on"
}

const keyPreemption = "yarn.scheduler.fair.preemption"

// notMade warns of declared queues that YARN does not make, as their policy does not go with the parent's: what is submitted to them is refused.
//
// Source: QueueManager.createNewQueues, which logs it.
func (sc *Scenario) notMade(f File, a *conf.Allocations) error {
	said := map[string]bool{}
	for _, name := range slices.Sorted(slices.Values(slices.Concat(a.Leaves, a.Parents))) {
		parts := strings.Split(name, ".")
		parent, err := sc.Policies.NewSharing(a.Settings(parts[0]).Policy, len(sc.Site.Types))
		for i := 1; i < len(parts) && err == nil; i++ {
			var child *policy.Sharer
			below := strings.Join(parts[:i+1], ".")
			if child, err = sc.Policies.NewSharing(a.Settings(below).Policy, len(sc.Site.Types)); err != nil {
				break
			}
			why := ""
			switch leaf := i == len(parts)-1 && !slices.Contains(a.Parents, name); {
			case !parent.Allows(child):
				why = fmt.Sprintf("its parent %s (%s) does not allow", strings.Join(parts[:i], "."), parent.Name)
			case !leaf && !child.Parents():
				why = "no queue with queues below it can have"
			}
			if why != "" {
				if !said[below] {
					sc.warn("queue-not-made", "%s: queue %s has the policy %s, which %s: as in YARN the queue is not made, and what is submitted to it or below it is refused", f.Name, below, child.Name, why)
				}
				said[below] = true
				break
			}
			parent = child
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

const keyAllocationFile = "yarn.scheduler.fair.allocation.file"

// allocationFile returns the allocation file in force: the user's own, else the one that the user's settings
// name, else that of the folder, else the trace's. What the trace's settings name is the file that came with it.
func (sc *Scenario) allocationFile() (File, error) {
	file, from := sc.File(sc.scheduler.File)
	key := sc.site[keyAllocationFile]
	key.text = sc.Site.AllocationFile
	if key.from < OfFile {
		return file, nil
	}
	where := sc.nameOfSetting(keyAllocationFile, key)
	if _, given := sc.Files[sc.scheduler.File]; given {
		if filepath.Clean(file.Name) != filepath.Clean(key.text) {
			sc.warn("allocation-file", "--%s %s is used, although %s is %s", sc.scheduler.Flag(), file.Name, where, key.text)
		}
		return file, nil
	}
	site, _ := sc.File(YarnSite)
	named, err := sc.named(key, site)
	switch {
	case errors.Is(err, fs.ErrNotExist) && key.from == OfFile: // as YARN, which goes on without it
		of := "the trace"
		if from == OfFile {
			of = file.Name
		}
		sc.warn("allocation-file", "%s is %s, which is not there, nor is %s beside %s: the queues are those of %s; --%s FILE gives it",
			where, key.text, filepath.Base(key.text), site.Name, of, sc.scheduler.Flag())
		return file, nil
	case err != nil:
		return file, fmt.Errorf("%s: %w", where, err)
	}
	return named, nil
}

// parseAllocations reads an allocation file. It refuses what YARN accepts though it can only be a mistake.
func (sc *Scenario) parseAllocations(f File) (*conf.Allocations, error) {
	if err := conf.CheckTemplate(f.Text); err != nil {
		return nil, refused(f.Name, err)
	}
	a, err := conf.ParseAllocations(f.Text, sc.Site)
	if err != nil {
		return nil, refused(f.Name, err)
	}
	if len(a.Problems) > 0 {
		return nil, refused(f.Name, a.Problems[0])
	}
	sc.note(f.Name, "elements", a.Remarks...)
	return a, nil
}

func (f *fairSetup) New(names *protocol.Names, clusterTimestamp int64, o yarn.Observer) (yarn.Scheduler, error) {
	return fair.New(f.site, f.allocations, names, clusterTimestamp, o)
}

func (*fairSetup) MemoryOnly() bool { return false }

func (f *fairSetup) Config() map[string]string {
	if f.file.Text == nil {
		return nil
	}
	return map[string]string{"fair-scheduler.xml": string(f.file.Text)}
}

func (f *fairSetup) Queues() map[string]string {
	queues := map[string]string{}
	for i, a := range append([]*conf.Allocations{f.allocations}, f.later...) {
		for _, path := range slices.Concat(a.Leaves, a.Parents) {
			queues[path] += fmt.Sprintf("%d: %+v\n", i, a.Settings(path))
		}
	}
	return queues
}
