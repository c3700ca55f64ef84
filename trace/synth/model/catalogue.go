package model

import (
	"container/list"
	"math"
	"math/bits"
	"math/rand/v2"

	"replay/trace"
)

// Popularity is how jobs choose the files that they read. A file is read for the first time or chosen among those that have
// been read. A share of the files, Shared, is of interest to more than one job: each of these has a popularity of its own, whose law makes
// the number of reads by rank Zipf's, and of those of a size only the Catalogue that were read last are chosen from.
type Popularity struct {
	Replication int64
	Reread      float64
	Zipf        float64
	Shared      float64
	Catalogue   int64
}

// Parameters names those of blocks and files. The replication has a flag of its own.
func (f *Popularity) Parameters(p *Parameters) {
	p.In("locality", func(p *Parameters) {
		p.Float("reread", &f.Reread, 0, 1, "share of the jobs that read a file that was read before")
		p.Float("zipf", &f.Zipf, 0.01, 10, "exponent of Zipf's law of the files' reads")
		p.Float("shared", &f.Shared, 0, 1, "share of the files that can be read again")
		p.Int("catalogue", &f.Catalogue, 1, 10_000_000, "files of a size that are chosen from")
	})
}

// Files is the files of a trace while jobs choose them.
type Files struct {
	law   *Popularity
	List  []trace.File
	known [64]shelf // by the order of magnitude of their blocks
}

// shelf is the files of one order of magnitude, by popularity and by when they were read.
type shelf struct {
	files  []int32         // slots
	weight sums            // of each slot
	used   *list.List      // slots, that read last in front
	at     []*list.Element // of each slot
}

// NewFiles starts without a file.
func (f *Popularity) NewFiles() *Files { return &Files{law: f} }

// Choose returns a file for a job that reads so many bytes in blocks of blockBytes: one of its size that was read, or one that was
// not, called name. The first file of a size that would be read again is shared. A file is as large as the largest reading of it.
func (f *Files) Choose(r *rand.Rand, name string, size, blockBytes int64) int32 {
	blocks := (size + blockBytes - 1) / blockBytes
	s := &f.known[bits.Len64(uint64(blocks))]
	again, popularity, which, shared := r.Float64() < f.law.Reread, 1-r.Float64(), r.Float64(), r.Float64() < f.law.Shared
	if !again || len(s.files) == 0 {
		id := int32(len(f.List))
		f.List = append(f.List, trace.File{ID: id, Name: name, Bytes: size, BlockBytes: blockBytes, Blocks: int32(blocks), Replication: int32(f.law.Replication)})
		if shared || again {
			s.put(id, math.Pow(popularity, -f.law.Zipf), int(f.law.Catalogue))
		}
		return id
	}
	slot := s.weight.find(which)
	s.used.MoveToFront(s.at[slot])
	file := &f.List[s.files[slot]]
	if size > file.Bytes {
		file.Bytes, file.Blocks = size, int32(blocks)
	}
	return file.ID
}

// put adds a file, in place of that which was read longest ago if there are most.
func (s *shelf) put(id int32, weight float64, most int) {
	if s.used == nil {
		s.used = list.New()
	}
	slot := len(s.files)
	if slot < most {
		s.files, s.at = append(s.files, id), append(s.at, nil)
	} else {
		last := s.used.Back()
		slot = last.Value.(int)
		s.used.Remove(last)
		s.files[slot] = id
	}
	s.at[slot] = s.used.PushFront(slot)
	s.weight.set(slot, weight)
}

// sums is a list of weights as a tree: node 1 is the sum of all, nodes 2i and 2i+1 are the halves of node i.
type sums []float64

func (t *sums) set(i int, weight float64) {
	for half := len(*t) / 2; i >= half; half = len(*t) / 2 {
		wider := make(sums, max(4*half, 4))
		copy(wider[len(wider)/2:], (*t)[half:])
		for k := len(wider)/2 - 1; k > 0; k-- {
			wider[k] = wider[2*k] + wider[2*k+1]
		}
		*t = wider
	}
	tree := *t
	k := len(tree)/2 + i
	for tree[k] = weight; k > 1; k /= 2 {
		tree[k/2] = tree[k&^1] + tree[k|1]
	}
}

// find returns the entry at a share of all weight.
func (t sums) find(share float64) int {
	at, k := float64(share*t[1]), 1
	for k < len(t)/2 {
		k *= 2
		if at >= t[k] && t[k+1] > 0 {
			at -= t[k]
			k++
		}
	}
	return k - len(t)/2
}
