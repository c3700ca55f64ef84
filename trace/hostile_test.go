package trace

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// editFooter changes the footer of a table.
func editFooter(t *testing.T, path string, edit func(m *format.FileMetaData)) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := len(data) - 8 - int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	var m format.FileMetaData
	if err := thrift.Unmarshal(&thrift.CompactProtocol{}, data[n:len(data)-8], &m); err != nil {
		t.Fatal(err)
	}
	edit(&m)
	footer, err := thrift.Marshal(&thrift.CompactProtocol{}, &m)
	if err != nil {
		t.Fatal(err)
	}
	data = append(append(data[:n:n], footer...), byte(len(footer)), byte(len(footer)>>8), 0, 0)
	if err := os.WriteFile(path, append(data, "PAR1"...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What a table's footer says is not believed: another codec, a length beyond the file, a leaf that is a map. Each is refused
// by name, also where no hash guards the file.
func TestFooterIsNotBelieved(t *testing.T) {
	names, contents := smallFiles(t)
	element := func(m *format.FileMetaData, name string) *format.SchemaElement {
		for i := range m.Schema {
			if m.Schema[i].Name == name {
				return &m.Schema[i]
			}
		}
		t.Fatalf("no column %s", name)
		return nil
	}
	for name, c := range map[string]struct {
		edit func(t *testing.T, path string)
		want string
	}{
		"codec": {func(t *testing.T, path string) {
			editFooter(t, path, func(m *format.FileMetaData) {
				for i := range m.RowGroups[0].Columns {
					m.RowGroups[0].Columns[i].MetaData.Codec ^= 1 // ZSTD to LZ4_RAW
				}
			})
		}, "tasks.parquet: content is damaged (column "},
		"footer length": {func(t *testing.T, path string) {
			data := bytes.Clone(contents["tasks.parquet"])
			data[len(data)-5] ^= 0x80
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "tasks.parquet: content is damaged (a footer of "},
		"map leaf": {func(t *testing.T, path string) {
			editFooter(t, path, func(m *format.FileMetaData) { element(m, "duration_ms").LogicalType.Value = &format.MapType{} })
		}, "tasks.parquet: duration_ms is map, want INT64"},
		"date": {func(t *testing.T, path string) {
			editFooter(t, path, func(m *format.FileMetaData) { element(m, "stage_id").LogicalType.Value = &format.DateType{} })
		}, "tasks.parquet: stage_id is date, want INT32"},
		"timestamp where no time is": {func(t *testing.T, path string) {
			editFooter(t, path, func(m *format.FileMetaData) {
				element(m, "input_bytes").LogicalType.Value = &format.TimestampType{Unit: format.TimeUnit{Value: &format.MilliSeconds{}}}
			})
		}, "tasks.parquet: input_bytes is timestamp[ms], want INT64"},
		"map list": {func(t *testing.T, path string) {
			editFooter(t, path, func(m *format.FileMetaData) { element(m, "pref_nodes").LogicalType.Value = &format.MapType{} })
		}, "tasks.parquet: pref_nodes is a map, want a list of INT32"},
		"pipe": {func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Skip(err)
			}
		}, "tasks.parquet: file is a named pipe, want the table of tasks in a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeFiles(t, names, contents)
			c.edit(t, filepath.Join(dir, "tasks.parquet"))
			if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q in it", err, c.want)
			}
		})
	}
}

// Times are read in the unit that their type says, and anything else than a number, text or time is refused by column.
func TestUnits(t *testing.T) {
	want := smallTrace()
	type flat struct {
		Job        int64   `parquet:"job_id"`
		Stage      int32   `parquet:"stage_id"`
		DurationMS int64   `parquet:"duration_ms,timestamp(microsecond)"`
		InputBytes int64   `parquet:"input_bytes"`
		Pref       []int32 `parquet:"pref_nodes,list"`
		Wait       *int64  `parquet:"recorded_wait_ms,optional,timestamp(nanosecond)"`
	}
	write := func(t *testing.T, edit func(rows []flat)) string {
		dir := filepath.Join(t.TempDir(), "t")
		if err := want.Write(dir); err != nil {
			t.Fatal(err)
		}
		rewrite("tasks.parquet", func(rows []taskRow) (out []flat) {
			for _, r := range rows {
				f := flat{Job: r.Job, Stage: r.Stage, DurationMS: 1000 * r.DurationMS, InputBytes: r.InputBytes, Pref: r.Pref}
				if r.RecordedWait != nil {
					w := 1000_000 * *r.RecordedWait
					f.Wait = &w
				}
				out = append(out, f)
			}
			edit(out)
			return out
		})(t, dir)
		return dir
	}
	got, err := Load(write(t, func([]flat) {}))
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range want.JobList {
		tasks := &j.Stages[0].Tasks
		for k := range tasks.DurationMS {
			g := &got.JobList[i].Stages[0].Tasks
			if g.DurationMS[k] != tasks.DurationMS[k] || g.RecordedWaitMS[k] != tasks.RecordedWaitMS[k] {
				t.Errorf("job %d, task %d: duration %d, wait %d, want %d, %d", i, k, g.DurationMS[k], g.RecordedWaitMS[k], tasks.DurationMS[k], tasks.RecordedWaitMS[k])
			}
		}
	}
	_, err = Load(write(t, func(rows []flat) { *rows[4].Wait++ }))
	if err == nil || !strings.Contains(err.Error(), "tasks.parquet: row group 0, row 4: recorded_wait_ms is 4000001 in units of 1/1000000 ms, want whole milliseconds") {
		t.Errorf("%v", err)
	}
}

// No bit of trace.json can change without being noticed, but for those that say nothing.
func TestManifestIsHashed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t")
	m := smallTrace()
	m.Source = &Source{Format: "spark-eventlog", Files: []SourceFile{{"a", "00"}}, Notes: "notes", RecordedOn: []KindCount{{YARN, 2}}}
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		t.Fatal(err)
	}
	was, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	every := 11 // so that each bit of a byte has its turn
	if testing.Short() {
		every = 41
	}
	for bit := 0; bit < 8*len(good); bit += every {
		bad := bytes.Clone(good)
		bad[bit/8] ^= 1 << (bit % 8)
		is, err := parseManifest(manifestName, bad)
		if err == nil && is.Hash == is.sum && is.sum != was.sum {
			t.Fatalf("bit %d changes %q to %q unnoticed", bit, good[bit/8-min(bit/8, 9):bit/8+9], bad[bit/8-min(bit/8, 9):bit/8+9])
		}
		if err == nil && is.Hash == "" {
			t.Fatalf("bit %d takes the hash away", bit)
		}
	}
}

// A manifest of any bytes is read or refused, and one that is read has the same hash when it is laid out anew.
func FuzzManifest(f *testing.F) {
	_, contents := smallFiles(f)
	f.Add(contents[manifestName])
	f.Add([]byte(`{"format":"replay-trace","version":"1.0","time_unit":"ms","hash":"x"}`))
	f.Add([]byte(`{"format":"replay-trace","version":"1.9","time_unit":"ms","more":[1e400]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseManifest(manifestName, data)
		if err != nil {
			return
		}
		var again Manifest
		var b bytes.Buffer
		if err := json.Indent(&b, data, "", "\t"); err != nil {
			t.Fatal(err)
		}
		if err := again.takeSums(b.Bytes()); err != nil || again.sum != m.sum {
			t.Errorf("%s and %s (%v)", again.sum, m.sum, err)
		}
	})
}
