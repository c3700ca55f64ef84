package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/engine/record"
	yarnconf "replay/engine/yarn/conf"
	"replay/trace"
)

// site is a Hadoop configuration file with these keys and values.
func site(kv ...string) []byte {
	var b strings.Builder
	b.WriteString("<configuration>\n")
	for i := 0; i < len(kv); i += 2 {
		fmt.Fprintf(&b, "<property><name>%s</name><value>%s</value></property>\n", kv[i], kv[i+1])
	}
	return []byte(b.String() + "</configuration>\n")
}

func resolve(t *testing.T, in Input, o Options) *Scenario {
	t.Helper()
	sc, err := New(in, o)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// allocations are those of the FairScheduler at the start.
func allocations(sc *Scenario) *yarnconf.Allocations { return sc.setup.(*fairSetup).allocations }

// A kind of configuration with two settings; read returns what is in force of both.
type layered struct {
	kind      string
	scheduler string
	file      func(first, second string) []byte // "" leaves a setting out
	key       func(o *Options, value string)    // sets the first; nil where no single key does
	values    [4]string                         // of the first: default, trace, file, key
	second    [2]string                         // default and another
	read      func(sc *Scenario) (first, second string)
}

func hadoop(first, second string) func(a, b string) []byte {
	return func(a, b string) []byte {
		var kv []string
		if a != "" {
			kv = append(kv, first, a)
		}
		if b != "" {
			kv = append(kv, second, b)
		}
		return site(kv...)
	}
}

func key(key string) func(o *Options, value string) {
	return func(o *Options, value string) {
		if o.Conf == nil {
			o.Conf = map[string]string{}
		}
		o.Conf[key] = value
	}
}

var kindsOfConfiguration = []layered{
	{
		kind:   YarnSite,
		file:   hadoop("yarn.nm.liveness-monitor.expiry-interval-ms", "yarn.scheduler.fair.max.assign"),
		key:    key("yarn.nm.liveness-monitor.expiry-interval-ms"),
		values: [4]string{"600000", "100000", "200000", "300000"}, second: [2]string{"-1", "7"},
		read: func(sc *Scenario) (string, string) {
			return fmt.Sprint(sc.Site.NodeExpiry), fmt.Sprint(sc.Site.MaxAssign)
		},
	},
	{
		kind: "capacity-scheduler.xml", scheduler: "capacity",
		file: func(a, b string) []byte {
			text := string(hadoop("yarn.scheduler.capacity.node-locality-delay", "yarn.scheduler.capacity.maximum-applications")(a, b))
			queues := string(site("yarn.scheduler.capacity.root.queues", "default", "yarn.scheduler.capacity.root.default.capacity", "100"))
			return []byte(strings.Replace(text, "<configuration>", strings.TrimSuffix(queues, "</configuration>\n"), 1))
		},
		key:    key("yarn.scheduler.capacity.node-locality-delay"),
		values: [4]string{"40", "1", "2", "3"}, second: [2]string{"10000", "77"},
		read: func(sc *Scenario) (string, string) {
			c, err := sc.setup.(*capacitySetup).read()
			if err != nil {
				return err.Error(), ""
			}
			return fmt.Sprint(c.NodeLocalityDelay), fmt.Sprint(c.MaxApplications)
		},
	},
	{
		kind: "fair-scheduler.xml",
		file: func(a, b string) []byte {
			text := "<allocations>"
			if a != "" {
				text += "<defaultQueueSchedulingPolicy>" + a + "</defaultQueueSchedulingPolicy>"
			}
			if b != "" {
				text += "<userMaxAppsDefault>" + b + "</userMaxAppsDefault>"
			}
			return []byte(text + "</allocations>")
		},
		key:    func(o *Options, value string) { o.Sharing = value },
		values: [4]string{"fair", "drf", "fair", "drf"}, second: [2]string{"2147483647", "9"},
		read: func(sc *Scenario) (string, string) {
			return allocations(sc).DefaultPolicy, fmt.Sprint(allocations(sc).UserMaxAppsDefault)
		},
	},
}

func TestLayers(t *testing.T) {
	for _, k := range kindsOfConfiguration {
		for mask := range 8 { // which of trace, file and key are there
			byTrace, byFile, byKey := mask&1 > 0, mask&2 > 0, mask&4 > 0
			t.Run(fmt.Sprintf("%s/trace=%v,file=%v,key=%v", k.kind, byTrace, byFile, byKey), func(t *testing.T) {
				in, o := Input{Files: Files{}}, Options{Scheduler: k.scheduler, Files: Files{}}
				want, second := k.values[0], k.second[0]
				if byTrace {
					in.Files[k.kind] = File{Text: k.file(k.values[1], k.second[1])}
					want, second = k.values[1], k.second[1]
				}
				if byFile {
					o.Files[k.kind] = File{Text: k.file(k.values[2], "")}
					want, second = k.values[2], k.second[0] // nothing of the trace's file is left
				}
				if byKey {
					k.key(&o, k.values[3])
					want = k.values[3]
				}
				first, other := k.read(resolve(t, in, o))
				if first != want || other != second {
					t.Errorf("in force are %s and %s, want %s and %s", first, other, want, second)
				}
			})
		}
	}
}

// Of the model and of Spark a trace has no file.
func TestLayersWithoutATrace(t *testing.T) {
	for mask := range 4 {
		byFile, byKey := mask&1 > 0, mask&2 > 0
		o := Options{Files: Files{}}
		ms, cores, of := int64(57), "", "default"
		if byFile {
			o.Files[ModelFile] = File{Name: "model", Text: []byte("# fitted\nkill-ms = 2\nstop-ms=5\n")}
			o.Files[SparkDefaults] = File{Text: []byte("spark.executor.cores 2\n")}
			ms, cores, of = 2, "2", "file"
		}
		if byKey {
			o.Parameters = map[string]string{"kill-ms": "3"}
			o.Conf = map[string]string{"spark.executor.cores": "3"}
			ms, cores, of = 3, "3", "key"
		}
		sc := resolve(t, Input{}, o)
		if sc.Model.KillMS != ms {
			t.Errorf("%s: kill-ms is %d, want %d", of, sc.Model.KillMS, ms)
		}
		got := sc.Spark().Defaults.Values["spark.executor.cores"]
		if v, ok := sc.Spark().Over[0].Values["spark.executor.cores"]; ok {
			got = v
		}
		if got != cores {
			t.Errorf("%s: spark.executor.cores is %q, want %q", of, got, cores)
		}
	}
	_, err := New(Input{}, Options{Files: Files{ModelFile: {Name: "mine.txt", Text: []byte("kill-ms=1\nkill-ms\n")}}})
	if err == nil || !strings.HasPrefix(err.Error(), "mine.txt:2: ") {
		t.Errorf("a model file with a broken line gives %v, want an error that names file and line", err)
	}
}

func TestKeysOfCapacitySchedulerInYarnSite(t *testing.T) {
	const key = "yarn.scheduler.capacity.node-locality-delay"
	file := site("yarn.scheduler.capacity.root.queues", "default", "yarn.scheduler.capacity.root.default.capacity", "100")
	both := site("yarn.scheduler.capacity.root.queues", "default", "yarn.scheduler.capacity.root.default.capacity", "100", key, "2")
	tests := []struct {
		name        string
		trace, user Files
		want        int32
	}{
		{"they count", nil, Files{YarnSite: {Text: site(key, "1")}}, 1},
		{"under the file", nil, Files{YarnSite: {Text: site(key, "1")}, "capacity-scheduler.xml": {Text: both}}, 2},
		{"with a file that is silent", nil, Files{YarnSite: {Text: site(key, "1")}, "capacity-scheduler.xml": {Text: file}}, 1},
		{"of the trace under its own file", Files{YarnSite: {Text: site(key, "1")}, "capacity-scheduler.xml": {Text: file}}, nil, 1},
		{"of the trace not under the user's file", Files{YarnSite: {Text: site(key, "1")}}, Files{"capacity-scheduler.xml": {Text: file}}, 40},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sc := resolve(t, Input{Files: tt.trace}, Options{Scheduler: "capacity", Files: tt.user})
			c, err := sc.setup.(*capacitySetup).read()
			if err != nil {
				t.Fatal(err)
			}
			if c.NodeLocalityDelay != tt.want {
				t.Errorf("%s is %d, want %d", key, c.NodeLocalityDelay, tt.want)
			}
		})
	}
}

// A file without queues is refused as by YARN: those of the trace do not stand in.
func TestCapacityFileWithoutQueues(t *testing.T) {
	in := Input{Queues: []trace.Queue{{Path: "root.a"}}}
	o := Options{Scheduler: "capacity", Files: Files{"capacity-scheduler.xml": {Name: "mine.xml", Text: site("yarn.scheduler.capacity.node-locality-delay", "1")}}}
	if _, err := New(in, o); err == nil || !strings.Contains(err.Error(), "mine.xml: yarn.scheduler.capacity.root.queues") {
		t.Errorf("error %v, want one that names the file and root.queues", err)
	}
	o.Files = nil
	o.Conf = map[string]string{"yarn.scheduler.capacity.node-locality-delay": "1"}
	if sc := resolve(t, in, o); sc.setup.Config()["yarn.scheduler.capacity.root.queues"] != "a" {
		t.Errorf("queues are %v, want those of the trace", sc.setup.Config())
	}
}

// warned returns the texts of the warnings with this code.
func warned(ws []record.Warning, code string) (texts []string) {
	for _, w := range ws {
		if w.Code == code {
			texts = append(texts, w.Text)
		}
	}
	return texts
}

func TestSchedulerThatYarnSiteNames(t *testing.T) {
	of := func(class string) File { return File{Name: "etc/yarn-site.xml", Text: site(keySchedulerClass, class)} }
	capacity, fair := of(Schedulers[1].Class), of(Schedulers[0].Class)
	tests := []struct {
		name        string
		flag, key   string
		trace, user *File
		want        string // scheduler, or the error
		warning     string
	}{
		{"nobody says", "", "", nil, nil, "fair", ""},
		{"the trace's file", "", "", &capacity, nil, "capacity", ""},
		{"the user's file", "", "", nil, &capacity, "capacity", ""},
		{"the user's file over the trace's", "", "", &capacity, &fair, "fair", ""},
		{"a flag over the trace's file", "fifo", "", &capacity, nil, "fifo", ""},
		{"a flag against the user's file", "fair", "", nil, &capacity, "fair", "--scheduler fair is used, although etc/yarn-site.xml: yarn.resourcemanager.scheduler.class is org.apache"},
		{"a flag that says the same", "capacity", "", nil, &capacity, "capacity", ""},
		{"a key over the file", "", Schedulers[2].Class, nil, &capacity, "fifo", ""},
		{"a key against the flag", "fair", Schedulers[2].Class, nil, nil, "fair", "--scheduler fair is used, although --conf yarn.resourcemanager.scheduler.class"},
		{"a file that names none", "", "", &capacity, &File{Name: "etc/yarn-site.xml", Text: site()}, "fair", "etc/yarn-site.xml names no scheduler"},
		{"a class of another", "", "", nil, &File{Name: "etc/yarn-site.xml", Text: site(keySchedulerClass, "org.example.S")},
			`etc/yarn-site.xml: yarn.resourcemanager.scheduler.class is "org.example.S": this scheduler is not modelled, want the FairScheduler, CapacityScheduler or FifoScheduler of Hadoop, or --scheduler fair, capacity, fifo or ideal`, ""},
		{"a class of another, and a flag", "capacity", "", nil, &File{Text: site(keySchedulerClass, "org.example.S")}, "capacity", "although yarn-site.xml: yarn.resourcemanager.scheduler.class is org.example.S"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, o := Input{Files: Files{}}, Options{Scheduler: tt.flag, Files: Files{}}
			if tt.trace != nil {
				in.Files[YarnSite] = *tt.trace
			}
			if tt.user != nil {
				o.Files[YarnSite] = *tt.user
			}
			if tt.key != "" {
				o.Conf = map[string]string{keySchedulerClass: tt.key}
			}
			sc, err := New(in, o)
			if err != nil {
				if err.Error() != tt.want {
					t.Errorf("error %q, want %q", err, tt.want)
				}
				return
			}
			if sc.Scheduler != tt.want || sc.Kind().Name != tt.want {
				t.Errorf("scheduler is %s, want %s", sc.Scheduler, tt.want)
			}
			texts := warned(sc.Warnings, "scheduler")
			if tt.warning == "" && len(texts) > 0 || tt.warning != "" && (len(texts) != 1 || !strings.Contains(texts[0], tt.warning)) {
				t.Errorf("warnings %q, want %q", texts, tt.warning)
			}
		})
	}
}

// What is given for a scheduler that does not run would have no effect.
func TestForeignSettingsAreRefused(t *testing.T) {
	capacity := map[string]string{"yarn.scheduler.capacity.node-locality-delay": "1"}
	tests := []struct {
		name string
		o    Options
		want string
	}{
		{"file of the capacity scheduler under fair", Options{Files: Files{"capacity-scheduler.xml": {Name: "c.xml", Text: site()}}},
			"--capacity-scheduler c.xml is for the CapacityScheduler, the scheduler is fair by the default: add --scheduler capacity"},
		{"keys of the capacity scheduler under fair", Options{Scheduler: "fair", Conf: capacity}, "--conf yarn.scheduler.capacity.node-locality-delay is for the CapacityScheduler, the scheduler is fair by --scheduler: add --scheduler capacity"},
		{"keys of the capacity scheduler under fifo", Options{Scheduler: "fifo", Conf: capacity}, "add --scheduler capacity"},
		{"file of the fair scheduler under capacity", Options{Scheduler: "capacity", Files: Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte("<allocations/>")}}}, "--fair-scheduler f.xml is for the FairScheduler"},
		{"keys of the fair scheduler under capacity", Options{Scheduler: "capacity", Conf: map[string]string{"yarn.scheduler.fair.max.assign": "1"}}, "add --scheduler fair"},
		{"sharing under capacity", Options{Scheduler: "capacity", Sharing: "drf"}, "sharing policies are those of the FairScheduler"},
		{"reload under fifo", Options{Scheduler: "fifo", Reloads: []Reload{{File: File{Name: "f.xml"}}}}, "only the file of the FairScheduler can be replaced"},
		{"a scheduler of nobody", Options{Scheduler: "best"}, `--scheduler is "best", want fair, capacity, fifo or ideal`},
		{"a class of nobody by a key", Options{Conf: map[string]string{keySchedulerClass: "org.example.S"}}, `--conf yarn.resourcemanager.scheduler.class is "org.example.S"`},
		{"a parameter of nobody", Options{Parameters: map[string]string{"luck": "1"}}, `--model: unknown model parameter "luck"`},
		{"a key of nobody", Options{Conf: map[string]string{"x": "y"}}, "--conf x=y: want a key that starts with spark., yarn., mapreduce., tez. or autoscale."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(Input{}, tt.o)
			if _, ok := err.(*OptionError); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want an error of the options with %q", err, tt.want)
			}
		})
	}
	both := File{Name: "y.xml", Text: site("yarn.scheduler.capacity.maximum-applications", "1", "yarn.scheduler.capacity.node-locality-delay", "1",
		"yarn.scheduler.fair.max.assign", "1", "yarn.resourcemanager.hostname", "h")}
	for scheduler, want := range map[string][2]int{"fair": {0, 2}, "capacity": {1, 0}, "fifo": {1, 2}} { // keys of fair and of capacity
		sc := resolve(t, Input{}, Options{Scheduler: scheduler, Files: Files{YarnSite: both}})
		for i, other := range []string{"fair", "capacity"} {
			got := strings.Join(warned(sc.Warnings, "foreign"), "|")
			text := fmt.Sprintf("y.xml: %d keys that start with %s have no effect", want[i], Schedulers[i].Keys)
			if want[i] == 1 {
				text = fmt.Sprintf("y.xml: 1 key that starts with %s has no effect", Schedulers[i].Keys)
			}
			if n := want[i]; n == 0 && strings.Contains(got, Schedulers[i].Keys) || n > 0 && strings.Count(got, text) != 1 {
				t.Errorf("under %s, keys of %s in yarn-site.xml: %q, want a warning of %d", scheduler, other, got, n)
			}
		}
		sc = resolve(t, Input{Files: Files{YarnSite: both}}, Options{Scheduler: scheduler})
		if got := warned(sc.Warnings, "foreign"); len(got) > 0 {
			t.Errorf("under %s, keys in the trace's file: %q, want nothing said", scheduler, got)
		}
	}
}

func TestAllocationFileThatYarnSiteNames(t *testing.T) {
	dir := t.TempDir()
	write := func(name, queue string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("<allocations><queue name='"+queue+"'/></allocations>"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("conf/queues/fair.xml", "relative")
	write("conf/copied.xml", "copied")
	write("other.xml", "other")
	traces := Files{"fair-scheduler.xml": {Text: []byte("<allocations><queue name='trace'/></allocations>")}}
	own := File{Name: "own.xml", Text: []byte("<allocations><queue name='own'/></allocations>")}
	tests := []struct {
		name    string
		file    string // what yarn-site.xml says
		key     string
		own     bool
		want    string
		warning string
	}{
		{"relative to the folder of yarn-site.xml", "queues/fair.xml", "", false, "relative", ""},
		{"absolute", filepath.Join(dir, "other.xml"), "", false, "other", ""},
		{"as a URI", "file://" + filepath.Join(dir, "other.xml"), "", false, "other", ""},
		{"absolute on the cluster, copied with yarn-site.xml", "/no/such/folder/copied.xml", "", false, "copied", ""},
		{"on another file system, copied with yarn-site.xml", "hdfs://cluster/conf/copied.xml", "", false, "copied", ""},
		{"nowhere", "/no/such/folder/lost.xml", "", false, "trace", "which is not there, nor is lost.xml beside " + filepath.Join(dir, "conf", "yarn-site.xml")},
		{"not said", "", "", false, "trace", ""},
		{"by a key", "queues/fair.xml", filepath.Join(dir, "other.xml"), false, "other", ""},
		{"by a key, which begins at the working directory", "", "queues/fair.xml", false, "", ""},
		{"by a key, not there", "", filepath.Join(dir, "no.xml"), false, "", ""},
		{"against the user's own", "queues/fair.xml", "", true, "own", "--fair-scheduler own.xml is used, although"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{Files: Files{}}
			kv := []string{keySchedulerClass, Schedulers[0].Class}
			if tt.file != "" {
				kv = append(kv, keyAllocationFile, tt.file)
			}
			o.Files[YarnSite] = File{Name: filepath.Join(dir, "conf", "yarn-site.xml"), Text: site(kv...)}
			if tt.key != "" {
				o.Conf = map[string]string{keyAllocationFile: tt.key}
			}
			if tt.own {
				o.Files["fair-scheduler.xml"] = own
			}
			sc, err := New(Input{Files: traces}, o)
			if tt.want == "" {
				if err == nil || !strings.Contains(err.Error(), "--conf "+keyAllocationFile) {
					t.Errorf("error %v, want one that names the key", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if leaf, _ := allocations(sc).Declared("root." + tt.want); !leaf {
				t.Errorf("queues are %v, want root.%s", allocations(sc).Leaves, tt.want)
			}
			texts := warned(sc.Warnings, "allocation-file")
			if tt.warning == "" && len(texts) > 0 || tt.warning != "" && (len(texts) != 1 || !strings.Contains(texts[0], tt.warning)) {
				t.Errorf("warnings %q, want %q", texts, tt.warning)
			}
		})
	}
	// Under a file that is named and not there the next layer is the folder.
	o := Options{Files: Files{YarnSite: {Name: filepath.Join(dir, "conf", "yarn-site.xml"), Text: site(keyAllocationFile, "/etc/hadoop/conf/fair-scheduler.xml")}},
		Folder: folder(t, map[string]string{"fair-scheduler.xml": queues("folder")})}
	sc := resolve(t, Input{Files: traces}, o)
	if leaf, _ := allocations(sc).Declared("root.folder"); !leaf {
		t.Errorf("queues are %v, want those of the folder", allocations(sc).Leaves)
	}
	for code, want := range map[string]string{"allocation-file": ": the queues are those of " + o.Folder.Files["fair-scheduler.xml"].Name, "config-dir": ": read fair-scheduler.xml"} {
		if texts := warned(sc.Warnings, code); len(texts) != 1 || !strings.Contains(texts[0], want) {
			t.Errorf("warnings %q, want %q", texts, want)
		}
	}
	// What a trace's own settings name is not read: the file came with it.
	in := Input{Files: Files{YarnSite: {Text: site(keyAllocationFile, filepath.Join(dir, "other.xml"))}, "fair-scheduler.xml": traces["fair-scheduler.xml"]}}
	if sc := resolve(t, in, Options{}); len(allocations(sc).Leaves) != 1 || allocations(sc).Leaves[0] != "root.trace" {
		t.Errorf("queues are %v, want the trace's", allocations(sc).Leaves)
	}
}

// A file that a setting names is read by the reader that the options give.
func TestNamedFilesAreReadByTheOptions(t *testing.T) {
	read := map[string]string{
		"conf/pools.xml": "<allocations><pool name='p'/></allocations>",
		"fair.xml":       "<allocations><queue name='q'/></allocations>",
	}
	o := Options{
		Files: Files{SparkDefaults: {Name: "conf/spark-defaults.conf", Text: []byte("spark.scheduler.allocation.file pools.xml\n")}},
		Conf:  map[string]string{keyAllocationFile: "fair.xml"},
		Read: func(path string) ([]byte, error) {
			if text, ok := read[path]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		},
	}
	sc := resolve(t, Input{}, o)
	if len(sc.Pools) != 1 || sc.Pools[0].Name != "p" || len(allocations(sc).Leaves) != 1 {
		t.Errorf("pools %v and queues %v, want p and root.q", sc.Pools, allocations(sc).Leaves)
	}
	delete(read, "conf/pools.xml")
	if sc := resolve(t, Input{}, o); len(warned(sc.Warnings, "pools-file")) != 1 {
		t.Errorf("warnings %v, want one of the pools that are not there", sc.Warnings)
	}
	o.Conf["spark.scheduler.allocation.file"] = "lost.xml"
	if _, err := New(Input{}, o); err == nil {
		t.Error("a file that --conf names and that is not there has no error")
	}
}

func TestReloadsComeInOrderOfTime(t *testing.T) {
	file := func(q string) File {
		return File{Name: q, Text: []byte("<allocations><queue name='" + q + "'/></allocations>")}
	}
	sc := resolve(t, Input{}, Options{Reloads: []Reload{{20, file("b")}, {10, file("a")}, {20, file("c")}}})
	var names []string
	for i, a := range sc.Later {
		names = append(names, sc.Reloads[i].Name)
		if a.Leaves[0] != "root."+sc.Reloads[i].Name {
			t.Errorf("reload %s has queues %v", sc.Reloads[i].Name, a.Leaves)
		}
	}
	if got := strings.Join(names, ""); got != "abc" {
		t.Errorf("reloads in order %s, want abc", got)
	}
}

// Where nobody says how large a container may be, it may be as large as the largest node.
func TestLargestAllocation(t *testing.T) {
	nodes := []trace.Node{{MemMiB: 4096, VCores: 2}, {MemMiB: 65536, VCores: 1}, {MemMiB: 512, VCores: 16}}
	for _, tt := range []struct {
		in         Input
		o          Options
		mem, cores int64
	}{
		{Input{Nodes: nodes}, Options{}, 65536, 16},
		{Input{Nodes: nodes[2:]}, Options{}, 1024, 16}, // not below YARN's smallest
		{Input{}, Options{}, 8192, 4},
		{Input{Nodes: []trace.Node{{MemMiB: 65536}}}, Options{}, 8192, 4},
		{Input{Nodes: []trace.Node{{VCores: 16}}}, Options{}, 8192, 4},
		{Input{Nodes: nodes, Files: Files{YarnSite: {Text: site("yarn.scheduler.maximum-allocation-mb", "2048")}}}, Options{}, 2048, 16},
		{Input{Nodes: nodes}, Options{Conf: map[string]string{"yarn.scheduler.maximum-allocation-vcores": "3"}}, 65536, 3},
	} {
		sc := resolve(t, tt.in, tt.o)
		if got := sc.Site.MaxAllocation; got[0] != tt.mem || got[1] != tt.cores {
			t.Errorf("%+v: at most %v, want %d MiB and %d vcores", tt, got, tt.mem, tt.cores)
		}
	}
}

func TestOneOf(t *testing.T) {
	for want, names := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := oneOf(names); got != want {
			t.Errorf("oneOf(%q) is %q, want %q", names, got, want)
		}
	}
}
