package generic

import (
	"cmp"
	"slices"

	"replay/engine/fetch"
	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/policy/resource"
)

// attempts are those of which something is to come: they wait, run, or the end of their container is to be told. Their memory is cut into blocks
// and used again, so an application needs as much as it has containers at a time.
type attempts struct {
	blocks      [][]attempt
	used        int32 // places that an attempt has had
	free        []int32
	begun       int32   // serial numbers that have been given
	bySerial    []taken // by serial number
	byContainer []int32 // place + 1 by the number of the container, from its assignment to the report of its end; 0 for none, known for one that is not waited for
}

// known is in place of the attempt of a container whose end is no news: it had reported its own end before the process ended.
const known = -1

// taken is what is known of an attempt of which nothing may be left: the place and the container that it has or had.
type taken struct{ place, container int32 }

// A ref names an attempt, also when its place is another's: by its place and its serial number.
type ref struct{ place, serial int32 }

// at returns the attempt at a place.
func (l *attempts) at(place int32) *attempt {
	return &l.blocks[place/reuse.PerBlock][place%reuse.PerBlock]
}

// of returns an attempt, nil when nothing of it is left.
func (l *attempts) of(r ref) *attempt {
	if a := l.at(r.place); a.ref == r {
		return a
	}
	return nil
}

// numbered returns the attempt with a serial number, nil when nothing of it is left.
func (l *attempts) numbered(serial int64) *attempt {
	return l.of(ref{l.bySerial[serial].place, int32(serial)})
}

var _ master.EventFetcher = (*dag)(nil)

// Fetch is part of [master.Fetcher].
func (d *dag) Fetch(step int) {
	if step == 0 {
		fetch.Of(d)
	}
}

// FetchFor is part of [master.EventFetcher]: it is about the end of an attempt.
func (d *dag) FetchFor(number int64, step int) (container int64) {
	l := &d.attempts
	if step == 0 {
		fetch.At(l.bySerial, int(number))
		return 0
	}
	b := &l.bySerial[number]
	switch a := l.at(b.place); step {
	case 1:
		fetch.Of(a)
		fetch.At(l.byContainer, int(b.container))
	case 2:
		if int64(a.serial) == number {
			fetch.Of(d.taskOf(a))
		}
	}
	return int64(b.container)
}

// in returns the attempt that has container c, or nil.
func (l *attempts) in(c int64) *attempt {
	if c < int64(len(l.byContainer)) && l.byContainer[c] > 0 {
		return l.at(l.byContainer[c] - 1)
	}
	return nil
}

// enter notes that an attempt has container c, leave that none has.
func (l *attempts) enter(c int64, a *attempt) {
	l.byContainer = reuse.Reaching(l.byContainer, int(c)+1)
	l.byContainer[c] = a.place + 1
	l.bySerial[a.serial].container = int32(c)
}

func (l *attempts) leave(c int64) { l.byContainer[c] = 0 }

// live returns the attempts that are not over, by serial number.
func (l *attempts) live() (list []*attempt) {
	for place := range l.used {
		if a := l.at(place); a.state != ended {
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b *attempt) int { return cmp.Compare(a.serial, b.serial) })
	return list
}

// place returns the memory of a new attempt with a serial number, and what names it.
func (d *dag) place(serial int32) (*attempt, ref) {
	l := &d.attempts
	r := ref{l.used, serial}
	l.number(serial + 1)
	if n := len(l.free); n > 0 {
		r.place = l.free[n-1]
		l.free = l.free[:n-1]
	} else if l.used++; int(r.place)/reuse.PerBlock == len(l.blocks) {
		l.blocks = append(l.blocks, d.k.block())
	}
	l.bySerial[serial] = taken{place: r.place}
	return l.at(r.place), r
}

// number makes room for the first n serial numbers.
func (l *attempts) number(n int32) { l.bySerial = reuse.Reaching(l.bySerial, int(n)) }

// drop lets an attempt go that is over.
func (l *attempts) drop(a *attempt) {
	l.free = append(l.free, a.place)
	a.serial = -1
}

// stageOf returns the stage of an attempt, taskOf its task, moreOf what there is of it beyond that.
func (d *dag) stageOf(a *attempt) *stage { return &d.stages[a.stage] }

func (d *dag) taskOf(a *attempt) *task { return &d.stages[a.stage].tasks[a.Index] }

func (d *dag) moreOf(a *attempt) *more { return &d.stages[a.stage].more[a.Index] }

// idOf returns the container of an attempt.
func (d *dag) idOf(a *attempt) protocol.ContainerID {
	return protocol.NewContainerID(d.app, int32(d.h.Attempt()), a.Container)
}

// sizeOf returns the place of a container's size in sizes.
func (d *dag) sizeOf(size resource.Resource) int32 {
	at := slices.Index(d.sizes, size)
	if at < 0 {
		at = len(d.sizes)
		d.sizes = append(d.sizes, size)
	}
	return int32(at)
}

// memory is that of masters of which nothing is left, and of asks that were answered.
type memory struct {
	blocks [][]attempt
	asks   []*ask
}

// Spare is part of [master.Sparer].
func (k *Kind) Spare(m master.Master) {
	if d, ok := m.(*dag); ok {
		k.spare.blocks = append(k.spare.blocks, d.attempts.blocks...)
		d.attempts = attempts{}
	}
}

// block returns room for attempts.
func (k *Kind) block() []attempt {
	n := len(k.spare.blocks)
	if n == 0 {
		return reuse.Block[attempt]()
	}
	b := k.spare.blocks[n-1]
	k.spare.blocks = k.spare.blocks[:n-1]
	for i := range b {
		b[i].state = ended
	}
	return b
}

// ask returns room for what an attempt asks for.
func (k *Kind) ask() *ask {
	n := len(k.spare.asks)
	if n == 0 {
		return new(ask)
	}
	q := k.spare.asks[n-1]
	k.spare.asks = k.spare.asks[:n-1]
	return q
}
