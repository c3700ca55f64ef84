package conform

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"replay/bench/conform/golden"
)

// WriteReport writes the summary as a page of Markdown: totals by the classes that gave the answers, then the files of each
// folder and the recordings, then the first differences. command is how the page is made again.
func (s *Summary) WriteReport(w io.Writer, command string) error {
	var b strings.Builder
	b.WriteString("# Answers of the real classes, compared\n\n")
	fmt.Fprintf(&b, "Written by `%s`.\n\n", command)
	b.WriteString("The real classes of YARN and Spark were given input, and their answers were recorded. This program is given the same input.\n" +
		"A case is equal when every recorded detail of the answer is the same. A case is not supported when it asks for something\n" +
		"that is not modelled.\n\n## All\n\n")
	byClass := map[string]*golden.Results{}
	for _, f := range s.Files {
		of := cmp.Or(f.Of, "unknown")
		sum := byClass[of]
		if sum == nil {
			sum = &golden.Results{Of: of}
			byClass[of] = sum
		}
		sum.Cases += f.Cases
		sum.Equal += f.Equal
		sum.Different += f.Different
		sum.Unsupported += f.Unsupported
	}
	t := newMarkdown("answers of", "cases", "equal", "different", "not supported")
	for _, of := range slices.Sorted(maps.Keys(byClass)) {
		f := byClass[of]
		t.row(of, f.Cases, f.Equal, f.Different, f.Unsupported)
	}
	n := s.Totals
	t.row("all", n.Cases, n.Equal, n.Different, n.Unsupported)
	t.write(&b)
	for _, part := range s.folders() {
		fmt.Fprintf(&b, "\n## %s\n\n", folderTitle(part[0].Folder))
		t := newMarkdown("file", "answers of", "cases", "equal", "different", "not supported")
		for _, f := range part {
			name := path.Base(f.File)
			if len(f.Parts) > 0 {
				name = recordingName(f)
			}
			t.row("`"+name+"`", cmp.Or(f.Of, "unknown"), f.Cases, f.Equal, f.Different, f.Unsupported)
		}
		t.write(&b)
		reportParts(&b, part)
	}
	s.reportDifferences(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// folders returns the files by folder, in the order in which the folders were given.
func (s *Summary) folders() (list [][]*golden.Results) {
	for _, f := range s.Files {
		if n := len(list); n > 0 && list[n-1][0].Folder == f.Folder {
			list[n-1] = append(list[n-1], f)
		} else {
			list = append(list, []*golden.Results{f})
		}
	}
	return list
}

// folderTitle is the name of a folder without the way to it.
func folderTitle(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Base(dir)
}

// recordingName is the folder of a recording.
func recordingName(f *golden.Results) string {
	if dir := path.Dir(f.File); dir != "." {
		return path.Base(dir)
	}
	return folderTitle(f.Folder)
}

// reportParts writes what was compared of recorded clusters, and what was assumed about their order.
func reportParts(b *strings.Builder, files []*golden.Results) {
	recorded := slices.DeleteFunc(slices.Clone(files), func(f *golden.Results) bool { return len(f.Parts) == 0 })
	if len(recorded) == 0 {
		return
	}
	b.WriteString("\nOf each recording, equal and all cases by what was compared:\n\n")
	head := []any{"recording"}
	for _, p := range recorded[0].Parts {
		head = append(head, p.Name)
	}
	t := newMarkdown(head...)
	for _, f := range recorded {
		row := []any{"`" + recordingName(f) + "`"}
		for _, p := range f.Parts {
			row = append(row, fmt.Sprintf("%d / %d", p.Equal, p.Cases))
		}
		t.row(row...)
	}
	t.write(b)
	for _, f := range recorded {
		for i, note := range f.Notes {
			if i == 0 {
				fmt.Fprintf(b, "\n`%s`: what was inferred where calls of different threads overlap, and what was left out:\n\n", recordingName(f))
			}
			fmt.Fprintf(b, "- %s\n", note)
		}
	}
}

func (s *Summary) reportDifferences(b *strings.Builder) {
	head := "\n## Differences and what is not supported\n"
	for _, f := range s.Files {
		for _, d := range first(f.Differences, DefaultMax) {
			fmt.Fprintf(b, "%s\n`%s`, case %s, event %d:\n\n    expected  %s\n    got       %s\n", head, f.File, d.Case, d.Event, golden.Text(d.Expected), golden.Text(d.Got))
			head = ""
		}
		for _, why := range first(f.Reasons, DefaultMax) {
			fmt.Fprintf(b, "%s\n`%s`, not supported: %s\n", head, f.File, why)
			head = ""
		}
	}
}

// markdown is a table. Numbers stand on the right.
type markdown struct {
	cells [][]string
	right []bool
}

func newMarkdown(head ...any) *markdown {
	t := &markdown{right: make([]bool, len(head))}
	t.row(head...)
	return t
}

func (t *markdown) row(cells ...any) {
	var row []string
	for i, c := range cells {
		if _, number := c.(int); number {
			t.right[i] = true
		}
		row = append(row, strings.ReplaceAll(fmt.Sprint(c), "|", `\|`))
	}
	t.cells = append(t.cells, row)
}

func (t *markdown) write(b *strings.Builder) {
	for i, row := range t.cells {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i > 0 {
			continue
		}
		for _, right := range t.right {
			if right {
				b.WriteString("|---:")
			} else {
				b.WriteString("|---")
			}
		}
		b.WriteString("|\n")
	}
}
