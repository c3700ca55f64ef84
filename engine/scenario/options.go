package scenario

import (
	"maps"

	"replay/engine/model"
	"replay/engine/price"
	"replay/engine/spark/driver"
	"replay/input"
	"replay/policy"
	"replay/policy/autoscale"
	"replay/trace"
	"replay/trace/view"
)

// Input is a trace as the engine reads it: small tables whole, jobs as a stream in submit order.
type Input struct {
	Name           string
	Hash           string // sha256 of the trace, hex
	LocalitySource string
	DurationSource string
	Elsewhere      string // a sentence on applications that were not recorded on YARN, "" = there are none
	ToldNodes      string // a sentence on what nobody stated of the nodes, "" = all is stated
	Apart          string // a sentence on the several clusters of which the nodes are, "" = nothing says that they are
	NoEnd          int64  // applications whose recording stops before they ended
	SpanMS         int64  // from the origin to the last submission or event; for progress and sampling only
	NumJobs        int64
	NumTasks       int64
	Work           *trace.Work // of all jobs, nil when not known
	Nodes          []trace.Node
	Events         []trace.NodeEvent
	Queues         []trace.Queue
	Users          []trace.User
	Files          Files    // attached to the trace
	Unlisted       []string // files that lie beside the trace's but are no part of it, see [trace.Trace.Unlisted]
	Jobs           trace.JobSource
	Again          func() trace.JobSource // the same jobs once more, as they are in the trace; nil where they can be read but once
	Independent    bool                   // it is known that no job depends on another
}

// File is the text of a configuration file. Name is what messages call it and where names in it begin:
// a relative one is taken from the folder of Name.
type File struct {
	Name string
	Text []byte
}

// ReadFile reads the file at path, which has to be a text.
func ReadFile(path string) (File, error) {
	text, err := input.ReadText(path)
	return File{Name: path, Text: text}, err
}

// Files are configuration files by kind: [YarnSite], [ResourceTypes], the File of one of [Schedulers],
// [MapredSite], [SparkDefaults], [SparkPools] or [ModelFile].
type Files map[string]File

// The kinds of files beside those of the schedulers, called as administrators call them.
const (
	YarnSite      = "yarn-site.xml"
	ResourceTypes = "resource-types.xml" // its keys lie over those of yarn-site.xml, as in YARN
	MapredSite    = "mapred-site.xml"
	SparkDefaults = "spark-defaults.conf"
	SparkPools    = "fairscheduler.xml" // behind spark.scheduler.allocation.file
	ModelFile     = "model file"        // a NAME=VALUE of the model a line
)

// Options say how to replay. The zero value of a field asks for its default.
type Options struct {
	Scheduler string // a name of [Schedulers]; "" = the one that yarn-site.xml names, else fair
	Sharing   string // default policy of queues that do not say: fair, drf; "" = what the allocation file says
	Placement string // locality-ratio (default), none, ...
	Engine    string // fast (default) or dense
	DenseN    int    // how many spans the fast engine executes everything in, each of DenseMS; see [Scenario.DenseSpans]
	DenseMS   int64
	Policies  *policy.Tables // that may be named beside those of package policy
	Scripts   []Script       // of the user, with more policies

	// Configuration beside what comes with the trace; see [Layer] for what wins.
	Files      Files             // of the user, each in place of the trace's
	Folder     Folder            // of the user, under Files
	Conf       map[string]string // single keys of YARN, Spark and MapReduce
	ConfOrder  []string          // keys of Conf in the order in which errors are to name them; nil = by name
	Parameters map[string]string // single parameters of the model
	Reloads    []Reload          // allocation files that come into force later
	// WorkOf returns the work of all jobs of a trace; nil reads the trace.
	WorkOf func(*trace.Trace) (trace.Work, error)
	// Read reads a file that a setting names, such as yarn.scheduler.fair.allocation.file; nil reads the disk.
	Read func(path string) ([]byte, error)

	Autoscale         string             // a name of [autoscale.Autoscalers]; "" = none
	AutoscaleSettings autoscale.Settings // of its file; single keys of Conf with autoscale. before them lie over it
	Prices            *price.List        // of nodes; nil when nobody says

	Window    *view.Window // replay this part of the trace alone; nil for all of it
	Seed      uint64
	Nodes     int         // in the cluster at the start, see [view.Resize]; 0 = the trace's, with NodesBy
	NodesBy   NodesBy     // how many more or fewer than the trace's
	Load      float64     // offered load of the vcores to reach by scaling arrivals; 0 leaves them as they are
	Faster    float64     // divides the times of submissions; 0 = 1. Load, where given, sets it
	Until     int64       // stop at this time, ms; 0 = no limit
	SeriesMS  int64       // interval of samples; 0 = chosen from the span
	Decisions bool        // give decisions to the sink
	Model     model.Model // under the model file and Parameters
	Recorded  driver.Recorded
	StallMS   int64 // give up when nothing happened for so long; 0 = 1 h
	Override  bool  // spark-defaults.conf lies over what is recorded with a job, and not under it
	Verbose   bool  // list what has no effect instead of counting it
	Changes   []Change
}

// DefaultOptions are those of a command without flags: seed 1, the default model, YARN's and Spark's defaults.
func DefaultOptions() Options { return Options{Seed: 1, Model: model.DefaultModel()} }

// Clone returns options that can be changed without changing o.
func (o Options) Clone() Options {
	o.Files, o.Conf, o.Parameters = cloned(o.Files), cloned(o.Conf), cloned(o.Parameters)
	o.AutoscaleSettings = cloned(o.AutoscaleSettings)
	o.Scripts = append([]Script(nil), o.Scripts...)
	o.Reloads, o.ConfOrder, o.Changes = append([]Reload(nil), o.Reloads...), append([]string(nil), o.ConfOrder...), append([]Change(nil), o.Changes...)
	return o
}

// cloned returns a copy that is never nil.
func cloned[M ~map[K]V, K comparable, V any](m M) M {
	out := make(M, len(m))
	maps.Copy(out, m)
	return out
}

// Reload is an allocation file that replaces the one in force at a time of the replay.
type Reload struct {
	AtMS int64
	File
}
