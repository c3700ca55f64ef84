package importer

import (
	"encoding/gob"
	"errors"
	"io"
	"os"

	"replay/trace"
)

// spool keeps applications on disk until the nodes, users, queues and files of the trace are known,
// so that memory holds one application at a time.
type spool struct {
	file  *os.File
	index []spooled
}

// spooled is what stays in memory of an application.
type spooled struct {
	at                int64 // in the file
	name, id, attempt string
	submitMS          int64
	user, queue       string
	files             []trace.File
}

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "replay-import-*")
	if err != nil {
		return nil, err
	}
	return &spool{file: f}, nil
}

func (s *spool) add(a *sparkApp, queue, attempt string) error {
	at, err := s.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(s.file).Encode(a); err != nil {
		return err
	}
	s.index = append(s.index, spooled{at, a.Job.Name, a.Job.ExternalID, attempt, a.Job.SubmitMS, a.User, queue, a.Files})
	return nil
}

// get reads application i anew; it is the caller's.
func (s *spool) get(i int) (*sparkApp, error) {
	if _, err := s.file.Seek(s.index[i].at, io.SeekStart); err != nil {
		return nil, err
	}
	a := new(sparkApp)
	return a, gob.NewDecoder(s.file).Decode(a)
}

// close removes the file.
func (s *spool) close() error { return errors.Join(s.file.Close(), os.Remove(s.file.Name())) }
