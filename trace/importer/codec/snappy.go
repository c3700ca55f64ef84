package codec

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
)

// snappyReader decodes the framing of Spark's snappy codec (that of the Java library): a header
// of 16 bytes, then chunks of a big-endian length and a snappy block. The header may come again
// where streams were joined. It is not the snappy framing format.
type snappyReader struct {
	in        *bufio.Reader
	raw, buf  []byte
	pos       int64
	hasHeader bool
	framed
}

const (
	snappyMagic    = "\x82SNAPPY\x00"
	snappyHeader   = 16
	snappyMaxChunk = 64 << 20 // of the compressed block; Spark's are 32 KiB
)

func newSnappyReader(r io.Reader) *snappyReader { return &snappyReader{in: bufio.NewReader(r)} }

func (z *snappyReader) Read(p []byte) (int, error) { return z.read(p, z.next) }

func (z *snappyReader) next() error {
	var head [snappyHeader]byte
	n, err := io.ReadFull(z.in, head[:4])
	if err != nil {
		if err == io.EOF && z.hasHeader {
			return io.EOF
		}
		return fmt.Errorf("snappy chunk length at byte %d has %d of 4 bytes: %w", z.pos, n, io.ErrUnexpectedEOF)
	}
	if string(head[:4]) == snappyMagic[:4] {
		if n, err := io.ReadFull(z.in, head[4:]); err != nil {
			return fmt.Errorf("snappy header at byte %d has %d of %d bytes: %w", z.pos, n+4, snappyHeader, io.ErrUnexpectedEOF)
		}
		if string(head[:8]) != snappyMagic {
			return fmt.Errorf("snappy header at byte %d begins with % x, want % x", z.pos, head[:8], snappyMagic)
		}
		if v := binary.BigEndian.Uint32(head[12:]); v > 1 {
			return fmt.Errorf("snappy header at byte %d wants a reader of version %d, known is 1", z.pos, v)
		}
		z.hasHeader = true
		z.pos += snappyHeader
		return nil
	}
	if !z.hasHeader {
		return fmt.Errorf("snappy stream begins with % x, want % x", head[:4], snappyMagic)
	}
	size := int64(binary.BigEndian.Uint32(head[:4]))
	if size > snappyMaxChunk {
		return fmt.Errorf("snappy chunk at byte %d has %d bytes, want at most %d", z.pos, size, snappyMaxChunk)
	}
	z.raw = grow(z.raw, int(size))
	if n, err := io.ReadFull(z.in, z.raw); err != nil {
		return fmt.Errorf("snappy chunk at byte %d has %d of %d bytes: %w", z.pos, n, size, io.ErrUnexpectedEOF)
	}
	if d, err := snappy.DecodedLen(z.raw); err != nil || d > snappyMaxChunk {
		return fmt.Errorf("snappy chunk at byte %d says it unpacks to %d bytes, want at most %d (%v)", z.pos, d, snappyMaxChunk, err)
	}
	if z.rest, err = snappy.Decode(z.buf[:cap(z.buf)], z.raw); err != nil {
		return fmt.Errorf("snappy chunk at byte %d: %w", z.pos, err)
	}
	z.buf = z.rest
	z.pos += 4 + size
	return nil
}
