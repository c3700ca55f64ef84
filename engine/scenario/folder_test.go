package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder makes a configuration folder of these files and reads it.
func folder(t *testing.T, files map[string]string) Folder {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// queues is an allocation file with one queue.
func queues(name string) string { return "<allocations><queue name='" + name + "'/></allocations>" }

const capacityQueues = "yarn.scheduler.capacity.root.queues"

func TestFolders(t *testing.T) {
	fairSite := func(kv ...string) string { return string(site(append(kv, keySchedulerClass, Schedulers[0].Class)...)) }
	capacitySite := string(site(keySchedulerClass, Schedulers[1].Class))
	capacityFile := string(site(capacityQueues, "c", "yarn.scheduler.capacity.root.c.capacity", "100"))
	for _, tt := range []struct {
		name   string
		files  map[string]string
		o      Options
		want   string // scheduler and its queues
		remark string // after the name of the folder
	}{
		{"the FairScheduler with the file of YARN's default name", map[string]string{"yarn-site.xml": fairSite(), "fair-scheduler.xml": queues("f"), "capacity-scheduler.xml": capacityFile, "core-site.xml": "x"}, Options{},
			"fair root.f", "read yarn-site.xml, fair-scheduler.xml; not read: capacity-scheduler.xml (for the CapacityScheduler), core-site.xml"},
		{"the file that yarn-site.xml names, on another machine", map[string]string{"yarn-site.xml": fairSite(keyAllocationFile, "/etc/hadoop/conf/pools.xml"), "fair-scheduler.xml": queues("f"), "pools.xml": queues("p")}, Options{},
			"fair root.p", "read yarn-site.xml, pools.xml; not read: fair-scheduler.xml (yarn.scheduler.fair.allocation.file names another)"},
		{"the file that yarn-site.xml names, in a folder below", map[string]string{"yarn-site.xml": fairSite(keyAllocationFile, "alloc/pools.xml"), "alloc/pools.xml": queues("p")}, Options{},
			"fair root.p", "read yarn-site.xml, alloc/pools.xml"},
		{"the CapacityScheduler", map[string]string{"yarn-site.xml": capacitySite, "fair-scheduler.xml": queues("f"), "capacity-scheduler.xml": capacityFile}, Options{},
			"capacity c", "read yarn-site.xml, capacity-scheduler.xml; not read: fair-scheduler.xml (for the FairScheduler)"},
		{"YARN's default", map[string]string{"yarn-site.xml": string(site()), "fair-scheduler.xml": queues("f"), "capacity-scheduler.xml": capacityFile}, Options{},
			"capacity c", "read yarn-site.xml, capacity-scheduler.xml; not read: fair-scheduler.xml (for the FairScheduler)"},
		{"a scheduler by flag", map[string]string{"yarn-site.xml": capacitySite, "fair-scheduler.xml": queues("f"), "capacity-scheduler.xml": capacityFile}, Options{Scheduler: "fair"},
			"fair root.f", "read yarn-site.xml, fair-scheduler.xml; not read: capacity-scheduler.xml (for the CapacityScheduler)"},
		{"a file by flag", map[string]string{"yarn-site.xml": fairSite(), "fair-scheduler.xml": queues("f")}, Options{Files: Files{"fair-scheduler.xml": {Name: "mine.xml", Text: []byte(queues("m"))}}},
			"fair root.m", "read yarn-site.xml; not read: fair-scheduler.xml (--fair-scheduler mine.xml is used)"},
		{"distributions side by side", map[string]string{"hadoop/etc/hadoop/yarn-site.xml": capacitySite, "hadoop/etc/hadoop/capacity-scheduler.xml": capacityFile, "spark/conf/spark-defaults.conf": "spark.task.cpus 2\n", "spark/conf/log4j2.properties": ""}, Options{},
			"capacity c", "read spark/conf/spark-defaults.conf, hadoop/etc/hadoop/yarn-site.xml, hadoop/etc/hadoop/capacity-scheduler.xml; not read: spark/conf/log4j2.properties"},
		{"a file twice", map[string]string{"yarn-site.xml": fairSite(), "conf/yarn-site.xml": capacitySite, "fair-scheduler.xml": queues("f")}, Options{},
			"fair root.f", "read yarn-site.xml, fair-scheduler.xml; not read: conf/yarn-site.xml"},
		{"more than can be listed", map[string]string{"yarn-site.xml": fairSite(), "a": "", "b": "", "c": "", "d": "", "e": "", "f": "", "g": ""}, Options{},
			"fair root.of-the-trace", "read yarn-site.xml; not read: a, b, c, d, e, 2 more (--verbose lists them)"},
		{"all of them", map[string]string{"yarn-site.xml": fairSite(), "a": "", "b": "", "c": "", "d": "", "e": "", "f": "", "g": ""}, Options{Verbose: true},
			"fair root.of-the-trace", "read yarn-site.xml; not read: a, b, c, d, e, f, g"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Folder = folder(t, tt.files)
			sc := resolve(t, Input{Files: Files{"fair-scheduler.xml": {Text: []byte(queues("of-the-trace"))}}}, tt.o)
			got := sc.Scheduler + " "
			if sc.Scheduler == "fair" {
				got += strings.Join(allocations(sc).Leaves, ",")
			} else {
				got += sc.setup.Config()[capacityQueues]
			}
			if got != tt.want {
				t.Errorf("scheduler and queues are %s, want %s", got, tt.want)
			}
			if texts, want := warned(sc.Warnings, "config-dir"), "--config-dir "+tt.o.Folder.Name+": "+tt.remark; len(texts) != 1 || texts[0] != want {
				t.Errorf("remarks %q, want\n%s", texts, want)
			}
			for _, w := range sc.Warnings {
				if w.Code != "config-dir" && w.Code != "scheduler" {
					t.Errorf("warning %s", w.Text)
				}
			}
		})
	}
}

// What lies beside yarn-site.xml and spark-defaults.conf counts, as on the class paths of YARN and Spark.
func TestFolderOfEverything(t *testing.T) {
	f := folder(t, map[string]string{
		"hadoop-conf/yarn-site.xml":      string(site("yarn.resource-types", "a", "yarn.scheduler.maximum-allocation-mb", "2048")),
		"hadoop-conf/resource-types.xml": string(site("yarn.resource-types", "yarn.io/gpu", "yarn.resource-types.yarn.io/gpu.maximum-allocation", "3")),
		"spark-conf/spark-defaults.conf": "spark.executor.cores 3\n",
		"spark-conf/fairscheduler.xml":   "<allocations><pool name='beside'/></allocations>",
		"spark-conf/named.xml":           "<allocations><pool name='named'/></allocations>",
	})
	sc := resolve(t, Input{}, Options{Folder: f, Conf: map[string]string{"yarn.scheduler.maximum-allocation-mb": "4096"}})
	if len(sc.Site.Types) != 3 || sc.Site.Types[2] != "yarn.io/gpu" || sc.Site.MaxAllocation[2] != 3 || sc.Site.MaxAllocation[0] != 4096 {
		t.Errorf("types %v up to %v, want those of resource-types.xml, and memory of the single key", sc.Site.Types, sc.Site.MaxAllocation)
	}
	if sc.sparkDefaults.Values["spark.executor.cores"] != "3" || len(sc.Pools) != 1 || sc.Pools[0].Name != "beside" {
		t.Errorf("Spark has %v and pools %v", sc.sparkDefaults.Values, sc.Pools)
	}
	const key = "spark.scheduler.allocation.file"
	f.Files[SparkDefaults] = File{Name: f.Files[SparkDefaults].Name, Text: []byte(key + " /opt/spark/conf/named.xml\n")}
	if sc = resolve(t, Input{}, Options{Folder: f}); len(sc.Pools) != 1 || sc.Pools[0].Name != "named" {
		t.Errorf("pools %v, want those of the file that %s names", sc.Pools, key)
	}
	// What the trace's own file says stays below, and is not taken for the user's.
	mine := folder(t, map[string]string{"resource-types.xml": string(site("yarn.resource-types", "x"))})
	sc = resolve(t, Input{Files: Files{YarnSite: {Text: site("yarn.scheduler.fair.max.assign", "7", "yarn.acl.enable", "true")}}}, Options{Folder: mine})
	if sc.Site.MaxAssign != 7 || len(sc.Site.Types) != 3 || len(warned(sc.Warnings, "unmodelled")) != 1 {
		t.Errorf("site %+v and warnings %v, want the trace's keys too", sc.Site, sc.Warnings)
	}
}

// A folder whose queues are for another scheduler than that of the trace's yarn-site.xml is refused where it has nothing else, unless a flag chose.
func TestFolderForAnotherScheduler(t *testing.T) {
	in := Input{Files: Files{YarnSite: {Name: "of the trace", Text: site(keySchedulerClass, Schedulers[0].Class)}}}
	only := folder(t, map[string]string{"capacity-scheduler.xml": string(site(capacityQueues, "c", "yarn.scheduler.capacity.root.c.capacity", "100"))})
	_, err := New(in, Options{Folder: only})
	if want := "nothing of it is read: its capacity-scheduler.xml is for the CapacityScheduler, and the yarn-site.xml in force names the FairScheduler; --scheduler capacity makes it decide"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	for _, scheduler := range []string{"fair", "capacity", "ideal"} {
		resolve(t, in, Options{Folder: only, Scheduler: scheduler})
	}
	resolve(t, Input{}, Options{Folder: only})
}

func TestFoldersThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadFolder(dir)
	if err == nil || !strings.Contains(err.Error(), dir+": none of yarn-site.xml, resource-types.xml, fair-scheduler.xml, capacity-scheduler.xml, mapred-site.xml, spark-defaults.conf, fairscheduler.xml is there, nor below it in conf, etc/hadoop") {
		t.Errorf("an empty folder: error %v, want what was looked for and where", err)
	}
	if _, err := ReadFolder(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "want a folder") {
		t.Errorf("no folder: error %v", err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, YarnSite)); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFolder(dir); err == nil {
		t.Error("a link to nothing is a configuration")
	}
}
