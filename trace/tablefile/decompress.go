package tablefile

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// slack is what a page's memory has beyond its length: zstd then copies in blocks.
const slack = 16

// codecs unpack src into dst, which has the length that the file gives for it. They take no more memory than dst and
// their own tables; anything that does not fill dst is an error.
var codecs = map[format.CompressionCodec]func(dst, src []byte) error{
	format.Uncompressed: func(dst, src []byte) error { return full(copy(dst, src), len(src), dst) },
	format.Snappy: func(dst, src []byte) error {
		n, err := snappy.DecodedLen(src)
		if err == nil {
			err = full(n, n, dst)
		}
		if err == nil {
			_, err = snappy.Decode(dst, src)
		}
		return err
	},
	format.Gzip: gunzip,
	format.Zstd: func(dst, src []byte) error {
		d := zstdDecoders.Get().(*zstd.Decoder)
		defer zstdDecoders.Put(d)
		out, err := d.DecodeAll(src, dst[:0])
		if err != nil {
			return err
		}
		return full(len(out), len(out), dst)
	},
	format.Lz4Raw: func(dst, src []byte) error {
		if len(src) == 0 {
			return full(0, 0, dst)
		}
		n, err := lz4.UncompressBlock(src, dst)
		if err != nil {
			return err
		}
		return full(n, n, dst)
	},
}

func gunzip(dst, src []byte) error {
	z := gzipReaders.Get().(*gzip.Reader)
	defer gzipReaders.Put(z)
	if err := z.Reset(bytes.NewReader(src)); err != nil {
		return err
	}
	n, err := io.ReadFull(z, dst)
	if n < len(dst) {
		return fmt.Errorf("%d bytes, and the page says %d (%v)", n, len(dst), err)
	}
	var more [1]byte
	if n, err := io.ReadFull(z, more[:]); n > 0 || err != io.EOF {
		return fmt.Errorf("more than the %d bytes that the page says (%v)", len(dst), err)
	}
	return nil
}

var gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}

// full is an error unless copied bytes, which are all of them, fill dst.
func full(copied, all int, dst []byte) error {
	if copied != len(dst) || all != len(dst) {
		return fmt.Errorf("%d bytes, and the page says %d", all, len(dst))
	}
	return nil
}

// A decoder keeps its tables for the next page. None goes beyond the capacity of what it fills.
var zstdDecoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true),
		zstd.WithDecoderMaxWindow(1<<27), zstd.WithDecoderMaxMemory(maxPage))
	if err != nil {
		panic(err) // the options are ours
	}
	return d
}}

func codecNames() string {
	var names []string
	for c := range codecs {
		names = append(names, c.String())
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
