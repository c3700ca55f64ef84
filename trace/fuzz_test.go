package trace

import (
	"bytes"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// smallTrace has a few rows of each table and each optional column in little space.
func smallTrace() *MemoryTrace {
	m := checkedTrace()
	m.JobList = m.JobList[:2]
	for i, j := range m.JobList {
		j.Conf = []KeyValue{{"spark.a", "1"}, {"spark.b", ""}}
		j.Stages = j.Stages[:1]
		s := &j.Stages[0]
		s.Extra = []NamedValue{{"gpu", 1}}
		s.StartFraction = 0.5
		s.Tasks = Tasks{
			DurationMS: []int64{5, 6, int64(i)}, InputBytes: []int64{1, 0, 1}, PrefStart: []int32{0, 2, 2, 3}, Pref: []int32{1, 2, 3},
			RecordedWaitMS: []int64{Unset, 4, Unset}, RecordedLocality: []string{"ANY", "", "ANY"},
		}
	}
	m.Files = []File{{Name: "f", Bytes: 3, BlockBytes: 1, Blocks: 3, Replication: 1}}
	return m
}

// smallFiles are the files of smallTrace, with a manifest that lists none, so that their content alone is judged.
func smallFiles(t testing.TB) (names []string, contents map[string][]byte) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "t")
	if err := smallTrace().Write(dir); err != nil {
		t.Fatal(err)
	}
	editManifest(t, dir, func(m map[string]any) { m["files"] = nil })
	contents = make(map[string][]byte)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, e.Name())
		contents[e.Name()] = data
	}
	return names, contents
}

// readAnything opens dir with one file replaced, and reads what can be read. It must not panic, nor leave a good
// result that Check finds wrong.
func readAnything(t testing.TB, dir string, name string, data []byte) error {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
		t.Fatal(err)
	}
	result, err := Check(t.Context(), dir, 3)
	ok := err == nil && result.OK()
	_, err = Load(dir)
	if err == nil && !ok && result.Problems[0].Column != "resources" { // which reading does not need
		t.Errorf("%s is read without an error, but %v", name, result.Problems)
	}
	if err != nil && ok {
		t.Errorf("%s passes the check, but %v", name, err)
	}
	return err
}

func writeFiles(t testing.TB, names []string, contents map[string][]byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, n := range names {
		if err := os.WriteFile(filepath.Join(dir, n), contents[n], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Every file cut off at many places, and with bytes of every part changed, gives an error or a good trace.
func TestDamagedFiles(t *testing.T) {
	names, contents := smallFiles(t)
	if err := readAnything(t, writeFiles(t, names, contents), names[0], contents[names[0]]); err != nil {
		t.Fatal(err)
	}
	cuts, gap := 10, 200
	if testing.Short() {
		cuts, gap = 4, 400
	}
	var refused, changed atomic.Int64
	t.Run("files", func(t *testing.T) {
		for k, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				dir, good := writeFiles(t, names, contents), contents[name]
				for cut := 0; cut < len(good); cut += 1 + len(good)/cuts {
					if err := readAnything(t, dir, name, good[:cut]); err == nil {
						t.Errorf("cut off at %d of %d bytes it is read", cut, len(good))
					}
				}
				r := rand.New(rand.NewPCG(1, uint64(k)))
				for pos := r.IntN(20); pos < len(good); pos += 1 + r.IntN(gap) {
					bad := bytes.Clone(good)
					bad[pos] ^= byte(1 + r.IntN(255))
					changed.Add(1)
					if err := readAnything(t, dir, name, bad); err != nil {
						refused.Add(1)
					}
				}
			})
		}
	})
	if refused.Load() < changed.Load()/4 {
		t.Errorf("only %d of %d changed files were refused", refused.Load(), changed.Load())
	}
}

// readTable reads a table by itself, with all of its rows.
func readTable(dir, name string) error {
	kind, _, _ := strings.Cut(strings.TrimSuffix(name, ".parquet"), "-")
	t, err := openTable(dir, name, kind)
	if err != nil {
		return err
	}
	defer t.close()
	var b *batch
	switch kind {
	case tableNodes:
		_, err = readNodes(t)
	case tableEvents:
		_, err = readEvents(t)
	case tableQueues:
		_, err = readQueues(t)
	case tableUsers:
		_, err = readUsers(t)
	case tableFiles:
		for _, err = range filesOf(t) { // the last one has the error
		}
	case tableExecutors:
		_, err = readExecutors(t)
	case tableJobs:
		b = &newJobBatch(t, nil).batch
	case tableStages:
		b = &newStageBatch(t, nil).batch
	case tableTasks:
		b = &newTaskBatch(t, nil).batch
	}
	if b == nil {
		return err
	}
	defer b.r.Close()
	for more := true; more && err == nil; b.head = b.n {
		more, err = b.more()
	}
	return err
}

// whole is of how many files that cannot be read by themselves one is read with the trace around it, by its content.
const whole = 64

// FuzzOpen puts another file into a trace. What can be read of that file by itself is read with the trace around it; of other files, a few, which
// must not be read there either.
func FuzzOpen(f *testing.F) {
	names, contents := smallFiles(f)
	for i, n := range names {
		f.Add(uint8(i), contents[n])
		f.Add(uint8(i), contents[n][:len(contents[n])/2])
	}
	f.Add(uint8(0), []byte("PAR1"))
	dir, alone := writeFiles(f, names, contents), f.TempDir()
	for _, n := range names {
		if strings.HasSuffix(n, ".parquet") {
			if err := readTable(dir, n); err != nil {
				f.Fatal(n, err)
			}
		}
	}
	f.Fuzz(func(t *testing.T, file uint8, data []byte) {
		name := names[int(file)%len(names)]
		if err := os.WriteFile(filepath.Join(alone, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
		var err error
		if strings.HasSuffix(name, ".parquet") {
			err = readTable(alone, name)
		} else {
			_, err = readManifest(alone)
		}
		if err != nil && crc32.ChecksumIEEE(data)%whole > 0 {
			return
		}
		if all := readAnything(t, dir, name, data); all == nil && err != nil {
			t.Errorf("%s is read in a trace, but by itself %v", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), contents[name], 0o644); err != nil {
			t.Fatal(err)
		}
	})
}
