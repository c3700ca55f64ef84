// Package model holds what neither YARN nor Spark decides and a trace does not say: the latencies of
// processes and messages, and factors on task times. docs/model.md has the reasons of its defaults.
package model

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Model holds everything that neither YARN nor Spark decides and that a trace does not say:
// latencies of processes and messages, and factors on task times. All are named, have defaults that
// docs/model.md explains, can be set, and are listed in run.json.
type Model struct {
	NMStartMS       int64   // start-container call of a NodeManager
	AMStartMS       int64   // from the NodeManager's start of an AM container to its registration
	ExecutorStartMS int64   // from the NodeManager's start of an executor to LaunchedExecutor at the driver
	ExecutorReadyMS int64   // from the registration of an executor to LaunchedExecutor, where registrations were recorded
	KillMS          int64   // from the NodeManager's order to kill a process to its end
	StopMS          int64   // from the end of a driver to the end of its AM process
	TaskStartMS     int64   // from the NodeManager's start of a MapReduce task to its work
	TaskExitMS      int64   // from the report of a MapReduce task to the end of its process
	MRCommitMS      int64   // from the end of the last task of a MapReduce job to its unregistration
	MRStopMS        int64   // from its unregistration to the end of its AM process
	GangHoldMS      int64   // how long a gang holds containers without having all of them
	GangBackoffMS   int64   // from its giving them back to its next asks, at least; up to as much again is drawn
	DriverStopMS    int64   // from the last job's end to the driver's unregistration
	DispatchMS      int64   // from an offer to the start of the task
	DeserializeMS   int64   // of a task
	FirstTaskMS     int64   // more for the first task of an executor (class loading)
	StatusMS        int64   // from the end of a task to its status at the driver
	ResultMS        int64   // handling of a result at the driver
	StageSubmitMS   int64   // handling of a stage submission at the driver
	FetchFailMS     int64   // until a task gives up on shuffle output that cannot be read
	DisconnectMS    int64   // from the end of an executor process to the driver's notice
	RackPenalty     float64 // factor on the reading share of a task that runs on the rack of a preferred host
	AnyPenalty      float64 // the same off the rack
	ReadMiBPerS     float64 // local read rate, MiB/s: reading share = input / rate, at most the whole duration
	FirstFactor     float64 // of the first wave of a stage on an executor where the trace has none
}

// Parameter is one entry of the model: its name on the command line and in run.json.
type Parameter struct {
	Name string
	Doc  string
	i    func(*Model) *int64
	f    func(*Model) *float64

	byDefault float64
}

// Parameters lists the model's parameters in the order in which they are shown.
var Parameters = []Parameter{
	time("nm-start-ms", 50, "start-container call of a NodeManager", func(m *Model) *int64 { return &m.NMStartMS }),
	time("am-start-ms", 5000, "AM process start to registration", func(m *Model) *int64 { return &m.AMStartMS }),
	time("executor-start-ms", 3000, "executor process start to LaunchedExecutor", func(m *Model) *int64 { return &m.ExecutorStartMS }),
	time("executor-ready-ms", 0, "recorded registration of an executor to LaunchedExecutor", func(m *Model) *int64 { return &m.ExecutorReadyMS }),
	time("kill-ms", 57, "order to kill a process to its end", func(m *Model) *int64 { return &m.KillMS }),
	time("stop-ms", 354, "unregistration to the end of the AM process", func(m *Model) *int64 { return &m.StopMS }),
	time("task-start-ms", 1500, "MapReduce task process start to its work", func(m *Model) *int64 { return &m.TaskStartMS }),
	time("task-exit-ms", 100, "report of a MapReduce task to the end of its process", func(m *Model) *int64 { return &m.TaskExitMS }),
	time("mr-commit-ms", 100, "end of the last task of a MapReduce job to unregistration", func(m *Model) *int64 { return &m.MRCommitMS }),
	time("mr-stop-ms", 5000, "unregistration of a MapReduce job to the end of its AM process", func(m *Model) *int64 { return &m.MRStopMS }),
	time("gang-hold-ms", 300_000, "how long a gang holds containers without having all", func(m *Model) *int64 { return &m.GangHoldMS }),
	time("gang-backoff-ms", 30_000, "until a gang asks again, and up to as much more", func(m *Model) *int64 { return &m.GangBackoffMS }),
	time("driver-stop-ms", 6, "end of the last job to unregistration", func(m *Model) *int64 { return &m.DriverStopMS }),
	time("dispatch-ms", 1, "offer to start of the task", func(m *Model) *int64 { return &m.DispatchMS }),
	time("deserialize-ms", 8, "deserialization of a task", func(m *Model) *int64 { return &m.DeserializeMS }),
	time("first-task-ms", 0, "more for an executor's first task", func(m *Model) *int64 { return &m.FirstTaskMS }),
	time("status-ms", 1, "end of a task to its status at the driver", func(m *Model) *int64 { return &m.StatusMS }),
	time("result-ms", 1, "handling of a result at the driver", func(m *Model) *int64 { return &m.ResultMS }),
	time("stage-submit-ms", 3, "handling of a stage submission at the driver", func(m *Model) *int64 { return &m.StageSubmitMS }),
	time("fetch-fail-ms", 15_000, "until a task gives up on lost shuffle output", func(m *Model) *int64 { return &m.FetchFailMS }),
	time("disconnect-ms", 10, "end of an executor process to the driver's notice", func(m *Model) *int64 { return &m.DisconnectMS }),
	factor("rack-penalty", 1.15, "factor on the reading share, on the rack", func(m *Model) *float64 { return &m.RackPenalty }),
	factor("any-penalty", 1.3, "factor on the reading share, off the rack", func(m *Model) *float64 { return &m.AnyPenalty }),
	factor("read-mib-per-s", 100, "local read rate that gives the reading share", func(m *Model) *float64 { return &m.ReadMiBPerS }),
	factor("first-factor", 1, "factor on the first task of a stage on an executor", func(m *Model) *float64 { return &m.FirstFactor }),
}

// time is a parameter in ms, factor one that multiplies or divides; byDefault is explained in docs/model.md.
func time(name string, byDefault int64, doc string, of func(*Model) *int64) Parameter {
	return Parameter{Name: name, Doc: doc, i: of, byDefault: float64(byDefault)}
}

func factor(name string, byDefault float64, doc string, of func(*Model) *float64) Parameter {
	return Parameter{Name: name, Doc: doc, f: of, byDefault: byDefault}
}

// DefaultModel returns the defaults of docs/model.md.
func DefaultModel() (m Model) {
	for _, p := range Parameters {
		if p.i != nil {
			*p.i(&m) = int64(p.byDefault)
		} else {
			*p.f(&m) = p.byDefault
		}
	}
	return m
}

// mostModelMS bounds times: nothing takes longer than 30 days.
const mostModelMS int64 = 30 * 24 * 3600_000

// mostFactor bounds factors on times, as trace.MostFactor those of a trace.
const mostFactor = 1000

// Set sets the parameter called name from text. Times and factors have bounds. The error names the parameter, the text and what was wanted.
func (m *Model) Set(name, text string) error {
	for _, p := range Parameters {
		if p.Name != name {
			continue
		}
		if p.i != nil {
			v, err := strconv.ParseInt(text, 10, 64)
			if err != nil || v < 0 || v > mostModelMS {
				return fmt.Errorf("model parameter %s (%s) is %q, want a whole number of ms from 0 to %d", name, p.Doc, text, mostModelMS)
			}
			*p.i(m) = v
			return nil
		}
		least, most := 0.0, float64(mostFactor)
		if name == "read-mib-per-s" {
			least, most = 1e-6, 1e12
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= least && v <= most) {
			return fmt.Errorf("model parameter %s (%s) is %q, want %g to %g", name, p.Doc, text, least, most)
		}
		*p.f(m) = v
		return nil
	}
	var names []string
	for _, p := range Parameters {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return fmt.Errorf("unknown model parameter %q (known: %s)", name, strings.Join(names, ", "))
}

// SetLines sets the parameters that a file names, one NAME=VALUE a line; # begins a comment. Lines of a [Band] are checked and set nothing. Name is what
// errors call the file.
func (m *Model) SetLines(name string, text []byte) error {
	if _, err := Bands(name, text); err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if strings.HasPrefix(line, bandPrefix) {
			continue
		}
		parameter, value, ok := strings.Cut(line, "=")
		if !ok {
			return fmt.Errorf("%s:%d: %q, want NAME=VALUE", name, n, line)
		}
		if err := m.Set(strings.TrimSpace(parameter), strings.TrimSpace(value)); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Values returns every parameter as text, for run.json.
func (m *Model) Values() map[string]string {
	out := make(map[string]string, len(Parameters))
	for _, p := range Parameters {
		if p.i != nil {
			out[p.Name] = strconv.FormatInt(*p.i(m), 10)
		} else {
			out[p.Name] = strconv.FormatFloat(*p.f(m), 'g', -1, 64)
		}
	}
	return out
}
