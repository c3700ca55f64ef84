package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"replay/bench/conform/golden"
	sparkconf "replay/engine/spark/conf"
)

// master is an application master as recorded: what it was told, and what it did. Each attempt of an application has one.
type master struct {
	app    string // application_...
	number int32  // of the attempt
	conf   *sparkconf.Conf
	events []masterEvent
	beats  []masterBeat // its calls, without those that the ResourceManager made for it
	stages []masterStage
	ended  []liveContainer // its containers by the time at which the ResourceManager took them for ended

	profiles map[int32]sparkconf.Overrides // resource profiles by id

	unsupported string // why it is not compared
}

// masterEvent is a line of its log.
type masterEvent struct {
	t       int64
	kind    masterEventKind
	profile int32    // its id, where the line names one
	n       []int    // a target; executors; the four numbers at the begin of a heartbeat
	text    []string // hosts of a request; container, host and executor of a launch
}

type masterEventKind uint8

const (
	masterBeats     masterEventKind = iota // target, pending, running, starting of a profile; a heartbeat begins with a line for each
	masterTotal                            // the driver wants n executors of a profile
	masterWill                             // requests of a profile follow
	masterKills                            // the driver gives executors back
	masterCompleted                        // n containers have ended
	masterAsks                             // a request for hosts
	masterAsksAny                          // n requests for any host
	masterLaunches
)

// masterLines are the lines that are read; a group called profile is the id of a resource profile.
var masterLines = []struct {
	kind masterEventKind
	line *regexp.Regexp
}{
	{masterBeats, regexp.MustCompile(`^Updating resource requests for ResourceProfile id: (?P<profile>\d+), target: (\d+), pending: (\d+), running: (\d+), executorsStarting: (\d+)$`)},
	{masterTotal, regexp.MustCompile(`^Driver requested a total number of (\d+) executor\(s\) for resource profile id: (?P<profile>\d+)\.$`)},
	{masterWill, regexp.MustCompile(`^Will request \d+ executor container\(s\) for +ResourceProfile Id: (?P<profile>\d+),`)},
	{masterKills, regexp.MustCompile(`^Driver requested to kill executor\(s\) ([\d, ]+)\.$`)},
	{masterCompleted, regexp.MustCompile(`^Completed (\d+) containers$`)},
	{masterAsks, regexp.MustCompile(`^Submitted container request for host (\S+)\.$`)},
	{masterAsksAny, regexp.MustCompile(`^Submitted (\d+) unlocalized container requests\.$`)},
	{masterLaunches, regexp.MustCompile(`^Launching container (\S+) on host (\S+) for executor with ID (\d+) for ResourceProfile Id (?P<profile>\d+)$`)},
}

// masterBeat is a call with its answer.
type masterBeat struct{ call, reply *liveCall }

// masterStage is a stage attempt while its tasks' places count.
type masterStage struct {
	Stage, Attempt int
	T              int64
	ByTask         [][]string `json:"by_task"`
	Hints          [][]string `json:"hints_unordered"` // of a repeated stage
	profile        int32      // its id
	end            int64
}

// readMasters reads the application masters' side, nil when it was not recorded or is not that of Spark.
func (r *recording) readMasters(dir string) ([]*master, error) {
	var log []struct {
		T             int64
		App, Cls, Msg string
		Attempt       int32
	}
	if err := readLines(filepath.Join(dir, "am-log.jsonl.gz"), &log); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	of := func(cls string) bool { return cls == "YarnAllocator" || cls == "ApplicationMaster$AMEndpoint" }
	spark := false
	for _, line := range log {
		spark = spark || of(line.Cls)
	}
	if !spark {
		return nil, nil
	}
	var submits []struct {
		App  string
		Conf map[string]string
	}
	var preferences []struct {
		App     string
		Attempt int32 `json:"app_attempt"` // absent where there is one
		masterStage
	}
	if err := errors.Join(
		readLines(filepath.Join(dir, "submits.jsonl"), &submits),
		readLines(filepath.Join(dir, "task-preferences.jsonl.gz"), &preferences),
	); err != nil {
		return nil, err
	}
	type key struct {
		app    string
		number int32
	}
	masters := map[key]*master{}
	var list []*master
	for _, s := range submits {
		conf, _, err := sparkconf.Parse(sparkconf.Layer{Name: "cluster.json", Values: r.sparkDefaults}, sparkconf.Layer{Name: "submits.jsonl", Values: s.Conf})
		for number := range r.attemptsOf(s.App) {
			m := &master{app: s.App, number: number + 1, conf: conf, profiles: map[int32]sparkconf.Overrides{0: sparkconf.DefaultProfile}}
			if err != nil {
				m.unsupported = err.Error()
			}
			masters[key{m.app, m.number}] = m
			list = append(list, m)
		}
	}
	for _, p := range preferences {
		if m := masters[key{p.App, max(p.Attempt, 1)}]; m != nil {
			p.end = 1 << 62
			m.stages = append(m.stages, p.masterStage)
		}
	}
	for _, line := range log {
		m := masters[key{line.App, max(line.Attempt, 1)}]
		if m == nil || !of(line.Cls) {
			continue
		}
		if e, ok := parseMasterLine(line.T, line.Msg); ok {
			m.events = append(m.events, e)
		}
	}
	for _, m := range list {
		r.addCalls(m)
		logs, err := filepath.Glob(filepath.Join(dir, "eventlogs", fmt.Sprintf("%s_%d*", m.app, m.number)))
		if err != nil {
			return nil, err
		}
		if len(logs) == 0 && m.unsupported == "" && (m.number == 1 || len(m.events) > 0) {
			m.unsupported = "there is no event log of the application"
		}
		for _, path := range logs {
			if err := m.readEvents(path); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// attemptsOf is how many attempts an application had; one that never had any counts as one.
func (r *recording) attemptsOf(app string) int32 {
	most := int32(1)
	for i := range r.calls {
		if c := &r.calls[i]; c.Type == "APP_ATTEMPT_ADDED" && appNumber(c.Attempt) == appNumber(app) {
			most = max(most, attemptNumber(c.Attempt))
		}
	}
	return most
}

func parseMasterLine(t int64, msg string) (masterEvent, bool) {
	for _, l := range masterLines {
		m := l.line.FindStringSubmatch(msg)
		if m == nil {
			continue
		}
		e := masterEvent{t: t, kind: l.kind}
		if i := l.line.SubexpIndex("profile"); i >= 0 {
			id, err := strconv.ParseInt(m[i], 10, 32)
			if err != nil {
				return e, false
			}
			e.profile = int32(id)
			m = slices.Delete(m, i, i+1)
		}
		switch l.kind {
		case masterAsks:
			e.text = slices.Sorted(slices.Values(strings.Split(m[1], ",")))
		case masterLaunches:
			e.text = m[1:]
		case masterKills:
			m = append(m[:1], strings.Split(m[1], ", ")...)
			fallthrough
		default:
			for _, text := range m[1:] {
				n, err := strconv.Atoi(text)
				if err != nil {
					return e, false
				}
				e.n = append(e.n, n)
			}
		}
		return e, true
	}
	return masterEvent{}, false
}

// addCalls finds the calls of the master itself: those after the answer with its own container; and the ends of its containers.
func (r *recording) addCalls(m *master) {
	registered := false
	for i := range r.calls {
		c := &r.calls[i]
		if c.Attempt == "" || appNumber(c.Attempt) != appNumber(m.app) || attemptNumber(c.Attempt) != m.number {
			continue
		}
		switch {
		case c.Kind == "allocate" && registered:
			m.beats = append(m.beats, masterBeat{call: c})
		case c.Kind == "allocate_reply" && !registered:
			registered = true
		case c.Kind == "allocate_reply" && len(m.beats) > 0:
			m.beats[len(m.beats)-1].reply = c
		}
	}
	for _, c := range r.containers {
		if id, err := containerID(c.Container); err == nil && id.App == appNumber(m.app) && id.Attempt() == m.number && id.Number() > 1 && c.ends() > 0 {
			m.ended = append(m.ended, c)
		}
	}
	slices.SortStableFunc(m.ended, func(a, b liveContainer) int { return int(a.ends() - b.ends()) })
}

// ends is when the ResourceManager took the container for ended, 0 when it never did.
func (c *liveContainer) ends() int64 {
	for _, tr := range c.Transitions {
		switch tr.to {
		case "COMPLETED", "RELEASED", "KILLED", "EXPIRED":
			return tr.t
		}
	}
	return 0
}

// readEvents takes the resource profiles, and of the stages the profile and the end, from the event log. The last line may be cut short.
func (m *master) readEvents(path string) error {
	in, err := golden.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	kinds := [][]byte{[]byte("SparkListenerStageCompleted"), []byte("SparkListenerStageSubmitted"), []byte("SparkListenerResourceProfileAdded")}
	for {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		start := line[:min(len(line), 80)]
		if !slices.ContainsFunc(kinds, func(k []byte) bool { return bytes.Contains(start, k) }) {
			continue
		}
		var e listenerEvent
		if err := json.Unmarshal(line, &e); err != nil {
			malformed := in.Errorf("%w", err)
			if _, err := in.Next(); err == io.EOF {
				return nil
			}
			return malformed
		}
		if e.Event == "SparkListenerResourceProfileAdded" {
			if e.Profile != 0 {
				m.profiles[e.Profile] = e.overrides()
			}
			continue
		}
		for i := range m.stages {
			if s := &m.stages[i]; s.Stage == e.Info.Stage && s.Attempt == e.Info.Attempt {
				s.profile = e.Info.Profile
				if e.Event == "SparkListenerStageCompleted" {
					s.end = e.Info.End
				}
			}
		}
	}
}

// listenerEvent is an event of a stage or of a resource profile.
type listenerEvent struct {
	Event string
	Info  struct {
		Stage   int   `json:"Stage ID"`
		Attempt int   `json:"Stage Attempt ID"`
		End     int64 `json:"Completion Time"`
		Profile int32 `json:"Resource Profile Id"`
	} `json:"Stage Info"`

	Profile  int32                     `json:"Resource Profile Id"`
	Executor map[string]resourceAmount `json:"Executor Resource Requests"`
	Task     map[string]resourceAmount `json:"Task Resource Requests"`
}

type resourceAmount struct{ Amount float64 }

// overrides is what a resource profile sets.
func (e *listenerEvent) overrides() sparkconf.Overrides {
	o := sparkconf.DefaultProfile
	for name, r := range e.Executor {
		switch n := int64(r.Amount); name {
		case "cores":
			o.Cores = int(n)
		case "memory":
			o.MiB = n
		case "memoryOverhead":
			o.OverheadMiB = n
		case "offHeap":
			o.OffHeapMiB = n
		case "pyspark.memory":
			o.PySparkMiB = n
		default:
			o.Resources = append(o.Resources, sparkconf.CustomResource{Name: name, Executor: n, Task: e.Task[name].Amount})
		}
	}
	slices.SortFunc(o.Resources, func(a, b sparkconf.CustomResource) int { return strings.Compare(a.Name, b.Name) })
	if cpus, ok := e.Task["cpus"]; ok {
		o.TaskCPUs = int(cpus.Amount)
	}
	return o
}
