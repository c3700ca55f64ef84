package input

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// zeros never end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// What unpacks to as much as it may is read whole, and one byte more is an error after as much.
func TestUnpacked(t *testing.T) {
	for _, tt := range []struct {
		in         io.Reader
		most, want int64
		large      bool
	}{
		{strings.NewReader("12345"), 5, 5, false}, {strings.NewReader("12345"), 6, 5, false}, {strings.NewReader("12345"), 4, 4, true},
		{iotest.OneByteReader(strings.NewReader("12345")), 4, 4, true}, {iotest.DataErrReader(strings.NewReader("12345")), 5, 5, false},
		{zeros{}, 1 << 20, 1 << 20, true}, {zeros{}, 0, 7*100 + 64<<20, true},
	} {
		n, err := io.Copy(io.Discard, Unpacked(tt.in, 7, tt.most))
		var large *TooLarge
		if n != tt.want || errors.As(err, &large) != tt.large || !tt.large && err != nil {
			t.Errorf("at most %d: %d bytes, %v; want %d", tt.most, n, err, tt.want)
		}
	}
}
