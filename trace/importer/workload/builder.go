package workload

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"replay/input"
	"replay/trace"
)

// Builder takes what a format reads and makes the trace of it.
type Builder struct {
	Options *Options
	Counts  *Counts

	// What the source says of preferred hosts: trace.LocalityRecorded if its tasks come with all that they had, else
	// trace.LocalityObserved, as at most those are known on which they ran.
	Locality string
	// Durations is trace.DurationRecorded, or trace.DurationModelled if the format draws them.
	Durations string
	// NoEpoch says that the times of the source do not count from 1970.
	NoEpoch bool

	spool  *spool
	inputs []Input
	source trace.Source
	nodes  []trace.Node
	events []event
	hosts  map[string]bool
	took   residents
	shared sharedFiles
	depend bool // an application depends on another

	attached []attachment
}

type event struct {
	host string
	trace.NodeEvent
}

type attachment struct {
	name    string
	content func(originMS int64, job map[string]int64) ([]byte, error)
}

// checkOut tells whether a trace can be written to the directory, before hours of reading.
func (o *Options) checkOut() error {
	if o.Out == "" {
		return errors.New("no output, want a directory for the trace")
	}
	if entries, err := os.ReadDir(o.Out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s: exists already and is not empty", o.Out)
	}
	return nil
}

func newBuilder(opt *Options, format string) (*Builder, error) {
	s, err := newSpool()
	if err != nil {
		return nil, err
	}
	return &Builder{
		Options: opt, Counts: NewCounts(), Locality: trace.LocalityObserved, Durations: trace.DurationRecorded,
		spool: s, source: trace.Source{Format: format}, hosts: map[string]bool{}, shared: sharedFiles{id: map[string]int32{}},
	}, nil
}

// Warn tells a person what is no error.
func (b *Builder) Warn(format string, args ...any) {
	if b.Options.Warn != nil {
		b.Options.Warn(fmt.Sprintf(format, args...))
	}
}

// Progress tells how many of the files or applications were read.
func (b *Builder) Progress(done, all int, what string) {
	if b.Options.Progress != nil {
		b.Options.Progress(done, all, what)
	}
}

// Add takes an application, which stays the caller's. One without a stage is dropped, which added tells.
func (b *Builder) Add(a *Application) (added bool, err error) {
	if len(a.Job.Stages) == 0 {
		b.Counts.Dropped["applications_without_a_task"]++
		b.Warn("application %s (%s) ran no task and is left out", a.Job.ExternalID, a.Job.Name)
		if b.Options.Strict {
			return false, fmt.Errorf("application %s ran no task, want one or more", a.Job.ExternalID)
		}
		return false, nil
	}
	queue := b.Options.queueOf(a.Job.Name, a.Queue)
	if err := checkQueue(queue); err != nil {
		return false, fmt.Errorf("application %s: %w", a.Job.ExternalID, err)
	}
	if a.User == "" {
		a.User = "default"
		b.Counts.Defaulted["users"]++
	}
	for i := range a.Files {
		if a.Files[i].Shared {
			b.shared.add(&a.Files[i])
		}
	}
	b.depend = b.depend || len(a.DependsOn) > 0
	return true, b.spool.add(a, queue)
}

// AddNode takes a node of the cluster; its id and that of its rack are set later. A size of 0 is unknown. Without
// any node the cluster is that of the options, or the hosts of the applications.
func (b *Builder) AddNode(n trace.Node) { b.nodes = append(b.nodes, n) }

// AddEvent takes an event of a node that is or will be added, at a time of the source's clock. Its order is set later.
func (b *Builder) AddEvent(host string, e trace.NodeEvent) {
	b.events = append(b.events, event{host, e})
}

// AddFile takes a file of the cluster, which applications share whether they read it or not.
func (b *Builder) AddFile(f trace.File) { b.shared.add(&File{f, true}) }

// AddSource names files as sources of the trace.
func (b *Builder) AddSource(paths ...string) error {
	for _, p := range paths {
		f, err := input.Open(p)
		if err != nil {
			return err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		b.source.Files = append(b.source.Files, trace.SourceFile{Name: filepath.Base(p), SHA256: hex.EncodeToString(h.Sum(nil))})
	}
	return nil
}

// Attach puts a file into the trace.
func (b *Builder) Attach(name string, data []byte) {
	b.AttachPlaced(name, func(int64, map[string]int64) ([]byte, error) { return data, nil })
}

// AttachPlaced puts a file into the trace that speaks of its times and jobs. Its content is asked for when all jobs
// are written: originMS is the time of the source's clock that is 0 in the trace, job has the id of the job of each
// application by external id.
func (b *Builder) AttachPlaced(name string, content func(originMS int64, job map[string]int64) ([]byte, error)) {
	b.attached = append(b.attached, attachment{name, content})
}
