//go:build amd64 || arm64

package fetch

import "unsafe"

// lines asks for the lines of memory, of 64 bytes each, that so many bytes fill from there on if the first begins one, at least for one. It does not read them: the pointer may lead anywhere.
//
//go:noescape
func lines(p unsafe.Pointer, bytes uintptr)
