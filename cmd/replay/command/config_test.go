package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// write makes a file below dir and the folders above it.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const capacityClass = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler"

// capacityFolder is a configuration folder with the CapacityScheduler and a queue default.
func capacityFolder(t *testing.T) string {
	dir := t.TempDir()
	write(t, dir, "etc/hadoop/yarn-site.xml", hadoopXML("yarn.resourcemanager.scheduler.class", capacityClass))
	write(t, dir, "etc/hadoop/capacity-scheduler.xml", hadoopXML("yarn.scheduler.capacity.root.queues", "default", "yarn.scheduler.capacity.root.default.capacity", "100"))
	write(t, dir, "etc/hadoop/core-site.xml", hadoopXML())
	return dir
}

func TestConfigurationFolder(t *testing.T) {
	dir := capacityFolder(t)
	out := must(t, "run", traces+"uniform-micro", "--until", "1m", "--config-dir", dir)
	for _, want := range []string{"scheduler            capacity", "--config-dir " + dir + ": read etc/hadoop/yarn-site.xml, etc/hadoop/capacity-scheduler.xml; not read: etc/hadoop/core-site.xml"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s has no %q", out, want)
		}
	}
	code, _, stderr := cmd(t, "compare", traces+"uniform-micro", "--seeds", "1", "--until", "1m", "--variant", "now:", "--variant", "folder: --config-dir "+dir)
	if code != cmdline.ExitDone || strings.Count(stderr, "--config-dir "+dir+": read") != 1 {
		t.Errorf("a variant of one folder: exit %d\n%s", code, stderr)
	}
	empty := t.TempDir()
	for _, args := range [][]string{
		{"run", traces + "uniform-micro", "--config-dir", empty},
		{"compare", traces + "uniform-micro", "--variant", "now:", "--variant", "folder: --config-dir " + empty},
		{"backtest", traces + "fair-weights", "--config-dir", empty},
	} {
		if code, _, stderr := cmd(t, args...); code != cmdline.ExitBadInput || !strings.Contains(stderr, empty+": none of yarn-site.xml") {
			t.Errorf("%s with an empty folder: exit %d\n%s", args[0], code, stderr)
		}
	}
}

// What a configuration file includes is part of it, beside it or by its fallback, and of what a result is made again from.
func TestIncludedConfiguration(t *testing.T) {
	dir := t.TempDir()
	site := func(inner string) string {
		return `<configuration xmlns:xi="http://www.w3.org/2001/XInclude">` + inner + `</configuration>`
	}
	write(t, dir, "conf/yarn-site.xml", site(`<xi:include href="more/scheduler.xml"/>`))
	write(t, dir, "conf/more/scheduler.xml", site(`<property name="yarn.resourcemanager.scheduler.class" value="`+capacityClass+`"/>`))
	write(t, dir, "conf/capacity-scheduler.xml", hadoopXML("yarn.scheduler.capacity.root.queues", "default", "yarn.scheduler.capacity.root.default.capacity", "100"))
	first, again := filepath.Join(dir, "first"), filepath.Join(dir, "again")
	if out := must(t, "run", traces+"uniform-micro", "--until", "1m", "--config-dir", filepath.Join(dir, "conf"), "--formats", "svg", "--out", first); !strings.Contains(out, "scheduler            capacity") {
		t.Errorf("the scheduler of the included file does not run:\n%s", out)
	}
	if err := os.RemoveAll(filepath.Join(dir, "conf")); err != nil {
		t.Fatal(err)
	}
	must(t, "run", "--from", filepath.Join(first, "run.json"), traces+"uniform-micro", "--out", again)
	if a, b := files(t, first)["run.json"], files(t, again)["run.json"]; a != b {
		t.Error("made again from run.json it is another")
	}
	for _, tt := range []struct{ include, want string }{
		{`<xi:include href="none.xml"><xi:fallback><property name="yarn.resourcemanager.scheduler.class" value="` + capacityClass + `"/></xi:fallback></xi:include>`, "scheduler            capacity"},
		{`<xi:include href="none.xml"/>`, "yarn-site.xml: line 1: <xi:include> is \"none.xml\": Fetch fail on include for 'none.xml' with no fallback"},
		{`<xi:include href="../out.xml"/>`, "it lies outside of the folder"},
		{`<xi:include href="sub"/>`, "sub is no regular file"},
		{`<xi:include href="/dev/zero"/>`, "/dev/zero is no regular file"},
		{`<xi:include href="yarn-site.xml"/>`, "yarn-site.xml is included by itself"},
	} {
		write(t, dir, "sub/x", "")
		write(t, dir, "out.xml", site(""))
		file := write(t, dir, "yarn-site.xml", site(tt.include))
		_, stdout, stderr := cmd(t, "run", traces+"uniform-micro", "--until", "1m", "--yarn-site", file)
		if !strings.Contains(stdout+stderr, tt.want) {
			t.Errorf("%s: want %q\n%s%s", tt.include, tt.want, stdout, stderr)
		}
	}
}

// A mapred-site.xml of the user changes what MapReduce jobs ask for.
func TestMapredSite(t *testing.T) {
	dir := t.TempDir()
	must(t, "gen", "uniform-micro", "--kind", "mapreduce", "--jobs", "5", "--out", filepath.Join(dir, "trace"))
	file := write(t, dir, "mapred-site.xml", "<configuration><property><name>mapreduce.map.memory.mb</name><value>1536</value></property></configuration>")
	plain, with := must(t, "run", filepath.Join(dir, "trace")), must(t, "run", filepath.Join(dir, "trace"), "--mapred-site", file)
	if plain == with {
		t.Errorf("the file changes nothing:\n%s", with)
	}
}

// Logs hold the keys of their applications, over which spark-defaults.conf lies by --override alone.
func TestOverride(t *testing.T) {
	file := write(t, t.TempDir(), "spark-defaults.conf", "spark.executor.instances 1\nspark.locality.wait 3s\n")
	hash := func(out string) string {
		_, rest, _ := strings.Cut(out, "decision hash")
		return strings.Fields(rest)[0]
	}
	run := func(args ...string) string {
		return must(t, append([]string{"run", traces + "contended-logs", "--until", "2m"}, args...)...)
	}
	plain, under, over := run(), run("--spark-defaults", file), run("--spark-defaults", file, "--override")
	const said = "jobs set these keys themselves, so the file changes nothing for them: spark.executor.instances ("
	if hash(under) != hash(plain) || !strings.Contains(under, said) {
		t.Errorf("under the jobs' own keys: decisions %s and %s, or it is not said:\n%s", hash(plain), hash(under), under)
	}
	if hash(over) == hash(plain) || strings.Contains(over, said) {
		t.Errorf("over the jobs' own keys: decisions %s and %s\n%s", hash(plain), hash(over), over)
	}
	if code, _, stderr := cmd(t, "run", traces+"contended-logs", "--override"); code != cmdline.ExitUsage || !strings.Contains(stderr, "--spark-defaults FILE") {
		t.Errorf("without a file: exit %d, %s", code, stderr)
	}
}
