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
	a, b, _ := beside(t, list)
	nodes, _, warned, err := import1(t, func(o *workload.Options) { o.Nodes, o.Blocks = 3, "hdfs" }, a, b)
	if want := "the nodes in it are not used, as --nodes 3 makes others"; err != nil || len(nodes) != 3 || !strings.Contains(warned, want) {
		t.Errorf("with --nodes: %+v, %v, warned of %q", nodes, err, warned)
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

// Several lists of nodes are those of one cluster: what agrees is taken once, what stands in some of them alone is told, and what contradicts another list is an
// error with both; of lists that nobody named, none is used then.
func TestSeveralNodeLists(t *testing.T) {
	node := func(host, state string, mib int, more string) string {
		return listedNode(host, "/r1", state, mib, 8, more)
	}
	var many, same []string
	for i := range 9 {
		same = append(same, fmt.Sprintf("h%d", i))
		many = append(many, node(same[i], "RUNNING", 8192, ""))
	}
	for _, tt := range []struct {
		name         string
		lists        []string
		hosts        string
		said, warned string // of "" nothing like it is
		err          string
	}{
		{"of two halves", []string{listOf(node("h1", "RUNNING", 8192, "")), listOf(node("h2", "RUNNING", 8192, ""))}, "h1 h2", "1-nodes.json, 2-nodes.json: the nodes are the 2 that any of them lists as RUNNING, in 1 rack: 2 of 8 GiB and 8 vcores",
			"not all of the 2 lists of nodes have h1, h2 as RUNNING: all nodes of any list are in the cluster at all times", ""},
		{"of two days", []string{listOf(node("h1", "RUNNING", 8192, ""), node("h2", "RUNNING", 8192, "")), listOf(node("h2", "RUNNING", 8192, ""), node("h1", "RUNNING", 8192, ""))}, "h1 h2", "the 2 that any of them lists", "", ""},
		{"one is lost on a day", []string{listOf(node("h1", "LOST", 0, ""), node("h2", "RUNNING", 8192, "")), listOf(node("h1", "RUNNING", 8192, ""), node("h2", "RUNNING", 8192, "")), listOf(node("h1", "RUNNING", 8192, ""), node("h2", "RUNNING", 8192, ""), node("h3", "LOST", 0, ""))}, "h2 h1", "left out: 1 LOST", "not all of the 3 lists of nodes have h1 as RUNNING", ""},
		{"one list has no node that runs", []string{listOf(), listOf(node("h1", "RUNNING", 8192, ""))}, "h1", "the 1 that any", "not all of the 2 lists of nodes have h1", ""},
		{"the same twice", []string{listOf(many...), listOf(many...)}, strings.Join(same, " "), "the 9 that any", "", ""},
		{"labels in another order", []string{listOf(node("h1", "RUNNING", 8192, `,"nodeLabels":["a","b"]`)), listOf(node("h1", "RUNNING", 8192, `,"nodeLabels":["b","a"]`))}, "h1", "labels: 1 with a, 1 with b", "", ""},
		{"another size", []string{listOf(node("h1", "RUNNING", 8192, "")), listOf(node("h1", "RUNNING", 8193, ""))}, "", "", "", `2-nodes.json: node h1:45454 has 8193 MiB, 8 vcores, rack "/r1" and labels [], and in 1-nodes.json 8192 MiB, 8 vcores, rack "/r1" and labels []: want lists that agree, or the one that is to count`},
		{"another rack", []string{listOf(node("h1", "RUNNING", 8192, "")), listOf(listedNode("h1", "/r2", "RUNNING", 8192, 8, ""))}, "", "", "", `rack "/r2"`},
		{"other labels", []string{listOf(node("h1", "RUNNING", 8192, "")), listOf(node("h1", "RUNNING", 8192, `,"nodeLabels":["a"]`))}, "", "", "", `labels ["a"]`},
		{"none that runs", []string{listOf(), listOf(node("h1", "LOST", 0, ""))}, "", "", "", "1-nodes.json and 1 more: no node takes containers (1 LOST), want one that is RUNNING"},
		{"one that is broken", []string{listOf(node("h1", "RUNNING", 8192, "")), listOf(node("h2", "UP", 1, ""))}, "", "", "", `2-nodes.json: nodes.node[0].state is "UP"`},
	} {
		for _, named := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, named %v", tt.name, named), func(t *testing.T) {
				dir := t.TempDir()
				t.Chdir(dir) // paths in messages are short
				importtest.Write(t, "jobs.csv", "job,submit,duration\na,0,60\nb,5,60\n")
				inputs := []string{"."}
				if named {
					inputs = []string{"jobs.csv"}
				}
				for i, text := range tt.lists {
					name := fmt.Sprintf("%d-nodes.json", i+1)
					importtest.Write(t, name, text)
					if named {
						inputs = append(inputs, name)
					}
				}
				said, warned := "", ""
				res, loaded, err := importtest.ImportAll(t, Importers["csv"], inputs, func(o *workload.Options) {
					o.Note, o.Warn = func(m string) { said += m + "\n" }, func(m string) { warned += m + "\n" }
				})
				if tt.err != "" && named {
					if err == nil || !strings.Contains(err.Error(), tt.err) {
						t.Errorf("error %v, want %q", err, tt.err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if tt.err != "" {
					if want := tt.err; !strings.Contains(warned, want) || !strings.Contains(warned, "; no node of it is used") || res.Counts.Kept["listed_nodes"] != 0 {
						t.Errorf("warned of %q, want %q", warned, want)
					}
					return
				}
				var hosts []string
				for _, n := range loaded.Nodes {
					hosts = append(hosts, n.Host)
				}
				if got := strings.Join(hosts, " "); got != tt.hosts || !strings.Contains(said, tt.said) || !strings.Contains(warned, tt.warned) || tt.warned == "" && strings.Contains(warned, "lists of nodes") || strings.Contains(said+warned, "not read") || strings.Contains(warned, "same bytes") {
					t.Errorf("nodes %s, want %s; said %q, want %q; warned of %q, want %q", got, tt.hosts, said, tt.said, warned, tt.warned)
				}
			})
		}
	}
}
