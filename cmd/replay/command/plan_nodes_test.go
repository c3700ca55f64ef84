package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A number of nodes of a trace whose nodes differ is told with their sizes, in text and for programs; of nodes that are alike nothing is said.
func TestPlanTellsSizesOfNodes(t *testing.T) {
	dir := t.TempDir()
	node := func(name string, mib, vcores int) string {
		return fmt.Sprintf(`{"rack":"/r1","state":"RUNNING","id":"%s:1","nodeHostName":%[1]q,"usedMemoryMB":0,"availMemoryMB":%d,"usedVirtualCores":0,"availableVirtualCores":%d}`, name, mib, vcores)
	}
	jobs := written(t, "jobs.csv", "job,submit,tasks,duration\na,0,40,60\nb,10,40,60\nc,20,40,60\n")
	const said = "The nodes of the trace are of 2 sizes: of nodes = 5 there are 4 of 8,192 MiB and 4 vcores, 1 of 65,536 MiB and 32 vcores. Added ones are like those of the trace in turn"
	for name, tt := range map[string]struct {
		large int
		told  bool
	}{"of two sizes": {32, true}, "alike": {4, false}} {
		list := written(t, "nodes.json", `{"nodes":{"node":[`+strings.Join([]string{node("n1", 8192, 4), node("n2", 8192, 4), node("n3", 2048*tt.large, tt.large)}, ",")+`]}}`)
		trace := filepath.Join(dir, name)
		must(t, "import", "csv", jobs, list, "--out", trace)
		args := []string{"plan", trace, "--hold", "mean(wait) < 1h", "--vary", "nodes=5:9:4", "--max-seeds", "5", "-q"}
		for _, more := range [][]string{nil, {"--json"}} {
			text := strings.Join(strings.Fields(must(t, append(args, more...)...)), " ")
			if strings.Contains(text, said) != tt.told || strings.Contains(text, "sizes") != tt.told {
				t.Errorf("%s %v: want %q: %v, in\n%s", name, more, said, tt.told, text)
			}
		}
	}
}
