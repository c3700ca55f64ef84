package result

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"sync"

	"replay/engine/record"
	"replay/engine/snapshot"
)

// stateRules: a state has all pages of jobs, whether they wait in a file or not.
var stateRules = snapshot.Rules{Fields: map[string]snapshot.Rule{"replay/report/result.jobPages.file": snapshot.Kept, "replay/report/result.packedJobs.shared": snapshot.Unset}}

// stateCodec writes and reads what a [Collector] has added up.
var stateCodec = sync.OnceValues(func() (*snapshot.Codec, error) { return snapshot.New(stateRules, (*Collector)(nil)) })

// StateLayout is a hash over the types of states of collectors.
func StateLayout() (string, error) {
	c, err := stateCodec()
	if err != nil {
		return "", err
	}
	return c.Layout(), nil
}

// State returns what the collector has added up so far.
func (c *Collector) State() ([]byte, error) {
	codec, err := stateCodec()
	if err != nil {
		return nil, err
	}
	c.done.pages.stay()
	var b bytes.Buffer
	err = codec.Write(&b, c)
	return b.Bytes(), err
}

// GoOn has a new collector go on from a state.
func (c *Collector) GoOn(state []byte) error {
	codec, err := stateCodec()
	if err != nil {
		return err
	}
	return codec.Read(state, true, c)
}

// Rows are how many rows the tables have so far, by file. A table that is not wanted has none.
func (w *Writer) Rows() map[string]int64 {
	rows := map[string]int64{}
	w.eachTable(func(name string, t refilled) { rows[name] = t.count() })
	return rows
}

// Refill gives the tables, which are empty, the first rows of those of a result.
func (w *Writer) Refill(dir string, rows map[string]int64) (err error) {
	w.eachTable(func(name string, t refilled) {
		n, ok := rows[name]
		switch path := filepath.Join(dir, name); {
		case err != nil:
		case !ok:
			err = fmt.Errorf("%s: the result at %s has no such table to go on with", name, dir)
		default:
			err = t.refill(path, n)
		}
	})
	return err
}

// refilled is a table as a state sees it.
type refilled interface {
	count() int64
	refill(path string, rows int64) error
}

func (w *Writer) eachTable(do func(name string, t refilled)) {
	do("containers.parquet", w.containers)
	do("series.parquet", &sampled{w.samples, w.arrow})
	do("nodes.parquet", w.nodes)
	if w.tasks != nil {
		do("tasks.parquet", w.tasks)
	}
	if w.decisions != nil {
		do("decisions.parquet", w.decisions)
	}
}

func (t *table[S, R]) count() int64 { return t.written + int64(len(t.rows)) }

// refill writes the first rows of another table of the kind.
func (t *table[S, R]) refill(path string, rows int64) error { return firstRows(path, rows, t.put) }

// sampled are the two tables of samples.
type sampled struct {
	*table[record.Sample, sampleRow]
	arrow *arrowSeries
}

func (s *sampled) refill(path string, rows int64) error {
	return firstRows(path, rows, func(r sampleRow) {
		s.put(r)
		s.arrow.put(&r)
	})
}

// errEnough ends a reading of rows.
var errEnough = errors.New("enough rows")

// firstRows gives the first n rows of a table, each with memory of its own.
func firstRows[R any](path string, n int64, give func(R)) error {
	left := n
	err := readTable(path, func(r *R) error {
		if left == 0 {
			return errEnough
		}
		left--
		row := *r
		own(&row)
		give(row)
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if left > 0 {
		return fmt.Errorf("%s: has %d rows, want %d or more, as many as were there at the checkpoint", path, n-left, n)
	}
	return nil
}

// own gives a row's optional numbers memory of its own.
func own[R any](r *R) {
	v := reflect.ValueOf(r).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
			p := reflect.New(f.Type().Elem())
			p.Elem().Set(f.Elem())
			f.Set(p)
		}
	}
}
