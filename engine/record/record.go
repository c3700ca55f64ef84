// Package record holds what a replay writes: one record per job, container and task attempt,
// samples of the queues over time, and the decisions. The engine fills a [Sink]; report reads
// the same types and knows nothing else of the engine.
//
// Times are milliseconds of simulated time since the trace's origin; [None] means that it did not happen.
package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// None marks a time, number or node that is absent.
const None = -1

// Sink receives records in time order: a record is given when it is complete (a job when it
// finished, a container when it ended, a task attempt when it ended). What is unfinished at the
// end of a replay is given then, in order of its number, with the missing times None.
// The record is valid only during the call.
type Sink interface {
	Job(*Job)
	Container(*Container)
	Task(*Task)
	Sample(*Sample)
	Node(*Node)
	Decision(*Decision)
}

// AnyOrder is a Sink that makes the same of containers, or of task attempts, in whatever order they come. It is given them as soon as
// all about them is known, which may be before their time, and before the record of their job, or when somebody asks for what follows from the end of a container, which may be
// behind task attempts of a later time.
type AnyOrder interface {
	Sink
	AnyOrder() (containers, tasks bool)
}

// TakesAnyOrder returns of which records a sink takes any order.
func TakesAnyOrder(s Sink) (containers, tasks bool) {
	if a, ok := s.(AnyOrder); ok {
		return a.AnyOrder()
	}
	return false, false
}

// A Batcher is a Sink that takes many task attempts at once, as if one by one in their order. They may come behind samples, nodes and decisions that were
// told after them, but not behind a job or a container, if it wants containers in order. It is given many containers at once if it takes any order of them.
type Batcher interface {
	Sink
	Tasks([]Task)
	Containers([]Container)
}

// Outcome of a job.
const (
	JobSucceeded  = "success"
	JobFailed     = "failed"
	JobUnfinished = "unfinished" // the replay ended first, or the job can never finish; Reason says why
)

// Job is the life of one application.
//
// The wait of a job is FirstTask - Submit; the parts of docs/metrics.md are the differences of
// consecutive times of Submit, AMScheduled, AMAllocated, AMRegistered, FirstAsked, FirstAllocated,
// FirstRegistered, FirstTask, and so sum to the whole.
type Job struct {
	ID         int64
	Name       string
	ExternalID string
	Kind       string
	User       string
	Queue      string // path of the leaf that it ran in
	Outcome    string
	Reason     string // why it did not succeed, in words
	Recorded   string // its outcome in the trace: success, failed, killed, censored or ""

	DependsOn int64 // how many jobs the trace has it begin after
	HeldMS    int64 // how long it was held back beyond its own time, which is Submit - HeldMS, until these had ended
	HeldBy    int64 // the one of them that ended last, if HeldMS > 0

	Submit          int64
	AMScheduled     int64 // application became runnable in its queue
	AMAllocated     int64
	AMRegistered    int64
	FirstAsked      int64 // first container ask reached the ResourceManager
	FirstAllocated  int64 // first executor or task container
	FirstRegistered int64 // first executor ready for tasks
	FirstTask       int64 // first task launched
	Finish          int64

	Stages, Tasks           int64 // in the trace
	TasksSucceeded          int64 // distinct tasks of the trace that succeeded, in any attempt of the application
	TasksFailed             int64 // given up for good
	Attempts                int64 // task attempts launched
	StageAttempts           int64
	TaskLevels              [5]int64 // successful attempts by level, see TaskLevel
	TasksPreferring         int64    // successful attempts whose task had a preference
	TasksPreferred          int64    // of those, on a preferred host
	Containers              int64    // executor or task containers allocated
	ContainersPreferring    int64    // of those, matched to a request with preferred hosts
	ContainersPreferred     int64    // of those, on a preferred host
	ContainersRackPreferred int64    // of those, on the rack of a preferred host but not on one
	ContainersHinting       int64    // allocated while tasks of active stages preferred hosts, whatever the request named
	ContainersHinted        int64    // of those, on such a host
	MemMiBMS, VCoreMS       int64    // allocated, AM included
	TaskMS                  int64    // useful: of successful attempts
	WastedTaskMS            int64    // of failed, killed, lost and repeated attempts
	RunningTaskMS           int64    // of attempts that run at the end of the replay: nobody knows yet what becomes of them
	CriticalPathMS          int64    // longest chain of stages with every task on its own core: what the run takes at least, but for speculative copies
	RecordedMS              int64    // recorded finish - start, None without
}

// TaskLevel is the locality level of a task launch, in Spark's order.
type TaskLevel uint8

// Levels of a task launch. Spark reports a task without preference as PROCESS_LOCAL;
// here it is told apart.
const (
	ProcessLocal TaskLevel = iota
	TaskNodeLocal
	NoPref
	TaskRackLocal
	AnyLevel
)

func (l TaskLevel) String() string {
	return [...]string{"PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL", "ANY"}[l]
}

// Container ends.
const (
	EndCompleted = "completed" // exit 0
	EndReleased  = "released"  // given back by the application (idle, surplus)
	EndUnused    = "unused"    // released without having been started
	EndPreempted = "preempted"
	EndNodeLost  = "node-lost"
	EndAppEnd    = "app-end" // killed with its application
	EndFailed    = "failed"  // process failed
	EndExpired   = "expired" // never started before the ResourceManager's timer
	EndRunning   = "running" // at the end of the replay
)

// Container locality as wanted by the application: what it was matched to.
type Match uint8

// Matches of a container to a request.
const (
	NoPreference Match = iota // the request named no host
	OnHost                    // on a preferred host
	OnRack                    // on the rack of one
	Elsewhere
	Unmatched // surplus: no request left, released
)

func (m Match) String() string {
	return [...]string{"none", "host", "rack", "elsewhere", "unmatched"}[m]
}

// Miss says why a container or task that preferred hosts is on none of them.
// The zero value means that it is on one, preferred nothing, or that the reason was not recorded.
type Miss uint8

// Reasons of a miss, as seen when the container was allocated or the task launched.
// When several hold, the first in this order is given.
const (
	NoMiss        Miss = iota
	HostAbsent         // none of the preferred hosts was in the cluster
	NoExecutor         // task: the application had no executor on a preferred host
	HostBusy           // container: no preferred host had room for it; task: no executor there had a free slot
	DelayOff           // there was room, but the locality delay is off for this level
	DelayOver          // there was room, but the locality delay had run out
	MissedByOrder      // there was room on a host that had not yet been visited or offered, or the match went to another request
	Misses             // how many reasons there are
)

func (m Miss) String() string {
	return [...]string{"not-recorded", "host-absent", "no-executor", "host-busy", "delay-off", "delay-over", "order"}[m]
}

// Container is the life of one container.
type Container struct {
	Job        int64
	AMAttempt  int64 // of the application, from 1: with Job and Number it tells containers apart
	Number     int64 // within the attempt, from 1
	AM         bool
	Node       int32
	Queue      string
	MemMiB     int64
	VCores     int64
	Priority   int32
	Type       string // NODE_LOCAL, RACK_LOCAL, OFF_SWITCH: the scheduler's type
	Match      Match
	Miss       Miss
	Hinting    bool  // when it was allocated, tasks of the application's active stages preferred hosts, whatever the request named
	Hinted     bool  // of those, it is on such a host
	Reserved   bool  // was a reservation first
	Asked      int64 // first in, first out over the application's outstanding count for "*"
	Allocated  int64
	Acquired   int64 // handed to the application master
	Started    int64 // process started on the node
	Registered int64 // executor ready for tasks (AM: registered with the ResourceManager)
	Ended      int64 // in the ResourceManager
	Exited     int64 // its process had gone: by itself before Ended, killed after it; None without a process
	End        string
	Exit       int32
	Cores      int64 // for tasks, of its executor; may be more than VCores where a scheduler counts memory alone
	Tasks      int64 // task attempts that it ran
	BusyMS     int64 // core-milliseconds of task attempts, from launch to finish or to the end of the process
}

// Task attempt ends.
const (
	TaskSuccess = "success"
	TaskFailed  = "failed"
	TaskLost    = "lost"    // its executor went
	TaskKilled  = "killed"  // another copy was faster, or the job ended
	TaskRunning = "running" // at the end of the replay
)

// Task is one task attempt.
type Task struct {
	Job          int64
	AMAttempt    int64 // of the application, from 1
	Stage        int32
	StageAttempt int32
	Index        int32
	Attempt      int32
	Container    int64 // number within the attempt of the application
	Node         int32
	Ready        int64 // when its stage attempt was submitted, or it became pending again
	Launch       int64
	Freed        int64 // its cores were free again; the result is handled after that. Of an attempt that runs at the end it is the one time that may be known
	Finish       int64
	Cores        int32 // of the executor that it held
	Level        TaskLevel
	Preferring   bool // the task had preferred hosts
	Preferred    bool // of those, it ran on one
	Miss         Miss
	Speculative  bool
	End          string
	DurationMS   int64 // service time of the trace
	PenaltyMS    int64 // modelled: read penalty by locality
	OverheadMS   int64 // modelled: dispatch, deserialization, first wave, result
}

// Sample is the state of one queue (or the cluster, Queue = "") at a sampling instant.
type Sample struct {
	Time                        int64
	Queue                       string
	UsedMem, UsedVCores         int64
	ReservedMem                 int64
	PendingMem, PendingVCores   int64
	DemandMem, DemandVCores     int64
	FairMem, FairVCores         int64
	SteadyMem, SteadyVCores     int64
	CapacityMem, CapacityVCores int64 // of the cluster; on rows of the cluster only
	BusyCores                   int64 // cores running task attempts
	Running                     int64 // applications runnable
	Pending                     int64 // applications waiting to become runnable
	Containers                  int64 // allocated
	Nodes                       int64
}

// Add adds what is used, wanted and run in a leaf queue to s, the row of the cluster. Shares and capacity have no sum.
func (s *Sample) Add(leaf *Sample) {
	s.UsedMem += leaf.UsedMem
	s.UsedVCores += leaf.UsedVCores
	s.ReservedMem += leaf.ReservedMem
	s.PendingMem += leaf.PendingMem
	s.PendingVCores += leaf.PendingVCores
	s.DemandMem += leaf.DemandMem
	s.DemandVCores += leaf.DemandVCores
	s.BusyCores += leaf.BusyCores
	s.Running += leaf.Running
	s.Pending += leaf.Pending
	s.Containers += leaf.Containers
}

// Node is the state of a node from a time on, as the ResourceManager knows it.
type Node struct {
	Time       int64
	Node       int32
	Host       string
	Rack       string
	MemMiB     int64
	VCores     int64
	Registered bool // in the cluster; a node that has failed is until it is found lost
	Draining   bool // its total is what it holds: it gets no more than what is given back there
}

// Decision is one scheduler decision, in order.
type Decision struct {
	Seq       int64
	Time      int64
	Kind      string // allocate, reserve, unreserve, complete, reject, runnable, resize, decrease
	Job       int64  // [None] when it is about none
	AMAttempt int64  // of the job, as in [Container]; 0 when it is about none
	Container int64
	Node      int32
	Type      string
	Priority  int32
	MemMiB    int64
	VCores    int64
}

// Totals are counts of one replay, kept by the engine and checked for conservation.
type Totals struct {
	Jobs                int64 `json:"jobs"`
	JobsSucceeded       int64 `json:"jobs_succeeded"`
	JobsFailed          int64 `json:"jobs_failed"`
	JobsUnfinished      int64 `json:"jobs_unfinished"`
	Stages              int64 `json:"stages"`
	Tasks               int64 `json:"tasks"`
	TasksSucceeded      int64 `json:"tasks_succeeded"`
	TasksFailed         int64 `json:"tasks_failed"`
	TaskAttempts        int64 `json:"task_attempts"`
	ContainersAllocated int64 `json:"containers_allocated"`
	ContainersEnded     int64 `json:"containers_ended"`
	ContainersRunning   int64 `json:"containers_running"`
	Reservations        int64 `json:"reservations"`
	NodeHeartbeats      int64 `json:"node_heartbeats"` // all of them, executed or credited
	AMHeartbeats        int64 `json:"am_heartbeats"`
	Updates             int64 `json:"updates"`
	ExecutedHeartbeats  int64 `json:"executed_heartbeats"`
	// Of application masters, and of updates.
	ExecutedAMHeartbeats int64 `json:"executed_am_heartbeats"`
	ExecutedUpdates      int64 `json:"executed_updates"`
	// Applications that were offered a node or passed over at one, where the scheduler counts them.
	Visits int64 `json:"visits"`
	Events int64 `json:"events"`
	EndMS  int64 `json:"end_ms"` // finish of the last job; with unfinished ones, where the replay stopped or nothing more happened
}

// LowLoad is the code of the warning that hardly anything will wait, and what to try.
const LowLoad = "low-load"

// HighLoad is the code of the warning that the cluster is far too small for the work.
const HighLoad = "high-load"

// Warning is something the user should know, counted.
type Warning struct {
	Code  string `json:"code"` // stable, such as "unmodelled-key"
	Text  string `json:"text"` // for people, with the value; with several jobs, that of the first
	Count int64  `json:"count"`
	Jobs  int64  `json:"jobs,omitempty"`  // how many jobs it is about, 0 when it is about none in particular
	Voids bool   `json:"voids,omitempty"` // numbers of the result do not hold for what it is about
}

// StoppedAt is why a job did not finish in a replay that was to stop at a time, in ms.
func StoppedAt(ms int64) string {
	return "the replay stopped at " + (time.Duration(ms) * time.Millisecond).String()
}

// JobCalled says which job a text is about: its number, and the first of its names that it has, in one line.
func JobCalled(id int64, names ...string) string {
	if name := cmp.Or(names...); name != "" {
		return fmt.Sprintf("job %d (%s)", id, strings.ReplaceAll(name, "\n", `\u000a`))
	}
	return fmt.Sprintf("job %d", id)
}

// chatter are the codes of warnings of how a replay went and what was chosen for it: nothing that was given is left unused.
var chatter = map[string]bool{
	LowLoad: true, HighLoad: true, "am-retry": true, "client-mode": true, "config-dir": true, "load": true, "named": true, "oversubscribed": true, "retries": true, "speculation-efficiency": true,
}

// Chatter reports whether who wants to hear of results and of what is not used alone may do without the warning.
func (w *Warning) Chatter() bool { return !w.Voids && chatter[w.Code] }

// NoJob is the code of the warning that something is without effect because no job of a kind is replayed.
const NoJob = "no-job"

// UntoldNodes is the code of the warning that nobody stated how many nodes the cluster has, or of what size; ShortOfNodes is that of the warning that much waited for room on them.
const (
	UntoldNodes  = "nodes"
	ShortOfNodes = "short-of-nodes"
)

// Apart is the code of the warning that the nodes of a trace are those of several clusters.
const Apart = "apart"

// OfTrace reports whether the warning holds for the trace that it was given for and may not for another: it is about jobs, or about which there are.
func (w *Warning) OfTrace() bool {
	return w.Jobs > 0 || w.Code == NoJob || w.Code == ShortOfNodes || w.Code == Apart || w.OfLoad()
}

// OfLoad reports whether the warning is that the offered load is hardly any, or far too much.
func (w *Warning) OfLoad() bool { return w.Code == LowLoad || w.Code == HighLoad }

// Versions of the format of a result: readers refuse another name and another major version.
const (
	Format        = "replay-result"
	FormatVersion = "1.0"
)

// Prices are what nodes cost. A node is billed for each time that it is in the cluster, by whole seconds, the last one counted whole.
type Prices struct {
	Currency  string     `json:"currency,omitempty"`
	MinimumMS int64      `json:"minimum_ms"` // that is billed at least for each such time
	Types     []NodeType `json:"types"`
	TypeOf    []int      `json:"type_of_node"` // place in Types, by node
}

// NodeType is a kind of nodes that cost the same.
type NodeType struct {
	Name string `json:"name"`
	Hour int64  `json:"price_of_an_hour_millionths"`
}

// Scaling is what an autoscaler did to the cluster, and what was lost with nodes that it took out or that were taken from it.
type Scaling struct {
	Asked          int64 `json:"nodes_asked_for"`
	Came           int64 `json:"nodes_added"`
	Decommissioned int64 `json:"nodes_decommissioned"` // that were told to go, not all of which do
	Cancelled      int64 `json:"decommissions_cancelled"`
	Left           int64 `json:"nodes_removed"`
	SpotLost       int64 `json:"spot_nodes_lost"`
	Containers     int64 `json:"containers_lost"`    // that ran on a node when it went
	Tasks          int64 `json:"task_attempts_lost"` // that ran there
	TaskMS         int64 `json:"task_time_lost_ms"`  // that they had run
}

// Manifest describes a replay: all that its decisions depend on. It holds no wall-clock time or path.
type Manifest struct {
	Format         string             `json:"format"`         // [Format]
	FormatVersion  string             `json:"format_version"` // [FormatVersion]
	Program        string             `json:"program"`
	ProgramVersion string             `json:"program_version"`
	Commit         string             `json:"program_commit"`   // empty when it was built without version control
	Modified       bool               `json:"program_modified"` // the sources were not those of the commit
	TraceHash      string             `json:"trace_sha256"`
	TraceName      string             `json:"trace"`
	TraceJobs      int64              `json:"trace_jobs"`       // more than were submitted when the replay was cut off
	Window         *Window            `json:"window,omitempty"` // the part of the trace that was replayed, nil for all of it
	LocalitySource string             `json:"locality_source"`
	DurationSource string             `json:"duration_source"`
	Scheduler      string             `json:"scheduler"`
	Sharing        string             `json:"sharing"`
	Placement      string             `json:"placement"`
	Engine         string             `json:"engine"`
	Seed           uint64             `json:"seed"`
	Nodes          int64              `json:"nodes"`                  // in the cluster at the start
	Load           float64            `json:"load"`                   // offered load that was asked for, 0 when arrivals are as recorded
	Faster         float64            `json:"arrivals_divided_by"`    // 1 when arrivals are as recorded
	OfferedVCores  *float64           `json:"offered_load_of_vcores"` // as replayed, null when not known
	OfferedMemory  *float64           `json:"offered_load_of_memory"`
	OfferedFurther map[string]float64 `json:"offered_load_of_further_resources,omitempty"` // by their names
	Until          int64              `json:"until_ms"`
	Override       bool               `json:"override,omitempty"`    // files of defaults lay over what is recorded with a job
	Config         map[string]string  `json:"config"`                // every resolved key, YARN's and Spark's
	Model          map[string]string  `json:"model"`                 // modelled latencies and factors with their values
	Bands          []Band             `json:"error_bands,omitempty"` // of a model file
	NodePhasesMS   []int64            `json:"node_phases_ms"`
	Hosts          []string           `json:"hosts"`                  // name of node i
	Prices         *Prices            `json:"prices,omitempty"`       // of nodes, nil when nobody says
	Policies       []File             `json:"policy_files,omitempty"` // files of the user's with policies
	Totals         Totals             `json:"totals"`
	Scaling        *Scaling           `json:"autoscaling,omitempty"` // nil where nobody scales the cluster
	DecisionHash   string             `json:"decision_hash"`         // see [Digest]
	Warnings       []Warning          `json:"warnings"`
	Modelled       []string           `json:"not_recorded"`                 // what is modelled rather than recorded, in words
	Elsewhere      string             `json:"recorded_elsewhere,omitempty"` // a sentence on applications that were not recorded on YARN
	Made           *Made              `json:"made"`                         // nil when it is not known
	Files          []File             `json:"files"`                        // the other files from which the result is read, by name; of a result in a directory
	Hash           string             `json:"hash,omitempty"`               // over all of it, in a file

	// Queues is what each queue of the configuration is told, by its path: texts that differ just where that does. It is known of a replay that was just
	// made, and of none that was kept.
	Queues map[string]string `json:"-"`
}

// Band is how far a metric was off where its true values are known: absolute errors as parts of the recorded value.
type Band struct {
	Metric string  `json:"metric"` // the beginning of the names of the metrics that it is about
	Median float64 `json:"median_error"`
	P90    float64 `json:"p90_error"`
	N      int64   `json:"n"` // applications
}

// File is a file of a result as it was written.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Window is a part of a trace by the time of submission. Times of the replay count from its start.
type Window struct {
	FromMS int64 `json:"from_ms"`
	ToMS   int64 `json:"to_ms"` // jobs submitted at it are after the window
}

// A Cluster names the nodes that a replay has at each time, among replays of one trace; "" where they are not known.
type Cluster string

// Scaled is a cluster whose nodes an autoscaler decides on, in each replay by what it sees there.
const Scaled Cluster = "autoscaled"

// Differs reports whether two replays of one trace may not have the same nodes at the same times.
func (c Cluster) Differs(o Cluster) bool {
	return c != "" && o != "" && (c != o || c == Scaled)
}

// KeepNode is how the change of a replay begins that keeps a node in the cluster.
const KeepNode = "keep node "

// Cluster names the nodes of the replay.
func (m *Manifest) Cluster() Cluster {
	if m.Scaling != nil {
		return Scaled
	}
	var kept []string
	for key, text := range m.Config {
		if strings.HasPrefix(key, "change ") && strings.HasPrefix(text, KeepNode) {
			kept = append(kept, ", "+text)
		}
	}
	slices.Sort(kept)
	return Cluster(fmt.Sprintf("%d nodes%s", m.Nodes, strings.Join(slices.Compact(kept), "")))
}

// Subject names what was replayed: the trace, and that it was not recorded on YARN.
func (m *Manifest) Subject() string {
	switch {
	case m.TraceName == "":
		return "-"
	case m.Elsewhere != "":
		return m.TraceName + " as if on YARN"
	}
	return m.TraceName
}

// Made says how a result was made: with it and the trace, the result can be made again.
type Made struct {
	Command []string `json:"command"`     // words after the program's name, without those that say where results go and how much is said
	Files   []Text   `json:"files"`       // all that the command read besides the trace, in order of name
	Folders []Folder `json:"folders"`     // of configuration, that it read
	Trace   []Text   `json:"trace_files"` // configuration that came with the trace
}

// Folder is a folder of configuration files.
type Folder struct {
	Name   string            `json:"name"`
	Files  map[string]string `json:"files"`  // names of files by kind; their texts are those of Made
	Others []string          `json:"others"` // files that were not read
}

// Text is a file with its content.
type Text struct {
	Name   string `json:"name"` // as the command or another file names it
	SHA256 string `json:"sha256"`
	Text   string `json:"text,omitempty"`
	Base64 string `json:"base64,omitempty"` // instead of Text when the content is not UTF-8
}
