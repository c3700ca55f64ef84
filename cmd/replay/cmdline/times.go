package cmdline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseTime reads a time of 1 ms or more: a Go duration such as 90s, 10m or 2h. The error says what was wanted: of a number without a unit, which people mean as
// seconds, minutes and milliseconds, the unit.
func ParseTime(text string) (int64, error) {
	if d, err := time.ParseDuration(text); err == nil && d >= time.Millisecond {
		return d.Milliseconds(), nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		return 0, fmt.Errorf("it has no unit, want %ds, %dm, %dh or %dms", n, n, n, n)
	}
	return 0, errors.New("want a positive time with a unit, such as 90s, 10m or 2h")
}

// ParseSpans reads a number of spans and their length, such as 20x1m. The error says what was wanted.
func ParseSpans(text string) (n int, ms int64, err error) {
	number, length, ok := strings.Cut(text, "x")
	n, err = strconv.Atoi(number)
	if !ok || err != nil || n < 1 {
		return 0, 0, errors.New("want a number and a time, such as 20x1m")
	}
	ms, err = ParseTime(length)
	return n, ms, err
}

// ASpans wants spans.
func ASpans(value string) error {
	_, _, err := ParseSpans(value)
	return err
}
