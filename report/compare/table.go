package compare

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"replay/report/figure"
	"replay/report/quantity"
	"replay/shown"
)

// marks are the words of findings in a table.
var marks = map[Finding]string{
	Equal: "=", EqualWithin: "≈", RealBetter: "better", RealWorse: "worse", RealHigher: "higher", RealLower: "lower", NotToldApart: "~", NoVerdict: "void",
}

// styles are those that a finding is written in on a terminal.
var styles = map[Finding]shown.Style{RealBetter: shown.Good, RealWorse: shown.Bad, NotToldApart: shown.Quiet, Equal: shown.Quiet, NoVerdict: shown.Doubt}

// line is a row of the table of one variant: a metric and its unit, then what stands right-aligned in columns.
type line struct {
	name, unit string
	columns    []string
	tail       string // in the place of the last two columns
	found      shown.Style
	ends       bool // the end of the name tells it from others
}

// lines returns the table of variant v: its head, its rows, and what was left out because one of the variants has
// no number, or one over next to nothing. With all, it has every metric by its name.
func (c *Comparison) lines(v int, all bool) (head line, rows []line, left []string) {
	head = line{columns: []string{c.Variants[0].Name, c.Variants[v].Name, "change", "", "", "n", "p", "adj. p"}}
	group := ""
	unlisted, _ := c.unlisted(v)
	for i := range c.Rows {
		row := &c.Rows[i]
		first, cell := &row.Cells[0], &row.Cells[v]
		if !all && (row.Family == "" || unlisted[row]) {
			continue
		}
		if math.IsNaN(cell.Difference) || row.Thin() && !all {
			if !c.partly(row, v) {
				left = append(left, row.Words()+c.noneOf(row, v))
			}
			continue
		}
		s := row.Scale(v)
		half, p, adjusted, tail := "", "", "", ""
		switch {
		case math.IsNaN(cell.Half) || cell.Finding == Equal:
		case cell.Half == 0:
			tail = fmt.Sprintf("in every %s", c.Unit)
		default:
			half, p, adjusted = "±"+s.Number(cell.Half), chance(cell.P), chance(cell.Adjusted)
		}
		name := row.Words()
		if all {
			name = row.Name
			if row.Group != group {
				group = row.Group
				rows = append(rows, line{name: group, found: shown.Heading})
			}
		}
		n := ""
		if row.Things != "" {
			n = quantity.Thousands(row.N)
		}
		rows = append(rows, line{name, s.Unit, []string{s.Number(first.Number), s.Number(cell.Number), s.Signed(cell.Difference), half, marks[cell.Finding], n, p, adjusted}, tail, styles[cell.Finding], row.Family == quantity.Shares})
	}
	if !slices.ContainsFunc(rows, func(r line) bool { return r.tail != "" || len(r.columns) > 0 && r.columns[len(r.columns)-1] != "" }) {
		copy(head.columns[len(head.columns)-2:], []string{"", ""})
	}
	return head, rows, left
}

// noneOf says why one of variant v and the first alone has no number, "" where both or none have one.
func (c *Comparison) noneOf(row *Row, v int) string {
	of := v
	if row.Cells[0].Absent != "" {
		of = 0
	}
	if (row.Cells[0].Absent == "") == (row.Cells[v].Absent == "") {
		return ""
	}
	return fmt.Sprintf(", of which %s has none: %s", c.Variants[of].Name, row.Cells[of].Absent)
}

// partly reports whether variant v or the first has no number in some units and has one in others.
func (c *Comparison) partly(row *Row, v int) bool {
	return slices.ContainsFunc([]int{0, v}, func(of int) bool {
		n := len(row.Cells[of].Missing)
		return n > 0 && n < len(c.Units)
	})
}

// chance writes a p-value.
func chance(p float64) string {
	if p < .001 {
		return "<.001"
	}
	if p >= .9995 {
		return "1"
	}
	return strings.TrimPrefix(fmt.Sprintf("%.3f", p), "0")
}

// writeTable writes the table of a variant within the width of w: the names of variants give way first, then those of metrics,
// which with long stand on lines of their own.
func writeTable(w io.Writer, head line, rows []line, long bool) {
	l := layoutOf(head, rows, shown.Width(w), long)
	paint := shown.Paint(w)
	for i, r := range append([]line{head}, rows...) {
		if r.columns == nil {
			fmt.Fprintf(w, "%s\n", paint.In(r.found, r.name))
			continue
		}
		name := r.name
		if utf8.RuneCountInString(name) > l.label {
			if long {
				fmt.Fprintln(w, name)
				name = ""
			} else {
				short := figure.Short
				if r.ends {
					short = figure.ShortName
				}
				name = short(name, l.label)
			}
		}
		text := l.text(name, &r, paint)
		if i == 0 {
			text = paint.In(shown.Heading, text)
		}
		fmt.Fprintln(w, text)
	}
}

// A layout says how wide the parts of a table are, in characters.
type layout struct {
	label, unit int
	columns     []int
}

// layoutOf fits a table into a width. It shortens the names of variants in head, which are its first two columns, to the room that there is.
func layoutOf(head line, rows []line, width int, long bool) *layout {
	l := &layout{columns: make([]int, len(head.columns))}
	tail := 0
	for i, r := range append([]line{head}, rows...) {
		for k, text := range r.columns {
			if i > 0 || k >= 2 {
				l.columns[k] = max(l.columns[k], utf8.RuneCountInString(text))
			}
		}
		l.unit, tail = max(l.unit, utf8.RuneCountInString(r.unit)), max(tail, utf8.RuneCountInString(r.tail))
		if len(r.columns) > 0 {
			l.label = max(l.label, utf8.RuneCountInString(r.name))
		}
	}
	if last := len(l.columns) - 1; tail > 0 {
		l.columns[last] = max(l.columns[last], tail-l.columns[last-1]-l.gap(last))
	}
	fixed := 1 + l.unit
	for k := range l.columns {
		fixed += l.gap(k) + l.columns[k]
	}
	if long {
		l.label = min(l.label, 38)
	}
	for k := range 2 { // what room there is goes to the names of variants
		room := max(0, width-fixed-min(l.label, 36))
		want := utf8.RuneCountInString(head.columns[k])
		if k == 0 {
			room = max(room/2, room-max(0, utf8.RuneCountInString(head.columns[1])-l.columns[1]))
		}
		if more := min(want, l.columns[k]+room) - l.columns[k]; more > 0 {
			l.columns[k] += more
			fixed += more
		}
	}
	short := figure.Short
	if base, other := head.columns[0], head.columns[1]; base != other && short(base, l.columns[0]) == short(other, l.columns[1]) {
		short = figure.ShortName
	}
	for k := range 2 {
		head.columns[k] = short(head.columns[k], l.columns[k])
	}
	l.label = min(l.label, width-fixed)
	return l
}

// gap is the room before a column.
func (l *layout) gap(k int) int {
	if k == 3 || l.columns[k] == 0 { // the interval stands close to its difference
		return min(1, l.columns[k])
	}
	return 2
}

// text is a row of the table: a name, and the columns of r. A tail takes the place of the last two.
func (l *layout) text(name string, r *line, paint shown.Painter) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", pad(name, l.label), pad(r.unit, l.unit))
	columns := r.columns
	if r.tail != "" {
		columns = columns[:len(columns)-2]
	}
	for k, text := range columns {
		b.WriteString(strings.Repeat(" ", l.gap(k)))
		switch room := strings.Repeat(" ", l.columns[k]-utf8.RuneCountInString(text)); k {
		case 3:
			b.WriteString(text + room)
		case 4:
			b.WriteString(room + paint.In(r.found, text))
		default:
			b.WriteString(room + text)
		}
	}
	if last := len(l.columns) - 1; r.tail != "" {
		room := l.gap(last-1) + l.columns[last-1] + l.gap(last) + l.columns[last]
		b.WriteString(strings.Repeat(" ", room-utf8.RuneCountInString(r.tail)) + r.tail)
	}
	return strings.TrimRight(b.String(), " ")
}

// pad fills text up to n columns.
func pad(text string, n int) string {
	return text + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(text)))
}
