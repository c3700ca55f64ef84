package driver

import (
	"slices"

	"replay/engine/record"
	"replay/engine/reuse"
	"replay/engine/spark"
)

// run is one task attempt: what the driver does not know of it. It has no pointers, which costs the collector nothing, and fills two lines of memory: what few
// have is beside it ([runs.sources]).
type run struct {
	id       int64
	ref      spark.TaskRef
	exec     int32
	stage    int32
	index    int32 // of the task in its stage
	attempt  int32 // of the stage
	number   int16 // attempts of the task before it
	cores    int32
	ready    int64 // when the task became pending
	launch   int64
	end      int64 // on the executor, ms
	coreFree int64 // when its core was free again, or record.None
	traced   int64 // its time in the trace, ms
	overhead int64
	penalty  int64
	fetchMS  int64 // from its report until its result is there
	dispatch int64 // from the offer to its start

	level       record.TaskLevel
	miss        record.Miss
	preferring  bool // the task has preferred hosts
	preferred   bool // it is on one of them
	speculative bool
	freed       bool // its core is free again
	booked      bool // its core time is counted
	done        bool // its end was handled and written
	reported    bool // its end was reported, its result is to be handled
	repeated    bool // its partition had succeeded before: its output was lost meanwhile
	unread      bool // it meets shuffle output that cannot be read
	fails       bool // it fails by itself, as recorded
}

// runs are the task attempts of which something is to come, by task id. Their places are used again, so an application
// needs as many as its executors have cores, however many tasks it has; and while it has none they are there for others: most have
// executors for much longer than tasks, and memory that was in use a moment ago is still in a cache.
type runs struct {
	place  []int32 // by task id, in list; -1 = nothing is to come
	list   []run
	free   []int32
	atOnce int              // how many places list is to have room for
	lent   *reuse.Pool[run] // whose list is, while nothing is to come

	sources map[int64]spark.FetchSource // by task id, of those that are unread: of the output that cannot be read
}

// reserve makes room for so many attempts, and so many at a time.
func (r *runs) reserve(all, atOnce int, lent *reuse.Pool[run]) {
	r.place = slices.Grow(r.place, all)
	r.atOnce, r.lent = atOnce, lent
}

// add makes room for the attempt with the next task id. It is to be filled in, and valid until the next call of add.
func (r *runs) add() *run {
	at := int32(len(r.list))
	if n := len(r.free); n > 0 {
		at = r.free[n-1]
		r.free = r.free[:n-1]
		r.list[at] = run{}
	} else {
		if at == 0 {
			r.list = r.lent.Take(r.atOnce)
		}
		r.list = append(r.list, run{})
	}
	r.place = append(r.place, at)
	return &r.list[at]
}

// cannotRead notes that an attempt meets shuffle output that cannot be read.
func (r *runs) cannotRead(x *run, from spark.FetchSource) {
	if r.sources == nil {
		r.sources = map[int64]spark.FetchSource{}
	}
	x.unread, r.sources[x.id] = true, from
}

// unreadBy returns what an attempt that has ended could not read, and forgets it.
func (r *runs) unreadBy(id int64) spark.FetchSource {
	from := r.sources[id]
	delete(r.sources, id)
	return from
}

// of returns an attempt, nil when nothing of it is to come. It is valid until the next call of add.
func (r *runs) of(id int64) *run {
	if at := r.place[id]; at >= 0 {
		return &r.list[at]
	}
	return nil
}

// settle lets an attempt go if nothing of it is to come. It is still valid until the next call of add.
func (r *runs) settle(x *run) {
	if x.freed && x.done && !x.reported {
		r.free = append(r.free, r.place[x.id])
		r.place[x.id] = -1
		if len(r.free) == len(r.list) {
			r.giveBack()
		}
	}
}

// none reports whether nothing of any attempt is to come.
func (r *runs) none() bool { return len(r.free) == len(r.list) }

// giveBack lets all places go.
func (r *runs) giveBack() {
	if r.list != nil {
		r.lent.Give(r.list)
	}
	r.list, r.free = nil, r.free[:0]
}

// all yields the attempts of which something is to come, by task id.
func (r *runs) all(yield func(*run) bool) {
	if r.none() {
		return
	}
	for id := range r.place {
		if x := r.of(int64(id)); x != nil && !yield(x) {
			return
		}
	}
}
