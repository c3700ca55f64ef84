package table

import (
	"encoding/base64"
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"
)

// arrowSchema is the key under which those who write Arrow's data as Parquet keep its schema, in the metadata of the file: an IPC message in base64.
const arrowSchema = "ARROW:schema"

// What Arrow's schema says of a duration.
//
// Source: Message.fbs and Schema.fbs of Arrow's format.
const (
	isSchema   = 1
	isDuration = 18
)

var arrowUnits = []string{"s", "ms", "us", "ns"}

// spans are the units of the columns that are durations in a schema of Arrow's, such as pandas' Timedelta, which Parquet has no type for. A schema that can't be read says nothing.
func spans(schema string) (units map[string]*unit) {
	data, err := base64.StdEncoding.DecodeString(schema)
	if err != nil || len(data) < 8 {
		return nil
	}
	if binary.LittleEndian.Uint32(data) == 1<<32-1 { // the mark of a message, before its length
		data = data[4:]
	}
	data = data[4:]
	defer func() {
		if recover() != nil { // a place outside of data
			units = nil
		}
	}()
	message := flatbuffers.Table{Bytes: data, Pos: flatbuffers.GetUOffsetT(data)}
	if small(&message, 1, 0) != isSchema {
		return nil
	}
	fields := within(&message, 2)
	list := place(fields, 1)
	units = map[string]*unit{}
	at := fields.Vector(list)
	for range min(fields.VectorLen(list), len(data)/4) {
		field := flatbuffers.Table{Bytes: data, Pos: fields.Indirect(at)}
		if at += flatbuffers.SizeUOffsetT; small(&field, 2, 0) != isDuration {
			continue
		}
		const ms = 1
		units[field.String(field.Pos+place(&field, 0))] = span.unit(arrowUnits[small(within(&field, 3), 0, ms)])
	}
	return units
}

// place is where a table has member i, from its position on; 0 = it has none.
func place(t *flatbuffers.Table, i int) flatbuffers.UOffsetT {
	return flatbuffers.UOffsetT(t.Offset(flatbuffers.VOffsetT(4 + 2*i)))
}

// within is the table that is member i of another one.
func within(t *flatbuffers.Table, i int) *flatbuffers.Table {
	var member flatbuffers.Table
	t.Union(&member, place(t, i))
	return &member
}

// small is member i, a number of one byte.
func small(t *flatbuffers.Table, i int, otherwise byte) byte {
	if at := place(t, i); at > 0 {
		return t.GetByte(t.Pos + at)
	}
	return otherwise
}
