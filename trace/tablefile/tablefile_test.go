package tablefile_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"replay/trace/tablefile"
)

// row has every kind of column that tables have, and the encodings that are written.
type row struct {
	ID    int64    `parquet:"id,delta"`
	Node  int32    `parquet:"node,dict"`
	Share *float64 `parquet:"share,optional"`
	Part  float32  `parquet:"part,split"`
	Name  string   `parquet:"name,dict"`
	Text  string   `parquet:"text"`
	Plain *string  `parquet:"plain,optional"`
	On    bool     `parquet:"on"`
	Hosts []int32  `parquet:"hosts,list" parquet-element:",dict"`
	Conf  []pair   `parquet:"conf,list,optional"`
}

type pair struct {
	Key   string `parquet:"key,dict"`
	Value int64  `parquet:"value"`
}

func someRows(n int) (rows []row) {
	half, text := 0.5, "some text"
	for i := range n {
		r := row{ID: int64(i * i), Node: int32(i % 7), Part: float32(i), Name: []string{"a", "bb", "ccc"}[i%3], Text: strings.Repeat("x", i%5), On: i%3 == 0}
		if i%2 == 0 {
			r.Share, r.Plain = &half, &text
		}
		for k := range i % 4 {
			r.Hosts = append(r.Hosts, int32(k))
			r.Conf = append(r.Conf, pair{"key", int64(i)})
		}
		rows = append(rows, r)
	}
	return rows
}

// options are how files are written: by packing and version of data pages.
var options = [][]parquet.WriterOption{
	{parquet.Compression(&parquet.Zstd)},
	{parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1)},
	{parquet.Compression(&parquet.Gzip), parquet.DataPageVersion(2)},
	{parquet.Compression(&parquet.Lz4Raw), parquet.DataPageVersion(1)},
	{parquet.Compression(&parquet.Uncompressed), parquet.DataPageVersion(2)},
}

func file(t testing.TB, rows []row, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, append(options, parquet.MaxRowsPerRowGroup(300), parquet.PageBufferSize(700))...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read reads all rows, and then all pages of all columns.
func read(data []byte) (rows []row, err error) {
	f, err := tablefile.New(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	if err := tablefile.Rows(f, func(_ int64, r *row) error { rows = append(rows, *r); return nil }); err != nil {
		return nil, err
	}
	budget := f.Budget()
	for g := range f.Groups() {
		for i := range f.Parquet.Schema().Columns() {
			pages := f.Pages(g, i, budget)
			err := tablefile.Guard(func() error {
				for {
					p, err := pages.ReadPage()
					if err != nil {
						return err
					}
					parquet.Release(p)
				}
			})
			pages.Close()
			if err.Error() != "EOF" {
				return nil, err
			}
		}
	}
	return rows, nil
}

func TestRoundTrip(t *testing.T) {
	want := someRows(1000)
	for _, o := range options {
		got, err := read(file(t, want, o...))
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			for _, list := range []any{&got[i].Hosts, &got[i].Conf, &want[i].Hosts, &want[i].Conf} { // empty and none are written alike
				if v := reflect.ValueOf(list).Elem(); v.Len() == 0 {
					v.SetZero()
				}
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Error("rows differ")
		}
	}
}

// Of some row groups the rows are those of the whole file, with their numbers.
func TestRowsIn(t *testing.T) {
	data := file(t, someRows(1000)) // row groups of 300
	f, err := tablefile.New(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	want := int64(300)
	err = tablefile.RowsIn(f, func(group int) bool { return group%2 == 1 }, func(n int64, r *row) error {
		if want == 600 {
			want = 900
		}
		if n != want || r.ID != n*n {
			t.Fatalf("row %d has the id %d, want row %d", n, r.ID, want)
		}
		want++
		return nil
	})
	if err != nil || want != 1000 {
		t.Errorf("the last row is %d (%v)", want-1, err)
	}
}

// split takes a file apart: what is before the footer, and the footer.
func split(t testing.TB, data []byte) ([]byte, *format.FileMetaData) {
	t.Helper()
	n := int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	var m format.FileMetaData
	if err := thrift.Unmarshal(&thrift.CompactProtocol{}, data[len(data)-8-n:len(data)-8], &m); err != nil {
		t.Fatal(err)
	}
	return data[:len(data)-8-n], &m
}

func join(t testing.TB, body []byte, m *format.FileMetaData) []byte {
	t.Helper()
	footer, err := thrift.Marshal(&thrift.CompactProtocol{}, m)
	if err != nil {
		t.Fatal(err)
	}
	out := append(bytes.Clone(body), footer...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(footer)))
	return append(out, "PAR1"...)
}

// What a footer says is refused, by column, before anything is taken for it.
func TestFooters(t *testing.T) {
	good := file(t, someRows(1000), parquet.Compression(&parquet.Zstd))
	body, _ := split(t, good)
	edit := func(change func(m *format.FileMetaData)) []byte {
		_, m := split(t, good)
		change(m)
		return join(t, body, m)
	}
	chunk := func(change func(c *format.ColumnMetaData)) []byte {
		return edit(func(m *format.FileMetaData) { change(&m.RowGroups[1].Columns[0].MetaData) })
	}
	top := bytes.Clone(good)
	top[len(top)-5] ^= 0x80
	lists := bytes.Clone(good)
	lists = append(lists[:len(lists)-8-20], bytes.Repeat([]byte{0x49, 0xfc, 0xff, 0xff, 0xff, 0x0f}, 1)...)
	lists = append(binary.LittleEndian.AppendUint32(lists, 6), "PAR1"...)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"codec":           {chunk(func(c *format.ColumnMetaData) { c.Codec = format.Brotli }), "column id, row group 1: is compressed with BROTLI, want one of GZIP, LZ4_RAW, SNAPPY, UNCOMPRESSED, ZSTD"},
		"other codec":     {chunk(func(c *format.ColumnMetaData) { c.Codec = format.Lz4Raw }), "LZ4_RAW"},
		"footer's length": {top, "a footer of "},
		"long list":       {lists, "footer: "},
		"map":             {edit(func(m *format.FileMetaData) { m.Schema[1].LogicalType.Value = &format.MapType{} }), "column id is map"},
		"date":            {edit(func(m *format.FileMetaData) { m.Schema[2].LogicalType.Value = &format.DateType{} }), "column node is date"},
		"fixed": {edit(func(m *format.FileMetaData) {
			m.Schema[2].Type, m.Schema[2].TypeLength = thrift.New(format.FixedLenByteArray), thrift.New[int32](0)
		}), "column node: texts of 0 bytes"},
		"children":  {edit(func(m *format.FileMetaData) { m.Schema[0].NumChildren.V = 1 << 30 }), "in it"},
		"few":       {edit(func(m *format.FileMetaData) { m.Schema[0].NumChildren.V-- }), "stand in no group"},
		"rows":      {edit(func(m *format.FileMetaData) { m.RowGroups[0].NumRows++ }), "column id, row group 0: 300 values in 301 rows"},
		"groups":    {edit(func(m *format.FileMetaData) { m.RowGroups = m.RowGroups[1:] }), "rows in row groups, 1000 in the footer"},
		"columns":   {edit(func(m *format.FileMetaData) { m.RowGroups[2].Columns = m.RowGroups[2].Columns[1:] }), "row group 2 has"},
		"names":     {chunk(func(c *format.ColumnMetaData) { c.PathInSchema[0] = "di" }), `is called ["di"]`},
		"kind":      {chunk(func(c *format.ColumnMetaData) { c.Type = format.Int32 }), "column id, row group 1: is INT32, and INT64 in the schema"},
		"offset":    {chunk(func(c *format.ColumnMetaData) { c.DataPageOffset = 1 << 50 }), "the values of the file end at"},
		"size":      {chunk(func(c *format.ColumnMetaData) { c.TotalCompressedSize = 1 << 50 }), "the values of the file end at"},
		"elsewhere": {edit(func(m *format.FileMetaData) { m.RowGroups[0].Columns[0].FilePath = "/etc/passwd" }), "stands in another file"},
	} {
		_, err := read(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
	if _, err := tablefile.Open(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("%v, want that there is no file", err)
	}
}

// Writers say of a row group without rows anything of its pages: there are none.
func TestGroupsWithoutRows(t *testing.T) {
	want := someRows(40)
	body, m := split(t, file(t, want))
	empty := m.RowGroups[0]
	empty.NumRows, empty.Columns = 0, slices.Clone(empty.Columns)
	for i := range empty.Columns {
		c := &empty.Columns[i].MetaData
		c.NumValues, c.DataPageOffset, c.TotalCompressedSize = 0, 0, 15
	}
	m.RowGroups = []format.RowGroup{empty, m.RowGroups[0], empty}
	if got, err := read(join(t, body, m)); err != nil || len(got) != len(want) {
		t.Errorf("%d rows, %v, want %d", len(got), err, len(want))
	}
	m.RowGroups, m.NumRows = m.RowGroups[:1], 0
	if got, err := read(join(t, body, m)); err != nil || len(got) != 0 {
		t.Errorf("%d rows, %v, want none", len(got), err)
	}
}

// allocates returns how many bytes f takes from the heap.
func allocates(f func()) uint64 {
	all := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(all)
	before := all[0].Value.Uint64()
	f()
	metrics.Read(all)
	return all[0].Value.Uint64() - before
}

// enough is what reading one of the small files of these tests may take in all, however it is damaged.
const enough = 256 << 20

// tryDamaged reads a damaged file: it gives rows or an error, in bounded memory.
func tryDamaged(t *testing.T, data []byte) error {
	t.Helper()
	var err error
	if n := allocates(func() { _, err = read(data) }); n > enough {
		t.Fatalf("takes %d MB: %v", n>>20, err)
	}
	return err
}

// Footers and page headers whose fields are changed at random are read or refused in bounded memory.
func TestRandomDamage(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 60
	}
	refused := 0
	for i, o := range options {
		good := file(t, someRows(700), o...)
		for k := range n {
			if tryDamaged(t, damage(t, good, rand.New(rand.NewPCG(uint64(i), uint64(k))))) != nil {
				refused++
			}
		}
	}
	if refused < len(options)*n/2 {
		t.Errorf("%d of %d damaged files refused", refused, len(options)*n)
	}
}

// damage changes a field or two of the footer, or of the header of a page.
func damage(t testing.TB, good []byte, r *rand.Rand) []byte {
	body, m := split(t, good)
	body = bytes.Clone(body)
	for range 1 + r.IntN(2) {
		if r.IntN(3) == 0 {
			damageField(reflect.ValueOf(m).Elem(), r)
			continue
		}
		if len(m.RowGroups) == 0 {
			break
		}
		group := &m.RowGroups[r.IntN(len(m.RowGroups))]
		if len(group.Columns) == 0 {
			break
		}
		c := &group.Columns[r.IntN(len(group.Columns))].MetaData
		at := c.DataPageOffset
		if c.DictionaryPageOffset > 0 && r.IntN(2) == 0 {
			at = c.DictionaryPageOffset
		}
		if at < 0 || at >= int64(len(body)) {
			continue
		}
		body = damagePage(body, at, r)
	}
	return join(t, body, m)
}

// damagePage changes the header of the page at a place. The header keeps its length where it can; else what follows moves.
func damagePage(body []byte, at int64, r *rand.Rand) []byte {
	var h format.PageHeader
	read := (&thrift.CompactProtocol{}).NewReaderFromBytes(bytes.Clone(body[at:]))
	if thrift.NewDecoder(read).Decode(&h) != nil {
		return body
	}
	damageField(reflect.ValueOf(&h).Elem(), r)
	h.CRC = 0 // or nothing behind it would be reached
	if r.IntN(4) == 0 && at+int64(read.BytesRead()) < int64(len(body)) {
		body[at+int64(read.BytesRead())+int64(r.IntN(min(60, len(body)-int(at)-read.BytesRead())))] ^= 1 << r.IntN(8)
	}
	head, err := thrift.Marshal(&thrift.CompactProtocol{}, &h)
	if err != nil {
		return body
	}
	return append(append(bytes.Clone(body[:at]), head...), body[min(int(at)+read.BytesRead(), len(body)):]...)
}

// damageField changes one field of a value at random.
func damageField(v reflect.Value, r *rand.Rand) {
	switch v.Kind() {
	case reflect.Struct:
		if v.NumField() > 0 {
			damageField(v.Field(r.IntN(v.NumField())), r)
		}
	case reflect.Slice:
		if v.Len() == 0 {
			return
		}
		if r.IntN(12) == 0 {
			v.Set(v.Slice(0, r.IntN(v.Len())))
			return
		}
		damageField(v.Index(r.IntN(v.Len())), r)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		size := int(8 * v.Type().Size())
		switch r.IntN(4) {
		case 0:
			v.SetInt(v.Int() + int64(r.IntN(5)) - 2)
		case 1:
			v.SetInt(int64(r.Uint64()) >> (64 - size) >> r.IntN(size))
		default:
			v.SetInt(v.Int() ^ 1<<r.IntN(size-1))
		}
	case reflect.String:
		v.SetString(v.String() + "x")
	}
}

func FuzzFile(f *testing.F) {
	for _, o := range options {
		f.Add(file(f, someRows(40), o...))
	}
	f.Fuzz(func(t *testing.T, data []byte) { tryDamaged(t, data) })
}

// FuzzDamage fuzzes how a good file is damaged: each seed is another change of footer and page headers.
func FuzzDamage(f *testing.F) {
	var files [][]byte
	for i, o := range options {
		files = append(files, file(f, someRows(40), o...))
		f.Add(uint8(i), uint64(i))
	}
	f.Fuzz(func(t *testing.T, which uint8, seed uint64) {
		good := files[int(which)%len(files)]
		tryDamaged(t, damage(t, good, rand.New(rand.NewPCG(seed, 0))))
	})
}
