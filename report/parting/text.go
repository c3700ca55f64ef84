package parting

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"replay/engine/record"
	"replay/report/quantity"
	"replay/shown"
)

// verbs are kinds of decisions in words; "%s" is the container.
var verbs = map[string]string{
	"allocate": "allocates %s", "reserve": "reserves room for %s", "unreserve": "gives up the reservation for %s", "complete": "ends %s", "reject": "rejects %s",
	"runnable": "lets the application run: %s", "resize": "learns the size of its node: %s", "decrease": "makes smaller %s",
}

// Say says what a decision was.
func (n *Names) Say(d *record.Decision) string {
	if d == nil {
		return "no decision any more"
	}
	thing := ""
	if d.Job != record.None {
		name, queue := n.Job(d.Job)
		thing = name
		if queue != "" {
			thing += " in " + queue
		}
		if d.Container != 0 {
			thing = fmt.Sprintf("container %d of %s", d.Container, thing)
		}
	}
	if d.Kind != "runnable" && d.Node >= 0 {
		host, _, _ := n.Node(d.Node)
		if thing != "" {
			thing += " "
		}
		thing += "on " + host
	}
	if d.MemMiB > 0 {
		thing += fmt.Sprintf(", %s MiB, %s, priority %d", quantity.Thousands(d.MemMiB), quantity.Counted(d.VCores, "vcores"), d.Priority)
	}
	if d.Type != "" {
		thing += ", " + d.Type
	}
	verb, ok := verbs[d.Kind]
	if !ok {
		verb = d.Kind + " %s"
	}
	return fmt.Sprintf("%s: "+verb, quantity.Duration(float64(d.Time)), thing)
}

// WriteText writes where the replays part and what stood behind it.
func (p *Parting) WriteText(w io.Writer, n *Names) {
	if p.At == 0 {
		fmt.Fprintf(w, "No decision differs: %s in both.\n", quantity.Counted(p.All[0], "decisions"))
		return
	}
	shown.Paragraph(w, fmt.Sprintf("They part at decision %s, of %s in %s and %s in %s.", quantity.Thousands(p.At), quantity.Thousands(p.All[0]), n.Sides[0], quantity.Thousands(p.All[1]), n.Sides[1]), "")
	for i, side := range n.Sides {
		shown.Paragraph(w, "  "+side+" at "+n.Say(p.Sides[i]), "    ")
	}
	paint := shown.Paint(w)
	fmt.Fprintf(w, "\n%s, in both:\n", paint.In(shown.Heading, "before it"))
	t := &shown.Table{Indent: 2}
	held := func(what string, s Sum, of ...string) {
		t.Row(append([]string{what, quantity.Counted(s.Containers, "containers"), quantity.Thousands(s.MemMiB) + " MiB", quantity.Counted(s.VCores, "vcores")}, of...)...)
	}
	queues := map[string]Sum{}
	for job, s := range p.Before.ByJob {
		if job == record.None {
			continue
		}
		_, queue := n.Job(job)
		q := queues[queue]
		queues[queue] = Sum{q.Containers + s.Containers, q.MemMiB + s.MemMiB, q.VCores + s.VCores}
	}
	for _, queue := range slices.Sorted(maps.Keys(queues)) {
		held("queue "+queue, queues[queue])
	}
	for _, job := range p.jobs() {
		name, _ := n.Job(job)
		held(name, p.Before.ByJob[job])
	}
	for _, node := range p.nodes() {
		host, mem, vcores := n.Node(node)
		var of []string
		if mem > 0 {
			of = []string{fmt.Sprintf("of %s MiB, %s", quantity.Thousands(mem), quantity.Counted(vcores, "vcores"))}
		}
		held(host, p.Before.ByNode[node], of...)
	}
	t.Write(w)
	if len(p.Last) > 0 {
		fmt.Fprintf(w, "\n%s:\n", paint.In(shown.Heading, "the last equal decisions"))
		for i := range p.Last {
			shown.Paragraph(w, "  "+n.Say(&p.Last[i]), "    ")
		}
	}
	fmt.Fprintln(w)
	t = &shown.Table{Right: true}
	t.Head("decisions", n.Sides[0], n.Sides[1])
	kinds := map[string]bool{}
	for i := range p.Kinds {
		for kind := range p.Kinds[i] {
			kinds[kind] = true
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		t.Row(kind, quantity.Thousands(p.Kinds[0][kind]), quantity.Thousands(p.Kinds[1][kind]))
	}
	t.Write(w)
}

// jobs are those that the parting is about.
func (p *Parting) jobs() (out []int64) {
	for _, d := range p.Sides {
		if d != nil && d.Job != record.None && !slices.Contains(out, d.Job) {
			out = append(out, d.Job)
		}
	}
	return out
}

// nodes are those that the parting is about.
func (p *Parting) nodes() (out []int32) {
	for _, d := range p.Sides {
		if d != nil && d.Kind != "runnable" && !slices.Contains(out, d.Node) {
			out = append(out, d.Node)
		}
	}
	slices.SortFunc(out, cmp.Compare[int32])
	return out
}
