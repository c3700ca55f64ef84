package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"replay/engine/yarn/conf"
	"replay/trace"
)

// siteDefaults returns the defaults that differ from YARN's own. A replay does not begin with the restart
// of a ResourceManager. A container may be as large as the largest node: YARN's own 8 GiB and 4 vcores
// are smaller than many executors. Resource types are those of the nodes.
func siteDefaults(nodes []trace.Node) map[string]string {
	out := map[string]string{
		"yarn.resourcemanager.work-preserving-recovery.enabled":            "false",
		"yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "-1",
	}
	var mem int64
	var vcores int32
	types := map[string]bool{}
	for i := range nodes {
		for _, x := range nodes[i].Extra {
			types[x.Name] = true
		}
		mem = max(mem, nodes[i].MemMiB)
		vcores = max(vcores, nodes[i].VCores)
	}
	if mem > 0 && vcores > 0 {
		out["yarn.scheduler.maximum-allocation-mb"] = strconv.FormatInt(max(mem, 1024), 10)
		out["yarn.scheduler.maximum-allocation-vcores"] = strconv.Itoa(int(vcores))
	}
	if len(types) > 0 {
		out["yarn.resource-types"] = strings.Join(slices.Sorted(maps.Keys(types)), ",")
	}
	return out
}

// readProperties reads Hadoop configuration files, the later over the earlier ones.
func (sc *Scenario) readProperties(files ...File) (map[string]string, error) {
	p := conf.NewProperties()
	for _, f := range files {
		if f.Text == nil {
			continue
		}
		sc.use(f)
		if err := p.Parse(f.Name, f.Text); err != nil {
			return nil, err
		}
	}
	out, err := p.Resolve()
	for _, w := range p.Warnings {
		sc.warn("properties:"+w, "%s", w)
	}
	return out, err
}

// readSite resolves yarn-site.xml, and with it which scheduler runs.
func (sc *Scenario) readSite() error {
	file, from := sc.File(YarnSite)
	values, err := sc.readProperties(file)
	if err != nil {
		return err
	}
	sc.site = lay(siteDefaults(sc.Input.Nodes), values, from, nil)
	if types, of := sc.File(ResourceTypes); of != OfDefault {
		values, err := sc.readProperties(types)
		if err != nil {
			return err
		}
		maps.Copy(sc.site, lay(nil, values, of, nil))
	}
	maps.Copy(sc.site, lay(nil, nil, OfKey, sc.keys[YarnSite]))
	if sc.Site, err = conf.NewSite(sc.site.texts()); err != nil {
		return err
	}
	sc.Site.Policies = sc.Policies
	if err := sc.chooseScheduler(file, from); err != nil {
		return err
	}
	if err := sc.siteRemarks(file); err != nil {
		return err
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
	return sc.Site.CheckStart()
}

// siteRemarks warns of keys that have no effect, those of the trace in one line. A single key that nobody
// knows is an error.
func (sc *Scenario) siteRemarks(file File) error {
	var recorded []string
	for _, u := range sc.Site.Unknown {
		switch sc.site[u.Key].from {
		case OfKey:
			return &OptionError{u}
		case OfFile:
			sc.warn("site:"+u.Key, "%s: %s is ignored: YARN does not know it either", file.Name, u.Key)
		default:
			recorded = append(recorded, u.Key)
		}
	}
	for _, w := range sc.Site.Warnings {
		if sc.site[w.Key].from >= OfFile {
			sc.warn("site:"+w.Key, "yarn-site: %s", w)
			continue
		}
		recorded = append(recorded, w.Key)
	}
	if len(recorded) > 0 {
		sc.warn("trace-site", "keys of the trace's yarn-site.xml that are not modelled: %s", strings.Join(recorded, ", "))
	}
	return nil
}

// splitKeys sorts the single keys by the file over which they lie: the prefix of a scheduler whose file is a
// list of keys leads to that, spark. to spark-defaults.conf, yarn. to yarn-site.xml.
func (sc *Scenario) splitKeys() error {
	sc.keys = map[string]map[string]string{}
	for _, key := range sortedKeys(sc.Conf) {
		kind := ""
		switch {
		case strings.HasPrefix(key, "spark."):
			kind = SparkDefaults
		case strings.HasPrefix(key, "yarn."):
			kind = YarnSite
		default:
			return optionf("--conf %s=%s: want a key that starts with spark. or yarn.", key, sc.Conf[key])
		}
		for i := range Schedulers {
			if s := &Schedulers[i]; s.FileOfKeys && strings.HasPrefix(key, s.Keys) {
				kind = s.File
			}
		}
		if sc.keys[kind] == nil {
			sc.keys[kind] = map[string]string{}
		}
		sc.keys[kind][key] = sc.Conf[key]
	}
	return nil
}

// nameOfSetting says where a setting of yarn-site.xml stands.
func (sc *Scenario) nameOfSetting(key string, s setting) string {
	if s.from == OfKey {
		return "--conf " + key
	}
	file, _ := sc.File(YarnSite)
	return fmt.Sprintf("%s: %s", file.Name, key)
}
