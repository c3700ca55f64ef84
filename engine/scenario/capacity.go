package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"replay/engine/protocol"
	"replay/engine/remark"
	"replay/engine/scenario/queuefile"
	"replay/engine/yarn"
	"replay/engine/yarn/capacity"
	"replay/engine/yarn/conf"
	"replay/trace"
)

// capacitySetup is the CapacityScheduler with its properties. A scheduler changes its [conf.Capacity] when
// nodes come and go, so each replay reads its own.
type capacitySetup struct {
	site       *conf.Site
	props      map[string]string
	memoryOnly bool
	paths      []string // of the queues
}

// readCapacity resolves the queues of the CapacityScheduler.
func readCapacity(sc *Scenario) (Setup, error) {
	const kind = "capacity-scheduler.xml"
	file, from := sc.File(kind)
	files := []File{file}
	// As in YARN keys of yarn-site.xml count too, under those of the file; but those of the trace do not
	// under a file of the user's.
	if site, of := sc.File(YarnSite); of >= from {
		files = []File{site, file}
	}
	read, err := sc.readProperties(files...)
	if err != nil {
		return nil, err
	}
	values := read.values
	sc.noteForeign(read, file)
	maps.DeleteFunc(values, func(k, _ string) bool {
		if strings.HasPrefix(k, conf.PreemptionPrefix) { // the file's count before those of the site, but not before single keys
			_, single := sc.keys[YarnSite][k]
			return single || !sc.Site.Monitors.On
		}
		return !strings.HasPrefix(k, sc.scheduler.Keys)
	})
	defaults := map[string]string{}
	const queues = "yarn.scheduler.capacity.root.queues"
	_, byFile := values[queues]
	_, byKey := sc.keys[kind][queues]
	if from == OfDefault && !byFile && !byKey {
		defaults = queuefile.Capacity(sc.Input.Queues)
	}
	if file.Text != nil {
		sc.use(file)
	}
	set := lay(defaults, values, from, sc.keys[kind]).standing(read.places)
	c := &capacitySetup{site: sc.Site, props: set.texts()}
	if err := sc.siteError(sc.Site.CheckCapacity()); err != nil {
		return nil, err
	}
	for _, key := range sortedKeys(c.props) {
		if conf.CapacityIgnores(key, c.props[key]) {
			continue // such as an access list with ${user.name}, which is the user that runs YARN
		}
		if err := conf.CheckFilledIn(key, c.props[key]); err != nil {
			return nil, set.refused(err, file.Name)
		}
	}
	cfg, err := c.read()
	if err != nil {
		return nil, set.refused(err, file.Name)
	}
	for _, u := range cfg.Unknown {
		if set[u.Key].from == OfKey {
			return nil, &OptionError{u}
		}
		if !read.referred[u.Key] {
			sc.noteKey(set, file.Name, remarkOn(u))
		}
	}
	for _, r := range cfg.Remarks {
		if r.Kind == remark.Unmodelled {
			r.Of += "=" + c.props[r.Of]
		}
		sc.noteKey(set, file.Name, r)
	}
	c.memoryOnly = cfg.CalculatorName == "default"
	for i := range cfg.Queues {
		c.paths = append(c.paths, cfg.Queues[i].Path)
	}
	if len(defaults) > 0 && len(sc.Input.Queues) > 0 {
		sc.sayMade(cfg)
	}
	sc.shortNames(cfg, file.Name)
	if from >= OfFile {
		sc.sayLimitsOfOne(file.Name, sc.userLimits(cfg.Queues))
	}
	return c, sc.changeCapacity(c.props, cfg.Queues)
}

// shortNames says where jobs go whose queue right below the root is none of the scheduler's: clients name queues by their last part too, which is the queue that has it.
// Of a name that several queues have the name stays, which is refused. Queues of the trace that are none of the scheduler's by any name are said, as jobs in them are refused.
//
// Source: CSQueueStore.updateGetMapForShortName.
func (sc *Scenario) shortNames(cfg *conf.Capacity, file string) {
	paths, called := map[string]bool{}, map[string][]string{}
	for i := range cfg.Queues {
		q := &cfg.Queues[i]
		paths[q.Path] = true
		called[q.Name] = append(called[q.Name], q.Path)
	}
	parents := map[string]bool{}
	for i := range sc.Input.Queues {
		path := sc.Input.Queues[i].Path
		parents[path[:max(strings.LastIndexByte(path, '.'), 0)]] = true
	}
	sc.ByName = map[string]string{}
	var said, lacks []string
	for i := range sc.Input.Queues {
		q := &sc.Input.Queues[i]
		name, below := strings.CutPrefix(q.Path, "root.")
		switch found := called[name]; {
		case !below || paths[q.Path] || parents[q.Path]:
		case len(found) == 0 || strings.Contains(name, "."):
			lacks = append(lacks, q.Path)
		case len(found) == 1:
			sc.ByName[q.Path] = found[0]
			said = append(said, fmt.Sprintf("%s is %s", q.Path, found[0]))
		default:
			sc.ByName[q.Path] = name
		}
	}
	if len(said) > 0 {
		sc.warn("queue-by-name", "%s: jobs that do not name their queue by its whole path are in the queue of that name, as YARN finds it by the last part: %s", file, strings.Join(said, ", "))
	}
	if len(lacks) > 0 {
		sc.warn("queue-missing", "%s lacks queues of the trace: %s; jobs in them are refused, as in YARN (list them there, or give the jobs other queues: --queue-map or --queue of replay import)", file, theFirst(lacks))
	}
}

// noteForeign remarks on keys in capacity-scheduler.xml that are none of the scheduler's own: no other part of YARN reads that file.
func (sc *Scenario) noteForeign(read properties, file File) {
	if site, _ := sc.File(YarnSite); site.Name == file.Name {
		return
	}
	for _, key := range sortedKeys(read.values) {
		at := read.places[key]
		if at.File != file.Name || strings.HasPrefix(key, sc.scheduler.Keys) || read.referred[key] {
			continue
		}
		r := remark.Remark{Kind: remark.NoEffect, Line: at.Line, Of: key, Text: "only the CapacityScheduler reads this file"}
		switch {
		case strings.HasPrefix(key, conf.PreemptionPrefix) && sc.Site.Monitors.On:
			continue
		case strings.HasPrefix(key, "yarn.resourcemanager.monitor.capacity."):
			r.Text = conf.NotFollowed(key)
		case conf.SiteFollows(key):
			r.Kind, r.Text = remark.Odd, "has no effect here, want it in yarn-site.xml"
		}
		sc.note(at.File, "keys", r)
	}
}

// read parses the properties. It refuses what YARN accepts though it can only be a mistake.
func (c *capacitySetup) read() (*conf.Capacity, error) {
	cfg, err := conf.NewCapacity(c.props, c.site)
	if err == nil {
		err = cfg.Err()
	}
	return cfg, err
}

func (c *capacitySetup) New(names *protocol.Names, clusterTimestamp int64, o yarn.Observer) (yarn.Scheduler, error) {
	cfg, err := c.read()
	if err != nil {
		return nil, err
	}
	return capacity.New(c.site, cfg, names, clusterTimestamp, o), nil
}

func (c *capacitySetup) MemoryOnly() bool { return c.memoryOnly }

func (c *capacitySetup) Config() map[string]string { return c.props }

func (c *capacitySetup) Queues() map[string]string {
	queues := map[string]string{}
	for _, path := range c.paths {
		queues[path] = ""
	}
	for _, key := range sortedKeys(c.props) {
		of := strings.TrimPrefix(key, "yarn.scheduler.capacity.")
		for at := strings.LastIndexByte(of, '.'); at > 0; at = strings.LastIndexByte(of[:at], '.') {
			if told, ok := queues[of[:at]]; ok {
				queues[of[:at]] = told + of[at:] + "=" + c.props[key] + "\n"
				break
			}
		}
	}
	return queues
}

// sayMade warns that the queues have the settings of [queuefile.Capacity], or single keys, and not those of a file.
func (sc *Scenario) sayMade(cfg *conf.Capacity) {
	const most, fairs = 6, "fair-scheduler.xml"
	by := "equal"
	if slices.ContainsFunc(sc.Input.Queues, func(q trace.Queue) bool { return q.Weight > 0 }) {
		by = "by the weights of the trace's queues"
	}
	if _, from := sc.File(fairs); from != OfDefault {
		by += ", whatever weights " + fairs + " has"
	}
	var list []string
	unlimited := 0
	for i := range cfg.Queues[1:] {
		q := &cfg.Queues[i+1]
		list = append(list, fmt.Sprintf("%s %.4g %%", q.Path, 100*q.Capacity))
		if q.Leaf && q.UserLimitFactor == -1 {
			unlimited++
		}
	}
	if more := len(list) - most; more > 1 {
		list = append(list[:most], fmt.Sprintf("%d more", more))
	}
	calculator := "DefaultResourceCalculator"
	if cfg.CalculatorName != "default" {
		calculator = "DominantResourceCalculator, and not YARN's default, the " + calculator
	}
	sc.warn("capacities", "no %s: capacities are %s: %s; user-limit-factor is -1 in %d of these queues, and 1 by YARN's default; the calculator is the %s; --%s FILE says otherwise",
		sc.scheduler.File, by, strings.Join(list, ", "), unlimited, calculator, sc.scheduler.Flag())
}
