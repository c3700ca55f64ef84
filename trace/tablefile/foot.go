package tablefile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"replay/spill"
)

// A foot is what stands behind the row groups of a file that is written: the indexes of their pages, and what the footer says of them. All of it waits as the file
// will have it, so that memory does not grow with the file.
type foot struct {
	meta  format.FileMetaData // but for the row groups
	rows  int64
	n     int                    // row groups
	parts [footParts]spill.Shelf // as they stand in the file
	*encoder
}

// The parts of a foot, in order. Of row groups the places of indexes count from the begin of the part that has them, as nobody knows where it will stand.
const (
	columnIndexes = iota
	offsetIndexes
	rowGroups
	footParts
)

// encoder encodes structs into its buffer.
type encoder struct {
	buffer bytes.Buffer
	thrift *thrift.Encoder
}

func newEncoder() *encoder {
	e := new(encoder)
	e.thrift = thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&e.buffer))
	return e
}

// encode returns the bytes of v, which are good until the next call.
func (e *encoder) encode(v any) ([]byte, error) {
	e.buffer.Reset()
	err := e.thrift.Encode(v)
	return e.buffer.Bytes(), err
}

// put appends v to a part.
func (f *foot) put(part int, v any) (at int64, length int32, err error) {
	b, err := f.encode(v)
	if err == nil {
		at = f.parts[part].Len()
		_, err = f.parts[part].Write(b)
	}
	return at, int32(len(b)), err
}

// add takes a row group whose pages are in the file, and the indexes of its columns.
func (f *foot) add(g *format.RowGroup, columns []format.ColumnIndex, offsets []format.OffsetIndex) (err error) {
	if f.n == maxRowGroups {
		return fmt.Errorf("more than %d row groups of %d rows, which a table cannot have", maxRowGroups, g.NumRows)
	}
	g.Ordinal = int16(f.n)
	f.rows += g.NumRows
	f.n++
	for i := range g.Columns {
		c := &g.Columns[i]
		if c.ColumnIndexOffset, c.ColumnIndexLength, err = f.put(columnIndexes, &columns[i]); err != nil {
			return err
		}
		if c.OffsetIndexOffset, c.OffsetIndexLength, err = f.put(offsetIndexes, &offsets[i]); err != nil {
			return err
		}
	}
	_, _, err = f.put(rowGroups, g)
	return err
}

// beforeGroups and afterGroups are the fields of a format.FileMetaData before and after its row groups. The protocol says of a field how far its number is from that
// of the field before: those after the row groups count from 4.
type (
	beforeGroups struct {
		Version int32                              `thrift:"1,required"`
		Schema  thrift.Slice[format.SchemaElement] `thrift:"2,required"`
		NumRows int64                              `thrift:"3,required"`
	}
	afterGroups struct {
		KeyValueMetadata thrift.Slice[format.KeyValue]    `thrift:"1,optional"`
		CreatedBy        string                           `thrift:"2,optional"`
		ColumnOrders     thrift.Slice[format.ColumnOrder] `thrift:"3,optional"`
	}
)

// write ends the file.
func (f *foot) write(out *counted) error {
	var start [rowGroups]int64
	for i := range start {
		start[i] = out.at
		if _, err := io.Copy(out, f.parts[i].Reader(0)); err != nil {
			return err
		}
	}
	from := out.at
	b, err := f.encode(&beforeGroups{f.meta.Version, f.meta.Schema, f.rows})
	if err != nil {
		return err
	}
	b = append(b[:len(b)-1], 1<<4|thriftList) // in place of the end of the struct the next field
	if f.n < 15 {
		b = append(b, byte(f.n)<<4|thriftStruct)
	} else {
		b = binary.AppendUvarint(append(b, 15<<4|thriftStruct), uint64(f.n))
	}
	if _, err := out.Write(b); err != nil {
		return err
	}
	decoder := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(bufio.NewReader(f.parts[rowGroups].Reader(0))))
	for range f.n {
		var g format.RowGroup
		if err := decoder.Decode(&g); err != nil {
			return err
		}
		for i := range g.Columns {
			c := &g.Columns[i]
			c.ColumnIndexOffset += start[columnIndexes]
			c.OffsetIndexOffset += start[offsetIndexes]
		}
		if b, err = f.encode(&g); err == nil {
			_, err = out.Write(b)
		}
		if err != nil {
			return err
		}
	}
	if b, err = f.encode(&afterGroups{f.meta.KeyValueMetadata, f.meta.CreatedBy, f.meta.ColumnOrders}); err != nil {
		return err
	}
	if _, err := out.Write(b); err != nil {
		return err
	}
	_, err = out.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(out.at-from)), magic...))
	return err
}

// close lets go of all.
func (f *foot) close() {
	for i := range f.parts {
		f.parts[i].Close() // nobody reads it any more
	}
}
