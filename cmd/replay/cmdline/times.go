package cmdline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"replay/duration"
)

// ParseTime reads a time of 1 ms or more, such as 90s, 10m, 2h or 7d. The error says what was wanted: of a number without a unit, which people mean as
// seconds, minutes and milliseconds, the unit.
func ParseTime(text string) (int64, error) {
	if err := unsigned(text); err != nil {
		return 0, err
	}
	d, err := duration.Parse(text)
	if errors.Is(err, duration.ErrTooLong) {
		return 0, err
	}
	if err == nil && d >= time.Millisecond {
		return d.Milliseconds(), nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		return 0, fmt.Errorf("it has no unit, want %ds, %dm, %dh or %dms", n, n, n, n)
	}
	return 0, errors.New("want a positive time with a unit, such as 90s, 10m, 2h or 7d")
}

// ParseStart reads a time as [ParseTime] does, or 0: the start of a trace.
func ParseStart(text string) (int64, error) {
	if d, err := duration.Parse(text); err == nil && d == 0 {
		return 0, nil
	}
	return ParseTime(text)
}

// ParseSpans reads a number of spans and their length, such as 20x1m. The error says what was wanted.
func ParseSpans(text string) (n int, ms int64, err error) {
	number, length, ok := strings.Cut(text, "x")
	n, err = strconv.Atoi(number)
	if !ok || err != nil || unsigned(text) != nil || n < 1 {
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
