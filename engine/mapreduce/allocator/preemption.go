package allocator

import (
	"cmp"
	"slices"

	"replay/engine/protocol"
	"replay/policy/resource"
)

// Preemption is a policy for messages of the ResourceManager that it wants containers back.
type Preemption uint8

// The policies.
const (
	// PreemptNothing leaves it to the ResourceManager. Source: NoopAMPreemptionPolicy.
	PreemptNothing Preemption = iota
	// PreemptKill kills each attempt that is named. Source: KillAMPreemptionPolicy.
	PreemptKill
	// PreemptCheckpoint marks reduces to be stopped at a checkpoint. Source: CheckpointAMPreemptionPolicy.
	PreemptCheckpoint
)

// A PreemptionMessage names containers that the ResourceManager will take back (Strict), and amounts that it wants back, with containers it would choose.
type PreemptionMessage struct {
	Strict     []protocol.ContainerID
	Containers []protocol.ContainerID
	Requests   []PreemptionRequest
}

// A PreemptionRequest is an amount wanted back at a place.
type PreemptionRequest struct {
	Name  protocol.Name
	Count int32
	Size  resource.Resource
}

// policy is the state of the checkpointing one.
type policy struct {
	kind   Preemption
	marked map[Attempt]bool
	chosen map[Attempt]resource.Resource // marked for an amount, not by name
}

// Marked are the attempts to be stopped at their next checkpoint, in no order.
func (a *Allocator) Marked() (list []Attempt) {
	for at := range a.policy.marked {
		list = append(list, at)
	}
	return list
}

func (p *policy) completed(at Attempt) {
	delete(p.marked, at)
	delete(p.chosen, at)
}

func (p *policy) failed(at Attempt) { delete(p.marked, at) }

func (a *Allocator) preempt(m *PreemptionMessage) error {
	switch a.policy.kind {
	case PreemptKill:
		for _, id := range slices.Concat(m.Strict, m.Containers) {
			at, ok := a.assigned.byContainer[id]
			if !ok {
				return ErrNull
			}
			a.tell(Event{Kind: PreemptionKill, Attempt: at})
		}
	case PreemptCheckpoint:
		a.checkpoint(m)
	}
	return nil
}

// checkpoint marks reduces: those that are named, and for an amount wanted anywhere the ones with the highest container numbers. An amount is less what was
// marked for earlier ones, and what is wanted now is taken off that as Hadoop does it: by what is left to mark.
func (a *Allocator) checkpoint(m *PreemptionMessage) {
	p := &a.policy
	if p.marked == nil {
		p.marked, p.chosen = map[Attempt]bool{}, map[Attempt]resource.Resource{}
	}
	for _, id := range m.Strict {
		if at, ok := a.assigned.byContainer[id]; ok && at.Reduce {
			p.marked[at] = true
		}
	}
	if len(m.Containers) == 0 {
		return
	}
	var memory, cores int32
	for _, r := range p.chosen {
		memory += int32(r[resource.Memory])
		cores += int32(r[resource.VCores])
	}
	for _, r := range m.Requests {
		if r.Name != protocol.Any {
			continue
		}
		wantMemory := int64(r.Count) * r.Size[resource.Memory]
		wantCores := r.Count * int32(r.Size[resource.VCores])
		if memory > 0 {
			wantMemory -= int64(memory)
			memory -= int32(wantMemory)
		}
		if cores > 0 {
			wantCores -= cores
			cores -= wantCores
		}
		var list []*protocol.Container
		for _, c := range a.assigned.reduces.all {
			list = append(list, c)
		}
		slices.SortStableFunc(list, func(x, y *protocol.Container) int { return cmp.Compare(y.ID.N, x.ID.N) })
		for _, c := range list {
			if wantMemory <= 0 && wantCores <= 0 {
				break
			}
			if at := a.assigned.byContainer[c.ID]; !p.marked[at] {
				wantMemory -= c.Size[resource.Memory]
				wantCores -= int32(c.Size[resource.VCores])
				p.marked[at] = true
				p.chosen[at] = c.Size
			}
		}
	}
}
