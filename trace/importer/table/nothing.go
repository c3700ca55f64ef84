package table

import (
	"cmp"
	"fmt"
)

// few counts rows that state next to nothing of one thing.
type few struct {
	n     int64
	first string // file, place and value
}

func (f *few) add(path string, s source, value string) {
	if f.n++; f.n == 1 {
		f.first = fmt.Sprintf("%s: %s: %s", path, s.place(), cmp.Or(value, "0"))
	}
}

// and adds what another part found later.
func (f *few) and(later few) {
	if f.n += later.n; f.first == "" {
		f.first = later.first
	}
}

// nothing is what rows that are taken state of no vcores, no memory or less than 1 MiB, and no time.
type nothing struct {
	of                       int64 // rows that are taken
	vcores, memory, duration few
	short                    few // rows, taken or not, that end before a column that is read
}

// countNothing counts a row.
func (t *reader) countNothing(r *record, path string, s source, fields [][]byte) {
	t.nothing.of++
	if r.milli == 0 {
		t.nothing.vcores.add(path, s, t.columns.text(roleVCores, fields))
	}
	if r.memMiB == 0 || r.memMiB == 1 {
		if b, ok := t.columns[roleMemory].int(t.columns.bytes(roleMemory, fields)); ok && b < 1<<20 {
			t.nothing.memory.add(path, s, t.columns.text(roleMemory, fields))
		}
	}
	if r.duration == 0 {
		t.nothing.duration.add(path, s, t.columns.text(roleDuration, fields))
	}
}

// sayNothing warns of rows that state nothing where a task has something. Single durations of 0 are those of short tasks: of them it warns from a tenth of the rows on.
func (t *reader) sayNothing() {
	say := func(f *few, what, then string) {
		if f.n > 0 {
			t.b.Warn("%d of %d rows have %s, the first is %s: %s", f.n, t.nothing.of, what, f.first, then)
		}
	}
	if f := &t.nothing.short; f.n > 0 {
		t.b.Warn("%d of %d rows have fewer fields than there are columns, the first is %s: what a row ends before is taken as empty; where fields within a row are missing, those after them stand in wrong columns", f.n, t.b.Counts.Read["rows"], f.first)
	}
	const least = "a task that asks for so little gets YARN's least container"
	say(&t.nothing.vcores, "0 vcores", least)
	if c := t.columns[roleMemory]; c != nil {
		say(&t.nothing.memory, "less than 1 MiB of memory", fmt.Sprintf("%s; if it is of another unit, --map memory=%s:UNIT says so", least, c.name))
	}
	if t.nothing.duration.n*10 >= t.nothing.of {
		say(&t.nothing.duration, "a duration of 0", "their tasks take no time in a replay")
	}
}
