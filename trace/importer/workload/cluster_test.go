package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/trace"
)

// onHosts is sample with hosts on which its maps ran.
func onHosts(hosts ...string) *Application {
	a := sample("a", 1000)
	t := &a.Job.Stages[0].Tasks
	for i := range t.Len() {
		t.RecordedNode = append(t.RecordedNode, a.Host(hosts[i%len(hosts)]))
		t.RecordedLocality = append(t.RecordedLocality, "NODE_LOCAL")
	}
	return a
}

func hosts(nodes []trace.Node) string {
	var all []string
	for _, n := range nodes {
		all = append(all, fmt.Sprintf("%s%s:%d:%d:%t", n.Rack, "/"+n.Host, n.MemMiB, n.VCores, n.Present))
	}
	return strings.Join(all, " ")
}

// A cluster on which the largest container has no room is warned of; on one node it wants an application master beside it.
func TestWhatNeverFits(t *testing.T) {
	for _, tt := range []struct {
		nodes  int
		memMiB int64
		vcores int32
		want   string // of the warning, if any
	}{
		{2, 1024, 1, ""},
		{1, 2048, 2, ""},
		{1, 65536, 1, "containers take up to 2 GiB and 2 vcores with an application master beside them, and nodes have at most 64 GiB and 1 vcore"},
		{1, 1024, 16, "nodes have at most 1 GiB and 16 vcores"},
		{2, 512, 16, "containers take up to 1 GiB and 1 vcore, and nodes have at most 512 MiB and 16 vcores"},
	} {
		_, warned, err := importLines(t, "10\n", func(o *Options) { o.Nodes, o.NodeMemMiB, o.NodeVCores = tt.nodes, tt.memMiB, tt.vcores })
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(warned, "\n"); !strings.Contains(all, tt.want) || (all == "") != (tt.want == "") {
			t.Errorf("%+v: warned %q", tt, all)
		}
	}
}

func TestClusters(t *testing.T) {
	withNodes := func(b *Builder) error {
		b.AddNode(trace.Node{Host: "n1", Rack: "/r1", MemMiB: 100, VCores: 3, Present: true})
		b.AddNode(trace.Node{Host: "n2"})
		b.AddEvent("n2", trace.NewNodeEvent(1500, trace.Unset, trace.Join))
		b.AddEvent("n1", trace.NewNodeEvent(800, trace.Unset, trace.Fail))
		_, err := b.Add(onHosts("n1", "x"))
		return err
	}
	for _, tt := range []struct {
		name   string
		format Format
		change func(*Options)
		want   string
	}{
		{"recorded hosts whose containers are unknown", of(onHosts("b", "a")), func(o *Options) { o.Nodes = 0 },
			"/default-rack/a:65536:16:true /default-rack/b:65536:16:true"},
		{"recorded hosts, sizes and racks given", of(onHosts("b", "a")), func(o *Options) { o.Nodes, o.NodeMemMiB, o.NodeVCores, o.Racks = 0, 7, 8, 2 },
			"/rack1/a:7:8:true /rack2/b:7:8:true"},
		{"a given cluster", of(onHosts("b")), func(o *Options) { o.Nodes = 2 },
			"/default-rack/host1:65536:16:true /default-rack/host2:65536:16:true /not-in-the-cluster/b:65536:16:false"},
		{"nodes of the source, one size unknown", format(withNodes), func(o *Options) { o.Nodes = 0 },
			"/r1/n1:100:3:true /default-rack/n2:65536:16:false /not-in-the-cluster/x:100:3:false"},
		{"nodes of the source, a size given", format(withNodes), func(o *Options) { o.Nodes, o.NodeMemMiB = 0, 50 },
			"/r1/n1:50:3:true /default-rack/n2:50:16:false /not-in-the-cluster/x:50:3:false"},
		{"a given cluster in place of the source's", format(withNodes), func(o *Options) { o.Nodes = 1 },
			"/default-rack/host1:65536:16:true /not-in-the-cluster/n1:65536:16:false /not-in-the-cluster/x:65536:16:false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, m := made(t, tt.format, tt.change)
			if got := hosts(m.Nodes); got != tt.want {
				t.Errorf("nodes are\n%s, want\n%s", got, tt.want)
			}
			if n := m.Nodes[m.JobList[0].Stages[0].Tasks.RecordedNode[0]].Host; !strings.HasPrefix(n, "b") && !strings.HasPrefix(n, "n1") {
				t.Errorf("the first task ran on %s", n)
			}
			if d := res.Counts.Dropped["node_events_of_the_source"]; d > 0 && len(m.Events) > 0 {
				t.Errorf("%d events dropped, there are %v", d, m.Events)
			}
		})
	}
	_, m := made(t, format(withNodes), func(o *Options) { o.Nodes = 0 })
	if len(m.Events) != 2 || m.Events[0].Kind != trace.Fail || m.Events[0].TimeMS != 0 || m.Events[1].Node != 1 || m.Events[1].TimeMS != 700 || m.JobList[0].SubmitMS != 200 || m.OriginUnixMS != 800 {
		t.Errorf("origin %d, submitted at %d, events %+v", m.OriginUnixMS, m.JobList[0].SubmitMS, m.Events)
	}
	for _, tt := range []struct {
		name   string
		format Format
		change func(*Options)
		want   string
	}{
		{"events at recorded times", format(withNodes), func(o *Options) { o.Arrivals = "fixed:1s" }, "arrivals is fixed:1s, want recorded"},
		{"an event of nobody", format(func(b *Builder) error {
			b.AddEvent("z", trace.NewNodeEvent(0, trace.Unset, trace.Fail))
			b.AddNode(trace.Node{Host: "n", Present: true})
			_, err := b.Add(sample("a", 0))
			return err
		}), nil, `fail of host "z", want a node of the cluster, which has 1`},
	} {
		if err := refused(t, tt.format, tt.change); !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error is %v, want %q", tt.name, err, tt.want)
		}
	}
}

// A node has room for each executor that was recorded on it, also one that was never there with another or came after the end.
func TestNodesHoldEachExecutor(t *testing.T) {
	var r residents
	late := trace.Executor{AddedMS: 2000, RemovedMS: trace.Unset, MemMiB: 1500, VCores: 12}
	a := &Application{Hosts: []string{"a"}, Executors: []trace.Executor{late}}
	a.Job.Kind, a.Job.RecordedFinishMS, a.Job.AMMemMiB, a.Job.AMVCores = trace.KindSpark, 1000, 1024, 1
	r.add(r.of(a))
	if size, _ := r.most(); size != (shape{3072, 13}) {
		t.Errorf("a node is of %+v, want 3072 MiB and 13 vcores", size)
	}
}

// What is asked for is given in whole GiB: a node has room for that of each container, not for the sum of what was asked.
func TestNodesHoldWhatYARNGives(t *testing.T) {
	var r residents
	x := trace.Executor{RemovedMS: trace.Unset, MemMiB: 2432, VCores: 1}
	a := &Application{Hosts: []string{"a"}, Executors: []trace.Executor{x, x}}
	a.Job.Kind, a.Job.RecordedFinishMS, a.Job.AMMemMiB, a.Job.AMVCores = trace.KindSpark, 1000, 896, 1
	r.add(r.of(a))
	if size, _ := r.most(); size != (shape{2*3072 + 1024, 3}) {
		t.Errorf("a node is of %+v, want 7168 MiB and 3 vcores", size)
	}
}

// A format without hosts takes its nodes from the options, and has no blocks but those that are placed.
func TestNoHosts(t *testing.T) {
	f := of(sample("a", 0))
	if err := refused(t, f, func(o *Options) { o.Nodes = 4 }); !strings.Contains(err.Error(), "observed hosts are the recorded ones") {
		t.Error(err)
	}
	f.NoHosts = true
	for blocks, want := range map[string]string{"observed": trace.LocalityNone, "none": trace.LocalityNone, "hdfs": trace.LocalityModelled} {
		_, m := made(t, f, func(o *Options) { o.Blocks = blocks })
		if placed := m.JobList[0].Stages[0].Tasks.PrefStart != nil; m.LocalitySource != want || len(m.Nodes) != 6 || placed != (blocks == "hdfs") {
			t.Errorf("blocks %s: source %s, %d nodes, blocks placed %t", blocks, m.LocalitySource, len(m.Nodes), placed)
		}
	}
}

// Where neither the source nor an option has nodes, there are as many as the work keeps busy by half, on which the largest gang and its application master run,
// of the size that the options or the format say.
func TestEnoughNodes(t *testing.T) {
	app := func(kind string, submitMS, ms int64, tasks int, size shape) *Application {
		a := sample(fmt.Sprint(submitMS), submitMS)
		a.Job.Kind, a.Job.Stages = kind, a.Job.Stages[:1]
		s := &a.Job.Stages[0]
		s.FileID, a.Files, s.TaskMemMiB, s.TaskVCores, s.Tasks = trace.Unset, nil, size.memMiB, size.vcores, trace.NewTasks(tasks)
		for i := range s.Tasks.DurationMS {
			s.Tasks.DurationMS[i] = ms
		}
		return a
	}
	last := app(trace.KindGeneric, 1_000_000, 0, 1, shape{1024, 1})
	for _, tt := range []struct {
		name   string
		app    *Application
		change func(*Options)
		nodes  int
		load   string // of vcores and memory
	}{
		{"by vcores", app(trace.KindGeneric, 0, 10_000, 16*80*10, shape{1024, 1}), nil, 16, "on which the offered load is 50.0 % of the vcores and 12.5 % of the memory"},
		{"by memory", app(trace.KindGeneric, 0, 10_000, 16*80*10, shape{8192, 1}), nil, 32, "25.0 % of the vcores and 50.0 % of the memory"},
		{"of other nodes", app(trace.KindGeneric, 0, 10_000, 16*80*10, shape{1024, 1}), func(o *Options) { o.NodeVCores = 4 }, 64, "50.0 % of the vcores and 3.1 % of the memory"},
		{"of copies", app(trace.KindGeneric, 0, 10_000, 16*80*10, shape{1024, 1}), func(o *Options) { o.Copies = 3 }, 48, "50.0 % of the vcores and 12.5 % of the memory"},
		{"at other times", app(trace.KindGeneric, 0, 10_000, 16*80*10, shape{1024, 1}), func(o *Options) { o.Arrivals = "fixed:500s" }, 32, "50.0 % of the vcores and 12.5 % of the memory"},
		{"for a large container", app(trace.KindGeneric, 0, 10, 1, shape{100_000, 40}), nil, 1, "of 128 GiB and 64 vcores, on which the offered load is 0.0006 % of the vcores and 0.0008 % of the memory"},
		{"for a gang", app(trace.KindGang, 0, 10, 100, shape{30_000, 1}), nil, 51, "0.0001 % of the vcores and 0.0009 % of the memory"},
		{"at once", app(trace.KindGeneric, 0, 10_000, 64, shape{1024, 1}), func(o *Options) { o.Limit = 1 }, 8, "which the work keeps busy by 50.0 % of the vcores and 12.5 % of the memory as long as its longest task runs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, m := made(t, of(tt.app, last), func(o *Options) {
				o.Nodes = 0
				if tt.change != nil {
					tt.change(o)
				}
			})
			if len(m.Nodes) != tt.nodes || res.Counts.Modelled["nodes"] != int64(tt.nodes) || len(res.Counts.Notes) != 1 || !strings.Contains(res.Counts.Notes[0], tt.load) {
				t.Errorf("%d nodes, %s, %v; want %d and %s", len(m.Nodes), hosts(m.Nodes[:1]), res.Counts.Notes, tt.nodes, tt.load)
			}
		})
	}
	var warned []string
	hear := func(o *Options) { o.Nodes, o.Warn = 1, func(m string) { warned = append(warned, m) } }
	_, m := made(t, of(app(trace.KindGeneric, 0, 10, 1, shape{64 << 10, 16}), last), hear)
	if want := "nodes are of 128 GiB and 32 vcores and not of 64 GiB and 16 vcores: the largest container asks for 64 GiB and 16 vcores, and an application master beside it for 2 GiB and 1 vcore;"; len(warned) != 1 || !strings.HasPrefix(warned[0], want) {
		t.Errorf("of nodes that are larger for one container is warned %q, want %q", warned, want)
	}
	warned = nil
	made(t, of(app(trace.KindGeneric, 0, 10, 1, shape{32 << 10, 8}), last), hear)
	made(t, of(app(trace.KindGeneric, 0, 10, 1, shape{64 << 10, 16}), last), func(o *Options) { hear(o); o.NodeMemMiB, o.NodeVCores = 128<<10, 32 })
	if warned != nil {
		t.Errorf("of nodes that are as they were to be is warned %q", warned)
	}
	if got := hosts(m.Nodes); got != "/default-rack/host1:131072:32:true" {
		t.Errorf("a node for a container of its own size is %s", got)
	}
	_, m = made(t, format(func(b *Builder) error {
		b.Machine(1<<20, 100)
		_, err := b.Add(last)
		return err
	}), func(o *Options) { o.Nodes = 0 })
	if got := hosts(m.Nodes); got != "/default-rack/host1:1048576:100:true" {
		t.Errorf("nodes of the format's own size are %s", got)
	}
}

func TestPlacedBlocks(t *testing.T) {
	res, m := made(t, of(onHosts("h1"), sample("b", 2000)), func(o *Options) {
		o.Blocks, o.Nodes, o.Racks, o.Replication = "hdfs", 12, 4, 3
	})
	if m.LocalitySource != trace.LocalityModelled || len(m.Nodes) != 13 || res.Counts.Modelled["tasks_with_placed_blocks"] != 10 {
		t.Errorf("source %s, %d nodes, modelled %v", m.LocalitySource, len(m.Nodes), res.Counts.Modelled)
	}
	for i := range 5 {
		p := m.JobList[0].Stages[0].Tasks.Prefs(i)
		if len(p) != 3 || m.Nodes[p[0]].RackID == m.Nodes[p[1]].RackID || m.Nodes[p[1]].RackID != m.Nodes[p[2]].RackID {
			t.Errorf("block %d is on %v", i, p)
		}
	}
	if s := m.JobList[0].Stages[1]; s.Tasks.PrefStart != nil {
		t.Errorf("a stage without input prefers %v", s.Tasks.Pref)
	}
	a, b := m.JobList[0].Stages[0], m.JobList[1].Stages[0]
	if slices.Equal(a.Tasks.Pref, b.Tasks.Pref) || a.FileID != 0 || b.FileID != 1 || m.Files[1].Name != "b:/in" || m.Files[1].Blocks != 5 || m.Files[1].Bytes != 440 || m.Files[1].BlockBytes != 100 {
		t.Errorf("files of two applications are %+v, placed at %v and %v", m.Files, a.Tasks.Pref, b.Tasks.Pref)
	}
}

// A shared file is one file of the trace, as large as its largest reader says, with its blocks where all find them.
func TestSharedFiles(t *testing.T) {
	reading := func(id string, tasks int) *Application {
		a := sample(id, 0)
		a.Files, a.file = nil, nil
		s := &a.Job.Stages[0]
		s.Tasks = trace.Tasks{DurationMS: make([]int64, tasks), InputBytes: slices.Repeat([]int64{64}, tasks)}
		a.ReadFile(s, "/own", false)
		a.ReadFile(s, "/popular", true)
		return a
	}
	_, m := made(t, format(func(b *Builder) error {
		b.AddFile(trace.File{Name: "/unread", Bytes: 1, BlockBytes: 1, Blocks: 1, Replication: 2})
		for i, tasks := range []int{2, 7, 4} {
			if _, err := b.Add(reading(fmt.Sprint(i), tasks)); err != nil {
				return err
			}
		}
		return nil
	}), func(o *Options) { o.Blocks, o.Nodes, o.Copies = "hdfs", 9, 2 })
	var names []string
	for _, f := range m.Files {
		names = append(names, fmt.Sprintf("%s:%d", f.Name, f.Blocks))
	}
	if got := strings.Join(names, " "); got != "/unread:1 /popular:7 0:/own:2 1:/own:7 2:/own:4 0#1:/own:2 1#1:/own:7 2#1:/own:4" {
		t.Errorf("files are %s", got)
	}
	var most *trace.Tasks
	for _, j := range m.JobList {
		if s := &j.Stages[0]; s.Tasks.Len() == 7 {
			most = &s.Tasks
		}
	}
	for _, j := range m.JobList {
		s := &j.Stages[0]
		if s.FileID != 1 {
			t.Errorf("%s reads file %d", j.ExternalID, s.FileID)
		}
		for i := range s.Tasks.Len() {
			if !slices.Equal(s.Tasks.Prefs(i), most.Prefs(i)) || len(s.Tasks.Prefs(i)) != 3 {
				t.Errorf("%s finds block %d on %v, another on %v", j.ExternalID, i, s.Tasks.Prefs(i), most.Prefs(i))
			}
		}
	}
}

// What a source says of preferred hosts is kept, unless other blocks are asked for.
func TestPreferencesOfTheSource(t *testing.T) {
	f := format(func(b *Builder) error {
		b.Locality = trace.LocalityRecorded
		for _, h := range []string{"n1", "n2"} {
			b.AddNode(trace.Node{Host: h, Present: true})
		}
		a := onHosts("n1")
		x, y := a.Host("n2"), a.Host("outside")
		a.Job.Stages[0].Tasks.SetPrefs([][]int32{{x, y}, {x}, nil, nil, {y}})
		_, err := b.Add(a)
		return err
	})
	for blocks, want := range map[string]string{"observed": "recorded [n2 outside] [n2] [] [] [outside]", "none": "none [] [] [] [] []"} {
		_, m := made(t, f, func(o *Options) { o.Nodes, o.Blocks = 0, blocks })
		got := m.LocalitySource
		for i := range 5 {
			var names []string
			for _, n := range m.JobList[0].Stages[0].Tasks.Prefs(i) {
				names = append(names, m.Nodes[n].Host)
			}
			got += fmt.Sprint(" ", names)
		}
		if got != want {
			t.Errorf("blocks %s: %s, want %s", blocks, got, want)
		}
	}
	res, m := made(t, f, func(o *Options) { o.Nodes, o.Blocks, o.Replication = 0, "hdfs", 2 })
	if p := m.JobList[0].Stages[0].Tasks.Prefs(2); len(p) != 2 || slices.Contains(p, 2) || res.Counts.Modelled["preferred_hosts_outside_the_cluster"] != 1 {
		t.Errorf("placed again a block is on %v of %s, modelled %v", p, hosts(m.Nodes), res.Counts.Modelled)
	}
}

func TestObserve(t *testing.T) {
	c := newCluster()
	for i := range 9 {
		c.add(trace.Node{Host: fmt.Sprint("h", i), Rack: fmt.Sprint("/rack", i%3), MemMiB: 1, VCores: 1, Present: true})
	}
	p := preferences{mode: "observed", seed: 1, cluster: c, replication: 3, counts: NewCounts()}
	s := &trace.Stage{Tasks: trace.Tasks{
		DurationMS: make([]int64, 5), RecordedNode: []int32{4, 4, 4, 4, trace.Unset},
		RecordedLocality: []string{"NODE_LOCAL", "RACK_LOCAL", "ANY", "PROCESS_LOCAL", ""},
	}}
	got := p.observe(s, "app")
	if len(got[0]) != 3 || got[0][0] != 4 || slices.Contains(got[0][1:], 4) {
		t.Errorf("NODE_LOCAL on 4 gives %v", got[0])
	}
	slices.Sort(got[1])
	if !slices.Equal(got[1], []int32{1, 7}) {
		t.Errorf("RACK_LOCAL on 4 of rack {1, 4, 7} gives %v", got[1])
	}
	if len(got[2]) != 3 || slices.ContainsFunc(got[2], func(n int32) bool { return n%3 == 1 }) {
		t.Errorf("ANY on 4 gives %v", got[2])
	}
	if len(got[3])+len(got[4]) > 0 {
		t.Errorf("PROCESS_LOCAL and unknown give %v, %v", got[3], got[4])
	}
	if again := p.observe(s, "app"); fmt.Sprint(again[0], again[2]) != fmt.Sprint(got[0], got[2]) {
		t.Errorf("the second answer is %v, the first %v", again, got)
	}
}
