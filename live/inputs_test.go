package live

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"replay/live/livetest"
)

// reading is a cluster whose first application read paths.
func reading(t *testing.T, paths ...string) (*livetest.Cluster, Options) {
	c := busy(t)
	log := `{"Event":"SparkListenerLogStart"}` + "\n"
	for i, p := range paths {
		log += fmt.Sprintf(`{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":%d,"RDD Info":[{"RDD ID":1,"Name":"not a path","Parent IDs":[0]},{"RDD ID":0,"Name":%q,"Parent IDs":[]}]}}`, i, p) + "\n"
	}
	c.Logs[app1] = map[string][]byte{app1 + "_1": []byte(log)}
	c.Blocks = map[string][]map[string]any{
		"/in/a": {livetest.Block(0, 100, "node01", "node02"), livetest.Block(100, 7, "node02")},
		"/in/b": {livetest.Block(0, 50, "node01")}, "/in/_SUCCESS": {}, "/in/.x": {livetest.Block(0, 5, "node01")},
	}
	o := options(c, t.TempDir())
	o.WebHDFS = c.URL
	return c, o
}

func TestInputs(t *testing.T) {
	c, o := reading(t, "hdfs://nn:8020/in/a", "/in/", "/gone", "s3a://bucket/x", "/in/*", "ParallelCollectionRDD")
	r := record(t, o)
	want := `{"path":"/in","file":"/in/a","block":0,"offset":0,"length":100,"hosts":["node01","node02"],"racks":["/rack1","/rack1"]}
{"path":"/in","file":"/in/a","block":1,"offset":100,"length":7,"hosts":["node02"],"racks":["/rack1"]}
{"path":"/in","file":"/in/b","block":0,"offset":0,"length":50,"hosts":["node01"],"racks":["/rack1"]}
{"path":"/in/a","file":"/in/a","block":0,"offset":0,"length":100,"hosts":["node01","node02"],"racks":["/rack1","/rack1"]}
{"path":"/in/a","file":"/in/a","block":1,"offset":100,"length":7,"hosts":["node02"],"racks":["/rack1"]}
`
	if got := read(t, o.Out, "hdfs-blocks.jsonl"); got != want {
		t.Errorf("hdfs-blocks.jsonl has\n%s\nwant\n%s", got, want)
	}
	if n := r.Counts; n.Inputs != 3 || n.InputsUnknown != 1 {
		t.Errorf("counts are %+v, want 3 paths, of which one is not there", n)
	}
	c.Asked = nil
	record(t, o)
	for _, asked := range c.Asked {
		if strings.Contains(asked, "v1/in/") || strings.Contains(asked, "/gone") {
			t.Errorf("%s was asked again", asked)
		}
	}
}

// Of HDFS that is away or answers something else the recording says so; the rest of the poll counts.
func TestInputsMalformed(t *testing.T) {
	for _, x := range []struct{ name, answer, want string }{
		{"a gap", `{"BlockLocations":{"BlockLocation":[{"offset":0,"length":10,"hosts":[]},{"offset":90,"length":17,"hosts":[]}]}}`, "BlockLocation[1] is 17 bytes at 90, want the block after byte 10 of 107"},
		{"too short", `{"BlockLocations":{"BlockLocation":[{"offset":0,"length":10,"hosts":[]}]}}`, "the blocks end at byte 10, want 107"},
		{"another shape", `{"LocatedBlocks":{}}`, "BlockLocations is not there"},
		{"a wrong type", `{"BlockLocations":{"BlockLocation":[{"offset":"0"}]}}`, "offset is a text, want a whole number"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c, o := reading(t, "/in/a")
			notes := ""
			o.Note = func(m string) { notes += m + "\n" }
			c.Before = func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("op") == "GETFILEBLOCKLOCATIONS" {
					fmt.Fprint(w, x.answer)
				}
			}
			if r := record(t, o); r.Counts.InputsUnknown != 1 || r.Polls.Count != 1 || !strings.Contains(notes, x.want) || !strings.Contains(notes, app1) {
				t.Errorf("counts %+v, notes %q, want %s", r.Counts, notes, x.want)
			}
		})
	}
}
