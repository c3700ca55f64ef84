package delimited

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ctrlA is between the fields of Hive's tables of text.
const ctrlA = 1

// commas are the characters that are tried between fields, the more usual first.
var commas = []byte{',', '\t', ';', '|', ctrlA}

// sampleRows is how many rows of a head are looked at.
const sampleRows = 1000

// Sniff finds the dialect of a text by its beginning: of the known characters the one that splits the most rows into the same
// number of fields, two or more; of those that do so alike, the one with more fields. It returns the rows that head has whole. A text of one column
// has the dialect of CSV.
func Sniff(head []byte, whole bool) (d Dialect, rows [][]string) {
	head = wholeLines(head, whole)
	best := -1.0
	for _, comma := range commas {
		for _, quote := range []byte{'"', '\''} {
			if quote == '\'' && !quotedWith(head, comma, quote) {
				continue
			}
			try := Dialect{comma, quote}
			found, score := sample(head, try)
			if quote == '\'' {
				score += 0.001 // fields that begin and end with it are written so
			}
			if score > best {
				best, d, rows = score, try, found
			}
		}
	}
	return d, rows
}

// Sample returns the rows that the beginning of a text has whole in a dialect, up to some number.
func Sample(head []byte, whole bool, d Dialect) (rows [][]string) {
	rows, _ = sample(wholeLines(head, whole), d)
	return rows
}

// First returns the fields of the first row of a text in the usual dialect, without blanks around them; none if it has no row.
func First(head []byte) (fields []string) {
	row, err := NewReader(bytes.NewReader(head), CSV).Next()
	if err != nil {
		return nil
	}
	for _, f := range row {
		fields = append(fields, string(bytes.TrimSpace(f)))
	}
	return fields
}

// wholeLines is head without a last line that is cut off.
func wholeLines(head []byte, whole bool) []byte {
	if i := bytes.LastIndexByte(head, '\n'); !whole && i >= 0 {
		return head[:i]
	}
	return head
}

// quotedWith tells whether a field of head begins with quote.
func quotedWith(head []byte, comma, quote byte) bool {
	return bytes.HasPrefix(head, []byte{quote}) && bytes.Contains(head, []byte{quote, comma}) || bytes.Contains(head, []byte{quote, comma, quote})
}

// sample splits head, and says how well it fits: the share of rows that have as many fields as most do, and a little for
// each field.
func sample(head []byte, d Dialect) (rows [][]string, score float64) {
	r := NewReader(bytes.NewReader(head), d)
	widths := map[int]int{}
	all := 0
	for len(rows) < sampleRows {
		fields, err := r.Next()
		if err == io.EOF {
			break
		}
		all++
		if err != nil {
			if all > sampleRows {
				break
			}
			continue
		}
		row := make([]string, len(fields))
		for i, f := range fields {
			row[i] = string(f)
		}
		rows = append(rows, row)
		widths[len(row)]++
	}
	most, width := 0, 0
	for w, n := range widths {
		if n > most || n == most && w > width {
			most, width = n, w
		}
	}
	if width < 2 {
		return rows, 0
	}
	return rows, float64(most)/float64(all) + float64(float64(min(width, 1000))*1e-6)
}

// String says the dialect in words.
func (d Dialect) String() string {
	name := map[byte]string{',': "comma", '\t': "tab", ';': "semicolon", '|': "bar", ctrlA: "Ctrl-A"}[d.Comma]
	if name == "" {
		name = "\"" + string(rune(d.Comma)) + "\""
	}
	if d.Quote == '\'' {
		return name + ", fields quoted with '"
	}
	return name
}

// ParseComma reads the character between fields: itself, or tab, comma, semicolon, bar, space, ctrl-a.
func ParseComma(text string) (comma byte, ok bool) {
	switch strings.ToLower(text) {
	case "tab", `\t`:
		return '\t', true
	case "comma":
		return ',', true
	case "semicolon":
		return ';', true
	case "bar", "pipe":
		return '|', true
	case "space":
		return ' ', true
	case "ctrl-a", `\x01`, "\x01":
		return ctrlA, true
	}
	if len(text) != 1 || text[0] < ' ' && text[0] != '\t' || text[0] > '~' || text[0] == '"' || text[0] == '\'' {
		return 0, false
	}
	return text[0], true
}

// Text returns an error if a file with this beginning is no text of lines: it has a byte 0, or ends its lines with a carriage return alone.
func Text(head []byte) error {
	if at := bytes.IndexByte(head, 0); at >= 0 {
		return fmt.Errorf("has a byte 0 at %d, want text", at)
	}
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(bytes.TrimSpace(head), '\r') >= 0 {
		return errors.New("ends its lines with a carriage return, want a line feed at the end of each (" + ofOldMac + ")")
	}
	return nil
}

// ofOldMac is what to do with a file whose lines end with a carriage return alone.
const ofOldMac = `tr '\r' '\n' makes it of an old Mac's`

// Line returns an error if a line has a carriage return before its end.
func Line(text []byte) error {
	if bytes.IndexByte(bytes.TrimSpace(text), '\r') >= 0 {
		return errors.New("goes on after a carriage return, want a line feed at the end of each line (" + ofOldMac + ")")
	}
	return nil
}
