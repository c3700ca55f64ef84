package azure

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

var formats = map[string]workload.Format{"azure-vm": VM, "azure-packing": Packing}

func fixture(name string) string { return filepath.Join("..", "testdata", name, "small") }

func nodes(o *workload.Options) { o.Nodes = 2 }

func TestGolden(t *testing.T) {
	for name, f := range formats {
		res, m, err := importtest.Import(t, f, fixture(name), nodes)
		if err != nil {
			t.Fatal(err)
		}
		importtest.Golden(t, name, res, m)
	}
}

// The machine of the cluster, and what is known of machines that still ran, may be chosen.
func TestPacking(t *testing.T) {
	_, m, err := importtest.Import(t, Packing, fixture("azure-packing"), func(o *workload.Options) {
		o.Nodes, o.Params = 2, map[string]string{"machine": "2", "keep-censored": "true", "machine-vcores": "100", "machine-mem": "1000GiB"}
	})
	if err != nil {
		t.Fatal(err)
	}
	j := m.JobList[0]
	if s := &j.Stages[0]; len(m.JobList) != 3 || j.ExternalID != "2" || s.TaskVCores != 25 || s.TaskMemMiB != 512000 || s.Tasks.DurationMS[0] != 14*dayMS || m.Nodes[0].VCores != 100 {
		t.Errorf("%s", importtest.Text(m))
	}
}

// A file whose name says nothing is of the table that its first row shows, unless another has the name of that table.
func TestNames(t *testing.T) {
	row := ",b,c,0,10,1,1,1,Interactive,2,4\n"
	dir := filepath.Dir(importtest.WriteNew(t, "january.csv", "a"+row))
	importtest.Write(t, filepath.Join(dir, "other.csv"), "1,2\n")
	var notes []string
	change := func(o *workload.Options) {
		o.Nodes, o.Note = 2, func(s string) { notes = append(notes, s) }
	}
	_, m, err := importtest.Import(t, VM, dir, change)
	if err != nil || m.JobList[0].ExternalID != "a" || len(notes) != 2 || !strings.HasSuffix(notes[0], "january.csv: taken as vmtable, by its 11 fields") || !strings.HasSuffix(notes[1], "other.csv") {
		t.Errorf("%q, %v", notes, err)
	}
	importtest.Write(t, filepath.Join(dir, "vmtable.csv"), "b"+row)
	if _, m, err = importtest.Import(t, VM, dir, change); err != nil || len(m.JobList) != 1 || m.JobList[0].ExternalID != "b" {
		t.Errorf("%v", err)
	}
	types := "vmTypeId,machineId,core,memory\n1,1,0.5,0.5\n"
	dir = filepath.Dir(importtest.WriteNew(t, "one.csv", types))
	importtest.Write(t, filepath.Join(dir, "two.csv"), "vmId,vmTypeId,starttime,endtime\n7,1,0,1\n")
	if _, m, err = importtest.Import(t, Packing, dir, change); err != nil || m.JobList[0].ExternalID != "7" {
		t.Errorf("%v", err)
	}
}

// A virtual machine that is there twice is one; one that was there at another time is another.
func TestGivenTwice(t *testing.T) {
	row := func(created string) string { return "a,b,c," + created + ",10,1,1,1,Interactive,2,4\n" }
	var warned []string
	change := func(o *workload.Options) {
		o.Nodes, o.Warn = 2, func(s string) { warned = append(warned, s) }
	}
	res, m, err := importtest.Import(t, VM, importtest.WriteNew(t, "vmtable.csv", row("0")+row("0")+row("5")), change)
	if err != nil || len(m.JobList) != 2 || res.Counts.Dropped["virtual_machines_given_twice"] != 1 ||
		!slices.ContainsFunc(warned, func(s string) bool {
			return strings.Contains(s, "line 2: virtual machine a from 0 to 10 is there already; it is left out")
		}) {
		t.Errorf("%d jobs, %q, %v", len(m.JobList), warned, err)
	}
}

func TestErrors(t *testing.T) {
	type files map[string]string
	row := "a,b,c,0,10,1,1,1,Interactive,2,4\n"
	for name, tt := range map[string]struct {
		format workload.Format
		files  files
		params map[string]string
		want   string
	}{
		"no table":           {VM, files{"vm_cpu_readings-file-1-of-125.csv": "0,a,1,1,1\n"}, nil, "no table of this format, want files or folders with one of these in their names: vmtable"},
		"too few fields":     {VM, files{"vmtable.csv": "a,b,c,0\n"}, nil, "vmtable.csv: line 1: has 4 fields, want 11 or more: vm id,"},
		"too many fields":    {VM, files{"vmtable.csv": row + strings.Replace(row, ",2,4", ",2,5,4", 1)}, nil, "vmtable.csv: line 2: want at most 11 fields, as there are columns, and it has 12"},
		"cut":                {Packing, files{"vm.csv": "vmId,vmTypeId,starttime,endtime,x\n7,1,0,2", "vmType.csv": "vmTypeId,machineId,core,memory\n1,1,0.5,0.5\n"}, nil, "vm.csv: line 2: want 5 fields, as there are columns; the file ends within field 4"},
		"deleted before":     {VM, files{"vmtable.csv": row + strings.Replace(row, "0,10", "20,10", 1)}, nil, `line 2: vm deleted is "10", want vm created (20) or more`},
		"a bucket of none":   {VM, files{"vmtable.csv": strings.Replace(row, "2,4", ">x,4", 1)}, nil, `vm virtual core count is ">x", want a number, or one with > before it`},
		"a database":         {Packing, files{"packing.sqlite": string(sqlite) + "..."}, nil, "is an SQLite database, want its tables as CSV: sqlite3 -header -csv "},
		"one table":          {Packing, files{"vm.csv": "vmId\n"}, nil, "want two tables among the inputs, vmType and vm"},
		"an unknown machine": {Packing, files{"vm.csv": "vmId,vmTypeId,starttime,endtime\n", "vmType.csv": "vmTypeId,machineId,core,memory\n1,1,0.5,0.5\n"}, map[string]string{"machine": "9"}, `--machine is "9", want one of 1`},
		"more than a whole":  {Packing, files{"vm.csv": "vmId,vmTypeId,starttime,endtime\n", "vmType.csv": "vmTypeId,machineId,core,memory\n1,1,1.5,0.5\n"}, nil, `vmType.csv: line 2: core is "1.5", want a number from 0 to 1`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range tt.files {
				importtest.Write(t, filepath.Join(dir, name), text)
			}
			_, _, err := importtest.Import(t, tt.format, dir, func(o *workload.Options) { o.Strict, o.Nodes, o.Params = true, 2, tt.params })
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want %s", err, tt.want)
			}
		})
	}
}

func TestSample(t *testing.T) {
	res, _, err := importtest.Import(t, VM, importtest.Sample(t, "azure-vm"), nodes)
	if err != nil {
		t.Fatal(err)
	}
	if want := (trace.Counts{Nodes: 2, Jobs: 10, Stages: 10, Tasks: 10}); res.Trace != want || res.Counts.Read["rows_of_vmtable"] != 10 {
		t.Errorf("%+v of %d rows, want %+v of 10", res.Trace, res.Counts.Read["rows_of_vmtable"], want)
	}
}

func FuzzAzure(f *testing.F) {
	for name := range formats {
		files, err := filepath.Glob(filepath.Join(fixture(name), "*.csv"))
		if err != nil || len(files) == 0 {
			f.Fatal(name, err)
		}
		for _, path := range files {
			f.Add(name, filepath.Base(path), importtest.Read(f, path))
		}
	}
	dirs := map[string]string{}
	for name := range formats {
		dirs[name] = importtest.Copy(f, fixture(name))
	}
	opt := workload.DefaultOptions()
	nodes(&opt)
	opt.Out = filepath.Join(f.TempDir(), "out")
	f.Fuzz(func(t *testing.T, name, file string, data []byte) {
		format, ok := formats[name]
		path := filepath.Join(dirs[name], file)
		if info, err := os.Stat(path); !ok || err != nil || info.IsDir() || file != filepath.Base(file) {
			return
		}
		importtest.Changed(t, path, data, func() { importtest.Try(t, format, []string{dirs[name]}, opt, data) })
	})
}

// A header of the publishers' own names says which column is which, also of version 2.
func TestVMHeaders(t *testing.T) {
	const row = "a,s,d,300,900,90.5,10.5,50.5,Interactive,4,32\n"
	read := func(text string) string {
		_, m, err := importtest.Import(t, VM, importtest.WriteNew(t, "vmtable.csv", text), nodes)
		if err != nil {
			t.Fatal(err)
		}
		return importtest.Text(m)
	}
	want := read(row)
	for _, header := range []string{
		"vmid,subscriptionid,deploymentid,vmcreated,vmdeleted,maxcpu,avgcpu,p95maxcpu,vmcategory,vmcorecount,vmmemory",
		"vmid,subscriptionid,deploymentid,vmcreated,vmdeleted,maxcpu,avgcpu,p95maxcpu,vmcategory,vmcorecountbucket,vmmemorybucket",
	} {
		names, fields := strings.Split(header, ","), strings.Split(strings.TrimSpace(row), ",")
		slices.Reverse(names)
		slices.Reverse(fields)
		for name, text := range map[string]string{"in order": header + "\n" + row, "backwards": strings.Join(names, ",") + "\n" + strings.Join(fields, ",") + "\n"} {
			if got := read(text); got != want {
				t.Errorf("%s, %s:\n%s\nwant\n%s", header, name, got, want)
			}
		}
	}
}
