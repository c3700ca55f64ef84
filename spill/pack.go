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

// Bytes is Text of a text in bytes.
func (p *Packer) Bytes(b []byte) { *p = append(binary.AppendUvarint(*p, uint64(len(b))), b...) }

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

// Bytes takes a text that is part of the record.
func (u *Unpacker) Bytes() []byte {
	n, k := binary.Uvarint(*u)
	b := (*u)[k : k+int(n)]
	*u = (*u)[k+int(n):]
	return b
}

// Texts gives out texts that come often without making them again. The zero value has none.
type Texts struct{ known map[string]string }

const (
	mostTexts  = 8192
	mostOfText = 64 // bytes of one that is kept
)

// Of returns the text of b.
func (t *Texts) Of(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := t.known[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(s) > mostOfText {
		return s
	}
	switch {
	case t.known == nil:
		t.known = map[string]string{}
	case len(t.known) == mostTexts: // others come often by now
		clear(t.known)
	}
	t.known[s] = s
	return s
}

// Float takes a number with a fraction.
func (u *Unpacker) Float() float64 {
	v := math.Float64frombits(binary.LittleEndian.Uint64(*u))
	*u = (*u)[8:]
	return v
}
