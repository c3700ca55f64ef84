package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folderOf writes files into a folder and reads it.
func folderOf(t *testing.T, files map[string]string) Options {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Folder: f}
}

// What is wrong with a key, or odd, is said with the file and the line in which it stands: of several files that one of them, and not the one that includes it.
func TestPlacesOfKeys(t *testing.T) {
	const fair = "<property><name>yarn.resourcemanager.scheduler.class</name><value>org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler</value></property>\n"
	property := func(key, value string) string {
		return "<property><name>" + key + "</name><value>" + value + "</value></property>\n"
	}
	including := "<configuration xmlns:xi='x'>\n" + fair + "<xi:include href='common.xml'/></configuration>"
	const most, capacity = "yarn.scheduler.maximum-allocation-mb", "yarn.scheduler.capacity."
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"included", map[string]string{YarnSite: including, "common.xml": "<configuration>\n\n" + property(most, "lots") + "</configuration>"}, `/common.xml: line 3: ` + most + ` is "lots"`},
		{"references without end", map[string]string{YarnSite: including, "common.xml": "<configuration>\n" + property(most, "${b}") + property("b", "${c}") + property("c", "${b}") + "</configuration>"},
			`/common.xml: line 3: b is "${c}"`},
		{"a time that is none", map[string]string{YarnSite: including, "common.xml": "<configuration>\n" + property("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "0") + "</configuration>"},
			"/common.xml: line 2: yarn.resourcemanager.nodemanagers.heartbeat-interval-ms is 0, want 1 or more"},
		{"a template", map[string]string{YarnSite: including, "common.xml": "<configuration>\n\n" + property(most, "${mem}") + "</configuration>"}, `/common.xml: line 3: ` + most + ` is "${mem}"`},
		{"checked at the start", map[string]string{YarnSite: "<configuration>\n" + fair + property("yarn.resourcemanager.am.max-attempts", "0") + "</configuration>"}, "/yarn-site.xml: line 3: yarn.resourcemanager.am.max-attempts"},
		{"beside it", map[string]string{YarnSite: "<configuration>" + fair + "</configuration>", ResourceTypes: "<configuration>\n" + property("yarn.resource-types", "a,a") + "</configuration>"},
			`/resource-types.xml: line 2: yarn.resource-types is "a"`},
		{"a queue", map[string]string{"capacity-scheduler.xml": "<configuration>\n" + property(capacity+"root.queues", "a") + property(capacity+"root.a.capacity", "50%") + "</configuration>"},
			`/capacity-scheduler.xml: line 3: ` + capacity + `root.a.capacity is "50%"`},
		{"a queue in yarn-site.xml", map[string]string{YarnSite: "<configuration>\n" + property(capacity+"root.a.capacity", "50%") + "</configuration>", "capacity-scheduler.xml": "<configuration>\n" + property(capacity+"root.queues", "a") + "</configuration>"},
			`/yarn-site.xml: line 2: ` + capacity + `root.a.capacity is "50%"`},
		{"of MapReduce", map[string]string{MapredSite: strings.ReplaceAll(including, fair, ""), "common.xml": "<configuration>\n" + property("mapred.task.timeout", "soon") + "</configuration>"},
			`/common.xml: line 2: mapreduce.task.timeout is "soon", want a whole number`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := New(Input{}, folderOf(t, tt.files)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	for _, tt := range []struct {
		name, text string
		want, not  string
	}{
		{"a misspelt key", property("yarn.scheduler.fair.assignmultipel", "true"), "/common.xml: line 2: yarn.scheduler.fair.assignmultipel: unknown", "yarn-site.xml"},
		{"one that is set twice", property("yarn.scheduler.fair.max.assign", "1") + property("yarn.scheduler.fair.max.assign", "2"), "/common.xml: line 3: yarn.scheduler.fair.max.assign: set more than once", "yarn-site.xml"},
		{"neither true nor false", property("yarn.scheduler.fair.assignmultiple", "yes"), "/common.xml: line 2: yarn.scheduler.fair.assignmultiple=yes: neither true nor false", "yarn-site.xml"},
		{"an unknown one", property("of.ours", "1"), "/common.xml: unknown keys have no effect: of.ours", "yarn-site.xml"},
		{"one that another value refers to", property("nm.mem", "4096") + property("of.ours", "${nm.mem}") + property(most, "${of.ours}"), "--config-dir", "unknown"},
		{"and of a queue", property("half", "100") + property(capacity+"root.default.capacity", "${half}"), "--config-dir", "half"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := folderOf(t, map[string]string{YarnSite: including, "common.xml": "<configuration>\n" + tt.text + "</configuration>"})
			if got := remarksOf(t, resolve(t, Input{}, o)); !strings.Contains(got, tt.want) || strings.Contains(strings.ReplaceAll(got, "read yarn-site.xml", ""), tt.not) {
				t.Errorf("warnings\n%s\nwant %q and not %q", got, tt.want, tt.not)
			}
		})
	}
	// A single key has no line.
	o := folderOf(t, map[string]string{YarnSite: including, "common.xml": "<configuration>\n" + property(most, "4096") + "</configuration>"})
	o.Conf = map[string]string{most: "lots"}
	if _, err := New(Input{}, o); err == nil || !strings.HasPrefix(err.Error(), "--conf: "+most) {
		t.Errorf("error %v, want the place --conf", err)
	}
}
