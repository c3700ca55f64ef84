// Package spill groups and sorts more records than memory holds. What does not fit waits in temporary files, which
// nobody else can open and which go with the program.
package spill

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"replay/outdir"
)

const (
	parts      = 256
	chunkBytes = 8 << 10 // of a part that are kept in memory

	// mostInMemory is how many bytes of records a part may have to be read as a whole. A larger one is parted again.
	mostInMemory = 1 << 20
	// mostOfKey is how many bytes the records of one key may have.
	mostOfKey = 1 << 30
)

// Groups brings together the records of a key. They may come in any order; what is kept in memory does not grow
// with their number, but with the largest group.
type Groups struct {
	what  string // a group, in messages
	depth int    // how often the records were parted before
	file  *outdir.ScratchFile
	end   int64
	parts [parts]part
	bytes int64
	whole int64 // mostInMemory, smaller in tests
}

// part has the records whose keys fall to it.
type part struct {
	chunks []chunk // in the file
	buf    []byte  // what follows them
	bytes  int64
}

type chunk struct{ at, n int64 }

// NewGroups returns groups without a record. What says what a group is, such as "job".
func NewGroups(what string) *Groups { return &Groups{what: what, whole: mostInMemory} }

// Add takes a record of a key. Both stay the caller's.
func (g *Groups) Add(key, record []byte) error {
	p := &g.parts[hash(key, g.depth)%parts]
	before := len(p.buf)
	if p.buf == nil {
		p.buf = make([]byte, 0, 4<<10) // grows up to a chunk where there are many records
	}
	p.buf = binary.AppendUvarint(p.buf, uint64(len(key)))
	p.buf = append(p.buf, key...)
	p.buf = binary.AppendUvarint(p.buf, uint64(len(record)))
	p.buf = append(p.buf, record...)
	p.bytes += int64(len(p.buf) - before)
	g.bytes += int64(len(p.buf) - before)
	if len(p.buf) < chunkBytes {
		return nil
	}
	return g.write(p)
}

// hash spreads keys over parts, at each depth in another way.
func hash(key []byte, depth int) uint64 {
	h := uint64(14695981039346656037) + uint64(depth)*0x9e3779b97f4a7c15
	for _, c := range key {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h ^= h >> 32
	return bits.RotateLeft64(h*0xd6e8feb86659fd93, 32)
}

// write appends the buffer of a part to the file.
func (g *Groups) write(p *part) (err error) {
	if g.file == nil {
		if g.file, err = outdir.NewScratchFile("replay-spill"); err != nil {
			return err
		}
	}
	if _, err := g.file.WriteAt(p.buf, g.end); err != nil {
		return err
	}
	p.chunks = append(p.chunks, chunk{g.end, int64(len(p.buf))})
	g.end += int64(len(p.buf))
	p.buf = p.buf[:0]
	return nil
}

// Close lets go of the file.
func (g *Groups) Close() error {
	if g.file == nil {
		return nil
	}
	err := g.file.Close()
	g.file = nil
	return err
}

// Each gives the groups one after another, the records of each in the order in which they were added. The order of
// groups is the same for the same records. What take is given is good until it returns.
func (g *Groups) Each(ctx context.Context, take func(key []byte, records [][]byte) error) error {
	var buf []byte
	var l loaded
	for i := range g.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &g.parts[i]
		var err error
		switch {
		case p.bytes == 0:
			continue
		case p.bytes > g.whole && (g.depth == 0 || p.bytes < g.bytes):
			err = g.again(ctx, p, take)
		case p.bytes > mostOfKey:
			err = g.tooLarge(p)
		default:
			if buf, err = g.load(p, buf); err == nil {
				err = l.each(buf, take)
			}
		}
		if err != nil {
			return err
		}
		*p = part{}
	}
	return nil
}

// again parts the records of a part.
func (g *Groups) again(ctx context.Context, p *part, take func(key []byte, records [][]byte) error) (err error) {
	sub := &Groups{what: g.what, depth: g.depth + 1, whole: g.whole}
	defer func() { err = errors.Join(err, sub.Close()) }()
	r := g.reader(p)
	var key, record []byte
	for n := 0; ; n++ {
		if n%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if key, err = next(r, key); err == io.EOF {
			break
		}
		if err == nil {
			record, err = next(r, record)
		}
		if err == nil {
			err = sub.Add(key, record)
		}
		if err != nil {
			return err
		}
	}
	p.buf = nil
	return sub.Each(ctx, take)
}

// reader reads all of a part.
func (g *Groups) reader(p *part) *bufio.Reader {
	var all []io.Reader
	for _, c := range p.chunks {
		all = append(all, io.NewSectionReader(g.file, c.at, c.n))
	}
	return bufio.NewReaderSize(io.MultiReader(append(all, byteReader(p.buf))...), chunkBytes)
}

func byteReader(b []byte) io.Reader { return &bytesLeft{b} }

type bytesLeft struct{ b []byte }

func (r *bytesLeft) Read(p []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.b)
	r.b = r.b[n:]
	return n, nil
}

// next reads a text with its length before it into buf.
func next(r *bufio.Reader, buf []byte) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return buf, err
	}
	if uint64(cap(buf)) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	_, err = io.ReadFull(r, buf)
	return buf, err
}

func (g *Groups) tooLarge(p *part) error {
	key, err := next(g.reader(p), nil)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s %q: its records take %d MiB, want at most %d", g.what, key, p.bytes>>20, int64(mostOfKey)>>20)
}

// load reads a part as a whole.
func (g *Groups) load(p *part, buf []byte) ([]byte, error) {
	if int64(cap(buf)) < p.bytes {
		buf = make([]byte, p.bytes)
	}
	buf = buf[:p.bytes]
	at := int64(0)
	for _, c := range p.chunks {
		if _, err := g.file.ReadAt(buf[at:at+c.n], c.at); err != nil {
			return buf, err
		}
		at += c.n
	}
	copy(buf[at:], p.buf)
	return buf, nil
}

// loaded is a part in memory, by groups. Its memory serves one part after another.
type loaded struct {
	groups []group
	rows   []row
	sorted [][]byte
	table  []int32 // of the numbers of groups from 1, by the hashes of their keys; 0 = free
}

type group struct {
	key   []byte
	hash  uint64
	n, at int
}

type row struct {
	group  int32
	record []byte
}

// each gives the groups of buf, in the order of their first records.
func (l *loaded) each(buf []byte, take func(key []byte, records [][]byte) error) error {
	l.groups, l.rows = l.groups[:0], l.rows[:0]
	clear(l.table)
	for len(buf) > 0 {
		var key, record []byte
		key, buf = cut(buf)
		record, buf = cut(buf)
		n := l.number(key)
		l.groups[n].n++
		l.rows = append(l.rows, row{n, record})
	}
	at := 0
	for i := range l.groups {
		l.groups[i].at = at
		at += l.groups[i].n
	}
	l.sorted = slices.Grow(l.sorted[:0], len(l.rows))[:len(l.rows)]
	for _, r := range l.rows {
		x := &l.groups[r.group]
		l.sorted[x.at] = r.record
		x.at++
	}
	for _, x := range l.groups {
		if err := take(x.key, l.sorted[x.at-x.n:x.at]); err != nil {
			return err
		}
	}
	return nil
}

// number returns the number of the group of a key, which is a new one if the key is.
func (l *loaded) number(key []byte) int32 {
	if 2*len(l.groups) >= len(l.table) { // half of it stays free
		l.table = make([]int32, max(1<<10, 2*len(l.table)))
		for i := range l.groups {
			l.table[l.place(l.groups[i].hash, nil)] = int32(i + 1)
		}
	}
	h := hash(key, 0)
	at := l.place(h, key)
	if n := l.table[at]; n > 0 {
		return n - 1
	}
	l.groups = append(l.groups, group{key: key, hash: h})
	l.table[at] = int32(len(l.groups))
	return int32(len(l.groups) - 1)
}

// place finds where in the table the group of a key is, or the free place that it would have. A key of nil is that of no group.
func (l *loaded) place(h uint64, key []byte) int {
	at := int(h) & (len(l.table) - 1)
	for n := l.table[at]; n > 0 && (key == nil || l.groups[n-1].hash != h || !bytes.Equal(l.groups[n-1].key, key)); n = l.table[at] {
		at = (at + 1) & (len(l.table) - 1)
	}
	return at
}

// cut takes a text off the front of what was written by Add.
func cut(b []byte) (text, rest []byte) {
	n, k := binary.Uvarint(b)
	end := k + int(n)
	return b[k:end], b[end:]
}
