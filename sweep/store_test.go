package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"replay/engine/record"
	"replay/report/figure"
	"replay/report/metric"
	"replay/report/quantity"
	"replay/report/result"
)

// planned is a sweep of 3 traces, 2 variants, 4 values of a setting and 6 seeds.
func planned() *Sweep {
	w := &Sweep{Plan: "plan.yaml", Settings: []string{"load"}}
	for t := range 3 {
		w.Traces = append(w.Traces, Source{Name: fmt.Sprintf("t%d", t), Hash: "h"})
		for _, variant := range []string{"a", "b"} {
			for load := range 4 {
				for seed := range uint64(6) {
					identity := fmt.Sprintf("%d %s %d", t, variant, load)
					w.Cells = append(w.Cells, Cell{ID(identity, seed), t, variant, []string{fmt.Sprint(load + 1)}, seed})
				}
			}
		}
	}
	return w
}

// recordOf is a made-up record of a cell.
func recordOf(c *Cell) *Record {
	load := float64(c.Values[0][0] - '0')
	wait := float64((10*load + 3*float64(c.Trace)) * (1 + float64(c.Seed)/100))
	if c.Variant == "b" {
		wait *= .5
	}
	r := &Record{Format: Format, ID: c.ID, Program: Program{Version: "1"}, Outcome: Outcome{Jobs: 10, Succeeded: 10}, Warnings: []string{"w"}}
	r.Values = []Value{{Name: "wait_ms", Unit: "ms", Better: "lower", Number: &wait, N: 10, Things: "jobs", Headline: "mean wait"}, {Name: "none", Unit: "count", Absent: "there is none"}}
	return r
}

func save(t *testing.T, s Store, w *Sweep, cells []int) {
	t.Helper()
	if err := s.Create(w); err != nil {
		t.Fatal(err)
	}
	for _, i := range cells {
		if err := s.Save(recordOf(&w.Cells[i])); err != nil {
			t.Fatal(err)
		}
	}
}

func everyCell(w *Sweep) (out []int) {
	for i := range w.Cells {
		out = append(out, i)
	}
	return out
}

// mergedFilesOf merges and returns the bytes of all that is written.
func mergedFilesOf(t *testing.T, partial bool, stores ...Store) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "merged")
	if _, err := Merge(stores, dir, partial, []string{"svg"}); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			b, err := os.ReadFile(path)
			out[strings.TrimPrefix(path, dir)] = string(b)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s has other bytes", what, name)
		}
	}
}

// Shards in any order and number, in one directory or several, cells that are replayed twice at the same time, and shards that are lost
// and replayed again leave the bytes of one machine.
func TestShardsLeaveTheSameBytes(t *testing.T) {
	w := planned()
	one := Store{t.TempDir()}
	save(t, one, w, everyCell(w))
	want := mergedFilesOf(t, false, one)
	if len(want) < 6 {
		t.Fatalf("merged: %d files", len(want))
	}
	shared := Store{t.TempDir()}
	var wg sync.WaitGroup
	for i := range 14 { // each of 7 shards twice
		wg.Go(func() {
			if i != 3 && i != 10 { // this one is lost
				save(t, shared, planned(), Shard(len(w.Cells), i%7+1, 7))
			}
		})
	}
	wg.Wait()
	missing, others, err := shared.Missing(w.Cells, Program{Version: "1"})
	if err != nil || !slices.Equal(missing, Shard(len(w.Cells), 4, 7)) || others != 0 {
		t.Errorf("missing are %v (%v), want those of shard 4", missing, err)
	}
	var incomplete *Incomplete
	if _, err := Merge([]Store{shared}, filepath.Join(t.TempDir(), "m"), false, nil); !errors.As(err, &incomplete) || incomplete.Missing != len(missing) {
		t.Errorf("merged without a shard: %v", err)
	}
	if partial := mergedFilesOf(t, true, shared); !strings.Contains(partial["/summary.txt"], "21 cells are missing") {
		t.Errorf("a partial merge says\n%s", partial["/summary.txt"])
	}
	save(t, shared, w, missing)
	same(t, "7 shards", mergedFilesOf(t, false, shared), want)
	var apart []Store
	for i := range 5 {
		s := Store{t.TempDir()}
		save(t, s, planned(), Shard(len(w.Cells), i+1, 5))
		apart = append(apart, s)
	}
	slices.Reverse(apart)
	same(t, "5 directories", mergedFilesOf(t, false, apart...), want)
	other := planned()
	other.Cells = other.Cells[1:]
	if err := apart[1].Create(other); err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(apart, t.TempDir(), false, nil); err == nil || !strings.Contains(err.Error(), "different sweeps") {
		t.Errorf("merged with another sweep: %v", err)
	}
}

// A record that is damaged, cut off or another cell's is missing, and is replaced.
func TestDamagedRecords(t *testing.T) {
	w := planned()
	s := Store{t.TempDir()}
	save(t, s, w, everyCell(w))
	want := mergedFilesOf(t, false, s)
	path := func(i int) string { return s.path(w.Cells[i].ID, ".json") }
	text, err := os.ReadFile(path(0))
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range map[int][]byte{0: bytes.Replace(text, []byte("wait"), []byte("tiaw"), 1), 1: text, 2: text[:40], 3: nil} {
		if err := os.WriteFile(path(i), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	missing, others, err := s.Missing(w.Cells, Program{Version: "2"})
	if err != nil || !slices.Equal(missing, []int{0, 1, 2, 3}) || others != len(w.Cells)-4 {
		t.Errorf("missing are %v, %d of other programs (%v)", missing, others, err)
	}
	save(t, s, w, missing)
	same(t, "mended", mergedFilesOf(t, false, s), want)
	if err := s.Fail(w.Cells[5].ID, errors.New("broke")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path(5)); err != nil {
		t.Fatal(err)
	}
	st, err := s.Status()
	if err != nil || st.Failed != 1 || len(st.Missing) != 1 || st.Missing[0].Why != "broke" || st.Cells != len(w.Cells) {
		t.Errorf("status %+v (%v)", st, err)
	}
	save(t, s, w, []int{5})
	if s.failure(w.Cells[5].ID) != "" {
		t.Error("a cell that was replayed is still failed")
	}
	old, plan := filepath.Join(s.Dir, cellsFolder, ".x.json.1.partial"), filepath.Join(s.Dir, ".sweep.json.1.partial")
	long := time.Now().Add(-2 * time.Hour)
	if err := errors.Join(os.WriteFile(old, nil, 0o644), os.WriteFile(plan, nil, 0o644), os.Chtimes(old, long, long), os.Chtimes(plan, long, long), s.Create(w)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{old, plan} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s, which a killed writer left, stays", path)
		}
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Create(w); err == nil || !strings.Contains(err.Error(), "has thesis.txt, so it is no sweep's") {
		t.Errorf("written among other files: %v", err)
	}
}

func TestRunKeepsGoing(t *testing.T) {
	broke := errors.New("broke")
	for _, keepGoing := range []bool{true, false} {
		var mu sync.Mutex
		done := 0
		failed, err := Run(t.Context(), 100, 3, keepGoing, func(_ context.Context, i int) error {
			if i%10 == 3 {
				return broke
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			return nil
		})
		if err != nil || keepGoing && (len(failed) != 10 || done != 90) || !keepGoing && (len(failed) == 0 || len(failed) > 3 || done > 20) {
			t.Errorf("keep going %t: %d done, failed %v, %v", keepGoing, done, failed, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	failed, err := Run(ctx, 1000, 1, true, func(ctx context.Context, _ int) error {
		if n++; n == 5 {
			cancel()
		}
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) || len(failed) != 0 || n > 6 {
		t.Errorf("interrupted: %d begun, failed %v, %v", n, failed, err)
	}
}

// Best and worst are among what can be chosen, over all traces and loads; what is missing somewhere has no part.
func TestBestAndWorst(t *testing.T) {
	w := planned()
	s := Store{t.TempDir()}
	save(t, s, w, everyCell(w))
	text := mergedFilesOf(t, false, s)["/summary.txt"]
	for _, want := range []string{"144 cells of plan.yaml: 3 traces, 2 of variant, 4 of load, 6 seeds.", "mean over seeds, traces, loads", "mean wait", "14.35 ±0.27 ms  b", "28.70 ±0.55 ms  a"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	w.Cells = slices.DeleteFunc(w.Cells, func(c Cell) bool { return c.Variant == "b" && c.Values[0] == "4" })
	save(t, s, w, nil)
	text = mergedFilesOf(t, false, s)["/summary.txt"]
	if !strings.Contains(text, "1 choice is not under every trace and load") || strings.Contains(text, "14.35") {
		t.Errorf("a choice that is not everywhere is compared:\n%s", text)
	}
}

// Choices that lose jobs, and numbers over next to nothing, are not compared, as in replay compare and replay run.
func TestLeftOut(t *testing.T) {
	w := planned()
	w.Settings, w.Traces = []string{"nodes"}, w.Traces[:1]
	w.Cells = slices.DeleteFunc(w.Cells, func(c Cell) bool { return c.Trace > 0 })
	for _, tt := range []struct {
		name  string
		spoil func(c *Cell, r *Record)
		want  []string
		not   string
	}{
		{"nothing", func(*Cell, *Record) {}, []string{"5.12 ±0.098 ms  b, nodes=1  41.00 ±0.79 ms  a, nodes=4"}, "Left out"},
		{"all lose as many", func(_ *Cell, r *Record) { r.Outcome.Unexpected = 2 }, []string{"5.12 ±0.098 ms  b, nodes=1  41.00 ±0.79 ms  a, nodes=4"}, "Left out"},
		{"all lose the same", func(_ *Cell, r *Record) { r.Outcome.Unexpected, r.Outcome.Lost = 2, "3,8" }, []string{"5.12 ±0.098 ms  b, nodes=1  41.00 ±0.79 ms  a, nodes=4"}, "Left out"},
		{"as many and others", func(c *Cell, r *Record) {
			r.Outcome.Unexpected, r.Outcome.Lost = 2, "3,8"
			if c.Variant == "b" {
				r.Outcome.Lost = "3-4"
			}
		}, []string{"because jobs do not succeed that do under others", "No headline metric tells two choices apart."}, " best "},
		{"some lose jobs", func(c *Cell, r *Record) {
			if c.Variant == "b" && c.Seed == 3 || c.Values[0] == "4" {
				r.Outcome.Unexpected = 1
			}
		}, []string{"10.25 ±0.20 ms  a, nodes=1  30.75 ±0.59 ms  a, nodes=3", "Left out, because jobs do not succeed that do under others, which leaves their room to the rest: a, nodes=4; b, nodes=1; b, nodes=2; b, nodes=3; b, nodes=4."}, " b, nodes=1  "},
		{"all but one lose jobs", func(c *Cell, r *Record) {
			if c.Variant == "b" || c.Values[0] != "1" {
				r.Outcome.Unexpected = 1
			}
		}, []string{"because jobs do not succeed that do under others", "No headline metric tells two choices apart."}, " best "},
		{"cut off", func(c *Cell, r *Record) { r.Values[0].Cut = c.Variant == "b" && c.Values[0] == "1" }, []string{"10.25 ±0.20 ms", "or over what --until cut off: mean wait (1 of 8 choices)."}, "5.12"},
		{"thin", func(c *Cell, r *Record) { r.Values[0].Thin = c.Variant == "b" && c.Values[0] == "1" }, []string{"10.25 ±0.20 ms", "Left out where a choice has no number in a cell, or one over next to nothing or over what --until cut off: mean wait (1 of 8 choices)."}, "5.12"},
	} {
		s := Store{t.TempDir()}
		save(t, s, w, nil)
		for i := range w.Cells {
			r := recordOf(&w.Cells[i])
			tt.spoil(&w.Cells[i], r)
			if err := s.Save(r); err != nil {
				t.Fatal(err)
			}
		}
		all := mergedFilesOf(t, false, s)
		text := all["/summary.txt"]
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", tt.name, want, text)
			}
		}
		if strings.Contains(text, tt.not) || strings.Contains(all["/report.html"], "Left out") != strings.Contains(text, "Left out") {
			t.Errorf("%s: %q in\n%s", tt.name, tt.not, text)
		}
	}
}

// changedCells merges the cells of one trace with what change makes of their records, and returns the merge and its files.
func changedCells(t *testing.T, settings string, change func(c *Cell, r *Record)) (*Merged, map[string]string) {
	t.Helper()
	w := planned()
	w.Settings, w.Traces = []string{settings}, w.Traces[:1]
	w.Cells = slices.DeleteFunc(w.Cells, func(c Cell) bool { return c.Trace > 0 })
	s := Store{t.TempDir()}
	save(t, s, w, nil)
	for i := range w.Cells {
		r := recordOf(&w.Cells[i])
		change(&w.Cells[i], r)
		if err := s.Save(r); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Merge([]Store{s}, filepath.Join(t.TempDir(), "merged"), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m, mergedFilesOf(t, false, s)
}

// Pictures say where jobs are lost: what is left of them has the room of those, so that it has no part in their colours and lines.
func TestPicturesMarkLosses(t *testing.T) {
	lose := func(c *Cell, r *Record) {
		if c.Variant == "b" && c.Values[0] == "4" && c.Seed == 2 {
			r.Outcome.Unexpected = 1
		}
	}
	_, files := changedCells(t, "nodes", lose)
	_, whole := changedCells(t, "nodes", func(*Cell, *Record) {})
	for _, name := range []string{"/plots/heat-wait_ms-1-2.svg", "/plots/curve-wait_ms-2.svg"} {
		if n := strings.Count(files[name], figure.Aside); n != 2 { // at the axis and at the place
			t.Errorf("%s marks %d times what loses jobs, want 2", name, n)
		}
		if strings.Contains(whole[name], figure.Aside) {
			t.Errorf("%s marks losses where there are none", name)
		}
	}
	if page := files["/report.html"]; !strings.Contains(page, "jobs that do not succeed") {
		t.Error("the table of the page does not count the jobs that are lost")
	}
	_, none := changedCells(t, "nodes", func(c *Cell, r *Record) {
		if lose(c, r); r.Outcome.Unexpected > 0 {
			r.Values[0].Number = nil
		}
	})
	if name := "/plots/heat-wait_ms-1-2.svg"; strings.Count(none[name], figure.Aside) != 2 {
		t.Errorf("%s has no mark where all jobs are lost", name)
	}
}

// A metric that is the same in all cells has no pictures: they would show nothing. One that is nothing wherever it has a number has an axis of numbers that
// can be read.
func TestPicturesOfNothing(t *testing.T) {
	for _, known := range []bool{true, false} {
		_, files := changedCells(t, "nodes", func(c *Cell, r *Record) {
			x := 0.0
			if r.Values[0].Number = &x; !known && c.Variant == "b" && c.Values[0] == "4" {
				r.Values[0].Number = nil
			}
		})
		curves := 0
		for name, text := range files {
			if strings.HasPrefix(name, "/plots/heat-wait_ms-") && known {
				t.Errorf("%s is drawn of one number", name)
			}
			if !strings.HasPrefix(name, "/plots/curve-wait_ms-") {
				continue
			}
			if curves++; regexp.MustCompile(`>[^<]*e-[0-9]`).MatchString(text) || !strings.Contains(text, ">1") {
				t.Errorf("%s:\n%s", name, text)
			}
		}
		if known != (curves == 0) {
			t.Errorf("%d curves are drawn where every cell has a number: %v", curves, known)
		}
	}
}

// An end is what a cluster is looked at until, and nobody's choice.
func TestAnEndIsNoChoice(t *testing.T) {
	_, files := changedCells(t, "until", func(*Cell, *Record) {})
	if text := files["/summary.txt"]; !strings.Contains(text, "mean over seeds, ends  best") || !strings.Contains(text, "12.81 ±0.25 ms  b  25.62 ±0.49 ms  a") {
		t.Errorf("ends are chosen among:\n%s", text)
	}
}

// Best and worst that chance explains are marked, and as many as are as good are counted.
func TestBestAndWorstAreTested(t *testing.T) {
	told := func(m *Merged) string {
		choices, _ := m.choices()
		es := m.extremes(choices)
		if len(es) != 1 {
			t.Fatalf("%d metrics differ, want 1", len(es))
		}
		return fmt.Sprint(es[0].apart(), " ", m.Answer().(answer).Metrics[0].Apart != nil, " ", len(es[0].good), " ", len(es[0].bad))
	}
	noise := func(c *Cell, r *Record) {
		x := 100 + float64(ID(c.Variant+c.Values[0], c.Seed)[0]%16) // of nothing that is chosen
		r.Values[0].Number = &x
	}
	m, files := changedCells(t, "nodes", noise)
	if got := told(m); !strings.HasPrefix(got, "false true") || !strings.Contains(files["/summary.txt"], "  ~\n") || !strings.Contains(files["/summary.txt"], "~: chance may explain") || !strings.Contains(files["/report.html"], "not told apart") {
		t.Errorf("noise: %s in\n%s", got, files["/summary.txt"])
	}
	m, files = changedCells(t, "nodes", func(*Cell, *Record) {})
	if got := told(m); got != "true true 0 0" || strings.Contains(files["/summary.txt"], "~") {
		t.Errorf("a difference: %s in\n%s", got, files["/summary.txt"])
	}
	m, files = changedCells(t, "nodes", func(c *Cell, r *Record) {
		x := 100 - float64(c.Seed)
		if c.Values[0] == "1" {
			x /= 2
		}
		r.Values[0].Number = &x
	})
	if got := told(m); got != "true true 1 5" || !strings.Contains(files["/summary.txt"], "a, nodes=1; alike b, nodes=1") || !strings.Contains(files["/summary.txt"], "; alike 5 more") {
		t.Errorf("alike: %s in\n%s", got, files["/summary.txt"])
	}
	_, files = changedCells(t, "nodes", func(c *Cell, r *Record) {
		x := 90 + 10*float64(c.Seed)
		r.Values[0].Number = &x
	})
	if text := files["/summary.txt"]; !regexp.MustCompile(`The same mean under each of these choices: .* \(\S+( ±\S+)? ms\)\.`).MatchString(text) || strings.Contains(files["/report.html"], "Best and worst") {
		t.Errorf("all choices alike:\n%s", text)
	}
	w := planned()
	w.Cells = slices.DeleteFunc(w.Cells, func(c Cell) bool { return c.Seed > 3 })
	s := Store{t.TempDir()}
	save(t, s, w, []int{})
	for i := range w.Cells {
		if err := s.Save(recordOf(&w.Cells[i])); err != nil {
			t.Fatal(err)
		}
	}
	if text := mergedFilesOf(t, false, s)["/summary.txt"]; !strings.Contains(text, "is not known: 4 seeds are too little evidence (5 at least).") {
		t.Errorf("four seeds:\n%s", text)
	}
}

// What --until decides is marked where it cuts off jobs, and nowhere else.
func TestCutRecord(t *testing.T) {
	for _, tt := range []struct {
		jobs int64
		want bool
	}{{0, false}, {3, true}} {
		s := &metric.Summary{Data: &result.Data{Manifest: record.Manifest{Until: 1000, TraceJobs: tt.jobs}}, Values: []metric.Value{
			{Quantity: quantity.Quantity{Name: "a"}, Ends: true}, {Quantity: quantity.Quantity{Name: "b"}}}}
		if r := RecordOf("x", s); r.Values[0].Cut != tt.want || r.Values[1].Cut {
			t.Errorf("%d jobs not submitted: %+v, want the first cut off: %t", tt.jobs, r.Values, tt.want)
		}
	}
}

// A record says what replay run leaves out.
func TestThinRecord(t *testing.T) {
	s := &metric.Summary{Data: &result.Data{}, Values: []metric.Value{
		{Quantity: quantity.Quantity{Name: "a"}, N: 6, Whole: 308}, {Quantity: quantity.Quantity{Name: "b"}, N: 100, Whole: 308}}}
	if r := RecordOf("x", s); !r.Values[0].Thin || r.Values[1].Thin {
		t.Errorf("%+v, want the first to say little", r.Values)
	}
}

func TestShard(t *testing.T) {
	var all []int
	for i := range 7 {
		all = append(all, Shard(100, i+1, 7)...)
	}
	slices.Sort(all)
	for i := range all {
		if all[i] != i || len(all) != 100 {
			t.Fatalf("shards have %v", all)
		}
	}
	w := planned()
	if got, err := Pick(w.Cells, []string{w.Cells[9].ID, w.Cells[2].ID}); err != nil || !slices.Equal(got, []int{9, 2}) {
		t.Errorf("picked %v, %v", got, err)
	}
	if _, err := Pick(w.Cells, []string{"x"}); err == nil || !strings.Contains(err.Error(), `"x" is the id of no cell`) {
		t.Errorf("picked x: %v", err)
	}
}

// What other nodes move by themselves is neither best nor worst where choices do not have the same.
func TestNodesOfChoices(t *testing.T) {
	for _, tt := range []struct {
		cluster func(*Cell) record.Cluster
		movedBy quantity.MovedBy
		want    bool
	}{
		{func(c *Cell) record.Cluster { return record.Cluster(c.Values[0]) }, quantity.ByNodes, true},
		{func(c *Cell) record.Cluster { return record.Cluster(c.Values[0]) }, quantity.ByWork, false},
		{func(c *Cell) record.Cluster { return record.Cluster(fmt.Sprint(c.Trace)) }, quantity.ByNodes, false},
		{func(*Cell) record.Cluster { return "" }, quantity.ByNodes, false},
	} {
		_, files := changedCells(t, "nodes", func(c *Cell, r *Record) { r.Cluster, r.Values[0].MovedBy = tt.cluster(c), tt.movedBy })
		const said = "Neither best nor worst, as other nodes or arrivals move them by themselves: mean wait."
		if text := files["/summary.txt"]; strings.Contains(text, said) != tt.want || strings.Contains(text, "\nmean wait") == tt.want || strings.Contains(files["/report.html"], said) != tt.want {
			t.Errorf("want it left out: %v, in\n%s", tt.want, text)
		}
	}
}

// Where jobs arrive faster under a choice than under another it is said, however the plan says the load and the nodes.
func TestLoadsOfClusters(t *testing.T) {
	for _, tt := range []struct {
		changed string
		faster  func(*Cell) float64
		want    string
	}{
		{"nodes", func(c *Cell) float64 { return float64(c.Values[0][0] - '0') }, "on one trace jobs arrive up to 4 times as fast"},
		{"load", func(c *Cell) float64 { return float64(c.Values[0][0] - '0') }, ""},
		{"load", func(c *Cell) float64 { return map[string]float64{"a": 1, "b": 2.5}[c.Variant] }, "on one trace jobs arrive up to 2.5 times as fast"},
		{"faster", func(c *Cell) float64 { return float64(c.Values[0][0] - '0') }, ""},
		{"load", func(*Cell) float64 { return 0 }, ""},
	} {
		_, files := changedCells(t, tt.changed, func(c *Cell, r *Record) { r.Faster = tt.faster(c) })
		if text := files["/summary.txt"]; strings.Contains(text, "A load (--load)") != (tt.want != "") || !strings.Contains(text, tt.want) {
			t.Errorf("%s: want %q in\n%s", tt.changed, tt.want, text)
		}
	}
}
