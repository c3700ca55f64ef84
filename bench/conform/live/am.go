package live

import (
	"bytes"
	"encoding/json"
	"errors"
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

// master is an application master as recorded: what it was told, and what it did.
type master struct {
	app    string // application_...
	conf   *sparkconf.Conf
	events []masterEvent
	beats  []masterBeat // its calls, without those that the ResourceManager made for it
	stages []masterStage
	ended  []liveContainer // its containers by the time at which the ResourceManager took them for ended

	unsupported string // why it is not compared
}

// masterEvent is a line of its log.
type masterEvent struct {
	t    int64
	kind masterEventKind
	n    []int    // a target; executors; the four numbers at the begin of a heartbeat
	text []string // hosts of a request; container, host and executor of a launch
}

type masterEventKind uint8

const (
	masterBeats     masterEventKind = iota // target, pending, running, starting
	masterTotal                            // the driver wants n executors
	masterKills                            // the driver gives executors back
	masterCompleted                        // n containers have ended
	masterAsks                             // a request for hosts
	masterAsksAny                          // n requests for any host
	masterLaunches
)

var masterLines = []struct {
	kind masterEventKind
	line *regexp.Regexp
}{
	{masterBeats, regexp.MustCompile(`^Updating resource requests for ResourceProfile id: 0, target: (\d+), pending: (\d+), running: (\d+), executorsStarting: (\d+)$`)},
	{masterTotal, regexp.MustCompile(`^Driver requested a total number of (\d+) executor\(s\) for resource profile id: 0\.$`)},
	{masterKills, regexp.MustCompile(`^Driver requested to kill executor\(s\) ([\d, ]+)\.$`)},
	{masterCompleted, regexp.MustCompile(`^Completed (\d+) containers$`)},
	{masterAsks, regexp.MustCompile(`^Submitted container request for host (\S+)\.$`)},
	{masterAsksAny, regexp.MustCompile(`^Submitted (\d+) unlocalized container requests\.$`)},
	{masterLaunches, regexp.MustCompile(`^Launching container (\S+) on host (\S+) for executor with ID (\d+) for ResourceProfile Id 0$`)},
}

var otherProfile = regexp.MustCompile(`^Updating resource requests for ResourceProfile id: [1-9]`)

// masterBeat is a call with its answer.
type masterBeat struct{ call, reply *liveCall }

// masterStage is a stage attempt while its tasks' places count.
type masterStage struct {
	Stage, Attempt int
	T              int64
	ByTask         [][]string `json:"by_task"`
	Hints          [][]string `json:"hints_unordered"` // of a repeated stage
	end            int64
}

// readMasters reads the application masters' side, nil when it was not recorded.
func (r *recording) readMasters(dir string) ([]*master, error) {
	var log []struct {
		T             int64
		App, Cls, Msg string
	}
	if err := readLines(filepath.Join(dir, "am-log.jsonl.gz"), &log); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var submits []struct {
		App  string
		Conf map[string]string
	}
	var preferences []struct {
		App string
		masterStage
	}
	if err := errors.Join(
		readLines(filepath.Join(dir, "submits.jsonl"), &submits),
		readLines(filepath.Join(dir, "task-preferences.jsonl.gz"), &preferences),
	); err != nil {
		return nil, err
	}
	byApp := map[string]*master{}
	var list []*master
	for _, s := range submits {
		m := &master{app: s.App}
		conf, _, err := sparkconf.Parse(sparkconf.Layer{Name: "cluster.json", Values: r.sparkDefaults}, sparkconf.Layer{Name: "submits.jsonl", Values: s.Conf})
		if err != nil {
			m.unsupported = err.Error()
		}
		m.conf = conf
		byApp[s.App] = m
		list = append(list, m)
	}
	for _, p := range preferences {
		if m := byApp[p.App]; m != nil {
			p.end = 1 << 62
			m.stages = append(m.stages, p.masterStage)
		}
	}
	for _, line := range log {
		m := byApp[line.App]
		if m == nil || line.Cls != "YarnAllocator" && line.Cls != "ApplicationMaster$AMEndpoint" {
			continue
		}
		if otherProfile.MatchString(line.Msg) {
			m.unsupported = "it has several resource profiles"
		}
		if e, ok := parseMasterLine(line.T, line.Msg); ok {
			m.events = append(m.events, e)
		}
	}
	for _, m := range list {
		r.addCalls(m)
		logs, err := filepath.Glob(filepath.Join(dir, "eventlogs", m.app+"_1*"))
		if err != nil {
			return nil, err
		}
		if len(logs) == 0 && m.unsupported == "" {
			m.unsupported = "there is no event log of the application"
		}
		for _, path := range logs {
			if err := m.readStages(path); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

func parseMasterLine(t int64, msg string) (masterEvent, bool) {
	for _, l := range masterLines {
		m := l.line.FindStringSubmatch(msg)
		if m == nil {
			continue
		}
		e := masterEvent{t: t, kind: l.kind}
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
		if c.Attempt == "" || appNumber(c.Attempt) != appNumber(m.app) {
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
		if id, err := containerID(c.Container); err == nil && id.App == appNumber(m.app) && id.N > 1 && c.ends() > 0 {
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

// readStages takes the ends of stages from the event log. The last line may be cut short.
func (m *master) readStages(path string) error {
	in, err := golden.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	for {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !bytes.Contains(line[:min(len(line), 60)], []byte("SparkListenerStageCompleted")) {
			continue
		}
		var e struct {
			Info struct {
				Stage   int   `json:"Stage ID"`
				Attempt int   `json:"Stage Attempt ID"`
				End     int64 `json:"Completion Time"`
			} `json:"Stage Info"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			malformed := in.Errorf("%w", err)
			if _, err := in.Next(); err == io.EOF {
				return nil
			}
			return malformed
		}
		for i := range m.stages {
			if s := &m.stages[i]; s.Stage == e.Info.Stage && s.Attempt == e.Info.Attempt {
				s.end = e.Info.End
			}
		}
	}
}
