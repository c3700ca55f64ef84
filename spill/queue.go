package spill

import (
	"bufio"
	"encoding/binary"
	"io"
	"iter"
)

// A Queue gives records back in the order in which they came. What is kept in memory does not grow with their number. The zero value is empty.
type Queue struct {
	shelf  Shelf
	length [binary.MaxVarintLen64]byte
}

// Add takes a record, which stays the caller's.
func (q *Queue) Add(record []byte) error {
	n := binary.PutUvarint(q.length[:], uint64(len(record)))
	if _, err := q.shelf.Write(q.length[:n]); err != nil {
		return err
	}
	_, err := q.shelf.Write(record)
	return err
}

// All gives the records, as often as it is asked for. A record is good until the next one; an error ends them.
func (q *Queue) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r := bufio.NewReaderSize(q.shelf.Reader(0), chunkBytes)
		var record []byte
		for {
			var err error
			if record, err = next(r, record); err == io.EOF || !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// Close lets go of all records.
func (q *Queue) Close() error { return q.shelf.Close() }
