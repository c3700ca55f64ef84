package fair

import (
	"fmt"
	"slices"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// Nodes that are registered at one time leave queues as they are after nodes that come one by one.
func TestNodesAtOnce(t *testing.T) {
	for _, policy := range []string{"fair", "drf"} {
		states := func(add func(*Scheduler, []yarn.NodeSpec)) (list []yarn.QueueState) {
			site, err := conf.NewSite(nil)
			if err != nil {
				t.Fatal(err)
			}
			alloc, err := conf.ParseAllocations([]byte(`<allocations><defaultQueueSchedulingPolicy>`+policy+`</defaultQueueSchedulingPolicy>
<queue name="a"><weight>3</weight><minResources>4096 mb,4 vcores</minResources></queue><queue name="b"><maxResources>30%</maxResources></queue>
<queue name="c" type="parent"><queue name="d"/><queue name="e"><weight>0.5</weight></queue></queue></allocations>`), site)
			if err != nil {
				t.Fatal(err)
			}
			names := protocol.NewNames()
			f, err := New(site, alloc, names, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			var specs []yarn.NodeSpec
			for i := range 7 {
				specs = append(specs, yarn.NodeSpec{ID: protocol.NodeID(i), Host: names.Intern(fmt.Sprint("h", i)), Rack: names.Intern("/r"), Total: resource.R(int64(4000+i*1000), int64(3+i))})
			}
			add(f, specs)
			f.Update()
			f.Queues(func(s *yarn.QueueState) { list = append(list, *s) })
			return list
		}
		atOnce := states(func(f *Scheduler, specs []yarn.NodeSpec) { f.AddNode(specs...) })
		oneByOne := states(func(f *Scheduler, specs []yarn.NodeSpec) {
			for _, s := range specs {
				f.AddNode(s)
			}
		})
		if !slices.Equal(atOnce, oneByOne) {
			t.Errorf("%s: queues are\n%+v\nwant\n%+v", policy, atOnce, oneByOne)
		}
	}
}
