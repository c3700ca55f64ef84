//go:build unix

package measure

import (
	"syscall"
	"time"
)

// CPU is the processor time of this process so far, of all its threads, in the user's code and in the system's.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // the call has no way to go wrong
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
