package conf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"replay/policy/resource"
)

// Units of times in Spark's configuration, in microseconds.
const (
	microsecond = 1
	millisecond = 1000 * microsecond
	second      = 1000 * millisecond
)

var timeSuffixes = map[string]int64{
	"us": microsecond, "ms": millisecond, "s": second,
	"m": 60 * second, "min": 60 * second, "h": 3600 * second, "d": 24 * 3600 * second,
}

// Units of sizes, in bytes.
const (
	byteUnit = 1
	kibibyte = 1 << 10
	mebibyte = 1 << 20
	gibibyte = 1 << 30
)

var sizeSuffixes = map[string]int64{
	"b": byteUnit, "k": kibibyte, "kb": kibibyte, "m": mebibyte, "mb": mebibyte,
	"g": gibibyte, "gb": gibibyte, "t": 1 << 40, "tb": 1 << 40, "p": 1 << 50, "pb": 1 << 50,
}

// splitUnit splits text such as "10s" into its number and its suffix, both as written in lower case.
func splitUnit(text string) (number, suffix string) {
	text = strings.ToLower(strings.TrimSpace(text))
	end := len(text)
	for end > 0 && text[end-1] >= 'a' && text[end-1] <= 'z' {
		end--
	}
	return text[:end], text[end:]
}

// unitValue returns the number of text and the size of its unit; bare numbers are in unit.
func unitValue(text string, unit int64, suffixes map[string]int64, example string) (n, from int64, err error) {
	number, suffix := splitUnit(text)
	n, err = strconv.ParseInt(number, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, 0, errors.New("want a number of 64 bits")
	}
	if err != nil || number[0] == '+' {
		return 0, 0, fmt.Errorf("want a whole number with an optional unit, such as %s", example)
	}
	from = unit
	if suffix != "" {
		var ok bool
		if from, ok = suffixes[suffix]; !ok {
			return 0, 0, fmt.Errorf("unknown unit %q, want a number such as %s", suffix, example)
		}
	}
	return n, from, nil
}

// parseTime returns text in unit (microsecond, millisecond or second). A bare number is in unit, a
// finer one is truncated toward zero, and what does not fit is the nearest 64-bit number.
//
// Source: JavaUtils.timeStringAs.
func parseTime(text string, unit int64) (int64, error) {
	n, from, err := unitValue(text, unit, timeSuffixes, "500ms, 3s, 2min, 1h or 1d")
	if err != nil {
		return 0, err
	}
	if from < unit {
		return n / (unit / from), nil
	}
	return mulSaturated(n, from/unit), nil
}

// mulSaturated returns n*by for by > 0, or the nearest number of 64 bits.
func mulSaturated(n, by int64) int64 {
	switch {
	case n > math.MaxInt64/by:
		return math.MaxInt64
	case n < math.MinInt64/by:
		return math.MinInt64
	}
	return n * by
}

// parseSize returns text in unit (byteUnit to gibibyte), truncated. It is never negative.
//
// Source: JavaUtils.byteStringAs.
func parseSize(text string, unit int64) (int64, error) {
	n, from, err := unitValue(text, unit, sizeSuffixes, "512m, 4g or 1t")
	switch {
	case err != nil:
		return 0, err
	case n < 0:
		return 0, errors.New("want 0 or more")
	case from < unit:
		return n / (unit / from), nil
	case n > math.MaxInt64/(from/unit):
		return 0, errors.New("want a size of at most 64 bits")
	}
	return n * (from / unit), nil
}

// parseCount returns a 32-bit number as Java reads it.
func parseCount(text string) (int, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
	if err != nil {
		return 0, errors.New("want a whole number of 32 bits")
	}
	return int(n), nil
}

// parseFraction returns a finite float64.
func parseFraction(text string) (float64, error) {
	x, ok := resource.ParseFloat(text, 64)
	if !ok {
		return 0, errors.New("want a number such as 0.75")
	}
	return x, nil
}

// parseBool returns true or false, written in any case.
func parseBool(text string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, errors.New("want true or false")
}
