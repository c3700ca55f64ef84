// Package sorted looks numbers up in short sorted lists. Where one is among others no processor guesses, so no branch depends on it.
package sorted

// Below returns how many numbers of an ascending list are below one.
func Below(list []int32, number int32) (n int) {
	for left := len(list); left > 0; left >>= 1 {
		half := (left + 1) >> 1
		n += half & int((int64(list[n+half-1])-int64(number))>>63) // 0, or half if that is negative
	}
	return n
}

// Find returns where a number is in an ascending list, -1 if it is not there.
func Find(list []int32, number int32) int {
	if at := Below(list, number); at < len(list) && list[at] == number {
		return at
	}
	return -1
}
