package workload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"replay/outdir"
	"replay/trace"
)

// spool keeps applications until the nodes, users, queues and files of the trace are known. They wait on disk, so that memory holds one
// application at a time, where they take more than [mostWaiting].
type spool struct {
	keep  bool // applications will be read again
	index *index
	names names // users, queues and cluster managers

	shelf
	details shelf // of recordings

	wrote   []byte  // the application that was written last
	packing packing // reads them again
	window  []byte  // of the file, read again
	from    int64   // its first byte
	next    int64   // where an application ends that was read
}

// mostWaiting is how many bytes of applications wait in memory.
const mostWaiting = 1 << 18

// spooled is what is known of an application without reading it again.
type spooled struct {
	at, end     int64 // in the file
	id          string
	submitMS    int64
	user, queue int32 // in the names of the spool
	manager     int32
	noEnd       bool

	recording *recording // nil = the application is not the whole content of an input
}

// names numbers texts that come often.
type names struct {
	text []string
	id   map[string]int32
}

func (n *names) of(text string) int32 {
	id, ok := n.id[text]
	if !ok {
		if n.id == nil {
			n.id = map[string]int32{}
		}
		id = int32(len(n.text))
		text = strings.Clone(text)
		n.id[text] = id
		n.text = append(n.text, text)
	}
	return id
}

func newSpool() *spool { return &spool{index: newIndex()} }

// shelf is a file that is written from its begin to its end, and then read from any place. A small one stays in memory.
type shelf struct {
	file *outdir.ScratchFile // nil = buf has all
	buf  []byte              // what was written and is not in the file
	end  int64               // of what was written
}

// Write appends to what waits.
func (s *shelf) Write(p []byte) (int, error) {
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
func (s *shelf) flush() (err error) {
	if s.file == nil {
		if s.file, err = outdir.NewScratchFile("replay-import"); err != nil {
			return err
		}
	}
	_, err = s.file.WriteAt(s.buf, s.end-int64(len(s.buf)))
	s.buf = s.buf[:0]
	return err
}

func (s *spool) add(a *Application, queue string, r *recording) error {
	x := spooled{
		at: s.end, id: strings.Clone(a.Job.ExternalID), submitMS: a.Job.SubmitMS, user: s.names.of(a.User), queue: s.names.of(queue), manager: s.names.of(a.Manager),
		noEnd: a.Job.RecordedOutcome == "censored", recording: r,
	}
	if err := s.write(a); err != nil {
		return err
	}
	x.end = s.end
	return s.index.add(x)
}

// write appends an application, or where none is read again what tells its place from others.
func (s *spool) write(a *Application) error {
	if !s.keep {
		s.end++
		return nil
	}
	p := packing{b: s.wrote[:0]}
	p.application(a)
	s.wrote = p.b
	_, err := s.Write(p.b)
	return err
}

// get reads an application again; it is the caller's up to the next call.
func (s *spool) get(x *spooled) (*Application, error) {
	data, err := s.bytes(x.at, x.end)
	if err != nil {
		return nil, err
	}
	p := &s.packing
	if !p.read {
		*p = packing{read: true, longs: newArena[int64](1 << 15), shorts: newArena[int32](1 << 15), stages: newArena[trace.Stage](1 << 8)}
	}
	p.b = data
	p.longs.again()
	p.shorts.again()
	p.stages.again()
	a := new(Application)
	p.application(a)
	return a, nil
}

// ahead is how much is read at once of applications that follow each other.
const ahead = 1 << 16

// bytes are those of an application, good until the next call.
func (s *spool) bytes(at, end int64) ([]byte, error) {
	if s.file == nil {
		return s.buf[at:end], nil
	}
	if at < s.from || end > s.from+int64(len(s.window)) {
		if err := s.written(); err != nil {
			return nil, err
		}
		n := end - at
		if at == s.next { // the next one is likely to follow it, too
			n = min(max(n, ahead), s.end-at)
		}
		s.window = slices.Grow(s.window[:0], int(n))[:n]
		if _, err := s.file.ReadAt(s.window, at); err != nil {
			s.window = s.window[:0]
			return nil, fmt.Errorf("a temporary file of the import: %w", err)
		}
		s.from = at
	}
	s.next = end
	return s.window[at-s.from : end-s.from], nil
}

// written puts what waits where the rest is; nothing is written any more.
func (s *shelf) written() error {
	if s.file == nil || len(s.buf) == 0 {
		return nil
	}
	return s.flush()
}

// reader reads what was written from a place on.
func (s *shelf) reader(at int64) io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.buf[at:])
	}
	return io.NewSectionReader(s.file, at, s.end-at)
}

// close removes the file.
func (s *spool) close() error {
	return errors.Join(s.index.close(), s.shelf.close(), s.details.close())
}

func (s *shelf) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
