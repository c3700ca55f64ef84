package report

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"replay/engine/record"
	"replay/report/reporttest"
	"replay/report/result"
	"replay/report/shares"
	"replay/sealed/sealedtest"
)

// priced is the usual replay on nodes that cost something.
func priced(s record.Sink) record.Manifest {
	prices := &record.Prices{Currency: "EUR", Types: []record.NodeType{{Name: "*", Hour: 36_000}}, TypeOf: make([]int, reporttest.Usual.Nodes)}
	s.(*Writer).Priced(prices)
	for n := range int32(reporttest.Usual.Nodes) {
		s.Node(&record.Node{Node: n, Registered: true, MemMiB: 1 << 16, VCores: 16})
	}
	m := reporttest.Usual.Feed(s)
	m.Prices = prices
	return m
}

// writeFeed writes the result of records, without pictures.
func writeFeed(t testing.TB, feed reporttest.Feed, tasks bool) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "r")
	w, err := NewWriter(dir, Options{Tasks: tasks})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(feed(w)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// opened reads a result, and returns what is made of it and why what is kept of its sums was not used.
func opened(t *testing.T, dir string) (files map[string][]byte, aside string) {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := Rewrite(r, out, Options{HTML: true}); err != nil {
		t.Fatal(err)
	}
	return filesOf(t, out), r.Aside
}

// What is kept of the sums says what the tables add up to: the same bytes are made of either.
func TestAggregatesSayWhatTablesDo(t *testing.T) {
	feeds := maps.Clone(reporttest.Feeds)
	feeds["priced"] = priced
	for _, name := range slices.Sorted(maps.Keys(feeds)) {
		for _, tasks := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, tasks=%v", name, tasks), func(t *testing.T) {
				dir := writeFeed(t, feeds[name], tasks)
				if d, err := result.CheckAggregates(dir); d != nil || err != nil {
					t.Errorf("the tables add up to something else: %+v, %v", d, err)
				}
				kept, aside := opened(t, dir)
				if aside != "" {
					t.Errorf("not used: %s", aside)
				}
				if err := os.Remove(filepath.Join(dir, result.AggregatesFile)); err != nil {
					t.Fatal(err)
				}
				read, aside := opened(t, dir)
				if aside != "" {
					t.Errorf("without the file: %s", aside)
				}
				if len(kept) != len(read) {
					t.Errorf("%d files of what is kept, %d of the tables", len(kept), len(read))
				}
				for name := range read {
					if string(kept[name]) != string(read[name]) {
						t.Errorf("%s is another of what is kept than of the tables", name)
					}
				}
			})
		}
	}
}

// envelope is the form of the file, around sums that a test changes.
type envelope struct {
	Version int
	Of      map[string]string
	Data    cbor.RawMessage
}

// changeAggregates changes what a result keeps of its sums, and seals it again.
func changeAggregates(t testing.TB, dir string, change func(*envelope)) {
	t.Helper()
	path := filepath.Join(dir, result.AggregatesFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var e envelope
	if err := cbor.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	change(&e)
	if text, err = cbor.Marshal(e); err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	sealedtest.Seal(t, filepath.Join(dir, "run.json"))
}

// field sets a field of a part of the sums to a value.
func field(t *testing.T, part, name string, value any) func(*envelope) {
	return func(e *envelope) {
		var data map[string]map[string]any
		err := cbor.Unmarshal(e.Data, &data)
		if data[part] == nil {
			data[part] = map[string]any{}
		}
		data[part][name] = value
		if err == nil {
			e.Data, err = cbor.Marshal(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Sums that are not those of the tables are set aside with the reason where they cannot be, and found by a check where they can.
func TestAggregatesOfAnother(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*envelope)
		aside  string // empty where it is read
		found  string // by a check, where it is read
	}{
		{"another version", func(e *envelope) { e.Version = 999 }, "has version 999, and this program", ""},
		{"of other tables", func(e *envelope) { e.Of["tasks.parquet"] = "x" }, "is of other tables", ""},
		{"of one table more", func(e *envelope) { e.Of["tasks.json"] = "x" }, "is of other tables", ""},
		{"nothing", func(e *envelope) { e.Data = []byte{0xa0} }, "lacks a part", ""},
		{"text", func(e *envelope) { e.Data = []byte{0x61, 'x'} }, "cannot unmarshal UTF-8 text string", ""},
		{"without a map", field(t, "Containers", "Ends", nil), "lacks a part", ""},
		{"a queue without a timeline", field(t, "Queues", "Over", map[string][]byte{}), "lacks a part", ""},
		{"a timeline of other columns", field(t, "Tasks", "Over", []byte{100, 2}), "lacks a part", ""},
		{"a container of no kind of match", field(t, "Containers", "Spans", []map[string]any{{"Match": 19}}), "lacks a part, or has one of no kind", ""},
		{"misses of no level", field(t, "Tasks", "Missed", map[int][]int64{77: {}}), "lacks a part, or has one of no kind", ""},
		{"a field too many", field(t, "Tasks", "Colour", 1), "unknown field", ""},
		{"costs of nothing", field(t, "Costs", "Total", 1), "lacks a part", ""},
		{"a distribution that falls", field(t, "Tasks", "Wait", append([]byte{4, 0, 0, 0, 0, 0, 0, 0, 0, 2, 4, 0}, 1, 1, 0, 1)), "a value 0 above 1", ""},
		{"fewer attempts", field(t, "Tasks", "N", 3), "task attempts: records say 3, totals ", ""},
		{"more speculative ones", field(t, "Tasks", "Speculative", 77), "", "content.data.Tasks.Speculative is 77, want 0"},
		{"another share of a queue", field(t, "Queues", "JainSum", 1.5), "", "content.data.Queues.JainSum is 1.5, want "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := writeFeed(t, reporttest.Usual.Feed, true)
			good, _ := opened(t, dir)
			changeAggregates(t, dir, tt.change)
			got, aside := opened(t, dir)
			if tt.found == "" {
				if !strings.Contains(aside, tt.aside) || !strings.HasPrefix(aside, filepath.Join(dir, result.AggregatesFile)+": ") {
					t.Errorf("set aside with %q, want the file and %q", aside, tt.aside)
				}
				if !maps.EqualFunc(good, got, slices.Equal[[]byte]) {
					t.Error("something else is made of the tables")
				}
			} else if aside != "" {
				t.Errorf("set aside: %s", aside)
			}
			d, err := result.CheckAggregates(dir)
			if err != nil || d == nil {
				t.Fatalf("a check finds nothing, or %v", err)
			}
			if found := fmt.Sprintf("%s is %s, want %s", d.Part, d.Kept, d.Want); !strings.Contains(found, tt.found) {
				t.Errorf("a check finds that %s, want %q", found, tt.found)
			}
		})
	}
}

// A program with other fields of what is added up has another version: one that does not know them would read an older file as its own. When
// this fails, raise the version and run with -update.
func TestAggregatesForm(t *testing.T) {
	dir := writeFeed(t, reporttest.Few.Feed, true)
	var b strings.Builder
	changeAggregates(t, dir, func(e *envelope) { fmt.Fprintf(&b, "version %d\n", e.Version) })
	for _, of := range []reflect.Type{
		reflect.TypeFor[result.Containers](), reflect.TypeFor[result.Span](), reflect.TypeFor[result.Tasks](), reflect.TypeFor[result.TaskNodes](),
		reflect.TypeFor[shares.Queues](), reflect.TypeFor[shares.Totals](), reflect.TypeFor[shares.Share](),
		reflect.TypeFor[result.Costs](), reflect.TypeFor[result.TypeCost](), reflect.TypeFor[result.PartCost](),
	} {
		fmt.Fprintln(&b, of)
		for f := range of.Fields() {
			if f.IsExported() {
				fmt.Fprintf(&b, "\t%s %s\n", f.Name, f.Type)
			}
		}
	}
	reporttest.Golden(t, "aggregates_form", []byte(b.String()))
}
