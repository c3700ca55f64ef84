package input

import "bytes"

// Unmarked is a text without the byte order mark that editors put before it: no format of this program's own has one.
func Unmarked(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }
