package tablefile_test

import (
	"bytes"
	"os"
	"testing"

	"replay/trace/tablefile"
)

// Truth values in runs of any length, as other programs write them, are what they wrote. testdata/foreign.py says what that is.
func TestRunsOfTruthValues(t *testing.T) {
	type row struct {
		On    bool  `parquet:"on"`
		Maybe *bool `parquet:"maybe,optional"`
	}
	var want []bool
	for n := 1; n <= 40; n++ {
		for range n {
			want = append(want, n%2 == 1)
		}
	}
	for _, name := range []string{"runs-v1.parquet", "runs-v2.parquet"} {
		foreign(t, name, int64(len(want)), func(i int64, r *row) {
			switch {
			case r.On != want[i]:
				t.Errorf("%s: row %d is %t, want %t", name, i, r.On, want[i])
			case (r.Maybe == nil) != (i%7 == 0):
				t.Errorf("%s: row %d may be none: %t, want %t", name, i, r.Maybe == nil, i%7 == 0)
			case r.Maybe != nil && *r.Maybe != want[i]:
				t.Errorf("%s: row %d of what may be none is %t, want %t", name, i, *r.Maybe, want[i])
			}
		})
	}
}

// A page without a value changes nothing: pyarrow writes one where a batch ends with a full page.
func TestPageOfNothing(t *testing.T) {
	type row struct {
		Hosts []int32 `parquet:"hosts,list,optional"`
	}
	for _, name := range []string{"empty-page-v1.parquet", "empty-page-v2.parquet"} {
		foreign(t, name, 120, func(i int64, r *row) {
			if odd := i%2 == 1; odd != (len(r.Hosts) == 1) || odd && r.Hosts[0] != int32(i) {
				t.Errorf("%s: row %d has the list %d", name, i, r.Hosts)
			}
		})
	}
}

// foreign looks at each row of a table in testdata, of which there are so many.
func foreign[T any](t *testing.T, name string, want int64, look func(i int64, r *T)) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := tablefile.New(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	rows := int64(0)
	if err := tablefile.Rows(f, func(i int64, r *T) error {
		look(i, r)
		rows++
		return nil
	}); err != nil || rows != want {
		t.Errorf("%s: %d rows, %v; want %d", name, rows, err, want)
	}
}
