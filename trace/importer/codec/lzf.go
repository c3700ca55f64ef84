package codec

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// lzfReader decodes Spark's lzf codec: chunks of "ZV", a type (0 stored, 1 packed), big-endian
// 16-bit lengths and the data.
type lzfReader struct {
	in       *bufio.Reader
	raw, buf []byte
	pos      int64
	framed
}

func newLZFReader(r io.Reader) *lzfReader { return &lzfReader{in: bufio.NewReader(r)} }

func (z *lzfReader) Read(p []byte) (int, error) { return z.read(p, z.next) }

func (z *lzfReader) next() error {
	var head [7]byte
	n, err := io.ReadFull(z.in, head[:5])
	if err != nil {
		if err == io.EOF {
			return io.EOF
		}
		return fmt.Errorf("lzf chunk header at byte %d has %d of 5 bytes: %w", z.pos, n, io.ErrUnexpectedEOF)
	}
	if head[0] != 'Z' || head[1] != 'V' || head[2] > 1 {
		return fmt.Errorf("lzf chunk at byte %d begins with % x, want 5a 56 00 or 5a 56 01", z.pos, head[:3])
	}
	size, used := int(binary.BigEndian.Uint16(head[3:])), 5
	if head[2] == 1 {
		if n, err := io.ReadFull(z.in, head[5:]); err != nil {
			return fmt.Errorf("lzf chunk header at byte %d has %d of 7 bytes: %w", z.pos, 5+n, io.ErrUnexpectedEOF)
		}
		used = 7
	}
	z.raw = grow(z.raw, size)
	if n, err := io.ReadFull(z.in, z.raw); err != nil {
		return fmt.Errorf("lzf chunk at byte %d has %d of %d bytes: %w", z.pos, n, size, io.ErrUnexpectedEOF)
	}
	z.rest = z.raw
	if head[2] == 1 {
		z.buf = grow(z.buf, int(binary.BigEndian.Uint16(head[5:])))
		if err := lzfDecode(z.buf, z.raw); err != nil {
			return fmt.Errorf("lzf chunk at byte %d: %w", z.pos, err)
		}
		z.rest = z.buf
	}
	z.pos += int64(used + size)
	return nil
}

// lzfDecode unpacks src, which must fill dst exactly. A control byte below 32 announces that many
// literals and one more; otherwise its upper three bits are a length and its lower five the
// high bits of a distance back.
func lzfDecode(dst, src []byte) error {
	i, o := 0, 0
	for i < len(src) {
		c := int(src[i])
		i++
		if c < 32 {
			n := c + 1
			if i+n > len(src) || o+n > len(dst) {
				return fmt.Errorf("%d literals at %d leave the chunk (%d in, %d out)", n, i, len(src), len(dst))
			}
			copy(dst[o:], src[i:i+n])
			i, o = i+n, o+n
			continue
		}
		n := c>>5 + 2
		if n == 9 {
			if i >= len(src) {
				return fmt.Errorf("a length is missing at %d", i)
			}
			n += int(src[i])
			i++
		}
		if i >= len(src) {
			return fmt.Errorf("a distance is missing at %d", i)
		}
		from := o - (c&31<<8 | int(src[i])) - 1
		i++
		if from < 0 || o+n > len(dst) {
			return fmt.Errorf("a copy of %d bytes from %d to %d leaves the chunk of %d bytes", n, from, o, len(dst))
		}
		for ; n > 0; n-- { // the ranges may overlap: byte by byte
			dst[o] = dst[from]
			o, from = o+1, from+1
		}
	}
	if o != len(dst) {
		return fmt.Errorf("unpacks to %d bytes, want %d", o, len(dst))
	}
	return nil
}
