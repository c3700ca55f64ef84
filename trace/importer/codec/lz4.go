package codec

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"github.com/pierrec/lz4/v4"
)

// lz4BlockReader decodes the framing of Spark's lz4 codec: blocks that start with "LZ4Block",
// a token, the two lengths and a checksum of the content. It is not the LZ4 frame format.
// A block of length 0 ends a stream, and further streams may follow.
type lz4BlockReader struct {
	in  *bufio.Reader
	raw []byte // compressed block, reused
	buf []byte // decoded block, reused
	pos int64  // bytes of the input that were consumed
	framed
}

const (
	lz4Magic    = "LZ4Block"
	lz4Header   = len(lz4Magic) + 13
	lz4Stored   = 0x10
	lz4Packed   = 0x20
	lz4Seed     = 0x9747b28c
	lz4MaxBlock = 1 << (10 + 15) // the low four bits of a token give log2(block size) - 10
)

func newLZ4BlockReader(r io.Reader) *lz4BlockReader { return &lz4BlockReader{in: bufio.NewReader(r)} }

func (z *lz4BlockReader) Read(p []byte) (int, error) { return z.read(p, z.next) }

// next decodes one block into z.rest, which stays empty for the block that ends a stream.
func (z *lz4BlockReader) next() error {
	var head [lz4Header]byte
	n, err := io.ReadFull(z.in, head[:])
	if err != nil {
		if err == io.EOF {
			return io.EOF
		}
		return fmt.Errorf("lz4 block header at byte %d has %d of %d bytes: %w", z.pos, n, lz4Header, io.ErrUnexpectedEOF)
	}
	if string(head[:len(lz4Magic)]) != lz4Magic {
		return fmt.Errorf("lz4 block at byte %d begins with % x, want %q", z.pos, head[:len(lz4Magic)], lz4Magic)
	}
	token := head[8]
	packed := int64(binary.LittleEndian.Uint32(head[9:]))
	size := int64(binary.LittleEndian.Uint32(head[13:]))
	sum := binary.LittleEndian.Uint32(head[17:])
	method, limit := token&0xf0, int64(1)<<(10+token&0x0f)
	switch {
	case method != lz4Stored && method != lz4Packed:
		return fmt.Errorf("lz4 block at byte %d has method 0x%02x, want 0x10 (stored) or 0x20 (LZ4)", z.pos, method)
	case size > limit || size > lz4MaxBlock:
		return fmt.Errorf("lz4 block at byte %d has %d bytes, want at most the block size %d", z.pos, size, limit)
	case method == lz4Stored && packed != size, (packed == 0) != (size == 0), packed > int64(lz4.CompressBlockBound(int(limit))):
		return fmt.Errorf("lz4 block at byte %d has lengths %d packed and %d unpacked, which do not go together", z.pos, packed, size)
	}
	z.raw = grow(z.raw, int(packed))
	if n, err := io.ReadFull(z.in, z.raw); err != nil {
		return fmt.Errorf("lz4 block at byte %d has %d of %d bytes: %w", z.pos, n, packed, io.ErrUnexpectedEOF)
	}
	if size == 0 {
		z.pos += int64(lz4Header)
		return nil
	}
	out := z.raw
	if method == lz4Packed {
		z.buf = grow(z.buf, int(size))
		n, err := lz4.UncompressBlock(z.raw, z.buf)
		if err != nil || int64(n) != size {
			return fmt.Errorf("lz4 block at byte %d unpacks to %d bytes, want %d (%v)", z.pos, n, size, err)
		}
		out = z.buf
	}
	if got := xxh32(out, lz4Seed) & 0x0fffffff; got != sum {
		return fmt.Errorf("lz4 block at byte %d has checksum %08x, want %08x", z.pos, got, sum)
	}
	z.rest = out
	z.pos += int64(lz4Header) + packed
	return nil
}

// grow returns b with length n, reusing its memory when it is large enough.
func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// xxh32 is the 32-bit xxHash of b. The LZ4 library keeps its own internal and without a seed,
// which this framing needs.
func xxh32(b []byte, seed uint32) uint32 {
	const p1, p2, p3, p4, p5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
	h, n := seed+p5, uint32(len(b))
	if len(b) >= 16 {
		v0, v1, v2, v3 := seed, seed+p2, seed, seed // in registers, which an array is not
		v0 += p1
		v0 += p2
		v3 -= p1
		for ; len(b) >= 16; b = b[16:] {
			v0 = bits.RotateLeft32(v0+binary.LittleEndian.Uint32(b)*p2, 13) * p1
			v1 = bits.RotateLeft32(v1+binary.LittleEndian.Uint32(b[4:])*p2, 13) * p1
			v2 = bits.RotateLeft32(v2+binary.LittleEndian.Uint32(b[8:])*p2, 13) * p1
			v3 = bits.RotateLeft32(v3+binary.LittleEndian.Uint32(b[12:])*p2, 13) * p1
		}
		h = bits.RotateLeft32(v0, 1) + bits.RotateLeft32(v1, 7) + bits.RotateLeft32(v2, 12) + bits.RotateLeft32(v3, 18)
	}
	h += n
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(b)*p3, 17) * p4
	}
	for _, c := range b {
		h = bits.RotateLeft32(h+uint32(c)*p5, 11) * p1
	}
	h = (h ^ h>>15) * p2
	h = (h ^ h>>13) * p3
	return h ^ h>>16
}
