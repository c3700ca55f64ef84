// Package lines reads text by lines, with their numbers, also ahead of their use.
package lines

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"sync"
)

// maxLine bounds the memory that one line may take, which is a small multiple of it. The longest of Spark are plans of some MB.
const maxLine = 64 << 20

// What one line may hold as JSON. A value takes some hundred bytes when it is parsed, and two of text; a level takes
// stack.
const (
	maxValues = 1_000_000
	maxDepth  = 300
)

// CheckJSON returns an error if a line holds more values, or deeper ones, than may be parsed. It need not be JSON.
func CheckJSON(line []byte) error {
	if n := bytes.Count(line, []byte{','}); n > maxValues {
		return fmt.Errorf("has %d commas, want at most %d in one line", n, maxValues)
	}
	if bytes.Count(line, []byte{'['})+bytes.Count(line, []byte{'{'}) <= maxDepth {
		return nil
	}
	depth, quoted := 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > maxDepth {
				return fmt.Errorf("has more than %d objects and arrays within each other at byte %d", maxDepth, i)
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return nil
}

// Reader yields the lines of a text with their numbers.
type Reader struct {
	in   *bufio.Reader
	long []byte // a line longer than the reader's buffer
	line int
}

// NewReader returns a reader of the lines of r.
func NewReader(r io.Reader) *Reader { return &Reader{in: bufio.NewReaderSize(r, 1<<18)} }

// Line is the number of the line that Next returned last, from 1.
func (l *Reader) Line() int { return l.line }

// Next returns the next line without its end, valid until the next call. whole is false for a
// last line that has no end; err is io.EOF after the last line, or what broke the stream.
func (l *Reader) Next() (text []byte, whole bool, err error) {
	b, err := l.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		l.long = append(l.long[:0], b...)
		for err == bufio.ErrBufferFull {
			if len(l.long) > maxLine {
				return nil, false, fmt.Errorf("line %d is longer than %d bytes", l.line+1, maxLine)
			}
			b, err = l.in.ReadSlice('\n')
			l.long = append(l.long, b...)
		}
		b = l.long
	}
	if len(b) == 0 {
		return nil, false, err
	}
	l.line++
	if err != nil && err != io.EOF {
		return b, false, err
	}
	if t, ok := bytes.CutSuffix(b, []byte("\n")); ok {
		return bytes.TrimSuffix(t, []byte("\r")), true, nil
	}
	return b, false, nil
}

// Block is a run of lines that was read and checked before its use.
type Block struct {
	Text  []byte
	Lines []Line
	Err   error // what came after the lines: io.EOF, what broke the stream, or nil
}

// Line is one line of a block. Empty lines have no text.
type Line struct {
	End   int   // in the text of the block; it begins where the line before it ends
	Bytes int   // of the line as it was read, without its end
	Whole bool  // false for a last line that has no end
	Bad   error // what the check found
}

const (
	blockBytes = 1 << 18
	blocksAway = 4 // read before they are used
)

// Ahead reads the lines of r on another goroutine and gives each that is not empty to check, which may change it and returns what of it is kept. stop ends it; blocks are
// valid until they are given back through free.
func Ahead(r io.Reader, check func(line []byte) (kept []byte, bad error)) (blocks <-chan *Block, free chan<- *Block, stop func()) {
	out, back, done := make(chan *Block, blocksAway), make(chan *Block, blocksAway), make(chan struct{})
	for range blocksAway {
		back <- &Block{}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(out)
		in := NewReader(r)
		for {
			var b *Block
			select {
			case b = <-back:
			case <-done:
				return
			}
			b.fill(in, check)
			select {
			case out <- b:
			case <-done:
				return
			}
			if b.Err != nil {
				return
			}
		}
	})
	return out, back, func() { close(done); wg.Wait() }
}

// fill reads lines into b until there is enough in it.
func (b *Block) fill(in *Reader, check func(line []byte) ([]byte, error)) {
	b.Text, b.Lines, b.Err = b.Text[:0], b.Lines[:0], nil
	for len(b.Text) < blockBytes && b.Err == nil {
		var line []byte
		l := Line{}
		if line, l.Whole, b.Err = in.Next(); len(line) > 0 || b.Err == nil {
			if l.Bytes = len(line); len(line) > 0 {
				line, l.Bad = check(line)
			}
			b.Text = append(b.Text, line...)
			l.End = len(b.Text)
			b.Lines = append(b.Lines, l)
		}
	}
}
