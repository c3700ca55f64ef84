package allocator

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replay/engine/protocol"
	"replay/engine/spark"
	"replay/policy"
	"replay/policy/resource"
)

// dense hides that a placement is a [policy.SparsePlacement].
type dense struct{ policy.Placement }

// counting counts the answers of a placement about all hosts but some at once, without and with pending requests.
type counting struct {
	policy.SparsePlacement
	said *[2]int
}

func (c counting) SparseRequests(n int, h *policy.SparseHints) (int, []int32, bool) {
	local, without, ok := c.SparsePlacement.SparseRequests(n, h)
	if ok && local > 0 && len(without) > 0 {
		c.said[min(h.Pending, 1)]++
	}
	return local, without, ok
}

// racksInTurn are four racks, whose hosts take turns; some hosts, or all, are known to have one with a number.
type racksInTurn struct {
	protocol.RacksBy
	of []uint16
}

func (r racksInTurn) RackNumbers() (of []uint16, racks []protocol.Name) {
	return r.of, []protocol.Name{13, 14, 15, 16}
}

// Asks that are made without a look at each host are those that are made with one: request by request, and as the ResourceManager is told.
func TestSparseAsks(t *testing.T) {
	var said [2]int
	for range 20 { // most often once is enough
		rapid.Check(t, func(t *rapid.T) { sparseAsks(t, &said) })
		if said[0] > 0 && said[1] > 0 {
			return
		}
	}
	t.Errorf("%d asks without and %d with pending requests were made without a look at each host, want some", said[0], said[1])
}

func sparseAsks(t *rapid.T, said *[2]int) {
	const hosts = 12
	var masters [2]*testMaster
	var logs [2][]string
	racks := racksInTurn{func(h protocol.Name) protocol.Name { return 1 + hosts + (h-1)%4 }, make([]uint16, 1+hosts+4)}
	for h := range rapid.SampledFrom([]int{0, hosts / 2, hosts}).Draw(t, "hosts with a number") {
		racks.of[1+h] = uint16(1 + h%4)
	}
	for i := range masters {
		p, err := policy.NewPlacement(policy.DefaultPlacement)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			p = counting{p.(policy.SparsePlacement), said}
		} else {
			p = dense{p}
		}
		m := &testMaster{names: protocol.NewNames()}
		for h := range hosts {
			m.names.Intern(fmt.Sprintf("h%02d", h))
		}
		for r := range 4 {
			m.names.Intern(fmt.Sprintf("r%d", r))
		}
		m.Allocator = New(Setup{
			Conf: testConf(t, map[string]string{"spark.executor.instances": "0"}), Names: m.names, Placement: p, Localities: true, Instant: true,
			Racks:    racks,
			Profiles: []ExecutorProfile{{resource.R(1408, 2), 2}},
		})
		m.OnRequest = func(_ int32, req *protocol.ContainerRequest, added bool) {
			logs[i] = append(logs[i], fmt.Sprint(added, req.Nodes, req.Racks))
		}
		masters[i] = m
	}
	var hints []spark.HostTasks
	var live []int64
	for step := range int64(rapid.IntRange(1, 30).Draw(t, "steps")) {
		if step == 0 || rapid.IntRange(0, 11).Draw(t, "other hints") == 0 {
			hints = nil
			most := rapid.IntRange(1, 2).Draw(t, "most tasks")
			for h := range protocol.Name(hosts) {
				if n := rapid.IntRange(0, most).Draw(t, "tasks"); n > 0 {
					hints = append(hints, on(1+h, n))
				}
			}
			hints = rapid.Permutation(hints).Draw(t, "order of the hints")
		}
		total, tasks := rapid.IntRange(0, 9).Draw(t, "total"), rapid.IntRange(1, 40).Draw(t, "local tasks")
		granted := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) protocol.Name { return protocol.Name(rapid.IntRange(1, hosts).Draw(t, "host")) }), 0, 4).Draw(t, "granted")
		var ends []protocol.Status
		if len(live) > 0 && rapid.Bool().Draw(t, "end") {
			i := rapid.IntRange(0, len(live)-1).Draw(t, "which")
			ends = append(ends, masters[0].end(live[i], 0))
			live = slices.Delete(live, i, i+1)
		}
		var told [2]string
		for i, m := range masters {
			m.want(step, total, spark.StageHints{LocalTasks: tasks, Hosts: hints})
			m.beat(step, granted, ends...)
			told[i] = fmt.Sprint(m.req.Asks, m.req.Releases)
			for _, g := range m.out.Grants {
				told[i] += fmt.Sprint(" ", g.Container.ID.N, g.Match)
			}
		}
		for _, l := range masters[0].out.Launches {
			live = append(live, l.Container.N)
		}
		if d := cmp.Diff(logs[1], logs[0]) + cmp.Diff(told[1], told[0]); d != "" {
			t.Fatalf("step %d (-each host looked at +sparsely)\n%s", step, d)
		}
	}
}
