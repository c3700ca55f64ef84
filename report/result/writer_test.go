package result_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/parquet-go/parquet-go"

	"replay/engine/record"
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

// write makes the tables of a feed and returns their folder.
func write(t *testing.T, feed reporttest.Feed) string {
	t.Helper()
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
	return dir
}

func sameSamples(t *testing.T, feed reporttest.Feed) {
	dir := write(t, feed)
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

// Samples of many queues, of which most hold still, take a few bytes a row in series.arrow.
func TestSamplesOfManyQueuesAreSmall(t *testing.T) {
	const times, queues = 100, 1000
	dir := write(t, func(sink record.Sink) record.Manifest {
		for at := range int64(times) {
			sink.Sample(&record.Sample{Time: at * 1000, CapacityMem: 1 << 20, CapacityVCores: 64, Nodes: 8})
			for q := range int64(queues) {
				sink.Sample(&record.Sample{Time: at * 1000, Queue: fmt.Sprintf("root.team%d", q), FairMem: 1048 + q%2, SteadyMem: 1048, UsedMem: q * (at % 10 / 9)})
			}
		}
		return record.Manifest{Nodes: 8}
	})
	info, err := os.Stat(filepath.Join(dir, "series.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	if most := int64(15 * times * (queues + 1)); info.Size() > most {
		t.Errorf("%d bytes, want at most %d", info.Size(), most)
	}
}
