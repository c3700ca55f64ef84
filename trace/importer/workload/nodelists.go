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

// nodeListsOf takes the answers with nodes out of the inputs: those that are named, and in folders files of JSON with "node" in their names. A format of recorded clusters
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
	return rest, lists, nil
}

// takeNodeLists makes the nodes of the trace of those in the lists, unless the options or the source have others, and says what was used of them.
func (b *Builder) takeNodeLists(lists []nodeList) error {
	if len(lists) == 0 {
		return nil
	}
	given := slices.DeleteFunc(slices.Clone(lists), func(l nodeList) bool { return !l.given })
	if len(given) > 0 {
		lists = given
	}
	path := lists[0].path
	switch {
	case len(lists) > 1 && len(given) > 0:
		return fmt.Errorf("%s and %s: two lists of nodes, want one (a cluster that changes is what replay record polls, or so many nodes from a time on: --autoscale schedule of a replay)", path, lists[1].path)
	case len(lists) > 1:
		b.Warn("%s: %s of nodes are in the folder, none is used: name one of them beside the folder", path, counted.Of(int64(len(lists)), "lists"))
		return nil
	case b.Options.Nodes > 0:
		b.Warn("%s: the nodes in it are not used, as --nodes %d makes others", path, b.Options.Nodes)
		return nil
	case len(b.nodes) > 0:
		b.Warn("%s: the nodes in it are not used, as the source has %s of its own", path, counted.Of(int64(len(b.nodes)), "nodes"))
		return nil
	}
	sources := len(b.source.Files)
	answer, err := b.readNodeList(path)
	if err == nil {
		err = b.addListed(path, answer)
	}
	if err != nil && lists[0].given || err != nil && b.Options.Strict {
		return err
	}
	if err != nil { // such a file is no part of what was asked for
		b.nodes, b.source.Files = nil, b.source.Files[:sources]
		b.Warn("%v; no node of it is used", err)
		return nil
	}
	b.listed = path
	b.left = slices.DeleteFunc(b.left, func(in Input) bool { return samePath(in.Path, path) })
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

// addListed adds the nodes of an answer that take containers, and says which do not.
func (b *Builder) addListed(path string, answer []rmnodes.Node) error {
	var sizes, labels, left tally
	racks, hosts := map[string]bool{}, map[string]bool{}
	for i := range answer {
		n := &answer[i]
		mem, vcores := n.Size()
		if !rmnodes.States[n.State].Takes {
			left.count(n.State)
			continue
		}
		if mem == 0 || vcores == 0 {
			left.count("without a size")
			continue
		}
		if mem > trace.MostMemMiB || vcores > min(trace.MostVCores, math.MaxInt32) {
			return fmt.Errorf("%s: node %s has %d MiB and %d vcores, want at most %d MiB and %d vcores", path, n.ID, mem, vcores, trace.MostMemMiB, trace.MostVCores)
		}
		add := trace.Node{Host: n.Host, Rack: n.Rack, MemMiB: mem, VCores: int32(vcores), Present: true}
		if hosts[add.Host] {
			add.Host = n.ID // several NodeManagers on one host
		}
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
				b.Counts.Dropped["further_resources_with_units"]++
			case r.Value > 0:
				add.Extra = append(add.Extra, trace.NamedValue{Name: r.Name, Value: r.Value})
			}
		}
		slices.SortFunc(add.Extra, func(x, y trace.NamedValue) int { return strings.Compare(x.Name, y.Name) })
		size := "of " + shape{mem, int32(vcores)}.String()
		for _, x := range add.Extra {
			size += fmt.Sprintf(" and %d %s", x.Value, x.Name)
		}
		sizes.count(size)
		for _, l := range add.Labels {
			labels.count("with " + l)
		}
		hosts[add.Host], racks[add.Rack] = true, true
		b.AddNode(add)
	}
	if len(hosts) == 0 {
		return fmt.Errorf("%s: no node takes containers (%s), want one that is RUNNING", path, left.or("none is listed"))
	}
	b.Counts.Kept["listed_nodes"] = int64(len(hosts))
	if left.n > 0 {
		b.Counts.Dropped["listed_nodes"] = left.n
	}
	note := fmt.Sprintf("%s: the nodes are the %d that it lists as RUNNING, in %s: %s", filepath.Base(path), len(hosts), counted.Of(int64(len(racks)), "racks"), sizes.or(""))
	if labels.n > 0 {
		note += "; labels: " + labels.or("")
	}
	if left.n > 0 {
		note += "; left out: " + left.or("")
	}
	b.Note("%s", note)
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
