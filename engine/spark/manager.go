package spark

import (
	"math"
	"slices"

	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/spark/conf"
)

// Never is a time that is not reached, in ms.
const Never int64 = math.MaxInt64

// HostTasks is a host and how many (task, location) pairs name it.
type HostTasks struct {
	Host  protocol.Name
	Tasks int32
}

// StageHints says where the tasks of one stage attempt, or of all of a profile, want to run.
type StageHints struct {
	LocalTasks int         // tasks with at least one preferred location
	Hosts      []HostTasks // each host once; a list that has been told is not changed any more
	// TaskHosts are the preferred hosts of each task, for placements that read them; nil otherwise.
	TaskHosts [][]protocol.Name
}

// ProfileTotal is what a driver wants of one resource profile.
type ProfileTotal struct {
	Profile int32
	Total   int // executors, those that exist included
	Hints   StageHints
}

// TotalRequest is a RequestExecutors message: absolute totals and the locality of their tasks.
// It is valid during the call it is given to. No profiles at all means that the driver stops.
type TotalRequest struct {
	Profiles []ProfileTotal // by ascending profile
	Excluded []protocol.Name
}

// Exclude sets the hosts on which the application wants no executor, ascending, and takes them out
// of the hints; the number of local tasks stays.
//
// Source: YarnSchedulerBackend.prepareRequestExecutors.
func (r *TotalRequest) Exclude(hosts []protocol.Name) {
	r.Excluded = hosts
	if len(hosts) == 0 {
		return
	}
	for p := range r.Profiles {
		h := &r.Profiles[p].Hints
		var kept []HostTasks
		for _, t := range h.Hosts {
			if _, excluded := slices.BinarySearch(hosts, t.Host); !excluded {
				kept = append(kept, t)
			}
		}
		h.Hosts = kept
	}
}

// Backend is what the manager asks of the driver's scheduler backend. All answers are immediate.
//
// Source: ExecutorAllocationClient.
type Backend interface {
	// RequestTotal reports whether the application master took the request.
	RequestTotal(now int64, r *TotalRequest) bool
	// Kill returns those of the executors that will be killed; busy and unknown ones are not.
	Kill(now int64, executors []int32) []int32
	// Decommission returns those of the executors that will be decommissioned.
	Decommission(now int64, executors []int32) []int32
}

// Manager decides how many executors an application asks for and which idle ones it gives back.
// It is driven by the events of the driver's listener bus and by ticks, 100 ms after one another.
//
// Stage, job, RDD, shuffle and executor numbers are small, as Spark counts them; a resource
// profile is a small number too, 0 is the default one.
//
// Source: ExecutorAllocationManager with its ExecutorAllocationListener, and ExecutorMonitor.
type Manager struct {
	backend            Backend
	min, max, initial  int
	backlog, sustained int64
	ratio              float64
	decommission       bool

	addTime      int64 // when the next step may be made; Never = not set
	initializing bool
	profiles     []profileState
	stages       [][]attemptState // by stage, its attempts in order of appearance
	latest       *attemptState    // of them, the one that was asked for last, which comes again most often; nil = none
	monitor      monitor

	// Numbers of attempts that have an entry in the listener's tables, empty ones included.
	withTasks, withSpecPending, withSpecRunning int
	pendingAttempts                             int // attempts with tasks to start
	specPending                                 int // speculative copies to start, all profiles

	moved   bool         // something was told that may bring the next interesting time, or a tick executed, since the last call of Moved
	counted bool         // as moved, of tasks that began or ended: what they change is how many executors are needed
	least   int          // up to most: tasks of the only profile for which as many executors were needed at that call, as far as there may be so many;
	most    int          // least is above most if that is not easily said
	request TotalRequest // reused
	idle    []int32      // reused
}

// Serve has the manager ask another backend from now on.
func (m *Manager) Serve(b Backend) { m.backend = b }

// profileState is one resource profile.
type profileState struct {
	perExec       int  // tasks of an executor
	targeted      bool // target means something
	target, toAdd int

	pending, specPending, running, unschedulable int // over its stage attempts
	hints                                        StageHints
}

// TickInterval is the pause between two ticks, in ms.
const TickInterval = 100

// NewManager returns the manager of an application as configured; perExec[p] is the number of
// tasks that an executor of resource profile p runs at a time.
func NewManager(c *conf.Conf, perExec []int, backend Backend) *Manager {
	m := new(Manager)
	m.Renew(c, perExec, backend)
	return m
}

// Renew makes of m what [NewManager] returns, in the memory that it has.
func (m *Manager) Renew(c *conf.Conf, perExec []int, backend Backend) {
	*m = Manager{
		backend: backend, min: c.MinExecutors, max: c.MaxExecutors, initial: c.InitialTarget(),
		backlog: c.BacklogTimeout, sustained: c.SustainedTimeout, ratio: c.AllocationRatio,
		decommission: c.Decommission, addTime: Never, initializing: true, moved: true,
		monitor: m.monitor.renewed(c, len(perExec)), stages: m.stages[:0], profiles: m.profiles[:0],
		request: TotalRequest{Profiles: m.request.Profiles[:0]}, idle: m.idle[:0],
	}
	for _, n := range perExec {
		m.profiles = append(m.profiles, profileState{perExec: n, toAdd: 1})
	}
	m.profiles[0].targeted, m.profiles[0].target = true, m.initial
}

// FetchMemory has fetched (package fetch) what [Manager.Renew] will look at, in steps from 0.
func (m *Manager) FetchMemory(step int) {
	if step == 0 {
		fetch.At(m.profiles, 0)
		fetch.List(m.monitor.profiles, 2)
		fetch.At(m.request.Profiles, 0)
	}
}

// Reserve makes room for executors with numbers below n.
func (m *Manager) Reserve(n int) { m.monitor.executors = reuse.Roomy(m.monitor.executors, n) }

// FetchExecutors asks for the memory of the executors that register next, at most so many.
func (m *Manager) FetchExecutors(most int) { fetch.Next(m.monitor.executors, most) }

// Start sends the first totals, before any stage. When the application master has not registered
// yet they are lost, and nothing is lost with them: it starts from the same number.
func (m *Manager) Start(now int64) { m.send(now) }

// Reset is what the registration of an application master does: all targets are the initial one
// again, and the first step needs no backlog.
func (m *Manager) Reset() {
	m.moved = true
	m.addTime = 0
	for p := range m.profiles {
		if s := &m.profiles[p]; s.targeted {
			s.target = m.initial
		}
		m.profiles[p].toAdd = 1
	}
	m.monitor.reset()
}

// Tick is one pass of the manager: targets first, then the executors that were idle for too long.
//
// Source: ExecutorAllocationManager.schedule.
func (m *Manager) Tick(now int64) {
	m.moved = true
	m.idle = m.monitor.timedOut(now, m.idle[:0])
	if len(m.idle) > 0 {
		m.initializing = false
	}
	m.updateTargets(now)
	if len(m.idle) > 0 {
		m.removeIdle(now)
	}
}

// Lowers returns the target, with its hints, of the only profile where all that a tick does is to lower it; ok is false where it does nothing, or may do more: an executor has been idle for too long, or
// more are needed than for the tasks that run or are pending.
func (m *Manager) Lowers(now int64) (total int, hints *StageHints, ok bool) {
	s := &m.profiles[0]
	if len(m.profiles) > 1 || m.initializing || !s.targeted || !m.plain(s) || m.monitor.due(0) <= now {
		return 0, nil, false
	}
	total = max(s.plainNeed(), m.min)
	return total, &s.hints, total < s.target
}

// Lower is a tick as [Manager.Lowers] says of it. It answers as [Manager.NextInteresting], for a target that is what is needed, or the least that there may be.
func (m *Manager) Lower(total int) (next int64) {
	s := &m.profiles[0]
	s.target, s.toAdd = total, 1
	m.look(s)
	if m.spare(0, 0) {
		return m.monitor.due(0)
	}
	return Never
}

// updateTargets lowers the targets that are above what is needed and, when the backlog has lasted
// long enough, raises the others by a step; it sends the totals when one has changed.
//
// Source: ExecutorAllocationManager.updateAndSyncNumExecutorsTarget.
func (m *Manager) updateTargets(now int64) {
	if m.initializing {
		return
	}
	changed := false
	var old [8]int
	before := old[:0]
	for p := range m.profiles {
		s := &m.profiles[p]
		before = append(before, s.target)
		if !s.targeted {
			continue
		}
		if need := m.MaxNeeded(int32(p)); need < s.target {
			s.target, s.toAdd = max(need, m.min), 1
		} else if m.addTime != Never && now >= m.addTime {
			m.raise(int32(p), need)
		}
		changed = changed || s.target != before[p]
	}
	if !changed {
		return
	}
	ok := m.send(now)
	for p := range m.profiles {
		s := &m.profiles[p]
		step := s.target - before[p]
		switch {
		case !ok:
			s.target = before[p]
		case step > 0 && step == s.toAdd:
			s.toAdd *= 2
			m.addTime = now + m.sustained
		case step > 0:
			s.toAdd = 1
			m.addTime = now + m.sustained
		}
	}
}

// raisedTarget returns the target of profile p after one step.
//
// Source: ExecutorAllocationManager.addExecutors.
func (m *Manager) raisedTarget(p int32, need int) int {
	s := &m.profiles[p]
	if s.target >= m.max {
		return s.target
	}
	return max(min(max(s.target, m.monitor.count(p))+s.toAdd, need, m.max), m.min)
}

func (m *Manager) raise(p int32, need int) {
	s := &m.profiles[p]
	target := m.raisedTarget(p, need)
	if target == s.target {
		s.toAdd = 1
	}
	s.target = target
}

// MaxNeeded returns how many executors of profile p could be busy with all its running and
// pending tasks.
//
// Source: ExecutorAllocationManager.maxNumExecutorsNeededPerResourceProfile.
func (m *Manager) MaxNeeded(p int32) int {
	if s := &m.profiles[p]; m.plain(s) {
		return s.plainNeed()
	}
	return m.maxNeeded(p)
}

// plain reports whether the executors that a profile needs are those of its tasks that run or are pending, and no others.
func (m *Manager) plain(s *profileState) bool {
	return m.ratio == 1 && s.specPending|s.unschedulable == 0 && s.pending+s.running >= 0
}

func (s *profileState) plainNeed() int {
	return int((uint32(s.pending+s.running) + uint32(s.perExec) - 1) / uint32(s.perExec)) // of small numbers
}

func (m *Manager) maxNeeded(p int32) int {
	s := &m.profiles[p]
	need := m.executorsFor(s.pending+s.specPending+s.running, s.perExec)
	if s.perExec > 1 && need == 1 && s.specPending > 0 {
		need++ // a copy should not run beside the task it is to overtake
	}
	if s.unschedulable > 0 {
		need = max(need, m.monitor.count(p)+m.executorsFor(s.unschedulable, s.perExec))
	}
	return need
}

func (m *Manager) executorsFor(tasks, perExec int) int {
	return int(math.Ceil(float64(tasks) * m.ratio / float64(perExec)))
}

// removeIdle gives back the executors of m.idle that neither the minimum nor the target needs.
//
// Source: ExecutorAllocationManager.removeExecutors.
func (m *Manager) removeIdle(now int64) {
	var few [8]int // by profile, taken
	left := few[:]
	if len(m.profiles) > len(few) {
		left = make([]int, len(m.profiles))
	}
	remove := m.idle[:0]
	for _, e := range m.idle {
		p := m.monitor.executors[e].profile
		if p == unknownProfile || !m.spare(p, left[p]) {
			continue
		}
		left[p]++
		remove = append(remove, e)
	}
	if len(remove) == 0 {
		return
	}
	if m.decommission {
		gone := m.backend.Decommission(now, remove)
		m.send(now)
		m.monitor.markDecommissioning(gone)
	} else {
		gone := m.backend.Kill(now, remove)
		m.send(now) // the same totals, but it brings the hints up to date
		m.monitor.markKilled(gone)
	}
}

// spare reports whether profile p can lose one more executor after taken others.
func (m *Manager) spare(p int32, taken int) bool {
	rest := m.monitor.remaining(p) - taken - 1
	return rest >= m.min && rest >= m.profiles[p].target
}

// send asks for the present totals and reports whether they arrived.
func (m *Manager) send(now int64) bool {
	m.request.Profiles = m.request.Profiles[:0]
	for p := range m.profiles {
		if s := &m.profiles[p]; s.targeted {
			m.request.Profiles = append(m.request.Profiles, ProfileTotal{Profile: int32(p), Total: s.target, Hints: s.hints})
		}
	}
	return m.backend.RequestTotal(now, &m.request)
}

// Moved reports whether [Manager.NextInteresting] may name an earlier time than at the last call of Moved, but for the time that has
// passed.
func (m *Manager) Moved() bool { return m.Told() && m.hasMoved() }

// Told reports whether anything was told since then that may matter to that.
func (m *Manager) Told() bool { return m.moved || m.monitor.moved || m.counted }

// hasMoved is Moved where something was told. Which executors are there, and which is the first to be idle for too long, matters only while one may be spared or a step may be made,
// and more of them than that are needed as if as many were.
func (m *Manager) hasMoved() bool {
	moved, idle := m.moved, m.monitor.moved
	s := &m.profiles[0]
	if len(m.profiles) > 1 || !m.plain(s) {
		m.moved, m.monitor.moved, m.counted = false, false, false
		m.least, m.most = 1, 0
		return true
	}
	if n := s.pending + s.running; moved || n < m.least || n > m.most {
		m.look(s)
		return true
	}
	m.monitor.moved, m.counted = false, false
	return idle && (m.initializing || m.spare(0, 0) || m.addTime != Never && s.target < m.max)
}

// look notes for which tasks of the only profile as many executors are needed as are now, and that nothing has moved since.
func (m *Manager) look(s *profileState) {
	m.moved, m.monitor.moved, m.counted = false, false, false
	need, most := s.plainNeed(), max(m.max, s.target)
	if m.least, m.most = (need-1)*s.perExec+1, need*s.perExec; need >= most {
		m.least, m.most = (most-1)*s.perExec+1, math.MaxInt
	}
}

// NextInteresting returns the earliest time, not before now, at which a tick could change or send
// anything if no event comes before; Never if none could. Ticks before it may be left out.
func (m *Manager) NextInteresting(now int64) int64 {
	next := Never
	for p := range m.profiles {
		s := &m.profiles[p]
		if s.targeted && !m.initializing {
			need := m.MaxNeeded(int32(p))
			switch {
			case need < s.target:
				if s.toAdd != 1 || max(need, m.min) != s.target {
					return now
				}
			case m.addTime != Never && (s.toAdd != 1 || s.target < m.max && m.raisedTarget(int32(p), need) != s.target):
				next = min(next, max(now, m.addTime))
			}
		}
		if len(m.monitor.profiles[p+1].idle) > 0 && (m.initializing || m.spare(int32(p), 0)) {
			next = min(next, max(now, m.monitor.nextTimeout(int32(p))))
		}
	}
	if m.initializing { // an idle executor of an unknown profile ends this phase, too
		next = min(next, max(now, m.monitor.nextTimeout(unknownProfile)))
	}
	return next
}

// Target returns the number of executors of profile p that is asked for, and the size of the next
// step; ok is false while the profile has none.
func (m *Manager) Target(p int32) (target, toAdd int, ok bool) {
	s := &m.profiles[p]
	return s.target, s.toAdd, s.targeted
}

// AddTime returns when the next step may be made, Never when there is no backlog.
func (m *Manager) AddTime() int64 { return m.addTime }

// Executors returns how many executors are tracked, and the ascending numbers of those that are
// being killed.
func (m *Manager) Executors() (tracked int, killed []int32) { return m.monitor.tracked() }
