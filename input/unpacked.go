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
	u := &unpacked{in: r, most: most}
	if most == 0 {
		u.most, u.usual = UnpackedTimes*packed+UnpackedFree, true
	}
	u.left = u.most
	return u
}

type unpacked struct {
	in         io.Reader
	left, most int64
	usual      bool
}

func (u *unpacked) Read(b []byte) (int, error) {
	if int64(len(b)) > u.left+1 {
		b = b[:u.left+1]
	}
	n, err := u.in.Read(b)
	if int64(n) > u.left {
		n, err = int(u.left), &TooLarge{u.most, u.usual}
	}
	u.left -= int64(n)
	return n, err
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
