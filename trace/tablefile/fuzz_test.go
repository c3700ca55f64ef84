package tablefile

import (
	"bytes"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// What has been skimmed is decoded without an error of its form, and without more elements than were counted.
func FuzzSkim(f *testing.F) {
	text, err := thrift.Marshal(&thrift.CompactProtocol{}, &format.FileMetaData{
		Version: 1, Schema: []format.SchemaElement{{Name: "root", NumChildren: thrift.New[int32](1)}, {Name: "a", Type: thrift.New(format.Int64)}},
		RowGroups: []format.RowGroup{{Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{PathInSchema: []string{"a"}}}}}},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte{0x49, 0xfc, 0xff, 0xff, 0xff, 0x0f})
	f.Add(bytes.Repeat([]byte{0x1c}, 100))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := skim(b, 1000)
		if err != nil {
			return
		}
		var m format.FileMetaData
		if err := Guard(func() error { return thrift.Unmarshal(&thrift.CompactProtocol{}, b[:n], &m) }); err == nil && len(m.Schema)+len(m.RowGroups)+len(m.KeyValueMetadata) > 1000 {
			t.Errorf("%d columns, %d groups and %d keys from %d bytes", len(m.Schema), len(m.RowGroups), len(m.KeyValueMetadata), n)
		}
	})
}

// Levels and indexes that pass are those that the library decodes, in the memory of the values.
func FuzzHybrid(f *testing.F) {
	f.Add([]byte{0x08, 0x01, 0x03, 0xaa}, uint8(1), uint16(12))
	f.Add([]byte{0xfe, 0xff, 0xff, 0xff, 0x0f, 0x01}, uint8(2), uint16(9))
	f.Add([]byte{0x41, 0xff}, uint8(0), uint16(1))
	f.Add(append([]byte{0x17}, bytes.Repeat([]byte{0x1b, 0xe4, 0xff}, 8)...), uint8(2), uint16(85))
	f.Fuzz(func(t *testing.T, b []byte, width uint8, n uint16) {
		sum := 0
		if hybrid(b, int(width%34), int(n), func(v uint32, times int) error { sum += times; return nil }, func(p packedValues) error {
			most, total := uint32(0), 0
			for i := range p.n {
				most = max(most, p.at(i))
			}
			for i := range min(p.n, 64) {
				if p.count(p.at(i)) > 0 {
					total++
				}
			}
			last, times := p.at(p.n-1), 0
			for i := range p.n {
				if p.at(i) == last {
					times++
				}
			}
			if got := p.count(last); got != times {
				t.Errorf("%d values of %d bits: %d times %d, one by one %d", p.n, p.width, got, last, times)
			}
			if p.most() != most || total != min(p.n, 64) {
				t.Errorf("%d values of %d bits: most %d, one by one %d; %d of the first 64 are counted", p.n, p.width, p.most(), most, total)
			}
			sum += p.n
			return nil
		}) == nil && sum != int(n) {
			t.Errorf("%d values, want %d", sum, n)
		}
	})
}
