package scenario

import (
	"replay/engine/model"
	"replay/engine/spark/driver"
	"replay/trace"
)

// Input is a trace as the engine reads it: small tables whole, jobs as a stream in submit order.
type Input struct {
	Name           string
	Hash           string // sha256 of the trace, hex
	LocalitySource string
	DurationSource string
	SpanMS         int64 // from the origin to the last submission or event; for progress and sampling only
	NumJobs        int64
	NumTasks       int64
	Nodes          []trace.Node
	Events         []trace.NodeEvent
	Queues         []trace.Queue
	Users          []trace.User
	Jobs           trace.JobSource
}

// Options say how to replay. The zero value of a field asks for its default.
type Options struct {
	Scheduler string // fair (default), capacity, fifo
	Sharing   string // default policy of queues that do not say: fair, drf, fifo; empty = what the allocation file says
	Placement string // locality-ratio (default), none, ...
	Engine    string // dense (default)

	// YARN configuration: keys of yarn-site.xml, and the allocation files as text.
	TraceSite     map[string]string // recorded with the trace; keys that are not known are warnings
	YarnFile      map[string]string // of the user's yarn-site.xml, over them; keys that are not known are warnings
	YarnSite      map[string]string // the user's single keys, over those; keys that are not known are errors
	FairXML       []byte            // empty = queues of the trace with their settings
	FairName      string            // file name for messages
	Reloads       []Reload          // allocation files that come into force later, in order
	CapacityConf  map[string]string
	CapacityName  string
	SparkDefaults map[string]string // under the keys recorded with each job
	SparkConf     map[string]string // over them
	PoolsXML      []byte            // the file behind spark.scheduler.allocation.file
	PoolsName     string

	Seed      uint64
	Load      float64 // divides times between submissions; 0 = 1
	Until     int64   // stop at this time, ms; 0 = no limit
	SeriesMS  int64   // interval of samples; 0 = chosen from the span
	Decisions bool    // give decisions to the sink
	Model     model.Model
	Recorded  driver.Recorded
	StallMS   int64 // give up when nothing happened for so long; 0 = 1 h
}

// DefaultOptions are those of a command without flags: seed 1, the default model, YARN's and Spark's defaults.
func DefaultOptions() Options { return Options{Seed: 1, Model: model.DefaultModel()} }

// Reload is an allocation file that replaces the one in force at a time of the replay.
type Reload struct {
	AtMS int64
	Name string // of the file, for messages
	XML  []byte
}
