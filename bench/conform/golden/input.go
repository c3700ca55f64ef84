package golden

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"replay/input"
)

// Input yields the lines of one file of vectors.
type Input struct {
	Path string

	file   io.Closer
	reader *bufio.Reader
	buf    []byte
	line   int
	peeked bool // buf holds a line that Next has not yet given
}

// maxLine bounds the memory that one line may take.
const maxLine = 64 << 20

// Open opens a file of vectors; a name that ends in .gz is read through gzip.
func Open(path string) (*Input, error) {
	f, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return Read(path, f, info.Size())
}

// Read reads what is called path and has size bytes, as Open does a file.
func Read(path string, f io.ReadCloser, size int64) (*Input, error) {
	r, buffer := io.Reader(f), 1<<18
	if strings.HasSuffix(path, ".gz") {
		packed, err := gzip.NewReader(bufio.NewReaderSize(f, int(min(size, 1<<16))))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
		}
		r = input.Unpacked(packed, size, 0)
	} else {
		buffer = int(min(size+1, 1<<18))
	}
	return &Input{Path: path, file: f, reader: bufio.NewReaderSize(r, buffer)}, nil
}

// Close closes the file.
func (in *Input) Close() error { return in.file.Close() }

// Line returns the number of the line last given, from 1.
func (in *Input) Line() int { return in.line }

// Next returns the next line that is not blank, or io.EOF. It is valid until the next call.
func (in *Input) Next() ([]byte, error) {
	if in.peeked {
		in.peeked = false
		return in.buf, nil
	}
	for {
		in.buf = in.buf[:0]
		var err error
		for more := true; more; {
			var part []byte
			part, err = in.reader.ReadSlice('\n')
			in.buf = append(in.buf, part...)
			if len(in.buf) > maxLine {
				return nil, in.Errorf("the line after this one has more than %d bytes", maxLine)
			}
			more = errors.Is(err, bufio.ErrBufferFull)
		}
		in.line++
		if large := new(input.TooLarge); errors.As(err, &large) {
			return nil, fmt.Errorf("%s: %w: unpack it first, if that is right", in.Path, err)
		}
		if err != nil && err != io.EOF {
			return nil, in.Errorf("%w", err)
		}
		in.buf = bytes.TrimSpace(in.buf)
		if len(in.buf) > 0 {
			return in.buf, nil
		}
		if err == io.EOF {
			return nil, io.EOF
		}
	}
}

// Decode decodes the next line into v, as encoding/json does. It returns io.EOF at the end,
// and an error with file and line when the line is malformed.
func (in *Input) Decode(v any) error {
	line, err := in.Next()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(line, v); err != nil {
		return in.Errorf("%w", err)
	}
	return nil
}

// Errorf returns an error about the line last given.
func (in *Input) Errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", in.Path, in.line, fmt.Errorf(format, args...))
}

// First reads the first line without consuming it.
func (in *Input) First() (Shape, error) {
	line, err := in.Next()
	if err == io.EOF {
		return nil, fmt.Errorf("%s: empty, want one JSON object a line", in.Path)
	}
	if err != nil {
		return nil, err
	}
	var s Shape
	if err := json.Unmarshal(line, &s); err != nil {
		return nil, in.Errorf("%w", err)
	}
	in.peeked = true
	return s, nil
}

// Cases decodes each line of in as one case of type T and gives it to run, which reports it.
// It is the Run of a [Kind] whose cases are single lines.
func Cases[T any](run func(c *T, out *Results)) func(*Input, *Results) error {
	return func(in *Input, out *Results) error {
		for {
			var c T
			if err := in.Decode(&c); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			run(&c, out)
		}
	}
}
