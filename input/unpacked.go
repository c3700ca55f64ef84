package input

import (
	"fmt"
	"io"
)

// What a packed file may unpack to unless somebody says otherwise: [UnpackedTimes] its size, and [UnpackedFree] bytes.
// Event logs and recordings unpack to 50 times their size at most.
const (
	UnpackedTimes = 100
	UnpackedFree  = 64 << 20
)

// Unpacked reads r, which unpacks a file of packed bytes, and gives no more than most bytes of it; 0 stands for the
// usual bound. More is a [TooLarge] error, so that a small file cannot fill the memory.
func Unpacked(r io.Reader, packed, most int64) io.Reader {
	return UnpackedSoFar(r, func() int64 { return packed }, most)
}

// UnpackedSoFar is Unpacked for what has no known size: packed tells how many bytes were read of it. The usual bound grows with them.
func UnpackedSoFar(r io.Reader, packed func() int64, most int64) io.Reader {
	return &unpacked{in: r, packed: packed, most: most}
}

type unpacked struct {
	in     io.Reader
	packed func() int64
	most   int64 // 0 = the usual
	given  int64
}

func (u *unpacked) Read(b []byte) (int, error) {
	most := u.bound()
	if left := most - u.given; int64(len(b)) > left+1 {
		b = b[:left+1]
	}
	n, err := u.in.Read(b)
	most = u.bound() // reading may have raised it
	if left := most - u.given; int64(n) > left {
		n, err = int(left), &TooLarge{most, u.most == 0}
	}
	u.given += int64(n)
	return n, err
}

func (u *unpacked) bound() int64 {
	if u.most != 0 {
		return u.most
	}
	return UnpackedTimes*u.packed() + UnpackedFree
}

// TooLarge is the error of a file that unpacks to more than it may.
type TooLarge struct {
	Most  int64 // bytes
	Usual bool  // the bound is that of nobody saying otherwise
}

func (e *TooLarge) Error() string {
	why := ""
	if e.Usual {
		why = fmt.Sprintf(", %d times its size and %d MiB", UnpackedTimes, UnpackedFree>>20)
	}
	return fmt.Sprintf("unpacks to more than %d bytes%s", e.Most, why)
}
