package protocol

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"replay/policy"
)

type clientOp struct {
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

func TestClientVectors(t *testing.T) {
	f, err := os.Open(filepath.Join(goldenDir(t), "amrm_client.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<26)
	n := 0
	for lines.Scan() {
		var v struct {
			ID       int
			Topology map[string]string
			Ops      []clientOp
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		run(t, v.ID, v.Topology, v.Ops)
		n++
	}
	if err := lines.Err(); err != nil || n == 0 {
		t.Fatalf("%d vectors, %v", n, err)
	}
}

func goldenDir(t *testing.T) string {
	full := filepath.Join("..", "..", "..", "shared", "golden", "yarn")
	if _, err := os.Stat(full); err == nil {
		return full
	}
	t.Log("the full set of vectors is not here: comparing the part in testdata")
	return "testdata"
}

func run(t *testing.T, id int, topology map[string]string, ops []clientOp) {
	names := NewNames()
	c := NewClient(names, func(n Name) Name {
		if r, ok := topology[names.Text(n)]; ok {
			return names.Intern(r)
		}
		return names.Intern("/default-rack")
	})
	intern := func(list []string) (out []Name) {
		for _, s := range list {
			out = append(out, names.Intern(s))
		}
		return out
	}
	texts := func(list []Name) []string {
		out := []string{}
		for _, n := range list {
			out = append(out, names.Text(n))
		}
		slices.Sort(out)
		return out
	}
	requests := map[int]*ContainerRequest{}
	number := map[*ContainerRequest]int{}
	var call AllocateRequest
	for i, op := range ops {
		differ := func(what string, got, want any) {
			t.Helper()
			if !reflect.DeepEqual(got, want) {
				t.Errorf("case %d, operation %d (%s): %s is %v, want %v", id, i, op.Op, what, got, want)
			}
		}
		switch op.Op {
		case "add":
			r := &ContainerRequest{Priority: op.Pri, RequestID: op.ARID, Size: policy.R(op.Mem, op.VC), Nodes: intern(op.Nodes), Racks: intern(op.Racks), Relax: op.Relax}
			requests[op.K], number[r] = r, op.K
			err := c.Add(r)
			var e *RequestError
			if !errors.As(err, &e) {
				e = &RequestError{}
			}
			differ("exception", e.Class, op.Err)
			if op.Msg != "" {
				differ("message", e.Text, op.Msg)
			}
			if op.At == "construct" {
				delete(requests, op.K)
			}
		case "remove":
			if r := requests[op.K]; r != nil {
				c.Remove(r)
			}
		case "allocate":
			c.Build(&call)
			asks := [][]any{}
			for _, a := range call.Asks {
				relax := 0.0
				if a.Relax {
					relax = 1
				}
				asks = append(asks, []any{float64(a.Priority), names.Text(a.Name), float64(a.Count), float64(a.Size[0]), float64(a.Size[1]), relax, float64(a.RequestID)})
			}
			differ("ask", asks, op.Ask)
			released := []int64{}
			for _, id := range call.Releases {
				released = append(released, id.N)
			}
			differ("release", released, op.Release)
			differ("blacklist additions", texts(call.BlacklistAdd), op.BlAdd)
			differ("blacklist removals", texts(call.BlacklistRemove), op.BlRem)
			if op.Fail {
				c.Failed(&call)
			}
		case "match":
			got := [][]int{}
			for _, m := range c.Matching(op.Pri, names.Intern(op.Loc), policy.R(op.Mem, op.VC), nil) {
				list := []int{}
				for r := range m.All {
					list = append(list, number[r])
				}
				if len(list) != m.Len() || number[m.First()] != list[0] {
					t.Errorf("case %d, operation %d: Len %d and First do not fit %v", id, i, m.Len(), list)
				}
				got = append(got, list)
			}
			differ("matches", got, op.Res)
		case "blacklist":
			c.UpdateBlacklist(intern(op.Add), intern(op.Rem))
		case "release":
			c.Release(ContainerID{App: 1, N: op.CID})
		default:
			t.Fatalf("case %d: unknown operation %q", id, op.Op)
		}
	}
}
