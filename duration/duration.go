// Package duration reads lengths of time as people write them, 90s, 1h30m or 7d: the same wherever the program takes one.
package duration

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"
)

const day = 24 * time.Hour

// Most is the longest: some 31 years, so that a few of them together stay far from what 64 bits of ns hold.
const Most = 11574 * day

// ErrTooLong is the error of what is a length of time, and beyond [Most].
var ErrTooLong = fmt.Errorf("it is too long, want at most %dd", Most/day)

var errForm = errors.New("want a time with a unit, such as 90s, 10m, 2h or 7d")

const number = `(?:[0-9]+\.?[0-9]*|\.[0-9]+)`

var form = regexp.MustCompile(`^([+-]?)(?:(` + number + `)d)?((?:` + number + `(?:h|m|s|ms|us|µs|μs|ns))*)$`)

// Parse is [time.ParseDuration] that knows days, too, which stand first (7d, 1.5d, 1d12h; in whole ms), and gives none beyond [Most] to either side of 0.
func Parse(text string) (time.Duration, error) {
	m := form.FindStringSubmatch(text)
	if text == "0" {
		return 0, nil
	}
	if m == nil || m[2]+m[3] == "" {
		return 0, errForm
	}
	var sum time.Duration
	if m[2] != "" {
		n, err := strconv.ParseFloat(m[2], 64)
		if err != nil || n > float64(Most/day) {
			return 0, ErrTooLong
		}
		sum = time.Duration(math.Round(n*float64(day/time.Millisecond))) * time.Millisecond
	}
	if m[3] != "" {
		rest, err := time.ParseDuration(m[3])
		if err != nil || rest > Most-sum {
			return 0, ErrTooLong
		}
		sum += rest
	}
	if m[1] == "-" {
		return -sum, nil
	}
	return sum, nil
}
