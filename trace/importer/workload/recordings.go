package workload

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"replay/trace"
)

// recording is an input that holds one application. What decides among several stays in memory; its [detail] waits in the spool.
type recording struct {
	place         // of the detail
	startMS int64 // of the application's driver, by which attempts follow each other
	attempt string
	ended   bool
	broken  int64 // lines that were left out
	tasks   int64
	path    string
}

// Leave takes an input that is left out. Strict refuses it.
func (b *Builder) Leave(in Input) error {
	b.left = append(b.left, in)
	if b.Options.Strict && in.LeftOut != OutsideTimes {
		return fmt.Errorf("%w; strict leaves nothing out", in.Err())
	}
	return nil
}

// AddRecording takes an application that is all of an input, which stays the caller's. What was read of it is counted
// in c and goes into the counts of the import if the trace keeps the application: of several attempts of an
// application it keeps the last, and what is there twice it keeps once.
func (b *Builder) AddRecording(in Input, a *Application, c *Counts) error {
	if len(a.Job.Stages) == 0 {
		in.Leave(Leave(in.Path, NoTask, "no task of application %s (%s) ended", a.Job.ExternalID, a.Job.Name))
		return b.Leave(in)
	}
	b.takeTexts(a)
	err := trace.CheckApplication(&a.Job, a.Executors, len(a.Hosts), len(a.Files))
	if err == nil {
		err = checkQueue(b.Options.queueOf(a.Job.Name, a.Queue))
	}
	if err != nil {
		in.Leave(Leave(in.Path, Unusable, "application %s: %w", a.Job.ExternalID, err))
		return b.Leave(in)
	}
	took := b.took.of(a)
	if took.finishMS == trace.Unset {
		took.finishMS = in.EndMS // nothing is known of its executors after it
	}
	r := &recording{startMS: a.Job.RecordedStartMS, attempt: strings.Clone(a.Attempt), ended: in.Ended, broken: c.Dropped[BrokenLines], tasks: in.Tasks, path: in.Path}
	if r.place, err = b.spool.details.put(&detail{in, c.pack(&b.counted), took}); err != nil {
		return err
	}
	_, err = b.add(a, r)
	return err
}

// settle chooses among recordings of one application, and takes over what those that are kept say. The order of what
// was added first does not matter after it.
func (b *Builder) settle() error {
	index := b.spool.index
	index.sort()
	if err := b.chooseRecordings(); err != nil {
		return err
	}
	if err := b.tellApart(); err != nil {
		return err
	}
	cut, first := 0, ""
	for i := range index.recordings {
		s := &index.recordings[i]
		d, err := b.spool.details.get(s.recording.place)
		if err != nil {
			return err
		}
		if d.input.Cut {
			if cut++; cut == 1 {
				first = d.input.Path
			}
		}
		b.took.add(d.resident)
		b.apart.add(d.input.Application, d.resident.hosts)
		b.Counts.add(d.counts, &b.counted, int64(b.Options.Copies))
		b.AddHashed(d.input.Sources...)
		b.used = append(b.used, s.recording.place)
	}
	b.warnOfCut(cut, first)
	b.Counts.Read["inputs"] = int64(len(index.recordings) + len(b.left))
	if err := index.chosen(); err != nil {
		return err
	}
	b.source.RecordedOn, b.source.NoEnd = b.managedBy(), index.noEnd
	SortInputs(b.left)
	b.Counts.LeftOut = b.left
	if len(b.left) > 0 {
		b.Counts.Dropped["inputs_left_out"] = int64(len(b.left))
	}
	b.Counts.Kept["applications"] = int64(index.len())
	return nil
}

// warnOfCut says how many of the recordings that are kept stop although their names say otherwise, and names the first.
func (b *Builder) warnOfCut(n int, first string) {
	const why = "the application was killed, or this is a part of its log"
	switch {
	case n == 1:
		b.Warn("%s: has no end of the application, and the name does not end in .inprogress: %s; it is taken as far as it goes", first, why)
	case n > 1:
		b.Warn("%d logs have no end of the application, and their names do not end in .inprogress: %s; they are taken as far as they go; the first is %s", n, why, first)
	}
}

// inputs are all inputs in the order of tables. Those that are used wait in a file up to then: there may be many of them.
func (b *Builder) inputs() (all []Input, err error) {
	for _, p := range b.used {
		d, err := b.spool.details.get(p)
		if err != nil {
			return nil, err
		}
		d.input.Sources = nil
		all = append(all, d.input)
	}
	return append(all, b.left...), nil
}

// chooseRecordings removes from the spool what is there twice and attempts after which there is another one. In order
// of their starts, a recording whose attempt does not come after that of the one before begins another application,
// which has the same id by chance; it gets a number.
func (b *Builder) chooseRecordings() error {
	byID := map[string][]*spooled{}
	for i := range b.spool.index.recordings {
		if s := &b.spool.index.recordings[i]; s.id != "" {
			byID[s.id] = append(byID[s.id], s)
		}
	}
	left := map[*spooled]bool{}
	for i := range b.spool.index.recordings {
		s := &b.spool.index.recordings[i]
		same := byID[s.id] // at its first, so that errors come in the order of the trace
		if delete(byID, s.id); len(same) < 2 {
			continue
		}
		slices.SortStableFunc(same, func(x, y *spooled) int {
			p, q := x.recording, y.recording
			return cmp.Or(cmp.Compare(p.startMS, q.startMS), compareAttempts(p.attempt, q.attempt),
				-CompareBools(p.ended, q.ended), cmp.Compare(p.broken, q.broken), -cmp.Compare(p.tasks, q.tasks), cmp.Compare(p.path, q.path))
		})
		kept, others := same[0], 1
		// leave leaves x out, as other is kept; text says why, with places for the application and the label of the other.
		leave := func(x, other *spooled, why Reason, text string) error {
			left[x] = true
			d, err := b.spool.details.get(x.recording.place)
			if err != nil {
				return err
			}
			by, err := b.spool.details.get(other.recording.place)
			if err != nil {
				return err
			}
			d.input.Leave(Leave(d.input.Path, why, text, d.input.Application, by.input.Label))
			return b.Leave(d.input)
		}
		for _, s := range same[1:] {
			r, k := s.recording, kept.recording
			c := compareAttempts(k.attempt, r.attempt)
			switch {
			case r.startMS == k.startMS && c == 0:
				if err := leave(s, kept, Twice, "application %s is also in %s"); err != nil {
					return err
				}
			case c < 0:
				text := fmt.Sprintf("attempt %s of application %%s; attempt %s is in %%s", cmp.Or(k.attempt, noNumber), cmp.Or(r.attempt, noNumber))
				if err := leave(kept, s, EarlierTry, text); err != nil {
					return err
				}
				s.id, kept = kept.id, s
			default:
				others++
				s.id += " (" + strconv.Itoa(others) + ")"
				kept = s
			}
		}
	}
	index := b.spool.index.recordings[:0:0]
	for i := range b.spool.index.recordings {
		if s := &b.spool.index.recordings[i]; !left[s] {
			index = append(index, *s)
		}
	}
	b.spool.index.recordings = index
	return nil
}

// attempt is the number of the attempt that a recording is, "" of other applications.
func (s *spooled) attempt() string {
	if s.recording == nil {
		return ""
	}
	return s.recording.attempt
}

// noNumber stands for the number of an attempt that has none.
const noNumber = "(no number)"

// CompareBools orders false before true, as cmp.Compare does numbers.
func CompareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// compareAttempts orders numbers without leading zeros.
func compareAttempts(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
