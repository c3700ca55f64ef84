// Package rumen reads traces of Hadoop's Rumen: jobs, and the topology of the cluster.
//
// Source: LoggedJob, LoggedTask, LoggedTaskAttempt and LoggedNetworkTopology of Hadoop's hadoop-rumen.
package rumen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"replay/trace"
	"replay/trace/importer/mapreduce"
	"replay/trace/importer/objects"
	"replay/trace/importer/workload"
)

// Format is that of Rumen's job traces and topologies, in any order and any number of files.
var Format = workload.Format{
	Usage: "Hadoop Rumen: job trace and topology as JSON",
	Params: []workload.Param{
		{Name: "rumen-shuffle", Default: "recorded", Usage: "time of a reduce's shuffle after the last map: recorded, or model (bytes at 20 MB/s)"},
	},
	Detect: func(_ string, head []byte) string {
		switch {
		case jobKeys.Match(head):
			return "objects with jobID and mapTasks"
		case topologyKeys.Match(head):
			return "a tree of names and children"
		}
		return ""
	},
	Read: read,
}

var (
	jobKeys      = regexp.MustCompile(`"(mapTasks|directDependantJobs|heapMegabytes|jobMapMB)"\s*:`)
	topologyKeys = regexp.MustCompile(`^\s*\{\s*"(name"\s*:\s*("[^"]*"|null)\s*,\s*"children"\s*:|children"\s*:)`)
)

// shuffleRate is the bytes that a reduce fetches in a ms under --rumen-shuffle model.
const shuffleRate = 20_000

// reading is an import.
type reading struct {
	*workload.Builder
	ctx    context.Context
	model  bool // times of shuffles are modelled
	parser objects.Parser
	racks  map[string]string // of each host
	listed []trace.Node      // of a topology
}

func read(ctx context.Context, inputs []string, b *workload.Builder) error {
	b.Locality = trace.LocalityRecorded
	shuffle, err := b.ParamOneOf("rumen-shuffle", "recorded", "model")
	if err != nil {
		return err
	}
	r := &reading{Builder: b, ctx: ctx, model: shuffle == "model", racks: map[string]string{}}
	files, err := objects.Parts(b, inputs)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("no file among the inputs, want a job trace")
	}
	full := false
	for i, path := range files {
		switch err := r.file(path); {
		case errors.Is(err, workload.ErrLimit):
			full = true // a topology may follow
		case err != nil:
			return err
		}
		b.Progress(i+1, len(files), "files")
	}
	nodes := r.listed
	if nodes == nil {
		for _, host := range slices.Sorted(maps.Keys(r.racks)) {
			nodes = append(nodes, trace.Node{Host: host, Rack: r.racks[host], Present: true})
		}
	}
	for _, n := range nodes {
		b.AddNode(n)
	}
	if len(nodes) > 0 {
		b.Counts.Modelled["sizes_of_nodes"] += int64(len(nodes))
	}
	if full {
		return workload.ErrLimit
	}
	return nil
}

// file reads the objects of one file.
func (r *reading) file(path string) (err error) {
	s, err := r.Open(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := s.Close(); err == nil {
			err = e
		}
	}()
	in := objects.NewReader(s)
	for n := 1; r.ctx.Err() == nil; n++ {
		err := in.Next()
		if err == io.EOF {
			return nil
		}
		line := in.Line()
		j := &job{text: map[string]string{}}
		if err == nil {
			err = j.read(r, in)
		}
		if err != nil {
			if errors.As(err, new(*objects.SyntaxError)) {
				err = fmt.Errorf("%s: %w", s.Name, err)
			}
			return r.Damaged(err)
		}
		place := fmt.Sprintf("%s: object %d, from line %d", s.Name, n, line)
		switch {
		case j.wrong != nil:
			err = r.Drop("jobs_that_say_something_else", "%s: %w", place, j.wrong)
		case j.hasChildren:
			err = r.topology(j, place)
		case j.text["jobID"] == "":
			err = r.Drop("objects_of_another_kind", "%s: has neither jobID nor children", place)
		default:
			err = r.job(j, place)
		}
		if err != nil {
			return err
		}
	}
	return r.ctx.Err()
}

// job is an object of a trace.
type job struct {
	text        map[string]string // members that are numbers or texts
	properties  map[string]string
	tasks       [2][]task
	nodes       []trace.Node // of a topology
	hasChildren bool
	depends     bool
	wrong       error // the first thing that is
}

// task is a task of a job, with its attempts.
type task struct {
	mapreduce.Task
	start, finish int64
}

// read reads an object to its end.
func (j *job) read(r *reading, in *objects.Reader) error {
	r.Counts.Read["objects"]++
	keep := func(line int, err error) {
		if err != nil && j.wrong == nil {
			j.wrong = fmt.Errorf("line %d: %w", line, err)
		}
	}
	each := func(f func(v *fastjson.Value) error) error {
		return in.Elements(func(line int, text []byte) error {
			v, err := r.parser.Object(text)
			if err == nil && j.wrong == nil {
				err = f(v)
			}
			keep(line, err)
			return nil
		})
	}
	for {
		name, ok, err := in.Member()
		if err != nil || !ok {
			return err
		}
		switch name {
		case "mapTasks", "reduceTasks":
			kind := mapreduce.Map
			if name == "reduceTasks" {
				kind = mapreduce.Reduce
			}
			err = each(func(v *fastjson.Value) error {
				t, err := r.task(v, kind)
				if err == nil {
					err = r.CheckTasks(int64(len(j.tasks[0]) + len(j.tasks[1]) + 1))
				}
				j.tasks[kind] = append(j.tasks[kind], t)
				return err
			})
		case "otherTasks":
			err = each(func(*fastjson.Value) error { r.Counts.Dropped["setup_and_cleanup_tasks"]++; return nil })
		case "children":
			j.hasChildren = true
			err = each(func(v *fastjson.Value) error { return j.child(v, nil) })
		case "directDependantJobs":
			err = in.Elements(func(int, []byte) error { j.depends = true; return nil })
		case "jobProperties":
			line := in.Line()
			var text []byte
			if text, err = in.Value(); err != nil {
				break
			}
			v, bad := r.parser.Parse(text)
			keep(line, bad)
			if o := v.GetObject(); bad == nil && o != nil {
				j.properties = map[string]string{}
				o.Visit(func(key []byte, x *fastjson.Value) {
					if s, ok := objects.TextOf(x); ok {
						j.properties[string(key)] = s
					}
				})
			}
		case "successfulMapAttemptCDFs", "failedMapAttemptCDFs", "successfulReduceAttemptCDF", "failedReduceAttemptCDF":
			r.Counts.Dropped["distributions_of_attempt_times"]++
			err = in.Skip()
		default:
			line, read := in.Line(), slices.Contains(texts, name)
			var text []byte
			if text, err = in.Value(); err != nil || !read && (text[0] == '{' || text[0] == '[') {
				break
			}
			v, bad := r.parser.Parse(text)
			keep(line, bad)
			if bad == nil {
				if s, ok := objects.TextOf(v); ok {
					j.text[name] = strings.TrimSpace(s)
				} else if read {
					keep(line, fmt.Errorf("%s is %s, want text or a number", name, objects.Shown(v)))
				}
			}
		}
		if err != nil {
			return err
		}
	}
}

// texts are the members of a job that are read and that are text or a number.
var texts = []string{"jobID", "user", "queue", "jobName", "submitTime", "launchTime", "finishTime", "priority", "outcome", "jobMapMB", "jobReduceMB"}

// task reads a task.
func (r *reading) task(v *fastjson.Value, kind int) (t task, err error) {
	r.Counts.Read[[...]string{"maps", "reduces"}[kind]]++
	t.WaitMS, t.FetchMS = trace.Unset, trace.Unset
	id, err := objects.Text(v, "taskID")
	if err != nil {
		return t, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("task %s: %w", id, err)
		}
	}()
	if t.start, err = instant(v, "startTime"); err != nil {
		return t, err
	}
	if t.finish, err = instant(v, "finishTime"); err != nil {
		return t, err
	}
	input, err := objects.Int(v, "inputBytes", trace.Unset)
	if err != nil {
		return t, err
	}
	if t.InputBytes = max(input, 0); t.InputBytes > trace.MostBytes {
		return t, fmt.Errorf("inputBytes is %d, want at most %d", input, int64(trace.MostBytes))
	}
	locations, err := objects.List(v, "preferredLocations")
	if err != nil {
		return t, err
	}
	for _, l := range locations {
		host, rack := location(l)
		if host == "" {
			r.Odd("preferred_locations_without_a_host", 1, "task %s: preferredLocations has %s, want layers that end with a host", id, objects.Shown(l))
			continue
		}
		r.see(host, rack)
		t.Preferred = append(t.Preferred, host)
	}
	attempts, err := objects.List(v, "attempts")
	if err != nil {
		return t, err
	}
	for _, a := range attempts {
		if err := r.attempt(&t, a, kind); err != nil {
			return t, err
		}
	}
	if len(t.Preferred) > 0 && t.Done != nil {
		t.Done.Locality = mapreduce.Locality(t.Done.Host, t.Preferred, func(h string) string { return r.racks[h] })
	}
	return t, nil
}

// attempt takes an attempt of a task.
func (r *reading) attempt(t *task, v *fastjson.Value, kind int) error {
	r.Counts.Read["attempts"]++
	start, err := instant(v, "startTime")
	if err != nil {
		return err
	}
	finish, err := instant(v, "finishTime")
	if err != nil {
		return err
	}
	shuffled, err := instant(v, "shuffleFinished")
	if err != nil {
		return err
	}
	path, err := objects.Text(v, "hostName")
	if err != nil {
		return err
	}
	host, rack := mapreduce.HostOf(path)
	if h, k := location(v.Get("location")); h != "" {
		host, rack = h, k
	}
	if host == mapreduce.NoHost {
		host = ""
	}
	if host != "" {
		r.see(host, rack)
	}
	result, err := objects.Text(v, "result")
	if err != nil {
		return err
	}
	known := start >= 0 && finish >= start && finish-start <= trace.LongestMS
	// It begins with the start of its process, for which nothing is to be added. Source: Rumen's JobBuilder, TaskAttemptImpl.LaunchedContainerTransition.
	a := &mapreduce.Attempt{Begin: start, Finish: finish, Shuffled: max(shuffled, 0), Host: host}
	switch outcome := mapreduce.Outcome(result); {
	case outcome == "success" && !known:
		return fmt.Errorf("startTime is %d and finishTime %d of an attempt that succeeded, want an end after the start, within a year", start, finish)
	case outcome == "success":
		t.Done = a
		if t.start >= 0 && start >= t.start && start-t.start <= trace.LongestMS {
			t.WaitMS = start - t.start
		}
		if bytes, _ := objects.Int(v, "reduceShuffleBytes", trace.Unset); kind == mapreduce.Reduce && r.model && bytes >= 0 {
			t.FetchMS = min(bytes/shuffleRate, trace.LongestMS/2)
		}
		return nil
	case outcome == "failed":
		t.Failed++
	default:
		r.Counts.Dropped["killed_attempts"]++
	}
	if known && (t.Tried == nil || t.Tried.Finish-t.Tried.Begin < finish-start) {
		t.Tried = a
	}
	return nil
}

// instant is a time, ms since 1970; -1 = unknown.
func instant(v *fastjson.Value, name string) (int64, error) {
	n, err := objects.Int(v, name, trace.Unset)
	if err == nil && (n < -1 || n > 2*trace.LatestMS) {
		err = fmt.Errorf("%s is %d, want ms since 1970, or -1", name, n)
	}
	return n, err
}

// location is the host and rack of a location, whose layers go from the broadest on.
func location(v *fastjson.Value) (host, rack string) {
	var layers []string
	for _, l := range v.GetArray("layers") {
		if s, ok := objects.TextOf(l); ok && s != "" {
			layers = append(layers, strings.Trim(s, "/"))
		}
	}
	if len(layers) == 0 {
		return "", ""
	}
	host, layers = layers[len(layers)-1], layers[:len(layers)-1]
	if len(layers) > 0 {
		rack = "/" + strings.Join(layers, "/")
	}
	return host, rack
}

// see takes note of a host.
func (r *reading) see(host, rack string) {
	if before, ok := r.racks[host]; !ok || before == "" {
		r.racks[host] = rack
	}
}

// child takes a part of a topology: a leaf is a host, what is above it its rack.
func (j *job) child(v *fastjson.Value, above []string) error {
	if len(above) > 100 {
		return errors.New("the tree has more than 100 levels")
	}
	name, err := objects.Text(v, "name")
	if err != nil {
		return err
	}
	if name = strings.Trim(name, "/"); name == "" {
		return errors.New("name is missing, want that of a rack or host")
	}
	children := v.GetArray("children")
	if len(children) == 0 {
		rack := ""
		if len(above) > 0 {
			rack = "/" + strings.Join(above, "/")
		}
		j.nodes = append(j.nodes, trace.Node{Host: name, Rack: rack, Present: true})
		return nil
	}
	path := append(slices.Clip(above), name)
	for _, c := range children {
		if err := j.child(c, path); err != nil {
			return err
		}
	}
	return nil
}

// topology takes the nodes of a topology.
func (r *reading) topology(j *job, place string) error {
	r.Counts.Read["topologies"]++
	have := map[string]bool{}
	for _, n := range r.listed {
		have[n.Host] = true
	}
	for _, n := range j.nodes {
		r.Counts.Read["nodes"]++
		if have[n.Host] {
			if err := r.Drop("nodes_that_are_there_twice", "%s: host %q is there already, want each once", place, n.Host); err != nil {
				return err
			}
			continue
		}
		have[n.Host] = true
		r.listed = append(r.listed, n)
	}
	return nil
}
