// Package workload turns the applications of any format into a trace.
//
// A format reads its inputs and gives a [Builder] what it finds: applications, one after another, and nodes, events and
// files where it knows them. What is the same for all formats is done here: copies and arrivals, users and queues,
// the nodes of the cluster, where input blocks are, and the counts of what was read, dropped, defaulted and modelled.
//
// Applications wait on disk until all are read, so that memory holds one of them at a time and a short row for each.
package workload

import (
	"context"

	"replay/trace"
)

// Format is a foreign format.
type Format struct {
	Usage string // in one line

	// Read gives all that the inputs hold to b. It adds applications in any order, keeps none of them, and counts
	// the rows that it reads. Its errors name file, place, value and what was wanted; an option that the format can't
	// follow is one.
	Read func(ctx context.Context, inputs []string, b *Builder) error
}

// Result is what an import made.
type Result struct {
	Counts *Counts
	Trace  trace.Counts
	Hash   string // of the trace
}

// Import reads inputs in the format, which is called name, and writes a trace to opt.Out. It leaves nothing there
// if it fails.
func (f Format) Import(ctx context.Context, name string, inputs []string, opt Options) (res *Result, err error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	b, err := newBuilder(&opt, name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := b.spool.close(); err == nil && e != nil {
			res, err = nil, e
		}
	}()
	if err := f.Read(ctx, inputs, b); err != nil {
		return nil, err
	}
	return b.write(ctx)
}
