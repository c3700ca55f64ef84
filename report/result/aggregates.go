package result

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"replay/engine/record"
	"replay/input"
	"replay/report/shares"
	"replay/report/tables"
)

// AggregatesFile keeps in a result directory what the rows of its tables add up to, so that who reads it need not add them up again. It
// follows from the tables: without it, or with one that is not theirs, they are read.
const AggregatesFile = "aggregates.cbor"

// aggregatesVersion is that of what is added up, and how. One that was kept by a program with another version is not used.
const aggregatesVersion = 4

// aggregates is the content of [AggregatesFile], in CBOR (RFC 8949, deterministic).
type aggregates struct {
	Version int
	Of      map[string]string // SHA-256 of the tables, by name
	Data    cbor.RawMessage   // added
}

// added is the part of [Data] that is added up from rows.
type added struct {
	Containers *Containers
	Tasks      *Tasks
	Queues     *shares.Queues
	Costs      *Costs
}

var (
	encodeAggregates = must(cbor.CoreDetEncOptions().EncMode())
	decodeAggregates = must(cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		NaN: cbor.NaNDecodeForbidden, Inf: cbor.InfDecodeForbidden, ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
		MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32, // the text has them, or is refused first
	}.DecMode())
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // the options are ours
	}
	return v
}

// tablesOf are the hashes of the tables whose rows are added up, of the files of a result.
func tablesOf(files []record.File) map[string]string {
	of := map[string]string{}
	for _, f := range files {
		if slices.Contains(isRead, f.Name) {
			of[f.Name] = f.SHA256
		}
	}
	return of
}

// Aggregates returns what is kept of data whose manifest has the hashes of its tables. Equal data give the same bytes.
func (d *Data) Aggregates() ([]byte, error) {
	data, err := encodeAggregates.Marshal(added{&d.Containers, &d.Tasks, d.Queues, d.Costs})
	if err != nil {
		return nil, err
	}
	return encodeAggregates.Marshal(aggregates{aggregatesVersion, tablesOf(d.Manifest.Files), data})
}

// readAggregates reads the data of a result directory from what is kept of its rows and from its jobs. Data is nil where nothing is kept,
// or nothing that is good for these tables, which aside then says. The error is for a table that cannot be read.
func readAggregates(dir string, m *record.Manifest) (d *Data, aside string, err error) {
	path := filepath.Join(dir, AggregatesFile)
	text, err := input.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	d = newData()
	d.Manifest = *m
	if err := d.restore(text); err != nil {
		return nil, fmt.Sprintf("%s: %v: the tables are added up again", path, err), nil
	}
	for name := range tablesOf(m.Files) {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return nil, "", nil // reading it says more
		}
	}
	var jobs packedJobs
	if err := readJobTable(filepath.Join(dir, "jobs.parquet"), func(t *tables.Columns) func(int) error {
		return readJobs(t, jobs.add)
	}); err != nil {
		return nil, "", err
	}
	d.Jobs = jobs.jobs()
	if err := d.checked(); err != nil {
		return nil, fmt.Sprintf("%s: %v: the tables are added up again", path, err), nil
	}
	return d, "", nil
}

// restore puts in what [Data.Aggregates] returned. The error says why it is none of this data.
func (d *Data) restore(text []byte) error {
	var a aggregates
	if err := decodeAggregates.Unmarshal(text, &a); err != nil {
		return err
	}
	if a.Version != aggregatesVersion {
		return fmt.Errorf("has version %d, and this program %d", a.Version, aggregatesVersion)
	}
	if !maps.Equal(a.Of, tablesOf(d.Manifest.Files)) || len(a.Of) == 0 {
		return errors.New("is of other tables")
	}
	if !slices.ContainsFunc(d.Manifest.Files, func(f record.File) bool { return f.Name == AggregatesFile }) {
		return errors.New("is not in run.json")
	}
	var is added
	if err := decodeAggregates.Unmarshal(a.Data, &is); err != nil {
		return err
	}
	if !is.Containers.whole() || !is.Tasks.whole() || !is.Queues.Whole() || (is.Costs == nil) != (d.Manifest.Prices == nil) {
		return errors.New("lacks a part, or has one of no kind that there is")
	}
	d.Containers, d.Tasks, d.Queues, d.Costs = *is.Containers, *is.Tasks, is.Queues, is.Costs
	return nil
}

// whole reports whether all is there that a program relies on.
func (c *Containers) whole() bool {
	return c != nil && c.Over.Has(len(c.Matches)) && noNil(c.AskByQueue) && noNil(c.Missed) && c.Ends != nil && c.MemMS != nil &&
		upTo(c.Missed, record.Unmatched) && !slices.ContainsFunc(c.Spans, func(s Span) bool { return s.Match > record.Unmatched })
}

func (t *Tasks) whole() bool {
	return t != nil && t.Over.Has(int(record.AnyLevel)+1) && noNil(t.Missed) && upTo(t.Missed, record.AnyLevel) && t.Ends != nil &&
		len(t.ByNode.Nodes) <= MaxTaskNodes && (t.ByNode.Over == nil && len(t.ByNode.Nodes) == 0 || t.ByNode.Over.Has(MaxTaskNodes))
}

// noNil reports whether there is a map, and no nil in it.
func noNil[K comparable, V any](m map[K]*V) bool {
	for _, v := range m {
		if v == nil {
			return false
		}
	}
	return m != nil
}

// upTo reports whether a map has no key beyond the last one that there is.
func upTo[K cmp.Ordered, V any](m map[K]V, last K) bool {
	for k := range m {
		if k > last {
			return false
		}
	}
	return true
}
