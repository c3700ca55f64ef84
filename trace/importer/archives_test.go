package importer

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// An archive, as publishers keep files in, is no table whose first row has a strange name.
func TestArchives(t *testing.T) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	text := importtest.Read(t, filepath.Join("testdata", "alibaba-2018", "small", "batch_task.csv"))
	if err := w.WriteHeader(&tar.Header{Name: "batch_task.csv", Mode: 0o644, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ data, want string }{
		"batch_task.tar":     {packed.String(), "is a tar archive, want the files in it"},
		"batch_task.tar.gz":  {string(importtest.Gzip(t, packed.Bytes())), "is a tar archive, want the files in it"},
		"batch_task.csv.zip": {"PK\x03\x04\x14\x00", "is a zip archive, want the files in it"},
		"batch_task.xlsx":    {"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00\x21\x00\x41\x37\x82\xcf\x6e\x01\x00\x00\x04\x05\x00\x00\x13\x00\x00\x00[Content_Types].xml", "is a spreadsheet, want its table as text: save it as CSV"},
		"batch_task.csv.gz":  {string(importtest.Gzip(t, importtest.Gzip(t, text))), "is packed twice, the second time with gzip: unpack it once"},
	} {
		dir := t.TempDir()
		importtest.Write(t, filepath.Join(dir, name), tt.data)
		if strings.HasSuffix(name, ".tar") {
			importtest.Write(t, filepath.Join(dir, "batch_task.parquet"), "PAR1xxxx")
			importtest.Refused(t, Importers["alibaba-2018"], []string{filepath.Join(dir, "batch_task.parquet")}, nil, "batch_task.parquet: is a Parquet file: import it with the format parquet")
			if err := os.Remove(filepath.Join(dir, "batch_task.parquet")); err != nil {
				t.Fatal(err)
			}
		}
		importtest.Refused(t, Importers["alibaba-2018"], []string{dir}, func(o *workload.Options) { o.Nodes = 4 }, name+": "+tt.want)
		opt := workload.DefaultOptions()
		if _, _, err := Detect([]string{dir}, &opt); err == nil || !strings.Contains(err.Error(), name+": "+tt.want) {
			t.Errorf("%s: recognised, or %v, want %s", name, err, tt.want)
		}
	}
}

// A table and its packed form in one folder are one; a copy under another name is read, with a warning.
func TestCopies(t *testing.T) {
	rows := "job,submit,run\n" + strings.Repeat("a,0,5\n", 400)
	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv": rows, "a.csv.gz": string(importtest.Gzip(t, []byte(rows))), "b.csv": rows, "c.csv": "job,submit,run\n", "d.csv": "job,submit,run\n"} {
		importtest.Write(t, filepath.Join(dir, name), text)
	}
	var warned []string
	res, _, err := importtest.Import(t, Importers["csv"], dir, func(o *workload.Options) {
		o.Nodes, o.Warn = 4, func(m string) { warned = append(warned, m) }
	})
	want := []string{"given twice, and read once: " + filepath.Join(dir, "a.csv.gz"), filepath.Join(dir, "b.csv") + " has the same bytes as " + filepath.Join(dir, "a.csv") + ", and both are read: what is in them counts twice",
		"799 rows: the same as another of their job in every column, the first of job a: each is a task of its own; if rows were written twice, import a file without the second ones (sort -u)"}
	if err != nil || !slices.Equal(warned, want) || res.Counts.Read["rows"] != 800 || res.Counts.Dropped["files_given_twice"] != 1 {
		t.Errorf("%v, warned %q, want %q; read %v, dropped %v", err, warned, want, res.Counts.Read, res.Counts.Dropped)
	}
}

// A pointer that Git LFS leaves where a large file was is told from a file of data.
func TestPointersOfGitLFS(t *testing.T) {
	const text = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
	for format, name := range map[string]string{"alibaba-2018": "batch_task.csv", "csv": "jobs.csv", "swf": "log.swf", "rumen": "trace.json", "opendc": "tasks.parquet", "wta": "part.0.parquet", "spark-eventlog": "application_1_1"} {
		path := importtest.WriteNew(t, name, text)
		opt := workload.DefaultOptions()
		if _, _, err := Detect([]string{path}, &opt); err == nil || !strings.Contains(err.Error(), name+": is a pointer of Git LFS, want the file that it stands for") {
			t.Errorf("%s: recognised, or %v", name, err)
		}
		importtest.Refused(t, Importers[format], []string{path}, nil, "Git LFS")
	}
}

// A packed file that breaks off is an error that names it once; with lenient what was read of it is used, and that is counted.
func TestPackedFileThatBreaksOff(t *testing.T) {
	for name, file := range map[string]string{
		"alibaba-2018": "small/batch_task.csv", "azure-vm": "small/vmtable.csv", "csv": "warehouse.csv", "decima": "stages.csv", "gwf": "grid.gwf",
		"rumen": "jobs.json", "sls": "jobs.json", "swf": "log.swf", "swim": "jobs.tsv", "wfcommons": "jobs-1.2.json",
	} {
		t.Run(name, func(t *testing.T) {
			packed := importtest.Gzip(t, importtest.Read(t, filepath.Join("testdata", name, file)))
			path := importtest.WriteNew(t, filepath.Base(file)+".gz", string(packed[:len(packed)-4]))
			nodes := func(o *workload.Options) {
				if Importers[name].NoHosts {
					o.Nodes = 4
				}
			}
			_, _, err := importtest.Import(t, Importers[name], path, nodes)
			if err == nil || strings.Count(err.Error(), path) != 1 || !strings.HasSuffix(err.Error(), "; --lenient keeps what comes before") {
				t.Errorf("error is %v, want one of %s that names --lenient", err, path)
			}
			res, _, err := importtest.Import(t, Importers[name], path, func(o *workload.Options) { nodes(o); o.Lenient = true })
			if err != nil || res.Trace.Jobs == 0 || res.Counts.Dropped["rest_of_a_damaged_input"] != 1 {
				t.Errorf("%+v, %v, want the jobs before, and a rest that is left out", res, err)
			}
		})
	}
}
