package table

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// Folders such as queue=prod are columns of the rows below them, also of Parquet files, as Hive and Spark write them.
func TestPartitions(t *testing.T) {
	type row struct {
		Job              string
		Submit, Duration int64
	}
	for name, files := range map[string]map[string]string{
		"text": {
			"user=ann%3Ax/queue=prod/1.csv":                            "job,submit,duration,more\na,0,60\n",
			"user=bob/queue=dev/1.csv":                                 "job,submit,duration,more\nb,5,60,x\n",
			"user=bob/queue=__HIVE_DEFAULT_PARTITION__/submit=7/2.csv": "job,submit,duration,more\nc,9,60,y\n",
		},
		"Parquet": {
			"user=ann%3Ax/queue=prod/1.parquet":                   string(importtest.Parquet(t, []row{{"a", 0, 60}})),
			"user=bob/queue=dev/1.parquet":                        string(importtest.Parquet(t, []row{{"b", 5, 60}})),
			"user=bob/queue=__HIVE_DEFAULT_PARTITION__/2.parquet": string(importtest.Parquet(t, []row{{"c", 9, 60}})),
		},
	} {
		dir, format := t.TempDir(), CSV
		if name == "Parquet" {
			format = Parquet
		}
		for file, text := range files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755); err != nil {
				t.Fatal(err)
			}
			importtest.Write(t, filepath.Join(dir, file), text)
		}
		_, m, err := importtest.Import(t, format, dir, func(o *workload.Options) { o.Nodes = 2 })
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := ""
		for _, j := range m.JobList {
			got += fmt.Sprint(j.ExternalID, " ", j.SubmitMS, " ", m.Users[j.User].Name, " ", m.Queues[j.Queue].Path, "; ")
		}
		if want := "a 0 ann:x root.prod; b 5000 bob root.dev; c 9000 bob root.default; "; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
