package shown

import (
	"io"
	"slices"
	"strings"
)

// A Table aligns cells of text. On a terminal that is too narrow for it the last cells of rows, and then those of the widest columns,
// are written in several lines.
type Table struct {
	Right  bool // numbers: the cells of a column end together
	Indent int  // columns before the first
	rows   []row
}

type row struct {
	cells []string
	style Style
}

const (
	gap      = 2  // between columns
	least    = 12 // columns that are left to a cell
	readable = 30 // columns that are left to the last cell of a row, where it has something to write in them
)

// Row adds a row. The last cell of a row does not make its column wider for rows that go on.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, row{oneLine(cells), none}) }

// Head adds a row of headings.
func (t *Table) Head(cells ...string) { t.rows = append(t.rows, row{oneLine(cells), Heading}) }

// oneLine has the ends of lines that a name may have as of [Bytes], which would be rows of their own.
func oneLine(cells []string) []string {
	cells = slices.Clone(cells)
	for k, cell := range cells {
		cells[k] = strings.ReplaceAll(cell, "\n", `\u000a`)
	}
	return cells
}

// Write writes the rows to w, and forgets them.
func (t *Table) Write(w io.Writer) error {
	widths, last := t.widths()
	columns := Columns(w)
	if t.Right {
		columns = 0
	}
	begins := func(k int) int { // where a column does
		at := t.Indent
		for _, n := range widths[:k] {
			at += n + gap
		}
		return at
	}
	if end := len(widths) - 1; columns > 0 && end > 0 {
		for {
			k := slices.Index(widths, slices.Max(widths[:end]))
			over := begins(end) + min(last, readable) - columns
			if over <= 0 || widths[k] <= least {
				break
			}
			widths[k] = max(least, widths[k]-over)
		}
	}
	paint := Paint(w)
	var b strings.Builder
	for _, r := range t.rows {
		parts := make([][]string, len(r.cells))
		tall := 1
		for k, cell := range r.cells {
			room := 0
			if columns > 0 && k == len(r.cells)-1 {
				room = max(least, columns-begins(k))
			} else if columns > 0 {
				room = widths[k]
			}
			parts[k] = broken(cell, room)
			tall = max(tall, len(parts[k]))
		}
		for n := range tall {
			line := strings.Repeat(" ", t.Indent)
			for k := range parts {
				cell, pad := "", ""
				if n < len(parts[k]) {
					cell = parts[k][n]
				}
				if k < len(parts)-1 || t.Right {
					pad = strings.Repeat(" ", max(0, widths[k]-width(cell)))
				}
				if r.style != none {
					cell = paint.In(r.style, cell)
				}
				if t.Right {
					cell, pad = pad+cell, ""
				}
				if k > 0 {
					line += strings.Repeat(" ", gap)
				}
				line += cell + pad
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	t.rows = nil
	_, err := io.WriteString(w, b.String())
	return err
}

// widths returns how wide the cells of each column are that others follow, and the last ones of the longest rows.
func (t *Table) widths() (widths []int, last int) {
	for _, r := range t.rows {
		for k, cell := range r.cells {
			if k == len(widths) {
				widths, last = append(widths, 0), 0
			}
			if k < len(r.cells)-1 || t.Right {
				widths[k] = max(widths[k], width(cell))
			} else if k == len(widths)-1 {
				last = max(last, width(cell))
			}
		}
	}
	return widths, last
}

// broken returns text in lines of at most so many columns, broken at spaces and, where a word is longer, within it. With 0 columns it is one line.
func broken(text string, columns int) (lines []string) {
	if columns == 0 || width(text) <= columns {
		return []string{text}
	}
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && width(line)+1+width(word) > columns {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		for line += word; width(line) > columns; {
			n := 0
			for i := range line {
				if width(line[:i]) > columns {
					break
				}
				n = i
			}
			lines, line = append(lines, line[:n]), line[n:]
		}
	}
	lines = append(lines, line)
	style := none // in which a line begins
	for i, line := range lines {
		if style != none {
			lines[i] = string(rune(style)) + line
		}
		if at := strings.LastIndexFunc(lines[i], styles); at >= 0 {
			if style = Style([]rune(lines[i][at:])[0]); style != none {
				lines[i] += string(rune(none))
			}
		}
	}
	return lines
}
