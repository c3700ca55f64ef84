// Package workload turns the applications of any format into a trace.
//
// A format reads its inputs and gives a [Builder] what it finds: applications, one after another, and nodes, events and
// files where it knows them. What is the same for all formats is done here: copies and arrivals, users and queues,
// the nodes of the cluster, where input blocks are, and the counts of what was read, dropped, defaulted and modelled.
//
// Applications wait until all are read, on disk where they are more than a few, so that memory holds one of them at a time and a short row for each.
package workload

import (
	"context"
	"errors"
	"fmt"

	"replay/trace"
)

// Format is a foreign format.
type Format struct {
	Usage string // in one line

	// NoHosts says that the format names no hosts: neither nodes nor where tasks ran or wanted to run.
	NoHosts bool

	// NoPreferences says that the format does not say where tasks wanted to run. It may name nodes, and on which a task ran.
	NoPreferences bool

	// Folder says that the input is a whole folder, and that files of other formats below it are part of it.
	Folder bool

	Params []Param // the format's own options

	// Fallback says that input which another format fits, too, is of that one.
	Fallback bool

	// Detect says how it knows that a file is of this format, in words that end "it looks like FORMAT: …", such as "18 numbers a line under
	// ; comments"; "" = it is not. name is the base name of the file without .gz and the like, head what [Head] returns.
	Detect func(name string, head []byte) string

	// Read gives all that the inputs hold to b. It adds applications in any order, keeps none of them, and counts
	// the rows that it reads. Its errors name file, place, value and what was wanted; an option that the format can't
	// follow is one.
	Read func(ctx context.Context, inputs []string, b *Builder) error
}

// Result is what an import made. A survey has Counts and Inputs alone.
type Result struct {
	Counts *Counts
	Inputs []Input // in the order of tables; none where the format does not take its inputs one by one
	Trace  trace.Counts
	Hash   string // of the trace
	Meta   *trace.Meta
	SpanMS int64 // from the first submission to the last
	Load   trace.Offered
}

// Check tells which option has a value that an import of the format can't follow.
func (f Format) Check(opt *Options) error {
	if err := opt.check(); err != nil {
		return err
	}
	if _, err := f.params(opt); err != nil {
		return err
	}
	if f.observes(opt) {
		return fmt.Errorf("--blocks is observed with --nodes %d: observed hosts are the recorded ones; leave --nodes out, or take --blocks hdfs or none", opt.Nodes)
	}
	return nil
}

// observes tells whether preferred hosts are to be inferred from recorded hosts that are not the cluster's.
func (f Format) observes(opt *Options) bool {
	return !f.NoHosts && !f.NoPreferences && opt.Blocks == "observed" && opt.Nodes > 0
}

// UsualBlocks sets where the blocks of input are, where nobody has said it, for a cluster that is none of the recorded one: as HDFS places them. It tells whether it did.
func (f Format) UsualBlocks(opt *Options) bool {
	if !f.observes(opt) {
		return false
	}
	opt.Blocks = "hdfs"
	return true
}

// Import reads inputs in the format, which is called name, and writes a trace to opt.Out. It leaves nothing there
// if it fails. With [NothingError] none of the inputs could be used.
func (f Format) Import(ctx context.Context, name string, inputs []string, opt Options) (*Result, error) {
	if err := f.Check(&opt); err != nil {
		return nil, err
	}
	if err := opt.checkOut(); err != nil {
		return nil, err
	}
	return f.read(ctx, name, inputs, opt, true)
}

// Survey reads inputs as Import does and writes nothing.
func (f Format) Survey(ctx context.Context, name string, inputs []string, opt Options) (*Result, error) {
	if err := f.Check(&opt); err != nil {
		return nil, err
	}
	return f.read(ctx, name, inputs, opt, false)
}

// read gives the inputs to a builder, settles what it took, and makes the result of it, with the trace or without.
func (f Format) read(ctx context.Context, name string, inputs []string, opt Options, write bool) (res *Result, err error) {
	b := newBuilder(&opt, name)
	b.spool.keep = write
	if f.NoHosts || f.NoPreferences {
		b.Locality = trace.LocalityNone
	}
	defer func() {
		if e := b.spool.close(); err == nil && e != nil {
			res, err = nil, e
		}
	}()
	if b.params, err = f.params(&opt); err != nil {
		return nil, err
	}
	inputs, lists, err := nodeListsOf(name, inputs)
	if err != nil {
		return nil, err
	}
	b.lists = lists
	if err := f.Read(ctx, inputs, b); err != nil && !errors.Is(err, ErrLimit) {
		return nil, err
	}
	if err := b.takeNodeLists(); err != nil {
		return nil, err
	}
	if b.odd != nil {
		return nil, b.odd
	}
	b.sayDrops()
	b.sayMuchLeftOut()
	b.sayRules()
	b.takeBack()
	if err := b.settle(); err != nil {
		return nil, err
	}
	if b.spool.index.len() == 0 {
		if len(b.left) > 0 {
			return nil, &NothingError{b.left}
		}
		return nil, errors.New(named(inputs) + "no application with a task" + b.Counts.found())
	}
	if write {
		res, err = b.write(ctx)
	} else {
		b.Counts.compact()
		res = &Result{Counts: b.Counts}
	}
	if err == nil {
		res.Inputs, err = b.inputs()
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// named are inputs before what is said of them; nothing of a format that takes none.
func named(inputs []string) string {
	if len(inputs) == 0 {
		return ""
	}
	if inputs[0] == Stdin {
		inputs = append([]string{Shown(Stdin)}, inputs[1:]...)
	}
	return firstName(inputs) + ": "
}

// ErrLimit ends the reading of an import that has as many applications as it may. A format returns it as it comes.
var ErrLimit = errors.New("as many applications as the limit allows")
