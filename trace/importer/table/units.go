package table

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// quantity is what kind of value a role wants.
type quantity int

const (
	text quantity = iota
	instant
	span
	count
	cores
	memory
)

// unit is a unit of a quantity. Values count in ms, thousandths of a vcore, and bytes.
type unit struct {
	names []string // the first is that of messages
	per   float64
}

var (
	times = []unit{
		{[]string{"ns", "nanos", "nanoseconds"}, 1e-6}, {[]string{"us", "µs", "micros", "microseconds"}, 1e-3},
		{[]string{"ms", "millis", "msec", "milliseconds"}, 1}, {[]string{"s", "sec", "secs", "second", "seconds"}, 1000},
		{[]string{"min", "mins", "minute", "minutes"}, 60_000}, {[]string{"h", "hr", "hrs", "hour", "hours"}, 3600_000},
		{[]string{"d", "day", "days"}, 24 * 3600_000},
	}
	// As YARN says MB, MB and GB are MiB and GiB.
	sizes = []unit{
		{[]string{"B", "bytes", "byte"}, 1}, {[]string{"KiB", "kb", "k", "ki"}, 1 << 10}, {[]string{"MiB", "mb", "m", "mi"}, 1 << 20},
		{[]string{"GiB", "gb", "g", "gi"}, 1 << 30}, {[]string{"TiB", "tb", "t", "ti"}, 1 << 40},
	}
	vcores = []unit{
		{[]string{"vcores", "cores", "vcore", "core", "cpus", "cpu"}, 1000}, {[]string{"milli", "millicores", "millis", "millicpu", "m"}, 1}, {[]string{"percent", "pct"}, 10},
	}
)

func (q quantity) all() []unit {
	switch q {
	case instant, span:
		return times
	case memory:
		return sizes
	case cores:
		return vcores
	}
	return nil
}

// unit is the unit of q that has a name, or nil.
func (q quantity) unit(name string) *unit {
	all := q.all()
	for i := range all {
		if slices.ContainsFunc(all[i].names, func(n string) bool { return strings.EqualFold(n, name) }) {
			return &all[i]
		}
	}
	return nil
}

// units lists the units of q for messages.
func (q quantity) units() string {
	var names []string
	for _, u := range q.all() {
		names = append(names, u.names[0])
	}
	return strings.Join(names, ", ")
}

// finer is the unit of times that is the next smaller one, or that of the smallest.
func finer(u unit) unit {
	i := slices.IndexFunc(times, func(t unit) bool { return t.per == u.per })
	return times[max(i-1, 0)]
}

func (u *unit) String() string { return u.names[0] }

// number reads a finite decimal number.
func number(s string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// large tells whether a value is a number that is more than any amount may be.
func large(s []byte) bool {
	v, ok := number(string(s))
	return ok && math.Abs(v) > 1e9
}

// of is a whole number of units as [scaled] has it.
func (u *unit) of(n int64) (int64, bool) {
	switch {
	case u.per >= 1 && math.Abs(float64(n)) < math.MaxInt64/2/u.per:
		return n * int64(u.per), true
	case u.per < 1:
		return n / int64(math.Round(1/u.per)), true
	}
	return 0, false
}

// whole reads a whole number of a few digits, as most are.
func whole(b []byte) (n int64, ok bool) {
	digits := b
	if len(b) > 0 && b[0] == '-' {
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	for _, c := range digits {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = 10*n + int64(c)
	}
	if len(digits) < len(b) {
		n = -n
	}
	return n, true
}

// scaled is a number of units in ms, thousandths or bytes, rounded. Whole numbers lose nothing.
func scaled(s string, u *unit) (int64, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return u.of(n)
	}
	v, ok := number(s)
	if v *= u.per; !ok || math.Abs(v) > 1<<53 {
		return 0, false
	}
	return int64(math.Round(v)), true
}

// layouts are the writings of instants that are no numbers. Without a zone they are in UTC. 03/01/2026 is none: it is March here and January there; with points the day is first.
var layouts = []string{
	"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999Z0700", "2006-01-02 15:04:05.999999999 Z07:00", "2006-01-02 15:04:05.999999999 Z0700", "2006-01-02 15:04:05.999999999 MST",
	"2006-01-02T15:04:05.999999999 Z07:00", "2006-01-02T15:04:05.999999999 Z0700", "2006-01-02 15:04:05.999999999Z07", "2006-01-02T15:04:05.999999999Z07",
	"2006-01-02 15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02", "2006/01/02 15:04:05.999999999", "2006/01/02 15:04", "2006/01/02",
	"Mon, 02 Jan 2006 15:04:05 MST", "Mon, 02 Jan 2006 15:04:05 Z0700", "02/Jan/2006:15:04:05 Z0700", "Mon Jan _2 15:04:05 2006", "Mon Jan _2 15:04:05 MST 2006",
	"2 Jan 2006 15:04:05.999999999", "2 Jan 2006 15:04", "Jan _2 2006 15:04:05.999999999", "Jan _2, 2006 15:04:05", "Jan _2, 2006 @ 15:04:05", "Jan _2, 2006 3:04:05 PM", "Jan _2, 2006, 3:04:05 PM",
	"2.1.2006 15:04:05", "2.1.2006 15:04", "2.1.2006, 15:04:05", "2.1.2006",
	"20060102T150405Z07:00", "20060102T150405Z0700", "20060102T150405", "20060102150405", "200601021504", "20060102",
}

// dated tells whether a number is a date of the years 1970 to 2099 without anything between its parts: 20260102, with hours and minutes, or with seconds.
func dated(s string) bool {
	if len(s) != 8 && len(s) != 12 && len(s) != 14 || s < "1970" || s >= "2100" {
		return false
	}
	if _, ok := whole([]byte(s)); !ok {
		return false
	}
	layout := len(layouts) - 1
	_, ok := timestamp(s, &layout)
	return ok
}

// timestamp reads an instant that is written as a date; layout is the place of the last one that fitted.
func timestamp(s string, layout *int) (ms int64, ok bool) {
	if len(s) < 8 || len(s) > 40 || s[4] != '-' && s[4] != '/' && s[1] != '.' && s[2] != '.' && !strings.ContainsAny(s, "JFMASOND") { // the name of a month
		if _, digits := whole([]byte(s[:min(len(s), 8)])); len(s) < 8 || !digits {
			return 0, false
		}
	}
	for i := range layouts {
		k := (*layout + i) % len(layouts)
		if t, err := time.Parse(layouts[k], s); err == nil {
			if strings.Contains(layouts[k], "MST") && !strings.Contains(s, "UTC") && !strings.Contains(s, "GMT") {
				continue // the names of other zones say nothing here
			}
			*layout = k
			return t.UnixMilli(), true
		}
	}
	return 0, false
}

// zoned tells whether a writing of instants has a zone.
func zoned(layout int) bool {
	return strings.Contains(layouts[layout], "Z07") || strings.Contains(layouts[layout], "MST")
}

// duration reads a length of time that is no plain number: 1h30m, 90s, 2d3h, 01:02:03.5, 1-02:03:04, "1 day, 2:03:04", PT1H30M.
func duration(s string) (ms int64, ok bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if strings.Contains(s, ":") {
		return clock(s)
	}
	s = strings.TrimPrefix(s, "p")
	total, parts := 0.0, 0
	for s = strings.TrimLeft(s, " t,"); s != ""; s = strings.TrimLeft(s, " t,") {
		n := 0
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.') {
			n++
		}
		v, ok := number(s[:n])
		s = strings.TrimLeft(s[n:], " ")
		for n = 0; n < len(s) && (s[n] < '0' || s[n] > '9') && s[n] != ' ' && s[n] != ','; n++ {
			if s[n] == 't' && n > 0 && s[n-1] == 'd' { // P1DT2H
				break
			}
		}
		name := s[:n]
		if name == "m" {
			name = "min"
		}
		u := span.unit(name)
		if !ok || u == nil {
			return 0, false
		}
		total += float64(v * u.per)
		s = s[n:]
		parts++
	}
	return int64(math.Round(total)), parts > 0 && total < 1<<53
}

// clock reads [D-]HH:MM[:SS[.f]], where days may also be written "1 day, " or "1 days ". Two numbers are minutes and seconds.
func clock(s string) (ms int64, ok bool) {
	days := 0.0
	for _, between := range []string{" days, ", " day, ", " days ", " day ", "-", "d "} {
		if before, rest, found := strings.Cut(s, between); found {
			if days, ok = number(before); !ok {
				return 0, false
			}
			s = rest
			break
		}
	}
	fields := strings.Split(s, ":")
	if len(fields) > 3 {
		return 0, false
	}
	seconds := 0.0
	for _, f := range fields {
		v, ok := number(f)
		if !ok || v < 0 {
			return 0, false
		}
		seconds = float64(seconds*60) + v
	}
	if len(fields) == 2 && days > 0 { // 1-02:03 is days, hours, minutes
		seconds *= 60
	}
	total := (float64(days*24*3600) + seconds) * 1000
	return int64(math.Round(total)), days >= 0 && total < 1<<53
}

// size reads a memory that has a unit: 4G, 512 MB, 2.5GiB.
func size(s string) (bytes int64, ok bool) {
	s, _ = slurmEach(s)
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.') {
		n++
	}
	u := memory.unit(strings.TrimSpace(s[n:]))
	if n == 0 || u == nil {
		return 0, false
	}
	return scaled(s[:n], u)
}
