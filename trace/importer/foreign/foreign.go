// Package foreign says of files that people keep beside the data of a cluster what they are: configuration, and answers of services over REST.
package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// answers are those of Hadoop's and Spark's services over REST, by their members.
var answers = map[string]string{
	"apps": "the ResourceManager", "nodes": "the ResourceManager", "scheduler": "the ResourceManager", "clusterInfo": "the ResourceManager", "clusterMetrics": "the ResourceManager",
	"jobs": "the MapReduce history server", "id, name, attempts": "Spark's history server",
}

// AnsweredBy is the service that answers over REST with a first object of these members; "" for others.
func AnsweredBy(members string) string { return answers[members] }

// recordingMembers begin the recording.json of replay record.
const recordingMembers = "version, sources, cluster, polls, "

// roots are the files of XML that administrators have, by their root elements.
var roots = map[string]string{
	"configuration": "configuration of Hadoop (replay run, compare, plan and gate take the folder that it is in with --config-dir)",
	"allocations":   "an allocation file of the FairScheduler (replay run, compare, plan and gate take it with --fair-scheduler)",
	"apps":          asXML, "clusterInfo": asXML, "clusterMetrics": asXML, "scheduler": asXML,
	"nodes": "nodes, as the ResourceManager answers over REST in XML; an import takes such a list beside its input in JSON (Accept: application/json)",
	"html":  aPage, "HTML": aPage,
}

const aPage = "a web page, as a service answers that wants a login or has no such address"

// asXML is an answer that names no tasks.
const asXML = "what the ResourceManager answers over REST, in XML, and which names no tasks; replay record asks a running cluster and fetches its event logs"

// listed are what commands of YARN and MapReduce print, by their beginnings.
//
// Source: NodeCLI, ApplicationCLI, QueueCLI, CLI and JobQueueClient of Hadoop 3.4.1.
var listed = map[string]string{
	"Container: container_":        "what yarn logs prints of containers, " + tasksElsewhere,
	"Application Report :":         "what yarn application -status prints, which names no tasks; replay record asks a running cluster and fetches its event logs",
	"Node Report :":                "what yarn node -status prints of one node; an import takes the ResourceManager's own list of all beside its input (/ws/v1/cluster/nodes, in JSON)",
	"Queue Information :":          "what yarn queue -status prints, which names no tasks; " + queuesOf,
	"Queue Name :":                 "what mapred queue -list prints, which names no tasks; " + queuesOf,
	"Total jobs:":                  "what mapred job -list prints, which names no tasks; a job's history (jhist) does",
	"Total number of applications": "what yarn application -list prints, which names no tasks; replay record asks a running cluster and fetches its event logs",
	"Total Nodes:":                 "what yarn node -list prints, without the sizes of nodes; an import takes the ResourceManager's own list beside its input (/ws/v1/cluster/nodes, in JSON)",
}

// tasksElsewhere says where the times of tasks are, of a text that has none.
const tasksElsewhere = "from which no times of tasks are taken: Spark's event logs (spark.eventLog.dir) and MapReduce's histories (.jhist) have them, and replay record fetches event logs from a running cluster"

// aLogLine begins a line that a program logs, in the layouts that come with Hadoop and Spark (log4j.properties, log4j2.properties).
var aLogLine = regexp.MustCompile(`^\s*(?:\d{4}-\d\d-\d\d|\d\d/\d\d/\d\d)[ T]\d\d:\d\d:\d\d\S* +(?:\[[^\]]*\] +)?(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\s`)

// summaryOfApplications is what the ResourceManager logs of an application that ended.
//
// Source: RMAppManager.ApplicationSummary.
const summaryOfApplications = "ApplicationSummary: appId=application_"

// queuesOf says where queues are taken from.
const queuesOf = "replay run, compare, plan and gate take queues from the cluster's own files (--fair-scheduler, --capacity-scheduler, or their folder with --config-dir)"

// listedWithin is how many bytes of messages may stand before what a command prints, where both go into one file.
const listedWithin = 4 << 10

// root finds the first element of a text of XML behind declarations and comments.
var root = regexp.MustCompile(`^(?:\s+|<\?[^>]*>|<!--(?s:.*?)-->|<![^>]*>)*<([A-Za-z][\w.-]*)`)

// What says what a file with this beginning is that people keep beside the data of a cluster, and where it belongs; "" for others.
func What(head []byte) string {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if m := root.FindSubmatch(head); m != nil {
		return roots[string(m[1])]
	}
	for line := range bytes.Lines(head[:min(len(head), listedWithin)]) {
		for _, begin := range slices.Sorted(maps.Keys(listed)) {
			if bytes.HasPrefix(bytes.TrimLeft(line, " =\t"), []byte(begin)) {
				return listed[begin]
			}
		}
	}
	members := Members(head)
	who := AnsweredBy(members)
	switch {
	case aLogLine.Match(head) && bytes.Contains(head, []byte(summaryOfApplications)):
		return "the ResourceManager's own log with summaries of applications, " + tasksElsewhere
	case aLogLine.Match(head):
		return "a program's own log, " + tasksElsewhere
	case strings.HasPrefix(members, recordingMembers):
		return "the state of replay record, which writes cluster.json beside it with its first whole poll: if there is none, run the same command again"
	case who == "":
		return ""
	case members == "nodes":
		return "nodes, as " + who + " answers over REST (an import takes one such list beside its input as the nodes of the trace)"
	}
	return fmt.Sprintf("what %s answers over REST (%s)", who, members)
}

// Members lists the members of the first object of a text of JSON, as far as head has them; "" of another text.
func Members(head []byte) string {
	in := json.NewDecoder(bytes.NewReader(head))
	first, err := in.Token()
	if err == nil && first == json.Delim('[') {
		first, err = in.Token()
	}
	if err != nil || first != json.Delim('{') {
		return ""
	}
	var names []string
	for len(names) < 20 && in.More() {
		name, err := in.Token()
		if err != nil {
			break
		}
		names = append(names, fmt.Sprint(name))
		var value json.RawMessage
		if in.Decode(&value) != nil {
			break
		}
	}
	return strings.Join(names, ", ")
}
