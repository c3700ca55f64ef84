// Package lines reads text by lines, with their numbers, also ahead of their use.
package lines

import (
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
	in    io.Reader
	buf   []byte // what was read of it
	begin int    // of what Next did not return yet
	err   error  // what came after it
	line  int
}

// What is read at once: a buffer that was full is doubled, up to mostBuffer and to the longest line.
const (
	firstBuffer = 4 << 10
	mostBuffer  = 1 << 18
)

// NewReader returns a reader of the lines of r.
func NewReader(r io.Reader) *Reader { return &Reader{in: r} }

// Line is the number of the line that Next returned last, from 1.
func (l *Reader) Line() int { return l.line }

// Next returns the next line without its end, valid until the next call. whole is false for a
// last line that has no end; err is io.EOF after the last line, or what broke the stream.
func (l *Reader) Next() (text []byte, whole bool, err error) {
	for seen := 0; ; {
		if n := bytes.IndexByte(l.buf[l.begin+seen:], '\n'); n >= 0 {
			text = l.buf[l.begin : l.begin+seen+n]
			l.begin += seen + n + 1
			l.line++
			return bytes.TrimSuffix(text, []byte("\r")), true, nil
		}
		seen = len(l.buf) - l.begin
		if seen > maxLine && l.err == nil {
			l.begin, l.err = len(l.buf), fmt.Errorf("line %d is longer than %d bytes", l.line+1, maxLine)
			seen = 0
		}
		if l.err != nil {
			break
		}
		l.fill()
	}
	if text = l.buf[l.begin:]; len(text) == 0 {
		return nil, false, l.err
	}
	l.begin = len(l.buf)
	l.line++
	if l.err != io.EOF {
		err = l.err
	}
	return text, false, err
}

// fill reads more behind what Next did not return yet.
func (l *Reader) fill() {
	rest, room := l.buf[l.begin:], cap(l.buf)
	if len(l.buf) == room && (room < mostBuffer || len(rest) == room) {
		l.buf = make([]byte, max(firstBuffer, 2*room))
	}
	n := copy(l.buf[:cap(l.buf)], rest)
	l.buf, l.begin = l.buf[:n], 0
	for range 100 {
		n, err := l.in.Read(l.buf[len(l.buf):cap(l.buf)])
		l.buf, l.err = l.buf[:len(l.buf)+n], err
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
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
var pool = sync.Pool{New: func() any { return new(Block) }}

// fill reads lines into b, which begin with rest and of which there were some before. It returns the beginning of the line after them, in b's memory.
func (b *Block) fill(r io.Reader, rest []byte, before int) []byte {
	b.text, b.Lines, b.Err = append(b.text[:0], rest...), b.Lines[:0], nil
	end := 0 // of the last whole line
	for nothing := 0; (end == 0 || len(b.text) < blockBytes) && b.Err == nil; {
		from := len(b.text)
		if room := min(blockBytes, max(4*firstBuffer, cap(b.text))); cap(b.text)-from < room/8 {
			b.text = slices.Grow(b.text, room)
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
