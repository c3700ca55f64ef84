//go:build unix

package outdir

import (
	"errors"
	"os"
	"syscall"
)

// lock locks an open directory until it is closed, or its program ends however that may be. A file system without locks
// has its directories taken as they are.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return nil
}
