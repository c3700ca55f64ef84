package result

import (
	"bytes"
	"fmt"
	"path/filepath"
	"sync"

	"replay/engine/record"
	"replay/engine/snapshot"
	"replay/report/tables"
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
	w.eachTable(func(name string, t refilled) { rows[name] = t.Count() })
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
			err = t.Refill(path, n)
		}
	})
	return err
}

// refilled is a table as a state sees it.
type refilled interface {
	Count() int64
	Refill(path string, rows int64) error
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

// sampled are the two tables of samples.
type sampled struct {
	*tables.Table[record.Sample, sampleRow]
	arrow *tables.Arrow[sampleRow]
}

func (s *sampled) Refill(path string, rows int64) error {
	return tables.First(path, rows, func(r sampleRow) {
		s.Put(r)
		s.arrow.Put(&r)
	})
}
