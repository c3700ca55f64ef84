package fair

import (
	"fmt"
	"slices"
	"strings"

	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/jvm"
	"replay/policy"
)

// tree is the FairScheduler's queues.
//
// Source: QueueManager.
type tree struct {
	f       *Scheduler
	root    *queue
	byName  map[string]*queue
	leaves  []*queue // in the order of their making
	pending []pendingQueue
	making  bool // the queues of a file are made, whose ranks follow
	kept    bool // root was to be removed
	dynamic bool // some queue may be
	limits  bool // some queue has had a largest container of its own
}

// pendingQueue is a queue of the allocation file that waits until a queue in its way is empty.
//
// Source: QueueManager.IncompatibleQueueRemovalTask.
type pendingQueue struct {
	name string
	leaf bool
}

const rootQueue = "root"

func newTree(f *Scheduler) *tree {
	t := &tree{f: f, byName: map[string]*queue{}}
	t.root = t.newQueue(rootQueue, nil, false)
	t.root.dynamic = false
	t.byName[rootQueue] = t.root
	return t
}

func (t *tree) newQueue(name string, parent *queue, leaf bool) *queue {
	q := &queue{name: name, parent: parent, leaf: leaf, dynamic: true, lastAtMin: t.f.now}
	t.dynamic = true
	q.Priority, q.idle, q.moved = 1, true, true
	if parent != nil {
		q.depth = parent.depth + 1
	}
	q.sharing = t.f.sharing(t.f.alloc.Settings(name).Policy)
	t.reinit(q, false)
	return q
}

// reinit sets what the allocation file says about a queue, its policy excepted.
//
// Source: FSQueue.reinit, AllocationConfiguration.initFSQueue.
func (t *tree) reinit(q *queue, recursive bool) {
	s := t.f.alloc.Settings(q.name)
	q.Weight, q.Min, q.max = s.Weight, s.Min, s.Max
	q.maxRunning, q.maxAMShare, q.maxContainer = s.MaxRunningApps, s.MaxAMShare, s.MaxContainer
	q.limits = !s.MaxContainer.Equal(t.f.unbounded)
	t.limits = t.limits || q.limits
	q.maxChild, q.hasMaxChild = s.MaxChild, s.HasMaxChild
	q.minTimeout, q.fairTimeout, q.threshold, q.preemptable = s.MinShareTimeout, s.FairShareTimeout, s.FairShareThreshold, !s.NonPreemptable
	if p := q.parent; p != nil {
		if q.minTimeout == -1 {
			q.minTimeout = p.minTimeout
		}
		if q.fairTimeout == -1 {
			q.fairTimeout = p.fairTimeout
		}
		if q.threshold < 0 {
			q.threshold = p.threshold
		}
		q.preemptable = q.preemptable && p.preemptable
	}
	t.f.setMaxShare(q)
	if recursive {
		for _, c := range q.children {
			t.reinit(c, true)
		}
	}
}

// submitTo returns the leaf that an application is submitted to, made if it is missing.
//
// Source: QueueManager.getLeafQueue.
func (t *tree) submitTo(name string) (*queue, error) {
	had := len(t.byName)
	q, err := t.get(name, true, true)
	if q != nil && len(t.byName) > had {
		t.recomputeSteady(t.root)
	}
	return q, err
}

// get returns the queue called name; with create set it is made when missing, with all above it that are missing.
// It is nil when it cannot be made; the error is YARN's exception about its name.
//
// Source: QueueManager.getQueue, createQueue.
func (t *tree) get(name string, create, leaf bool) (*queue, error) {
	name = conf.WithRoot(name)
	if q := t.byName[name]; q != nil || !create {
		return q, nil
	}
	missing := []string{name}
	var parent *queue
	for end := len(name); end >= 0; {
		dot := strings.LastIndexByte(name[:end], '.')
		part := name[dot+1 : end]
		if part == "" || part != conf.TrimQueueName(part) {
			return nil, &yarn.Exception{Class: "InvalidQueueNameException",
				Text: fmt.Sprintf("Illegal node name at offset %d for queue name %s", jvm.Units(name[:dot+1]), name)}
		}
		if dot < 0 {
			break
		}
		above := t.byName[name[:dot]]
		if above != nil {
			if !above.leaf {
				parent = above
			}
			break
		}
		missing = append(missing, name[:dot])
		end = dot
	}
	if parent == nil {
		return nil, nil
	}
	slices.Reverse(missing)
	return t.create(parent, missing, leaf), nil
}

// create makes the queues called names, each below the one before.
//
// Source: QueueManager.createNewQueues.
func (t *tree) create(parent *queue, names []string, leaf bool) (q *queue) {
	for i, name := range names {
		sharing := t.f.sharing(t.f.alloc.Settings(name).Policy)
		isLeaf := leaf && i == len(names)-1
		if !parent.sharing.Allows(sharing) || !isLeaf && !sharing.Parents() {
			return nil
		}
		q = t.newQueue(name, parent, isLeaf)
		if isLeaf {
			t.leaves = append(t.leaves, q)
		}
		if t.making {
			parent.attach(q)
		} else {
			parent.add(q)
		}
		t.f.touch()
		t.f.elision.changeAll()
		t.f.outdated.all = true
		if asLeaf, asParent := t.f.alloc.Declared(name); !asLeaf && !asParent && parent.hasMaxChild {
			q.max = parent.maxChild
			t.f.setMaxShare(q)
		}
		t.byName[name] = q
		parent = q
	}
	return q
}

// recomputeSteady divides the cluster among all queues, active or not.
//
// Source: FSParentQueue.recomputeSteadyShares.
func (t *tree) recomputeSteady(q *queue) {
	claims := t.f.queueClaims(q)
	for i, c := range q.children {
		claims[i].Share = c.steady
	}
	q.sharing.SteadyShares(q.steady, claims)
	for i, c := range q.children {
		c.steady = claims[i].Share
	}
	for _, c := range q.children {
		if !c.leaf {
			t.recomputeSteady(c)
		}
	}
}

// resize follows a change of the cluster's capacity.
func (t *tree) resize() {
	t.root.each(t.f.setMaxShare)
	t.root.steady = t.f.cluster.Capacity
	t.recomputeSteady(t.root)
}

// reload brings the tree in line with an allocation file that is in force already.
//
// Source: QueueManager.updateAllocationConfiguration.
func (t *tree) reload(a *conf.Allocations) {
	t.setPolicies(t.root)
	t.making = true
	for _, name := range a.Leaves {
		t.ensure(pendingQueue{name, true})
	}
	for _, name := range a.Parents {
		t.ensure(pendingQueue{name, false})
	}
	t.making = false
	t.root.each((*queue).rank)
	t.reinit(t.root, true)
	t.recomputeSteady(t.root)
}

// setPolicies sets the policies of the file from the bottom up and stops at the first that its parent does not allow.
//
// Source: FSQueue.verifyAndSetPolicyFromConf.
func (t *tree) setPolicies(q *queue) bool {
	sharing := t.f.sharing(t.f.alloc.Settings(q.name).Policy)
	for _, c := range q.children {
		if !sharing.Allows(t.f.sharing(t.f.alloc.Settings(c.name).Policy)) || !t.setPolicies(c) {
			return false
		}
	}
	q.sharing = sharing
	return true
}

// ensure makes a declared queue, once no queue of the other type is in its way.
//
// Source: QueueManager.ensureQueueExistsAndIsCompatibleAndIsStatic.
func (t *tree) ensure(p pendingQueue) {
	if blocked, removed := t.removeIncompatible(p); blocked && !removed {
		t.pending = append(t.pending, p)
		return
	}
	if q, err := t.get(p.name, true, p.leaf); err == nil && q != nil {
		q.dynamic = false
	}
}

// removeIncompatible removes the queue that stands where p or one of its ancestors should be, if it is empty.
//
// Source: QueueManager.removeEmptyIncompatibleQueues.
func (t *tree) removeIncompatible(p pendingQueue) (blocked, removed bool) {
	name := conf.WithRoot(p.name)
	if name == rootQueue || strings.HasPrefix(name, rootQueue+".default.") {
		return false, false
	}
	if q := t.byName[name]; q != nil {
		if q.leaf == p.leaf {
			return false, false
		}
		return true, t.removeIfEmpty(q)
	}
	for dot := strings.LastIndexByte(name, '.'); dot >= 0; dot = strings.LastIndexByte(name[:dot], '.') {
		if q := t.byName[name[:dot]]; q != nil && q.leaf {
			return true, t.removeIfEmpty(q)
		}
	}
	return false, false
}

func (t *tree) removeIfEmpty(q *queue) bool {
	if !q.empty() {
		return false
	}
	t.remove(q)
	return true
}

func (t *tree) remove(q *queue) {
	t.f.everything()
	same := func(o *queue) bool { return o == q }
	if q.leaf {
		t.leaves = slices.DeleteFunc(t.leaves, same)
	}
	for _, c := range slices.Clone(q.children) {
		t.remove(c)
	}
	if t.byName[q.name] == q {
		delete(t.byName, q.name)
	}
	q.parent.children = slices.DeleteFunc(q.parent.children, same)
	q.parent.changed, q.parent.moved = true, true
}

// setDynamic marks queues that are no longer declared, in the hash order of their names. The error is YARN's when one of
// them does not exist; those after it stay as they were.
//
// Source: QueueManager.setQueuesToDynamic.
func (t *tree) setDynamic(names *jvm.HashMap[string, bool]) error {
	for name := range names.All {
		q := t.byName[name]
		if q == nil {
			return &yarn.Exception{Class: "NullPointerException"}
		}
		q.dynamic, t.dynamic = true, true
	}
	return nil
}

// applyChildDefaults gives undeclared queues the maximum that their parent has for them.
//
// Source: FairScheduler.AllocationReloadListener.applyChildDefaults.
func (t *tree) applyChildDefaults(a *conf.Allocations) {
	t.root.each(func(q *queue) {
		if q.parent == nil || !q.parent.hasMaxChild {
			return
		}
		if leaf, parent := a.Declared(q.name); !leaf && !parent {
			q.max = q.parent.maxChild
			t.f.setMaxShare(q)
		}
	})
}

// cleanup removes dynamic queues without applications, then makes the declared queues that were waiting for it.
//
// Source: QueueManager.removeEmptyDynamicQueues, removePendingIncompatibleQueues.
func (t *tree) cleanup() {
	var all, parents []*queue
	if t.dynamic { // else none is there
		t.dynamic = false
		t.root.each(func(q *queue) {
			if q.dynamic {
				all, t.dynamic = append(all, q), true
			}
		})
	}
	for _, q := range all {
		if len(q.children) == 0 && !t.keeps(q) && t.removeIfEmpty(q) && q.parent.dynamic {
			parents = append(parents, q.parent)
		}
	}
	for ; len(parents) > 0; parents = parents[1:] {
		q := parents[0]
		if t.byName[q.name] == q && q.empty() && !t.keeps(q) {
			t.remove(q)
			if q.parent.dynamic {
				parents = append(parents, q.parent)
			}
		}
	}
	waiting := t.pending
	t.pending = nil
	for _, p := range waiting {
		blocked, removed := t.removeIncompatible(p)
		if blocked && !removed {
			t.pending = append(t.pending, p)
			continue
		}
		if !removed {
			continue
		}
		if q, err := t.get(p.name, true, p.leaf); err == nil && q != nil {
			if leaf, parent := t.f.alloc.Declared(p.name); leaf || parent {
				q.dynamic = false
			}
		}
	}
}

// keeps reports whether a queue that is empty is root, which stays: a reload that drops its element makes it dynamic, and YARN's own class fails at it.
//
// Source: QueueManager.removeEmptyDynamicQueues, removeQueue.
func (t *tree) keeps(q *queue) bool {
	if q == t.root && !t.kept {
		t.kept = true
		t.f.emit(yarn.Event{Kind: yarn.Averted, Text: "QueueManager.removeQueue throws a NullPointerException where root is to go, empty after a reload that does not declare it any more: " +
			"YARN's loader ends, and so does the ResourceManager at the next submission; root was kept"})
	}
	return q == t.root
}

// queueClaims are the children of q as claims on its share; valid until the next call.
func (f *Scheduler) queueClaims(q *queue) []policy.Claim {
	f.claims = appendClaims(f.claims[:0], q)
	return f.claims
}

func appendClaims(list []policy.Claim, q *queue) []policy.Claim {
	for _, c := range q.children {
		list = append(list, policy.Claim{
			Min: c.Min, Max: c.maxShare, Share: c.fair, Weight: c.Weight, Idle: c.numRunnable() <= 0,
		})
	}
	return list
}
