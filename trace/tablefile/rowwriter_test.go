package tablefile_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"replay/trace/tablefile"
)

// mixed has what a Sink does not take besides.
type mixed struct {
	numbers
	Name  string    `parquet:"name,dict"`
	ID    string    `parquet:"id,optional,plain"`
	Share *float64  `parquet:"share,optional"`
	There bool      `parquet:"there,plain"`
	Conf  []setting `parquet:"conf,list,optional"`
}

type setting struct {
	Key   string `parquet:"key,dict"`
	Value int64  `parquet:"value,dict"`
}

// mix draws rows, of which some have names of their own.
func mix(r *rand.Rand) (rows []mixed) {
	for _, b := range blocks(r) {
		own := r.IntN(2) == 0
		for _, row := range b.rows {
			x := mixed{numbers: row, Name: "n", There: r.IntN(2) == 0}
			if own {
				x.Name += strconv.Itoa(r.IntN(1 << 20))
				x.ID = x.Name
			}
			if r.IntN(3) == 0 {
				v := r.Float64()
				x.Share = &v
			}
			for k := range r.IntN(3) {
				x.Conf = append(x.Conf, setting{"k" + strconv.Itoa(k), r.Int64N(5)})
			}
			rows = append(rows, x)
		}
	}
	return rows
}

// A RowWriter writes what the library does, byte for byte, wherever row groups end and however the rows come; also of no rows.
func TestRowWriterWritesWhatTheLibraryDoes(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 5))
		options := append(optionsOf(r, 400), parquet.DictionaryMaxBytes(500), parquet.DataPageVersion(1+r.IntN(2)))
		rows := mix(r)
		var want, got bytes.Buffer
		library := parquet.NewGenericWriter[mixed](&want, options...)
		w, err := tablefile.NewRowWriter[mixed](&got, options...)
		if err != nil {
			t.Fatal(err)
		}
		for left := rows; len(left) > 0; {
			n := min(1+r.IntN(1000), len(left))
			if _, err := library.Write(left[:n]); err != nil {
				t.Fatal(err)
			}
			if err := w.Write(left[:n]); err != nil {
				t.Fatal(err)
			}
			left = left[n:]
		}
		if err := errors.Join(library.Close(), w.Close()); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Fatalf("seed %d: %d rows give %d bytes, want the library's %d", seed, len(rows), got.Len(), want.Len())
		}
	}
}

// Wherever there is no room, the error is told.
func TestRowWriterTellsErrors(t *testing.T) {
	write := func(out *full) error {
		w, err := tablefile.NewRowWriter[setting](out, parquet.MaxRowsPerRowGroup(40), parquet.CreatedBy("replay", "1", "test"))
		if err != nil {
			return err
		}
		for range 100 {
			err = errors.Join(err, w.Write([]setting{{"a", 1}}))
		}
		return errors.Join(err, w.Close())
	}
	room := &full{1 << 20}
	if err := write(room); err != nil {
		t.Fatal(err)
	}
	for n := range 1<<20 - room.left {
		if err := write(&full{n}); !errors.Is(err, errFull) {
			t.Fatalf("room for %d bytes: %v", n, err)
		}
	}
}

// live is how much memory a writer of n row groups of many pages holds before it ends.
func live(t *testing.T, n int, write func(rows []setting) error) int64 {
	t.Helper()
	rows := make([]setting, 200)
	for i := range rows {
		rows[i] = setting{strings.Repeat("x", 50) + strconv.Itoa(i), int64(i)}
	}
	held := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := int64(0)
	for i := range n {
		if i == n/10 {
			before = held()
		}
		if err := write(rows); err != nil {
			t.Fatal(err)
		}
	}
	return held() - before
}

// What writers hold does not grow with the row groups.
func TestWritersHoldARowGroup(t *testing.T) {
	options := []parquet.WriterOption{parquet.MaxRowsPerRowGroup(200), parquet.PageBufferSize(64), parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1)}
	var none full
	none.left = 1 << 40
	byRows, err := tablefile.NewRowWriter[setting](&none, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer byRows.Discard()
	byColumns, err := tablefile.NewWriter[setting](&none, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer byColumns.Discard()
	const most = 5 << 20 // the library holds 18 MB
	if n := live(t, 4000, byRows.Write); n > most {
		t.Errorf("a writer of rows holds %d bytes more after ten times the row groups, want at most %d", n, most)
	}
	if n := live(t, 4000, func(rows []setting) error {
		return byColumns.Rows(len(rows), func(from, to int) {
			for _, row := range rows[from:to] {
				byColumns.Sink("key").Text(row.Key)
				byColumns.Sink("value").Repeat(row.Value, 1)
			}
		})
	}); n > most {
		t.Errorf("a writer of columns holds %d bytes more after ten times the row groups, want at most %d", n, most)
	}
}
