package decima

import (
	"encoding/binary"
	"errors"
	"iter"

	"replay/spill"
	"replay/trace/decima"
)

// waiting has the queries up to when all were read, and tells those of one name apart. They wait in files, as do their names, of which each query may have another.
type waiting struct {
	queries spill.Queue
	names   *spill.Sorter // and the place of the query among them
	n       uint64
	buf     []byte
}

// numbered is a query and its number among those of its name, from 1.
type numbered struct {
	decima.Query
	n uint64
}

// placeBytes is the length of a number of which bytes have the order.
const placeBytes = 8

func (w *waiting) add(q *decima.Query) error {
	name := nameOf(q)
	w.buf = binary.BigEndian.AppendUint64(append(append(w.buf[:0], name...), 0), w.n)
	w.n++
	return errors.Join(w.names.Add(w.buf), w.queries.Add(pack(q)))
}

// again gives to the queries that have the name of one before, by place.
func (w *waiting) again(to *spill.Sorter) error {
	var before []byte
	n := uint64(0)
	for r, err := range w.names.All() {
		if err != nil {
			return err
		}
		name, place := r[:len(r)-placeBytes], r[len(r)-placeBytes:]
		if string(name) != string(before) {
			before, n = append(before[:0], name...), 0
		}
		if n++; n > 1 {
			w.buf = binary.BigEndian.AppendUint64(append(w.buf[:0], place...), n)
			if err := to.Add(w.buf); err != nil {
				return err
			}
		}
	}
	return nil
}

// all gives the queries in the order in which they came. An error ends them.
func (w *waiting) all() iter.Seq2[*numbered, error] {
	return func(yield func(*numbered, error) bool) {
		again := spill.NewSorter()
		defer again.Close()
		if err := w.again(again); err != nil {
			yield(nil, err)
			return
		}
		next, stop := iter.Pull2(again.All())
		defer stop()
		repeated, err, more := next()
		place := uint64(0)
		for record, queryErr := range w.queries.All() {
			if err = errors.Join(err, queryErr); err != nil {
				yield(nil, err)
				return
			}
			q := &numbered{*unpack(record), 1}
			if more && binary.BigEndian.Uint64(repeated) == place {
				q.n = binary.BigEndian.Uint64(repeated[placeBytes:])
				repeated, err, more = next()
			}
			if !yield(q, nil) {
				return
			}
			place++
		}
	}
}

func (w *waiting) close() error { return errors.Join(w.queries.Close(), w.names.Close()) }

func pack(q *decima.Query) []byte {
	var p spill.Packer
	p.Float(q.SizeGB)
	p.Int(int64(q.Query))
	p.Int(int64(len(q.Stages)))
	for i := range q.Stages {
		s := &q.Stages[i]
		p.Int(int64(len(s.Parents)))
		for _, parent := range s.Parents {
			p.Int(int64(parent))
		}
		p.Int(int64(s.Tasks))
		for _, w := range []decima.Wave{s.Fresh, s.First, s.Rest} {
			p.Float(w.Median)
			p.Float(w.SD)
		}
	}
	return p
}

func unpack(record []byte) *decima.Query {
	u := spill.Unpacker(record)
	q := &decima.Query{SizeGB: u.Float(), Query: int(u.Int()), Stages: make([]decima.Stage, u.Int())}
	for i := range q.Stages {
		s := &q.Stages[i]
		if n := u.Int(); n > 0 {
			s.Parents = make([]int32, n)
		}
		for k := range s.Parents {
			s.Parents[k] = int32(u.Int())
		}
		s.Tasks = int(u.Int())
		for _, w := range []*decima.Wave{&s.Fresh, &s.First, &s.Rest} {
			*w = decima.Wave{Median: u.Float(), SD: u.Float()}
		}
	}
	return q
}
