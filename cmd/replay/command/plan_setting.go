package command

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
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

// mostValues is how many values a setting may have.
const mostValues = 100_000

// parseSetting reads NAME=VALUES. The error says what was wanted.
func parseSetting(text string) (s setting, err error) {
	name, values, ok := strings.Cut(text, "=")
	s.name = strings.Join(strings.Fields(name), " ")
	flag, key, keyed := strings.Cut(s.name, " ")
	if !ok || flag == "" || keyed != (flag == "conf" || flag == "model") {
		return s, errors.New("want SETTING=VALUES such as nodes=4:400 or 'conf spark.locality.wait=0s:10s:1s'")
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

// steps are the values from one to another; the unit is that of each, or that of the step alone.
func steps(bounds []string) (labels []string, err error) {
	if len(bounds) < 2 || len(bounds) > 3 {
		return nil, errors.New("want FROM:TO or FROM:TO:STEP")
	}
	var xs []float64
	unit, decimals := "", 0
	for i, text := range bounds {
		number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%")
		if i > 0 && number+unit != text {
			return nil, fmt.Errorf("%q and %q have different units, want one", bounds[0], text)
		}
		unit = text[len(number):]
		x, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, fmt.Errorf("%q is no number", text)
		}
		if _, after, ok := strings.Cut(number, "."); ok {
			decimals = max(decimals, len(after))
		}
		xs = append(xs, x)
	}
	step := 1.0
	if len(xs) == 3 {
		step = xs[2]
	}
	n := (xs[1] - xs[0]) / step
	if !(step > 0) || !(n >= 1) || n > mostValues {
		return nil, fmt.Errorf("from %s to %s by %v, want 2 to %d values", bounds[0], bounds[1], step, mostValues)
	}
	for i := range int(n+1e-9) + 1 {
		labels = append(labels, strconv.FormatFloat(xs[0]+float64(i)*step, 'f', decimals, 64)+unit)
	}
	return labels, nil
}

// words are the flags that set the i-th value.
func (s *setting) words(i int) []string {
	if s.key != "" {
		return []string{"--" + strings.TrimSuffix(s.name, " "+s.key), s.key + "=" + s.labels[i]}
	}
	return []string{"--" + s.name, s.labels[i]}
}
