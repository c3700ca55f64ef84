package yarn

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"replay/bench/conform/golden"
	"replay/engine/protocol"
	"replay/policy/resource"
)

// amrmClient are calls of an application master's table of asks.
//
// Source: org.apache.hadoop.yarn.client.api.impl.AMRMClientImpl.
var amrmClient = golden.Kind{
	Name:  "yarn AMRMClient",
	Of:    golden.AnswersOf("AMRMClientImpl"),
	Match: func(_ string, first golden.Shape) bool { return first.Has("topology", "ops") },
	Run:   golden.Cases(runAMRMClient),
}

type amrmCase struct {
	ID       int
	Topology map[string]string
	Ops      []amrmOp
}

type amrmOp struct {
	Op           string
	K            int
	Pri          int32
	Mem, VC      int64
	Nodes, Racks []string
	Relax        bool
	ARID         int64
	Err, Msg, At string
	Fail         bool
	Ask          [][]any
	Release      []int64
	BlAdd        []string `json:"bl_add"`
	BlRem        []string `json:"bl_rem"`
	Loc          string
	Res          [][]int
	Add, Rem     []string
	CID          int64
}

// amrmRun is a client with its requests by number.
type amrmRun struct {
	names    *protocol.Names
	client   *protocol.Client
	requests map[int]*protocol.ContainerRequest
	number   map[*protocol.ContainerRequest]int
	call     protocol.AllocateRequest
}

func runAMRMClient(c *amrmCase, out *golden.Results) {
	r := &amrmRun{
		names:    protocol.NewNames(),
		requests: map[int]*protocol.ContainerRequest{},
		number:   map[*protocol.ContainerRequest]int{},
	}
	r.client = protocol.NewClient(r.names, protocol.RacksBy(func(n protocol.Name) protocol.Name {
		if rack, ok := c.Topology[r.names.Text(n)]; ok {
			return r.names.Intern(rack)
		}
		return r.names.Intern("/default-rack")
	}))
	for i := range c.Ops {
		got, want, err := r.do(&c.Ops[i])
		if err != nil {
			out.AddUnsupported(fmt.Sprint(c.ID), err.Error())
			return
		}
		if !reflect.DeepEqual(got, want) {
			out.AddDifferent(golden.Difference{Case: fmt.Sprint(c.ID), Event: i, Expected: want, Got: got, State: c.Ops[i].Op})
			return
		}
	}
	out.AddEqual()
}

// do runs one operation and returns its answers, ours and the recorded ones.
func (r *amrmRun) do(op *amrmOp) (got, want any, err error) {
	switch op.Op {
	case "add":
		q := &protocol.ContainerRequest{
			Priority: op.Pri, RequestID: op.ARID, Size: resource.R(op.Mem, op.VC),
			Nodes: r.intern(op.Nodes), Racks: r.intern(op.Racks), Relax: op.Relax,
		}
		e := &protocol.RequestError{}
		errors.As(r.client.Add(q), &e)
		if op.At != "construct" {
			r.requests[op.K], r.number[q] = q, op.K
		}
		answer := []string{e.Class}
		if op.Msg != "" {
			answer = append(answer, e.Text)
			return answer, []string{op.Err, op.Msg}, nil
		}
		return answer, []string{op.Err}, nil
	case "remove":
		if q := r.requests[op.K]; q != nil {
			r.client.Remove(q)
		}
	case "allocate":
		r.client.Build(&r.call)
		got = r.sent()
		if op.Fail {
			r.client.Failed(&r.call)
		}
		return got, amrmCall{op.Ask, op.Release, op.BlAdd, op.BlRem}, nil
	case "match":
		found := [][]int{}
		for _, m := range r.client.Matching(op.Pri, r.names.Intern(op.Loc), resource.R(op.Mem, op.VC), nil) {
			var list []int
			for q := range m.All {
				list = append(list, r.number[q])
			}
			found = append(found, list)
		}
		return found, op.Res, nil
	case "blacklist":
		r.client.UpdateBlacklist(r.intern(op.Add), r.intern(op.Rem))
	case "release":
		r.client.Release(protocol.ContainerID{App: 1, N: op.CID})
	default:
		return nil, nil, fmt.Errorf("operation %q", op.Op)
	}
	return nil, nil, nil
}

// amrmCall is what a heartbeat carries, asks as rows of the vectors.
type amrmCall struct {
	Ask          [][]any
	Release      []int64
	BlAdd, BlRem []string
}

func (r *amrmRun) sent() amrmCall {
	c := amrmCall{Ask: [][]any{}, Release: []int64{}, BlAdd: r.texts(r.call.BlacklistAdd), BlRem: r.texts(r.call.BlacklistRemove)}
	for _, a := range r.call.Asks {
		relax := 0.0
		if a.Relax {
			relax = 1
		}
		c.Ask = append(c.Ask, []any{
			float64(a.Priority), r.names.Text(a.Name), float64(a.Count),
			float64(a.Size[resource.Memory]), float64(a.Size[resource.VCores]), relax, float64(a.RequestID),
		})
	}
	for _, id := range r.call.Releases {
		c.Release = append(c.Release, id.N)
	}
	return c
}

func (r *amrmRun) intern(list []string) (out []protocol.Name) {
	for _, s := range list {
		out = append(out, r.names.Intern(s))
	}
	return out
}

// texts returns the names sorted: sets in the client.
func (r *amrmRun) texts(list []protocol.Name) []string {
	out := []string{}
	for _, n := range list {
		out = append(out, r.names.Text(n))
	}
	slices.Sort(out)
	return out
}
