package tablefile

import (
	"sync"

	"github.com/klauspost/compress/zstd"
	parquetzstd "github.com/parquet-go/parquet-go/compress/zstd"
)

// windowBytes is more than a page has. The library's own codec takes 8 MiB, and memory for two windows with each encoder.
const windowBytes = 1 << 20

// Zstd is the codec of the tables that are written. It may be used by several writers at once.
type Zstd struct {
	parquetzstd.Codec // reads
	encoders          sync.Pool
}

// NewZstd returns a codec of a level.
func NewZstd(level zstd.EncoderLevel) *Zstd {
	return &Zstd{encoders: sync.Pool{New: func() any {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(level), zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false),
			zstd.WithWindowSize(windowBytes), zstd.WithLowerEncoderMem(true))
		if err != nil { // of these options
			panic(err)
		}
		return e
	}}}
}

// Encode packs src into dst, or into memory of its own if that is too small.
func (z *Zstd) Encode(dst, src []byte) ([]byte, error) {
	e := z.encoders.Get().(*zstd.Encoder)
	defer z.encoders.Put(e)
	return e.EncodeAll(src, dst[:0]), nil
}
