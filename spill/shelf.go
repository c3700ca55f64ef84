package spill

import (
	"io"

	"replay/outdir"
)

// mostWaiting is how many bytes of a Shelf wait in memory.
const mostWaiting = 1 << 18

// A Shelf is written from its begin to its end, and read from any place of what was written. A small one stays in memory; the zero value is empty.
type Shelf struct {
	file *outdir.ScratchFile // nil = buf has all
	buf  []byte              // what was written and is not in the file
	end  int64               // of what was written
}

// Len returns how many bytes were written.
func (s *Shelf) Len() int64 { return s.end }

// Write appends.
func (s *Shelf) Write(p []byte) (int, error) {
	if len(s.buf)+len(p) > mostWaiting {
		if err := s.flush(); err != nil {
			return 0, err
		}
		if len(p) > mostWaiting {
			n, err := s.file.WriteAt(p, s.end)
			s.end += int64(n)
			return n, err
		}
	}
	s.buf = append(s.buf, p...)
	s.end += int64(len(p))
	return len(p), nil
}

// flush puts all that waits into the file, which is made when it is the first.
func (s *Shelf) flush() (err error) {
	if s.file == nil {
		if s.file, err = outdir.NewScratchFile("replay-spill"); err != nil {
			return err
		}
	}
	_, err = s.file.WriteAt(s.buf, s.inFile())
	s.buf = s.buf[:0]
	return err
}

// inFile is how many bytes the file has.
func (s *Shelf) inFile() int64 { return s.end - int64(len(s.buf)) }

// InMemory returns the bytes from from up to, but without, to, which stay the Shelf's, if it has no file.
func (s *Shelf) InMemory(from, to int64) (b []byte, ok bool) {
	if s.file != nil {
		return nil, false
	}
	return s.buf[from:to], true
}

// ReadAt is as that of [io.ReaderAt].
func (s *Shelf) ReadAt(p []byte, at int64) (n int, err error) {
	if inFile := s.inFile(); at < inFile {
		n, err = s.file.ReadAt(p[:min(int64(len(p)), inFile-at)], at)
		if err != nil {
			return n, err
		}
	}
	if n == len(p) {
		return n, nil
	}
	waiting := s.buf[min(at+int64(n)-s.inFile(), int64(len(s.buf))):]
	if n += copy(p[n:], waiting); n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Reader reads what was written from a place on.
func (s *Shelf) Reader(at int64) io.Reader { return io.NewSectionReader(s, at, s.end-at) }

// Close lets go of all.
func (s *Shelf) Close() error {
	s.buf, s.end = nil, 0
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}
