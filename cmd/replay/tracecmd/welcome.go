package tracecmd

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"replay/counted"
	"replay/report/quantity"
	"replay/trace"
	"replay/trace/importer/workload"
)

// writeWelcome says in a few lines what an import made, for a person who sees this trace for the first time.
func writeWelcome(w io.Writer, opt *workload.Options, res *workload.Result) error {
	m, n := res.Meta, res.Trace
	apps := res.Counts.Kept["applications"]
	lines := []string{fmt.Sprintf("%s: %s%s, %s, %s, %s, %s", opt.Out, quantity.Counted(apps, "applications"), copies(opt, n.Jobs),
		quantity.Counted(n.Stages, "stages"), quantity.Counted(n.Tasks, "tasks"), quantity.Counted(int64(len(m.Users)), "users"), quantity.Counted(leaves(m.Queues), "queues"))}
	lines = append(lines, spanLine(opt, res), clusterLine(opt, res))
	if k := res.Counts.Kept[workload.JobsAfterOthers]; k > 0 {
		lines = append(lines, fmt.Sprintf("after others: %d of %s to be submitted when others have ended (depends_on): a replay holds back those whose own time is earlier", k, quantity.Counted(n.Jobs, "jobs")))
	}
	if l := loadLine(res); l != "" {
		lines = append(lines, l)
	}
	switch m.LocalitySource {
	case trace.LocalityObserved:
		if strings.HasSuffix(m.Source.Format, onYARN) {
			lines = append(lines, "preferred hosts: not recorded; they are those of the blocks of files as far as these are known, else inferred from where tasks ran")
		} else {
			lines = append(lines, "preferred hosts: inferred from where tasks ran; --blocks hdfs places the blocks of their input on a cluster instead")
		}
	case trace.LocalityModelled:
		nodes, asked := trace.SizeAtStart(m.Nodes).Nodes, int64(opt.Replication)
		placed := fmt.Sprintf("preferred hosts: blocks placed as HDFS does, %s each", quantity.Counted(min(asked, nodes), "replicas"))
		if asked > nodes {
			placed += fmt.Sprintf(", one on each node, where %d are asked for", asked)
		}
		lines = append(lines, placed)
	case trace.LocalityNone:
		lines = append(lines, "preferred hosts: none")
	default:
		lines = append(lines, "preferred hosts: "+m.LocalitySource)
	}
	if e := m.Source.Elsewhere(); e != "" {
		lines = append(lines, e)
	}
	if k := m.Source.NoEnd; k > 0 {
		lines = append(lines, fmt.Sprintf("without an end in the recording: %s, replayed as far as the recording goes: their times are lower bounds", quantity.Counted(k, "applications")))
	}
	if c := strings.TrimSuffix(countLines(res.Counts), "\n"); c != "" {
		lines = append(lines, c)
	}
	lines = append(lines, fmt.Sprintf("counts: %s; trace %s", filepath.Join(opt.Out, trace.ImportReport), res.Hash))
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

// countLines says in a line each what was read, dropped, defaulted, modelled and unknown.
func countLines(c *workload.Counts) string {
	var text strings.Builder
	for _, part := range []struct {
		name   string
		counts workload.Counter
	}{{"read", c.Read}, {"dropped", c.Dropped}, {"defaulted", c.Defaulted}, {"modelled", c.Modelled}, {"unknown", c.Unknown}} {
		var list []string
		for _, k := range slices.Sorted(maps.Keys(part.counts)) {
			list = append(list, quantity.Thousands(part.counts[k])+" "+counted.Things(part.counts[k], k))
		}
		if len(list) > 0 {
			fmt.Fprintf(&text, "%s: %s\n", part.name, strings.Join(list, ", "))
		}
	}
	return text.String()
}

func copies(opt *workload.Options, jobs int64) string {
	if opt.Copies == 1 {
		return ""
	}
	return fmt.Sprintf(" x %d copies = %s", opt.Copies, quantity.Counted(jobs, "jobs"))
}

// leaves counts the queues that have none below them.
func leaves(queues []trace.Queue) (n int64) {
	inner := map[int32]bool{}
	for _, q := range queues {
		inner[q.Parent] = true
	}
	for _, q := range queues {
		if !inner[q.ID] {
			n++
		}
	}
	return n
}

// quiet is the least share of the time between the first submission and the last in which an application must have run
// for a replay of recorded submissions to be worth it.
const quiet = 0.1

// spanLine says over what time applications are submitted, and what to do if hardly any time of it is used.
func spanLine(opt *workload.Options, res *workload.Result) string {
	s := "submitted over " + spanText(res.SpanMS)
	if opt.Arrivals != "recorded" {
		return s + ", " + opt.Arrivals
	}
	if o := res.Meta.OriginUnixMS; o != trace.Unset {
		switch first, last := day(o), day(o+res.SpanMS); {
		case res.SpanMS == 0:
			s = "submitted as recorded, on " + first
		case first == last:
			s = fmt.Sprintf("submitted as recorded, over %s on %s", spanText(res.SpanMS), first)
		default:
			s = fmt.Sprintf("submitted as recorded, %s to %s", first, last)
		}
	}
	busy, used := int64(0), int64(0)
	for i := range res.Inputs {
		if in := &res.Inputs[i]; in.LeftOut == "" {
			busy += in.EndMS - in.StartMS
			used++
		}
	}
	if used > 1 && float64(busy) < quiet*float64(res.SpanMS) {
		s += fmt.Sprintf("; submissions span %s and applications run %s of it: --arrivals poisson:30s lays them close together", spanText(res.SpanMS), spanText(busy))
	}
	return s
}

// loadLine says, of a cluster that is far too small for the work, how long that takes, and how many such nodes have enough room.
func loadLine(res *workload.Result) string {
	takes, roomy, ok := res.Load.Crowded(trace.SizeAtStart(res.Meta.Nodes).Nodes, res.SpanMS)
	if !ok {
		return ""
	}
	return fmt.Sprintf("offered load: %v: the work takes at least %s, and a replay with such queues takes longer, too; %d such nodes have enough room",
		res.Load, spanText(int64(takes)), roomy)
}

// spanText is a time of up to many years.
func spanText(ms int64) string {
	const day = 86_400_000
	switch days := float64(ms) / day; {
	case days >= 365:
		return fmt.Sprintf("%.1f years", days/365.25)
	case days >= 2:
		return fmt.Sprintf("%.1f days", days)
	}
	return quantity.Duration(float64(ms))
}

// clusterLine says what the nodes are, those that are there and the hosts that are only named.
func clusterLine(opt *workload.Options, res *workload.Result) string {
	m := res.Meta
	there, absent := 0, 0
	racks, sizes := map[int32]bool{}, map[string]bool{}
	size := ""
	joins := map[int32]bool{}
	for _, e := range m.Events {
		joins[e.Node] = joins[e.Node] || e.Kind == trace.Join
	}
	later := 0
	for i, n := range m.Nodes {
		switch {
		case !n.Present && joins[int32(i)]:
			later++
			continue
		case !n.Present:
			absent++
			continue
		}
		there++
		racks[n.RackID] = true
		size = fmt.Sprintf("%s and %s", gib(n.MemMiB), quantity.Counted(int64(n.VCores), "vcores"))
		for _, x := range n.Extra {
			size += fmt.Sprintf(" and %d %s", x.Value, x.Name)
		}
		sizes[size] = true
	}
	if len(sizes) > 1 {
		size = fmt.Sprintf("%d sizes", len(sizes))
	}
	s := fmt.Sprintf("cluster: %s of %s in %s", quantity.Counted(int64(there), "nodes"), size, quantity.Counted(int64(len(racks)), "racks"))
	switch {
	case res.Counts.Modelled["nodes"] > 0:
		s += ", made up for the work, as the source names none"
	case res.Counts.Read["nodes_of_the_header"] > 0:
		s += ", as the header has it"
	case res.Counts.Read["processors_of_the_header"] > 0:
		s += ", for the processors of the header"
	case opt.Nodes == 0 && absent == 0 && later == 0:
		s += ", those of the recording"
		switch {
		case m.Source == nil:
		case m.Source.NodesFrom == trace.NodesFromUse:
			s += ", at least so large: what ran on one at a time (--node-mem and --node-vcores say their size)"
		case m.Source.NodesFrom == trace.NodesFromClass:
			s += ", whose size it does not say (--node-mem and --node-vcores do)"
		}
	}
	if later > 0 {
		s += fmt.Sprintf("; %s more join later", quantity.Counted(int64(later), "nodes"))
	}
	if absent > 0 {
		s += fmt.Sprintf("; %s more in the table of nodes that are not part of it: hosts of the recording on which tasks ran or preferred to run", quantity.Counted(int64(absent), "hosts"))
	}
	return s
}

func gib(mib int64) string {
	if mib%1024 == 0 {
		return fmt.Sprintf("%d GiB", mib/1024)
	}
	return fmt.Sprintf("%d MiB", mib)
}
