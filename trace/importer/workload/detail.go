package workload

import (
	"fmt"
	"maps"
	"slices"

	"replay/spill"
	"replay/trace"
)

// detail is what is known of a recording until one has been chosen among those of its application: there is one for each input, so it waits in a file.
type detail struct {
	input  Input
	counts []packed
	*resident
}

// place is where a detail waits.
type place struct{ at, end int64 }

// details are those of recordings.
type details struct{ spill.Shelf }

// put writes a detail and returns its place.
func (s *details) put(d *detail) (p place, err error) {
	p.at = s.Len()
	_, err = s.Write(d.pack())
	p.end = s.Len()
	return p, err
}

// get reads a detail.
func (s *details) get(p place) (*detail, error) {
	data := make([]byte, p.end-p.at)
	if _, err := s.ReadAt(data, p.at); err != nil {
		return nil, fmt.Errorf("what was read of an input, in a temporary file: %w", err)
	}
	return unpackDetail(data), nil
}

func (d *detail) pack() []byte {
	var p spill.Packer
	in := &d.input
	for _, text := range []string{in.Path, in.Label, in.Application, in.Attempt, in.Name, in.Version} {
		p.Text(text)
	}
	p.Int(int64(len(in.Sources)))
	for _, file := range in.Sources {
		p.Text(file.Name)
		p.Text(file.SHA256)
	}
	for _, n := range []int64{in.Bytes, in.StartMS, in.EndMS, oneIf(in.Ended), oneIf(in.Cut), in.Tasks} {
		p.Int(n)
	}
	p.Int(int64(len(d.counts)))
	for _, c := range d.counts {
		p.Int(c.n)
		p.Int(int64(c.name))
		p.Int(int64(c.part))
	}
	d.resident.pack(&p)
	return p
}

func unpackDetail(data []byte) *detail {
	u := spill.Unpacker(data)
	d := &detail{resident: &resident{}}
	in := &d.input
	for _, text := range []*string{&in.Path, &in.Label, &in.Application, &in.Attempt, &in.Name, &in.Version} {
		*text = u.Text()
	}
	in.Sources = make([]trace.SourceFile, u.Int())
	for i := range in.Sources {
		in.Sources[i] = trace.SourceFile{Name: u.Text(), SHA256: u.Text()}
	}
	ended, cut := int64(0), int64(0)
	for _, n := range []*int64{&in.Bytes, &in.StartMS, &in.EndMS, &ended, &cut, &in.Tasks} {
		*n = u.Int()
	}
	in.Ended, in.Cut = ended != 0, cut != 0
	d.counts = make([]packed, u.Int())
	for i := range d.counts {
		d.counts[i] = packed{n: u.Int(), name: int32(u.Int()), part: uint8(u.Int())}
	}
	d.resident.unpack(&u)
	return d
}

func oneIf(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

func (r *resident) pack(p *spill.Packer) {
	p.Int(int64(len(r.hosts)))
	for _, h := range r.hosts {
		p.Int(int64(h))
	}
	p.Int(int64(len(r.executors)))
	for _, e := range r.executors {
		for _, n := range []int64{e.from, e.to, int64(e.host), int64(e.size)} {
			p.Int(n)
		}
	}
	for _, n := range []int64{r.finishMS, r.am.memMiB, int64(r.am.vcores), oneIf(r.tasks), r.largest.memMiB, int64(r.largest.vcores), r.longestMS} {
		p.Int(n)
	}
	p.Float(r.work.VCoreMS)
	p.Float(r.work.MemMiBMS)
	p.Int(int64(len(r.work.Further)))
	for _, name := range slices.Sorted(maps.Keys(r.work.Further)) {
		p.Text(name)
		p.Float(r.work.Further[name])
	}
	for _, list := range [][]trace.NamedValue{r.amExtra, r.further} {
		p.Int(int64(len(list)))
		for _, x := range list {
			p.Text(x.Name)
			p.Int(x.Value)
		}
	}
	p.Int(int64(len(r.gangs)))
	for _, g := range r.gangs {
		for _, n := range []int64{g.memMiB, int64(g.vcores), g.tasks} {
			p.Int(n)
		}
	}
}

func (r *resident) unpack(u *spill.Unpacker) {
	r.hosts = make([]int32, u.Int())
	for i := range r.hosts {
		r.hosts[i] = int32(u.Int())
	}
	r.executors = make([]held, u.Int())
	for i := range r.executors {
		r.executors[i] = held{from: u.Int(), to: u.Int(), host: int32(u.Int()), size: int32(u.Int())}
	}
	r.finishMS = u.Int()
	r.am = shape{u.Int(), int32(u.Int())}
	r.tasks = u.Int() != 0
	r.largest = shape{u.Int(), int32(u.Int())}
	r.longestMS = u.Int()
	r.work = trace.Work{VCoreMS: u.Float(), MemMiBMS: u.Float()}
	if n := u.Int(); n > 0 {
		r.work.Further = map[string]float64{}
		for range n {
			r.work.Further[u.Text()] = u.Float()
		}
	}
	for _, list := range []*[]trace.NamedValue{&r.amExtra, &r.further} {
		for range u.Int() {
			*list = append(*list, trace.NamedValue{Name: u.Text(), Value: u.Int()})
		}
	}
	for range u.Int() {
		r.gangs = append(r.gangs, gang{shape{u.Int(), int32(u.Int())}, u.Int()})
	}
}
