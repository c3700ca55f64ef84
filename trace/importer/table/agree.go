package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// agree warns where most of the first rows have a duration that is not the time from their start to their end: it may be of another unit than these, or be a limit
// that was asked for.
func (t *reader) agree(rows [][]string) {
	start, end, span := t.columns[roleStart], t.columns[roleEnd], t.columns[roleDuration]
	if start == nil || end == nil || span == nil || start.open || end.open || span.open {
		return
	}
	n, differ, first := 0, 0, ""
	factors := map[float64]int{} // rows by the factor between the two
	for _, row := range rows {
		var v [3]int64
		ok := true
		for i, c := range []*column{start, end, span} {
			if text := fieldOf(row, c.at); absent(text) {
				ok = false
			} else if x, fits := c.int([]byte(text)); fits {
				v[i] = x
			} else {
				ok = false
			}
		}
		took, said := float64(v[1]-v[0]), float64(v[2])
		if !ok || took <= 0 || said <= 0 {
			continue
		}
		n++
		if math.Abs(took-said) <= max(2000, 0.01*max(took, said)) {
			continue
		}
		differ++
		factors[factor(took/said)]++
		if first == "" {
			first = fmt.Sprintf("%s %s, %s %s, %s %s", start.name, fieldOf(row, start.at), end.name, fieldOf(row, end.at), span.name, fieldOf(row, span.at))
		}
	}
	if 2*differ <= n {
		return
	}
	what := fmt.Sprintf("--map without the role duration takes %s - %s", end.name, start.name)
	for f, k := range factors {
		if f != 0 && 2*k > n {
			what = fmt.Sprintf("the first is %s times the other as their units are taken%s", strconv.FormatFloat(f, 'g', 6, 64), stating(start, end, span, f))
		}
	}
	t.b.Warn("%s - %s is not %s, which is taken, in %d of the first %d rows that have all three, such as %s: %s", end.name, start.name, span.name, differ, n, first, what)
}

// noWaitsAsQueues takes the role queue from a column that has it by its name alone where in all of the first rows that were submitted and started it is the time between the two: a time in a
// queue, and not the name of one.
func (t *reader) noWaitsAsQueues(rows [][]string) {
	queue, submit, start := t.columns[roleQueue], t.columns[roleSubmit], t.columns[roleStart]
	if queue == nil || submit == nil || start == nil || queue.how == "--map" {
		return
	}
	from, to := *submit, *start // as they will be settled
	if from.settle(from.valuesIn(rows)) != nil || to.settle(to.valuesIn(rows)) != nil || from.open || to.open {
		return
	}
	n := 0
	for _, row := range rows {
		a, b := fieldOf(row, from.at), fieldOf(row, to.at)
		if absent(a) || absent(b) {
			continue
		}
		x, ok := from.int([]byte(a))
		y, fits := to.int([]byte(b))
		q, err := strconv.ParseFloat(fieldOf(row, queue.at), 64)
		if !ok || !fits || err != nil {
			return
		}
		waited := float64(y - x)
		if math.Abs(waited-float64(1000*q)) > 1000 && math.Abs(waited-q) > 1 {
			return
		}
		if waited > 1000 {
			n++
		}
	}
	if n == 0 {
		return
	}
	t.columns[roleQueue] = nil
	t.b.Warn("column %s is %s - %s in the first rows, a time in a queue and not the name of one: no column has the role queue; --map gives it one", queue.name, start.name, submit.name)
}

// valuesIn are the fields of a column in the rows of the sample that have it.
func (c *column) valuesIn(rows [][]string) (values []string) {
	for _, r := range rows {
		if c.at < len(r) {
			values = append(values, fieldOf(r, c.at))
		}
	}
	return values
}

// stating says with which units, where none are stated, a time between instants that is f times a span is as long as that.
func stating(start, end, span *column, f float64) string {
	var maps []string
	if start.free() && end.free() && !start.epoch {
		if u := unitOfMS(start.unit.per / f); u != nil {
			maps = append(maps, fmt.Sprintf("start=%s:%s,end=%s:%s", start.name, u, end.name, u))
		}
	}
	if span.free() {
		if u := unitOfMS(span.unit.per * f); u != nil {
			maps = append(maps, fmt.Sprintf("duration=%s:%s", span.name, u))
		}
	}
	if len(maps) == 0 {
		return ""
	}
	return "; --map may state others, as in " + strings.Join(maps, " or ")
}

// free tells whether the unit of a column's numbers is stated nowhere.
func (c *column) free() bool { return c.form == numbers && c.binding.unit == nil }

// unitOfMS is the unit of times that has so many ms, or nil.
func unitOfMS(per float64) *unit {
	for i := range times {
		if math.Abs(per/times[i].per-1) < 1e-9 {
			return &times[i]
		}
	}
	return nil
}

// factor is the power of 1000 that r is within 1 % of, or 60, 3600 or one of them below 1; 0 = none.
func factor(r float64) float64 {
	for _, f := range []float64{1e-9, 1e-6, 1e-3, 1.0 / 3600, 1.0 / 60, 60, 3600, 1e3, 1e6, 1e9} {
		if math.Abs(r/f-1) <= 0.01 {
			return f
		}
	}
	return 0
}

// fieldOf is a field of a row of the sample, or "".
func fieldOf(row []string, at int) string {
	if at >= len(row) {
		return ""
	}
	return strings.TrimSpace(row[at])
}
