package spill

import "encoding/binary"

// Packer writes the fields of a record one after another, an Unpacker reads them in the same order.
type Packer []byte

// Int appends a number.
func (p *Packer) Int(v int64) { *p = binary.AppendVarint(*p, v) }

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
