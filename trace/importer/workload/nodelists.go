package workload

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"replay/counted"
	"replay/input"
	"replay/trace"
	"replay/trace/importer/foreign"
	"replay/trace/importer/rmnodes"
)

// nodeList is an answer of the ResourceManager among the inputs, with the nodes of the cluster.
type nodeList struct {
	path  string
	given bool // named as an input, and not found in a folder
}

// isNodeList reports whether a file with this beginning is such an answer.
func isNodeList(head []byte) bool {
	if foreign.Members(head) != "nodes" {
		return false
	}
	_, value, _ := strings.Cut(string(head), `"nodes"`)
	value = strings.TrimLeft(value, " \t\r\n:")
	inner, ok := strings.CutPrefix(value, "{")
	return strings.HasPrefix(value, "null") || ok && (strings.HasPrefix(strings.TrimSpace(inner), `"node"`) || strings.HasPrefix(strings.TrimSpace(inner), "}"))
}

// nodeListsOf takes the answers with nodes out of the inputs: those that are named, and in folders files of JSON with "node" in their names, where none is named. A format of recorded clusters
// knows itself what is in its folder.
func nodeListsOf(format string, inputs []string) (rest []string, lists []nodeList, err error) {
	is := func(path string) bool {
		head, err := Head(path)
		return err == nil && isNodeList(head)
	}
	for _, in := range inputs {
		info, err := os.Stat(in)
		switch {
		case in == Stdin || err != nil || strings.HasSuffix(format, "-on-yarn"):
			rest = append(rest, in)
		case !info.IsDir():
			if is(in) {
				lists = append(lists, nodeList{in, true})
			} else {
				rest = append(rest, in)
			}
		default:
			rest = append(rest, in)
			err := filepath.WalkDir(in+string(filepath.Separator), func(path string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				if name := strings.ToLower(BaseName(e.Name())); strings.Contains(name, "node") && strings.HasSuffix(name, ".json") && is(path) {
					lists = append(lists, nodeList{path, false})
				}
				return nil
			})
			if err != nil {
				return nil, nil, err
			}
		}
	}
	if len(rest) == 0 {
		return inputs, nil, nil // the format says what is wrong with a list alone
	}
	if slices.ContainsFunc(lists, func(l nodeList) bool { return l.given }) {
		lists = slices.DeleteFunc(lists, func(l nodeList) bool { return !l.given })
	}
	return rest, lists, nil
}

// takeNodeLists makes the nodes of the trace of those in the lists, unless the options or the source have others, and says what was used of them.
func (b *Builder) takeNodeLists() error {
	lists := b.lists
	if len(lists) == 0 {
		return nil
	}
	name := lists[0].path
	if len(lists) > 1 {
		name = fmt.Sprintf("%s and %d more", name, len(lists)-1)
	}
	switch {
	case b.Options.Nodes > 0:
		b.Warn("%s: the nodes in it are not used, as --nodes %d makes others", name, b.Options.Nodes)
		return nil
	case len(b.nodes) > 0:
		b.Warn("%s: the nodes in it are not used, as the source has %s of its own", name, counted.Of(int64(len(b.nodes)), "nodes"))
		return nil
	}
	sources := len(b.source.Files)
	var all listedNodes
	var err error
	for _, l := range lists {
		answer, e := b.readNodeList(l.path)
		if e == nil {
			e = all.add(l.path, answer)
		}
		if err = e; err != nil {
			break
		}
	}
	if err == nil {
		err = b.addListed(name, &all)
	}
	if err != nil && lists[0].given || err != nil && b.Options.Strict {
		return err
	}
	if err != nil { // such a file is no part of what was asked for
		b.nodes, b.source.Files = nil, b.source.Files[:sources]
		b.Warn("%v; no node of it is used", err)
		return nil
	}
	b.listed = name
	for _, l := range lists {
		b.left = slices.DeleteFunc(b.left, func(in Input) bool { return samePath(in.Path, l.path) })
	}
	return nil
}

func samePath(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func (b *Builder) readNodeList(path string) ([]rmnodes.Node, error) {
	s, err := b.Open(path)
	if err != nil {
		return nil, err
	}
	s.Once = true
	text, err := io.ReadAll(s)
	if err != nil {
		s.Close()
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	var answer rmnodes.Answer
	if err := input.JSON(text, &answer); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	nodes := answer.All()
	for i := range nodes {
		if err := nodes[i].Check(i); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return rmnodes.Latest(nodes), nil
}

// listedNodes are those of one list or several, of one cluster: nodes that take containers in any of them.
type listedNodes struct {
	lists []string
	nodes []listedNode
	at    map[string]int  // in nodes, by host
	taken map[string]bool // their ids
	left  []leftNode      // that take none
}

type listedNode struct {
	trace.Node
	from  string // the list that has it first
	lists int    // that have it
	units int64  // further resources with units
}

type leftNode struct{ id, why string }

// add adds a list. A node that another list has otherwise is an error with both.
func (l *listedNodes) add(path string, answer []rmnodes.Node) error {
	if l.at == nil {
		l.at, l.taken = map[string]int{}, map[string]bool{}
	}
	l.lists = append(l.lists, path)
	here := map[string]bool{}
	for i := range answer {
		n := &answer[i]
		add := listedNode{Node: trace.Node{Host: n.Host, Rack: n.Rack, Present: true}, from: path, lists: 1}
		if here[add.Host] {
			add.Host = n.ID // several NodeManagers on one host
		}
		mem, vcores := n.Size()
		if !rmnodes.States[n.State].Takes {
			l.left = append(l.left, leftNode{n.ID, n.State})
			continue
		}
		if mem == 0 || vcores == 0 {
			l.left = append(l.left, leftNode{n.ID, "without a size"})
			continue
		}
		if mem > trace.MostMemMiB || vcores > min(trace.MostVCores, math.MaxInt32) {
			return fmt.Errorf("%s: node %s has %d MiB and %d vcores, want at most %d MiB and %d vcores", path, n.ID, mem, vcores, trace.MostMemMiB, trace.MostVCores)
		}
		add.MemMiB, add.VCores = mem, int32(vcores)
		if add.Rack != "" && !strings.HasPrefix(add.Rack, "/") {
			add.Rack = "/" + add.Rack
		}
		var err error
		if add.Labels, err = n.LabelsOf(); err != nil {
			return fmt.Errorf("%s: node %s: %w", path, n.ID, err)
		}
		add.Labels = slices.DeleteFunc(add.Labels, func(l string) bool { return l == "" })
		further, err := n.FurtherOf()
		if err != nil {
			return fmt.Errorf("%s: node %s: %w", path, n.ID, err)
		}
		if further != nil {
			add.Extra = []trace.NamedValue{}
		}
		for _, r := range further {
			switch {
			case r.Units != "":
				add.units++
			case r.Value > 0:
				add.Extra = append(add.Extra, trace.NamedValue{Name: r.Name, Value: r.Value})
			}
		}
		slices.SortFunc(add.Extra, func(x, y trace.NamedValue) int { return strings.Compare(x.Name, y.Name) })
		here[add.Host], l.taken[n.ID] = true, true
		k, known := l.at[add.Host]
		if !known {
			l.at[add.Host] = len(l.nodes)
			l.nodes = append(l.nodes, add)
			continue
		}
		before := &l.nodes[k]
		if x, y := before.text(), add.text(); x != y {
			return fmt.Errorf("%s: node %s has %s, and in %s %s: want lists that agree, or the one that is to count", path, n.ID, y, before.from, x)
		}
		before.lists++
	}
	return nil
}

// text is all that a list says of a node.
func (n *listedNode) text() string {
	return fmt.Sprintf("%d MiB, %d vcores%s, rack %q and labels %q", n.MemMiB, n.VCores, n.further(), n.Rack, slices.Sorted(slices.Values(n.Labels)))
}

func (n *listedNode) further() (text string) {
	for _, x := range n.Extra {
		text += fmt.Sprintf(" and %d %s", x.Value, x.Name)
	}
	return text
}

// addListed adds the nodes of lists that take containers, and says which do not, and which are not in all lists.
func (b *Builder) addListed(name string, all *listedNodes) error {
	var sizes, labels, left tally
	racks, seen := map[string]bool{}, all.taken
	for _, n := range all.left {
		if !seen[n.id] {
			left.count(n.why)
		}
		seen[n.id] = true
	}
	if len(all.nodes) == 0 {
		return fmt.Errorf("%s: no node takes containers (%s), want one that is RUNNING", name, left.or("none is listed"))
	}
	var apart []string
	for i := range all.nodes {
		n := &all.nodes[i]
		sizes.count("of " + shape{n.MemMiB, n.VCores}.String() + n.further())
		for _, l := range n.Labels {
			labels.count("with " + l)
		}
		if n.lists < len(all.lists) {
			apart = append(apart, n.Host)
		}
		if n.units > 0 {
			b.Counts.Dropped["further_resources_with_units"] += n.units
		}
		racks[n.Rack] = true
		b.AddNode(n.Node)
	}
	b.Counts.Kept["listed_nodes"] = int64(len(all.nodes))
	if left.n > 0 {
		b.Counts.Dropped["listed_nodes"] = left.n
	}
	lists := make([]string, len(all.lists))
	for i, path := range all.lists {
		lists[i] = filepath.Base(path)
	}
	how := "it lists"
	if len(lists) > 1 {
		how = "any of them lists"
	}
	note := fmt.Sprintf("%s: the nodes are the %d that %s as RUNNING, in %s: %s", strings.Join(lists, ", "), len(all.nodes), how, counted.Of(int64(len(racks)), "racks"), sizes.or(""))
	if labels.n > 0 {
		note += "; labels: " + labels.or("")
	}
	if left.n > 0 {
		note += "; left out: " + left.or("")
	}
	b.Note("%s", note)
	if len(apart) > 0 {
		more := ""
		if n := len(apart) - 3; n > 0 {
			apart, more = apart[:3], fmt.Sprintf(" and %d more", n)
		}
		b.Warn("%s: not all of the %d lists of nodes have %s%s as RUNNING: all nodes of any list are in the cluster at all times (one list alone is the cluster at its time; a cluster that changes is what replay record polls, or so many nodes from a time on: --autoscale schedule of a replay)",
			name, len(lists), strings.Join(apart, ", "), more)
	}
	return nil
}

// sayOutside warns of hosts on which was run and that a list of nodes does not have.
func (b *Builder) sayOutside(c *cluster) {
	names := b.took.names()
	outside := slices.DeleteFunc(slices.Clone(names), func(h string) bool { _, ok := c.id[h]; return ok })
	if b.listed == "" || len(outside) == 0 {
		return
	}
	named, more := outside[:min(3, len(outside))], ""
	if len(outside) > len(named) {
		more = ", …"
	}
	text := fmt.Sprintf("%d of the %d hosts that the source names are none of the nodes of %s (%s%s): what was there is nowhere in the cluster", len(outside), len(names), b.listed, strings.Join(named, ", "), more)
	if len(outside) == len(names) {
		text += ", and no task finds a host that it prefers; --blocks hdfs places blocks on the nodes"
	}
	b.Warn("%s", text)
}

// tally counts by name, in the order of first sight.
type tally struct {
	names  []string
	counts map[string]int64
	n      int64
}

func (t *tally) count(name string) {
	if t.counts == nil {
		t.counts = map[string]int64{}
	}
	if t.n++; t.counts[name] == 0 {
		t.names = append(t.names, name)
	}
	t.counts[name]++
}

// or lists the counts, the largest first, or says what stands for none.
func (t *tally) or(none string) string {
	if t.n == 0 {
		return none
	}
	names := slices.Clone(t.names)
	slices.SortStableFunc(names, func(a, b string) int { return int(t.counts[b] - t.counts[a]) })
	const most = 5
	var texts []string
	for _, name := range names[:min(most, len(names))] {
		texts = append(texts, fmt.Sprintf("%d %s", t.counts[name], name))
	}
	if more := len(names) - most; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more kinds", more))
	}
	return strings.Join(texts, ", ")
}
