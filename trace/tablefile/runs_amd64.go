//go:build amd64 && !purego

package tablefile

import (
	_ "unsafe" // for go:linkname

	_ "github.com/parquet-go/parquet-go/encoding/rle" // is ready before this package is
)

// nextRun is how the library finds where eight equal values begin, which ends a run of others. Of the ways that it has, the one for processors with
// AVX2 also stops at four equal values before four other ones. A reader gets the same from either, but the bytes of a file depend on the processor:
// it is replaced by one that does as all others do.
//
//go:linkname nextRun github.com/parquet-go/parquet-go/encoding/rle.encodeInt32IndexEqual8Contiguous
var nextRun func(values [][8]int32) int

func init() { nextRun = nextEqual }

// nextEqual returns the index of the first that has eight equal values, or their number.
func nextEqual(values [][8]int32) int {
	for i := range values {
		if v := &values[i]; *v == [8]int32{v[0], v[0], v[0], v[0], v[0], v[0], v[0], v[0]} {
			return i
		}
	}
	return len(values)
}
