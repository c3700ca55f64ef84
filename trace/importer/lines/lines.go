// Package lines reads text by lines, with their numbers, also ahead of their use.
package lines

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
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

// Block is a run of lines that was read before its use.
type Block struct {
	Lines []Line
	Err   error // what came after the lines: io.EOF, what broke the stream, or nil
	text  []byte
}

// Line is one line of a block, without its end.
type Line struct {
	Text  []byte
	Whole bool // false for a last line that has no end
}

const (
	blockBytes = 1 << 18
	blocksAway = 4 // read before they are used
)

// Ahead reads the lines of r on another goroutine. stop ends it; blocks are valid until they are given back through free.
func Ahead(r io.Reader) (blocks <-chan *Block, free chan<- *Block, stop func()) {
	out, back, done := make(chan *Block, blocksAway), make(chan *Block, blocksAway), make(chan struct{})
	for range blocksAway {
		back <- pool.Get().(*Block)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(out)
		var rest []byte // of a line whose end is not read yet
		line := 0
		for {
			var b *Block
			select {
			case b = <-back:
			case <-done:
				return
			}
			rest = b.fill(r, rest, line)
			line += len(b.Lines)
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
	return out, back, func() {
		close(done)
		wg.Wait()
		for len(back) > 0 {
			if b := <-back; cap(b.text) <= 4*blockBytes {
				pool.Put(b)
			}
		}
	}
}

// pool has blocks of texts that were read to their ends.
var pool = sync.Pool{New: func() any { return &Block{text: make([]byte, 0, 2*blockBytes)} }}

// fill reads lines into b, which begin with rest and of which there were some before. It returns the beginning of the line after them, in b's memory.
func (b *Block) fill(r io.Reader, rest []byte, before int) []byte {
	b.text, b.Lines, b.Err = append(b.text[:0], rest...), b.Lines[:0], nil
	end := 0 // of the last whole line
	for nothing := 0; (end == 0 || len(b.text) < blockBytes) && b.Err == nil; {
		from := len(b.text)
		if cap(b.text)-from < blockBytes/8 {
			b.text = slices.Grow(b.text, blockBytes)
		}
		n, err := r.Read(b.text[from:min(cap(b.text), from+blockBytes)])
		b.text, b.Err = b.text[:from+n], err
		if i := bytes.LastIndexByte(b.text[from:], '\n'); i >= 0 {
			end = from + i + 1
		}
		if nothing++; n > 0 {
			nothing = 0
		}
		switch {
		case nothing == 100 && err == nil:
			b.Err = io.ErrNoProgress
		case end == 0 && len(b.text) > maxLine:
			b.text, b.Err = b.text[:0], fmt.Errorf("line %d is longer than %d bytes", before+1, maxLine)
		}
	}
	for text := b.text[:end]; len(text) > 0; {
		n := bytes.IndexByte(text, '\n')
		b.Lines = append(b.Lines, Line{bytes.TrimSuffix(text[:n], []byte("\r")), true})
		text = text[n+1:]
	}
	if b.Err != nil && end < len(b.text) {
		b.Lines = append(b.Lines, Line{b.text[end:], false})
	}
	return b.text[end:]
}
