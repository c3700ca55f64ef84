package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

type columnsRow struct {
	Full  int64   `parquet:"full,delta"`
	Text  string  `parquet:"text,dict"`
	Maybe *int64  `parquet:"maybe"`
	List  []int32 `parquet:"list,list,dict"`
	Every []int32 `parquet:"every,list"`
	Flag  bool    `parquet:"flag"`
}

// rowsOfColumns has nulls, empty lists, and pages in which there is neither.
func rowsOfColumns(n int) (rows []columnsRow) {
	for i := range n {
		r := columnsRow{Full: int64(i) * 7, Text: fmt.Sprint("t", i%5), Flag: i%3 == 0, Every: []int32{int32(i)}}
		if v := int64(i); i > n/2 || i%4 == 0 {
			r.Maybe = &v
		}
		for k := range i % 4 {
			if i < n/3 {
				k++
			}
			r.List = append(r.List, int32(i+k))
		}
		rows = append(rows, r)
	}
	return rows
}

func fileOf(t *testing.T, rows []columnsRow, group int) *File {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[columnsRow](&b, parquet.MaxRowsPerRowGroup(int64(group)), parquet.PageBufferSize(600))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := New(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func binding(t *testing.T, f *File, name string) Binding {
	t.Helper()
	for i := range f.Leaves() {
		if l := f.Leaf(i); l.Name() == name || strings.HasPrefix(l.Name(), name+".") {
			at := Binding{Name: name, Leaf: i, MaxDef: l.MaxDef, List: l.MaxRep > 0}
			if at.List {
				at.Present = l.MaxDef
			}
			return at
		}
	}
	t.Fatalf("no column %s", name)
	return Binding{}
}

// Where batches begin and end has no influence on what is read, wherever pages and row groups do.
func TestBatchesOfAnySizeAgree(t *testing.T) {
	const absent = -9
	rows := rowsOfColumns(1000)
	f := fileOf(t, rows, 400)
	for _, limit := range []int{1, 3, 64, 399, 400, 1000, 5000} {
		r := NewReader(f)
		full, text, flag := Bind(r, binding(t, f, "full"), absent, Int64s), Bind(r, binding(t, f, "text"), "", Texts), Bind(r, binding(t, f, "flag"), false, Bools)
		maybe, missing := Bind(r, binding(t, f, "maybe"), absent, Int64s), Bind(r, Binding{Name: "missing", Leaf: -1}, int32(absent), Int32s)
		list, every := Bind(r, binding(t, f, "list"), absent, Int32s), Bind(r, binding(t, f, "every"), absent, Int32s)
		at := 0
		for {
			n, err := r.Next(limit)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
			for i := range n {
				got := columnsRow{Full: full.V[i], Text: text.V[i], Flag: flag.V[i], List: list.List(i), Every: every.List(i)}
				if v := maybe.V[i]; v != absent {
					got.Maybe = &v
				}
				if !reflect.DeepEqual(got, rows[at]) || missing.V[i] != absent {
					t.Fatalf("batches of %d: row %d is %+v, want %+v", limit, at, got, rows[at])
				}
				at++
			}
		}
		if err := r.End(); err != nil || at != len(rows) {
			t.Errorf("batches of %d: %d rows, want %d; at the end %v", limit, at, len(rows), err)
		}
		r.Close()
	}
}

func TestNullsWhereThereMayBeNone(t *testing.T) {
	f := fileOf(t, rowsOfColumns(100), 100)
	at := binding(t, f, "maybe")
	at.Required = true
	r := NewReader(f)
	defer r.Close()
	Bind(r, at, -1, Int64s)
	if n, err := r.Next(1); n != 1 || err != nil {
		t.Fatalf("%d rows, error %v before the first null", n, err)
	}
	_, err := r.Next(50)
	var bad *BadValue
	if !errors.As(err, &bad) || bad.Row != 1 || bad.Column != "maybe" {
		t.Errorf("error %v, want the null in row 1 of column maybe", err)
	}
}

// A value that would be taken for null is refused in its row, in pages with a dictionary and without.
func TestReservedValues(t *testing.T) {
	for _, tag := range []string{`parquet:"v,optional"`, `parquet:"v,optional,dict"`} {
		for _, reserved := range []int64{57, -7} {
			row := reflect.StructOf([]reflect.StructField{{Name: "V", Type: reflect.TypeFor[*int64](), Tag: reflect.StructTag(tag)}})
			var b bytes.Buffer
			w := parquet.NewWriter(&b, parquet.SchemaOf(reflect.New(row).Interface()))
			for i := range int64(100) {
				v := reflect.New(row)
				if i%3 != 1 {
					v.Elem().Field(0).Set(reflect.ValueOf(&i))
				}
				if err := w.Write(v.Interface()); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "t.parquet")
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			r := NewReader(f)
			Bind(r, Binding{Name: "v", MaxDef: 1}, reserved, Int64s).Reserved = func(values []int64) int { return slices.Index(values, reserved) }
			var bad *BadValue
			_, err = r.Next(100)
			if want := reserved == 57; errors.As(err, &bad) != want || want && (bad.Row != 57 || bad.Value != "57") {
				t.Errorf("%s: error %v with %d for null", tag, err, reserved)
			}
			r.Close()
			f.Close()
		}
	}
}
