package result

import (
	"fmt"
	"sync"

	"replay/outdir"
)

// jobPages are pages of packed jobs, written one after the other. The latest are in memory, those before wait in a temporary file. The zero value is empty.
type jobPages struct {
	list [][]byte // by number; nil for those in the file, which are the first ones
	file *outdir.ScratchFile
	left []span // of the pages in the file
	most int    // how many stay in memory, 0 for mostPages
	full bool   // the file takes no more: all further pages stay in memory
}

// span is where a page is in the file.
type span struct{ at, n int64 }

const (
	packedPage = 64 << 10 // bytes of a page, unless a job has more
	mostPages  = 16
)

// room returns the latest page, which has room for so many bytes more, and its number.
func (p *jobPages) room(size int) (page []byte, number int) {
	n := len(p.list)
	if n == 0 || cap(p.list[n-1])-len(p.list[n-1]) < size {
		p.list = append(p.list, p.fresh(max(packedPage, size)))
		n++
	}
	return p.list[n-1], n - 1
}

// fresh returns memory for a page, that of one that leaves for the file if there are enough.
func (p *jobPages) fresh(size int) (page []byte) {
	most := p.most
	if most == 0 {
		most = mostPages
	}
	for len(p.list)-len(p.left) >= most && !p.full {
		page = p.leave()
	}
	if cap(page) >= size {
		return page[:0]
	}
	return make([]byte, 0, size)
}

// leave writes the first page in memory to the file and returns what held it.
func (p *jobPages) leave() []byte {
	i := len(p.left)
	page := p.list[i]
	var at span
	if i > 0 {
		at.at = p.left[i-1].at + p.left[i-1].n
	}
	at.n = int64(len(page))
	var err error
	if p.file == nil {
		p.file, err = outdir.NewScratchFile("replay-jobs")
	}
	if err == nil {
		_, err = p.file.WriteAt(page, at.at)
	}
	if err != nil {
		p.full = true
		return nil
	}
	p.left = append(p.left, at)
	p.list[i] = nil
	return page
}

// stay brings all pages back into memory.
func (p *jobPages) stay() {
	for i := range p.left {
		p.list[i] = p.load(i)
	}
	p.left = nil
}

// load reads a page of the file.
func (p *jobPages) load(number int) []byte {
	page := make([]byte, p.left[number].n)
	if _, err := p.file.ReadAt(page, p.left[number].at); err != nil {
		panic(fmt.Sprintf("jobs that were put aside cannot be read back: %v", err))
	}
	return page
}

// pageReader reads pages of which nothing is written any more. What it returns is good as long as it is held.
type pageReader struct {
	pages *jobPages
	cache [32]struct {
		number int // + 1
		page   []byte
	}
}

func (r *pageReader) page(number int) []byte {
	if number >= len(r.pages.left) {
		return r.pages.list[number]
	}
	c := &r.cache[number%len(r.cache)]
	if c.number != number+1 {
		c.number, c.page = number+1, r.pages.load(number)
	}
	return c.page
}

// sharedReader is a pageReader for all.
type sharedReader struct {
	sync.Mutex
	pageReader
}

func (r *sharedReader) page(number int) []byte {
	r.Lock()
	defer r.Unlock()
	return r.pageReader.page(number)
}
