package autoscale

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"replay/duration"
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

// A Reader reads settings. Its methods are told what holds without a key, and bounds; the keys that were asked for are those that the policy has. The first mistake is kept; what is read after it is worth nothing.
type Reader struct {
	settings Settings
	policy   string
	known    []string
	Ignored  []string // keys and beginnings of keys that have no effect
	resolved map[string]string
	wrong    error
}

// Fail keeps the mistake that the value of a key is not what is wanted.
func (r *Reader) Fail(key, wanted string) {
	s := r.settings[key]
	r.wrong = cmp.Or(r.wrong, fmt.Errorf("%s: %s is %q, want %s", s.Place, key, s.Value, wanted))
}

// err is the first mistake: a value, or a key that the policy does not know.
func (r *Reader) err() error {
	for _, key := range slices.Sorted(maps.Keys(r.settings)) {
		if !slices.Contains(r.known, key) && !slices.ContainsFunc(r.Ignored, func(x string) bool { return key == x || strings.HasPrefix(key, x+".") }) {
			s := r.settings[key]
			return fmt.Errorf("%s: %s=%s is no key of autoscaling %s, want one of %s", s.Place, key, s.Value, r.policy, strings.Join(slices.Sorted(slices.Values(r.known)), ", "))
		}
	}
	return r.wrong
}

// Text returns the value of a key, or what holds without it.
func (r *Reader) Text(key, without string) string {
	r.known = append(r.known, key)
	value := without
	if s, ok := r.settings[key]; ok {
		value = s.Value
	}
	r.resolved[key] = value
	return value
}

// Has reports whether a key is set.
func (r *Reader) Has(key string) bool { _, ok := r.settings[key]; return ok }

// Needs complains about keys that must be set and are not, all at once.
func (r *Reader) Needs(keys ...string) {
	missing := slices.DeleteFunc(slices.Clone(keys), r.Has)
	if len(missing) == 0 {
		return
	}
	are := "is"
	if len(missing) > 1 {
		are = "are"
	}
	r.wrong = cmp.Or(r.wrong, fmt.Errorf("autoscaling %s: %s %s missing: want a value of each in the file of --autoscale-conf, or in --conf autoscale.%s=VALUE (docs/autoscale.md has examples)",
		r.policy, strings.Join(missing, ", "), are, missing[0]))
}

// Count reads a number.
func (r *Reader) Count(key string, without, least, most int) int {
	n, err := strconv.Atoi(r.Text(key, strconv.Itoa(without)))
	if err != nil || n < least || n > most {
		r.Fail(key, fmt.Sprintf("a number from %d to %d", least, most))
	}
	return n
}

// billion is what fractions are of.
const billion = 1_000_000_000

// Fraction reads a decimal number from 0 to 1, exactly, in billionths.
func (r *Reader) Fraction(key, without string) int64 {
	text := r.Text(key, without)
	whole, part, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(cmp.Or(whole, "0")+(part + "000000000")[:max(9, len(part))], 10, 63)
	if err != nil || len(part) > 9 || text == "." || n > billion {
		r.Fail(key, "a decimal number from 0.0 to 1.0 with at most nine digits")
		return 0
	}
	return int64(n)
}

// Yes reads true or false; without the key it is false.
func (r *Reader) Yes(key string) bool {
	b, err := strconv.ParseBool(r.Text(key, "false"))
	if err != nil {
		r.Fail(key, "true or false")
	}
	return b
}

// parseTime reads 90s, 2m, 1h30m or 1d.
func parseTime(text string) (int64, bool) {
	d, err := duration.Parse(text)
	return d.Milliseconds(), err == nil
}

// Time reads 90s, 2m, 1h30m or 1d, in ms.
func (r *Reader) Time(key, without string, least, most int64) int64 {
	ms, ok := parseTime(r.Text(key, without))
	if !ok || ms < least || ms > most {
		r.Fail(key, fmt.Sprintf("a time from %v to %v, such as 90s, 2m, 1h or 1d", time.Duration(least)*time.Millisecond, time.Duration(most)*time.Millisecond))
	}
	return ms
}

// Times reads one time, or two as FROM..TO.
func (r *Reader) Times(key, without string, least, most int64) (from, to int64) {
	a, b, two := strings.Cut(r.Text(key, without), "..")
	if !two {
		b = a
	}
	from, ok := parseTime(a)
	to, also := parseTime(b)
	if !ok || !also || from < least || to < from || to > most {
		r.Fail(key, "a time such as 90s, or two as 60s..3m between which it is drawn")
	}
	return from, to
}

// Size reads MEMORYxVCORES.
func (r *Reader) Size(key string, without Size) Size {
	if !r.Has(key) {
		r.known = append(r.known, key)
		return without
	}
	mem, vcores, _ := strings.Cut(r.Text(key, ""), "x")
	m, err := strconv.ParseInt(mem, 10, 40)
	v, also := strconv.ParseInt(vcores, 10, 31)
	if err != nil || also != nil || m < 1 || v < 1 {
		r.Fail(key, "MEMORYxVCORES with the memory in MiB, such as 65536x16")
	}
	return Size{m, v}
}
