package tablefile_test

import (
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// Files of a few kilobytes whose runs and deltas say that they hold millions of values are refused by their footer, before memory or time is
// taken for them.
func TestBombs(t *testing.T) {
	type number struct {
		ID int64 `parquet:"id,dict"`
	}
	type list struct {
		Hosts []int32 `parquet:"hosts,list" parquet-element:",dict"`
	}
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"rows": {fileOfRows(t, number{7}, 12_000_000), " rows or more in "},
		"list": {fileOfRows(t, list{make([]int32, 4096)}, 2000), "column hosts.list.element: 8192000 values or more in a file of "},
	} {
		if err := tryDamaged(t, tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s in %d bytes: %v, want %q", name, len(tt.data), err, tt.want)
		}
	}
}

// fileOfRows writes the same row n times.
func fileOfRows[R any](t *testing.T, row R, n int) []byte {
	t.Helper()
	var b strings.Builder
	w := parquet.NewGenericWriter[R](&b, parquet.Compression(&parquet.Zstd))
	rows := make([]R, 1000)
	for i := range rows {
		rows[i] = row
	}
	for range n / len(rows) {
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return []byte(b.String())
}
