package importer

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// listedNode is a node as the ResourceManager of Hadoop 3.4.1 lists it.
func listedNode(host, rack, state string, mib, vcores int, more string) string {
	return fmt.Sprintf(`{"rack":%q,"state":%q,"id":"%s:45454","nodeHostName":%[3]q,"lastHealthUpdate":1700000000000,"usedMemoryMB":%d,"availMemoryMB":%d,"usedVirtualCores":0,"availableVirtualCores":%d%s}`,
		rack, state, host, mib/4, mib-mib/4, vcores, more)
}

func listOf(nodes ...string) string {
	return `{"nodes" : {"node":[` + strings.Join(nodes, ",\n") + `]}}`
}

// What the ResourceManager answers of its nodes, beside a table or in its folder, is the nodes of the trace: those that take containers, with sizes, racks, labels and
// further resources. What is used of it, and what is not, is told.
func TestNodesOfTheResourceManager(t *testing.T) {
	const table = "job,submit,duration,host\na,0,60,h1\nb,5,60,h2\nc,9,60,h7\n"
	list := listOf(
		listedNode("h1", "/r1", "RUNNING", 16384, 8, `,"nodeLabels":["gpu"],"totalResource":{"memory":16384,"vCores":8,"resourceInformations":{"resourceInformation":[{"name":"memory-mb","units":"Mi","value":16384},{"name":"vcores","units":"","value":8},{"name":"yarn.io/gpu","units":"","value":2}]}}`),
		listedNode("h2", "r2", "RUNNING", 32768, 16, `,"nodeLabels":{"nodeLabel":["gpu","ssd"]}`),
		listedNode("h3", "/r2", "LOST", 0, 0, ""), listedNode("h4", "/r2", "DECOMMISSIONING", 4096, 4, ""),
		listedNode("h5", "/r2", "RUNNING", 0, 0, ""))
	type node struct {
		host, rack, labels, extra string
		mib                       int64
		vcores                    int32
	}
	import1 := func(t *testing.T, change func(*workload.Options), inputs ...string) (nodes []node, said, warned string, err error) {
		res, loaded, err := importtest.ImportAll(t, Importers["csv"], inputs, func(o *workload.Options) {
			o.Note = func(m string) { said += m + "\n" }
			o.Warn = func(m string) { warned += m + "\n" }
			if change != nil {
				change(o)
			}
		})
		if err != nil {
			return nil, said, warned, err
		}
		if slices.ContainsFunc(res.Inputs, func(in workload.Input) bool { return in.LeftOut != "" }) {
			t.Errorf("left out: %+v", res.Inputs)
		}
		for _, n := range loaded.Nodes {
			if n.Present {
				nodes = append(nodes, node{n.Host, n.Rack, strings.Join(n.Labels, " "), fmt.Sprint(n.Extra), n.MemMiB, n.VCores})
			}
		}
		return nodes, said, warned, nil
	}
	wanted := []node{{"h1", "/r1", "gpu", "[{yarn.io/gpu 2}]", 16384, 8}, {"h2", "/r2", "gpu ssd", "[]", 32768, 16}}
	beside := func(t *testing.T, text string) (tablePath, listPath, dir string) {
		dir = t.TempDir()
		tablePath, listPath = filepath.Join(dir, "jobs.csv"), filepath.Join(dir, "my-Nodes.json")
		importtest.Write(t, tablePath, table)
		importtest.Write(t, listPath, text)
		return
	}
	const told = "my-Nodes.json: the nodes are the 2 that it lists as RUNNING, in 2 racks: 1 of 16 GiB and 8 vcores and 2 yarn.io/gpu, 1 of 32 GiB and 16 vcores; labels: 2 with gpu, 1 with ssd; left out: 1 LOST, 1 DECOMMISSIONING, 1 without a size\n"

	for name, inputs := range map[string]func(t *testing.T) []string{
		"named":         func(t *testing.T) []string { a, b, _ := beside(t, list); return []string{a, b} },
		"named first":   func(t *testing.T) []string { a, b, _ := beside(t, list); return []string{b, a} },
		"in the folder": func(t *testing.T) []string { _, _, dir := beside(t, list); return []string{dir} },
		"in UTF-16": func(t *testing.T) []string {
			w, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(list)
			a, b, _ := beside(t, w)
			return []string{a, b}
		},
		"beside another one": func(t *testing.T) []string {
			_, b, dir := beside(t, list)
			importtest.Write(t, filepath.Join(dir, "nodes-2.json"), listOf())
			return []string{dir, b}
		},
	} {
		t.Run(name, func(t *testing.T) {
			nodes, said, warned, err := import1(t, nil, inputs(t)...)
			if err != nil || !slices.Equal(nodes, wanted) || !strings.Contains(said, told) {
				t.Errorf("nodes %+v, want %+v; %v; said %q, want %q", nodes, wanted, err, said, told)
			}
			if want := "1 of the 3 hosts that the source names are none of the nodes of "; !strings.Contains(warned, want) || !strings.Contains(warned, "(h7)") {
				t.Errorf("warned of %q, want %q", warned, want)
			}
		})
	}
	a, b, dir := beside(t, list)
	nodes, _, warned, err := import1(t, func(o *workload.Options) { o.Nodes, o.Blocks = 3, "hdfs" }, a, b)
	if want := "the nodes in it are not used, as --nodes 3 makes others"; err != nil || len(nodes) != 3 || !strings.Contains(warned, want) {
		t.Errorf("with --nodes: %+v, %v, warned of %q", nodes, err, warned)
	}
	importtest.Write(t, filepath.Join(dir, "nodes-2.json"), list)
	if nodes, _, warned, err = import1(t, nil, dir); err != nil || len(nodes) != 3 || !strings.Contains(warned, "2 lists of nodes are in the folder, none is used: name one of them beside the folder") {
		t.Errorf("two in a folder: %+v, %v, warned of %q", nodes, err, warned)
	}
	elsewhere, other, _ := beside(t, listOf(listedNode("m1", "/r", "RUNNING", 65536, 32, "")))
	if _, _, warned, err = import1(t, nil, elsewhere, other); err != nil || !strings.Contains(warned, "3 of the 3 hosts that the source names are none of the nodes of ") || !strings.Contains(warned, "no task finds a host that it prefers") {
		t.Errorf("other hosts: %v, warned of %q", err, warned)
	}
	for text, want := range map[string]string{
		listOf(): "no node takes containers (none is listed), want one that is RUNNING",
		listOf(listedNode("h1", "/r", "LOST", 0, 0, "")):                         "no node takes containers (1 LOST), want one that is RUNNING",
		listOf(listedNode("h1", "/r", "UP", 1024, 1, "")):                        `nodes.node[0].state is "UP", want a state of a node such as RUNNING`,
		listOf(listedNode("h1", "/r", "RUNNING", 1024, 1<<20, "")):               "node h1:45454 has 1024 MiB and 1048576 vcores, want at most",
		listOf(listedNode("h1", "/r", "RUNNING", 1024, 1, `,"nodeLabels":7`)):    "node h1:45454: nodeLabels is 7, want a list of names",
		strings.Replace(list, `"usedMemoryMB":4096`, `"usedMemoryMB":"4096"`, 1): "usedMemoryMB is a text, want a whole number",
		list[:len(list)-2]: "my-Nodes.json: ",
		listOf(listedNode("h1", "/r", "RUNNING", 1, 1, `,"totalResource":{"memory":1,"vCores":1,"resourceInformations":[]}`)): "totalResource.resourceInformations is [], want resourceInformation",
	} {
		a, b, dir := beside(t, text)
		if nodes, _, warned, err := import1(t, nil, dir); err != nil || len(nodes) != 3 || !strings.Contains(warned, want) || !strings.Contains(warned, "; no node of it is used") {
			t.Errorf("%.80s in a folder: %+v, %v, warned of %q, want %q", text, nodes, err, warned, want)
		}
		if _, _, _, err := import1(t, func(o *workload.Options) { o.Strict = true }, dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s in a folder, strictly: %v, want %q", text, err, want)
		}
		if _, _, _, err := import1(t, nil, a, b); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), b) {
			t.Errorf("%.80s: error %v, want %q with the file", text, err, want)
		}
	}
	if _, _, _, err := import1(t, nil, b, other, a); err == nil || !strings.Contains(err.Error(), "two lists of nodes, want one (a cluster that changes is what replay record polls, ") {
		t.Errorf("two that are named: %v", err)
	}
}

// A source that has nodes keeps them, and says so; a folder of a format whose own files look alike is not searched.
func TestNodesOfTheSourceStay(t *testing.T) {
	list := importtest.WriteNew(t, "nodes.json", listOf(listedNode("m1", "/r", "RUNNING", 65536, 32, "")))
	warned := ""
	fixture := filepath.Join("testdata", "alibaba-2018")
	_, loaded, err := importtest.ImportAll(t, Importers["alibaba-2018"], []string{fixture, list}, func(o *workload.Options) { o.Warn = func(m string) { warned += m + "\n" } })
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(loaded.Nodes, func(n trace.Node) bool { return n.Host == "m1" }) || !strings.Contains(warned, "the nodes in it are not used, as the source has ") {
		t.Errorf("nodes are those of the list, or nobody says that they are not: %q", warned)
	}
}
