package quantity

import (
	"math"
	"strconv"
	"strings"

	"replay/counted"
)

// Unit of a quantity, as written beside it.
type Unit string

// The units.
const (
	Share        Unit = "share" // of a whole, from 0 to 1; percent for people
	MS           Unit = "ms"
	Count        Unit = "count"
	Ratio        Unit = "ratio"
	Index        Unit = "index"
	Nodes        Unit = "nodes"
	JobsPerHour  Unit = "jobs/h"
	TasksPerHour Unit = "tasks/h"
	HoursPerHour Unit = "h/h"
	Money        Unit = "money" // in the currency of the prices, which the words for a quantity say
)

// Suffix ends the names of columns and of statistics in the unit.
func (u Unit) Suffix() string {
	if u == MS {
		return "_ms"
	}
	return ""
}

// HourMS is an hour in milliseconds.
const HourMS = 3_600_000

// Amount returns x in the unit, for people.
func (u Unit) Amount(x float64) string {
	switch u {
	case Share:
		if x != 0 && math.Abs(x*100) < 0.5e-6 { // no digit of it would be shown
			return "under 0.000001 %"
		}
		return Decimals(x*100, digits(x*100, 2)) + " %"
	case MS:
		return Duration(x)
	case Count:
		return Thousands(int64(math.Round(x)))
	case Ratio, Index:
		return Decimals(x, digits(x, 3))
	case Money:
		return Decimals(x, digits(x, 4))
	default:
		return Decimals(x, 2) + " " + string(u)
	}
}

// Difference returns a difference of two numbers of the unit, with its sign; shares differ by points.
func (u Unit) Difference(x float64) string {
	sign := "+"
	if math.Abs(x) < 1e-7 { // the rounding of sums
		x = 0
	}
	if x < 0 {
		sign, x = "−", -x
	}
	switch {
	case x == 0:
		sign = ""
	case u == Share:
		return sign + Decimals(x*100, digits(x*100, 2)) + " pp"
	case u == Count:
		return sign + Decimals(x, 1)
	}
	if u == Share {
		return "0 pp"
	}
	return sign + u.Amount(x)
}

// digits returns how many decimals x needs to show two digits other than 0, from n to 6.
func digits(x float64, n int) int {
	if x == 0 {
		return n
	}
	return min(6, max(n, 1-int(math.Floor(math.Log10(math.Abs(x))))))
}

// Decimals returns x with at most n decimals, with thousands apart.
func Decimals(x float64, n int) string {
	s := strconv.FormatFloat(math.Abs(x), 'f', n, 64)
	whole, rest, dot := strings.Cut(s, ".")
	if v, err := strconv.ParseInt(whole, 10, 64); err == nil {
		whole = Thousands(v)
	}
	if dot {
		whole += "." + rest
	}
	if x < 0 && strings.Trim(whole, "0.") != "" {
		return "−" + whole
	}
	return whole
}

// Signed writes x as [Decimals] does, with its sign where what is written is not 0.
func Signed(x float64, n int) string {
	text := Decimals(x, n)
	if x > 0 && strings.Trim(text, "0.,") != "" {
		return "+" + text
	}
	return text
}

// Thousands writes n with a comma between thousands.
func Thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if neg {
		return "−" + s
	}
	return s
}

// Duration writes milliseconds in the unit that a person would choose.
func Duration(ms float64) string {
	switch a := math.Abs(ms); {
	case a == 0:
		return "0 s"
	case a < 1000:
		return strings.TrimSuffix(Decimals(ms, digits(ms, 1)), ".0") + " ms"
	case a < 120_000:
		return Decimals(ms/1000, 2) + " s"
	case a < 2*HourMS:
		return Decimals(ms/60_000, 2) + " min"
	case a < 48*HourMS:
		return Decimals(ms/HourMS, 2) + " h"
	default:
		return Decimals(ms/(24*HourMS), 2) + " d"
	}
}

// OrDash writes s, a dash when there is nothing to write.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Counted writes n with the things that it counts, whose name is in the plural: "1 job", "3 jobs".
func Counted(n int64, things string) string {
	return Thousands(n) + " " + counted.Things(n, things)
}

// A Scale writes the numbers of one line in one unit.
type Scale struct {
	Unit string  // as written once for the line, empty for a bare number
	By   float64 // what a number of the quantity's unit is multiplied by

	decimals int // of most numbers; small ones have more, and whole ones without any have none
}

// ScaleOf returns the scale in which a person would write the largest of xs.
func (u Unit) ScaleOf(xs ...float64) Scale {
	most := 0.0
	for _, x := range xs {
		if math.Abs(x) > most {
			most = math.Abs(x)
		}
	}
	switch u {
	case Share:
		return Scale{"%", 100, 2}
	case MS:
		switch {
		case most < 1000:
			return Scale{"ms", 1, 2}
		case most < 120_000:
			return Scale{"s", 1e-3, 2}
		case most < 2*HourMS:
			return Scale{"min", 1. / 60_000, 2}
		case most < 48*HourMS:
			return Scale{"h", 1. / HourMS, 2}
		}
		return Scale{"d", 1. / (24 * HourMS), 2}
	case Count:
		return Scale{"", 1, 0}
	case Ratio, Index:
		return Scale{"", 1, 3}
	case Money:
		return Scale{"", 1, 2}
	}
	return Scale{string(u), 1, 2}
}

// Number writes x in the scale, without its unit.
func (s Scale) Number(x float64) string {
	x *= s.By
	if math.Abs(x) < 1e-9 { // the rounding of sums
		x = 0
	}
	if s.decimals == 0 && x == math.Trunc(x) {
		return Decimals(x, 0)
	}
	return Decimals(x, digits(x, max(s.decimals, 1)))
}

// Signed writes x in the scale with its sign, without its unit.
func (s Scale) Signed(x float64) string {
	text := s.Number(x)
	if x > 0 && strings.Trim(text, "0.,") != "" {
		return "+" + text
	}
	return text
}

// Apart is the unit as it stands behind a difference: shares differ by points.
func (s Scale) Apart() string {
	if s.Unit == "%" {
		return " pp"
	}
	return s.Suffix()
}

// Suffix is the unit as it stands behind a number.
func (s Scale) Suffix() string {
	if s.Unit == "" {
		return ""
	}
	return " " + s.Unit
}
