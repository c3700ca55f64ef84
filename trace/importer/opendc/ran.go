package opendc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"

	"replay/spill"
	"replay/trace/importer/workflow"
)

// ran tells of each row of the tasks how long its fragments took together. They stand in other files and come in any order: of both it sorts the ids, in files of its own.
type ran struct {
	byID  *spill.Sorter
	byRow *spill.Sorter // ms of the rows of tasks that have some
	place uint64        // of the next row: its file, and its number there
	tasks int64         // ids that fragments have
	buf   []byte

	next func() ([]byte, error, bool)
	stop func()
	head []byte // of byRow
	err  error
	more bool
}

// What a record says of an id, after it.
const (
	fragmentsRan = iota // ms
	taskRow             // place

	tailBytes = 1 + 8
)

func newRan() *ran { return &ran{byID: spill.NewSorter(), byRow: spill.NewSorter()} }

// put takes what is said of an id. Its length stands before it, so that no other stands between its records.
func (r *ran) put(id string, what byte, v uint64) error {
	r.buf = append(binary.BigEndian.AppendUint32(r.buf[:0], uint32(len(id))), id...)
	r.buf = binary.BigEndian.AppendUint64(append(r.buf, what), v)
	return r.byID.Add(r.buf)
}

// fragments takes that some fragments of a task took ms.
func (r *ran) fragments(id string, ms int64) error {
	if id == "" {
		return nil
	}
	return r.put(id, fragmentsRan, uint64(ms))
}

// mostRows is how many rows a file may have.
const mostRows = 1 << 40

// file begins the next file of tasks. Of one that is damaged fewer rows may be read the second time, as more of its columns are.
func (r *ran) file() { r.place = (r.place/mostRows + 1) * mostRows }

// row takes the id of the next row of the tasks.
func (r *ran) row(id string) error {
	r.place++
	return r.put(id, taskRow, r.place-1)
}

// join brings the rows and the fragments of each id together.
func (r *ran) join() error {
	var id []byte
	ms, has := uint64(0), false
	for b, err := range r.byID.All() {
		if err != nil {
			return err
		}
		tail := b[len(b)-tailBytes:]
		if of := b[:len(b)-tailBytes]; id == nil || !bytes.Equal(id, of) {
			id, ms, has = append(id[:0], of...), 0, false
		}
		v := tail[1:]
		switch {
		case tail[0] == fragmentsRan:
			if !has {
				has = true
				r.tasks++
			}
			if n := binary.BigEndian.Uint64(v); ms < workflow.MostMS {
				ms += n
			}
		case ms > 0:
			r.buf = binary.BigEndian.AppendUint64(append(r.buf[:0], v...), ms)
			if err := r.byRow.Add(r.buf); err != nil {
				return err
			}
		}
	}
	r.next, r.stop = iter.Pull2(r.byRow.All())
	r.place = 0
	r.head, r.err, r.more = r.next()
	return r.byID.Close()
}

// ofNext returns how long the fragments of the next row of the tasks took, ms; 0 without any.
func (r *ran) ofNext() (ms int64, err error) {
	for ms == 0 && r.more && r.err == nil && binary.BigEndian.Uint64(r.head) <= r.place {
		if binary.BigEndian.Uint64(r.head) == r.place {
			ms = int64(binary.BigEndian.Uint64(r.head[8:]))
		}
		r.head, r.err, r.more = r.next()
	}
	r.place++
	return ms, r.err
}

func (r *ran) close() error {
	if r.stop != nil {
		r.stop()
	}
	return errors.Join(r.byID.Close(), r.byRow.Close())
}
