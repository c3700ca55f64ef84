//go:build amd64 || arm64

package fetch

import "unsafe"

// lines asks for n lines of memory, at least one. It does not read them: the pointer may lead anywhere.
//
//go:noescape
func lines(p unsafe.Pointer, n int)
