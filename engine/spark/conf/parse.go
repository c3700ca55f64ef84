package conf

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"replay/engine/spelling"
)

// newConf returns a configuration with the optional values not set.
func newConf() *Conf {
	return &Conf{
		Instances: Unset, ExecutorOverhead: Unset, PySparkMiB: Unset, DriverOverhead: Unset, AMOverhead: Unset,
		MaxAppAttempts: Unset, MaxExecutorFailures: Unset, FailuresValidity: Unset,
		DecommissionKillAfter: Unset,
		Speculation:           SpeculationConf{DurationThreshold: Unset},
		Exclude:               ExcludeConf{Timeout: 3600 * 1000},
	}
}

// A Layer is a set of keys from one place. Its values win over those of the layers before it.
type Layer struct {
	Name   string // of the place, for messages
	Strict bool   // written for this program: an unknown spark. key is an error
	Values map[string]string
}

// Notes is what [Parse] has to say besides the configuration.
type Notes struct {
	Warnings []Warning // keys that are set and not modelled
	Unknown  []string  // keys of layers that are not strict, by name: not known here, but of a family such as spark.task. that is
}

// A Warning says that a key is set and changes nothing.
type Warning struct{ Key, Text string }

// Parse reads Spark's keys out of layers, the last one winning. Keys that do not start with
// "spark." are not looked at. An older name of a key counts when the key itself is in no layer.
//
// The error of a bad value, an unknown key in a strict layer, or values that contradict each other
// names the layer, the key, the value and what was wanted.
//
// Source: SparkConf, ConfigBuilder; the defaults are those of Spark 3.5.5 on YARN.
func Parse(layers ...Layer) (*Conf, *Notes, error) {
	c, notes, err := parseKeys(layers)
	if err != nil {
		return nil, nil, err
	}
	return c, notes, c.check()
}

// CheckKeys returns the error that [Parse] has for single keys of a layer, whatever the others say.
func CheckKeys(l Layer) error {
	_, _, err := parseKeys([]Layer{l})
	return err
}

func (n *Notes) warn(key, format string, args ...any) {
	n.Warnings = append(n.Warnings, Warning{key, fmt.Sprintf(format, args...)})
}

func parseKeys(layers []Layer) (*Conf, *Notes, error) {
	type setting struct{ value, place string }
	set := map[string]setting{}
	unknown := map[string]bool{}
	for _, l := range layers {
		for _, name := range slices.Sorted(maps.Keys(l.Values)) {
			if !strings.HasPrefix(name, "spark.") {
				continue
			}
			if !knownKey(name) && !outside(name) {
				if l.Strict {
					return nil, nil, fmt.Errorf("%s: unknown key %q (nearest known: %s)", l.Name, name, strings.Join(spelling.Nearest(name, keyNames, 3), ", "))
				}
				if family(name) {
					unknown[name] = true
				}
				continue
			}
			set[name] = setting{l.Values[name], l.Name}
		}
	}
	c, notes := newConf(), &Notes{Unknown: slices.Sorted(maps.Keys(unknown))}
	resolved := map[string]string{} // modelled keys, as set or as they default
	for i := range keys {
		k := &keys[i]
		name, s, ok := k.name, setting{}, false
		for _, n := range append([]string{k.name}, k.older...) {
			if s, ok = set[n]; ok {
				name = n
				break
			}
		}
		switch {
		case ok && k.parse == nil:
			if s.value != k.fallback {
				notes.warn(name, "%s: %s=%s is not modelled: %s", s.place, name, s.value, k.note)
			}
			continue
		case ok:
			resolved[k.name] = s.value
		case k.parse == nil || k.fallback == "":
			continue
		case strings.HasPrefix(k.fallback, "spark."): // takes the value of another key, which stands before it
			s = setting{resolved[k.fallback], "default"}
			resolved[k.name] = s.value
		default:
			s = setting{k.fallback, "default"}
			resolved[k.name] = s.value
		}
		if err := k.parse(c, s.value); err != nil {
			return nil, nil, fmt.Errorf("%s: %s is %q, %w", s.place, name, s.value, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		s := set[name]
		switch {
		case outside(name):
			for _, l := range layers {
				if _, here := l.Values[name]; here && l.Strict {
					notes.warn(name, "%s: %s has no effect on a replay", s.place, name)
					break
				}
			}
		case isResourceKey(name):
			if err := c.setResource(name, s.value); err != nil {
				return nil, nil, fmt.Errorf("%s: %s is %q, %w", s.place, name, s.value, err)
			}
		}
	}
	slices.SortFunc(c.Resources, func(a, b CustomResource) int { return strings.Compare(a.Name, b.Name) })
	return c, notes, nil
}
