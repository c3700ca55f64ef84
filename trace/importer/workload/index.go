package workload

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"replay/spill"
	"replay/trace"
)

// index finds the applications of the spool in the order in which they are submitted; of those submitted at the same time by id,
// but no application before one of these after whose end it is submitted. Their rows, of which
// there may be millions, wait in files; those of recordings do when it is known which of them the trace keeps.
type index struct {
	recordings []spooled // up to settle
	others     *spill.Sorter
	ids        *spill.Sorter      // of the others: id, submission, how much is said of them, and place
	renamed    map[int64]string   // ids of those that had that of another, by their place
	after      map[int64][]string // ids after whose end an application is submitted, by its place

	// What the others have.
	users, queues map[int32]bool
	managers      map[int32]int64
	noEnd         int64
	last          int64 // submission
	first         int64
	buf           []byte
}

func newIndex() *index {
	return &index{
		others: spill.NewSorter(), ids: spill.NewSorter(), renamed: map[int64]string{}, after: map[int64][]string{},
		users: map[int32]bool{}, queues: map[int32]bool{}, managers: map[int32]int64{},
	}
}

// len is the number of applications.
func (x *index) len() int { return len(x.recordings) + int(x.others.Len()) }

func (x *index) close() error { return errors.Join(x.others.Close(), x.ids.Close()) }

// add takes the row of an application.
func (x *index) add(s spooled) error {
	if s.recording != nil {
		x.recordings = append(x.recordings, s)
		return nil
	}
	if err := x.put(&s); err != nil {
		return err
	}
	return x.addID(&s)
}

// idTail is the length of what follows an id: a zero, the submission, how much is said of the application, and its place.
const idTail = 1 + 8 + 8 + 8

func (x *index) addID(s *spooled) error {
	x.buf = append(append(x.buf[:0], s.id...), 0)
	x.buf = appendOrdered(appendOrdered(appendOrdered(x.buf, s.submitMS), s.end-s.at), s.at)
	return x.ids.Add(x.buf)
}

// put takes the row of an application that the trace keeps.
func (x *index) put(s *spooled) error {
	x.count(s)
	x.buf = s.pack(x.buf[:0])
	return x.others.Add(x.buf)
}

// chosen takes the recordings that are left for those that the trace keeps.
func (x *index) chosen() error {
	for i := range x.recordings {
		if err := x.put(&x.recordings[i]); err != nil {
			return err
		}
	}
	x.recordings = nil
	return nil
}

// count takes what a row of the trace says.
func (x *index) count(s *spooled) {
	if len(x.managers) == 0 {
		x.first, x.last = s.submitMS, s.submitMS
	}
	x.first, x.last = min(x.first, s.submitMS), max(x.last, s.submitMS)
	x.users[s.user], x.queues[s.queue] = true, true
	x.managers[s.manager]++
	if s.noEnd {
		x.noEnd++
	}
}

// appendOrdered appends a number so that bytes have the order of numbers.
func appendOrdered(b []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(v)^1<<63)
}

func ordered(b []byte) int64 { return int64(binary.BigEndian.Uint64(b) ^ 1<<63) }

// rowTail is the length of the fields of a row after its id.
const rowTail = 8 + 8 + 4 + 4

// pack writes a row so that bytes have the order of rows.
func (s *spooled) pack(b []byte) []byte {
	b = append(append(appendOrdered(b, s.submitMS), s.id...), 0)
	b = appendOrdered(b, s.at)
	b = binary.BigEndian.AppendUint64(b, uint64(s.end))
	b = binary.BigEndian.AppendUint32(b, uint32(s.user))
	return binary.BigEndian.AppendUint32(b, uint32(s.queue))
}

func unpackRow(b []byte) spooled {
	tail := b[len(b)-rowTail:]
	return spooled{
		submitMS: ordered(b), id: string(b[8 : len(b)-rowTail-1]), at: ordered(tail), end: int64(binary.BigEndian.Uint64(tail[8:])),
		user: int32(binary.BigEndian.Uint32(tail[16:])), queue: int32(binary.BigEndian.Uint32(tail[20:])),
	}
}

// sort puts the recordings into order.
func (x *index) sort() {
	slices.SortStableFunc(x.recordings, func(a, b spooled) int {
		return cmp.Or(a.compare(&b), compareAttempts(a.attempt(), b.attempt()))
	})
}

func (s *spooled) compare(o *spooled) int {
	return cmp.Or(cmp.Compare(s.submitMS, o.submitMS), cmp.Compare(s.id, o.id))
}

// rows are the applications in order, as often as one asks. An error ends them.
func (x *index) rows() iter.Seq2[*spooled, error] {
	if len(x.after) == 0 {
		return x.byID()
	}
	return x.othersFirst
}

// byID are the rows in order of submission and id.
func (x *index) byID() iter.Seq2[*spooled, error] {
	return func(yield func(*spooled, error) bool) {
		for b, err := range x.others.All() {
			if err != nil {
				yield(nil, err)
				return
			}
			s := unpackRow(b)
			s.id = cmp.Or(x.renamed[s.at], s.id)
			if !yield(&s, nil) {
				return
			}
		}
	}
}

// tellApart gives a number to each application that has the id of another, from the second on in the order of submission. Others that depend on the id
// depend on the first.
func (b *Builder) tellApart() error {
	x := b.spool.index
	byPlace := map[int64]*spooled{}
	for i := range x.recordings {
		s := &x.recordings[i]
		byPlace[s.at] = s
		if err := x.addID(s); err != nil {
			return err
		}
	}
	var before []byte
	n, again, first := 1, 0, ""
	var said []byte // the submission of the one before, and how much is said of it
	for r, err := range x.ids.All() {
		if err != nil {
			return err
		}
		id, says, at := r[:len(r)-idTail], r[len(r)-24:len(r)-8], ordered(r[len(r)-8:])
		if !bytes.Equal(id, before) || len(id) == 0 {
			before, n, said = append(before[:0], id...), 1, append(said[:0], says...)
			continue
		}
		n++
		if b.Options.Strict {
			return fmt.Errorf("application %q: the source has several of this id, want one", id)
		}
		b.Counts.Modelled["ids_of_applications_that_had_that_of_another"]++
		if bytes.Equal(says, said) {
			if again++; first == "" {
				first = string(id)
			}
		}
		said = append(said[:0], says...)
		name := string(id) + " (" + strconv.Itoa(n) + ")"
		if s := byPlace[at]; s != nil {
			s.id = name
		} else {
			x.renamed[at] = name
		}
	}
	if again > 0 {
		b.Warn("%s", trace.Twice(int64(again), int64(x.len()), "applications", first))
	}
	return x.ids.Close()
}

// managedBy lists the cluster managers of the applications, the most frequent first.
func (b *Builder) managedBy() (list []trace.KindCount) {
	count := map[string]int64{}
	for m, n := range b.spool.index.managers {
		count[cmp.Or(b.spool.names.text[m], trace.UnknownManager)] += n
	}
	if len(count) == 1 {
		delete(count, trace.UnknownManager)
	}
	for _, name := range slices.Sorted(maps.Keys(count)) {
		list = append(list, trace.KindCount{Kind: name, Count: count[name]})
	}
	slices.SortStableFunc(list, func(x, y trace.KindCount) int { return -cmp.Compare(x.Count, y.Count) })
	return list
}

// names are the texts of numbers.
func (n *names) these(ids map[int32]bool) map[string]bool {
	set := map[string]bool{}
	for id := range ids {
		set[strings.Clone(n.text[id])] = true
	}
	return set
}
