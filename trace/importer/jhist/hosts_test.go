package jhist

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// The nodes are those on which something ran, each once, and those that tasks prefer; what only stands in a host's place is none.
func TestHosts(t *testing.T) {
	whole := strings.Join(fixture(t), "")
	const started = `{"type":"MAP_ATTEMPT_STARTED"`
	killed := `{"type":"MAP_ATTEMPT_KILLED","event":{"TaskAttemptUnsuccessfulCompletion":{"taskid":"task_1700000000000_0001_m_000000","taskType":"MAP","attemptId":"attempt_1700000000000_0001_m_000000_1","finishTime":0,"hostname":"UNKNOWN","port":-1,"rackname":{"string":"UNKNOWN"},"status":"KILLED","error":""}}}` + "\n"
	for _, tt := range []struct {
		name, text, want string
		none             int64
	}{
		{"as it is", whole, "h1 h2 h3", 0},
		{"an attempt that was stopped before it had a container", strings.Replace(whole, started, killed+started, 1), "h1 h2 h3", 0},
		{"a tracker of another name than its node", strings.ReplaceAll(whole, `"trackerName":"h1"`, `"trackerName":"h1.example"`), "h1 h2 h3", 0},
		{"a master on a host of its own", strings.Replace(whole, `"nodeManagerHost":"h1"`, `"nodeManagerHost":"h9"`, 1), "h1 h2 h3 h9", 0},
		{"a file system without hosts", strings.Replace(whole, `"splitLocations":"h1,h2,h1"`, `"splitLocations":"localhost"`, 1), "h1 h3", 1},
		{"any host will do", strings.Replace(whole, `"splitLocations":"h1,h2,h1"`, `"splitLocations":"*"`, 1), "h1 h3", 1},
		{"a cluster of one host", strings.NewReplacer(`"h1,h2,h1"`, `"localhost"`, `"h1"`, `"localhost"`, `"h3"`, `"localhost"`).Replace(whole), "localhost", 0},
	} {
		res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "job.jhist", tt.text), nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var hosts []string
		for _, n := range m.Nodes {
			hosts = append(hosts, n.Host)
		}
		slices.Sort(hosts)
		if got := strings.Join(hosts, " "); got != tt.want || res.Counts.Dropped["preferred_hosts_that_are_none"] != tt.none {
			t.Errorf("%s: %s, want %s; dropped %v", tt.name, got, tt.want, res.Counts.Dropped)
		}
		if prefers := len(m.JobList[0].Stages[0].Tasks.Prefs(0)) > 0; prefers != (tt.none == 0) {
			t.Errorf("%s: the first map prefers a host: %v", tt.name, prefers)
		}
	}
}

// Hosts of a history that is left out are no part of the cluster, and jobs of clusters that have none in common are warned of.
func TestClusters(t *testing.T) {
	whole := strings.Join(fixture(t), "")
	later := strings.NewReplacer("1700000", "1800000", `"h1,h2,h1"`, `"g1,g2"`, `"h1"`, `"g1"`, `"h3"`, `"g3"`).Replace(whole)
	dir := t.TempDir()
	importtest.Write(t, filepath.Join(dir, "a.jhist"), whole)
	importtest.Write(t, filepath.Join(dir, "b.jhist"), later)
	for _, tt := range []struct {
		from  int64
		nodes int
		said  bool
	}{{0, 6, true}, {1800000000000, 3, false}} {
		var warned []string
		_, m, err := importtest.Import(t, Format, dir, func(o *workload.Options) {
			o.Warn = func(m string) { warned = append(warned, m) }
			if tt.from > 0 {
				o.FromMS = tt.from
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(fmt.Sprint(warned), "the recordings seem to be of 2 clusters"); len(m.Nodes) != tt.nodes || said != tt.said || (m.Source.Clusters != nil) != tt.said {
			t.Errorf("from %d: %d nodes, want %d; warned %q", tt.from, len(m.Nodes), tt.nodes, warned)
		}
	}
}

// An attempt begins when its container has been started, so the start of its process is in its time and is not added again.
func TestTimesHaveTheStartOfProcesses(t *testing.T) {
	_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "job.jhist", strings.Join(fixture(t), "")), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range m.JobList[0].Stages {
		for i, ms := range s.Tasks.SchedDelayMS {
			if ms != 0 || s.Tasks.DurationMS[i] == 0 {
				t.Errorf("%s %d: %d ms before its %d ms of work, want none", s.Name, i, ms, s.Tasks.DurationMS[i])
			}
		}
		if len(s.Tasks.SchedDelayMS) == 0 {
			t.Errorf("%s: it is not known when its work begins", s.Name)
		}
	}
}

// Of several application masters the times of the last are the job's, and the others are counted; the priority is that of the configuration, unless it was changed.
func TestMastersAndPriority(t *testing.T) {
	all := fixture(t)
	whole := strings.Join(all, "")
	again := strings.Replace(all[3], "appattempt_1", "appattempt_2", 1)
	if !strings.Contains(again, "appattempt_2") {
		t.Fatal(again)
	}
	dir := t.TempDir()
	unchanged := strings.Replace(whole, all[6], "", 1)
	importtest.Write(t, filepath.Join(dir, "job_1700000000000_0001.jhist"), strings.Replace(unchanged, all[3], all[3]+again, 1))
	importtest.Write(t, filepath.Join(dir, "job_1700000000000_0001_conf.xml"), `<configuration><property><name>mapreduce.job.priority</name><value>VERY_HIGH</value></property></configuration>`)
	res, m, err := importtest.Import(t, Format, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.JobList[0].Priority != 5 || res.Counts.Dropped["application_masters_before_the_last"] != 1 {
		t.Errorf("priority %d, dropped %v", m.JobList[0].Priority, res.Counts.Dropped)
	}
}
