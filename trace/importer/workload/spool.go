package workload

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"errors"
	"io"
	"strings"
	"sync"

	"replay/outdir"
)

// spool keeps applications until the nodes, users, queues and files of the trace are known. They wait on disk, so that memory holds one
// application at a time, where they take more than [mostWaiting].
type spool struct {
	keep  bool // applications will be read again
	index *index
	names names // users, queues and cluster managers

	shelf
	out     *encoder
	details shelf // of recordings

	in  *decoder
	pos int64 // of in; what comes next is there
}

// mostWaiting is how many bytes of applications wait in memory.
const mostWaiting = 1 << 18

// encoder writes applications. It told the types when it was made, which takes longer than a small application: imports take one after another.
type encoder struct {
	out io.Writer
	*gob.Encoder
}

func (e *encoder) Write(p []byte) (int, error) { return e.out.Write(p) }

func newEncoder(types io.Writer) *encoder {
	e := &encoder{out: types}
	e.Encoder = gob.NewEncoder(e)
	if err := e.Encode(&Application{}); err != nil {
		panic(err) // of a type that has fields and no interfaces
	}
	return e
}

// decoder reads what an encoder wrote, and knows the types.
type decoder struct {
	in *bufio.Reader
	*gob.Decoder
}

func newDecoder() *decoder {
	var types bytes.Buffer
	newEncoder(&types)
	d := &decoder{in: bufio.NewReader(&types)}
	d.Decoder = gob.NewDecoder(d.in)
	if err := d.Decode(&Application{}); err != nil {
		panic(err)
	}
	return d
}

var (
	encoders = sync.Pool{New: func() any { return newEncoder(io.Discard) }}
	decoders = sync.Pool{New: func() any { return newDecoder() }}
)

// spooled is what is known of an application without reading it again.
type spooled struct {
	at, end     int64 // in the file
	id          string
	submitMS    int64
	user, queue int32 // in the names of the spool
	manager     int32
	noEnd       bool
	own         []File // of those of the application that it does not share

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
	for _, f := range a.Files {
		if !f.Shared {
			x.own = append(x.own, f)
		}
	}
	return s.index.add(x)
}

// write appends an application, or where none is read again what tells its place from others.
func (s *spool) write(a *Application) error {
	if !s.keep {
		s.end++
		return nil
	}
	if s.out == nil {
		s.out = encoders.Get().(*encoder)
		s.out.out = s
	}
	return s.out.Encode(a)
}

// get reads an application again; it is the caller's.
func (s *spool) get(x *spooled) (*Application, error) {
	if s.in == nil {
		if err := s.written(); err != nil {
			return nil, err
		}
		s.in, s.pos = decoders.Get().(*decoder), -1
	}
	if s.pos != x.at {
		s.in.in.Reset(s.from(x.at))
	}
	a := new(Application)
	err := s.in.Decode(a)
	if s.pos = x.end; err != nil {
		s.in = nil // it says the same ever after
	}
	return a, err
}

// written puts what waits where the rest is; nothing is written any more.
func (s *shelf) written() error {
	if s.file == nil || len(s.buf) == 0 {
		return nil
	}
	return s.flush()
}

// from reads what was written from a place on.
func (s *shelf) from(at int64) io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.buf[at:])
	}
	return io.NewSectionReader(s.file, at, s.end-at)
}

// close removes the file.
func (s *spool) close() error {
	err := errors.Join(s.index.close(), s.shelf.close(), s.details.close())
	if s.out != nil {
		s.out.out = nil
		encoders.Put(s.out)
	}
	if s.in != nil {
		s.in.in.Reset(nil)
		decoders.Put(s.in)
	}
	return err
}

func (s *shelf) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
