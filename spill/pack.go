package spill

import (
	"encoding/binary"
	"math"
)

// Packer writes the fields of a record one after another, an Unpacker reads them in the same order.
type Packer []byte

// Int appends a number.
func (p *Packer) Int(v int64) { *p = binary.AppendVarint(*p, v) }

// Float appends a number with a fraction, all of its bits.
func (p *Packer) Float(v float64) { *p = binary.LittleEndian.AppendUint64(*p, math.Float64bits(v)) }

// Text appends a text.
func (p *Packer) Text(s string) { *p = append(binary.AppendUvarint(*p, uint64(len(s))), s...) }

// Unpacker is what is left of a record.
type Unpacker []byte

// Int takes a number.
func (u *Unpacker) Int() int64 {
	v, n := binary.Varint(*u)
	*u = (*u)[n:]
	return v
}

// Text takes a text.
func (u *Unpacker) Text() string {
	n, k := binary.Uvarint(*u)
	s := string((*u)[k : k+int(n)])
	*u = (*u)[k+int(n):]
	return s
}

// Float takes a number with a fraction.
func (u *Unpacker) Float() float64 {
	v := math.Float64frombits(binary.LittleEndian.Uint64(*u))
	*u = (*u)[8:]
	return v
}
