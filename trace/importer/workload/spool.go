package workload

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"replay/spill"
	"replay/trace"
)

// spool keeps applications until the nodes, users, queues and files of the trace are known. They wait on disk, so that memory holds one
// application at a time.
type spool struct {
	keep   bool  // applications will be read again
	unkept int64 // applications that were not written, of which each takes a place of its own
	index  *index
	names  names // users, queues and cluster managers

	spill.Shelf
	details details

	wrote   []byte  // the application that was written last
	packing packing // reads them again
	window  []byte  // of the file, read again
	from    int64   // its first byte
	next    int64   // where an application ends that was read
}

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

func (s *spool) add(a *Application, queue string, r *recording) error {
	x := spooled{
		at: s.place(), id: strings.Clone(a.Job.ExternalID), submitMS: a.Job.SubmitMS, user: s.names.of(a.User), queue: s.names.of(queue), manager: s.names.of(a.Manager),
		noEnd: a.Job.RecordedOutcome == "censored", recording: r,
	}
	if err := s.write(a); err != nil {
		return err
	}
	x.end = s.place()
	for _, id := range a.DependsOn {
		s.index.after[x.at] = append(s.index.after[x.at], strings.Clone(id))
	}
	return s.index.add(x)
}

// place is where the next application goes.
func (s *spool) place() int64 { return s.Len() + s.unkept }

// write appends an application, or where none is read again what tells its place from others.
func (s *spool) write(a *Application) error {
	if !s.keep {
		s.unkept++
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
	if b, ok := s.InMemory(at, end); ok {
		return b, nil
	}
	if at < s.from || end > s.from+int64(len(s.window)) {
		n := end - at
		if at == s.next { // the next one is likely to follow it, too
			n = min(max(n, ahead), s.Len()-at)
		}
		s.window = slices.Grow(s.window[:0], int(n))[:n]
		if _, err := s.ReadAt(s.window, at); err != nil {
			s.window = s.window[:0]
			return nil, fmt.Errorf("a temporary file of the import: %w", err)
		}
		s.from = at
	}
	s.next = end
	return s.window[at-s.from : end-s.from], nil
}

// close removes the files.
func (s *spool) close() error {
	return errors.Join(s.index.close(), s.Close(), s.details.Close())
}
