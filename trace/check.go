package trace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// CheckResult is what Check found.
type CheckResult struct {
	Problems []Problem // the first ones
	Total    int64     // of all problems
	Counts   Counts    // rows read
	Never    int64     // nodes that are there at no time
	Hash     string    // identity of the trace; empty if its files can't be opened
}

// OK tells whether the trace follows all rules.
func (r *CheckResult) OK() bool { return r.Total == 0 }

// Check applies every rule of the format to the trace in dir. It goes on after a problem as far as the files
// can be read, keeps the first most problems and counts the rest. The error is for a directory that is no
// trace at all, without a manifest of a version that is known, or for ctx, which ends the check.
func Check(ctx context.Context, dir string, most int) (*CheckResult, error) {
	r := &CheckResult{}
	report := func(p Problem) error {
		r.Total++
		if len(r.Problems) < most {
			r.Problems = append(r.Problems, p)
		}
		return nil
	}
	t, err := openTrace(dir, report)
	if err != nil {
		return r, reportAll(err, report)
	}
	defer t.Close()
	r.Hash = t.Hash()
	r.Counts.Nodes, r.Counts.NodeEvents, r.Never = int64(len(t.Nodes)), int64(len(t.Events)), NeverThere(t.Nodes, t.Events)
	if err := t.checkJobs(ctx, r, report); err != nil {
		return r, reportAll(err, report)
	}
	if tab, ok := t.tables[tableExecutors]; ok {
		executors, err := readExecutors(tab)
		if err != nil {
			return r, reportAll(err, report)
		}
		return r, t.checkExecutors(executors, report)
	}
	return r, nil
}

func (t *Trace) checkJobs(ctx context.Context, r *CheckResult, report func(Problem) error) error {
	a := newAssembler(t, nil, report)
	defer a.close()
	extra := make(map[string]bool)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		j, err := a.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		r.Counts.Jobs++
		r.Counts.Stages += int64(len(j.Stages))
		r.Counts.Tasks += j.NumTasks()
		extraOf(j, extra)
	}
	if got, want := t.Manifest.Resources, resourcesOf(t.Nodes, extra); got != nil && !slices.Equal(got, want) {
		if err := report(wholeFile(filepath.Join(t.dir, manifestName), "resources", named(got), named(want)+", those of the tables")); err != nil {
			return err
		}
	}
	return nil
}

// named lists some names, of many the first ones.
func named(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// reportAll reports the problems that err consists of, and returns err if it has something else in it.
func reportAll(err error, report func(Problem) error) error {
	var list interface{ Unwrap() []error }
	if errors.As(err, &list) {
		for _, e := range list.Unwrap() {
			if err := reportAll(e, report); err != nil {
				return err
			}
		}
		return nil
	}
	var p Problem
	if errors.As(err, &p) {
		return report(p)
	}
	return err
}
