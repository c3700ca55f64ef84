package input

import (
	"bytes"
	"fmt"
)

// Unmarked is a text without the byte order mark that editors put before it: no format of this program's own has one.
func Unmarked(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }

// ReadText is [ReadFile] of a file that is read as a text as it lies there. One that is packed, an archive, Parquet or a pointer of Git LFS is an
// error that says so: as a text its first line would be a wrong one.
func ReadText(path string) ([]byte, error) {
	text, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	for _, k := range noTexts {
		if bytes.HasPrefix(text, []byte(k.magic)) {
			return nil, fmt.Errorf("%s: is %s", path, k.is)
		}
	}
	return text, nil
}

// noTexts are what begins with bytes that no text does that ReadText is for.
var noTexts = []struct{ magic, is string }{
	{"\x1f\x8b", "packed with gzip, want the text in it: unpack it first (gunzip)"},
	{"\x28\xb5\x2f\xfd", "packed with zstd, want the text in it: unpack it first (unzstd)"},
	{"BZh", "packed with bzip2, want the text in it: unpack it first (bunzip2)"},
	{"\xfd7zXZ\x00", "packed with xz, want the text in it: unpack it first (unxz)"},
	{"PK\x03\x04", "a zip archive, want a text: unpack it first (unzip)"},
	{"PAR1", "a Parquet file, want a text"},
	{"version https://git-lfs.github.com/spec/", "a pointer of Git LFS, want the file that it stands for: git lfs pull fetches it"},
}
