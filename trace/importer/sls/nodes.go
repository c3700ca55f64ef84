package sls

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fastjson"

	"replay/trace"
	"replay/trace/importer/objects"
	"replay/trace/importer/workload"
)

// nodes are those of the cluster, from the best of what the inputs say: racks of nodes, a header with their number, or the hosts that tasks ask for.
type nodes struct {
	listed     []trace.Node
	hosts      map[string]string // of tasks, with their racks
	resources  map[string]bool   // further ones that a listed node has
	num, racks int
	fromRacks  map[string]bool // hosts that are listed
}

func newNodes() nodes {
	return nodes{hosts: map[string]string{}, resources: map[string]bool{}, fromRacks: map[string]bool{}}
}

// rackNode is a node of a rack.
type rackNode struct {
	host   string // "" = an empty object
	mib    int64  // trace.Unset = not said
	vcores int64
	labels []string
	extra  []trace.NamedValue
}

// nodeOf reads a node.
func nodeOf(v *fastjson.Value) (n rackNode, err error) {
	if n.host, err = objects.Text(v, "node"); err != nil {
		return n, err
	}
	if n.mib, err = amount(v, "memory-mb"); err != nil {
		return n, err
	}
	if n.vcores, err = amount(v, "vcores"); err != nil {
		return n, err
	}
	labels, err := objects.Text(v, "labels")
	if err != nil {
		return n, err
	}
	for _, l := range strings.Split(labels, ",") {
		name, _, _ := strings.Cut(l, "(") // exclusive or not is the partition's, which a node does not choose
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(n.labels, name) {
			n.labels = append(n.labels, name)
		}
	}
	v.GetObject().Visit(func(key []byte, _ *fastjson.Value) {
		name := string(key)
		if err != nil || slices.Contains([]string{"node", "memory-mb", "vcores", "labels"}, name) {
			return
		}
		if !utf8.ValidString(name) {
			err = fmt.Errorf("a resource is called %q, want a name in UTF-8", name)
			return
		}
		var n2 int64
		if n2, err = amount(v, name); err == nil && n2 > 0 {
			n.extra = append(n.extra, trace.NamedValue{Name: name, Value: n2})
		}
	})
	slices.SortFunc(n.extra, func(a, b trace.NamedValue) int { return strings.Compare(a.Name, b.Name) })
	return n, err
}

// amount is a whole number of 0 or more, trace.Unset if it is not there.
func amount(v *fastjson.Value, name string) (int64, error) {
	n, err := objects.Int(v, name, trace.Unset)
	if err == nil && (n < 0 && v.Exists(name) && v.Get(name).Type() != fastjson.TypeNull || n > trace.MostAmount) {
		err = fmt.Errorf("%s is %d, want 0 to %d", name, n, int64(trace.MostAmount))
	}
	return n, err
}

// rack takes the nodes of a rack.
func (n *nodes) rack(b *workload.Builder, o *object, place string) error {
	rack := "/" + strings.Trim(o.members["rack"], "/")
	if rack == "/" {
		return wrong("rack is %q, want a name", o.members["rack"])
	}
	b.Counts.Read["racks"]++
	for _, x := range o.rack {
		if x.host == "" {
			b.Counts.Read["empty_nodes"]++
			if err := b.Drop("nodes_without_a_name", "%s: a node of rack %s has no name, want node", place, rack); err != nil {
				return err
			}
			continue
		}
		b.Counts.Read["nodes"]++
		if x.mib == 0 || x.vcores == 0 { // no container has room on it, and YARN refuses a NodeManager below its smallest allocation
			what := "memory-mb"
			if x.mib != 0 {
				what = "vcores"
			}
			if err := b.Drop("nodes_without_memory_or_vcores", "%s: node %q of rack %s has %s 0, want 1 or more", place, x.host, rack, what); err != nil {
				return err
			}
			continue
		}
		if n.fromRacks[x.host] {
			if err := b.Drop("nodes_that_are_there_twice", "%s: node %q of rack %s is there already, want each once", place, x.host, rack); err != nil {
				return err
			}
			continue
		}
		n.fromRacks[x.host] = true
		node := trace.Node{Host: x.host, Rack: rack, MemMiB: x.mib, VCores: int32(min(x.vcores, 1<<30)), Labels: x.labels, Extra: x.extra, Present: true}
		n.sized(b, &node)
		n.listed = append(n.listed, node)
		for _, e := range x.extra {
			n.resources[e.Name] = true
		}
	}
	return nil
}

// sized gives a node the simulator's size where it has none.
func (n *nodes) sized(b *workload.Builder, node *trace.Node) {
	if node.MemMiB == trace.Unset {
		node.MemMiB = defaultNodeMiB
		b.Counts.Defaulted["memory_of_nodes"]++
	}
	if node.VCores == trace.Unset {
		node.VCores = defaultNodeVCores
		b.Counts.Defaulted["vcores_of_nodes"]++
	}
}

// header takes the number of nodes and racks.
func (n *nodes) header(b *workload.Builder, o *object) error {
	num, err := objects.WholeOf(o.members["num.nodes"])
	if err != nil || num < 1 || num > 1_000_000 {
		return wrong("num.nodes is %q, want 1 to 1000000", o.members["num.nodes"])
	}
	racks := int64(1)
	if text, ok := o.members["num.racks"]; ok {
		if racks, err = objects.WholeOf(text); err != nil {
			return wrong("num.racks is %q, want a whole number", text)
		}
	}
	b.Counts.Read["headers"]++
	n.num, n.racks = int(num), int(min(max(racks, 1), num))
	return nil
}

// taskHost is the name of the host of a path such as /rack1/node1, whose rack is noted.
func (n *nodes) taskHost(b *workload.Builder, path string) (string, error) {
	i := strings.LastIndexByte(path, '/')
	host, rack := path[i+1:], ""
	if i > 0 {
		rack = "/" + strings.Trim(path[:i], "/")
	}
	if host == "" {
		return "", fmt.Errorf("container.host is %q, want a path such as /rack1/node1", path)
	}
	if before, ok := n.hosts[host]; !ok {
		n.hosts[strings.Clone(host)] = strings.Clone(rack)
	} else if before != rack {
		b.Odd("racks_of_a_host_on_another_rack_before", 1, "container.host is %q, want the rack %q, where the host was before", path, before)
	}
	return host, nil
}

// generated are the nodes of a header.
//
// Source: SLSUtils.generateNodes.
func (n *nodes) generated() (list []trace.Node) {
	for i := range n.num {
		list = append(list, trace.Node{
			Host: fmt.Sprintf("node%d", i), Rack: n.rackOf(i), MemMiB: trace.Unset, VCores: trace.Unset, Present: true,
		})
	}
	return list
}

func (n *nodes) rackOf(i int) string { return fmt.Sprintf("/rack%d", i%n.racks) }

// path is that of a generated node.
func (n *nodes) path(i int) string { return fmt.Sprintf("%s/node%d", n.rackOf(i), i) }

// give adds the nodes to the trace.
func (n *nodes) give(b *workload.Builder) {
	list := n.listed
	if len(list) == 0 {
		list = n.generated()
		if len(list) == 0 {
			for _, host := range slices.Sorted(maps.Keys(n.hosts)) {
				list = append(list, trace.Node{Host: host, Rack: n.hosts[host], MemMiB: trace.Unset, VCores: trace.Unset, Present: true})
			}
			b.Counts.Modelled["nodes_for_the_hosts_of_tasks"] += int64(len(list))
		}
		for i := range list {
			n.sized(b, &list[i])
		}
	}
	for _, node := range list {
		b.AddNode(node)
	}
}
