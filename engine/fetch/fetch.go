// Package fetch asks the processor for memory that is needed soon, so that it comes while other things are done. A replay goes from one application to another all over
// its memory, of which the caches hold little: without, most of what an event does first is to wait.
//
// Nothing depends on it but time. On processors for which there is no instruction here it does nothing.
package fetch

import "unsafe"

// Of asks for a value. A nil pointer asks for nothing. Like [At] it says itself what [Head] says, so that it is short enough to stand where it is called.
func Of[T any](p *T) {
	if p != nil {
		lines(unsafe.Pointer(p), unsafe.Sizeof(*p))
	}
}

// Head asks for the first bytes of a value.
func Head[T any](p *T, bytes uintptr) {
	if p != nil {
		lines(unsafe.Pointer(p), bytes)
	}
}

// List asks for the elements of a list, the first so many of a long one.
func List[T any](list []T, most int) {
	if n := min(len(list), most); n > 0 {
		Head(&list[0], uintptr(n)*unsafe.Sizeof(list[0]))
	}
}

// Next asks for the room behind the elements of a list that grows soon, up to so many more.
func Next[T any](list []T, most int) {
	n := len(list)
	List(list[n:cap(list)], most)
}

// At asks for an element of a list, if there is one.
func At[T any](list []T, i int) {
	if uint(i) < uint(len(list)) {
		lines(unsafe.Pointer(&list[i]), unsafe.Sizeof(list[i]))
	}
}
