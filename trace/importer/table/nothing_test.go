package table

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

var directory = regexp.MustCompile(`\S*/`)

// Rows that state no vcores, next to no memory or no time are taken, and warned of with their number; single short tasks are not.
func TestRowsThatStateNothing(t *testing.T) {
	const head = "job,submit,duration,vcores,memory\n"
	rows := func(n int, row string) string { return strings.Repeat("a"+row+"\n", n) }
	for _, tt := range []struct{ name, text, want string }{
		{"none", head + rows(3, ",1,5,1,8589934592"), ""},
		{"no vcores", head + rows(2, ",1,5,1,8589934592") + "b,2,5,0,8589934592\n", "1 of 3 rows have 0 vcores, the first is t.csv: line 4: 0: a task that asks for so little gets YARN's least container"},
		{"4096 bytes", head + "a,1,5,1,8589934592\nb,2,5,1,4096\nc,3,5,1,1048576\n", "1 of 3 rows have less than 1 MiB of memory, the first is t.csv: line 3: 4096: a task that asks for so little gets YARN's least container; if it is of another unit, --map memory=memory:UNIT says so"},
		{"no memory", head + "a,1,5,1,8589934592\nb,2,5,1,0\n", "1 of 2 rows have less than 1 MiB of memory, the first is t.csv: line 3: 0: "},
		{"a tenth without a time", head + rows(9, ",1,5,1,8589934592") + "b,2,0,1,8589934592\n", "1 of 10 rows have a duration of 0, the first is t.csv: line 11: 0: their tasks take no time in a replay"},
		{"fewer without a time", head + rows(10, ",1,5,1,8589934592") + "b,2,0,1,8589934592\n", ""},
		{"an end at the start", "submit,end\n5,5\n7,7\n", "2 of 2 rows have a duration of 0, the first is t.csv: line 2: 0: their tasks take no time in a replay"},
	} {
		var warned []string
		if _, _, err := imported(t, tt.text, nil, func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } }); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		all := directory.ReplaceAllString(strings.Join(warned, "\n"), "")
		if said := strings.Contains(all, "rows have"); said != (tt.want != "") || !strings.Contains(all, tt.want) {
			t.Errorf("%s: warned %q, want %q", tt.name, all, tt.want)
		}
	}
}

// Rows that end before a column that is read are taken with what they have, and told; what no role wants may be missing.
func TestRowsThatEndEarly(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a last field", "job,submit,duration,tasks\na,1,5,2\nb,2,5\nc,3,5\n", "2 of 3 rows have fewer fields than there are columns, the first is t.csv: line 3: 3 fields and no tasks: what a row ends before is taken as empty"},
		{"two", "job;submit;duration;tasks;vcores\na;1;5;2;1\nb;2;5\n", "1 of 2 rows have fewer fields than there are columns, the first is t.csv: line 3: 3 fields and no tasks, vcores: "},
		{"a field that nobody wants", "job,submit,duration,tasks,remark\na,1,5,2,x\nb,2,5,2\n", ""},
		{"an empty one", "job,submit,duration,tasks\na,1,5,2\nb,2,5,\n", ""},
	} {
		var warned []string
		if _, _, err := imported(t, tt.text, nil, func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } }); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		all := directory.ReplaceAllString(strings.Join(warned, "\n"), "")
		if said := strings.Contains(all, "fewer fields"); said != (tt.want != "") || !strings.Contains(all, tt.want) {
			t.Errorf("%s: warned %q, want %q", tt.name, all, tt.want)
		}
	}
}

// What people keep beside tables is told as what it is, also where it comes after a table.
func TestNoTableBesideOne(t *testing.T) {
	dir := t.TempDir()
	importtest.Write(t, filepath.Join(dir, "a.csv"), "submit,duration\n1,2\n")
	for text, want := range map[string]string{
		"<?xml version=\"1.0\"?><nodes><node/></nodes>\n": "b.txt: no table but nodes, as the ResourceManager answers over REST in XML",
		"Total Nodes:1\n Node-Id Node-State\n":            "b.txt: no table but what yarn node -list prints, without the sizes of nodes; an import takes",
		"x\n1\n":                                          "b.txt: has no column submit, as the first file has; it has x",
	} {
		importtest.Write(t, filepath.Join(dir, "b.txt"), text)
		if _, _, err := importtest.Import(t, CSV, dir, func(o *workload.Options) { o.Nodes = 1 }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
