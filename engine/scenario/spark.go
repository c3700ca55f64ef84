package scenario

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"replay/engine/remark"
	"replay/engine/spark"
	sparkconf "replay/engine/spark/conf"
	"replay/engine/spark/driver"
)

// Spark is what the Spark applications of the scenario have in common.
func (sc *Scenario) Spark() driver.Setup {
	s := driver.Setup{
		Over:      []sparkconf.Layer{sc.sparkKeysLayer()},
		Placement: sc.Requests, Pools: sc.Pools, PoolsFile: sc.PoolsFile, Recorded: sc.Recorded, Model: &sc.Model,
		Types: sc.Site.Types, AMExpiryMS: sc.Site.AMExpiry, AMAttempts: int(sc.Site.MaxAttempts), Dense: sc.Engine == Dense, DelayOff: sc.Site.LocalityThresholdNode < 0 || sc.Site.LocalityThresholdRack < 0,
	}
	// The file lies under the keys recorded with a job, or over them.
	if sc.Override {
		s.Over = append([]sparkconf.Layer{sc.sparkDefaults}, s.Over...)
	} else {
		s.Defaults = sc.sparkDefaults
	}
	return s
}

// sparkKeysLayer is what lies over the keys recorded with a job.
func (sc *Scenario) sparkKeysLayer() sparkconf.Layer {
	return sparkconf.Layer{Name: singleKeys, Strict: true, Shared: true, Values: sc.keys[SparkDefaults]}
}

// readSpark reads spark-defaults.conf and refuses what no job could run with: the user's keys that are unknown
// or mistyped. Values that contradict those recorded with a job are found when it arrives.
func (sc *Scenario) readSpark() error {
	if file, from := sc.File(SparkDefaults); from != OfDefault {
		var twice remark.List
		var err error
		if sc.sparkDefaults, twice, err = sparkconf.ParseDefaults(file.Name, file.Text); err != nil {
			return err
		}
		if err := sc.hasSparkKeys(file.Name); err != nil {
			return err
		}
		sc.use(file)
		sc.note(file.Name, "keys", twice...)
	} else if _, of := sc.File(MapredSite); sc.Override && of == OfDefault {
		return optionf("--override puts spark-defaults.conf and mapred-site.xml on top of what jobs set themselves, and there is none: add --spark-defaults FILE or --mapred-site FILE, or --config-dir with such a file")
	}
	for _, l := range []sparkconf.Layer{sc.sparkDefaults, sc.sparkKeysLayer()} {
		remarks, err := sparkconf.Remarks(l, sc.sparkDefaults, sc.sparkKeysLayer())
		switch {
		case err != nil && l.Strict:
			return &OptionError{err}
		case err != nil:
			return err
		}
		sc.note(l.Name, "keys", remarks...)
	}
	return sc.readPools()
}

// hasSparkKeys refuses a spark-defaults.conf of nothing but other keys, as text of another kind looks, and warns of one without any.
func (sc *Scenario) hasSparkKeys(name string) error {
	first := ""
	for _, key := range slices.Sorted(maps.Keys(sc.sparkDefaults.Values)) {
		if strings.HasPrefix(strings.TrimPrefix(key, "\ufeff"), "spark.") {
			return nil
		}
		first = cmp.Or(first, key)
	}
	if len(sc.sparkDefaults.Values) > 0 {
		return fmt.Errorf("%s: no key in it starts with spark., such as %.40q, want lines such as spark.executor.cores 4", name, first)
	}
	sc.warn("no-key", "%s has no key, and so no effect", name)
	return nil
}

// readPools reads the pools of Spark's FAIR mode: from the file given as such, the one that a key names, or,
// as Spark looks on its class path, the one of that name in the configuration folder.
func (sc *Scenario) readPools() error {
	const key = "spark.scheduler.allocation.file"
	file, from := sc.File(SparkPools)
	defaults, of := sc.File(SparkDefaults)
	name, ok := lay(nil, sc.sparkDefaults.Values, of, sc.keys[SparkDefaults])[key]
	if ok {
		var err error
		if name.text, err = sparkconf.Substitute(name.text, sc.sparkDefaults, sc.sparkKeysLayer()); err != nil {
			return fmt.Errorf("%s is %q, %w", key, name.text, err)
		}
	}
	_, given := sc.Files[SparkPools]
	switch {
	case given:
		sc.PoolsFile = file.Name
	case !ok && from == OfDefault:
		return nil
	case ok:
		sc.PoolsFile = name.text
		var err error
		file, err = sc.named(name, defaults)
		switch {
		case errors.Is(err, fs.ErrNotExist) && name.from != OfKey:
			sc.warn("pools-file", "%s: %s is %s, which is not there, nor is %s beside it: pools have their defaults; --conf %s=FILE gives it",
				defaults.Name, key, name.text, filepath.Base(name.text), key)
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	sc.use(file)
	var warnings []string
	var err error
	if sc.Pools, warnings, err = spark.ParsePools(file.Name, bytes.NewReader(file.Text)); err != nil {
		return err
	}
	for _, w := range warnings {
		sc.warn("pools", "%s", w)
	}
	return nil
}
