package capacity

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy"
	"replay/policy/resource"
)

// oneByOne is whom a pass lets run that looks at each application that waits, as AbstractLeafQueue.activateApplications does.
func oneByOne(q *queue) (let []protocol.AppID) {
	s := q.s
	amLimit := policy.AMLimit(s.calc, &q.limits, q.currentLimit)
	used, active, byUser := q.amUsed, len(q.activeApps), map[*user]resource.Resource{}
	var userLimit resource.Resource
	known := false
	for _, a := range q.pendingApps {
		alone := active == 0 || s.calc.Compare(q.lastCluster, used, resource.Resource{}, false) <= 0
		if !s.calc.Fits(a.am.Add(used), amLimit) && !alone {
			continue
		}
		if _, ok := byUser[a.user]; !ok {
			byUser[a.user] = a.user.amUsed
		}
		if !known {
			userLimit, known = policy.UserAMLimit(s.calc, q.lastCluster, &q.limits, q.users.numActive(), a.user.weight, amLimit), true
		}
		if !s.calc.Fits(a.am.Add(byUser[a.user]), userLimit) && !alone {
			continue
		}
		used, byUser[a.user] = used.Add(a.am), byUser[a.user].Add(a.am)
		active++
		let = append(let, a.ID)
	}
	return let
}

// TestActivate: a pass that ends early lets those run that one over all applications lets run, of users and masters of several sizes, under limits of every size.
func TestActivate(t *testing.T) {
	let, kept := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.s.AddNode(yarn.NodeSpec{ID: 0, Host: w.host(0), Rack: w.rack(0), Port: 8041, Total: resource.R(64<<10, 64)})
		q := w.s.byName["root.a"]
		waiting := func() (list []protocol.AppID) {
			for _, a := range q.pendingApps {
				list = append(list, a.ID)
			}
			return list
		}
		q.limits.UserFactor = 0.1
		for id := range protocol.AppID(rapid.IntRange(2, 30).Draw(t, "applications")) {
			err := w.s.AddApp(yarn.AppSpec{
				ID: id + 1, Queue: "root.a", User: fmt.Sprint("u", rapid.IntRange(0, 3).Draw(t, "user")), Priority: rapid.Int32Range(0, 1).Draw(t, "priority"),
				AMSize: resource.R(1024*rapid.Int64Range(1, 4).Draw(t, "memory"), rapid.Int64Range(1, 4).Draw(t, "vcores")),
			})
			if err != nil {
				t.Fatal(err)
			}
			w.s.AddAttempt(id + 1)
		}
		for range rapid.IntRange(1, 6).Draw(t, "passes") {
			if rapid.IntRange(0, 2).Draw(t, "ends") == 0 && len(q.activeApps) > 0 {
				w.s.RemoveApp(rapid.SampledFrom(q.activeApps).Draw(t, "which").ID)
			}
			q.currentLimit = resource.R(rapid.Int64Range(0, 64<<10).Draw(t, "limit"), rapid.Int64Range(0, 64).Draw(t, "limit of vcores"))
			q.limits.UserFactor = rapid.SampledFrom([]float32{-1, 0.1, 0.3, 1}).Draw(t, "factor")
			before, want := waiting(), oneByOne(q)
			q.activate()
			left := slices.DeleteFunc(slices.Clone(before), func(id protocol.AppID) bool { return slices.Contains(want, id) })
			if got := waiting(); !slices.Equal(got, left) {
				t.Fatalf("of %v these wait: %v, want %v", before, got, left)
			}
			let, kept = let+len(want), kept+len(left)
			checkAlike(t, q)
		}
	})
	if let == 0 || kept == 0 {
		t.Errorf("%d applications were let run and %d not: the limits are too tame", let, kept)
	}
}

// checkAlike compares what a queue counts of those that wait with these.
func checkAlike(t *rapid.T, q *queue) {
	users, sizes := map[*alike]int{}, map[*amSize]int{}
	for _, a := range q.pendingApps {
		if c := a.user.alike[a.am]; c != a.alike || c.size != q.amSizeOf[a.am] || q.amSizes[c.size.place] != c.size {
			t.Fatalf("application %d is not among those like it", a.ID)
		}
		users[a.alike]++
		sizes[a.alike.size]++
	}
	for c, n := range users {
		if c.n != n {
			t.Fatalf("%d applications of a user with masters of %v are counted, %d wait", c.n, c.size.am, n)
		}
	}
	for z, n := range sizes {
		if z.n != n {
			t.Fatalf("%d applications with masters of %v are counted, %d wait", z.n, z.am, n)
		}
	}
	if len(sizes) != len(q.amSizes) || len(sizes) != len(q.amSizeOf) {
		t.Fatalf("%d and %d sizes of masters are kept, want %d", len(q.amSizes), len(q.amSizeOf), len(sizes))
	}
}
