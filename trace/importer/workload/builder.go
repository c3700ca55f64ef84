package workload

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	// NoEpoch says that the times of the source do not count from 1970. It is set before the first application is added.
	NoEpoch bool
	// MS says that the source writes its times in ms, though they do not count from 1970.
	MS bool

	params  map[string]string // the format's own options
	spool   *spool
	left    []Input // inputs that are left out
	used    []place // of the details of the others
	source  trace.Source
	nodes   []trace.Node
	lists   []nodeList // of the ResourceManager, among the inputs
	listed  string     // file of the ResourceManager that has them
	events  []event
	took    residents
	apart   apart // recordings
	counted names // of recordings that wait
	machine shape // of nodes that are made up; 0 = the format does not say
	nodesIn string
	shared  sharedFiles
	wanted  map[string]bool // ids on which applications depend

	begun           bool    // an application that was not added
	defaulted, made Counter // what was counted before it

	sums    map[string]string // of files that were read: the first with each
	tasks   int64             // of the applications that were added
	copies  int               // files with the bytes of another
	matched []bool            // rules of queues, by an application
	warned  map[string]int64  // drops that were told, by reason
	odd     error             // the first of [Builder.Odd] under strict

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
		return fmt.Errorf("%s: exists already and is not empty; want a new or empty directory", o.Out)
	}
	return nil
}

func newBuilder(opt *Options, format string) *Builder {
	return &Builder{
		matched: make([]bool, len(opt.QueueMap)),
		Options: opt, Counts: NewCounts(), Locality: trace.LocalityObserved, Durations: trace.DurationRecorded,
		defaulted: Counter{}, made: Counter{}, spool: newSpool(), source: trace.Source{Format: format}, wanted: map[string]bool{}, shared: sharedFiles{id: map[string]int32{}},
	}
}

// Warn tells a person what is no error.
func (b *Builder) Warn(format string, args ...any) {
	if b.Options.Warn != nil {
		b.Options.Warn(fmt.Sprintf(format, args...))
	}
}

// Note tells a person what the import took its input to be, and keeps it with the counts.
func (b *Builder) Note(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	b.Counts.Notes = append(b.Counts.Notes, note)
	if b.Options.Note != nil {
		b.Options.Note(note)
	}
}

// RoomForMasters says that each node has so many vcores for application masters which the machine of the source did not have.
func (b *Builder) RoomForMasters(vcores int32) { b.source.AMVCores = vcores }

// Read tells how many bytes of a file, unpacked, were read, where that has come to some more MiB since before.
func (b *Builder) Read(name string, before, bytes int64) {
	const step = 8 << 20
	if bytes/step > before/step {
		b.Progress(int(bytes>>20), 0, "MiB of "+name)
	}
}

// Progress tells how many of the files or applications were read or written.
func (b *Builder) Progress(done, all int, what string) {
	if b.Options.Progress != nil {
		b.Options.Progress(done, all, what)
	}
}

// Drop counts a record of the source that is left out, for a reason that stands under Dropped. The message names file, line, field and value, and
// what was wanted. Under strict it is the error that Drop returns; else the first few of a reason are told.
func (b *Builder) Drop(reason, format string, args ...any) error {
	b.Counts.Dropped[reason]++
	if b.Options.Strict {
		return fmt.Errorf(format, args...)
	}
	if b.warned == nil {
		b.warned = map[string]int64{}
	}
	if b.warned[reason] < warnedDrops {
		b.warned[reason]++
		b.Warn("%s", fmt.Errorf(format+"; it is left out", args...)) // takes %w, too
	}
	return nil
}

// Odd counts n records that do not agree with others and are left out, for a reason that stands under Dropped; a person is told the number. The message says which it is, what
// it has and what was wanted. Under strict it is the error of the import.
func (b *Builder) Odd(reason string, n int64, format string, args ...any) {
	b.Counts.Dropped[reason] += n
	if b.Options.Strict && b.odd == nil {
		b.odd = fmt.Errorf(format, args...)
	}
}

// warnedDrops is how many drops of a reason are told one by one.
const warnedDrops = 3

// sayDrops tells how many more were dropped than were told.
func (b *Builder) sayDrops() {
	for _, reason := range slices.Sorted(maps.Keys(b.warned)) {
		if more := b.Counts.Dropped[reason] - b.warned[reason]; more > 0 {
			b.Warn("and %d more left out: %s", more, strings.ReplaceAll(reason, "_", " "))
		}
	}
}

// Damaged takes the error of an input that breaks off. With lenient what was read before it is kept and nil is returned; otherwise
// the error.
func (b *Builder) Damaged(err error) error {
	if !b.Options.Lenient {
		return fmt.Errorf("%w; --lenient keeps what comes before", err)
	}
	b.Counts.Dropped["rest_of_a_damaged_input"]++
	b.Warn("%v; the rest of it is left out", err)
	return nil
}

// full tells whether the import has as many applications as it may.
func (b *Builder) full() bool { return b.Options.Limit > 0 && b.spool.index.len() >= b.Options.Limit }

// CheckTimes tells whether from and to are times of a clock that the source does not have. NoEpoch must be set before it is called, or the
// first application added.
func (b *Builder) CheckTimes() error {
	o := b.Options
	switch {
	case o.FromMS == trace.Unset && o.ToMS == trace.Unset || o.FromStart == b.NoEpoch:
		return nil
	case b.NoEpoch:
		return WrongFlag("--from and --to are days, want times such as 90s or 2h: those of this source do not count from 1970")
	}
	return WrongFlag("--from and --to are times such as 2h, want days such as 2026-11-22T07:30:00Z: those of this source count from 1970")
}

// outside tells whether an application is submitted at a time that is not wanted.
func (b *Builder) outside(a *Application) (bool, error) {
	o := b.Options
	if o.FromMS == trace.Unset && o.ToMS == trace.Unset {
		return false, nil
	}
	if err := b.CheckTimes(); err != nil {
		return false, err
	}
	at := a.Job.SubmitMS
	return o.FromMS != trace.Unset && at < o.FromMS || o.ToMS != trace.Unset && at >= o.ToMS, nil
}

// Begin says that what is counted as defaulted and modelled from here on is that of an application, up to its [Builder.Add]. If the trace does not keep it, as it is
// outside of what is wanted or was dropped, it is not counted. A format that never says so has all counted.
func (b *Builder) Begin() {
	b.takeBack()
	b.begun = true
	b.defaulted.become(b.Counts.Defaulted)
	b.made.become(b.Counts.Modelled)
}

// takeBack leaves out what was counted of an application that is not kept.
func (b *Builder) takeBack() {
	if !b.begun {
		return
	}
	b.begun = false
	b.Counts.Defaulted.become(b.defaulted)
	b.Counts.Modelled.become(b.made)
}

// Add takes an application, which stays the caller's. One without a stage, or outside the times that are wanted, is dropped, which
// added tells. With [ErrLimit] there are as many as there may be.
func (b *Builder) Add(a *Application) (added bool, err error) {
	if b.odd != nil {
		return false, b.odd
	}
	out, err := b.outside(a)
	if err != nil {
		return false, err
	}
	if out {
		b.Counts.Dropped["applications_outside_from_and_to"]++
		return false, nil
	}
	added, err = b.add(a, nil)
	if added {
		b.begun = false
	}
	return added, err
}

// add is Add of an application at any time. Of a recording more is kept until all are read.
func (b *Builder) add(a *Application, r *recording) (added bool, err error) {
	b.takeTexts(a)
	if len(a.Job.Stages) == 0 {
		b.Counts.Dropped["applications_without_a_task"]++
		b.Warn("application %s (%s) ran no task and is left out", a.Job.ExternalID, a.Job.Name)
		if b.Options.Strict {
			return false, fmt.Errorf("application %s ran no task, want one or more", a.Job.ExternalID)
		}
		return false, nil
	}
	if b.full() {
		return false, ErrLimit
	}
	queue := b.Options.queueOf(a.Job.Name, a.Queue)
	if i := b.Options.ruleOf(a.Job.Name); i >= 0 {
		b.matched[i] = true
	}
	if r == nil { // of a recording it was checked
		err := firstOf(b.CheckTasks(a.Job.NumTasks()), checkQueue(queue))
		if err == nil {
			err = trace.CheckApplication(&a.Job, a.Executors, len(a.Hosts), len(a.Files))
		}
		if err != nil {
			return false, b.Drop("applications_against_a_rule", "application %s: %w", a.Job.ExternalID, err)
		}
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
	for _, id := range a.DependsOn {
		b.wanted[strings.Clone(id)] = true
	}
	b.tasks += a.Job.NumTasks()
	if r == nil {
		b.took.add(b.took.of(a))
	}
	return true, b.spool.add(a, queue, r)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckTasks tells whether an application would have more tasks than one may. It is called before memory is taken for them.
func (b *Builder) CheckTasks(n int64) error {
	if most := b.Options.MaxJobTasks; n > most {
		return fmt.Errorf("has %d tasks, want at most %d; --max-job-tasks allows more", n, most)
	}
	return nil
}

// AddNode takes a node of the cluster; its id and that of its rack are set later. A size of 0 is unknown, and so are
// further resources that are nil. Without any node the cluster is that of the options, or the hosts of the applications.
func (b *Builder) AddNode(n trace.Node) {
	for _, s := range []*string{&n.Host, &n.Rack} {
		b.takeText(s)
	}
	for i := range n.Labels {
		b.takeText(&n.Labels[i])
	}
	b.nodes = append(b.nodes, n)
}

// AddEvent takes an event of a node that is or will be added, at a time of the source's clock. Its order is set later.
func (b *Builder) AddEvent(host string, e trace.NodeEvent) {
	e.Reason = tableText(e.Reason)
	b.events = append(b.events, event{tableText(host), e})
}

// AddFile takes a file of the cluster, which applications share whether they read it or not.
func (b *Builder) AddFile(f trace.File) {
	f.Name = tableText(f.Name)
	b.shared.add(&File{f, true})
}

// AddSource names files as sources of the trace, for which it reads them. What is read once and whole is hashed as it is read: see [Builder.Open], and [Builder.AddHashed].
func (b *Builder) AddSource(paths ...string) error {
	for _, p := range paths {
		f, err := input.Open(p)
		if err != nil {
			return err
		}
		h := sha256.New()
		n, err := io.Copy(h, f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		sum := hex.EncodeToString(h.Sum(nil))
		b.AddHashed(trace.SourceFile{Name: filepath.Base(p), SHA256: sum})
		b.sayCopy(p, sum, n)
	}
	return nil
}

// AddHashed names files as sources of the trace.
func (b *Builder) AddHashed(files ...trace.SourceFile) {
	b.source.Files = append(b.source.Files, files...)
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
