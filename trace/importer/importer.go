// Package importer turns foreign formats into traces. A format is one file and one line in
// [Importers].
//
// Whatever an import reads, drops, defaults or makes up is counted, and the counts are stored with
// the trace as import.json. What a source does not say stays unknown in the trace.
package importer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"replay/trace"
)

// Options are those of all formats; a format refuses the ones that it can't follow.
type Options struct {
	Out string // directory of the trace

	Blocks      string // where input blocks are: "observed", "hdfs" or "none"
	Nodes       int    // nodes of a given cluster; 0 = the recorded hosts
	Racks       int
	NodeMemMiB  int64 // 0 = enough for what was recorded
	NodeVCores  int32 // 0 = enough for what was recorded
	Replication int
	Seed        uint64

	Arrivals string // "recorded", "poisson:30s" or "fixed:10s"
	Copies   int

	Queue    string // of every application, "" = as recorded
	QueueMap []QueueRule

	Lenient, Strict bool

	// Warn takes what a person should know and is no error; nil = nobody listens.
	Warn func(message string)
	// Progress is told what was read so far, after each file or application; nil = nobody listens.
	Progress func(done, all int, what string)
}

// DefaultOptions are those that a command starts from.
func DefaultOptions() Options {
	return Options{Blocks: "observed", Racks: 1, Replication: 3, Seed: 1, Arrivals: "recorded", Copies: 1}
}

// Result is what an import made.
type Result struct {
	Counts *Counts
	Trace  trace.Counts
	Hash   string // of the trace
}

// Format is a foreign format.
type Format struct {
	Usage  string
	Import func(ctx context.Context, inputs []string, opt Options) (*Result, error)
}

// Importers maps the name of a format to its importer.
var Importers = map[string]Format{
	"spark-eventlog": {"Spark event logs: files, rolling directories, or directories of these", importEventLogs},
	"spark-on-yarn":  {"a recorded Spark-on-YARN cluster: one scenario folder", importCluster},
}

// Import reads inputs in the format called name and writes a trace.
// The error for an unknown name lists the known ones.
func Import(ctx context.Context, name string, inputs []string, opt Options) (*Result, error) {
	f, ok := Importers[name]
	if !ok {
		return nil, fmt.Errorf("unknown format %q (known: %s)", name, strings.Join(slices.Sorted(maps.Keys(Importers)), ", "))
	}
	return f.Import(ctx, inputs, opt)
}

func (o *Options) mode() strictness {
	switch {
	case o.Lenient:
		return lenient
	case o.Strict:
		return strict
	}
	return normal
}

func (o *Options) warn(format string, args ...any) {
	if o.Warn != nil {
		o.Warn(fmt.Sprintf(format, args...))
	}
}

func (o *Options) progress(done, all int, what string) {
	if o.Progress != nil {
		o.Progress(done, all, what)
	}
}

// Check tells which option has a value that no import can follow.
func (o *Options) Check() error {
	switch {
	case o.Lenient && o.Strict:
		return fmt.Errorf("lenient and strict exclude each other")
	case !slices.Contains([]string{"observed", "hdfs", "none"}, o.Blocks):
		return fmt.Errorf("blocks is %q, want observed, hdfs or none", o.Blocks)
	case o.Nodes < 0 || o.Nodes > 1_000_000:
		return fmt.Errorf("nodes is %d, want 0 to 1000000", o.Nodes)
	case o.Racks < 1:
		return fmt.Errorf("racks is %d, want 1 or more", o.Racks)
	case o.NodeMemMiB < 0 || o.NodeVCores < 0:
		return fmt.Errorf("a node has %d MiB and %d vcores, want 0 (as recorded) or more", o.NodeMemMiB, o.NodeVCores)
	case o.Replication < 1:
		return fmt.Errorf("replication is %d, want 1 or more", o.Replication)
	case o.Copies < 1 || o.Copies > 1_000_000:
		return fmt.Errorf("copies is %d, want 1 to 1000000", o.Copies)
	case o.Blocks == "observed" && o.Nodes > 0:
		return fmt.Errorf("blocks is observed with a cluster of %d nodes: observed hosts are the recorded ones; leave nodes out, or take blocks hdfs or none", o.Nodes)
	}
	_, err := parseArrivals(o.Arrivals)
	return err
}

// arrivals says when applications are submitted.
type arrivals struct {
	kind string // "recorded", "poisson", "fixed"
	gap  time.Duration
}

func parseArrivals(s string) (arrivals, error) {
	kind, gap, ok := strings.Cut(s, ":")
	if s == "recorded" {
		return arrivals{kind: s}, nil
	}
	d, err := time.ParseDuration(gap)
	if !ok || err != nil || d < 0 || d.Milliseconds() > 1<<40 || kind != "poisson" && kind != "fixed" {
		return arrivals{}, fmt.Errorf("arrivals is %q, want recorded, poisson:30s or fixed:10s with any duration", s)
	}
	return arrivals{kind, d}, nil
}
