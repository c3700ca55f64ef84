package importer

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"sync"
)

// maxLine bounds the memory that one event may take.
const maxLine = 1 << 30

// lines yields the lines of an event log with their numbers.
type lines struct {
	in   *bufio.Reader
	long []byte // a line longer than the reader's buffer
	line int    // number of the line that next returned last, from 1
}

func newLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, 1<<18)} }

// next returns the next line without its end, valid until the next call. whole is false for a
// last line that has no end; err is io.EOF after the last line, or what broke the stream.
func (l *lines) next() (text []byte, whole bool, err error) {
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

// block is a run of lines that was read and checked before its use.
type block struct {
	text  []byte
	lines []blockLine
	err   error // what came after the lines: io.EOF, what broke the stream, or nil
}

type blockLine struct {
	end   int // in text
	whole bool
	bad   error // from check
}

const (
	blockBytes = 1 << 18
	blocksAway = 4 // read before they are used
)

// readAhead reads and checks the lines of r on another goroutine. stop ends it; blocks are valid until
// they are given back through free.
func readAhead(r io.Reader) (blocks <-chan *block, free chan<- *block, stop func()) {
	out, back, done := make(chan *block, blocksAway), make(chan *block, blocksAway), make(chan struct{})
	for range blocksAway {
		back <- &block{}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(out)
		in := newLines(r)
		for {
			var b *block
			select {
			case b = <-back:
			case <-done:
				return
			}
			b.fill(in)
			select {
			case out <- b:
			case <-done:
				return
			}
			if b.err != nil {
				return
			}
		}
	})
	return out, back, func() { close(done); wg.Wait() }
}

// fill reads lines into b until there is enough in it.
func (b *block) fill(in *lines) {
	b.text, b.lines, b.err = b.text[:0], b.lines[:0], nil
	for len(b.text) < blockBytes && b.err == nil {
		var line []byte
		l := blockLine{}
		if line, l.whole, b.err = in.next(); len(line) > 0 || b.err == nil {
			b.text = append(b.text, line...)
			l.end = len(b.text)
			if len(line) > 0 {
				l.bad = check(line)
			}
			b.lines = append(b.lines, l)
		}
	}
}
