package yarn

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"replay/bench/conform/golden"
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// play makes one call and compares its outcome. The error says that the run cannot be played further.
func (r *schedulerRun) play(e *runEvent) (*golden.Difference, error) {
	r.records = r.records[:0]
	var member string
	var want, got any
	var err error
	if own := r.calls[e.E]; own != nil {
		member, want, got, err = own(e)
	} else {
		member, want, got, err = r.call(e)
	}
	if err != nil {
		return nil, err
	}
	if member == "" {
		member, want, got = "o", r.orderRecords(e.E, e.O), r.orderRecords(e.E, r.records)
		if same(want, got) {
			return nil, nil
		}
	}
	return &golden.Difference{Expected: map[string]any{member: want}, Got: map[string]any{member: got}}, nil
}

// playLast plays the call that ends a run with an error, which has part of its effects. An application master's has to be an error here too;
// any other one would have ended the ResourceManager and is not made.
func (r *schedulerRun) playLast(e *runEvent) (*golden.Difference, error) {
	if e.E != "alloc" {
		return nil, nil
	}
	member, want, got, err := r.allocate(e)
	if member != "err" {
		return nil, err
	}
	return &golden.Difference{Expected: map[string]any{member: want}, Got: map[string]any{member: got}}, nil
}

// call makes the calls that all schedulers have.
func (r *schedulerRun) call(e *runEvent) (member string, want, got any, err error) {
	switch e.E {
	case "clock":
		r.s.SetClock(e.T)
	case "node_add":
		port := int32(8041)
		if e.Port != nil {
			port = *e.Port
		}
		r.s.AddNode(yarn.NodeSpec{
			ID: r.Node(e.N), Host: r.Names.Intern(e.N), Rack: r.Names.Intern(e.Rack), Port: port,
			Total: golden.Size(append([]int64{e.Mem, e.VC}, e.X...)),
		})
	case "node_rm":
		r.s.RemoveNode(r.Node(e.N))
		delete(r.ends, r.Node(e.N))
	case "node_res":
		r.s.SetNodeTotal(r.Node(e.N), golden.Size(append([]int64{e.Mem, e.VC}, e.X...)))
		if e.Timeout != nil { // of a draining node
			r.ends[r.Node(e.N)] = true
			r.endExcess(e)
		}
	case "app_add":
		err := r.s.AddApp(yarn.AppSpec{ID: protocol.AppID(e.A), User: e.U, Queue: e.Queue, AMSize: golden.Size(e.AM), Priority: e.Pri})
		var rejected *yarn.Rejection
		if errors.As(err, &rejected) {
			r.records = append(r.records, []any{"X", int64(rejected.App)})
		} else if err != nil {
			return "", nil, nil, err
		}
	case "att_add":
		r.s.AddAttempt(protocol.AppID(e.A))
	case "alloc":
		return r.allocate(e)
	case "am_pull":
		var ids []any
		if c, ok := r.s.PullAM(protocol.AppID(e.A)); ok {
			ids = append(ids, c.ID.N)
		}
		if !same(e.Got, ids) {
			return "got", e.Got, ids, nil
		}
	case "hb":
		return "", nil, nil, r.heartbeat(e)
	case "update":
		r.s.Update()
	case "largest":
		for _, row := range e.Max {
			most := r.s.MaxAllocation(row[0].(string)).Clone()
			if got := append([]any{row[0]}, r.all(most)...); !same(row, got) {
				return "max", row, got, nil
			}
		}
	case "drain":
		if d, ok := r.s.(yarn.Decommissioner); ok {
			d.Decommissioning(r.Node(e.N), e.Up)
		}
	case "att_rm":
		r.s.RemoveAttempt(protocol.AppID(e.A))
	case "app_rm":
		r.s.RemoveApp(protocol.AppID(e.A))
	case "expire":
		var n int64
		if err := json.Unmarshal(e.C, &n); err != nil {
			return "", nil, nil, err
		}
		id := protocol.ContainerID{App: protocol.AppID(e.A), N: n}
		if !e.Up {
			r.s.Expire(id)
		} else if resizer, ok := r.s.(yarn.Resizer); ok {
			resizer.ExpireIncrease(id)
		} else {
			return "", nil, nil, errors.New("the scheduler does not resize")
		}
	default:
		return "", nil, nil, fmt.Errorf("no call for the event %q", e.E)
	}
	return "", nil, nil, nil
}

func (r *schedulerRun) heartbeat(e *runEvent) error {
	var launched []protocol.ContainerID
	for _, l := range e.L {
		launched = append(launched, protocol.ContainerID{App: protocol.AppID(l[0]), N: l[1]})
	}
	var rows [][]int64
	if len(e.C) > 0 {
		if err := json.Unmarshal(e.C, &rows); err != nil {
			return err
		}
	}
	var ended []protocol.Status
	for _, c := range rows {
		ended = append(ended, protocol.Status{ID: protocol.ContainerID{App: protocol.AppID(c[0]), N: c[1]}, Exit: int32(c[2])})
	}
	if len(e.I) > 0 {
		resizer, ok := r.s.(yarn.Resizer)
		if !ok {
			return errors.New("the scheduler does not resize")
		}
		var done []protocol.Container
		for _, i := range e.I {
			done = append(done, protocol.Container{
				ID: protocol.ContainerID{App: protocol.AppID(i[0]), N: i[1]}, Size: golden.Size(i[2:]),
			})
		}
		resizer.NodeResized(r.Node(e.N), done)
	}
	s, ends := r.s.(yarn.Overcommitter)
	if !ends || !r.ends[r.Node(e.N)] {
		r.s.NodeUpdate(r.Node(e.N), launched, ended)
		return nil
	}
	s.EndExcess(s.OvercommittedUpdate(r.Node(e.N), launched, ended))
	return nil
}

// endExcess ends containers of the node for which it has no room, if it has an overcommit timeout of 0.
func (r *schedulerRun) endExcess(e *runEvent) {
	if s, ends := r.s.(yarn.Overcommitter); ends && r.ends[r.Node(e.N)] {
		s.EndExcess(s.Excess(r.Node(e.N)))
	}
}

// allocate makes an application master's call and compares what it gets.
func (r *schedulerRun) allocate(e *runEvent) (member string, want, got any, err error) {
	in := protocol.AllocateRequest{BlacklistAdd: r.Intern(e.Add), BlacklistRemove: r.Intern(e.Rem)}
	for i, a := range e.Ask {
		ask := protocol.Ask{
			Priority: int32(whole(a[0])), RequestID: -1, Name: r.Names.Intern(a[1].(string)), Count: int32(whole(a[2])),
			Size: resource.R(whole(a[3]), whole(a[4])), Relax: whole(a[5]) == 1,
		}
		for i, v := range a[6:] {
			ask.Size[2+i] = whole(v)
		}
		if i < len(e.IDs) {
			ask.RequestID = e.IDs[i]
		}
		in.Asks = append(in.Asks, ask)
	}
	id := func(n int64) protocol.ContainerID { return protocol.ContainerID{App: protocol.AppID(e.A), N: n} }
	for _, n := range e.Rel {
		in.Releases = append(in.Releases, id(n))
	}
	for _, u := range e.Upd {
		update := protocol.Update{
			Container: id(whole(u[0])), Version: int32(whole(u[1])), Increase: u[2] == "I",
			Size: resource.R(whole(u[3]), whole(u[4])),
		}
		for i, v := range u[5:] {
			update.Size[2+i] = whole(v)
		}
		in.Updates = append(in.Updates, update)
	}
	err = r.ask(protocol.AppID(e.A), &in, &r.resp)
	if (err != nil) != (e.Err != "") {
		return "err", e.Err, fmt.Sprint(err), nil
	}
	if err != nil {
		return "", nil, nil, nil
	}
	var ids, pre []any
	for _, c := range r.resp.Allocated {
		ids = append(ids, c.ID.N)
	}
	for _, p := range r.resp.Preempt {
		pre = append(pre, p.N)
	}
	slices.SortFunc(pre, func(a, b any) int { return cmp.Compare(a.(int64), b.(int64)) })
	var checked, refused [][]any
	for _, u := range r.resp.UpdateErrors {
		if u.ByScheduler {
			refused = append(refused, []any{u.Container.N, u.Reason})
		} else {
			checked = append(checked, []any{u.Container.N, u.Reason, int64(u.Version)})
		}
	}
	for _, m := range []struct {
		member    string
		want, got any
	}{
		{"got", e.Got, ids},
		{"head", e.Head, r.all(r.resp.Headroom)},
		{"pre", e.Pre, pre},
		{"uerr", e.UErr, checked},
		{"serr", e.SErr, refused},
		{"inc", e.Inc, r.resized(r.resp.Increased)},
		{"dec", e.Dec, r.resized(r.resp.Decreased)},
	} {
		if !same(m.want, m.got) {
			return m.member, m.want, m.got, nil
		}
	}
	return "", nil, nil, nil
}

func (r *schedulerRun) resized(list []protocol.Container) (rows [][]any) {
	for _, c := range list {
		rows = append(rows, append(append([]any{c.ID.N}, r.all(c.Size)...), int64(c.Version)))
	}
	slices.SortFunc(rows, func(a, b []any) int { return cmp.Compare(a[0].(int64), b[0].(int64)) })
	return rows
}

// nodeState compares the free resources and the number of containers of the nodes, by name.
func (r *schedulerRun) nodeState(cluster *yarn.Cluster) func(*runEvent) (member string, want, got any, err error) {
	return func(e *runEvent) (member string, want, got any, err error) {
		var rows []any
		for _, host := range slices.Sorted(slices.Values(r.Hosts)) {
			if n := cluster.Node(r.Node(host)); n != nil {
				rows = append(rows, append(append([]any{host}, r.all(n.Free)...), int64(n.Count())))
			}
		}
		if !same(e.NS, rows) {
			return "ns", e.NS, rows, nil
		}
		return "", nil, nil, nil
	}
}

// whole is an integer of a decoded row.
func whole(v any) int64 {
	n, err := v.(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	return n
}

// orderRecords sorts what YARN does in the order of a hash map: everything when a node or an application goes, else
// runs of sizes told to nodes, and of ends where a whole ResourceManager runs.
func (r *schedulerRun) orderRecords(event string, rows [][]any) [][]any {
	rows = slices.Clone(rows)
	byText := func(a, b []any) int { return cmp.Compare(golden.Text(a), golden.Text(b)) }
	if event == "node_rm" || event == "att_rm" || event == "app_rm" {
		slices.SortFunc(rows, byText)
		return rows
	}
	for i := 0; i < len(rows); {
		j := i
		for j < len(rows) && (rows[j][0] == "V" || r.head.Manager && (rows[j][0] == "D" || rows[j][0] == "U")) {
			j++
		}
		slices.SortFunc(rows[i:j], byText)
		i = max(j, i+1)
	}
	return rows
}

// same compares a decoded value with one of ours: integers as such, floats as float32, an
// absent list as an empty one.
func same(want, got any) bool {
	switch w := want.(type) {
	case [][]any:
		g, ok := got.([][]any)
		return ok && slices.EqualFunc(w, g, func(a, b []any) bool { return same(a, b) })
	case []any:
		if g, ok := got.([][]any); ok {
			return slices.EqualFunc(w, g, func(a any, b []any) bool { return same(a, b) })
		}
		if got == nil {
			return len(w) == 0
		}
		g, ok := got.([]any)
		return ok && slices.EqualFunc(w, g, same)
	case json.Number:
		switch g := got.(type) {
		case int64:
			return w.String() == strconv.FormatInt(g, 10)
		case float32:
			f, err := strconv.ParseFloat(w.String(), 32)
			return err == nil && float32(f) == g
		case float64:
			f, err := w.Float64()
			return err == nil && f == g
		case json.Number:
			return w == g
		}
		return false
	case string:
		// JSON has no number for these.
		if g, ok := got.(float32); ok {
			f, err := strconv.ParseFloat(w, 32)
			return err == nil && (math.IsNaN(f) && g != g || math.IsInf(f, 0) && float32(f) == g)
		}
	case map[string]any:
		g, ok := got.(map[string]any)
		return ok && len(w) == len(g) && maps.EqualFunc(w, g, func(a, b any) bool { return same(a, b) })
	case nil:
		switch g := got.(type) {
		case nil:
			return true
		case []any:
			return len(g) == 0
		case [][]any:
			return len(g) == 0
		}
		return false
	}
	return want == got
}
