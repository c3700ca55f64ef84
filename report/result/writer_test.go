package result_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/parquet-go/parquet-go"

	"replay/outdir"
	"replay/report/reporttest"
	"replay/report/result"
)

// series.arrow holds what series.parquet holds: column by column, row by row, also what a scheduler does not have.
func TestArrowHasTheSamplesOfParquet(t *testing.T) {
	for _, name := range []string{"usual", "no shares"} {
		t.Run(name, func(t *testing.T) { sameSamples(t, reporttest.Feeds[name]) })
	}
}

func sameSamples(t *testing.T, feed reporttest.Feed) {
	dir := filepath.Join(t.TempDir(), "r")
	d, err := outdir.Kind{}.Begin(dir)
	if err != nil {
		t.Fatal(err)
	}
	w, err := result.NewWriter(d, false, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(feed(w)); err != nil {
		t.Fatal(err)
	}
	if err := d.Install(); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(dir, "series.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows := parquet.NewReader(file)
	defer rows.Close()
	columns := rows.Schema().Columns()
	f, err := os.Open(filepath.Join(dir, "series.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n := r.Schema().NumFields(); n != len(columns) {
		t.Fatalf("%d columns, want %d", n, len(columns))
	}
	row := int64(0)
	want := make([]parquet.Row, 1)
	for i := range r.NumRecords() {
		batch, err := r.Record(i)
		if err != nil {
			t.Fatal(err)
		}
		for k := range int(batch.NumRows()) {
			if n, err := rows.ReadRows(want); n != 1 {
				t.Fatalf("row %d: %v", row, err)
			}
			for c, v := range want[0] {
				name := columns[v.Column()][0]
				if got := r.Schema().Field(c).Name; got != name {
					t.Fatalf("column %d is %s, want %s", c, got, name)
				}
				same := false
				switch column := batch.Column(c).(type) {
				case *array.String:
					same = column.Value(k) == string(v.ByteArray())
				case *array.Int64:
					same = column.IsNull(k) == v.IsNull() && (v.IsNull() || column.Value(k) == v.Int64())
				}
				if !same {
					t.Fatalf("row %d: %s is %s, want %v", row, name, batch.Column(c).ValueStr(k), v)
				}
			}
			row++
		}
	}
	if n := rows.NumRows(); row != n || row == 0 {
		t.Errorf("%d rows, want %d", row, n)
	}
}
