package tablefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A Sink takes the values of a column of a [Writer]: 64-bit numbers that are encoded as differences, or 32-bit and 64-bit numbers or texts with a
// dictionary. They may be nullable, or in lists of values that are not.
type Sink struct {
	meta           format.ColumnMetaData // what does not depend on the values
	maxRep, maxDef byte
	codec          compress.Codec
	indexer        parquet.ColumnIndexer
	most           int64 // bytes of a page, as size counts them

	// The page.
	plain      []int64 // without a dictionary
	ids        []int32 // with one
	reps, defs []byte  // of a list; of what may be null
	pageRows   int64

	// The row group.
	dict        *dictionary
	pages       bytes.Buffer // that are whole
	chunk       format.ColumnMetaData
	locations   []format.PageLocation
	pageReps    []int64 // how often each level is in each page
	pageDefs    []int64
	rows        int64  // of pages that are whole
	page        []byte // memory that is used again
	packed      []byte
	levels      []byte
	encoded     []byte
	lowest, top parquet.Value
}

var (
	differences delta.BinaryPackedEncoding
	indexes     rle.DictionaryEncoding
	oneBit      = rle.Encoding{BitWidth: 1}
)

// newSink returns a sink of a column as the library describes one.
func newSink(meta *format.ColumnMetaData, maxRep, maxDef int, codec compress.Codec, indexer parquet.ColumnIndexer, most int64) *Sink {
	s := &Sink{meta: *meta, maxRep: byte(maxRep), maxDef: byte(maxDef), codec: codec, indexer: indexer, most: most}
	s.meta = format.ColumnMetaData{Type: meta.Type, Encoding: meta.Encoding, PathInSchema: meta.PathInSchema, Codec: meta.Codec}
	kind := parquet.Kind(meta.Type)
	hasIDs := slices.Contains(meta.Encoding, format.RLEDictionary)
	switch {
	case hasIDs && (kind == parquet.Int32 || kind == parquet.Int64 || kind == parquet.ByteArray):
		s.dict = newDictionary(kind)
	case kind == parquet.Int64 && slices.Contains(meta.Encoding, format.DeltaBinaryPacked):
	default:
		panic(fmt.Sprintf("column %v: no numbers as differences, and nothing with a dictionary", meta.PathInSchema))
	}
	if maxRep > 1 || maxDef > 1 {
		panic(fmt.Sprintf("column %v: lists in what may be null, or in lists", meta.PathInSchema))
	}
	s.beginChunk()
	return s
}

func (s *Sink) beginChunk() { s.chunk = s.meta }

// LongPages has the column's pages end with the row group alone. What repeats far apart is packed then, at the cost of memory: a page is packed and unpacked by itself.
func (s *Sink) LongPages() { s.most = math.MaxInt64 }

// defined adds n values to the levels of a column that is no list.
func (s *Sink) defined(n int) {
	s.pageRows += int64(n)
	if s.maxDef > 0 {
		s.defs = appendRun(s.defs, 1, n)
	}
}

func appendRun[T byte | int32 | int64](to []T, v T, n int) []T {
	to = slices.Grow(to, n)[:len(to)+n]
	added := to[len(to)-n:]
	for i := range added {
		added[i] = v
	}
	return to
}

// Repeat adds n rows with one number.
func (s *Sink) Repeat(v int64, n int) {
	s.defined(n)
	if s.dict == nil {
		s.plain = appendRun(s.plain, v, n)
		return
	}
	s.ids = appendRun(s.ids, s.dict.id(v), n)
}

// Nulls adds n rows without a value.
func (s *Sink) Nulls(n int) {
	if s.maxDef == 0 || s.maxRep > 0 {
		panic(fmt.Sprintf("column %v has no nulls", s.meta.PathInSchema))
	}
	s.pageRows += int64(n)
	s.defs = appendRun(s.defs, 0, n)
}

// Text adds a row with a text, or without one if it is empty.
func (s *Sink) Text(v string) {
	if v == "" && s.maxDef > 0 {
		s.Nulls(1)
		return
	}
	s.defined(1)
	s.ids = append(s.ids, s.dict.text(v))
}

// Put adds a row for each number.
func Put[T int32 | int64](s *Sink, values []T) {
	s.defined(len(values))
	put(s, values)
}

// PutPresent adds a row for each number, of which absent is none.
func PutPresent[T int32 | int64](s *Sink, values []T, absent T) {
	for len(values) > 0 {
		n := 1
		for n < len(values) && (values[n] == absent) == (values[0] == absent) {
			n++
		}
		if values[0] == absent {
			s.Nulls(n)
		} else {
			Put(s, values[:n])
		}
		values = values[n:]
	}
}

// PutLists adds a row for each list: list i is of the values from starts[i] up to, but without, starts[i+1]. Without starts there are n empty ones.
func PutLists[T int32 | int64](s *Sink, n int, starts []int32, values []T) {
	s.pageRows += int64(n)
	if len(starts) == 0 {
		s.reps, s.defs = appendRun(s.reps, 0, n), appendRun(s.defs, 0, n)
		return
	}
	reps, defs := s.reps, s.defs
	for i, from := range starts[:n] {
		size := starts[i+1] - from
		if size == 0 {
			reps, defs = append(reps, 0), append(defs, 0)
			continue
		}
		reps, defs = append(reps, 0), append(defs, 1)
		for range size - 1 {
			reps, defs = append(reps, 1), append(defs, 1)
		}
	}
	s.reps, s.defs = reps, defs
	put(s, values[starts[0]:starts[n]])
}

func put[T int32 | int64](s *Sink, values []T) {
	if s.dict == nil {
		at := len(s.plain)
		s.plain = slices.Grow(s.plain, len(values))[:at+len(values)]
		for i, v := range values {
			s.plain[at+i] = int64(v)
		}
		return
	}
	at := len(s.ids)
	s.ids = slices.Grow(s.ids, len(values))[:at+len(values)]
	ids := s.ids[at:]
	for i, v := range values {
		id, ok := s.dict.known(int64(v))
		if !ok {
			id = s.dict.id(int64(v))
		}
		ids[i] = id
	}
}

// size is that of the page in the library's memory, which is what its end depends on.
func (s *Sink) size() int64 {
	values := int64(8*len(s.plain) + 4*len(s.ids))
	switch {
	case s.maxRep > 0:
		return 8*s.pageRows + int64(len(s.reps)+len(s.defs)) + values
	case s.maxDef > 0:
		return 4*s.pageRows + int64(len(s.defs)) + values
	}
	return values
}

// bounds returns the least and the largest value of the page; null if it has none.
func (s *Sink) bounds() (low, high parquet.Value) {
	switch {
	case s.dict != nil:
		return s.dict.bounds(s.ids)
	case len(s.plain) > 0:
		return parquet.Int64Value(slices.Min(s.plain)), parquet.Int64Value(slices.Max(s.plain))
	}
	return low, high
}

// endPage encodes and packs the page.
func (s *Sink) endPage(h *encoder) (err error) {
	if s.pageRows == 0 {
		return nil
	}
	s.page = s.page[:0]
	for _, levels := range [...][]byte{s.reps, s.defs} {
		if len(levels) == 0 {
			continue
		}
		if s.levels, err = oneBit.EncodeLevels(s.levels[:0], levels); err != nil {
			return err
		}
		s.page = append(binary.LittleEndian.AppendUint32(s.page, uint32(len(s.levels))), s.levels...)
	}
	values := len(s.plain) + len(s.ids)
	encoding := format.DeltaBinaryPacked
	if s.dict != nil {
		encoding = format.RLEDictionary
		s.encoded, err = indexes.EncodeInt32(s.encoded[:0], s.ids)
	} else {
		s.encoded, err = differences.EncodeInt64(s.encoded[:0], s.plain)
	}
	if err != nil {
		return err
	}
	s.page = append(s.page, s.encoded...)
	all := values
	if s.maxDef > 0 {
		all = len(s.defs)
	}
	nulls := int64(all - values)
	if s.packed, err = s.codec.Encode(s.packed[:0], s.page); err != nil {
		return err
	}
	low, high := s.bounds()
	header := format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: int32(len(s.page)), CompressedPageSize: int32(len(s.packed)),
		DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: int32(all), Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
			Statistics: format.Statistics{Min: low.Bytes(), Max: high.Bytes(), NullCount: nulls, MinValue: low.Bytes(), MaxValue: high.Bytes()},
		}),
	}
	before := s.chunk.TotalCompressedSize
	if err := s.write(&s.pages, h, &header, s.packed); err != nil {
		return err
	}
	s.indexer.IndexPage(int64(all), nulls, low, high)
	s.locations = append(s.locations, format.PageLocation{Offset: before, CompressedPageSize: int32(s.chunk.TotalCompressedSize - before), FirstRowIndex: s.rows})
	s.rows += s.pageRows
	s.chunk.NumValues += int64(all)
	s.chunk.Statistics.NullCount += nulls
	s.widen(low, high)
	if s.maxRep > 0 {
		s.pageReps = appendLevels(s.pageReps, s.reps)
	}
	if s.maxDef > 0 {
		s.pageDefs = appendLevels(s.pageDefs, s.defs)
	}
	s.plain, s.ids, s.reps, s.defs, s.pageRows = s.plain[:0], s.ids[:0], s.reps[:0], s.defs[:0], 0
	return nil
}

// appendLevels adds how often the levels 0 and 1 are in a page.
func appendLevels(to []int64, levels []byte) []int64 {
	ones := bytes.Count(levels, []byte{1})
	return append(to, int64(len(levels)-ones), int64(ones))
}

// widen makes the bounds of the row group hold those of a page.
func (s *Sink) widen(low, high parquet.Value) {
	if low.IsNull() {
		return
	}
	less := parquet.Int64Type.Compare
	switch parquet.Kind(s.meta.Type) {
	case parquet.Int32:
		less = parquet.Int32Type.Compare
	case parquet.ByteArray:
		less = parquet.ByteArrayType.Compare
	}
	if s.lowest.IsNull() || less(low, s.lowest) < 0 {
		s.lowest = low
	}
	if s.top.IsNull() || less(high, s.top) > 0 {
		s.top = high
	}
}

// write writes a page with its header, and adds it to what is said of the row group.
func (s *Sink) write(out io.Writer, h *encoder, header *format.PageHeader, packed []byte) error {
	header.CRC = int32(crc32.ChecksumIEEE(packed))
	b, err := h.encode(header)
	if err != nil {
		return err
	}
	n := int64(len(b))
	if _, err := out.Write(b); err != nil {
		return err
	}
	if _, err := out.Write(packed); err != nil {
		return err
	}
	s.chunk.TotalUncompressedSize += n + int64(header.UncompressedPageSize)
	s.chunk.TotalCompressedSize += n + int64(header.CompressedPageSize)
	stat := format.PageEncodingStats{PageType: header.Type, Encoding: format.Plain, Count: 1}
	if header.Type == format.DataPage {
		stat.Encoding = header.DataPageHeader.V.Encoding
	}
	if n := len(s.chunk.EncodingStats); n > 0 && s.chunk.EncodingStats[n-1].PageType == stat.PageType {
		s.chunk.EncodingStats[n-1].Count++
	} else {
		s.chunk.EncodingStats = append(s.chunk.EncodingStats, stat)
	}
	return nil
}

// endChunk writes the column of a row group and begins that of the next.
func (s *Sink) endChunk(out *counted, h *encoder) (chunk format.ColumnMetaData, column format.ColumnIndex, offset format.OffsetIndex, err error) {
	if err := s.endPage(h); err != nil {
		return chunk, column, offset, err
	}
	column = s.indexer.ColumnIndex()
	column.RepetitionLevelHistogram, column.DefinitionLevelHistogram = s.pageReps, s.pageDefs
	s.chunk.SizeStatistics = format.SizeStatistics{RepetitionLevelHistogram: sumLevels(s.pageReps), DefinitionLevelHistogram: sumLevels(s.pageDefs)}
	if !s.lowest.IsNull() {
		s.chunk.Statistics.MinValue, s.chunk.Statistics.MaxValue = s.lowest.AppendBytes([]byte{}), s.top.AppendBytes([]byte{})
	}
	if s.dict != nil {
		s.chunk.DictionaryPageOffset = out.at
		s.page = s.dict.append(s.page[:0])
		if s.packed, err = s.codec.Encode(s.packed[:0], s.page); err != nil {
			return chunk, column, offset, err
		}
		header := format.PageHeader{
			Type: format.DictionaryPage, UncompressedPageSize: int32(len(s.page)), CompressedPageSize: int32(len(s.packed)),
			DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: int32(s.dict.len()), Encoding: format.Plain}),
		}
		if err := s.write(out, h, &header, s.packed); err != nil {
			return chunk, column, offset, err
		}
		s.dict.reset()
	}
	s.chunk.DataPageOffset = out.at
	for i := range s.locations {
		s.locations[i].Offset += out.at
	}
	offset.PageLocations = s.locations
	if _, err := s.pages.WriteTo(out); err != nil {
		return chunk, column, offset, err
	}
	chunk = s.chunk
	s.beginChunk()
	s.indexer.Reset()
	s.pages.Reset()
	s.locations, s.pageReps, s.pageDefs = nil, nil, nil
	s.rows, s.lowest, s.top = 0, parquet.Value{}, parquet.Value{}
	return chunk, column, offset, nil
}

func sumLevels(pages []int64) []int64 {
	if len(pages) == 0 {
		return nil
	}
	sum := make([]int64, 2)
	for i, n := range pages {
		sum[i%2] += n
	}
	return sum
}

// A dictionary numbers the values of a column in a row group in the order in which they come.
type dictionary struct {
	kind   parquet.Kind
	values []int64
	small  []int32         // of a small number v, its id + 1; 0 is none
	large  map[int64]int32 // the other numbers
	texts  []string
	byText map[string]int32
}

// mostSmall is how many numbers are looked up in a list. Nodes are, and most other numbers that tables repeat.
const mostSmall = 1 << 17

func newDictionary(kind parquet.Kind) *dictionary {
	return &dictionary{kind: kind, large: make(map[int64]int32), byText: make(map[string]int32)}
}

// known returns the id of a small number that has one.
func (d *dictionary) known(v int64) (id int32, ok bool) {
	if uint64(v) < uint64(len(d.small)) {
		id = d.small[v]
	}
	return id - 1, id > 0
}

// id returns the id of a number, which may be new.
func (d *dictionary) id(v int64) int32 {
	if id, ok := d.known(v); ok {
		return id
	}
	if v < 0 || v >= mostSmall {
		id, ok := d.large[v]
		if !ok {
			id = int32(len(d.values))
			d.large[v] = id
			d.values = append(d.values, v)
		}
		return id
	}
	if more := int(v) + 1 - len(d.small); more > 0 {
		d.small = append(d.small, make([]int32, more)...)
	}
	d.values = append(d.values, v)
	d.small[v] = int32(len(d.values))
	return int32(len(d.values)) - 1
}

func (d *dictionary) text(v string) int32 {
	id, ok := d.byText[v]
	if !ok {
		id = int32(len(d.texts))
		d.byText[v] = id
		d.texts = append(d.texts, v)
	}
	return id
}

func (d *dictionary) len() int { return len(d.values) + len(d.texts) }

// append appends the values as a dictionary's page has them.
func (d *dictionary) append(to []byte) []byte {
	for _, v := range d.values {
		if d.kind == parquet.Int32 {
			to = binary.LittleEndian.AppendUint32(to, uint32(v))
		} else {
			to = binary.LittleEndian.AppendUint64(to, uint64(v))
		}
	}
	for _, text := range d.texts {
		to = append(binary.LittleEndian.AppendUint32(to, uint32(len(text))), text...)
	}
	return to
}

// bounds returns the least and the largest value of a page; null if it has none.
func (d *dictionary) bounds(ids []int32) (low, high parquet.Value) {
	if len(ids) == 0 {
		return low, high
	}
	if d.kind == parquet.ByteArray {
		a, z := d.texts[ids[0]], d.texts[ids[0]]
		for _, id := range ids {
			a, z = min(a, d.texts[id]), max(z, d.texts[id])
		}
		return parquet.ByteArrayValue([]byte(a)), parquet.ByteArrayValue([]byte(z))
	}
	a, z := d.values[ids[0]], d.values[ids[0]]
	for _, id := range ids {
		a, z = min(a, d.values[id]), max(z, d.values[id])
	}
	if d.kind == parquet.Int32 {
		return parquet.Int32Value(int32(a)), parquet.Int32Value(int32(z))
	}
	return parquet.Int64Value(a), parquet.Int64Value(z)
}

func (d *dictionary) reset() {
	for _, v := range d.values {
		if v >= 0 && v < mostSmall {
			d.small[v] = 0
		}
	}
	clear(d.large)
	clear(d.byText)
	d.values, d.texts = d.values[:0], d.texts[:0]
}
