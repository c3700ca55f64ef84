package backtest

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"replay/trace/importer/workload"
)

// What a recorded cluster lacks of its containers and preferred hosts, and the model or a rule stands for, the answer says.
func TestWhatAClusterLacks(t *testing.T) {
	const containers, preferences = "containers.jsonl", "task-preferences.jsonl.gz"
	half := func(data []byte) []byte {
		lines := bytes.SplitAfter(data, []byte("\n"))
		return bytes.Join(lines[:len(lines)/2], nil)
	}
	nothing := func([]byte) []byte { return nil }
	tests := []struct {
		name, file string
		change     func(data []byte) []byte // nil: the file is not there
		want       string
		warned     string
	}{
		{"all is there", containers, func(data []byte) []byte { return data }, "", ""},
		{"no containers", containers, nil, "mine lacks the launch of 6 of 6 containers (containers.jsonl): ", ""},
		{"empty containers", containers, nothing, "mine lacks the launch of 6 of 6 containers (containers.jsonl): ", ""},
		{"half of the containers", containers, half, "mine lacks the launch of 3 of 6 containers (containers.jsonl): ", ""},
		{"containers that are there again", containers, func(data []byte) []byte { return append(data, data...) }, "", "container 9, container_1795247048320_0001_01_000001, is there again, want each once"},
		{"containers in seconds", containers, func(data []byte) []byte {
			return regexp.MustCompile(`("t_[a-z_]+": ?\d{10})\d{3}`).ReplaceAll(data, []byte("$1"))
		}, "mine lacks the launch of 6 of 6 containers (containers.jsonl): ", "want ms since 1970 from the submission of application_1795247048320_0001, "},
		{"other names of nodes", "cluster.json", func(data []byte) []byte { return bytes.ReplaceAll(data, []byte(`"node0`), []byte(`"other0`)) }, "mine has 6 executors on hosts that are no nodes of its cluster.json: ", "cluster.json: the nodes lack the hosts of 6 executors, of which the first is \"node0"},
		{"empty preferences", preferences, nothing, "mine lacks the preferred hosts of tasks (task-preferences.jsonl.gz): ", "task-preferences.jsonl.gz: holds nothing"},
		{"half of the preferences", preferences, half, "mine lacks the preferred hosts of ", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "mine")
			if err := os.CopyFS(dir, os.DirFS("../trace/importer/testdata/spark-on-yarn/locality-wait-0s")); err != nil {
				t.Fatal(err)
			}
			rewrite(t, filepath.Join(dir, tt.file), tt.change)
			o := SourceOptions{Import: workload.DefaultOptions(), Tmp: t.TempDir()}
			var warned []string
			o.Import.Warn = func(m string) { warned = append(warned, m) }
			recs, _, err := Sources(t.Context(), []string{dir}, o)
			if err != nil {
				t.Fatal(err)
			}
			once := options()
			once.Seeds = 1
			b, err := Run(t.Context(), recs, once, false, false)
			if err != nil {
				t.Fatal(err)
			}
			if said := strings.Join(b.Caveats, "\n"); (said == "") != (tt.want == "") || !strings.HasPrefix(said, tt.want) || strings.Contains(said, "\n") {
				t.Errorf("the report says %q, want %q", said, tt.want)
			}
			all := strings.Join(warned, "\n")
			if want := strings.Replace(tt.want, "mine ", "mine: ", 1); !strings.Contains(all, want) || !strings.Contains(all, tt.warned) || tt.want+tt.warned == "" && all != "" {
				t.Errorf("warned %q, want %q and %q", all, want, tt.warned)
			}
		})
	}
}

// rewrite changes what a file holds, which may be packed with gzip; without a change it removes it.
func rewrite(t *testing.T, file string, change func([]byte) []byte) {
	t.Helper()
	if change == nil {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if packed := strings.HasSuffix(file, ".gz"); packed {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		if _, err := w.Write(change(data)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		data = out.Bytes()
	} else {
		data = change(data)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Task attempts of MapReduce that ran in containers and are not in the recording make jobs shorter, which the answer says.
func TestLostAttemptsOfMapReduce(t *testing.T) {
	for _, tt := range []struct {
		lines int // of tasks.jsonl.gz that are left out
		want  string
	}{{0, ""}, {3, "lacks 3 task attempts (tasks.jsonl.gz): "}} {
		dir := filepath.Join(t.TempDir(), "mine")
		if err := os.CopyFS(dir, os.DirFS("../trace/importer/testdata/mapreduce-on-yarn/two-jobs")); err != nil {
			t.Fatal(err)
		}
		rewrite(t, filepath.Join(dir, "tasks.jsonl.gz"), func(data []byte) []byte {
			lines, kept, left := bytes.SplitAfter(data, []byte("\n")), [][]byte(nil), tt.lines
			for _, l := range lines {
				if left > 0 && bytes.Contains(l, []byte("SUCCEEDED")) {
					left--
					continue
				}
				kept = append(kept, l)
			}
			return bytes.Join(kept, nil)
		})
		recs := recordings(t, dir)
		if said := strings.Join(recs[0].caveats(), "\n"); (said == "") != (tt.want == "") || !strings.HasPrefix(said, tt.want) {
			t.Errorf("without %d attempts: %q, want %q", tt.lines, said, tt.want)
		}
	}
}
