package capacity

import "replay/policy/resource"

// Peers are applications of one user that want the same of any place and have reserved the same: where a search comes to nothing but a count at one of them, it does at all.
type peers struct {
	peersKey
	n      int   // applications
	passed int64 // the latest search that came to nothing but a count at one of them
}

// peersKey is what peers have in common. Each of their reservations is of the size that is wanted.
type peersKey struct {
	size, reserved resource.Resource
	more           bool // they want more than they have reserved
}

// mostReserved is how many reservations an application among peers has at most: they are looked through before.
const mostReserved = 8

// joinPeers notes of an application at which the search came to nothing but a count of its key that others will be passed by for that, and the other way round, until something changes.
func (a *app) joinPeers(k *key) {
	s := a.q.s
	if s.literally || !s.keepLooking || a.Active()[0] != k.t || k.t.Located() || k.reserved.Len() > mostReserved || len(a.Bars) > 0 || a.HasBlacklist() {
		return
	}
	size := k.t.Any().Size
	by := peersKey{size: size, reserved: a.reserved, more: a.wantsMore(k, size)}
	if a.among == nil || k.peers.more != by.more {
		a.leavePeers()
		for _, c := range k.reserved.All {
			if c.Size != size {
				return
			}
		}
		a.among, k.peers = k, a.user.peersBy(by)
		k.peers.n++
	}
	k.peers.passed = s.searches
}

// leavePeers comes with each change of what [app.joinPeers] looks at, but for the one that [key.enough] tells.
func (a *app) leavePeers() {
	k := a.among
	if k == nil {
		return
	}
	if k.peers.n--; k.peers.n == 0 {
		delete(a.user.peers, k.peers.peersKey)
	}
	a.among, k.peers = nil, nil
}

func (u *user) peersBy(by peersKey) *peers {
	p := u.peers[by]
	if p == nil {
		if u.peers == nil {
			u.peers = map[peersKey]*peers{}
		}
		p = &peers{peersKey: by}
		u.peers[by] = p
	}
	return p
}

// passedBy does what an offer of this search's node would do, if it is known from a peer that this is nothing but a count, and reports whether it is.
func (a *app) passedBy() bool {
	k := a.among
	if k == nil || k.peers.passed != a.q.s.searches || a.headroomOf != a.user.account || a.user.look.refused ||
		!k.peers.more && k.rereserved >= k.enough.at {
		return false
	}
	k.t.Offers++
	if e := &a.q.s.elision; e.alike {
		e.counted = append(e.counted, k.t)
		if !k.peers.more {
			e.content = append(e.content, k)
		}
	}
	return true
}
