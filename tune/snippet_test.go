package tune

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What was set is said in the words of the file that sets it.
func TestSnippets(t *testing.T) {
	got := snippets([]Set{
		{"conf", "spark.locality.wait", "0s"}, {"sharing", "", "drf"}, {"conf", "yarn.scheduler.fair.assignmultiple", "true"},
		{"conf", "spark.task.cpus", "2"}, {"nodes", "", "40"}, {"model", "remote-factor", "1.5"}, {"fair-scheduler", "", "a.xml"},
		{"conf", "yarn.scheduler.capacity.node-locality-delay", "3"}, {"conf", "yarn.app.mapreduce.am.resource.mb", "1024"}, {"conf", "mapreduce.map.memory.mb", "512"}, {"conf", "tez.am.resource.memory.mb", "9"},
		{"conf", "autoscale.interval", "1s"},
	})
	property := func(key, value string) string {
		return "<property>\n  <name>" + key + "</name>\n  <value>" + value + "</value>\n</property>\n"
	}
	want := []Snippet{
		{"spark-defaults.conf", "spark.locality.wait 0s\nspark.task.cpus 2\n"},
		{"fair-scheduler.xml", "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>\nthe file a.xml\n"},
		{"yarn-site.xml", "<property>\n  <name>yarn.scheduler.fair.assignmultiple</name>\n  <value>true</value>\n</property>\n"},
		{"", "--nodes 40\n--model remote-factor=1.5\n--conf autoscale.interval=1s\n"},
		{"capacity-scheduler.xml", property("yarn.scheduler.capacity.node-locality-delay", "3")},
		{"mapred-site.xml", property("yarn.app.mapreduce.am.resource.mb", "1024") + property("mapreduce.map.memory.mb", "512")},
		{"tez-site.xml", property("tez.am.resource.memory.mb", "9")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
