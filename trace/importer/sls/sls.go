// Package sls reads the input of YARN's Scheduler Load Simulator (hadoop-sls): jobs, the header and file of nodes, and the
// file of distributions (SYNTH) from which it draws jobs.
//
// Source: org.apache.hadoop.yarn.sls of Hadoop 3.4.1 (AMDefinitionSLS, AMDefinitionFactory, TaskContainerDefinition, SLSUtils, SynthTraceJobProducer)
// and its documentation, SchedulerLoadSimulator.md.
package sls

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"replay/counted"
	"replay/trace/importer/objects"
	"replay/trace/importer/workload"
)

// Format is that of the simulator's JSON files: jobs, nodes and distributions, in any order and any number of files.
var Format = workload.Format{
	Usage: "input of the YARN Scheduler Load Simulator: jobs, nodes and SYNTH as JSON",
	Params: []workload.Param{
		{Name: "json-comments", Default: "false", Usage: "take // and /* */ in JSON as space, as in the documentation's examples"},
	},
	Detect: detect,
	Read:   read,
}

var (
	jobKey   = regexp.MustCompile(`"(job\.tasks|job\.start\.ms|job\.queue\.name|num\.nodes)"\s*:`)
	rackKey  = regexp.MustCompile(`^\s*\{\s*"rack"\s*:\s*"[^"]*"\s*,\s*"nodes"\s*:`)
	synthKey = regexp.MustCompile(`"(workload_name|job_classes|num_jobs)"\s*:`)
)

func detect(_ string, head []byte) string {
	switch {
	case !startsObject(head):
	case jobKey.Match(head):
		return "objects with job.tasks, job.start.ms or num.nodes"
	case rackKey.Match(head):
		return "racks with nodes"
	case synthKey.Match(head):
		return "workloads with job_classes"
	}
	return ""
}

func startsObject(head []byte) bool {
	head = bytes.TrimSpace(head)
	return len(head) > 0 && (head[0] == '{' || head[0] == '/')
}

// What the simulator takes where nothing is said.
//
// Source: SLSConfiguration.
const (
	defaultNodeMiB    = 10240
	defaultNodeVCores = 10
	defaultMiB        = 1024 // of a container, also of an application master
	defaultVCores     = 1
)

// reading is an import.
type reading struct {
	*workload.Builder
	ctx      context.Context
	comments bool

	parser objects.Parser
	names  map[string]string // texts that come often
	nodes  nodes
	number int // of the next job, from 0

	longest int64 // ms of a task
}

func read(ctx context.Context, inputs []string, b *workload.Builder) error {
	b.NoEpoch, b.MS = true, true
	r := &reading{Builder: b, ctx: ctx, nodes: newNodes(), names: map[string]string{}}
	var err error
	if r.comments, err = b.ParamBool("json-comments"); err != nil {
		return err
	}
	files, err := objects.Parts(b, inputs)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("no file among the inputs, want jobs, nodes or workloads as JSON")
	}
	// Nodes go first: requests of resources that no node has are left out.
	slices.SortStableFunc(files, func(x, y string) int { return workload.CompareBools(!isRacks(x), !isRacks(y)) })
	full := false
	for i, path := range files {
		switch err := r.file(path); {
		case errors.Is(err, workload.ErrLimit):
			full = true // nodes may be in a later file
		case err != nil:
			return err
		}
		b.Progress(i+1, len(files), "files")
	}
	r.nodes.give(b)
	if r.longest > 0 && r.longest < leastMS {
		b.Warn("the longest task takes %d ms, less than a container takes to start: if the source counts seconds, where ms are wanted, all times of the trace are 1000 times too short", r.longest)
	}
	if full {
		return workload.ErrLimit
	}
	return nil
}

// leastMS is what at least one task of a workload takes whose times are ms: a process in a container takes as long to start.
const leastMS = 1000

func isRacks(path string) bool {
	if path == workload.Stdin {
		return false
	}
	head, _ := workload.Head(path) // an error comes again
	return rackKey.Match(head)
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
	var text io.Reader = s
	if r.comments {
		text = objects.Uncommented(s)
	}
	in := objects.NewReader(text)
	var other others
	for n := 1; r.ctx.Err() == nil; n++ {
		if err := in.Next(); err == io.EOF {
			return r.leaveOthers(&other, s.Name, n-1)
		} else if err != nil {
			return r.damaged(s.Name, err)
		}
		line := in.Line()
		r.Counts.Read["objects"]++
		o, err := r.object(in)
		if err == nil && !o.known() {
			if other.add(o, fmt.Sprintf("object %d, from line %d", n, line)); r.Options.Strict {
				return r.leaveOthers(&other, s.Name, n)
			}
			continue
		}
		switch {
		case err != nil && errors.As(err, new(*objects.SyntaxError)):
			return r.damaged(s.Name, err)
		case err != nil && !errors.As(err, new(*recordError)):
			return err
		case err != nil:
			err = r.Drop("jobs_that_say_something_else", "%s: object %d, from line %d: %w", s.Name, n, line, err)
		default:
			err = r.take(o, fmt.Sprintf("%s: object %d, from line %d", s.Name, n, line))
		}
		if err != nil {
			return err
		}
	}
	return r.ctx.Err()
}

func (r *reading) damaged(name string, err error) error {
	if errors.As(err, new(*objects.SyntaxError)) {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return r.Damaged(err)
}

// recordError is what is wrong with one object; the rest can be read.
type recordError struct{ err error }

func (e *recordError) Error() string { return e.err.Error() }
func (e *recordError) Unwrap() error { return e.err }

func wrong(format string, args ...any) error { return &recordError{fmt.Errorf(format, args...)} }

// object is one object of a file, of any kind.
type object struct {
	members   map[string]string // numbers and texts
	tasks     []task
	hasTasks  bool
	rack      []rackNode
	hasNodes  bool
	workloads []byte
}

// take makes what the object is of it, which is of a known kind.
func (r *reading) take(o *object, place string) error {
	drop := func(reason string, err error) error {
		if err == nil || !errors.As(err, new(*recordError)) {
			return err
		}
		return r.Drop(reason, "%s: %w", place, err)
	}
	switch {
	case o.hasTasks:
		return drop("jobs_that_say_something_else", r.job(o))
	case o.hasNodes:
		return drop("racks_that_say_something_else", r.nodes.rack(r.Builder, o, place))
	case o.workloads != nil:
		return r.synth(o, place)
	}
	return drop("headers_that_say_something_else", r.nodes.header(r.Builder, o))
}

// known tells whether the object is of a kind that the simulator reads.
func (o *object) known() bool {
	_, header := o.members["num.nodes"]
	return header || o.hasTasks || o.hasNodes || o.workloads != nil
}

// others are the objects of one file that are of no kind that the simulator reads.
type others struct {
	n      int
	first  string // its place in the file
	events bool   // the first is an event of Spark's listener
}

func (x *others) add(o *object, place string) {
	if x.n++; x.n == 1 {
		x.first, x.events = place, o.members["Event"] != ""
	}
}

// leaveOthers says of a file with all its objects which of them are of another kind; of one that has no others, that it is another file.
func (r *reading) leaveOthers(x *others, name string, all int) error {
	switch {
	case x.n == 0:
		return nil
	case x.n == all && x.events:
		return r.Drop("files_of_another_kind", "%s: an event log of Spark (%s), want jobs, nodes or workloads of the simulator: import spark-eventlog takes it, and trace merge lays both traces over one another", name, counted.Of(all, "events"))
	case x.n == all && all > 1:
		return r.Drop("files_of_another_kind", "%s: none of its %s has job.tasks, nodes, num.nodes or workloads", name, counted.Of(all, "objects"))
	}
	r.Counts.Dropped["objects_of_another_kind"] += int64(x.n - 1)
	return r.Drop("objects_of_another_kind", "%s: %s: has no job.tasks, nodes, num.nodes or workloads", name, x.first)
}

// object reads an object to its end, whatever is wrong with its content; the first thing that is wrong is the error.
func (r *reading) object(in *objects.Reader) (*object, error) {
	o := &object{members: map[string]string{}}
	var first error
	keep := func(line int, err error) {
		if err != nil && first == nil {
			first = &recordError{fmt.Errorf("line %d: %w", line, err)}
		}
	}
	for {
		name, ok, err := in.Member()
		if err != nil {
			return nil, err
		}
		if !ok {
			return o, first
		}
		switch name {
		case "job.tasks":
			o.hasTasks = true
			count := int64(0)
			err = in.Elements(func(line int, text []byte) error {
				r.Counts.Read["task_objects"]++
				if first != nil {
					return nil
				}
				v, err := r.parser.Object(text)
				if err == nil {
					var t task
					if t, err = r.taskOf(v); err == nil {
						count += t.count
						if err = r.CheckTasks(count); err == nil {
							o.tasks = append(o.tasks, t)
						}
					}
				}
				keep(line, err)
				return nil
			})
		case "nodes":
			o.hasNodes = true
			err = in.Elements(func(line int, text []byte) error {
				v, err := r.parser.Object(text)
				if err == nil {
					var n rackNode
					if n, err = nodeOf(v); err == nil {
						o.rack = append(o.rack, n)
					}
				}
				keep(line, err)
				return nil
			})
		case "workloads":
			var text []byte
			if text, err = in.Value(); err == nil {
				o.workloads = bytes.Clone(text)
			}
		default:
			var text []byte
			line := in.Line()
			if text, err = in.Value(); err != nil {
				break
			}
			v, bad := r.parser.Parse(text)
			if bad != nil {
				keep(line, fmt.Errorf("%s: %w", name, bad))
			} else if s, ok := objects.TextOf(v); ok {
				o.members[name] = strings.TrimSpace(s)
			} else if strings.HasPrefix(name, "job.") || strings.HasPrefix(name, "am.") || strings.HasPrefix(name, "num.") {
				keep(line, fmt.Errorf("%s is %s, want text or a number", name, objects.Shown(v)))
			}
		}
		if err != nil {
			return nil, err
		}
	}
}
