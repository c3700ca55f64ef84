package scenario

import (
	"fmt"
	"slices"
	"strings"

	"replay/engine/protocol"
	"replay/engine/yarn"
)

// A Scheduler is one of YARN's schedulers, or the central one, as a replay can be asked for it.
type Scheduler struct {
	Name    string // of --scheduler and run.json
	Class   string // its Java class, in yarn.resourcemanager.scheduler.class; "" for the central one
	Central bool   // it stands for all of YARN and Spark: no ResourceManager, no masters, no executors (engine/ideal)

	File       string // the file of its queues, "" for none; the flag is called like it
	Keys       string // prefix of the keys that it alone reads, "" for none
	FileOfKeys bool   // Keys are those of File; otherwise they stand in yarn-site.xml
	Preempts   bool   // takes containers from applications for others that starve
	Reloads    bool   // File may be replaced during a replay
	Updates    bool   // it decides by shares that updates compute (yarn.scheduler.fair.update-interval-ms)
	Sharing    bool   // its queues have the sharing policies that --sharing names
	Orders     bool   // its leaf queues have orders of applications (ordering-policy)
	Stalls     bool   // under the real one no attempt of an application goes on once the total of a node has changed (docs/oddities.md)

	// Read resolves the queues, from the file in force or else from those of the trace.
	Read func(*Scenario) (Setup, error)
}

// A Setup is a scheduler with its configuration resolved. No replay changes it.
type Setup interface {
	// New builds the scheduler for one replay. The time stamp of the cluster enters the ids of applications.
	New(names *protocol.Names, clusterTimestamp int64, o yarn.Observer) (yarn.Scheduler, error)
	// MemoryOnly reports whether it looks at memory alone, so that vcores may be overbooked.
	MemoryOnly() bool
	// Config returns what is in force of its file, for the record of a replay.
	Config() map[string]string
	// Queues returns what each queue is told that the configuration has, by its path: a text that is another one just when that differs.
	Queues() map[string]string
}

const classPackage = "org.apache.hadoop.yarn.server.resourcemanager.scheduler."

// Schedulers are the schedulers that can be asked for; the first is the default.
var Schedulers = []Scheduler{
	{Name: "fair", Class: classPackage + "fair.FairScheduler", File: "fair-scheduler.xml", Keys: "yarn.scheduler.fair.", Preempts: true, Reloads: true, Updates: true, Sharing: true, Read: readFair},
	{Name: "capacity", Class: classPackage + "capacity.CapacityScheduler", File: "capacity-scheduler.xml", Keys: "yarn.scheduler.capacity.", FileOfKeys: true, Orders: true, Read: readCapacity},
	{Name: "fifo", Class: classPackage + "fifo.FifoScheduler", Stalls: true, Read: readFIFO},
	{Name: "ideal", Central: true, Read: readIdeal},
}

// yarnsOwn is the scheduler that YARN takes where nobody names one.
func yarnsOwn() *Scheduler {
	return &Schedulers[slices.IndexFunc(Schedulers, func(s Scheduler) bool { return s.Name == "capacity" })]
}

// SchedulerNames lists the names of [Schedulers] as a sentence has them.
func SchedulerNames() string {
	var names []string
	for _, s := range Schedulers {
		names = append(names, s.Name)
	}
	return oneOf(names)
}

// classesOf lists the simple classes of those of YARN's schedulers that are wanted.
func classesOf(wanted func(*Scheduler) bool) string {
	var classes []string
	for i := range Schedulers {
		if s := &Schedulers[i]; !s.Central && wanted(s) {
			classes = append(classes, Schedulers[i].SimpleClass())
		}
	}
	return oneOf(classes)
}

// oneOf joins alternatives: a, b or c.
func oneOf(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// SimpleClass is the class without its package.
func (s *Scheduler) SimpleClass() string { return s.Class[strings.LastIndexByte(s.Class, '.')+1:] }

// Flag is the flag that gives the scheduler's file, without dashes; "" without a file.
func (s *Scheduler) Flag() string { return strings.TrimSuffix(s.File, ".xml") }

const keySchedulerClass = "yarn.resourcemanager.scheduler.class"

// chooseScheduler takes the scheduler that the option names, else that of yarn-site.xml, else the default.
func (sc *Scenario) chooseScheduler(site File, from Layer) error {
	class := sc.site[keySchedulerClass]
	ofClass := slices.IndexFunc(Schedulers, func(s Scheduler) bool { return !s.Central && s.Class == sc.Site.SchedulerClass })
	where := sc.nameOfSetting(keySchedulerClass, class)
	switch {
	case sc.Scheduler != "":
		byName := slices.IndexFunc(Schedulers, func(s Scheduler) bool { return s.Name == sc.Scheduler })
		if byName < 0 {
			return optionf("--scheduler is %q, want %s", sc.Scheduler, SchedulerNames())
		}
		if class.from >= OfFile && byName != ofClass {
			sc.warn("scheduler", "--scheduler %s is used, although %s is %s", sc.Scheduler, where, class.text)
		}
		sc.scheduler, sc.chosenBy = &Schedulers[byName], "--scheduler"
	case sc.Site.SchedulerClass == "" && sc.Folder.has(yarnsOwn().File):
		sc.scheduler, sc.chosenBy = yarnsOwn(), "YARN's default"
		sc.warn("scheduler", "--config-dir %s names no scheduler (%s): the %s decides, YARN's own default",
			sc.Folder.Name, keySchedulerClass, sc.scheduler.SimpleClass())
	case sc.Site.SchedulerClass == "":
		sc.scheduler, sc.chosenBy = &Schedulers[0], "the default"
		if from == OfFile {
			sc.warn("scheduler", "%s names no scheduler (%s): the %s decides here; YARN's own default is the %s (--scheduler %s)",
				site.Name, keySchedulerClass, sc.scheduler.SimpleClass(), yarnsOwn().SimpleClass(), yarnsOwn().Name)
		}
	case ofClass < 0:
		err := fmt.Errorf("%s is %q: this scheduler is not modelled, want the %s of Hadoop, or --scheduler %s", where, class.text, classesOf(func(*Scheduler) bool { return true }), SchedulerNames())
		if class.from == OfKey {
			return &OptionError{err}
		}
		return err
	default:
		sc.scheduler, sc.chosenBy = &Schedulers[ofClass], where
	}
	sc.Scheduler = sc.scheduler.Name
	if sc.Sharing != "" && !sc.scheduler.Sharing {
		return optionf("--sharing is %q: sharing policies are those of the %s, the scheduler is %s by %s", sc.Sharing, classesOf(func(s *Scheduler) bool { return s.Sharing }), sc.Scheduler, sc.chosenBy)
	}
	if len(sc.Reloads) > 0 && !sc.scheduler.Reloads {
		return optionf("reload of %s: only the file of the %s can be replaced, the scheduler is %s by %s", sc.Reloads[0].Name, classesOf(func(s *Scheduler) bool { return s.Reloads }), sc.Scheduler, sc.chosenBy)
	}
	sc.scriptsUnder(sc.scheduler)
	return sc.checkForeign(site)
}

// checkForeign refuses what the user gave for another scheduler than the one that runs: it would have no
// effect. Keys of another scheduler in yarn-site.xml are usual and warned of.
func (sc *Scenario) checkForeign(site File) error {
	for i := range Schedulers {
		s := &Schedulers[i]
		if s == sc.scheduler {
			continue
		}
		const text = "%s is for the %s, the scheduler is %s by %s: add --scheduler %s, or leave it out"
		if f, ok := sc.Files[s.File]; ok {
			return optionf(text, strings.TrimSpace("--"+s.Flag()+" "+f.Name), s.SimpleClass(), sc.Scheduler, sc.chosenBy, s.Name)
		}
		if s.Keys == "" {
			continue
		}
		for _, key := range sortedKeys(sc.Conf) {
			if strings.HasPrefix(key, s.Keys) {
				return optionf(text, "--conf "+key, s.SimpleClass(), sc.Scheduler, sc.chosenBy, s.Name)
			}
		}
		n := 0
		for key, v := range sc.site {
			if v.from == OfFile && strings.HasPrefix(key, s.Keys) {
				n++
			}
		}
		if n > 0 {
			have := "keys that start with " + s.Keys + " have"
			if n == 1 {
				have = "key that starts with " + s.Keys + " has"
			}
			sc.warn("foreign", "%s: %d %s no effect, the scheduler is %s", site.Name, n, have, sc.Scheduler)
		}
	}
	return nil
}

// Kind returns the scheduler that runs.
func (sc *Scenario) Kind() *Scheduler { return sc.scheduler }

// NewScheduler builds the scheduler of the scenario.
func (sc *Scenario) NewScheduler(names *protocol.Names, clusterTimestamp int64, o yarn.Observer) (yarn.Scheduler, error) {
	return sc.setup.New(names, clusterTimestamp, o)
}
