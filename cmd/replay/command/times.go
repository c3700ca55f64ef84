package command

import (
	"errors"
	"strconv"
	"time"
)

// parseTime reads a time: whole milliseconds without a unit, or a Go duration such as 90s, 10m or 2h.
// The error says what was wanted.
func parseTime(text string) (int64, error) {
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && ms > 0 {
		return ms, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= time.Millisecond {
		return d.Milliseconds(), nil
	}
	return 0, errors.New("want a positive time in ms or with a unit (90s, 10m, 2h)")
}
