package shown

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// screen is a terminal.
type screen struct {
	bytes.Buffer
	columns int
	colour  bool
}

func (s *screen) Columns() int   { return s.columns }
func (s *screen) Coloured() bool { return s.colour }

func table() *Table {
	t := &Table{Indent: 1}
	t.Head("queue", "wait", "jobs")
	t.Row("root.漢字", "1.5 s", "20")
	t.Row("root.a-queue-with-a-long-name", "12 s")
	return t
}

func TestTable(t *testing.T) {
	for _, test := range []struct {
		columns int
		want    string
	}{
		{0, " queue                          wait   jobs\n root.漢字                      1.5 s  20\n root.a-queue-with-a-long-name  12 s\n"},
		{200, " queue                          wait   jobs\n root.漢字                      1.5 s  20\n root.a-queue-with-a-long-name  12 s\n"},
		{32, " queue               wait   jobs\n root.漢字           1.5 s  20\n root.a-queue-with-  12 s\n a-long-name\n"},
	} {
		s := &screen{columns: test.columns}
		table().Write(s)
		if got := s.String(); got != test.want {
			t.Errorf("%d columns:\n%s\nwant\n%s", test.columns, got, test.want)
		}
	}
	s := &screen{columns: 44}
	words := &Table{}
	words.Row("3.2 s", "one sentence that takes more than what is left of a line")
	words.Row("12.5 s", "short")
	words.Write(s)
	if want := "3.2 s   one sentence that takes more than\n        what is left of a line\n12.5 s  short\n"; s.String() != want {
		t.Errorf("%s\nwant\n%s", s.String(), want)
	}
	right := &Table{Right: true}
	right.Head("n", "share")
	right.Row("1,000", "5 %")
	right.Row("20", "100 %")
	s = &screen{columns: 5}
	right.Write(s)
	if want := "    n  share\n1,000    5 %\n   20  100 %\n"; s.String() != want {
		t.Errorf("%q, want %q", s.String(), want)
	}
}

// Styles take no room, stand in no line that they do not begin and end in, and are seen by terminals alone.
func TestStyles(t *testing.T) {
	write := func(colour bool, columns int) string {
		var out bytes.Buffer
		w := &Writer{Out: &out, Colour: colour}
		s := &screen{columns: columns, colour: colour}
		if err := Whole(s, func(to io.Writer) {
			p := Paint(to)
			t := table()
			t.Row("x", p.In(Bad, "a word and three more of them to break"), "1")
			t.Write(to)
			Paragraph(to, p.In(Good, "PASS")+": "+p.In(Style(0), "fine")+p.In(Quiet, ""), "")
		}); err != nil {
			t.Fatal(err)
		}
		w.Write(s.Bytes())
		return out.String()
	}
	plain := func(text string) string {
		for _, s := range sequences {
			text = strings.ReplaceAll(text, s, "")
		}
		return text
	}
	for _, columns := range []int{0, 40} {
		bare, coloured := write(false, columns), write(true, columns)
		if strings.Contains(bare, "\x1b") || strings.Contains(bare, `\u`) {
			t.Errorf("without colours: %q", bare)
		}
		if plain(coloured) != bare {
			t.Errorf("%d columns: colours take room:\n%s\nwant\n%s", columns, plain(coloured), bare)
		}
		for line := range strings.Lines(coloured) {
			if begun, ended := strings.Count(line, "\x1b[")-strings.Count(line, "\x1b[0m"), strings.Count(line, "\x1b[0m"); begun != ended {
				t.Errorf("%q begins %d styles and ends %d", line, begun, ended)
			}
		}
		if !strings.Contains(coloured, "\x1b[32mPASS\x1b[0m: fine\n") || !strings.Contains(coloured, "\x1b[1mqueue\x1b[0m") {
			t.Errorf("%q", coloured)
		}
	}
	if name := string(Bytes([]byte("a" + string(rune(Bad)) + "b"))); name != `a\ufdd3b` {
		t.Errorf("a name steers what shows it: %q", name)
	}
}

// A name with an end of a line in it is no row of its own.
func TestTableOfNamesOfSeveralLines(t *testing.T) {
	var s bytes.Buffer
	table := &Table{}
	table.Row("logs/a\nb", "1")
	table.Row("c", "2")
	if err := table.Write(&s); err != nil || s.String() != "logs/a\\u000ab  1\nc              2\n" {
		t.Errorf("%v: %q", err, s.String())
	}
}
