package tablefile

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Types of Thrift's compact protocol.
const (
	thriftTrue = 1 + iota
	thriftFalse
	thriftByte
	thriftInt16
	thriftInt32
	thriftInt64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
	thriftUUID
)

var errShort = errors.New("ends early")

// skimmer walks a struct in Thrift's compact protocol without keeping anything of it, so that it is known to be whole,
// and how much it will become, before a decoder takes memory for what it says.
type skimmer struct {
	b        []byte
	at       int
	elements int // of lists, sets and maps, all together
	most     int // of them
}

// maxNesting is how deep structs and lists may stand in each other; Parquet's own go 7 deep.
const maxNesting = 16

// skim returns the length of the struct at the start of b. It may have most elements in its lists.
func skim(b []byte, most int) (int, error) {
	s := skimmer{b: b, most: most}
	err := s.structure(0)
	return s.at, err
}

func (s *skimmer) structure(depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("nested more than %d deep", maxNesting)
	}
	for {
		b, err := s.byte()
		if err != nil || b == 0 {
			return err
		}
		if b>>4 == 0 { // the field's id stands by itself
			if _, err := s.uvarint(); err != nil {
				return err
			}
		}
		if t := b & 15; t != thriftTrue && t != thriftFalse { // booleans have their value in the type
			if err := s.value(t, depth); err != nil {
				return err
			}
		}
	}
}

func (s *skimmer) value(t byte, depth int) error {
	switch t {
	case thriftTrue, thriftFalse, thriftByte:
		return s.skip(1)
	case thriftInt16, thriftInt32, thriftInt64:
		_, err := s.uvarint()
		return err
	case thriftDouble:
		return s.skip(8)
	case thriftUUID:
		return s.skip(16)
	case thriftBinary:
		n, err := s.uvarint()
		if err != nil {
			return err
		}
		return s.skip(n)
	case thriftList, thriftSet:
		b, err := s.byte()
		if err != nil {
			return err
		}
		n := uint64(b >> 4)
		if n == 15 {
			if n, err = s.uvarint(); err != nil {
				return err
			}
		}
		return s.list(n, depth, b&15)
	case thriftMap:
		n, err := s.uvarint()
		if err != nil || n == 0 {
			return err
		}
		b, err := s.byte()
		if err != nil {
			return err
		}
		return s.list(n, depth, b>>4, b&15)
	case thriftStruct:
		return s.structure(depth + 1)
	}
	return fmt.Errorf("type %d at byte %d", t, s.at)
}

// list walks n times values of the types.
func (s *skimmer) list(n uint64, depth int, types ...byte) error {
	if n > uint64(len(s.b)-s.at) { // each takes a byte or more
		return errShort
	}
	if s.elements += int(n); s.elements > s.most {
		return fmt.Errorf("more than %d elements of lists", s.most)
	}
	if depth > maxNesting {
		return fmt.Errorf("nested more than %d deep", maxNesting)
	}
	for range n {
		for _, t := range types {
			if err := s.value(t, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *skimmer) byte() (byte, error) {
	if s.at >= len(s.b) {
		return 0, errShort
	}
	s.at++
	return s.b[s.at-1], nil
}

func (s *skimmer) uvarint() (uint64, error) {
	v, n := binary.Uvarint(s.b[s.at:])
	if n <= 0 {
		return 0, errShort
	}
	s.at += n
	return v, nil
}

func (s *skimmer) skip(n uint64) error {
	if n > uint64(len(s.b)-s.at) {
		return errShort
	}
	s.at += int(n)
	return nil
}
