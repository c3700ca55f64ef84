package tune

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What was set is said in the words of the file that sets it.
func TestSnippets(t *testing.T) {
	got := Snippets([]Set{
		{"conf", "spark.locality.wait", "0s"}, {"sharing", "", "drf"}, {"conf", "yarn.scheduler.fair.assignmultiple", "true"},
		{"conf", "spark.task.cpus", "2"}, {"nodes", "", "40"}, {"model", "remote-factor", "1.5"}, {"fair-scheduler", "", "a.xml"},
	})
	want := []Snippet{
		{"spark-defaults.conf", "spark.locality.wait 0s\nspark.task.cpus 2\n"},
		{"fair-scheduler.xml", "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>\nthe file a.xml\n"},
		{"yarn-site.xml", "<property>\n  <name>yarn.scheduler.fair.assignmultiple</name>\n  <value>true</value>\n</property>\n"},
		{"", "--nodes 40\n--model remote-factor=1.5\n"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
