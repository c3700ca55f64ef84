package command

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/report"
)

// with lets a flag refuse values.
func with(flag describedFlag, check check) cli.Flag {
	if list, ok := flag.(*cli.StringSliceFlag); ok {
		return &checkedList{list, check}
	}
	return &checked{flag, check}
}

// aTime wants a time of a trace.
func aTime(value string) error {
	_, err := parseTime(value)
	return err
}

// positive wants a number above 0.
func positive(value string) error {
	if x, err := strconv.ParseFloat(value, 64); err != nil || !(x > 0) || math.IsInf(x, 0) {
		return errors.New("want a positive number")
	}
	return nil
}

// notNegative wants a number of 0 or more.
func notNegative(value string) error {
	if x, err := strconv.ParseFloat(value, 64); err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return errors.New("want a number of 0 or more")
	}
	return nil
}

// fromTo wants a whole number from least to most.
func fromTo(least, most int64) func(string) error {
	return func(value string) error {
		if n, err := strconv.ParseInt(value, 0, 64); err != nil || n < least || n > most {
			return fmt.Errorf("want %d to %d", least, most)
		}
		return nil
	}
}

// mostNodes bounds a cluster: a billion nodes do not fit the memory, and none has been built of more than some ten thousand.
const mostNodes = 1_000_000

// from1To wants a whole number from 1 to most.
func from1To(most int64) func(string) error {
	return func(value string) error {
		if n, err := strconv.ParseInt(value, 0, 64); err != nil || n < 1 || n > most {
			if most == math.MaxInt32 {
				return errors.New("want 1 or more")
			}
			return fmt.Errorf("want 1 to %d", most)
		}
		return nil
	}
}

// oneOf wants one of the names.
func oneOf(names ...string) func(string) error {
	return func(value string) error {
		if slices.Contains(names, value) {
			return nil
		}
		text := strings.Join(names, ", ")
		if n := len(names); n > 1 {
			text = strings.Join(names[:n-1], ", ") + " or " + names[n-1]
		}
		return fmt.Errorf("want %s%s", text, meant("", value, names))
	}
}

// aPair wants a name and a value, such as KEY=VALUE.
func aPair(want string) func(string) error {
	return func(value string) error {
		if key, _, ok := strings.Cut(value, "="); !ok || strings.TrimSpace(key) == "" {
			return fmt.Errorf("want %s", want)
		}
		return nil
	}
}

// plots wants formats of plots.
func plots(value string) error {
	_, err := plotFormats(value)
	return err
}

// formatsFlag is the flag for the formats of plots.
func formatsFlag(value string) cli.Flag {
	return with(&cli.StringFlag{Name: "formats", Value: value, Usage: "`FORMATS` of the plots: svg, png, pdf, separated by commas; none for no plots"}, plots)
}

// plotFormats reads a list of plot formats.
func plotFormats(list string) ([]string, error) {
	if list == "none" || list == "" {
		return nil, nil
	}
	formats := strings.Split(list, ",")
	for _, f := range formats {
		if !slices.Contains(report.Formats(), f) {
			return nil, fmt.Errorf("want %s, separated by commas, or none", strings.Join(report.Formats(), ", "))
		}
	}
	return formats, nil
}
