package cmdline

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// mostMS is more than a time of days has.
const mostMS = 1_000_000_000_000

// ParseDuration is [time.ParseDuration] that knows days, too: 7d, 1.5d, 1d12h.
func ParseDuration(text string) (time.Duration, error) {
	days, rest, has := strings.Cut(text, "d")
	if !has {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseFloat(days, 64)
	ms := n * 24 * float64(time.Hour/time.Millisecond)
	if err != nil || !(math.Abs(ms) < mostMS) || strings.ContainsAny(days, "xXpPeEiInN_") {
		return 0, fmt.Errorf("%q is no number of days", days)
	}
	sum := time.Duration(math.Round(ms)) * time.Millisecond
	if rest == "" {
		return sum, nil
	}
	more, err := time.ParseDuration(rest)
	if err != nil || more < 0 || sum < 0 || strings.HasPrefix(rest, "+") {
		return 0, fmt.Errorf("%q does not follow days", rest)
	}
	return sum + min(more, math.MaxInt64-sum), nil
}

// ParseTime reads a time of 1 ms or more, such as 90s, 10m, 2h or 7d. The error says what was wanted: of a number without a unit, which people mean as
// seconds, minutes and milliseconds, the unit.
func ParseTime(text string) (int64, error) {
	if err := unsigned(text); err != nil {
		return 0, err
	}
	if d, err := ParseDuration(text); err == nil && d >= time.Millisecond {
		return d.Milliseconds(), nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		return 0, fmt.Errorf("it has no unit, want %ds, %dm, %dh or %dms", n, n, n, n)
	}
	if number := strings.TrimRight(text, "smhd"); number != text {
		if x, err := strconv.ParseFloat(number, 64); (err == nil || errors.Is(err, strconv.ErrRange)) && x > 1e4 { // a number, and none that is too short
			return 0, fmt.Errorf("it is too long, want at most %dd", mostMS/(24*time.Hour).Milliseconds())
		}
	}
	return 0, errors.New("want a positive time with a unit, such as 90s, 10m, 2h or 7d")
}

// ParseStart reads a time as [ParseTime] does, or 0: the start of a trace.
func ParseStart(text string) (int64, error) {
	if d, err := ParseDuration(text); err == nil && d == 0 {
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
