package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A codec is a compression that Spark, or an archive, may have put around an event log.
type codec struct {
	name  string // also the suffix of a file, without the dot
	magic string
	open  func(io.Reader) (io.ReadCloser, error)
}

// codecs has every compression an event log may have; plain text is the last.
var codecs = []codec{
	{"zstd", "\x28\xb5\x2f\xfd", func(r io.Reader) (io.ReadCloser, error) {
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(1<<28))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}},
	{"lz4", lz4Magic, func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(newLZ4BlockReader(r)), nil }},
	{"snappy", snappyMagic[:4], func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(newSnappyReader(r)), nil }},
	{"lzf", "ZV", func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(newLZFReader(r)), nil }},
	{"gz", "\x1f\x8b", func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
	{"plain", "{", func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(r), nil }},
}

// logName is what the name of an event log file says.
// Source: Spark's EventLogFileWriter and EventLogFileReader.
type logName struct {
	base       string
	codec      string // "" when the name has no known codec
	inProgress bool
	compact    bool
}

func parseLogName(path string) logName {
	n := logName{base: filepath.Base(path)}
	if base, ok := strings.CutSuffix(n.base, ".gz"); ok { // an archive's, around everything of Spark's
		n.base, n.codec = base, "gz"
	}
	n.base, n.compact = strings.CutSuffix(n.base, ".compact")
	n.base, n.inProgress = strings.CutSuffix(n.base, ".inprogress")
	if base, suffix, ok := cutLast(n.base, "."); ok && n.codec == "" && slices.ContainsFunc(codecs, func(c codec) bool { return c.name == suffix }) {
		n.base, n.codec = base, suffix
	}
	return n
}

// cutLast is strings.Cut around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// openLog opens the file and unpacks it: by the suffix of its name, else by its first bytes.
// A file whose first bytes are not those of its suffix is an error that says what they look like.
func openLog(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(f, 1<<18)
	head, err := r.Peek(8)
	if err != nil && err != io.EOF {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	looks := slices.IndexFunc(codecs, func(c codec) bool { return bytes.HasPrefix(head, []byte(c.magic)) })
	want := parseLogName(path).codec
	switch {
	case len(head) == 0:
		f.Close()
		return nil, fmt.Errorf("%s: the file is empty, want an event log: %w", path, io.ErrUnexpectedEOF)
	case looks < 0:
		f.Close()
		return nil, fmt.Errorf("%s: begins with % x, want an event log (%s)", path, head, magicList())
	case want != "" && codecs[looks].name != want:
		f.Close()
		return nil, fmt.Errorf("%s: the name says %s, but the file begins with % x, which is %s: rename it", path, want, head, codecs[looks].name)
	}
	z, err := codecs[looks].open(r)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %s: %w", path, codecs[looks].name, err)
	}
	return &logReader{z, f}, nil
}

func magicList() string {
	var b strings.Builder
	for i, c := range codecs {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s % x", c.name, c.magic)
	}
	return b.String()
}

type logReader struct {
	io.ReadCloser
	file *os.File
}

func (r *logReader) Close() error { return errors.Join(r.ReadCloser.Close(), r.file.Close()) }
