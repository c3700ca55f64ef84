package conf

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"replay/engine/remark"
	"replay/engine/spelling"
)

// newConf returns a configuration with the optional values not set.
func newConf() *Conf {
	return &Conf{
		Instances: Unset, ExecutorOverhead: Unset, PySparkMiB: Unset, DriverOverhead: Unset, AMOverhead: Unset,
		MaxAppAttempts: Unset, MaxExecutorFailures: Unset, FailuresValidity: Unset, AttemptFailuresValidity: Unset,
		DecommissionKillAfter: Unset,
		Speculation:           SpeculationConf{DurationThreshold: Unset},
		Exclude:               ExcludeConf{Timeout: 3600 * 1000},
	}
}

// A Layer is a set of keys from one place. Its values win over those of the layers before it.
type Layer struct {
	Name   string // of the place, for messages
	Strict bool   // written for this program: an unknown spark. key is an error
	Shared bool   // the same for all jobs: [Remarks] says what is to be said of it, and [Parse] nothing
	Values map[string]string
	Lines  map[string]int // of keys in a file, 1-based; nil without one
}

// place is where a key stands, for messages.
func (l *Layer) place(key string) string {
	if n := l.Lines[key]; n > 0 {
		return fmt.Sprintf("%s: line %d", l.Name, n)
	}
	return l.Name
}

// Notes is what [Parse] has to say of layers that are not shared, besides the configuration.
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
// References ${key} are replaced as by [Substitute]. In layers that are not shared those that no key defines stay, as in Spark.
//
// Source: SparkConf, ConfigBuilder; the defaults are those of Spark 3.5.5 on YARN.
func Parse(layers ...Layer) (*Conf, *Notes, error) {
	c, notes, err := parseKeys(layers)
	if err != nil {
		return nil, nil, err
	}
	return c, notes, c.check()
}

// Remarks returns what is to be said of single keys of a layer, and the error that [Parse] has for them whatever
// the other layers say. Its values may refer to keys of those beside it.
func Remarks(l Layer, beside ...Layer) (remark.List, error) {
	if _, _, err := parseKeys([]Layer{l}, beside...); err != nil {
		return nil, err
	}
	var out remark.List
	for _, name := range slices.Sorted(maps.Keys(l.Values)) {
		switch k := keyCalled(name); {
		case strings.HasPrefix(name, byteOrderMark+"spark."):
			out.Add(remark.Odd, l.Lines[name], strings.TrimPrefix(name, byteOrderMark), "it has no effect, because the byte order mark before it makes it another key to Spark: save the file without one")
		case name == "spark.executor.memory" && tooSmall(l.Values[name]):
			out.Add(remark.Odd, l.Lines[name], name+"="+l.Values[name], "below 450m Spark does not start an application; is a unit missing, as in 4g?")
		case strings.HasPrefix(name, "spark.locality.wait") && bareMS(l.Values[name]):
			out.Add(remark.Odd, l.Lines[name], name+"="+l.Values[name], "a number without a unit is in ms; is a unit missing, as in 3s?")
		case name == "spark.yarn.queue" && l.Values[name] != "default":
			out.Add(remark.Unmodelled, l.Lines[name], name+"="+l.Values[name], remark.OwnQueues)
		case !strings.HasPrefix(name, "spark."):
			out.Add(remark.Unknown, l.Lines[name], cmp.Or(name, "a value without a key"), "")
		case k != nil && k.note != "" && l.Values[name] != k.fallback:
			kind := remark.Unmodelled
			if k.idle {
				kind = remark.NoEffect
			}
			out.Add(kind, l.Lines[name], name+"="+l.Values[name], k.note)
		case k != nil && k.parse == nil || outside(name):
			out.Add(remark.NoEffect, l.Lines[name], name, "it has no part in scheduling, or the trace has its effect")
		case k != nil || knownKey(name):
		default:
			if near := spelling.Nearest(name, keyNames, 1)[0]; spelling.Near(name, near) {
				out.Add(remark.Odd, l.Lines[name], name, "unknown, so it has no effect; probably "+near+" is meant")
				continue
			}
			out.Add(remark.Unknown, l.Lines[name], name, "")
		}
	}
	return out, nil
}

// tooSmall reports whether Spark refuses to start with executors of this memory: less than 1.5 times the 300 MiB that it reserves.
//
// Source: UnifiedMemoryManager.getMaxMemory.
func tooSmall(memory string) bool {
	n, err := parseSize(memory, mebibyte)
	return err == nil && n < 450
}

// bareMS reports whether a wait is so few ms that seconds may be meant: it has no unit, and is less than most heartbeats are apart.
func bareMS(wait string) bool {
	n, err := strconv.Atoi(strings.TrimSpace(wait))
	return err == nil && n > 0 && n < 100
}

// byteOrderMark is what some editors put in front of a text.
const byteOrderMark = "\ufeff"

// Over returns the names under which a value takes the place of one under name: the key's own name, then older ones
// up to this. It is nil for keys that are not followed.
func Over(name string) []string {
	k := keyCalled(name)
	switch {
	case k == nil && isResourceKey(name):
		return []string{name}
	case k == nil || k.parse == nil:
		return nil
	}
	names := append([]string{k.name}, k.older...)
	return names[:slices.Index(names, name)+1]
}

// keyCalled returns the row of the table of keys with that name, or that older one.
func keyCalled(name string) *key {
	i := slices.IndexFunc(keys, func(k key) bool { return k.name == name || slices.Contains(k.older, name) })
	if i < 0 {
		return nil
	}
	return &keys[i]
}

// UnknownKey says that a strict layer has a key that nobody knows.
type UnknownKey struct{ Layer, Key string }

func (e *UnknownKey) Error() string {
	return fmt.Sprintf("%s: unknown key %q (nearest known: %s)", e.Layer, e.Key, strings.Join(spelling.Nearest(e.Key, keyNames, 3), ", "))
}

func (n *Notes) warn(key, format string, args ...any) {
	n.Warnings = append(n.Warnings, Warning{key, fmt.Sprintf(format, args...)})
}

// parseKeys reads the keys of layers, whose values may also refer to those of the layers beside them.
func parseKeys(layers []Layer, beside ...Layer) (*Conf, *Notes, error) {
	type setting struct {
		value, place string
		shared       bool
	}
	set := map[string]setting{}
	unknown := map[string]bool{}
	for _, l := range layers {
		for _, name := range slices.Sorted(maps.Keys(l.Values)) {
			if !strings.HasPrefix(name, "spark.") {
				continue
			}
			if !knownKey(name) && !outside(name) {
				if l.Strict {
					return nil, nil, &UnknownKey{l.Name, name}
				}
				if !l.Shared && family(name) {
					unknown[name] = true
				}
				continue
			}
			set[name] = setting{l.Values[name], l.place(name), l.Shared}
		}
	}
	beside = append(slices.Clip(beside), layers...)
	closed, open := &substitution{layers: beside}, &substitution{layers: beside, open: true}
	substitute := func(name string, s *setting) (err error) {
		references := open
		if s.shared {
			references = closed
		}
		if s.value, err = references.of(s.value); err != nil {
			return fmt.Errorf("%s: %s is %q, %w", s.place, name, set[name].value, err)
		}
		return nil
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
		if ok && k.note != "" && s.value != k.fallback && !s.shared {
			notes.warn(name, "%s: %s=%s is not modelled: %s", s.place, name, s.value, k.note)
		}
		switch {
		case ok && k.parse == nil:
			continue
		case ok:
			if !k.bare {
				if err := substitute(name, &s); err != nil {
					return nil, nil, err
				}
			}
			resolved[k.name] = s.value
		case k.parse == nil || k.fallback == "":
			continue
		case strings.HasPrefix(k.fallback, "spark."): // takes the value of another key, which stands before it
			s = setting{value: resolved[k.fallback], place: "default"}
			if written, ok := set[k.fallback]; ok && k.bare {
				s.value = written.value
			}
			resolved[k.name] = s.value
		default:
			s = setting{value: k.fallback, place: "default"}
			resolved[k.name] = s.value
		}
		if err := k.parse(c, s.value); err != nil {
			return nil, nil, fmt.Errorf("%s: %s is %q, %w", s.place, name, s.value, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if s := set[name]; !outside(name) && isResourceKey(name) {
			if err := c.setResource(name, s.value); err != nil {
				return nil, nil, fmt.Errorf("%s: %s is %q, %w", s.place, name, s.value, err)
			}
		}
	}
	slices.SortFunc(c.Resources, func(a, b CustomResource) int { return strings.Compare(a.Name, b.Name) })
	return c, notes, nil
}
