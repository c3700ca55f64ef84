package importer

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// variants are writings of a text that mean the same.
var variants = map[string]func(t *testing.T, data []byte) []byte{
	"ends of lines of Windows, under a byte order mark": func(_ *testing.T, data []byte) []byte {
		return append([]byte("\xef\xbb\xbf"), bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))...)
	},
	"empty lines at the end":      func(_ *testing.T, data []byte) []byte { return append(bytes.TrimRight(data, "\n"), "\n\n\n"...) },
	"a line of blanks at the end": func(_ *testing.T, data []byte) []byte { return append(bytes.TrimRight(data, "\n"), "\n \n"...) },
	"UTF-16, as Windows writes it": func(t *testing.T, data []byte) []byte {
		wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes(data)
		if err != nil {
			t.Fatal(err)
		}
		return wide
	},
	"no end of line at the end":   func(_ *testing.T, data []byte) []byte { return bytes.TrimRight(data, "\n") },
	"packed, under the same name": gzipped,
	"each field of a row in quotes": func(_ *testing.T, data []byte) []byte {
		return eachRow(data, func(f []string) []string { return quoted(f) })
	},
	"blanks after commas": func(_ *testing.T, data []byte) []byte {
		return eachRow(data, func(f []string) []string { return strings.Split(strings.Join(f, ", "), ",") })
	},
}

func gzipped(t *testing.T, data []byte) []byte { return importtest.Gzip(t, data) }

// eachRow changes the rows of a text with commas and without quotes; other texts stay.
func eachRow(data []byte, change func(fields []string) []string) []byte {
	if bytes.ContainsAny(data, "\"{;") || !bytes.Contains(data, []byte(",")) {
		return data
	}
	var out []string
	for _, line := range strings.Split(string(data), "\n") {
		if line != "" {
			line = strings.Join(change(strings.Split(line, ",")), ",")
		}
		out = append(out, line)
	}
	return []byte(strings.Join(out, "\n"))
}

func quoted(fields []string) []string {
	for i, f := range fields {
		fields[i] = `"` + f + `"`
	}
	return fields
}

// A format is recognised and means the same however its text is written.
func TestVariants(t *testing.T) {
	for name, f := range Importers {
		if name == "spark-on-yarn" || name == "mapreduce-on-yarn" || name == "spark-eventlog" {
			continue // folders that this project's scripts write, and logs that other tests vary
		}
		for _, input := range fixtures(t, name) {
			imported := func(in string) string {
				opt := workload.DefaultOptions()
				if got, how, err := Detect([]string{in}, &opt); err != nil || got != name {
					return how + ": " + err.Error()
				}
				_, m, err := importtest.Import(t, f, in, func(o *workload.Options) {
					if f.NoHosts {
						o.Nodes = 4
					}
				})
				if err != nil {
					return err.Error()
				}
				return importtest.Text(m)
			}
			want := imported(input)
			for what, change := range variants {
				if got := imported(rewritten(t, input, change)); got != want {
					t.Errorf("%s, %s with %s: %s\nwant %s", name, filepath.Base(input), what, got, want)
				}
			}
		}
	}
}

// rewritten copies a file or folder, and changes its texts.
func rewritten(t *testing.T, input string, change func(*testing.T, []byte) []byte) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(input))
	err := filepath.WalkDir(input, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(input, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		data, err := os.ReadFile(path)
		if err == nil && !bytes.Contains(data, []byte{0}) {
			data = change(t, data)
		}
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// A table with a header has its columns in any order, between others, if the header has the names that the publishers give them.
func TestColumnsByName(t *testing.T) {
	headers := map[string]map[string]string{
		"alibaba-2018": {
			"batch_task.csv":     "task_name,instance_num,job_name,task_type,status,start_time,end_time,plan_cpu,plan_mem",
			"batch_instance.csv": "instance_name,task_name,job_name,task_type,status,start_time,end_time,machine_id,seq_no,total_seq_no,cpu_avg,cpu_max,mem_avg,mem_max",
			"machine_meta.csv":   "machine_id,time_stamp,failure_domain_1,failure_domain_2,cpu_num,mem_size,status",
		},
		"alibaba-gpu-2023": {"node_list.csv": "", "pod_list.csv": ""},
		"google-2011":      {"job_events/part-00000-of-00001.csv": "time,missing info,job ID,event type,user,scheduling class,job name,logical job name"},
	}
	for name, files := range headers {
		for _, input := range fixtures(t, name) {
			_, m, err := importtest.Import(t, Importers[name], input, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := importtest.Text(m)
			to := importtest.Copy(t, input)
			for file, header := range files {
				data := string(importtest.Read(t, filepath.Join(to, file)))
				if header != "" {
					data = header + "\n" + data
				}
				n := 0
				importtest.Write(t, filepath.Join(to, file), string(eachRow([]byte(data), func(f []string) []string {
					out := []string{"17"}
					if n++; n == 1 {
						out[0] = "row number"
					}
					for i := len(f) - 1; i >= 0; i-- {
						out = append(out, f[i])
					}
					return out
				})))
			}
			opt := workload.DefaultOptions()
			if got, how, err := Detect([]string{to}, &opt); err != nil || got != name {
				t.Errorf("%s: recognised as %q (%s), %v", name, got, how, err)
			}
			_, m, err = importtest.Import(t, Importers[name], to, nil)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if got := importtest.Text(m); got != want {
				t.Errorf("%s: %s\nwant %s", name, got, want)
			}
		}
	}
}

// A table whose lines end as on old Macs, or of zeros as a disk leaves them, is refused with its name: it is not read as one line that may be a header, and so as
// nothing.
func TestNoLines(t *testing.T) {
	for what, change := range map[string]func(t *testing.T, data []byte) []byte{
		"carriage return": func(_ *testing.T, data []byte) []byte {
			return bytes.ReplaceAll(append(bytes.TrimRight(data, "\n"), '\n'), []byte("\n"), []byte("\r"))
		},
		"byte 0": func(_ *testing.T, data []byte) []byte { return make([]byte, len(data)) },
	} {
		for _, name := range []string{"acme", "alibaba-2017", "alibaba-2018", "alibaba-gpu-2020", "alibaba-gpu-2023", "azure-vm", "csv", "google-2011", "gwf"} {
			for _, input := range fixtures(t, name) {
				to := rewritten(t, input, func(_ *testing.T, data []byte) []byte { return data })
				first := ""
				err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() || first != "" {
						return err
					}
					data, err := os.ReadFile(path)
					if err == nil && len(data) > 0 && !bytes.Contains(data, []byte{0}) {
						first = path
						err = os.WriteFile(path, change(t, data), 0o644)
					}
					return err
				})
				if err != nil || first == "" {
					t.Fatal(input, err)
				}
				_, _, err = importtest.Import(t, Importers[name], to, nil)
				if err == nil || !strings.Contains(err.Error(), filepath.Base(first)) || !strings.Contains(err.Error(), what) {
					t.Errorf("%s with a %s in %s: %v", name, what, filepath.Base(first), err)
				}
			}
		}
	}
}
