package result

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/report/tables"
	"replay/trace/tablefile"
)

// dependentRow is the row of a job in a replay in which jobs begin after others.
type dependentRow struct {
	jobRow
	DependsOn int64  `parquet:"depends_on"`
	Own       *int64 `parquet:"own_submit_ms"`
	HeldBy    *int64 `parquet:"held_by"`
}

// newDependentRow refers to j as [newJobRow] does.
func newDependentRow(j *Job) dependentRow {
	r := dependentRow{jobRow: newJobRow(j), DependsOn: j.DependsOn}
	if j.DependsOn > 0 {
		own := j.Own()
		r.Own = &own
	}
	if j.HeldMS > 0 {
		r.HeldBy = &j.HeldBy
	}
	return r
}

// readJobTable reads jobs.parquet, which has the columns of [dependentRow] or those of [jobRow].
func readJobTable(path string, bind func(*tables.Columns) func(i int) error) error {
	return tables.With(path, func(f *tablefile.File) error {
		if _, there := f.Parquet.Schema().Lookup("depends_on"); there {
			return tables.EachRow[dependentRow](f, bind)
		}
		return tables.EachRow[jobRow](f, bind)
	})
}

// readDepends returns what puts into j what a row says of the jobs that it begins after.
func readDepends(t *tables.Columns, j *Job) func(i int) error {
	if !t.Has("depends_on") {
		return func(int) error { return nil }
	}
	depends, own, by, submit := t.Int64s("depends_on"), t.Int64s("own_submit_ms"), t.Int64s("held_by"), t.Int64s("submit_ms")
	return func(i int) error {
		j.DependsOn, j.HeldMS, j.HeldBy = depends.V[i], 0, 0
		switch at := own.V[i]; {
		case j.DependsOn < 0 || (j.DependsOn > 0) != Happened(at) || at > submit.V[i]:
			return fmt.Errorf("own_submit_ms is %d, want a time up to submit_ms, which is %d, just where depends_on, which is %d, is above 0", at, submit.V[i], j.DependsOn)
		case j.DependsOn > 0:
			j.HeldMS = submit.V[i] - at
		}
		switch of := by.V[i]; {
		case (j.HeldMS > 0) != Happened(of) || of >= j.ID:
			return fmt.Errorf("held_by is %d, want an earlier job just where own_submit_ms is before submit_ms", of)
		case j.HeldMS > 0:
			j.HeldBy = of
		}
		return nil
	}
}

// Own is its own time, ms: that at which it would have been submitted if the jobs that it begins after had ended.
func (j *Job) Own() int64 { return j.Submit - j.HeldMS }

// Chain are the jobs that led to a job and it: each was held back until the one before it had ended, and the first one was not held back.
func (l *Jobs) Chain(id int64) (chain []*Job) {
	for j := l.Find(id); j != nil; {
		chain = append(chain, j)
		by := l.Find(j.HeldBy)
		if j.HeldMS == 0 || by == nil || by.ID >= j.ID || !Happened(by.Finish) { // the latter three only of a table that is not as it was written
			break
		}
		j = by
	}
	slices.Reverse(chain)
	return chain
}

// LastChain is the [Jobs.Chain] of the job that ended last, of several the one with the lowest number; nil where none has ended.
func (l *Jobs) LastChain() []*Job {
	id, last := int64(0), int64(-1)
	for j := range l.All() {
		if j.Finish > last {
			id, last = j.ID, j.Finish
		}
	}
	if last < 0 {
		return nil
	}
	return l.Chain(id)
}

// Called names the jobs of a chain, of a long one the first and the last ones.
func Called(chain []*Job) string {
	var names []string
	for j, more := range Ends(chain, 3) {
		if more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		} else {
			names = append(names, record.JobCalled((*j).ID, (*j).Name, (*j).ExternalID))
		}
	}
	return strings.Join(names, ", ")
}

// Ends yields the links of a chain, of one that is longer by more than one so many first and last ones, and between them how many are left out.
func Ends[T any](chain []T, ends int) iter.Seq2[*T, int] {
	return func(yield func(link *T, more int) bool) {
		more := len(chain) - 2*ends
		for i := range chain {
			switch {
			case more > 1 && i == ends:
				if !yield(nil, more) {
					return
				}
			case more <= 1 || i < ends || i >= len(chain)-ends:
				if !yield(&chain[i], 0) {
					return
				}
			}
		}
	}
}
