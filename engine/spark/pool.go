package spark

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"

	"replay/engine/fetch"
	"replay/engine/reuse"
)

// PoolMode is how a pool orders its task sets, or the root its pools.
type PoolMode uint8

// The two modes.
const (
	FIFO PoolMode = iota
	FAIR
)

func (m PoolMode) String() string { return [...]string{"FIFO", "FAIR"}[m] }

// DefaultPool is the pool of jobs that name none.
const DefaultPool = "default"

// Schedulable is what a pool knows of a task set.
type Schedulable struct {
	ID       int32 // of the caller
	Priority int32 // job id
	Stage    int32
	Attempt  int32 // of the stage
	Running  int32 // task attempts; change it with [Schedulable.AddRunning]
	Backlog  int32 // entries in the lists of pending tasks, stale ones included
	Zombie   bool  // launches nothing more; see [Schedulable.stop]

	pool *Pool
	// Of a pool in FAIR mode:
	listed bool  // stands in its order
	moved  bool  // to be given another place there
	at     int32 // Running by which it stands there
}

// addBacklog adds n to the backlog of a task set.
func (s *Schedulable) addBacklog(n int32) {
	s.Backlog += n
	if !s.Zombie && s.pool != nil {
		s.pool.in.backlog += n
	}
}

// stop makes a task set launch nothing more.
func (s *Schedulable) stop() {
	if !s.Zombie && s.pool != nil {
		s.pool.in.backlog -= s.Backlog
	}
	s.Zombie = true
}

// AddRunning changes the number of running tasks by n, of the task set and of its pool.
func (s *Schedulable) AddRunning(n int32) {
	s.Running += n
	s.pool.Running += n
	if s.listed && !s.moved {
		s.moved = true
		s.pool.moved = append(s.pool.moved, s)
	}
}

// Name returns Spark's name of the task set.
func (s *Schedulable) Name() string { return string(s.appendName(nil)) }

func (s *Schedulable) appendName(b []byte) []byte {
	b = append(b, "TaskSet_"...)
	b = strconv.AppendInt(b, int64(s.Stage), 10)
	b = append(b, '.')
	return strconv.AppendInt(b, int64(s.Attempt), 10)
}

// Pool is one pool below the root, or the root itself in FIFO mode.
//
// Source: org.apache.spark.scheduler.Pool.
type Pool struct {
	Name     string
	Mode     PoolMode
	MinShare int32
	Weight   int32
	Running  int32

	sets   []*Schedulable // in order of submission
	sorted []*Schedulable // the same in the order of their turns, which lasts in FIFO mode; in FAIR mode see [Pool.settle]
	moved  []*Schedulable // of which another number of tasks runs, as far as they are listed
	in     *Pools
}

// Pools is the root pool. In FIFO mode task sets hang directly below it and pools are ignored.
//
// Source: FIFOSchedulableBuilder, FairSchedulableBuilder.
type Pools struct {
	Mode  PoolMode
	Pools []*Pool // in order of making; in FIFO mode the root alone

	sorted  []*Pool
	each    []*Schedulable // scratch of a walk, nil during one
	backlog int32          // of all task sets that are no zombies
}

// NewPools builds the pools of spark.scheduler.mode. File is what [ParsePools] made of
// spark.scheduler.allocation.file; nil means that there is no file.
func NewPools(mode PoolMode, file []Pool) *Pools {
	r := new(Pools)
	r.Renew(mode, file)
	return r
}

// Renew makes of r what [NewPools] returns, in the memory that it has.
func (r *Pools) Renew(mode PoolMode, file []Pool) {
	*r = Pools{Mode: mode, Pools: r.Pools[:0], sorted: r.sorted[:0], each: r.each[:0]}
	if mode == FIFO {
		r.add(Pool{Mode: FIFO, Weight: 1})
		return
	}
	for _, p := range file {
		r.add(p)
	}
	if r.find(DefaultPool) == nil {
		ownMode := FIFO
		if file == nil {
			ownMode = mode
		}
		r.add(Pool{Name: DefaultPool, Mode: ownMode, Weight: 1})
	}
}

// FetchMemory has fetched (package fetch) what [Pools.Renew] will look at, in steps from 0.
func (r *Pools) FetchMemory(step int) {
	if step == 0 {
		fetch.At(r.Pools, 0)
	} else if len(r.Pools) > 0 {
		fetch.Of(r.Pools[0])
	}
}

// add makes a pool like p, without task sets.
func (r *Pools) add(p Pool) *Pool {
	r.Pools = reuse.Longer(r.Pools)
	at := &r.Pools[len(r.Pools)-1]
	if *at == nil {
		*at = new(Pool)
	}
	p.in, p.sets, p.sorted, p.moved = r, (*at).sets[:0], (*at).sorted[:0], (*at).moved[:0]
	**at = p
	return *at
}

// find returns the pool that a name stands for: the last one of that name.
func (r *Pools) find(name string) *Pool {
	for _, p := range slices.Backward(r.Pools) {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Add puts a task set into the pool called name; "" is the default pool. An unknown pool is made.
func (r *Pools) Add(s *Schedulable, name string) {
	p := r.Pools[0]
	if r.Mode == FAIR {
		if name == "" {
			name = DefaultPool
		}
		if p = r.find(name); p == nil {
			p = r.add(Pool{Name: name, Mode: FIFO, Weight: 1})
		}
	}
	s.pool = p
	p.sets = append(p.sets, s)
	if p.Mode == FIFO {
		i := len(p.sorted)
		for i > 0 && compareFIFO(s, p.sorted[i-1]) < 0 {
			i--
		}
		p.sorted = reuse.Insert(p.sorted, i, s)
	} else {
		p.list(s)
	}
	if !s.Zombie {
		r.backlog += s.Backlog
	}
}

// Remove takes a task set out of its pool. Its running tasks stay counted there, as in Spark.
func (r *Pools) Remove(s *Schedulable) {
	if i := slices.Index(s.pool.sets, s); i >= 0 {
		s.pool.sets = slices.Delete(s.pool.sets, i, i+1)
		if i := slices.Index(s.pool.sorted, s); i >= 0 {
			s.pool.sorted = slices.Delete(s.pool.sorted, i, i+1)
			s.listed = false
		}
		if s.moved { // its memory may be that of a set of another pool soon
			i := slices.Index(s.pool.moved, s)
			s.pool.moved = slices.Delete(s.pool.moved, i, i+1)
			s.moved = false
		}
		if !s.Zombie {
			s.pool.in.backlog -= s.Backlog
		}
	}
}

// Each yields every task set, pool by pool, in order of submission. Sets may be removed meanwhile.
func (r *Pools) Each(yield func(*Schedulable) bool) {
	list := r.each[:0]
	r.each = nil
	for _, p := range r.Pools {
		list = append(list, p.sets...)
	}
	for _, s := range list {
		if !yield(s) {
			break
		}
	}
	r.each = list
}

// AppendSorted appends the task sets that may have tasks to launch, in the order in which they are
// offered resources.
//
// Source: Pool.getSortedTaskSetQueue, TaskSetManager.isSchedulable.
func (r *Pools) AppendSorted(dst []*Schedulable) []*Schedulable {
	if len(r.Pools) == 1 {
		return r.Pools[0].appendSorted(dst)
	}
	r.sorted = append(r.sorted[:0], r.Pools...)
	slices.SortStableFunc(r.sorted, comparePools)
	for _, p := range r.sorted {
		dst = p.appendSorted(dst)
	}
	return dst
}

// inOrder returns the task sets of a pool that is alone in the order of their turns, with those that launch nothing, so that nobody has to go through all of them; nil where there are several pools.
// The list holds until a set comes or goes.
func (r *Pools) inOrder() []*Schedulable {
	if len(r.Pools) != 1 {
		return nil
	}
	r.Pools[0].settle()
	return r.Pools[0].sorted
}

// list gives a task set its place in the order of a pool in FAIR mode.
func (p *Pool) list(s *Schedulable) {
	s.listed, s.moved, s.at = true, false, s.Running
	i, _ := slices.BinarySearchFunc(p.sorted, s, compareFair)
	p.sorted = reuse.Insert(p.sorted, i, s)
}

// settle gives the task sets of a pool in FAIR mode of which another number of tasks runs their places in its order.
func (p *Pool) settle() {
	for _, s := range p.moved {
		if s.at != s.Running {
			i, _ := slices.BinarySearchFunc(p.sorted, s, compareFair)
			p.sorted = slices.Delete(p.sorted, i, i+1)
			p.list(s)
		}
		s.moved = false
	}
	p.moved = p.moved[:0]
}

// waits reports whether a task set may have tasks to launch.
func (s *Schedulable) waits() bool { return !s.Zombie && s.Backlog > 0 }

func (p *Pool) appendSorted(dst []*Schedulable) []*Schedulable {
	p.settle()
	for _, s := range p.sorted {
		if s.waits() {
			dst = append(dst, s)
		}
	}
	return dst
}

// compareFIFO orders by job, then stage. As FIFOSchedulingAlgorithm it takes the sign of 32-bit differences.
func compareFIFO(a, b *Schedulable) int {
	if d := a.Priority - b.Priority; d != 0 {
		return cmp.Compare(d, 0)
	}
	return cmp.Compare(a.Stage-b.Stage, 0)
}

// compareFair is [comparePools] for task sets, whose weight is 1 and minimum share 0, by what ran of them when they got their places.
func compareFair(a, b *Schedulable) int {
	if c := cmp.Compare(a.at, b.at); c != 0 {
		return c
	}
	var x, y [40]byte
	return slices.Compare(a.appendName(x[:0]), b.appendName(y[:0]))
}

// comparePools orders pools: those below their minimum share first, by how far they are below it;
// then by running tasks for each unit of weight; then by name.
//
// Source: FairSchedulingAlgorithm.
func comparePools(a, b *Pool) int {
	aNeedy, bNeedy := a.Running < a.MinShare, b.Running < b.MinShare
	var c int
	switch {
	case aNeedy && !bNeedy:
		return -1
	case !aNeedy && bNeedy:
		return 1
	case aNeedy:
		c = compareDoubles(float64(a.Running)/max(float64(a.MinShare), 1), float64(b.Running)/max(float64(b.MinShare), 1))
	default:
		c = compareDoubles(float64(a.Running)/float64(a.Weight), float64(b.Running)/float64(b.Weight))
	}
	if c != 0 {
		return c
	}
	return slices.Compare(utf16.Encode([]rune(a.Name)), utf16.Encode([]rune(b.Name)))
}

// compareDoubles is java.lang.Double.compare: -0 below 0, NaN equal to itself and above all.
func compareDoubles(a, b float64) int {
	aNaN, bNaN := math.IsNaN(a), math.IsNaN(b)
	switch {
	case aNaN || bNaN:
		return cmp.Compare(rank(aNaN), rank(bNaN))
	case a == 0 && b == 0:
		return cmp.Compare(rank(math.Signbit(b)), rank(math.Signbit(a)))
	}
	return cmp.Compare(a, b)
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}
