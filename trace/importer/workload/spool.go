package workload

import (
	"bufio"
	"encoding/gob"
	"errors"
	"io"
	"strings"

	"replay/outdir"
)

// spool keeps applications on disk until the nodes, users, queues and files of the trace are known,
// so that memory holds one application at a time. The file is made when the first application comes.
type spool struct {
	file  *outdir.ScratchFile // nil = none yet
	index *index
	names names // users, queues and cluster managers

	out *gob.Encoder
	buf *bufio.Writer // of the file, until the first application is read again
	end int64         // of what was written

	in  *bufio.Reader
	dec *gob.Decoder
	pos int64 // of in; what comes next is there
}

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

// open makes the file.
func (s *spool) open() (err error) {
	if s.file, err = outdir.NewScratchFile("replay-import"); err != nil {
		return err
	}
	s.buf = bufio.NewWriterSize(io.NewOffsetWriter(s.file, 0), 1<<18)
	s.out = gob.NewEncoder(s)
	return s.out.Encode(&Application{}) // brings the types, which a decoder wants first and once
}

// Write appends to the file.
func (s *spool) Write(p []byte) (int, error) {
	n, err := s.buf.Write(p)
	s.end += int64(n)
	return n, err
}

func (s *spool) add(a *Application, queue string, r *recording) error {
	if s.file == nil {
		if err := s.open(); err != nil {
			return err
		}
	}
	x := spooled{
		at: s.end, id: strings.Clone(a.Job.ExternalID), submitMS: a.Job.SubmitMS, user: s.names.of(a.User), queue: s.names.of(queue), manager: s.names.of(a.Manager),
		noEnd: a.Job.RecordedOutcome == "censored", recording: r,
	}
	if err := s.out.Encode(a); err != nil {
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

// get reads an application again; it is the caller's.
func (s *spool) get(x *spooled) (*Application, error) {
	if s.dec == nil {
		if err := s.buf.Flush(); err != nil {
			return nil, err
		}
		s.in = bufio.NewReader(io.NewSectionReader(s.file, 0, s.end))
		s.dec = gob.NewDecoder(s.in)
		if err := s.dec.Decode(&Application{}); err != nil {
			return nil, err
		}
		s.pos = -1
	}
	if s.pos != x.at {
		s.in.Reset(io.NewSectionReader(s.file, x.at, s.end-x.at))
	}
	a := new(Application)
	err := s.dec.Decode(a)
	s.pos = x.end
	return a, err
}

// close removes the file.
func (s *spool) close() error {
	err := s.index.close()
	if s.file != nil {
		err = errors.Join(s.file.Close(), err)
	}
	return err
}
