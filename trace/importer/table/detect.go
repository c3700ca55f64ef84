package table

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"replay/trace/importer/delimited"
)

// detectCSV finds a header whose columns are known: a submission or start, and a duration or end.
func detectCSV(_ string, head []byte) string {
	if rows := headed(head); rows != nil {
		return detected(unique(names(rows[0])))
	}
	return ""
}

// headed returns the rows at the beginning of a text that has a header of several columns; nil of another.
func headed(head []byte) [][]string {
	if bytes.IndexByte(head, 0) >= 0 || bytes.HasPrefix(head, []byte("PAR1")) {
		return nil
	}
	whole := len(head) < sniffBytes
	_, head = skipComments(head)
	_, rows := delimited.Sniff(head, whole)
	if len(rows) < 2 || len(rows[0]) < 2 || !isHeader(rows[0]) {
		return nil
	}
	return rows
}

// Header returns the columns of a text that begins with a header of three or more, whatever their names, and a row of as many fields; nil of another.
func Header(head []byte) []string {
	if rows := headed(head); rows != nil && len(rows[0]) > 2 && len(rows[1]) == len(rows[0]) {
		return rows[0]
	}
	return nil
}

// OnlyHeader tells whether a text is a header of known columns, and no row.
func OnlyHeader(head []byte) bool {
	_, head = skipComments(head)
	_, rows := delimited.Sniff(head, true)
	return len(rows) == 1 && len(rows[0]) > 1 && bytes.IndexByte(head, 0) < 0 && detected(unique(names(rows[0]))) != ""
}

func detectParquet(_ string, head []byte) string {
	names, ok := bytes.CutPrefix(head, []byte("PAR1\n"))
	if !ok {
		return ""
	}
	columns := strings.Split(strings.TrimSpace(string(names)), "\n")
	for i, c := range columns {
		columns[i], _, _ = strings.Cut(c, ".")
	}
	return detected(columns)
}

func detected(names []string) string {
	var c columns
	for r, f := range guess(names) {
		if f.at >= 0 {
			c[r] = &column{binding: f, role: role(r)}
		}
	}
	if c[roleSubmit] == nil && c[roleStart] == nil || c[roleDuration] == nil && c[roleEnd] == nil {
		return ""
	}
	return fmt.Sprintf("columns with known names (%s)", c.said())
}

// noTables are the ends of names in a folder that are no tables of a user's own; what is given itself is one whatever its name.
var noTables = []string{
	".json", ".jsonl", ".xml", ".yaml", ".yml", ".html", ".htm", ".pdf", ".png", ".svg", ".jpg", ".zip", ".tar", ".sh", ".py", ".ipynb", ".sql", ".toml", ".ini", ".properties", ".log", ".sha256", ".md5", ".xlsx",
}

func tableFile(path string, given bool) bool {
	return given || !slices.Contains(noTables, strings.ToLower(filepath.Ext(path)))
}
