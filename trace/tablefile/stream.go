package tablefile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of a page. Writers make pages of 1 MB or less, or of some 100,000 rows.
const (
	maxPage       = 64 << 20 // bytes, packed or not
	maxPageValues = 1 << 23
	maxHeader     = 64 << 10
	firstHeader   = 1 << 10 // what is read first; most are below 100 bytes
)

// A Budget bounds what the pages that are read at the same time take, and has the memory of those that were read for others.
type Budget struct {
	held, most int64
	spare      [][]byte
	spared     int64 // bytes of them
}

// mostSpared is how many bytes of memory wait for further pages: a few of each column that a trace has.
const mostSpared = 16 << 20

// give takes memory that nobody reads any more.
func (b *Budget) give(memory []byte) {
	if n := int64(cap(memory)); n > 0 && b.spared+n <= mostSpared {
		b.spared += n
		b.spare = append(b.spare, memory)
	}
}

// grow gives *memory the length n and returns it; what it held is lost where it has less room.
func (b *Budget) grow(memory *[]byte, n int) []byte {
	if cap(*memory) < n {
		b.give(*memory)
		*memory = b.room(n)
	}
	*memory = (*memory)[:n]
	return *memory
}

// room returns memory with room for n bytes: of that which waits, the least that has it.
func (b *Budget) room(n int) []byte {
	least := -1
	for i, m := range b.spare {
		if cap(m) >= n && (least < 0 || cap(m) < cap(b.spare[least])) {
			least = i
		}
	}
	if least < 0 {
		return make([]byte, n)
	}
	m := b.spare[least]
	b.spared -= int64(cap(m))
	b.spare = slices.Delete(b.spare, least, least+1)
	return m
}

// take replaces what a page took by what the next one takes.
func (b *Budget) take(before, now int64) error {
	if b.held += now - before; b.held > b.most {
		return fmt.Errorf("the pages of its columns take more than %d MB at the same time: write it with smaller pages", b.most>>20)
	}
	return nil
}

// A stream is a column of a row group as the library is to read it: its pages in order, checked and unpacked.
// It is read forward; reading at 0 begins again.
type stream struct {
	r       io.ReaderAt
	leaf    *Leaf
	chunk   chunk
	rows    int64 // of the row group
	budget  *Budget
	at      int64  // next page in the file
	offset  int64  // of head in what is read
	head    []byte // header of the page
	body    []byte // the page
	packed  []byte
	memory  []byte // of body, which goes on to the next page: the library reads copies
	held    int64  // of the budget
	seen    levels
	read    int64 // rows of the pages so far
	values  int64
	entries int  // of the dictionary, -1 before it
	looked  bool // who reads checks what it looks up there
	err     error
}

// begin goes back to before the first page.
func (s *stream) begin() {
	s.at, s.offset, s.head, s.body, s.err = s.chunk.start, 0, nil, nil, nil
	s.read, s.values, s.entries = 0, 0, -1
}

// release gives back what the last page took.
func (s *stream) release() {
	s.budget.held -= s.held
	s.budget.give(s.packed)
	s.budget.give(s.memory)
	s.held, s.head, s.body, s.packed, s.memory = 0, nil, nil, nil, nil
}

// ReadAt is as that of [io.ReaderAt], for offsets that do not go back, except to 0.
func (s *stream) ReadAt(p []byte, off int64) (n int, err error) {
	if off == 0 {
		s.begin()
	}
	if off < s.offset {
		return 0, fmt.Errorf("a dictionary after the values that need it")
	}
	for n < len(p) {
		switch at := off + int64(n) - s.offset; {
		case at < int64(len(s.head)):
			n += copy(p[n:], s.head[at:])
		case at-int64(len(s.head)) < int64(len(s.body)):
			n += copy(p[n:], s.body[at-int64(len(s.head)):])
		default:
			s.offset += int64(len(s.head) + len(s.body))
			s.head, s.body = nil, nil
			if s.err == nil {
				s.err = s.next()
			}
			if s.err != nil {
				return n, s.err
			}
		}
	}
	return n, nil
}

// next takes the next page; io.EOF after the last.
func (s *stream) next() error {
	for s.at < s.chunk.end {
		start := s.at
		header, err := s.readHeader()
		if err == nil && header.Type == format.IndexPage {
			continue
		}
		if err == nil {
			err = s.takePage(header)
		}
		if err != nil {
			return fmt.Errorf("page at byte %d: %w", start, err)
		}
		if header.Type != format.DictionaryPage && s.seen.values == 0 { // some writers end lists with it, and the library wants levels
			s.head, s.body = nil, nil
			continue
		}
		return nil
	}
	if s.read != s.rows || s.values != s.chunk.values {
		return fmt.Errorf("%d rows and %d values in its pages, want %d and %d", s.read, s.values, s.rows, s.chunk.values)
	}
	return io.EOF
}

// end is an error unless all pages that are left are good, and the column ends where it should.
func (s *stream) end() error {
	for s.err == nil {
		s.err = s.next()
	}
	if s.err == io.EOF {
		return nil
	}
	return s.err
}

// readHeader reads the header of the page at s.at, and its bytes into s.packed.
func (s *stream) readHeader() (*format.PageHeader, error) {
	var n int
	var err error
	for _, most := range []int64{firstHeader, maxHeader} {
		b := s.budget.grow(&s.packed, int(min(most, s.chunk.end-s.at)))
		if _, err := s.r.ReadAt(b, s.at); err != nil {
			return nil, err
		}
		if n, err = skim(b, 1<<10); err != errShort {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	h := new(format.PageHeader)
	if err := thrift.Unmarshal(&thrift.CompactProtocol{}, s.packed[:n], h); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	s.at += int64(n)
	packed, unpacked := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	switch {
	case packed < 0 || packed > s.chunk.end-s.at:
		return nil, fmt.Errorf("%d bytes, where the column has %d left", packed, s.chunk.end-s.at)
	case packed > maxPage || unpacked < 0 || unpacked > maxPage:
		return nil, fmt.Errorf("%d bytes, %d unpacked, want at most %d: write it with smaller pages", packed, unpacked, int64(maxPage))
	}
	b := s.budget.grow(&s.packed, int(packed))
	if _, err := s.r.ReadAt(b, s.at); err != nil && packed > 0 {
		return nil, err
	}
	s.at += packed
	if h.CRC != 0 && crc32.ChecksumIEEE(b) != uint32(h.CRC) {
		return nil, fmt.Errorf("its check sum is %08x, want %08x", crc32.ChecksumIEEE(b), uint32(h.CRC))
	}
	return h, nil
}

// takePage checks and unpacks the page in s.packed, and writes the header with which the library reads it.
func (s *stream) takePage(h *format.PageHeader) error {
	values := int32(0)
	switch {
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		values = h.DictionaryPageHeader.V.NumValues
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		values = h.DataPageHeader.V.NumValues
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		values = h.DataPageHeaderV2.V.NumValues
	default:
		return fmt.Errorf("type %v, or a header of another type", h.Type)
	}
	if values < 0 || values > maxPageValues {
		return fmt.Errorf("%d values, want at most %d: write it with smaller pages", values, maxPageValues)
	}
	// A page is held packed, unpacked and decoded, and the column of a batch besides.
	held := int64(len(s.packed)) + 2*int64(h.UncompressedPageSize) + int64(values)*int64(2+2*max(s.leaf.size, 4))
	err := s.budget.take(s.held, held)
	s.held = held
	if err != nil {
		return err
	}
	out := format.PageHeader{Type: h.Type}
	switch h.Type {
	case format.DictionaryPage:
		err = s.takeDictionary(h, &out)
	case format.DataPage:
		err = s.takeV1(h, &out)
	default:
		err = s.takeV2(h, &out)
	}
	if err != nil {
		return err
	}
	out.UncompressedPageSize, out.CompressedPageSize = int32(len(s.body)), int32(len(s.body))
	s.head, err = thrift.Marshal(&thrift.CompactProtocol{}, &out)
	return err
}

// unpackPage unpacks all but the first bytes of the page, which stand as they are.
func (s *stream) unpackPage(h *format.PageHeader, first int, packed bool) error {
	s.body = s.budget.grow(&s.memory, int(h.UncompressedPageSize)+slack)[:h.UncompressedPageSize]
	copy(s.body, s.packed[:first])
	codec := s.chunk.codec
	if !packed {
		codec = format.Uncompressed
	}
	if err := codecs[codec](s.body[first:], s.packed[first:]); err != nil {
		return fmt.Errorf("%v: %w", codec, err)
	}
	return nil
}

func (s *stream) takeDictionary(h, out *format.PageHeader) error {
	d := h.DictionaryPageHeader.V
	if s.entries >= 0 {
		return fmt.Errorf("a second dictionary")
	}
	if d.Encoding != format.Plain && d.Encoding != plainDictionary {
		return fmt.Errorf("a dictionary encoded as %v, want PLAIN", d.Encoding)
	}
	if s.leaf.Kind == parquet.Boolean {
		return fmt.Errorf("a dictionary of booleans")
	}
	if err := s.unpackPage(h, 0, true); err != nil {
		return err
	}
	if err := s.leaf.checkPlain(s.body, int(d.NumValues)); err != nil {
		return fmt.Errorf("dictionary: %w", err)
	}
	s.entries = int(d.NumValues)
	out.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: d.NumValues, Encoding: format.Plain})
	return nil
}

func (s *stream) takeV1(h, out *format.PageHeader) error {
	d := h.DataPageHeader.V
	if err := s.unpackPage(h, 0, true); err != nil {
		return err
	}
	b := s.body
	prefixed := func(most byte, encoding format.Encoding) (part []byte, err error) {
		if most == 0 {
			return nil, nil
		}
		if encoding != format.RLE {
			return nil, fmt.Errorf("levels encoded as %v, want RLE", encoding)
		}
		if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
			return nil, errShort
		}
		n := 4 + int(binary.LittleEndian.Uint32(b))
		part, b = b[4:n], b[n:]
		return part, nil
	}
	rep, err := prefixed(s.leaf.MaxRep, d.RepetitionLevelEncoding)
	if err != nil {
		return err
	}
	def, err := prefixed(s.leaf.MaxDef, d.DefinitionLevelEncoding)
	if err != nil {
		return err
	}
	if err := s.takeValues(rep, def, b, int(d.NumValues), d.Encoding); err != nil {
		return err
	}
	out.DataPageHeader = thrift.New(format.DataPageHeader{
		NumValues: d.NumValues, Encoding: s.spellOut(b, d.Encoding), DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
	})
	return nil
}

func (s *stream) takeV2(h, out *format.PageHeader) error {
	d := h.DataPageHeaderV2.V
	nr, nd := int64(d.RepetitionLevelsByteLength), int64(d.DefinitionLevelsByteLength)
	if nr < 0 || nd < 0 || nr+nd > int64(len(s.packed)) || nr+nd > int64(h.UncompressedPageSize) {
		return fmt.Errorf("levels of %d and %d bytes in a page of %d", nr, nd, len(s.packed))
	}
	if nr > 0 && s.leaf.MaxRep == 0 || nd > 0 && s.leaf.MaxDef == 0 {
		return fmt.Errorf("levels of %d and %d bytes for a column that has none", nr, nd)
	}
	if err := s.unpackPage(h, int(nr+nd), !d.IsCompressed.Valid || d.IsCompressed.V); err != nil {
		return err
	}
	values := s.body[nr+nd:]
	if err := s.takeValues(s.body[:nr], s.body[nr:nr+nd], values, int(d.NumValues), d.Encoding); err != nil {
		return err
	}
	if !s.seen.begins && s.seen.values > 0 {
		return fmt.Errorf("begins within a row")
	}
	out.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{
		NumValues: d.NumValues, NumNulls: int32(s.seen.values - s.seen.set), NumRows: int32(s.seen.rows), Encoding: s.spellOut(values, d.Encoding),
		RepetitionLevelsByteLength: d.RepetitionLevelsByteLength, DefinitionLevelsByteLength: d.DefinitionLevelsByteLength,
		IsCompressed: thrift.New(false),
	})
	return nil
}

// spellOut writes truth values that stand in runs, which end the page, as a bit each, and returns the encoding that the page then has. The library takes
// the byte of a run for eight values, and its length for a multiple of eight, as it writes them itself; other writers make runs of any length of a 0 or 1.
func (s *stream) spellOut(values []byte, encoding format.Encoding) format.Encoding {
	if encoding != format.RLE { // which checkValues lets pass of truth values alone
		return encoding
	}
	bits := runsOfBits(values, s.seen.set)
	s.body = append(s.body[:len(s.body)-len(values)], bits...)
	return format.Plain
}

func (s *stream) takeValues(rep, def, b []byte, n int, encoding format.Encoding) error {
	seen, err := s.leaf.takeLevels(rep, def, n)
	if err != nil {
		return err
	}
	if s.values == 0 && n > 0 && !seen.begins {
		return fmt.Errorf("the first value goes on a list that has not begun")
	}
	entries := s.entries
	if s.looked && entries > 0 {
		entries = math.MaxInt
	}
	if err := s.leaf.checkValues(b, encoding, seen.set, entries); err != nil {
		return err
	}
	s.seen = seen
	s.read, s.values = s.read+int64(seen.rows), s.values+int64(n)
	if s.read > s.rows || s.values > s.chunk.values {
		return fmt.Errorf("%d rows and %d values up to here, want %d and %d in all", s.read, s.values, s.rows, s.chunk.values)
	}
	return nil
}
