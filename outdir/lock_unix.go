//go:build unix

package outdir

import (
	"errors"
	"os"
	"syscall"
)

// canLock says whether locks are known here.
const canLock = true

// lock locks an open file or directory until it is closed, or its program ends however that may be. A file system without locks
// has them taken as they are.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return nil
}
