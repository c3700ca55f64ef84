// Package livetest serves what a small cluster answers over REST, for tests: a ResourceManager, Spark's history server and
// WebHDFS under one address. Names and shapes are those of the REST documents of Hadoop 3.4.1 and Spark 3.5.5.
package livetest

import (
	"archive/zip"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Cluster is what is there. A test changes it under its lock.
type Cluster struct {
	sync.Mutex
	URL       string
	Nodes     []map[string]any
	Apps      []map[string]any
	Scheduler string                       // the answer of /ws/v1/cluster/scheduler
	Logs      map[string]map[string][]byte // application -> file -> content
	Listed    bool                         // the history server knows the logs
	Expiry    string                       // yarn.nm.liveness-monitor.expiry-interval-ms, if it is set
	Blocks    map[string][]map[string]any  // file of HDFS -> its blocks, as GETFILEBLOCKLOCATIONS has them
	Before    http.HandlerFunc             // sees each request first; one that it answers is not answered again
	Asked     []string                     // paths, with op of WebHDFS
}

// Node is a node of /ws/v1/cluster/nodes.
func Node(host, rack, state string, memMiB, vcores int64) map[string]any {
	return map[string]any{"id": host + ":45454", "nodeHostName": host, "rack": rack, "state": state, "lastHealthUpdate": int64(1_700_000_000_000), "nodeHTTPAddress": host + ":8042",
		"numContainers": 0, "usedMemoryMB": 0, "availMemoryMB": memMiB, "usedVirtualCores": 0, "availableVirtualCores": vcores, "version": "3.4.1", "healthReport": ""}
}

// App is an application of /ws/v1/cluster/apps.
func App(id, name, user, queue, state string, started, launched, finished int64) map[string]any {
	final := "UNDEFINED"
	if state == "FINISHED" {
		final = "SUCCEEDED"
	}
	return map[string]any{"id": id, "user": user, "name": name, "queue": queue, "state": state, "finalStatus": final, "applicationType": "SPARK", "priority": 0,
		"startedTime": started, "launchTime": launched, "finishedTime": finished, "memorySeconds": 1000, "vcoreSeconds": 10,
		"diagnostics": "user's own words", "trackingUrl": "http://proxy/" + id, "amContainerLogs": "http://node/logs"}
}

// Fair is the answer of a FairScheduler with two queues, of weights 1 and 3.
const Fair = `{"scheduler":{"schedulerInfo":{"type":"fairScheduler","rootQueue":{"queueName":"root","maxApps":2147483647,"schedulingPolicy":"fair","preemptable":true,
 "minResources":{"memory":0,"vCores":0},"maxResources":{"memory":16384,"vCores":16},"clusterResources":{"memory":16384,"vCores":16},
 "childQueues":{"queue":[
  {"queueName":"root.etl","maxApps":2147483647,"schedulingPolicy":"fair","preemptable":true,"minResources":{"memory":0,"vCores":0},"maxResources":{"memory":16384,"vCores":16},"steadyFairResources":{"memory":12287,"vCores":0}},
  {"queueName":"root.adhoc","maxApps":5,"schedulingPolicy":"drf","preemptable":false,"minResources":{"memory":1024,"vCores":1},"maxResources":{"memory":8192,"vCores":16},"steadyFairResources":{"memory":4096,"vCores":0}}]}}}}}`

// Capacity is the answer of a CapacityScheduler with two queues.
const Capacity = `{"scheduler":{"schedulerInfo":{"type":"capacityScheduler","queueName":"root","capacity":100.0,"maxCapacity":100.0,"queues":{"queue":[
 {"type":"capacitySchedulerLeafQueueInfo","queueName":"prod","capacity":70.00001,"maxCapacity":100.0,"mode":"percentage","state":"RUNNING","orderingPolicyInfo":"fair","userLimit":50,"userLimitFactor":2.0},
 {"type":"capacitySchedulerLeafQueueInfo","queueName":"dev","capacity":30.0,"maxCapacity":60.0,"mode":"percentage","state":"RUNNING","orderingPolicyInfo":"fifo","userLimit":100,"userLimitFactor":1.0}]}}}}`

// New is a cluster of two nodes.
func New() *Cluster {
	return &Cluster{Scheduler: Fair, Listed: true, Logs: map[string]map[string][]byte{},
		Nodes: []map[string]any{Node("node01", "/rack1", "RUNNING", 8192, 8), Node("node02", "/rack2", "RUNNING", 8192, 8)}}
}

// Started is a new cluster that is served until the test ends.
func Started(t testing.TB) *Cluster {
	c := New()
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	c.URL = s.URL
	return c
}

// written tells whether an answer was begun.
type written struct {
	http.ResponseWriter
	begun bool
}

func (w *written) WriteHeader(code int) {
	w.begun = true
	w.ResponseWriter.WriteHeader(code)
}

func (w *written) Write(b []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(b)
}

// Flush is as of [http.Flusher].
func (w *written) Flush() {
	w.begun = true
	http.NewResponseController(w.ResponseWriter).Flush()
}

// ServeHTTP is as of [http.Handler].
func (c *Cluster) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	c.Lock()
	defer c.Unlock()
	w := &written{ResponseWriter: to}
	asked := r.URL.Path
	if op := r.URL.Query().Get("op"); op != "" {
		asked += "?" + op
	}
	c.Asked = append(c.Asked, asked)
	if c.Before != nil {
		if c.Before(w, r); w.begun {
			return
		}
	}
	if r.Method != http.MethodGet {
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
		return
	}
	answer := func(v any) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v)
	}
	rest, isApp := strings.CutPrefix(r.URL.Path, "/ws/v1/cluster/apps/")
	logs, isHistory := strings.CutPrefix(r.URL.Path, "/api/v1/applications/")
	file, isHDFS := strings.CutPrefix(r.URL.Path, "/webhdfs/v1/spark-events")
	switch p := r.URL.Path; {
	case p == "/ws/v1/cluster/info":
		answer(map[string]any{"clusterInfo": map[string]any{"id": 1, "startedOn": int64(1_699_999_000_000), "state": "STARTED", "haState": "ACTIVE", "hadoopVersion": "3.4.1"}})
	case p == "/ws/v1/cluster/scheduler":
		w.Write([]byte(c.Scheduler))
	case p == "/ws/v1/cluster/scheduler-conf":
		http.Error(w, "This API only works with scheduler whose configuration is mutable", http.StatusBadRequest)
	case p == "/conf":
		key := func(key, value, resource string) any {
			return map[string]any{"key": key, "value": value, "isFinal": false, "resource": resource}
		}
		properties := []any{
			key("yarn.scheduler.minimum-allocation-mb", "512", "yarn-site.xml"), key("yarn.scheduler.maximum-allocation-mb", "8192", "yarn-default.xml"),
			key("yarn.resourcemanager.max-completed-applications", "1000", "yarn-default.xml"), key("yarn.web.ssl.password", "hunter2", "yarn-site.xml"),
			key("yarn.resourcemanager.scheduler.class", "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler", "yarn-site.xml"),
			key("yarn.scheduler.fair.allocation.file", "/etc/hadoop/alloc.xml", "yarn-site.xml"), key("fs.s3a.secret.key", "hunter2", "core-site.xml"), key("dfs.replication", "3", "hdfs-default.xml")}
		if c.Expiry != "" {
			properties = append(properties, key("yarn.nm.liveness-monitor.expiry-interval-ms", c.Expiry, "yarn-site.xml"))
		}
		answer(map[string]any{"properties": properties})
	case p == "/ws/v1/cluster/nodes":
		answer(map[string]any{"nodes": map[string]any{"node": c.Nodes}})
	case p == "/ws/v1/cluster/apps" && len(c.Apps) == 0:
		answer(map[string]any{"apps": nil})
	case p == "/ws/v1/cluster/apps":
		answer(map[string]any{"apps": map[string]any{"app": c.Apps}})
	case isApp:
		id, _, _ := strings.Cut(rest, "/")
		at := slices.IndexFunc(c.Apps, func(a map[string]any) bool { return a["id"] == id })
		if at < 0 {
			http.NotFound(w, r)
			return
		}
		short := strings.TrimPrefix(id, "application_")
		answer(map[string]any{"appAttempts": map[string]any{"appAttempt": []any{map[string]any{"id": 1, "startTime": c.Apps[at]["startedTime"].(int64) + 50, "finishedTime": c.Apps[at]["finishedTime"],
			"containerId": "container_" + short + "_01_000001", "nodeId": "node01:45454", "appAttemptId": "appattempt_" + short + "_000001"}}}})
	case p == "/api/v1/version":
		answer(map[string]any{"spark": "3.5.5"})
	case isHistory:
		id, archive := strings.CutSuffix(logs, "/logs")
		switch {
		case !c.Listed || c.Logs[id] == nil:
			http.Error(w, "unknown app", http.StatusNotFound)
		case archive:
			z := zip.NewWriter(w)
			for _, name := range slices.Sorted(maps.Keys(c.Logs[id])) {
				f, _ := z.Create(name)
				f.Write(c.Logs[id][name])
			}
			z.Close()
		default:
			answer(map[string]any{"id": id, "name": id, "attempts": []any{map[string]any{"attemptId": "1", "completed": true}}})
		}
	case isHDFS && r.URL.Query().Get("op") == "LISTSTATUS":
		c.list(strings.Trim(file, "/"), answer)
	case isHDFS && r.URL.Query().Get("op") == "OPEN" && r.URL.Query().Get("datanode") == "":
		u := *r.URL
		q := u.Query()
		q.Set("datanode", "1")
		u.RawQuery = q.Encode()
		http.Redirect(w, r, u.String(), http.StatusTemporaryRedirect)
	case isHDFS:
		for _, files := range c.Logs {
			if b, ok := files[strings.Trim(file, "/")]; ok {
				w.Write(b)
				return
			}
		}
		http.NotFound(w, r)
	case strings.HasPrefix(r.URL.Path, "/webhdfs/v1/"):
		c.input(strings.TrimPrefix(r.URL.Path, "/webhdfs/v1"), r.URL.Query().Get("op"), w, answer)
	default:
		http.NotFound(w, r)
	}
}

// Block is a block of a file of HDFS.
func Block(offset, length int64, hosts ...string) map[string]any {
	var paths []string
	for _, h := range hosts {
		paths = append(paths, "/rack1/"+h+":9866")
	}
	return map[string]any{"offset": offset, "length": length, "hosts": hosts, "topologyPaths": paths, "corrupt": false, "cachedHosts": []string{}}
}

// input answers what is asked of a file or folder.
func (c *Cluster) input(name, op string, w http.ResponseWriter, answer func(any)) {
	length := func(blocks []map[string]any) (n int64) {
		for _, b := range blocks {
			n += b["length"].(int64)
		}
		return n
	}
	blocks, isFile := c.Blocks[name]
	var below []any
	for _, f := range slices.Sorted(maps.Keys(c.Blocks)) {
		if path.Dir(f) == name {
			below = append(below, map[string]any{"pathSuffix": path.Base(f), "type": "FILE", "length": length(c.Blocks[f])})
		}
	}
	switch {
	case !isFile && below == nil:
		w.WriteHeader(http.StatusNotFound)
		answer(map[string]any{"RemoteException": map[string]any{"exception": "FileNotFoundException"}})
	case op == "GETFILEBLOCKLOCATIONS":
		answer(map[string]any{"BlockLocations": map[string]any{"BlockLocation": blocks}})
	case op == "GETFILESTATUS" && isFile:
		answer(map[string]any{"FileStatus": map[string]any{"pathSuffix": "", "type": "FILE", "length": length(blocks)}})
	case op == "GETFILESTATUS":
		answer(map[string]any{"FileStatus": map[string]any{"pathSuffix": "", "type": "DIRECTORY", "length": 0}})
	default:
		answer(map[string]any{"FileStatuses": map[string]any{"FileStatus": below}})
	}
}

// list answers LISTSTATUS.
func (c *Cluster) list(dir string, answer func(any)) {
	all := map[string]any{}
	for _, files := range c.Logs {
		for name, b := range files {
			if d := path.Dir(name); d == dir || dir == "" && d == "." {
				all[path.Base(name)] = map[string]any{"pathSuffix": path.Base(name), "type": "FILE", "length": len(b)}
			} else if dir == "" {
				all[d] = map[string]any{"pathSuffix": d, "type": "DIRECTORY", "length": 0}
			}
		}
	}
	var list []any
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[name])
	}
	answer(map[string]any{"FileStatuses": map[string]any{"FileStatus": list}})
}
