package trace

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

var sameTrace = cmp.Options{cmpopts.EquateEmpty(), cmpopts.EquateNaNs()}

// dirBytes are the names and contents of a directory's files as one value to compare.
func dirBytes(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %x\n", e.Name(), sha256.Sum256(data))
	}
	return b.String()
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	k := 0
	rapid.Check(t, func(rt *rapid.T) {
		want := randomTrace(rt)
		k++
		dir := filepath.Join(base, fmt.Sprint(k))
		if err := want.Write(dir); err != nil {
			rt.Fatal(err)
		}
		got, err := Load(dir)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(want, got, sameTrace); d != "" {
			rt.Fatalf("read differs from what was written (-want +got):\n%s", d)
		}
		again := dir + "-again"
		if err := got.Write(again); err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(dirBytes(t, dir), dirBytes(t, again)); d != "" {
			rt.Fatalf("written twice, bytes differ:\n%s", d)
		}
	})
}

// bigTrace has more tasks than a batch, a page and a row group, and every optional column.
func bigTrace(tasks int) *MemoryTrace {
	m := &MemoryTrace{Meta: Meta{
		OriginUnixMS: Unset, LocalitySource: LocalityModelled, DurationSource: DurationModelled,
		Queues: []Queue{NewQueue(0, "root.default")},
		Users:  []User{NewUser(0, "u")},
	}}
	for i := range 50 {
		m.Nodes = append(m.Nodes, Node{ID: int32(i), Host: fmt.Sprint("h", i), RackID: int32(i % 5), Rack: fmt.Sprint("/r", i%5), MemMiB: 1 << 16, VCores: 16, Present: true})
	}
	x := uint32(1)
	next := func(n uint32) int32 { x = x*1664525 + 1013904223; return int32((x >> 8) % n) }
	for left := tasks; left > 0; {
		id := int64(len(m.JobList))
		j := NewJob(KindGeneric)
		j.ID, j.SubmitMS, j.AMMemMiB, j.AMVCores, j.TailMS = id, id*10, 1, 1, 0
		for s := range int(1 + next(4)) {
			st := NewStage(int32(s), StageInput)
			st.TaskVCores = 1
			n := min(int(next(100)), left)
			if next(40) == 0 {
				n = min(int(next(50000)), left)
			}
			left -= n
			t := &st.Tasks
			withPrefs := next(3) > 0 && n > 0
			if withPrefs {
				t.PrefStart = []int32{0}
			}
			for range n {
				t.DurationMS = append(t.DurationMS, int64(next(100000)))
				t.InputBytes = append(t.InputBytes, 1<<27)
				if withPrefs {
					first := next(48)
					t.Pref = append(t.Pref, first, first+1, first+2)
					t.PrefStart = append(t.PrefStart, int32(len(t.Pref)))
				}
				if s == 1 {
					t.RecordedWaitMS = append(t.RecordedWaitMS, int64(next(2)))
					t.RecordedLocality = append(t.RecordedLocality, []string{"", "ANY"}[next(2)])
				}
			}
			dropIf(&t.RecordedLocality, "")
			j.Stages = append(j.Stages, st)
		}
		m.JobList = append(m.JobList, j)
	}
	return m
}

// sameJobs compares exactly; the slow readable difference is made only if there is one.
func sameJobs(t *testing.T, want, got *MemoryTrace) {
	t.Helper()
	if !reflect.DeepEqual(want.JobList, got.JobList) {
		t.Errorf("read differs from what was written (-want +got):\n%.2000s", cmp.Diff(want.JobList, got.JobList, sameTrace))
	}
}

func TestBigRoundTrip(t *testing.T) {
	want := bigTrace(300_000)
	dir := filepath.Join(t.TempDir(), "big")
	if err := want.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	sameJobs(t, want, got)
}

// The same trace in one file and in several, with one processor and two.
func TestLayoutsAgree(t *testing.T) {
	want := bigTrace(60_000)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var bytesOf []string
	for _, procs := range []int{1, 2} {
		runtime.GOMAXPROCS(procs)
		dir := filepath.Join(t.TempDir(), "t")
		if err := want.Write(dir); err != nil {
			t.Fatal(err)
		}
		bytesOf = append(bytesOf, dirBytes(t, dir))
	}
	if bytesOf[0] != bytesOf[1] {
		t.Errorf("bytes with one processor:\n%swith two:\n%s", bytesOf[0], bytesOf[1])
	}
	dir := filepath.Join(t.TempDir(), "split [1]*")
	w, err := Create(dir, want.Meta)
	if err != nil {
		t.Fatal(err)
	}
	w.perFile = 10_000
	for _, j := range want.JobList {
		w.AddJob(j)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if files := dirBytes(t, dir); strings.Count(files, "tasks-0000") < 3 {
		t.Errorf("want several task files, got %s", files)
	}
	got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	sameJobs(t, want, got)
}

// Files can be given one by one, and stay in their table until they are asked for.
func TestFilesOneByOne(t *testing.T) {
	m := checkedTrace()
	files := m.Files
	m.Files, m.JobList[0].Stages[0].FileID = nil, 2
	write := func(name string, files []File) (string, error) {
		dir := filepath.Join(t.TempDir(), name)
		w, err := Create(dir, m.Meta)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			w.AddFile(f)
		}
		for _, j := range m.JobList {
			w.AddJob(j)
		}
		return dir, w.Close()
	}
	dir, err := write("good", files)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Files != nil {
		t.Errorf("%d files in memory, want none", len(r.Files))
	}
	if err := r.ReadFiles(); err != nil || !slices.Equal(r.Files, files) {
		t.Errorf("%v, %v, want %v", r.Files, err, files)
	}
	twice := slices.Clone(files)
	twice[1].Name = twice[0].Name
	if _, err := write("twice", twice); err == nil || !strings.Contains(err.Error(), `files.parquet: row 1: name is "`+twice[0].Name+`", want another name than row 0`) {
		t.Error(err)
	}
	if _, err := write("none", nil); err == nil || !strings.Contains(err.Error(), "file_id") {
		t.Error(err)
	}
}

func TestWholeOrAbsent(t *testing.T) {
	base := t.TempDir()
	m := bigTrace(100)
	t.Run("a bad job leaves nothing", func(t *testing.T) {
		dir := filepath.Join(base, "bad")
		w, err := Create(dir, m.Meta)
		if err != nil {
			t.Fatal(err)
		}
		bad := *m.JobList[0]
		bad.User = 7
		err = w.AddJob(&bad)
		var p Problem
		if !errors.As(err, &p) || p.Column != "user_id" || p.Value != "7" {
			t.Errorf("AddJob: %v, want a problem with user_id 7", err)
		}
		if err := w.AddJob(m.JobList[0]); err == nil {
			t.Error("AddJob after an error is taken")
		}
		if err := w.Close(); err == nil {
			t.Error("Close after an error succeeds")
		}
		if entries, _ := os.ReadDir(base); len(entries) != 0 {
			t.Errorf("left over: %v", entries)
		}
	})
	t.Run("abort leaves nothing, and nothing appears before Close", func(t *testing.T) {
		dir := filepath.Join(base, "abort")
		w, err := Create(dir, m.Meta)
		if err != nil {
			t.Fatal(err)
		}
		w.AddJob(m.JobList[0])
		if _, err := os.Stat(dir); err == nil {
			t.Error("the directory is there before Close")
		}
		w.Abort()
		if err := w.Close(); err == nil {
			t.Error("Close after Abort succeeds")
		}
		if entries, _ := os.ReadDir(base); len(entries) != 0 {
			t.Errorf("left over: %v", entries)
		}
	})
	t.Run("an existing directory is not touched", func(t *testing.T) {
		dir := filepath.Join(base, "there")
		if err := m.Write(dir); err != nil {
			t.Fatal(err)
		}
		before := dirBytes(t, dir)
		if err := m.Write(dir); err == nil || !strings.Contains(err.Error(), "exists already") {
			t.Errorf("writing twice: %v", err)
		}
		if dirBytes(t, dir) != before {
			t.Error("the directory has changed")
		}
	})
}

func TestAttachments(t *testing.T) {
	m := bigTrace(10)
	m.Attached = map[string][]byte{"fair-scheduler.xml": []byte("<allocations/>")}
	dir := filepath.Join(t.TempDir(), "t")
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	tr, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	data, err := tr.Attachment("fair-scheduler.xml")
	if err != nil || !bytes.Equal(data, m.Attached["fair-scheduler.xml"]) {
		t.Errorf("Attachment: %q, %v", data, err)
	}
	for _, name := range []string{"none.xml", "tasks.parquet", "../x", "trace.json"} {
		if _, err := tr.Attachment(name); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("Attachment(%q): %v, want os.ErrNotExist", name, err)
		}
	}
	for _, name := range []string{"", "a/b", "../x", "trace.json", "tasks.parquet", ".hidden"} {
		w, err := Create(filepath.Join(t.TempDir(), "x"), m.Meta)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Attach(name, nil); err == nil {
			t.Errorf("Attach(%q) succeeds", name)
		}
		w.Abort()
	}
}

// A source that is dropped in the middle leaves no goroutine.
func TestNoLeak(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := filepath.Join(t.TempDir(), "t")
	if err := bigTrace(50_000).Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, jobs := range []int{0, 1, 40} {
		tr, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		source := tr.Jobs()
		for range jobs {
			if _, err := source.Next(); err != nil {
				t.Fatal(err)
			}
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Two sources of one trace do not disturb each other.
func TestTwoSources(t *testing.T) {
	want := bigTrace(20_000)
	dir := filepath.Join(t.TempDir(), "t")
	if err := want.Write(dir); err != nil {
		t.Fatal(err)
	}
	tr, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	a, b := tr.Jobs(), tr.Jobs()
	for i := range want.JobList {
		ja, errA := a.Next()
		jb, errB := b.Next()
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if d := cmp.Diff(ja, jb); d != "" {
			t.Fatalf("job %d differs: %s", i, d)
		}
	}
	for range 2 {
		if _, err := a.Next(); err != io.EOF {
			t.Errorf("after the last job: %v, want io.EOF", err)
		}
	}
}

// TestRecycledJobs: jobs made of the memory of others are the same as those made of their own.
func TestRecycledJobs(t *testing.T) {
	t.Parallel()
	r := Stream(1, "recycled")
	want := &MemoryTrace{Meta: Meta{OriginUnixMS: Unset, LocalitySource: LocalityNone, DurationSource: DurationModelled,
		Nodes:  []Node{{Host: "a", Rack: "/r", MemMiB: 1024, VCores: 1, Present: true}, {ID: 1, Host: "b", Rack: "/r", MemMiB: 1024, VCores: 1, Present: true}},
		Queues: []Queue{NewQueue(0, "root")}, Users: []User{{Name: "u"}}}}
	for id := range int64(8 * aheadJobs) {
		j := NewJob(KindGeneric)
		j.ID, j.SubmitMS, j.Queue, j.User = id, id, 0, 0
		for st := range 1 + r.Int32N(3) {
			s := NewStage(st, StageShuffle)
			s.TaskVCores, s.TaskMemMiB, s.Tasks = 1, 1, NewTasks(r.IntN(40))
			for i := range s.Tasks.DurationMS {
				s.Tasks.DurationMS[i] = r.Int64N(1000)
			}
			if s.Tasks.Len() > 0 && r.IntN(2) == 0 {
				s.Tasks.Retries = make([]int32, s.Tasks.Len())
			}
			if s.Tasks.Len() > 0 && r.IntN(2) == 0 {
				prefs := make([][]int32, s.Tasks.Len())
				prefs[r.IntN(len(prefs))] = []int32{1, 0}
				s.Tasks.SetPrefs(prefs)
			}
			j.Stages = append(j.Stages, s)
		}
		want.JobList = append(want.JobList, j)
	}
	dir := filepath.Join(t.TempDir(), "t")
	if err := want.Write(dir); err != nil {
		t.Fatal(err)
	}
	tr, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	source := tr.Jobs().(Recycler)
	var held []*Job
	seen, again := map[*Job]bool{}, 0
	for j, err := range All(source) {
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.JobList[j.ID], j, sameTrace); d != "" {
			t.Fatalf("job %d (-want +got): %s", j.ID, d)
		}
		if seen[j] {
			again++
		}
		seen[j] = true
		if held = append(held, j); len(held) > 3 {
			source.Recycle(held[0])
			held = held[1:]
		}
	}
	if again == 0 {
		t.Error("no job was made of the memory of another")
	}
}
