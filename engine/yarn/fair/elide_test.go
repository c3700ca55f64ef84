package fair

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// A player plays a random cluster, whose draws depend on nothing that it does.
type player struct {
	t     *testing.T
	r     *rand.Rand
	f     *Scheduler
	elide bool // execute the heartbeats and updates alone that the scheduler wants to have executed, and ask it by localities

	names  *protocol.Names
	nodes  []yarn.NodeSpec
	on     []bool // which are in the cluster
	silent []bool // of them, which send no heartbeats
	racks  int
	many   *protocol.Locality   // nine hosts in ten, of which others are what is left
	files  [2]*conf.Allocations // of queues

	apps      []*asking  // in their order
	most      int        // at a time
	largest   int        // container, in 512 MiB
	unlike    bool       // what is asked for under one key may be of several sizes, and counts need not fit together
	plain     bool       // all of which the number of offers is known
	more      *rand.Rand // draws what seeds from 70,000,000 on have beside the others: silent nodes, bars and continuous scheduling; nil for none
	submitted int
	batch     int // most containers that are asked for at a time

	h   int64 // the next heartbeat
	did []string

	// Of the player that elides:
	unasked bool       // heartbeats are executed although nobody wants them
	own     *rand.Rand // draws which
	next    int64      // what the scheduler has said of the next heartbeat
	wanted  int64      // how many of those that are executed
	surveys int64      // what they have cost
	paused  int64      // as of which change passes do nothing
}

// asking is an application that asks for containers.
type asking struct {
	id     protocol.AppID
	client *protocol.RelaxedClient
	size   [2]resource.Resource // by priority
	given  []protocol.ContainerID
	master bool // its master is waited for
	odd    bool // asks by names, some of which nobody else may serve
	keys   int  // how many priorities it asks at
}

var playedQueues = []string{
	``,
	`<queue name="a"><weight>3</weight></queue><queue name="b"/><queue name="c"><queue name="d"/><queue name="e"/></queue>`,
	`<queue name="a"><schedulingPolicy>fifo</schedulingPolicy></queue><queue name="b"><schedulingPolicy>drf</schedulingPolicy></queue>`,
	`<queue name="a"><maxResources>8192 mb,6 vcores</maxResources></queue><queue name="c"><maxResources>12288 mb,12 vcores</maxResources><queue name="d"/><queue name="e"/></queue>`,
	`<queue name="a"><maxAMShare>0.2</maxAMShare></queue><queue name="b"><maxAMShare>-1.0</maxAMShare><minResources>4096 mb,4 vcores</minResources></queue>`,
	`<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy><queue name="a"><weight>0</weight></queue><queue name="b"><minResources>2048 mb,0 vcores</minResources></queue>`,
	`<queue name="a"><maxRunningApps>2</maxRunningApps></queue><queue name="b"><weight>0</weight></queue><userMaxAppsDefault>4</userMaxAppsDefault>`,
	`<queue name="a"><minResources>6144 mb,6 vcores</minResources><minSharePreemptionTimeout>3</minSharePreemptionTimeout></queue><queue name="b"><weight>2</weight><fairSharePreemptionTimeout>4</fairSharePreemptionTimeout></queue><defaultFairSharePreemptionThreshold>0.9</defaultFairSharePreemptionThreshold>`,
}

// The first seeds of those with asks that no client makes, and of those that have more.
const (
	unlikeSeeds = 10_000
	fromMore    = 70_000_000
)

func play(t *testing.T, seed uint64, elide bool) *player {
	p := &player{paused: -1, t: t, r: rand.New(rand.NewPCG(seed, 2)), own: rand.New(rand.NewPCG(seed, 3)), elide: elide, names: protocol.NewNames()}
	r := p.r
	further, queues := seed < 1000 || seed >= unlikeSeeds, playedQueues // other seeds are from before there were further draws
	if !further {
		queues = queues[:7]
	}
	multiple := "2"
	if further {
		multiple = []string{"2", "2", "100"}[r.IntN(3)] // almost any container, or none, may be reserved
	}
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	keys := map[string]string{
		"yarn.resourcemanager.work-preserving-recovery.enabled":            pick("false", "true"),
		"yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "5000",
		"yarn.scheduler.increment-allocation-mb":                           "512",
		"yarn.scheduler.fair.assignmultiple":                               pick("false", "true"),
		"yarn.scheduler.fair.locality.threshold.node":                      pick("-1", "-1", "0.1", "0.6", "1.0"),
		"yarn.scheduler.fair.locality.threshold.rack":                      pick("-1", "0.2", "0.7"),
		"yarn.scheduler.reservation-threshold.increment-multiple":          multiple,
		"yarn.scheduler.fair.reservable-nodes":                             pick("0.05", "0.3", "1.0"),
		"yarn.scheduler.fair.preemption":                                   pick("false", "false", "false", "true"),
		"yarn.scheduler.fair.preemption.cluster-utilization-threshold":     "0.1",
		"yarn.scheduler.fair.sizebasedweight":                              pick("false", "false", "true"),
		"yarn.resourcemanager.rm.container-allocation.expiry-interval-ms":  "600000",
	}
	if seed >= fromMore {
		p.more = rand.New(rand.NewPCG(seed, 4))
		if p.more.IntN(3) == 0 {
			wait := []string{"-1", "1500", "6000"}
			keys["yarn.scheduler.fair.continuous-scheduling-enabled"] = "true"
			keys["yarn.scheduler.fair.locality-delay-node-ms"], keys["yarn.scheduler.fair.locality-delay-rack-ms"] = wait[p.more.IntN(3)], wait[p.more.IntN(3)]
		}
	}
	site, err := conf.NewSite(keys)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.files {
		if p.files[i], err = conf.ParseAllocations([]byte("<allocations>"+pick(queues...)+"</allocations>"), site); err != nil {
			t.Fatal(err)
		}
	}
	p.f, err = New(site, p.files[0], p.names, 1, func(e *yarn.Event) {
		p.did = append(p.did, fmt.Sprintf("heartbeat %d: %d of %v on node %d", p.h, e.Kind, e.Container.ID, e.Container.Node))
		if e.Kind == yarn.Allocated {
			if a := p.app(e.Container.ID.App); a != nil {
				a.given = append(a.given, e.Container.ID)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if !elide {
		p.f.Literally()
	}
	p.f.SetClock(2000)
	p.unasked = further
	n := 2 + r.IntN(16)
	p.racks, p.most = 1+r.IntN(4), 14
	if seed%4 == 3 { // enough for sets of nodes, and of names, that are treated as large
		n, p.racks, p.most = n+r.IntN(30), p.racks+r.IntN(10), 60
	}
	p.largest, p.plain, p.unlike = 3+r.IntN(6), seed%8 > 5, seed >= unlikeSeeds && seed < fromMore
	if p.batch = 5; further && seed%3 == 0 { // much of the same
		p.largest, p.batch = 1, 40
	}
	p.on, p.silent = make([]bool, n), make([]bool, n)
	var hosts []protocol.Name
	for i := range n {
		size := int64(1 + r.IntN(4))
		host := i
		if i > 0 && r.IntN(8) == 0 {
			host = i - 1 // two NodeManagers on it
		}
		s := yarn.NodeSpec{ID: protocol.NodeID(i), Host: p.names.Intern(fmt.Sprint("n", host)), Rack: p.names.Intern(fmt.Sprint("/r", host%p.racks)), Port: int32(100 + i), Total: resource.R(2048*size, 2*size)}
		p.nodes = append(p.nodes, s)
		if r.IntN(10) > 0 || i == 0 {
			hosts = append(hosts, s.Host)
		}
	}
	p.many = protocol.NewLocality(sorted(hosts), p.rackOf())
	ranks := make([]protocol.NodeID, n)
	for i, rank := range r.Perm(n) {
		ranks[rank] = protocol.NodeID(i)
	}
	p.f.Epoch(ranks)
	for rank, id := range ranks {
		if r.IntN(6) > 0 || rank == 0 {
			p.turn(id, rank)
		}
	}
	for range 40 {
		if !further || r.IntN(6) > 0 {
			for range 1 + r.IntN(3+p.most/4) {
				p.act(ranks)
			}
		}
		p.f.SetClock(p.f.now + 1000)
		if r.IntN(5) > 0 { // else heartbeats come before the next update
			p.update()
		}
		if p.f.site.Continuous {
			p.pass()
		}
		p.beats(ranks, p.h+1+r.Int64N(int64(3*n)))
	}
	return p
}

func (p *player) update() {
	if p.elide && !p.f.UpdateDue() {
		p.f.CreditUpdate(0)
		return
	}
	p.f.Update()
	if p.f.site.Preemption {
		p.f.Preempt()
		p.f.KillDue()
	}
}

// ask asks the scheduler for the next heartbeat that is to be executed, unless its last answer holds.
func (p *player) ask(end, nodes int64) {
	if p.next < p.h || !p.f.Still() {
		p.next = p.f.NextHeartbeat(p.h, end, max(end, p.h+nodes))
		p.surveyed()
	}
}

// pass is one of continuous scheduling.
func (p *player) pass() {
	if p.elide {
		if p.f.Changes() == p.paused {
			return
		}
		p.ask(p.h, int64(len(p.nodes))) // as of now
		if !p.f.PassDue() {
			p.paused = p.f.Changes()
			return
		}
	}
	p.f.ContinuousPass()
	p.pull()
}

func (p *player) rackOf() protocol.Racks {
	return protocol.RacksBy(func(host protocol.Name) protocol.Name {
		for i := range p.nodes {
			if p.nodes[i].Host == host {
				return p.nodes[i].Rack
			}
		}
		return p.names.Intern("/r0")
	})
}

func (p *player) app(id protocol.AppID) *asking {
	for _, a := range p.apps {
		if a.id == id {
			return a
		}
	}
	return nil
}

// beats has nodes send heartbeats up to one.
func (p *player) beats(ranks []protocol.NodeID, end int64) {
	for n := int64(len(ranks)); p.h < end; p.h++ {
		if p.elide {
			p.ask(end, n)
			next := min(p.next, end)
			if p.unasked && next > p.h && p.own.IntN(4) == 0 {
				next, p.next = p.h+p.own.Int64N(next-p.h), -1
			}
			p.f.CreditHeartbeats(p.h, next)
			if p.h = next; next == end {
				return
			}
		}
		id := ranks[p.h%n]
		if !p.on[id] || p.silent[id] {
			continue
		}
		if !p.elide || p.h == p.next {
			p.wanted++
		}
		p.f.NodeUpdate(id, nil, nil)
		p.surveyed()
		p.pull()
	}
}

// pull has masters hear of the containers that they are to run in.
func (p *player) pull() {
	for _, a := range p.apps {
		if a.master {
			if _, is := p.f.PullAM(a.id); is {
				a.master = false
			}
		}
	}
}

// surveyed adds up what a survey has cost, if there was one.
func (p *player) surveyed() {
	spent := &p.f.elision.costs.spent
	p.surveys, *spent = p.surveys+*spent, 0
}

// turn has a node join, or leave.
func (p *player) turn(id protocol.NodeID, rank int) {
	p.on[id], p.silent[id] = !p.on[id], false
	if p.on[id] {
		p.f.AddNode(p.nodes[id])
	} else {
		p.f.RemoveNode(id)
	}
	p.f.Beats(rank, p.on[id])
}

// hush has a node fall silent, which stays in the cluster, or speak again.
func (p *player) hush(id protocol.NodeID, rank int) {
	p.silent[id] = !p.silent[id]
	p.f.Beats(rank, !p.silent[id])
}

// act has one thing happen.
func (p *player) act(ranks []protocol.NodeID) {
	r := p.r
	if p.more != nil && p.more.IntN(40) == 0 {
		if rank := p.more.IntN(len(ranks)); p.on[ranks[rank]] {
			p.hush(ranks[rank], rank)
		}
	}
	k, draw := r.IntN(40), r.IntN(len(p.apps)+1)
	switch {
	case k == 0:
		rank := r.IntN(len(ranks))
		p.turn(ranks[rank], rank)
	case k == 1 && !p.plain:
		id, total := ranks[r.IntN(len(ranks))], resource.R(1024*int64(2+r.IntN(8)), int64(2+r.IntN(8)))
		if p.on[id] {
			p.nodes[id].Total = total
			p.f.SetNodeTotal(id, total)
		}
	case k == 2:
		if err := p.f.Reload(p.files[r.IntN(2)]); err != nil {
			p.did = append(p.did, err.Error()) // as of the real class, which stops halfway
		}
	case k < 10 && len(p.apps) < p.most:
		p.submit()
	case draw == len(p.apps):
	case k == 11 && p.unlike && len(p.apps[draw].given) > 0:
		p.f.Expire(p.apps[draw].given[0])
	case k == 10:
		p.f.RemoveApp(p.apps[draw].id)
		p.apps = append(p.apps[:draw:draw], p.apps[draw+1:]...)
	case !p.apps[draw].master:
		p.speak(p.apps[draw], ranks)
	}
}

func (p *player) submit() {
	r := p.r
	a := &asking{id: protocol.AppID(1 + p.submitted), client: protocol.NewRelaxedClient(p.names, p.f.TakesLocalities()), master: r.IntN(4) > 0, odd: r.IntN(5) == 0 && !p.plain}
	p.submitted++
	if a.keys = 1; r.IntN(6) == 0 && !p.plain {
		a.keys = 2
	}
	for i := range a.size {
		a.size[i] = resource.R(512*int64(1+r.IntN(p.largest)), int64(1+r.IntN(2)))
	}
	s := yarn.AppSpec{ID: a.id, User: fmt.Sprint("u", r.IntN(2)), Queue: []string{"root.a", "root.b", "root.c.d", "root.c.e"}[r.IntN(4)], Unmanaged: !a.master, AMSize: resource.R(1024, 1)}
	if p.more != nil && p.more.IntN(4) == 0 {
		for range 1 + p.more.IntN(3) {
			s.Bars = append(s.Bars, yarn.Bar{Container: int64(1 + p.more.IntN(8)), Node: protocol.NodeID(p.more.IntN(len(p.nodes))), Others: p.more.IntN(4) == 0})
		}
	}
	if err := p.f.AddApp(s); err != nil {
		return // as its queue can't be made in this file: the same for both players
	}
	p.f.AddAttempt(a.id)
	p.apps = append(p.apps, a)
	if a.master {
		p.allocate(a, &protocol.AllocateRequest{Asks: []protocol.Ask{{RequestID: -1, Name: protocol.Any, Count: 1, Size: s.AMSize, Relax: true}}})
	}
}

func (p *player) allocate(a *asking, req *protocol.AllocateRequest) {
	var resp protocol.AllocateResponse
	if err := p.f.Allocate(a.id, req, &resp); err != nil {
		p.did = append(p.did, err.Error())
	}
}

// speak is what an application asks for, gives back and wants no more of.
func (p *player) speak(a *asking, ranks []protocol.NodeID) {
	r := p.r
	var req protocol.AllocateRequest
	host, count, priority := p.nodes[r.IntN(len(p.nodes))], int32(1+r.IntN(p.batch)), int32(1+r.IntN(a.keys))
	size := a.size[priority-1]
	switch r.IntN(20) {
	case 0, 1, 2, 3, 4, 5: // which it gives back
		for range 1 + r.IntN(4) {
			if len(a.given) > 0 {
				i := r.IntN(len(a.given))
				req.Releases = append(req.Releases, a.given[i])
				a.given = append(a.given[:i:i], a.given[i+1:]...)
			}
		}
	case 6:
		if p.plain {
			break
		}
		req.BlacklistAdd = []protocol.Name{host.Host}
	case 7:
		req.BlacklistRemove = []protocol.Name{host.Host}
	default:
		if a.odd {
			strict := r.IntN(3) == 0
			count -= int32(r.IntN(2))
			for _, name := range []protocol.Name{host.Host, host.Rack, protocol.Any} {
				always := name == protocol.Any
				if p.unlike {
					if r.IntN(4) == 0 {
						size = resource.R(512*int64(1+r.IntN(p.largest)), int64(1+r.IntN(2)))
					}
					if r.IntN(6) == 0 {
						count = int32(r.IntN(p.batch))
					}
					always = always && r.IntN(8) > 0
				}
				if always || r.IntN(5) > 0 {
					req.Asks = append(req.Asks, protocol.Ask{Priority: priority, RequestID: -1, Name: name, Count: count, Size: size, Relax: name == host.Host || !strict})
				}
			}
			break
		}
		if groups := a.client.Groups(priority); len(groups) > 0 && r.IntN(3) == 0 {
			i := r.IntN(len(groups))
			a.client.Remove(priority, i, r.Int32N(groups[i].Count+1))
			break
		}
		a.client.Add(priority, size, p.place(), count)
	}
	if !a.odd {
		releases, add, remove := req.Releases, req.BlacklistAdd, req.BlacklistRemove
		a.client.Tell(&req)
		a.client.Told()
		req.Releases, req.BlacklistAdd, req.BlacklistRemove = releases, add, remove
	}
	p.allocate(a, &req)
}

// place is where a container is wanted: anywhere, on some hosts, or on all of many but for some.
func (p *player) place() *protocol.Locality {
	r := p.r
	var some []protocol.Name
	switch k := r.IntN(4); {
	case k == 0:
		return nil
	case k == 1:
		for host := range p.many.Hosts {
			if r.IntN(8) == 0 {
				some = append(some, host)
			}
		}
		if len(some) == 0 {
			return p.many
		}
		l := new(protocol.Locality)
		l.Rest(p.many, sorted(some), p.rackOf())
		return l
	}
	for range 1 + r.IntN(3) {
		some = append(some, p.nodes[r.IntN(len(p.nodes))].Host)
	}
	return protocol.NewLocality(sorted(some), p.rackOf())
}

func sorted(names []protocol.Name) []protocol.Name {
	slices.Sort(names)
	return slices.Compact(names)
}

// TestElisionDecidesAlike: with the heartbeats and updates alone that the scheduler wants to have executed, and some others, the same happens at the same heartbeats as with all of
// them, for less work.
func TestElisionDecidesAlike(t *testing.T) {
	var all, wanted, allVisits, visits, surveys int64
	// The named ones have found mutants that no other test had.
	seeds := []uint64{1005, 5407, 70_000_475, 70_000_663, 70_000_686, 70_000_813, 70_001_234, 70_005_108, 70_036_916}
	for seed := range uint64(400) {
		seeds = append(seeds, seed)
	}
	for seed := range uint64(100) {
		seeds = append(seeds, unlikeSeeds+seed, fromMore+seed)
	}
	for _, seed := range seeds {
		want, got := play(t, seed, false), play(t, seed, true)
		for i := range max(len(want.did), len(got.did)) {
			if i >= len(want.did) || i >= len(got.did) || got.did[i] != want.did[i] {
				t.Fatalf("seed %d: decision %d is not the same:\n%q, want\n%q", seed, i, got.did[i:min(i+2, len(got.did))], want.did[i:min(i+2, len(want.did))])
			}
		}
		if want.surveys > 0 {
			t.Fatalf("seed %d: the scheduler that executes all heartbeats has made a survey", seed)
		}
		if seed >= unlikeSeeds && seed < fromMore {
			continue
		}
		all, wanted = all+want.wanted, wanted+got.wanted
		allVisits, visits = allVisits+want.f.visits, visits+got.f.visits
		surveys += got.surveys
	}
	for _, work := range []struct {
		of        string
		much, all int64
		most      float64 // of all; less is welcome
	}{
		{"heartbeats wanted", wanted, all, 0.4116},
		{"visits of candidates", visits, allVisits, 0.2522},
		{"what surveys cost, in units of visits", surveys, allVisits, 0.2909},
	} {
		if share := float64(work.much) / float64(work.all); share > work.most {
			t.Errorf("%s: %.4f of the heartbeats or visits of the scheduler that is told of all heartbeats, want %v at most", work.of, share, work.most)
		}
	}
}
