package table

import (
	"slices"
	"strings"
	"testing"

	"replay/trace/importer/workload"
)

// Rows that are the same in every column, also in those without a role, are counted: what was written twice is twice the work.
func TestRowsThatAreAlike(t *testing.T) {
	const head = "job,task,submit,run\n"
	for rows, want := range map[string]string{
		"a,1,0,5\nb,1,0,5\na,1,0,5\nb,2,9,5\na,1,0,5\nb,1,0,5\n": "3 rows: the same as another of their job in every column, the first of job a: each is a task of its own; if rows were written twice, import a file without the second ones (sort -u)",
		"a,1,0,5\na,2,0,5\nb,1,0,5\n":                            "", // told apart by a column that has no role
		"a,1,0,5\na,1,0,6\nb,1,0,5\n":                            "",
		"a,1,0,5\nb,1,0,5\n":                                     "",
	} {
		var said []string
		if _, _, err := imported(t, head+rows, map[string]string{"map": "job=job,submit=submit,duration=run"}, func(o *workload.Options) { o.Warn = func(m string) { said = append(said, m) } }); err != nil {
			t.Fatal(err)
		}
		if want == "" && strings.Contains(strings.Join(said, "\n"), "the same as another") || want != "" && !slices.Contains(said, want) {
			t.Errorf("%q says %q, want %q", rows, said, want)
		}
	}
}
