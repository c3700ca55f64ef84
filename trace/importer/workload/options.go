package workload

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"replay/trace"
)

// Options are those of all formats; a format refuses the ones that it can't follow.
type Options struct {
	Out  string // directory of the trace
	Name string // of the trace in results; "" = what was imported, in words

	// Where input blocks are: "observed" is where the source has them, or where its tasks ran at which level;
	// "hdfs" places new ones; "none" leaves them out.
	Blocks      string
	Nodes       int   // of a given cluster; 0 = those of the source, or the recorded hosts
	Racks       int   // of a cluster that the source does not have
	NodeMemMiB  int64 // 0 = as in the source, or enough for what was recorded
	NodeVCores  int32 // 0 = as in the source, or enough for what was recorded
	Replication int
	Seed        uint64

	Arrivals string // "recorded", "poisson:30s" or "fixed:10s"
	Copies   int

	Queue    string // of every application, "" = as recorded
	QueueMap []QueueRule

	Lenient, Strict bool
	MaxUnpacked     int64 // bytes that a packed file may unpack to, 0 = the bound of [input.Unpacked]
	MaxJobTasks     int64 // tasks that one application may have
	Limit           int   // applications that are taken, the first ones that the source has; 0 = all

	// Applications are taken that were submitted from FromMS to before ToMS, ms since 1970; trace.Unset = no bound. Those of a source
	// whose times do not count from 1970 are times of its own clock, which FromStart says.
	FromMS, ToMS int64
	FromStart    bool

	Params map[string]string // the format's own options, see [Format].Params; those that are not given have their defaults
	Stdin  io.Reader         // what [Stdin] stands for; nil = that of the process

	// Warn takes what a person should know and is no error; nil = nobody listens.
	Warn func(message string)
	// Note takes what the import took its input to be; nil = nobody listens.
	Note func(message string)
	// Progress is told how far an import is: after each file, every few MiB within one, and every few thousand applications that are written. All is 0
	// where it is not known. It may be called from any goroutine; nil = nobody listens.
	Progress func(done, all int, what string)
}

// DefaultOptions are those that a command starts from.
func DefaultOptions() Options {
	return Options{Blocks: "observed", Racks: 1, Replication: 3, Seed: 1, Arrivals: "recorded", Copies: 1, MaxJobTasks: 2_000_000, FromMS: trace.Unset, ToMS: trace.Unset}
}

// Strictness is how an import treats what is wrong with its input.
type Strictness int

const (
	Normal  Strictness = iota // what is broken is left out, what is unknown is counted
	Lenient                   // what can be used of broken input is kept, the rest counted
	Strict                    // anything dropped, left out or unknown is an error
)

// Strictness is what Lenient and Strict say.
func (o *Options) Strictness() Strictness {
	switch {
	case o.Lenient:
		return Lenient
	case o.Strict:
		return Strict
	}
	return Normal
}

// check tells which option has a value that no import can follow.
func (o *Options) check() error {
	switch {
	case o.MaxJobTasks < 1:
		return fmt.Errorf("--max-job-tasks is %d, want 1 or more", o.MaxJobTasks)
	case o.Limit < 0:
		return fmt.Errorf("--limit is %d, want 0 (all) or more", o.Limit)
	case o.FromMS != trace.Unset && o.ToMS != trace.Unset && o.FromMS >= o.ToMS:
		return errors.New("--from is not before --to")
	case o.Lenient && o.Strict:
		return fmt.Errorf("--lenient and --strict exclude each other")
	case !slices.Contains([]string{"observed", "hdfs", "none"}, o.Blocks):
		return fmt.Errorf("--blocks is %q, want observed, hdfs or none", o.Blocks)
	case o.Nodes < 0 || o.Nodes > 1_000_000:
		return fmt.Errorf("--nodes is %d, want 0 to 1000000", o.Nodes)
	case o.Racks < 1:
		return fmt.Errorf("--racks is %d, want 1 or more", o.Racks)
	case o.Nodes > 0 && o.Racks > o.Nodes:
		return fmt.Errorf("--racks is %d, want at most the %d nodes", o.Racks, o.Nodes)
	case o.NodeMemMiB < 0 || o.NodeVCores < 0:
		return fmt.Errorf("a node has %d MiB and %d vcores, want 0 (as recorded) or more", o.NodeMemMiB, o.NodeVCores)
	case o.NodeMemMiB > trace.MostMemMiB || o.NodeVCores > trace.MostVCores:
		return fmt.Errorf("a node has %d MiB and %d vcores, want at most %d MiB and %d vcores", o.NodeMemMiB, o.NodeVCores, trace.MostMemMiB, trace.MostVCores)
	case o.Replication < 1:
		return fmt.Errorf("--replication is %d, want 1 or more", o.Replication)
	case o.Copies < 1 || o.Copies > 1_000_000:
		return fmt.Errorf("--copies is %d, want 1 to 1000000", o.Copies)
	}
	for _, r := range append(o.QueueMap, QueueRule{Queue: o.Queue}) {
		path := (&Options{Queue: r.Queue}).queueOf("", "")
		if path == "root" {
			return errors.New("queue is root, want one below it, such as root.default: no scheduler takes applications into root")
		}
		if err := checkQueue(path); err != nil {
			return err
		}
	}
	_, err := parseArrivals(o.Arrivals)
	return err
}
