// Package codec unpacks files. What a file is packed with shows in its first bytes. A byte order mark before a text is passed over; text with that of UTF-16 becomes UTF-8.
package codec

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"replay/input"
)

// Codec is a compression that a program, or an archive, puts around a file.
type Codec struct {
	Name  string // also the suffix of a file, without the dot
	Magic string // first bytes of a packed file
	open  func(io.Reader) (io.ReadCloser, error)
}

// Plain is the name of no compression.
const Plain = "plain"

// Codecs has every known compression; plain, which any other bytes are, is the last. lz4, snappy and lzf have the
// framings of Spark.
var Codecs = []Codec{
	{"zstd", "\x28\xb5\x2f\xfd", openZstd},
	{"lz4", lz4Magic, func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(newLZ4BlockReader(r)), nil }},
	{"snappy", snappyMagic[:4], func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(newSnappyReader(r)), nil }},
	{"lzf", "ZV\x00", openLZF},
	{"lzf", "ZV\x01", openLZF},
	{"xz", "\xfd7zXZ\x00", func(r io.Reader) (io.ReadCloser, error) {
		x, err := xz.NewReader(r, 1<<26)
		if err != nil {
			return nil, err
		}
		return io.NopCloser(x), nil
	}},
	{"bz2", "BZh", func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(bzip2.NewReader(r)), nil }},
	{"gz", gzipMagic, openGzip},
	{Plain, "", func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(r), nil }},
}

func openZstd(r io.Reader) (io.ReadCloser, error) {
	z, ok := zstds.Get().(*zstd.Decoder)
	if !ok {
		var err error
		if z, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(1<<28)); err != nil {
			return nil, err
		}
	}
	return zstdReader{z}, z.Reset(r)
}

const gzipMagic = "\x1f\x8b"

func openGzip(r io.Reader) (io.ReadCloser, error) {
	packed := bufio.NewReader(r)
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &gzipReader{Reader: z, packed: packed}, nil
}

// gzipReader reads members one behind the other. Zeros behind them, as a tape or disk fills up with, are none of the data, as for gzip itself; other bytes,
// which gzip unpacks nothing of either, are an error that says where they begin.
type gzipReader struct {
	*gzip.Reader
	packed *bufio.Reader
	at     func() int64 // the place of the next packed byte in the file
	err    error        // what ended it
}

func (z *gzipReader) Read(b []byte) (n int, err error) {
	for z.err == nil {
		switch n, err = z.Reader.Read(b); {
		case err == nil:
			return n, nil
		case err != io.EOF:
			z.err = fmt.Errorf("gzip data at byte %d: %w", z.at(), err)
			return n, z.err
		}
		z.err = z.next()
		if n > 0 {
			return n, nil
		}
	}
	return 0, z.err
}

// next begins with the next member. The error is io.EOF where there is none.
func (z *gzipReader) next() error {
	var first byte
	for first == 0 {
		var err error
		if first, err = z.packed.ReadByte(); err != nil {
			return err
		}
	}
	if err := z.packed.UnreadByte(); err != nil {
		return err
	}
	at := z.at()
	begin, err := z.packed.Peek(len(gzipMagic))
	if err != nil && err != io.EOF {
		return err
	}
	if !strings.HasPrefix(gzipMagic, string(begin)) {
		return fmt.Errorf("bytes that are not packed, % x, are at byte %d, after all gzip data", begin, at)
	}
	if err := z.Reset(z.packed); err != nil {
		return fmt.Errorf("gzip data at byte %d: %w", at, err)
	}
	z.Multistream(false)
	return nil
}

// zstds are decoders of files that were closed.
var zstds sync.Pool

type zstdReader struct{ *zstd.Decoder }

func (z zstdReader) Close() error {
	err := z.Reset(nil)
	zstds.Put(z.Decoder)
	return err
}

func openLZF(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(newLZFReader(r)), nil }

// known tells whether name is that of a codec.
func known(name string) bool {
	return slices.ContainsFunc(Codecs, func(c Codec) bool { return c.Name == name })
}

// OfName returns the codec that the suffix of a file names, or "".
func OfName(path string) string {
	if suffix := strings.TrimPrefix(filepath.Ext(path), "."); known(suffix) {
		return suffix
	}
	return ""
}

// File is an open file that is unpacked while it is read.
type File struct {
	io.ReadCloser
	Codec  string // Plain, ...
	Head   []byte // first bytes of the file, packed as they are; at most 8
	packed *packed
	buffer *bufio.Reader // of packed; nil = it was closed
}

// Close ends the reading. What was wrong with the packed bytes Read has said: a decoder would say it again.
func (f *File) Close() error {
	if f.buffer == nil {
		return nil
	}
	f.ReadCloser.Close()
	err := f.packed.Close()
	giveBack(f.buffer)
	f.buffer = nil
	return err
}

// SHA256 reads the file to its end, also what comes behind that which is unpacked, and returns the hash of all its bytes as they are packed, in hex. The file was opened with
// [OpenHashed] or [Reader].
func (f *File) SHA256() (string, error) {
	_, err := io.Copy(io.Discard, f.packed)
	return hex.EncodeToString(f.packed.sum.Sum(nil)), err
}

// Open opens a file and unpacks it after its first bytes. Name is the codec that the name of the file speaks of,
// or ""; that the bytes are those of another one is an error that says what they look like. A packed file may unpack to
// most bytes, or if that is 0 to what [input.Unpacked] has.
func Open(path, name string, most int64) (*File, error) { return open(path, name, most, nil) }

// OpenHashed is Open of a file whose hash will be asked for: its bytes are hashed as they are read.
func OpenHashed(path, name string, most int64) (*File, error) {
	return open(path, name, most, sha256.New())
}

func open(path, name string, most int64, sum hash.Hash) (*File, error) {
	f, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	out, err := unpack(&packed{ReadCloser: f, sum: sum}, name, func(r io.Reader) io.Reader { return input.Unpacked(r, info.Size(), most) })
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

// Reader unpacks what in has after its first bytes, as OpenHashed does a file. Nobody knows how long it is: the bound is
// that of as many packed bytes as were read so far. Closing the result closes in.
func Reader(in io.ReadCloser, most int64) (*File, error) {
	p := &packed{ReadCloser: in, sum: sha256.New()}
	return unpack(p, "", func(r io.Reader) io.Reader { return input.UnpackedSoFar(r, func() int64 { return p.n }, most) })
}

// packed is a file as it is, while it is read.
type packed struct {
	io.ReadCloser
	n   int64     // bytes that were read
	sum hash.Hash // of them; nil = nobody asks for it
}

func (p *packed) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	p.n += int64(n)
	if p.sum != nil {
		p.sum.Write(b[:n])
	}
	return n, err
}

// bufferBytes is how much of a file is read at once. Who reads as much at a time reads past the buffer.
const bufferBytes = 1 << 16

// buffers are those of files that were closed.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, bufferBytes) }}

func giveBack(b *bufio.Reader) {
	b.Reset(nil)
	buffers.Put(b)
}

func unpack(f *packed, name string, within func(io.Reader) io.Reader) (out *File, err error) {
	r := buffers.Get().(*bufio.Reader)
	r.Reset(f)
	defer func() {
		if err != nil {
			giveBack(r)
		}
	}()
	head, err := r.Peek(8)
	if err != nil && err != io.EOF {
		return nil, err
	}
	out = &File{Head: bytes.Clone(head), packed: f, buffer: r}
	c := codecOf(head)
	out.Codec = c.Name
	if name != "" && name != c.Name && len(head) > 0 {
		return nil, fmt.Errorf("the name says %s, but the file begins with % x, which is %s: rename it", name, head, c.Name)
	}
	if out.ReadCloser, err = c.open(r); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	if z, ok := out.ReadCloser.(*gzipReader); ok {
		z.at = func() int64 { return f.n - int64(r.Buffered()) }
	}
	if c.Name != Plain {
		out.ReadCloser = &bounded{within(out.ReadCloser), out.ReadCloser}
	}
	if c.Name == archive {
		if err = out.unpackAgain(); err != nil {
			return nil, err
		}
		out.ReadCloser = &bounded{within(out.ReadCloser), out.ReadCloser}
	}
	out.ReadCloser = &text{ReadCloser: out.ReadCloser}
	return out, nil
}

// text is a stream without the byte order mark that some editors put before a text; if the mark is that of UTF-16, as UTF-8.
type text struct {
	io.ReadCloser
	begun bool
	begin []byte // read and not yet given
	err   error  // what came after begin
}

const byteOrderMark = "\xef\xbb\xbf"

// broken is the end of a stream that broke off, if it did.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) {
	if b.err == nil {
		return 0, io.EOF
	}
	return 0, b.err
}

func (t *text) Read(b []byte) (int, error) {
	if !t.begun {
		t.begun = true
		begin := make([]byte, len(byteOrderMark))
		var n int
		n, t.err = io.ReadFull(t.ReadCloser, begin)
		if t.err == io.ErrUnexpectedEOF && n > 0 {
			t.err = nil // the stream says it again, as it means it
		}
		if begin = begin[:n]; bytes.HasPrefix(begin, []byte("\xff\xfe")) || bytes.HasPrefix(begin, []byte("\xfe\xff")) {
			wide := io.MultiReader(bytes.NewReader(begin), broken{t.err}, t.ReadCloser)
			t.ReadCloser, t.err = &bounded{transform.NewReader(wide, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()), t.ReadCloser}, nil
		} else {
			t.begin = bytes.TrimPrefix(begin, []byte(byteOrderMark))
		}
	}
	if len(t.begin) > 0 {
		n := copy(b, t.begin)
		t.begin = t.begin[n:]
		return n, nil
	}
	if t.err != nil {
		return 0, t.err
	}
	return t.ReadCloser.Read(b)
}

// bounded is what is unpacked, up to a bound.
type bounded struct {
	io.Reader
	io.Closer
}

// archive is the codec that archives put around files, packed or not.
const archive = "gz"

// unpackAgain unpacks what is packed within what is unpacked.
func (f *File) unpackAgain() error {
	outer := f.ReadCloser
	r := bufio.NewReaderSize(outer, bufferBytes)
	head, _ := r.Peek(8) // an error comes again
	c := codecOf(head)
	if c.Name == archive {
		c = codecOf(nil)
	}
	inner, err := c.open(r)
	if err != nil {
		return fmt.Errorf("%s in %s: %w", c.Name, f.Codec, err)
	}
	f.ReadCloser = &nested{inner, outer}
	return nil
}

// nested is a packed file within another.
type nested struct {
	io.ReadCloser
	outer io.Closer
}

func (n *nested) Close() error { return errors.Join(n.ReadCloser.Close(), n.outer.Close()) }

// codecOf returns the codec of a file that begins with head.
func codecOf(head []byte) *Codec {
	return &Codecs[slices.IndexFunc(Codecs, func(c Codec) bool { return bytes.HasPrefix(head, []byte(c.Magic)) })]
}
