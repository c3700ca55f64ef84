package table

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"replay/trace"
)

// form is how the values of a column are written.
type form int

const (
	plain   form = iota // as they stand
	numbers             // of a unit
	dates               // 2026-01-02T03:04:05Z and the like
	withUnits
)

// column is a column with a role, and how its values are read.
type column struct {
	binding
	role   role
	form   form
	unit   unit
	layout int // of dates
	epoch  bool
	early  bool // most are dates before the first instant that counts from 1970 as a number
	open   bool // no value was seen that says how they are written
	typed  bool // the unit is that of the type of the column
	commas bool // decimal numbers have a comma in place of the point
	said   string
	beside *column // of a span: instants that are numbers of a unit finer than seconds
	doubt  string  // about its unit, for a warning
	late   int64   // MiB from which on the unit would have been MiB, if it was found by smaller ones; 0 = none
}

// Bounds of instants that count from 1970, in ms: the years 1900 and 2200. What is outside stands for none, such as 9999-12-31 or the largest number that there is.
const (
	earliestMS = -2_208_988_800_000
	latestMS   = 7_258_118_400_000
)

// times are the bounds of the instants of a column, ms. One that says when its row was submitted is, among those that count from 1970, no number below those that do, and no date
// before these where most are later: a 0 stands for none.
func (c *column) times(submits bool) (least, most int64) {
	switch {
	case !c.epoch:
		return -trace.LatestMS, trace.LatestMS
	case submits && !c.early:
		return firstEpochMS, latestMS
	}
	return earliestMS, latestMS
}

// absent tells whether a value stands for none.
func absent(s string) bool {
	switch s {
	case "", "null", "NULL", "Null", "None", "none", "NaN", "nan", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaT", `\N`, "(null)", "-", "Unknown":
		return true
	}
	return false
}

// retype takes the unit that the type of the column has in a further file: writers differ, such as Spark's microseconds and pandas' nanoseconds.
func (c *column) retype(u *unit) error {
	switch {
	case c.open && c.typed && u == nil: // there was no value of that type
		c.typed, c.binding.unit = false, nil
	case c.open:
		c.typed = u != nil
	case c.typed != (u != nil):
		what := [...]string{"numbers or text", "a timestamp or duration"}
		if c.typed {
			what[0], what[1] = what[1], what[0]
		}
		return fmt.Errorf("column %s is %s, and in the first file %s; want one type in all files, or import them one by one", c.name, what[1], what[0])
	}
	if u != nil {
		c.unit, c.binding.unit = *u, u
	}
	return nil
}

// settle finds how the values are written, of which some are given. A value that fits no form that the role has is an error.
func (c *column) settle(values []string) error {
	values = slices.DeleteFunc(slices.Clone(values), absent)
	of := known[c.role].of
	if of == memory && slices.ContainsFunc(values, func(v string) bool { _, ok := size(v); return ok }) {
		values = slices.DeleteFunc(values, slurmNone)
	}
	if of == text || len(values) == 0 {
		c.said = fmt.Sprintf("%s is %s", c.role, c.name)
		if len(values) == 0 {
			c.form, c.unit = numbers, of.usual()
			c.said += ", which is empty at first"
		}
		c.open = of != text
		if of == text {
			c.form = plain
		}
		return nil
	}
	c.open = false
	if (of == span || of == memory || of == cores) && decimalCommas(values) {
		c.commas = true
		for i, v := range values {
			values[i], _ = pointed(v)
		}
	}
	if of == instant && c.binding.unit == nil && allDated(values) {
		c.form = dates
		c.measure(of, values)
		return nil
	}
	var fits [4]int
	var first [4]string // of each form
	worst := ""         // that is neither
	for _, v := range values {
		form, ok := c.formOf(of, v)
		if ok {
			if fits[form]++; fits[form] == 1 {
				first[form] = v
			}
		} else if worst == "" {
			worst = v
		}
	}
	if of == cores && fits[withUnits] > 0 { // 2 and 500m may stand in one column
		fits[withUnits], fits[numbers] = fits[withUnits]+fits[numbers], 0
	}
	for f := range fits {
		if fits[f] > fits[c.form] {
			c.form = form(f)
		}
	}
	if both := slices.DeleteFunc(first[:], absent); 2*fits[c.form] <= len(values) && worst == "" {
		return fmt.Errorf("column %s is to be %s, but has values such as %q beside such as %q; want one way of writing them", c.name, c.role, both[0], both[1])
	}
	if 2*fits[c.form] <= len(values) {
		want := of.want()
		if _, ok := number(strings.ReplaceAll(worst, ",", "")); ok {
			want += "; numbers have no commas between thousands"
		}
		return fmt.Errorf("column %s is to be %s, but has values such as %q; want %s", c.name, c.role, worst, want)
	}
	c.measure(of, values)
	return nil
}

// usual is the unit of numbers without one.
func (q quantity) usual() unit {
	switch q {
	case instant, span:
		return *q.unit("s")
	case memory:
		return *q.unit("MiB")
	case cores:
		return *q.unit("vcores")
	}
	return unit{names: []string{""}, per: 1}
}

// want says in words what a column of q may hold.
func (q quantity) want() string {
	switch q {
	case instant:
		return "numbers of seconds, ms, µs or ns, or dates such as 2026-01-02T03:04:05Z"
	case span:
		return "numbers, or durations such as 1h30m or 01:30:00"
	case memory:
		return "numbers, or sizes such as 4GiB"
	case cores:
		return "numbers, or thousandths such as 500m"
	case count:
		return "whole numbers"
	}
	return "text"
}

func (c *column) formOf(of quantity, v string) (form, bool) {
	if _, ok := number(v); ok {
		return numbers, true
	}
	ok := false
	switch of {
	case instant:
		_, ok = timestamp(v, &c.layout)
		return dates, ok
	case span:
		_, ok = duration(v)
	case memory:
		_, ok = size(v)
	case cores:
		ok = strings.HasSuffix(v, "m")
		if ok {
			_, ok = number(v[:len(v)-1])
		}
	case count:
		if c.role == roleGPU {
			_, ok = tresGPUs(v)
		}
	}
	return withUnits, ok
}

// measure finds the unit of numbers, and says what the column is.
func (c *column) measure(of quantity, values []string) {
	how := ""
	switch {
	case c.form == dates:
		c.epoch = true
		how, c.early = datesSaid(values)
	case c.form == withUnits:
		how = map[quantity]string{span: "durations", memory: "sizes", cores: "thousandths", count: "what gres/gpu is in amounts"}[of] + " such as " + values[0]
	case of == count:
		c.unit = of.usual()
	default:
		largest, why := largestOf(values), ""
		if of == instant {
			largest = c.usualOf(values)
		}
		if c.binding.unit != nil {
			c.unit = *c.binding.unit
		} else if c.unit, why = unitOf(of, largest); c.beside != nil {
			why = c.unitBeside(values, largest)
		}
		if of == memory && c.binding.unit == nil {
			if c.unit.per == 1<<30 {
				c.late = mostGiB << 10
			}
			if other := otherSize(values, largest); other != "" {
				c.doubt = fmt.Sprintf("%s is taken as %s (%s); if it is %s, --map %s=%s:%[4]s says so", c.name, &c.unit, why, other, c.role, c.name)
			}
		}
		if of == cores && c.binding.unit == nil && percents(values, largest) {
			c.doubt = fmt.Sprintf("%s is taken as %s (the largest is %g); if it is percent, --map %s=%s:percent says so", c.name, &c.unit, largest, c.role, c.name)
		}
		if why != "" {
			why = " (" + why + ")"
		}
		c.epoch = of == instant && largest*c.unit.per >= firstEpochMS
		if c.epoch && c.binding.unit == nil && !c.recent(values) {
			why = " (" + c.unit.String() + " since 1970 would be of years before 1990 or after 2040)"
			c.unit, c.epoch = finer(c.unit), false
		}
		if of == instant && !c.epoch && c.binding.unit == nil && spreadsheetDays(values) {
			c.doubt = fmt.Sprintf("%s is taken as seconds from a start of its own, and may be days as spreadsheets count them, such as %s: if so, write it as dates such as 2026-01-02T03:04:05Z", c.name, values[0])
		}
		how = c.unit.String() + why
		if of == instant && c.epoch {
			how += " since 1970"
		} else if of == instant {
			how += " from a start of their own"
		}
	}
	if c.commas {
		how += ", with decimal commas"
	}
	c.said = fmt.Sprintf("%s is %s", c.role, c.name)
	if how != "" {
		c.said += ": " + how
	}
}

// largestOf is the largest number among values, without its sign.
func largestOf(values []string) (largest float64) {
	for _, v := range values {
		x, _ := number(v)
		largest = max(largest, math.Abs(x))
	}
	return largest
}

// usualOf is the largest of the instants that are as large as most, without those above: one that stands for "never" says nothing of the others. Instants of one unit, where it is not
// stated, are as large as each other; so are those that count from 1970, and those that do not. 0 and less may stand for "not yet".
func (c *column) usualOf(values []string) float64 {
	bounds := []float64{firstEpochMS / 1000, msFrom, usFrom, nsFrom}
	if u := c.binding.unit; u != nil {
		bounds = []float64{firstEpochMS / u.per}
	}
	at := func(x float64) int { return sort.Search(len(bounds), func(i int) bool { return x < bounds[i] }) }
	largest, n := make([]float64, len(bounds)+1), make([]int, len(bounds)+1)
	for _, v := range values {
		if x, ok := number(v); ok && x > 0 {
			largest[at(x)] = max(largest[at(x)], x)
			n[at(x)]++
		}
	}
	usual := 0
	for i := range n {
		if n[i] > 0 && n[i] >= n[usual] {
			usual = i
		}
	}
	if n[usual] == 0 {
		return largestOf(values)
	}
	return largest[usual]
}

// recent tells whether nine of ten instants that may count from 1970 are of the years 1990 to 2040, as those of clocks are. Google's count microseconds from a start of their own. One that
// stands for none says nothing, if there are others.
func (c *column) recent(values []string) bool {
	n, recent, beyond := 0, 0, 0
	for _, v := range values {
		x, _ := number(v)
		x *= c.unit.per
		switch {
		case x < firstEpochMS:
		case x > latestMS:
			beyond++
		default:
			if n++; x >= recentFromMS && x < recentToMS {
				recent++
			}
		}
	}
	return 10*recent >= 9*n && (n > 0 || beyond == 0)
}

// The years 1990 and 2040, ms since 1970.
const (
	recentFromMS = 631_152_000_000
	recentToMS   = 2_208_988_800_000
)

// spreadsheetDays tells whether instants may be days since 1900 with their parts, of the years 1990 to 2050.
func spreadsheetDays(values []string) bool {
	const from, to = 32_874, 54_789
	parts := false
	for _, v := range values {
		x, ok := number(v)
		if ok && (x < from || x >= to) && x != 0 && x != -1 {
			return false
		}
		parts = parts || x != math.Trunc(x)
	}
	return parts
}

// allDated tells whether values are dates without anything between their parts, but for those that stand for none.
func allDated(values []string) bool {
	n := 0
	for _, v := range values {
		if v == "0" || v == "-1" {
			continue
		}
		if !dated(v) {
			return false
		}
		n++
	}
	return n > 0
}

// datesSaid says what dates are, and whether some have no zone; and whether most are early.
func datesSaid(values []string) (said string, early bool) {
	with, without, before := 0, 0, 0
	for _, v := range values {
		layout := 0
		ms, ok := timestamp(v, &layout)
		if !ok {
			continue
		}
		if ms < firstEpochMS {
			before++
		}
		if zoned(layout) {
			with++
		} else {
			without++
		}
	}
	switch early = 2*before > with+without; {
	case without == 0:
		said = "dates"
	case with == 0:
		said = "dates without a zone, taken as UTC"
	default:
		said = "dates; those without a zone are taken as UTC"
	}
	return said, early
}

// firstEpochMS is the first instant that is taken to count from 1970: in March 1973. Smaller ones count from a start of their own.
const firstEpochMS = 1e11

// Numbers of instants without a unit are ms, µs and ns from these on.
const (
	msFrom = 1e11
	usFrom = 1e14
	nsFrom = 1e17
)

// unitOf finds the unit of numbers by the largest of them, and says why.
func unitOf(of quantity, largest float64) (u unit, why string) {
	largestIs := "the largest is " + strconv.FormatFloat(largest, 'g', 6, 64)
	switch of {
	case instant:
		name := "s"
		switch {
		case largest >= nsFrom:
			name = "ns"
		case largest >= usFrom:
			name = "us"
		case largest >= msFrom:
			name = "ms"
		}
		return *of.unit(name), largestIs
	case memory:
		name := "GiB"
		switch {
		case largest >= leastB:
			name = "B"
		case largest >= mostGiB:
			name = "MiB"
		}
		return *of.unit(name), largestIs
	case span:
		return of.usual(), "no unit is stated"
	}
	return of.usual(), ""
}

// GiB of tasks are below mostGiB where no unit is stated, and numbers of bytes from leastB on.
const mostGiB, leastB = 256, 1 << 24

// otherSize is a unit that sizes may have instead of the one that [unitOf] finds by the largest: half are below 32 MiB beside some of MiB, a size is a TiB, or all of bytes are below a GiB; "" = none.
func otherSize(values []string, largest float64) string {
	small := 0
	for _, v := range values {
		if x, ok := number(v); ok && 0 < x && x < 32 {
			small++
		}
	}
	switch {
	case largest >= mostGiB && largest < leastB && 2*small > len(values):
		return "GiB"
	case largest >= 1<<20 && largest < 1<<30:
		return "KiB"
	}
	return ""
}

// percents tells whether numbers of vcores may be percent of one: beyond what most tasks have, and fractions or all multiples of 50.
func percents(values []string, largest float64) bool {
	fractions, fifties := false, true
	for _, v := range values {
		if x, ok := number(v); ok {
			fractions = fractions || x > 16 && x != math.Trunc(x)
			fifties = fifties && math.Mod(x, 50) == 0
		}
	}
	return largest > 16 && (fractions || fifties)
}

// unitBeside finds the unit of spans without one beside instants in ms, µs or ns, and says why. Whole numbers that reach a second in the unit of the instants are of
// that unit, as programs write both by the same clock, which is noted as a doubt; others are seconds.
func (c *column) unitBeside(values []string, largest float64) (why string) {
	u := &c.beside.unit
	fraction := func(v string) bool { x, ok := number(v); return ok && x != math.Trunc(x) }
	switch {
	case slices.ContainsFunc(values, fraction):
		return "no unit is stated, and not all are whole"
	case largest*u.per < 1000:
		why = fmt.Sprintf("no unit is stated, and all are below a second in %s", u)
		if !c.beside.typed && largest*u.per >= 10 { // else tasks of less than 10 ms
			c.doubt = fmt.Sprintf("%s is taken as s (%s); if it is %s, --map %s=%s:%[3]s says so", c.name, why, u, c.role, c.name)
		}
		return why
	}
	c.unit = *u
	why = fmt.Sprintf("no unit is stated; whole numbers beside %s in %s", c.beside.name, u)
	c.doubt = fmt.Sprintf("%s is taken as %s (%s); if it is s, --map %s=%s:s says so", c.name, u, why, c.role, c.name)
	return why
}

// int reads a value that is not absent: instants and spans in ms, vcores in thousandths, memory in bytes.
func (c *column) int(b []byte) (v int64, ok bool) {
	if c.form == numbers {
		if n, ok := whole(b); ok {
			return c.unit.of(n)
		}
	}
	of, s := known[c.role].of, string(b)
	if c.commas {
		if s, ok = pointed(s); !ok {
			return 0, false
		}
	}
	switch c.form {
	case numbers:
		if x, ok := number(s); of == count && ok && x != math.Trunc(x) {
			return 0, false
		}
		v, ok = scaled(s, &c.unit)
		return c.some(v, s), ok
	case dates:
		return timestamp(s, &c.layout)
	}
	switch of {
	case span:
		return duration(s)
	case memory:
		return size(s)
	case count:
		return tresGPUs(s)
	}
	x, ok := number(strings.TrimSuffix(s, "m"))
	if strings.HasSuffix(s, "m") {
		x /= 1000
	}
	return c.some(int64(math.Round(x*1000)), s), ok && math.Abs(x) < 1<<40
}

// some is v, which is a value as a whole number: of vcores there is one thousandth at least, where a value is above 0.
func (c *column) some(v int64, value string) int64 {
	if v > 0 || c.role != roleVCores {
		return v
	}
	if x, ok := number(strings.TrimSuffix(value, "m")); ok && x > 0 {
		return 1
	}
	return v
}

// want says what a value of the column was to be.
func (c *column) want() string {
	switch c.form {
	case numbers:
		if name := c.unit.String(); name != "" {
			return "a number of " + name
		}
		return "a whole number"
	case dates:
		return "a date such as 2026-01-02T03:04:05Z"
	}
	return map[quantity]string{span: "a duration such as 1h30m", memory: "a size such as 4GiB", cores: "a number of vcores, or thousandths such as 500m", count: "amounts such as cpu=8,gres/gpu=2"}[known[c.role].of]
}
