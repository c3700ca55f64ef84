package autoscale

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Setting is a value and where it stands, for messages.
type Setting struct{ Value, Place string }

// Settings are by key, with dots between the parts of one.
type Settings map[string]Setting

const (
	second = int64(1000)
	minute = 60 * second
	day    = 24 * 60 * minute
)

// A Reader reads settings. The first mistake is kept; what is read after it is worth nothing.
type Reader struct {
	settings Settings
	policy   string
	known    []string
	ignored  []string // keys and beginnings of keys that have no effect
	resolved map[string]string
	wrong    error
}

func (r *Reader) fail(key, wanted string) {
	s := r.settings[key]
	r.wrong = cmp.Or(r.wrong, fmt.Errorf("%s: %s is %q, want %s", s.Place, key, s.Value, wanted))
}

// err is the first mistake: a value, or a key that the policy does not know.
func (r *Reader) err() error {
	for _, key := range slices.Sorted(maps.Keys(r.settings)) {
		if !slices.Contains(r.known, key) && !slices.ContainsFunc(r.ignored, func(x string) bool { return key == x || strings.HasPrefix(key, x+".") }) {
			s := r.settings[key]
			return fmt.Errorf("%s: %s=%s is no key of autoscaling %s, want one of %s", s.Place, key, s.Value, r.policy, strings.Join(slices.Sorted(slices.Values(r.known)), ", "))
		}
	}
	return r.wrong
}

// text returns the value of a key, or what holds without it.
func (r *Reader) text(key, without string) string {
	r.known = append(r.known, key)
	value := without
	if s, ok := r.settings[key]; ok {
		value = s.Value
	}
	r.resolved[key] = value
	return value
}

// has reports whether a key is set.
func (r *Reader) has(key string) bool { _, ok := r.settings[key]; return ok }

// needs complains about a key that must be set and is not.
func (r *Reader) needs(keys ...string) {
	for _, key := range keys {
		if !r.has(key) {
			r.wrong = cmp.Or(r.wrong, fmt.Errorf("autoscaling %s: %s is missing", r.policy, key))
		}
	}
}

func (r *Reader) count(key string, without, least, most int) int {
	n, err := strconv.Atoi(r.text(key, strconv.Itoa(without)))
	if err != nil || n < least || n > most {
		r.fail(key, fmt.Sprintf("a number from %d to %d", least, most))
	}
	return n
}

// billion is what fractions are of.
const billion = 1_000_000_000

// fraction reads a decimal number from 0 to 1, exactly, in billionths.
func (r *Reader) fraction(key, without string) int64 {
	text := r.text(key, without)
	whole, part, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(cmp.Or(whole, "0")+(part + "000000000")[:max(9, len(part))], 10, 63)
	if err != nil || len(part) > 9 || text == "." || n > billion {
		r.fail(key, "a decimal number from 0.0 to 1.0 with at most nine digits")
		return 0
	}
	return int64(n)
}

func (r *Reader) yes(key string) bool {
	b, err := strconv.ParseBool(r.text(key, "false"))
	if err != nil {
		r.fail(key, "true or false")
	}
	return b
}

// parseTime reads 90s, 2m, 1h30m or 1d.
func parseTime(text string) (int64, bool) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseInt(days, 10, 32)
		return n * day, err == nil
	}
	d, err := time.ParseDuration(text)
	return d.Milliseconds(), err == nil
}

func (r *Reader) time(key, without string, least, most int64) int64 {
	ms, ok := parseTime(r.text(key, without))
	if !ok || ms < least || ms > most {
		r.fail(key, fmt.Sprintf("a time from %v to %v, such as 90s, 2m, 1h or 1d", time.Duration(least)*time.Millisecond, time.Duration(most)*time.Millisecond))
	}
	return ms
}

// times reads one time, or two as FROM..TO.
func (r *Reader) times(key, without string, least, most int64) (from, to int64) {
	a, b, two := strings.Cut(r.text(key, without), "..")
	if !two {
		b = a
	}
	from, ok := parseTime(a)
	to, also := parseTime(b)
	if !ok || !also || from < least || to < from || to > most {
		r.fail(key, "a time such as 90s, or two as 60s..3m between which it is drawn")
	}
	return from, to
}

// size reads MEMORYxVCORES.
func (r *Reader) size(key string, without Size) Size {
	if !r.has(key) {
		r.known = append(r.known, key)
		return without
	}
	mem, vcores, _ := strings.Cut(r.text(key, ""), "x")
	m, err := strconv.ParseInt(mem, 10, 40)
	v, also := strconv.ParseInt(vcores, 10, 31)
	if err != nil || also != nil || m < 1 || v < 1 {
		r.fail(key, "MEMORYxVCORES with the memory in MiB, such as 65536x16")
	}
	return Size{m, v}
}
