package tune

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"replay/report/quantity"
)

// A Set is a setting with its value: a flag of replay run, with a key where it is conf or model.
type Set struct{ Flag, Key, Value string }

// A Snippet is what to paste into a file.
type Snippet struct {
	File string `json:"file"` // "" for what no file of a cluster sets
	Text string `json:"text"`
}

// name says where it goes.
func (s *Snippet) name() string {
	switch s.File {
	case "":
		return "no file of a cluster has these; flags of replay run"
	case "spark-defaults.conf", "mapred-site.xml", "tez-site.xml": // a replay's --conf lies over the keys of applications, too
		return s.File + " (applications that set a key themselves keep it)"
	}
	return s.File
}

// Own says of a key of applications in how many jobs of the traces it is set by the job itself, which keeps its value whatever a file of defaults says.
type Own struct {
	Key  string `json:"key"`
	Jobs int64  `json:"jobs"`
	Of   int64  `json:"of"`
}

// KeysOfApplications are the keys among sets that a file of defaults sets and an application may set itself.
func KeysOfApplications(sets []Set) (keys []string) {
	for _, s := range sets {
		if s.Flag == "conf" && !slices.Contains(keys, s.Key) && (strings.HasPrefix(s.Key, "spark.") || slices.Contains([]string{"mapred-site.xml", "tez-site.xml"}, siteOf(s.Key))) {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// ownText says for which jobs what is to be pasted changes nothing.
func (r *Result) ownText() string {
	var list []string
	for _, o := range r.Own {
		if o.Jobs > 0 {
			list = append(list, fmt.Sprintf("%s (%s of %s)", o.Key, quantity.Thousands(o.Jobs), quantity.Counted(o.Of, "jobs")))
		}
	}
	if !r.Better || len(list) == 0 {
		return ""
	}
	return "A file of defaults changes nothing for jobs that set a key themselves, which the gain is with: those of the traces set " + strings.Join(list, ", ") + "; there it is to be changed in the applications."
}

// snippets say in the words of a cluster's files what was set.
func snippets(sets []Set) (out []Snippet) {
	add := func(file, text string) {
		at := slices.IndexFunc(out, func(s Snippet) bool { return s.File == file })
		if at < 0 {
			out = append(out, Snippet{File: file})
			at = len(out) - 1
		}
		out[at].Text += text + "\n"
	}
	property := func(key, value string) string {
		return "<property>\n  <name>" + escaped(key) + "</name>\n  <value>" + escaped(value) + "</value>\n</property>"
	}
	for _, s := range sets {
		switch {
		case s.Flag == "conf" && strings.HasPrefix(s.Key, "spark."):
			add("spark-defaults.conf", s.Key+" "+s.Value)
		case s.Flag == "conf" && siteOf(s.Key) != "":
			add(siteOf(s.Key), property(s.Key, s.Value))
		case s.Flag == "sharing":
			add("fair-scheduler.xml", "<defaultQueueSchedulingPolicy>"+escaped(s.Value)+"</defaultQueueSchedulingPolicy>")
		case s.Flag == "scheduler" && schedulers[s.Value] != "":
			add("yarn-site.xml", property("yarn.resourcemanager.scheduler.class", schedulers[s.Value]))
		case files[s.Flag] != "":
			add(files[s.Flag], "the file "+s.Value)
		default:
			add("", strings.TrimSpace(fmt.Sprintf("--%s %s", s.Flag, strings.TrimPrefix(s.Key+"="+s.Value, "="))))
		}
	}
	return out
}

// siteOf is the file of properties that a key belongs into, "" for none: the longest beginning counts.
func siteOf(key string) string {
	for _, site := range [][2]string{
		{"yarn.scheduler.capacity.", "capacity-scheduler.xml"}, {"yarn.app.mapreduce.", "mapred-site.xml"}, {"yarn.", "yarn-site.xml"},
		{"mapreduce.", "mapred-site.xml"}, {"mapred.", "mapred-site.xml"}, {"tez.", "tez-site.xml"},
	} {
		if strings.HasPrefix(key, site[0]) {
			return site[1]
		}
	}
	return ""
}

// schedulers are the classes by which yarn-site.xml names those of --scheduler. Source: yarn-default.xml and the documentation of the three schedulers.
var schedulers = map[string]string{
	"fair":     "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler",
	"capacity": "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler",
	"fifo":     "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler",
}

// files are the flags that name a whole file.
var files = map[string]string{
	"fair-scheduler": "fair-scheduler.xml", "capacity-scheduler": "capacity-scheduler.xml", "yarn-site": "yarn-site.xml",
	"spark-defaults": "spark-defaults.conf", "mapred-site": "mapred-site.xml",
}

func escaped(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err) // a builder takes everything
	}
	return b.String()
}
