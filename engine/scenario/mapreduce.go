package scenario

import (
	"errors"
	"fmt"
	"maps"

	"replay/engine/mapreduce"
	mrconf "replay/engine/mapreduce/conf"
)

// MapReduce is what the MapReduce jobs of the scenario have in common.
func (sc *Scenario) MapReduce() mapreduce.Setup {
	s := mapreduce.Setup{Model: &sc.Model, CPU: !sc.MemoryOnly, Dense: sc.Engine == Dense, Over: sc.keys[MapredSite], Keys: sortedKeys(sc.keys[MapredSite])}
	if file, from := sc.File(MapredSite); from == OfFile {
		s.File = file.Name
	}
	for job, list := range sc.Recorded.Latencies {
		if s.AMMS == nil {
			s.AMMS = map[int64][]int64{}
		}
		for _, l := range list {
			s.AMMS[job] = append(s.AMMS[job], l.AMMS)
		}
	}
	if sc.Override {
		s.Over = maps.Clone(sc.mapredSite)
		maps.Copy(s.Over, sc.keys[MapredSite])
	} else {
		s.Defaults = sc.mapredSite
	}
	return s
}

// readMapReduce reads mapred-site.xml and refuses what no job could run with: values that are none, and single keys that are unknown. Of the file only
// the keys that are followed are kept: most say how tasks work and not what they ask for.
func (sc *Scenario) readMapReduce() error {
	file, from := sc.File(MapredSite)
	if from != OfDefault {
		props, err := sc.readProperties(file)
		if err != nil {
			return err
		}
		set := lay(nil, props.values, from, nil).standing(props.places)
		remarks, err := mrconf.Remarks(props.values)
		var wrong *mrconf.ValueError
		if errors.As(err, &wrong) {
			return fmt.Errorf("%v: %w", set.placeOf(wrong.Key, file.Name), err)
		}
		for _, r := range remarks {
			if !props.referred[r.Of] {
				sc.noteKey(set, file.Name, r)
			}
		}
		maps.DeleteFunc(props.values, func(key, _ string) bool { return !mrconf.Follows(key) })
		sc.mapredSite = props.values
	}
	keys := sc.keys[MapredSite]
	for _, key := range sortedKeys(keys) {
		if !mrconf.Follows(key) {
			return &OptionError{fmt.Errorf("--conf %w", &mrconf.UnknownKey{Key: key})}
		}
	}
	remarks, err := mrconf.Remarks(keys)
	if err != nil {
		return &OptionError{fmt.Errorf("--conf %w", err)}
	}
	sc.note(singleKeys, "keys", remarks...)
	return nil
}
