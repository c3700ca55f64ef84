package spill

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
	"io"
	"iter"
	"slices"

	"replay/outdir"
)

const (
	runBytes   = 2 << 20 // of records that a Sorter keeps in memory
	mergeBytes = 1 << 20 // of all runs that are read together, unless each then has less than leastAhead
	leastAhead = 1 << 10
)

// Sorter sorts records by their bytes. What is kept in memory does not grow with their number, but for a kilobyte of each 2 MiB of records while they are read.
type Sorter struct {
	file *outdir.ScratchFile
	end  int64
	runs []chunk // sorted, in the file
	last []byte  // records of the run that is not in the file
	at   []span  // of each of them
	most int     // runBytes, smaller in tests
	n    int64
}

type span struct{ start, end int32 }

// NewSorter returns a sorter without a record.
func NewSorter() *Sorter { return &Sorter{most: runBytes} }

// Len returns the number of records.
func (s *Sorter) Len() int64 { return s.n }

// Add takes a record, which stays the caller's.
func (s *Sorter) Add(record []byte) error {
	if len(s.last)+len(record)+16*(len(s.at)+1) > s.most && len(s.at) > 0 {
		if err := s.write(); err != nil {
			return err
		}
	}
	start := int32(len(s.last))
	s.last = append(s.last, record...)
	s.at = append(s.at, span{start, int32(len(s.last))})
	s.n++
	return nil
}

func (s *Sorter) sort() {
	slices.SortFunc(s.at, func(a, b span) int { return bytes.Compare(s.last[a.start:a.end], s.last[b.start:b.end]) })
}

// write makes a run in the file of what is in memory.
func (s *Sorter) write() (err error) {
	if s.file == nil {
		if s.file, err = outdir.NewScratchFile("replay-spill"); err != nil {
			return err
		}
	}
	s.sort()
	w := bufio.NewWriterSize(io.NewOffsetWriter(s.file, s.end), chunkBytes)
	n := int64(0)
	var length [binary.MaxVarintLen64]byte
	for _, x := range s.at {
		k := binary.PutUvarint(length[:], uint64(x.end-x.start))
		w.Write(length[:k]) // Flush has its error
		w.Write(s.last[x.start:x.end])
		n += int64(k) + int64(x.end-x.start)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	s.runs = append(s.runs, chunk{s.end, n})
	s.end += n
	s.last, s.at = s.last[:0], s.at[:0]
	return nil
}

// All gives the records in order, as often as it is asked for. A record is good until the next one; an error ends them.
func (s *Sorter) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s.sort()
		if len(s.runs) == 0 {
			for _, x := range s.at {
				if !yield(s.last[x.start:x.end], nil) {
					return
				}
			}
			return
		}
		h := make(merge, 0, len(s.runs)+1)
		sources := []func([]byte) ([]byte, error){s.inMemory()}
		ahead := min(max(mergeBytes/len(s.runs), leastAhead), chunkBytes)
		for _, run := range s.runs {
			r := bufio.NewReaderSize(io.NewSectionReader(s.file, run.at, run.n), ahead)
			sources = append(sources, func(buf []byte) ([]byte, error) { return next(r, buf) })
		}
		for _, source := range sources {
			head, err := source(nil)
			if err == nil {
				h = append(h, run{head, source})
			} else if err != io.EOF {
				yield(nil, err)
				return
			}
		}
		heap.Init(&h)
		for len(h) > 0 {
			if !yield(h[0].head, nil) {
				return
			}
			var err error
			if h[0].head, err = h[0].next(h[0].head); err == nil {
				heap.Fix(&h, 0)
			} else if err == io.EOF {
				heap.Pop(&h)
			} else {
				yield(nil, err)
				return
			}
		}
	}
}

// inMemory reads what is in memory, sorted.
func (s *Sorter) inMemory() func([]byte) ([]byte, error) {
	i := 0
	return func([]byte) ([]byte, error) {
		if i == len(s.at) {
			return nil, io.EOF
		}
		x := s.at[i]
		i++
		return s.last[x.start:x.end], nil
	}
}

// Close lets go of all records.
func (s *Sorter) Close() error {
	s.last, s.at, s.runs = nil, nil, nil
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

// run is a sorted source of records and its next one.
type run struct {
	head []byte
	next func(buf []byte) ([]byte, error)
}

// merge is a heap of runs by their next records.
type merge []run

func (m merge) Len() int           { return len(m) }
func (m merge) Less(i, j int) bool { return bytes.Compare(m[i].head, m[j].head) < 0 }
func (m merge) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merge) Push(x any)        { *m = append(*m, x.(run)) }
func (m *merge) Pop() any {
	old := *m
	x := old[len(old)-1]
	*m = old[:len(old)-1]
	return x
}
