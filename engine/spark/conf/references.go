package conf

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"replay/engine/remark"
)

// reference is ${key} or ${prefix:key} in a value; sparkReference is one that a key of a configuration can define.
//
// Source: ConfigReader.REF_RE, SparkConfigProvider.
var (
	reference      = regexp.MustCompile(`\$\{(?:\w+?:)?\S+?\}`)
	sparkReference = regexp.MustCompile(`\$\{spark\.\S+?\}`)
)

// unfilled reports whether a value has a placeholder that no key can define.
func unfilled(value string) bool {
	return remark.HasPlaceholder(sparkReference.ReplaceAllString(value, ""))
}

// Substitute replaces the references of a value by the values of those keys in the layers, the last one winning, or by their defaults. A
// reference that none of them defines is an error: Spark leaves it as it is, and the environment and the properties of its JVM are not known here.
//
// Source: ConfigReader.substitute.
func Substitute(text string, layers ...Layer) (string, error) {
	return (&substitution{layers: layers}).of(text)
}

// substitution are the values of a configuration without references, as far as they were asked for.
type substitution struct {
	layers []Layer
	open   bool // what nobody defines stays as it is, as in Spark; else it is an error
	known  map[string]string
	within []string // keys whose values are being found
}

// The limits of a value with references: how deep they go, and how many bytes come out.
const (
	maxWithin = 100
	maxValue  = 1 << 20
)

func (s *substitution) of(text string) (string, error) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	var out strings.Builder
	rest := 0
	for _, at := range reference.FindAllStringIndex(text, -1) {
		name := text[at[0]+2 : at[1]-1]
		written, ok := s.defined(name)
		if !ok && s.open {
			continue
		}
		if !ok {
			return "", fmt.Errorf("no key defines ${%s}, want a value", name)
		}
		value, err := s.value(name, written)
		if err != nil {
			return "", err
		}
		out.WriteString(text[rest:at[0]])
		out.WriteString(value)
		if rest = at[1]; out.Len() > maxValue {
			return "", fmt.Errorf("which grows beyond %d bytes by its references", maxValue)
		}
	}
	out.WriteString(text[rest:])
	return out.String(), nil
}

// value is that of a key, without the references in what is written.
func (s *substitution) value(name, written string) (string, error) {
	if value, ok := s.known[name]; ok {
		return value, nil
	}
	if slices.Contains(s.within, name) || len(s.within) == maxWithin {
		return "", fmt.Errorf("which refers to itself by ${%s}, so Spark refuses it: want a value", name)
	}
	s.within = append(s.within, name)
	value, err := s.of(written)
	s.within = s.within[:len(s.within)-1]
	if err != nil {
		return "", err
	}
	if s.known == nil {
		s.known = map[string]string{}
	}
	s.known[name] = value
	return value, nil
}

// defined is the value of a key as it is written or by default. Only Spark's own keys can be referred to.
func (s *substitution) defined(name string) (string, bool) {
	if !strings.HasPrefix(name, "spark.") {
		return "", false
	}
	for _, l := range slices.Backward(s.layers) {
		if value, ok := l.Values[name]; ok {
			return value, true
		}
	}
	k := keyCalled(name)
	switch {
	case k == nil || k.name != name || k.fallback == "" || k.unset || k.bare:
		return "", false
	case strings.HasPrefix(k.fallback, "spark."):
		return s.defined(k.fallback)
	}
	return k.fallback, true
}
