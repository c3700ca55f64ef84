package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	mrconf "replay/engine/mapreduce/conf"
	"replay/engine/remark"
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

// properties are the keys of Hadoop configuration files.
type properties struct {
	values   map[string]string
	places   map[string]conf.Place
	referred map[string]bool // by other values
}

// readProperties reads Hadoop configuration files, the later over the earlier ones.
func (sc *Scenario) readProperties(files ...File) (out properties, err error) {
	p := conf.NewProperties()
	p.Renamed = mrconf.Renamed
	for _, f := range files {
		if f.Text == nil {
			continue
		}
		sc.use(f)
		p.Include = func(href string) ([]byte, string, error) { return sc.included(href, f) }
		if err := p.Parse(f.Name, f.Text); err != nil {
			return out, refused(f.Name, err)
		}
		sc.note(f.Name, "keys", p.Remarks...)
	}
	out.values, err = p.Resolve()
	out.places, out.referred = p.Places(), p.Referred()
	return out, err
}

// included reads the file that a configuration file includes: a regular one in the folder of that file or below it, or one that
// is named from the root on. What comes with a trace includes nothing from outside of it.
func (sc *Scenario) included(href string, by File) ([]byte, string, error) {
	if attached, ok := sc.Input.Files[filepath.Base(by.Name)]; ok && attached.Name == by.Name {
		return nil, "", fs.ErrNotExist
	}
	path := strings.TrimPrefix(href, "file://")
	if !filepath.IsAbs(path) && !filepath.IsLocal(path) {
		return nil, "", errors.New("it lies outside of the folder, want a file in it or the whole path")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(by.Name), path)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, "", fmt.Errorf("%s is no regular file", path)
	}
	f, err := sc.named(setting{text: href, from: OfFile}, by)
	if err == nil {
		sc.use(f)
	}
	return f.Text, f.Name, err
}

// readSite resolves yarn-site.xml, and with it which scheduler runs.
func (sc *Scenario) readSite() error {
	file, from := sc.File(YarnSite)
	props, err := sc.readProperties(file)
	if err != nil {
		return err
	}
	sc.site = lay(siteDefaults(sc.Input.Nodes), props.values, from, nil).standing(props.places)
	if types, of := sc.File(ResourceTypes); of != OfDefault {
		props, err := sc.readProperties(types)
		if err != nil {
			return err
		}
		maps.Copy(sc.site, lay(nil, props.values, of, nil).standing(props.places))
	}
	maps.Copy(sc.site, lay(nil, nil, OfKey, sc.keys[YarnSite]))
	for _, key := range sortedKeys(sc.site) {
		if conf.SiteFollows(key) {
			if err := conf.CheckFilledIn(key, sc.site[key].text); err != nil {
				return sc.siteError(err)
			}
		}
	}
	if sc.Site, err = conf.NewSite(sc.site.texts()); err != nil {
		return sc.siteError(err)
	}
	sc.Site.Policies = sc.Policies
	if err := sc.chooseScheduler(file, from); err != nil {
		return err
	}
	if err := sc.siteRemarks(props.referred); err != nil {
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
		switch {
		case k.value >= 1:
		case sc.site[k.name].from == OfKey:
			return optionf("%s is %d, want 1 or more", k.name, k.value)
		default:
			return fmt.Errorf("%v: %s is %d, want 1 or more", sc.site.placeOf(k.name, file.Name), k.name, k.value)
		}
	}
	return sc.siteError(sc.Site.CheckStart())
}

// siteError names the place of a key that is refused.
func (sc *Scenario) siteError(err error) error {
	file, _ := sc.File(YarnSite)
	return sc.site.refused(err, file.Name)
}

// siteRemarks notes keys that have no effect; those that other values refer to have one. A single key that nobody knows is an error.
func (sc *Scenario) siteRemarks(referred map[string]bool) error {
	file, _ := sc.File(YarnSite)
	for _, u := range sc.Site.Unknown {
		if sc.site[u.Key].from == OfKey {
			return &OptionError{u}
		}
		if !referred[u.Key] {
			sc.noteKey(sc.site, file.Name, remarkOn(u))
		}
	}
	for _, r := range sc.Site.Remarks {
		if r.Kind == remark.Unmodelled && conf.ForCapacity(r.Of) && sc.scheduler != yarnsOwn() {
			r.Kind = remark.NoEffect
		}
		if size := sc.otherSize(r.Of); size != "" {
			r.Kind, r.Text = remark.Unmodelled, size
		}
		if r.Kind == remark.Unmodelled {
			r.Of += "=" + sc.site[r.Of].text
		}
		sc.noteKey(sc.site, file.Name, r)
	}
	if sc.Site.Monitors.On && sc.scheduler != yarnsOwn() {
		for _, key := range sortedKeys(sc.site) {
			if conf.OfMonitors(key) {
				sc.noteKey(sc.site, file.Name, remark.Remark{Kind: remark.NoEffect, Of: key, Text: "only the CapacityScheduler preempts by it"})
			}
		}
	}
	return nil
}

// remarkOn says of a key that YARN does not have what was probably meant.
func remarkOn(u conf.UnknownKey) remark.Remark {
	if meant := u.Meant(); meant != "" {
		return remark.Remark{Kind: remark.Odd, Of: u.Key, Text: "unknown, so it has no effect; probably " + meant + " is meant"}
	}
	return remark.Remark{Kind: remark.Unknown, Of: u.Key}
}

// otherSize says that a key gives nodes another size than those of the trace have, "" if it does not.
func (sc *Scenario) otherSize(key string) string {
	var size func(*trace.Node) int64
	unit, flag := " MiB", "--node-mem"
	switch key {
	case "yarn.nodemanager.resource.memory-mb":
		size = func(n *trace.Node) int64 { return n.MemMiB }
	case "yarn.nodemanager.resource.cpu-vcores":
		size, unit, flag = func(n *trace.Node) int64 { return int64(n.VCores) }, " vcores", "--node-vcores"
	default:
		return ""
	}
	text := strings.TrimSpace(sc.site[key].text)
	value, err := strconv.ParseInt(text, 10, 64)
	if hex := strings.HasPrefix(text, "0x"); hex || err == nil && value < 0 || len(sc.Input.Nodes) == 0 { // -1 asks the machine
		return ""
	}
	least, most := int64(math.MaxInt64), int64(0)
	for i := range sc.Input.Nodes {
		n := size(&sc.Input.Nodes[i])
		least, most = min(least, n), max(most, n)
	}
	switch {
	case err != nil:
		return fmt.Sprintf("no whole number, which is all that a NodeManager reads there; the nodes are those of the trace (%s of import says other ones)", flag)
	case least == value && most == value:
		return ""
	case least == most:
		return fmt.Sprintf("the nodes are those of the trace, with %d%s each (%s of import says other ones)", most, unit, flag)
	}
	return fmt.Sprintf("the nodes are those of the trace, with %d to %d%s (%s of import says other ones)", least, most, unit, flag)
}

// strayKey is a single key that is neither Spark's nor YARN's nor MapReduce's nor Tez's.
type strayKey struct{ key, value string }

func (e *strayKey) Error() string {
	return fmt.Sprintf("--conf %s=%s: want a key that starts with spark., yarn., mapreduce., tez. or autoscale.", e.key, e.value)
}

// splitKeys sorts the single keys by the file over which they lie: the prefix of a scheduler whose file is a
// list of keys leads to that, spark. to spark-defaults.conf, mapreduce. and yarn.app.mapreduce. to mapred-site.xml, yarn. to yarn-site.xml,
// autoscale. to the settings of the autoscaler.
func (sc *Scenario) splitKeys() error {
	sc.keys = map[string]map[string]string{}
	for _, key := range sortedKeys(sc.Conf) {
		kind := ""
		switch {
		case strings.HasPrefix(key, "spark."):
			kind = SparkDefaults
		case strings.HasPrefix(key, "mapreduce."), strings.HasPrefix(key, "yarn.app.mapreduce."):
			kind = MapredSite
		case strings.HasPrefix(key, "tez."):
			kind = tezSite
		case strings.HasPrefix(key, autoscaleKeys):
			kind = autoscaleKeys
		case strings.HasPrefix(key, "yarn."):
			kind = YarnSite
		default:
			return &OptionError{&strayKey{key, sc.Conf[key]}}
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
	return fmt.Sprintf("%s: %s", cmp.Or(s.at.File, file.Name), key)
}
