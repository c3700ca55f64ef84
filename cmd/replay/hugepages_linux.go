package main

import (
	"runtime/debug"
	"syscall"
)

// hugePagesFor is the memory, in bytes, that huge pages are asked for: what a replay of a
// month of 12,000 nodes is to stay under. It is not held, only so much address space.
const hugePagesFor = 1 << 30

// init asks the kernel for huge pages (madvise(2), MADV_HUGEPAGE) for the first memory that
// the heap will use. A replay goes from one application to another all over its memory, and
// with small pages each such step also looks up the tables of the processor's pages. Go has
// no setting for it, but takes memory from the lowest address that is free, and a mapping
// keeps its advice: so address space is taken, advised, and given back without a byte of it
// having been touched. Where the kernel declines or the address space is limited (ulimit -v)
// all is as it would be without.
func init() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur < 1<<40 {
		return
	}
	_ = syscall.Madvise(make([]byte, hugePagesFor), syscall.MADV_HUGEPAGE)
	debug.FreeOSMemory()
}
