package command

import (
	"errors"
	"fmt"
	"strings"

	"replay/sweep"
)

// aSetting wants what a plan varies.
func aSetting(value string) error {
	_, err := parseSetting(value)
	return err
}

// setting is what a plan varies.
type setting struct {
	name   string   // of the flag; with a key: conf KEY
	key    string   // of --conf or --model, empty for a flag
	labels []string // its values
}

// parseSetting reads NAME=VALUES. The error says what was wanted.
func parseSetting(text string) (s setting, err error) {
	name, values, ok := strings.Cut(text, "=")
	s.name = strings.Join(strings.Fields(name), " ")
	flag, key, keyed := strings.Cut(s.name, " ")
	if !ok || flag == "" || keyed != (flag == "conf" || flag == "model") {
		return s, errors.New("want SETTING=VALUES such as nodes=4:400 or 'conf spark.locality.wait=0s:10s:1s'")
	}
	if !keyed && strings.Contains(flag, ".") {
		return s, fmt.Errorf("%s is no flag; a key of Spark or YARN is varied by 'conf %s=%s'", flag, flag, values)
	}
	s.key = key
	if strings.Contains(values, ",") || !strings.Contains(values, ":") {
		s.labels = strings.Split(values, ",")
	} else if s.labels, err = steps(strings.Split(values, ":")); err != nil {
		return s, err
	}
	if len(s.labels) < 2 {
		return s, errors.New("want two values or more, as FROM:TO or with commas")
	}
	return s, nil
}

// steps are the values from one to another.
func steps(bounds []string) ([]string, error) {
	if len(bounds) < 2 || len(bounds) > 3 || bounds[len(bounds)-1] == "" {
		return nil, errors.New("want FROM:TO or FROM:TO:STEP")
	}
	return sweep.Steps(bounds[0], bounds[1], strings.Join(bounds[2:], ""))
}

// words are the flags that set the i-th value.
func (s *setting) words(i int) []string {
	if s.key != "" {
		return []string{"--" + strings.TrimSuffix(s.name, " "+s.key), s.key + "=" + s.labels[i]}
	}
	return []string{"--" + s.name, s.labels[i]}
}
