package main

import (
	"runtime/debug"
	"strings"
	"syscall"
	"unsafe"
)

// hugePagesFor is the memory, in bytes, that huge pages are asked for: what a replay of a
// month of 12,000 nodes is to stay under. It is not held, only so much address space.
const hugePagesFor = 1 << 30

func init() { askForHugePages() }

// askForHugePages asks the kernel for huge pages (madvise(2), MADV_HUGEPAGE) for the first memory
// that the heap will use. A replay goes from one application to another all over its memory, and
// with small pages each such step also looks up the tables of the processor's pages. Go has
// no setting for it, but takes memory from the lowest address that is free, and a mapping
// keeps its advice: so address space is taken, advised, and given back with no more than a page of
// it having been touched. Where the kernel declines or the address space is limited (ulimit -v)
// all is as it would be without.
func askForHugePages() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur < 1<<40 {
		return
	}
	// A slice would be zeroed, all of it, if its first page has been in use before. A builder's memory is not.
	var memory strings.Builder
	memory.Grow(hugePagesFor)
	memory.WriteByte(0)
	_ = syscall.Madvise(unsafe.Slice(unsafe.StringData(memory.String()), hugePagesFor), syscall.MADV_HUGEPAGE)
	debug.FreeOSMemory()
}
