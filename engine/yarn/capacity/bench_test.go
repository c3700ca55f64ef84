package capacity

import (
	"fmt"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// BenchmarkHeartbeat is a heartbeat of a full cluster in which one container ends on the node and one of many waiting
// applications gets its place.
func BenchmarkHeartbeat(b *testing.B) {
	for _, apps := range []int{10, 100, 1000} {
		for _, order := range []string{"fifo", "fair"} {
			b.Run(fmt.Sprintf("apps=%d/order=%s", apps, order), func(b *testing.B) { benchmarkHeartbeat(b, apps, order) })
		}
	}
}

func benchmarkHeartbeat(b *testing.B, apps int, order string) {
	const queues, nodes = 10, 500
	props := map[string]string{
		"yarn.scheduler.capacity.resource-calculator":         "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
		"yarn.scheduler.capacity.maximum-am-resource-percent": "1",
		"yarn.scheduler.capacity.root.queues":                 "q0",
	}
	for i := range queues {
		q := fmt.Sprintf("yarn.scheduler.capacity.root.q%d.", i)
		if i > 0 {
			props["yarn.scheduler.capacity.root.queues"] += fmt.Sprintf(",q%d", i)
		}
		props[q+"capacity"] = "10"
		props[q+"user-limit-factor"] = "10"
		props[q+"ordering-policy"] = order
	}
	site, err := conf.NewSite(props)
	if err != nil {
		b.Fatal(err)
	}
	site.WorkPreservingRecovery = false
	cfg, err := conf.NewCapacity(props, site)
	if err != nil {
		b.Fatal(err)
	}
	var made []protocol.Container
	names := protocol.NewNames()
	s := New(site, cfg, names, 0, func(e *yarn.Event) {
		if e.Kind == yarn.Allocated {
			made = append(made, e.Container)
		}
	})
	for i := range nodes {
		s.AddNode(yarn.NodeSpec{
			ID: protocol.NodeID(i), Host: names.Intern(fmt.Sprint("h", i)), Rack: names.Intern(fmt.Sprint("/r", i%20)),
			Port: 8041, Total: resource.R(16<<10, 16),
		})
	}
	var out protocol.AllocateResponse
	for i := range apps {
		id := protocol.AppID(i + 1)
		if err := s.AddApp(yarn.AppSpec{ID: id, User: fmt.Sprint("u", i%7), Queue: fmt.Sprintf("root.q%d", i%queues)}); err != nil {
			b.Fatal(err)
		}
		s.AddAttempt(id)
		if err := s.Allocate(id, &protocol.AllocateRequest{Asks: []protocol.Ask{
			{Priority: 1, Name: protocol.Any, Count: 1 << 30, Size: resource.R(1024, 1), Relax: true},
		}}, &out); err != nil {
			b.Fatal(err)
		}
	}
	running := make([][]protocol.ContainerID, nodes)
	beat := func(n int, ended []protocol.Status) {
		made = made[:0]
		s.NodeUpdate(protocol.NodeID(n), nil, ended)
		for _, c := range made {
			running[n] = append(running[n], c.ID)
		}
	}
	for range 16 {
		for n := range nodes {
			beat(n, nil)
		}
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		ended := []protocol.Status{{ID: running[n][0]}}
		running[n] = append(running[n][:0], running[n][1:]...)
		beat(n, ended)
		if len(made) != 1 {
			b.Fatalf("%d containers allocated, want 1", len(made))
		}
		n = (n + 1) % nodes
	}
}
