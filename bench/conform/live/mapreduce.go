package live

import (
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
	"replay/engine/mapreduce/allocator"
	mrconf "replay/engine/mapreduce/conf"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// mapReduceMaster is the application master of a MapReduce job as recorded.
type mapReduceMaster struct {
	master
	settings      *mrconf.Conf
	max           resource.Resource
	maps, reduces int // tasks of the job
	lines         []mapReduceLine
	requests      []allocator.Attempt // maps, in the order in which they asked for a container
	gone          []allocator.Attempt // that were deallocated
}

// mapReduceLine is a line of its log that says what the allocator was told or did.
type mapReduceLine struct {
	t       int64
	kind    mapReduceLineKind
	attempt allocator.Attempt
	text    []string // what the pattern's groups matched
	n       []int
}

type mapReduceLineKind uint8

const (
	// What the allocator was told.
	mrAskHost    mapReduceLineKind = iota // a map's request enters the list of a host
	mrAskRack                             // of a rack
	mrFailedMap                           // it is one after a failure
	mrAskDone                             // a request was counted anywhere, at a priority
	mrUnassigned                          // an attempt asks
	mrDealloc                             // an attempt wants nothing more
	mrHostFails                           // a failure on a host
	mrProgress                            // progress of an attempt
	mrFinishing                           // the attempt is done, fails or is killed: its progress reads 1
	mrFails                               // and the one that fails
	mrReplaced                            // a request is put again because its container is on a blacklisted host
	// What it got and did in a heartbeat.
	mrHeadroom
	mrCompleted
	mrGot
	mrAssigned
	mrBefore // counts at its begin
	mrAfter  // and at its end
	mrAll    // all reduces are asked for
	mrUp
	mrDown
	mrPreempts
	mrNodeKills
	mrRecalculates
	mrResources
)

// mapReduceLines are the lines that are read; a group called attempt names one.
var mapReduceLines = []struct {
	kind mapReduceLineKind
	cls  string
	line *regexp.Regexp
}{
	{mrAskHost, "RMContainerAllocator", regexp.MustCompile(`^Added attempt req to host (\S+)$`)},
	{mrAskRack, "RMContainerAllocator", regexp.MustCompile(`^Added attempt req to rack (\S+)$`)},
	{mrFailedMap, "RMContainerAllocator", regexp.MustCompile(`^Added (?P<attempt>attempt_\S+) to list of failed maps$`)},
	{mrAskDone, "RMContainerRequestor", regexp.MustCompile(`^addResourceRequest: +applicationId=\S+ priority=(5|19|20) resourceName=\* `)},
	{mrUnassigned, "TaskAttemptImpl", regexp.MustCompile(`^(?P<attempt>attempt_\S+) TaskAttempt Transitioned from NEW to UNASSIGNED$`)},
	{mrDealloc, "RMContainerAllocator", regexp.MustCompile(`^Processing the event EventType: CONTAINER_DEALLOCATE$`)},
	{mrHostFails, "RMContainerRequestor", regexp.MustCompile(`^\d+ failures on node (\S+)$`)},
	{mrProgress, "TaskAttemptListenerImpl", regexp.MustCompile(`^Progress of TaskAttempt (?P<attempt>attempt_\S+) is : ([\d.E-]+)$`)},
	{mrFails, "TaskAttemptImpl", regexp.MustCompile(`^(?P<attempt>attempt_\S+) TaskAttempt Transitioned from \S+ to FAIL\S*$`)},
	{mrFinishing, "TaskAttemptImpl", regexp.MustCompile(`^(?P<attempt>attempt_\S+) TaskAttempt Transitioned from \S+ to (?:KILL|SUCCE|COMMIT)\S*$`)},
	{mrReplaced, "RMContainerAllocator", regexp.MustCompile(`^Placing a new container request for task attempt attempt_\d+_\d+_m_\d+_\d+$`)},
	{mrHeadroom, "RMContainerAllocator", regexp.MustCompile(`^headroom=<memory:(-?\d+), vCores:(-?\d+)`)},
	{mrCompleted, "RMContainerAllocator", regexp.MustCompile(`^Received completed container (container_\S+)$`)},
	{mrGot, "RMContainerAllocator", regexp.MustCompile(`^(?:Received new Container|Got allocated containers)`)},
	{mrAssigned, "RMContainerAllocator", regexp.MustCompile(`^Assigned container (container_\S+) to (?P<attempt>attempt_\S+)$`)},
	{mrBefore, "RMContainerAllocator", regexp.MustCompile(`^Before Scheduling: ` + mapReduceCounts)},
	{mrAfter, "RMContainerAllocator", regexp.MustCompile(`^After Scheduling: ` + mapReduceCounts)},
	{mrAll, "RMContainerAllocator", regexp.MustCompile(`^All maps assigned\. Ramping up all remaining reduces:(\d+)$`)},
	{mrUp, "RMContainerAllocator", regexp.MustCompile(`^Ramping up (\d+)$`)},
	{mrDown, "RMContainerAllocator", regexp.MustCompile(`^Ramping down (\d+)$`)},
	{mrPreempts, "RMContainerAllocator", regexp.MustCompile(`^Preempting (?P<attempt>attempt_\S+)$`)},
	{mrNodeKills, "RMContainerAllocator", regexp.MustCompile(`^Killing taskAttempt:(?P<attempt>attempt_\S+) because it is running on unusable node`)},
	{mrRecalculates, "RMContainerAllocator", regexp.MustCompile(`^Recalculating schedule, headroom=<memory:(-?\d+), vCores:(-?\d+)`)},
	{mrResources, "RMContainerRequestor", regexp.MustCompile(`^applicationId=\S+: ask=`)},
}

const mapReduceCounts = `PendingReds:(\d+) ScheduledMaps:(\d+) ScheduledReds:(\d+) AssignedMaps:(\d+) AssignedReds:(\d+) ` +
	`CompletedMaps:(\d+) CompletedReds:(\d+) ContAlloc:(\d+) ContRel:(\d+) HostLocal:(\d+) RackLocal:(\d+)`

var (
	mapReduceMax     = regexp.MustCompile(`^maxContainerCapability: <memory:(\d+), vCores:(\d+)`)
	mapReduceSplits  = regexp.MustCompile(`^Input size for job .* Number of splits = (\d+)$`)
	mapReduceReduces = regexp.MustCompile(`^Number of reduces for job .* = (\d+)$`)
	mapReduceAttempt = regexp.MustCompile(`^attempt_\d+_\d+_([mr])_(\d+)_(\d+)$`)
	// An attempt that goes without having been stopped takes its request, or the container that it was given, back.
	mapReduceGone = regexp.MustCompile(`^(attempt_\S+) TaskAttempt Transitioned from (?:UNASSIGNED|ASSIGNED) to (?:KILLED|FAILED)$`)
)

// readMapReduce reads the side of the application masters of MapReduce, nil when there are none.
func (r *recording) readMapReduce(dir string) ([]*mapReduceMaster, error) {
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
	type key struct {
		app    string
		number int32
	}
	byKey := map[key]*mapReduceMaster{}
	var list []*mapReduceMaster
	for _, line := range log {
		k := key{line.App, max(line.Attempt, 1)}
		m := byKey[k]
		if m == nil {
			if line.Cls != "RMContainerAllocator" && line.Cls != "MRAppMaster" && line.Cls != "JobImpl" && line.Cls != "RMCommunicator" {
				continue
			}
			m = &mapReduceMaster{master: master{app: k.app, number: k.number}}
			byKey[k] = m
			list = append(list, m)
		}
		if err := m.read(line.T, line.Cls, line.Msg); err != nil {
			return nil, fmt.Errorf("%s: am-log: %q: %w", dir, line.Msg, err)
		}
	}
	for _, m := range list {
		r.addCalls(&m.master)
		values, err := jobConf(dir, m.app)
		if err == nil {
			m.settings, err = mrconf.New(func(k string) (string, bool) { v, ok := values[k]; return v, ok })
		}
		switch {
		case err != nil:
			m.unsupported = err.Error()
		case m.settings.Allocator.OpportunisticMapsPercent > 0:
			m.unsupported = "the log does not tell when opportunistic maps were asked for"
		case m.max.IsNone():
			m.unsupported = "the log does not tell the largest container"
		}
	}
	return list, nil
}

// jobConf reads the configuration that the job ran with.
func jobConf(dir, app string) (map[string]string, error) {
	path := filepath.Join(dir, "jhist", "job_"+strings.TrimPrefix(app, "application_")+"_conf.xml")
	in, err := golden.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		path += ".gz"
		in, err = golden.Open(path)
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var text []byte
	for {
		line, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		text = append(append(text, line...), '\n')
	}
	p := conf.NewProperties()
	if err := p.Parse(path, text); err != nil {
		return nil, err
	}
	return p.Resolve()
}

func parseAttempt(name string) (at allocator.Attempt, err error) {
	m := mapReduceAttempt.FindStringSubmatch(name)
	if m == nil {
		return at, fmt.Errorf("attempt %q", name)
	}
	n, err := parseInts(m[2:])
	if err != nil {
		return at, err
	}
	return allocator.Attempt{Reduce: m[1] == "r", Task: int32(n[0]), Number: int32(n[1])}, nil
}

func parseInts(texts []string) (list []int, err error) {
	for _, text := range texts {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, err
		}
		list = append(list, int(n))
	}
	return list, nil
}

// read takes what there is to know from a line.
func (m *mapReduceMaster) read(t int64, cls, msg string) error {
	for _, fact := range []struct {
		line *regexp.Regexp
		to   func(n []int)
	}{
		{mapReduceMax, func(n []int) { m.max = resource.R(int64(n[0]), int64(n[1])) }},
		{mapReduceSplits, func(n []int) { m.maps = n[0] }},
		{mapReduceReduces, func(n []int) { m.reduces = n[0] }},
	} {
		if found := fact.line.FindStringSubmatch(msg); found != nil {
			n, err := parseInts(found[1:])
			if err != nil {
				return err
			}
			fact.to(n)
			return nil
		}
	}
	if found := mapReduceGone.FindStringSubmatch(msg); found != nil {
		at, err := parseAttempt(found[1])
		if err != nil {
			return err
		}
		m.gone = append(m.gone, at)
	}
	for _, l := range mapReduceLines {
		if l.cls != cls {
			continue
		}
		found := l.line.FindStringSubmatch(msg)
		if found == nil {
			continue
		}
		line := mapReduceLine{t: t, kind: l.kind}
		if i := l.line.SubexpIndex("attempt"); i >= 0 {
			at, err := parseAttempt(found[i])
			if err != nil {
				return err
			}
			line.attempt = at
			found = slices.Delete(found, i, i+1)
		}
		line.text = found[1:]
		switch l.kind {
		case mrBefore, mrAfter, mrHeadroom, mrRecalculates, mrAskDone:
			n, err := parseInts(line.text)
			if err != nil {
				return err
			}
			line.n = n
		case mrUnassigned:
			if !line.attempt.Reduce {
				m.requests = append(m.requests, line.attempt)
			}
		}
		m.lines = append(m.lines, line)
		return nil
	}
	return nil
}
