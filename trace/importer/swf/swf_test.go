package swf

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

const good = "1 0 10 100 4 -1 -1 4 200 -1 1 1 1 1 0 -1 -1 -1\n"

func TestBadInput(t *testing.T) {
	importtest.CheckBad(t, Format, []struct {
		Text, Want string
		Jobs       int64
	}{
		{"", "no application", 0},
		{"; MaxJobs: 5\n", "no application", 0},
		{strings.ReplaceAll("; MaxJobs: 5\n"+good+good, "\n", "\r"), "in: line 1: goes on after a carriage return, want a line feed at the end of each line", 0},
		{good + strings.ReplaceAll(good+good, "\n", "\r"), "in: line 2: goes on after a carriage return", 0},
		{good + "1 2 3\n", "in: line 2: has 3 fields, want 18 numbers with blanks between them", 1},
		{good + strings.ReplaceAll(good, " ", ","), "in: line 2: has 1 field, want 18 numbers with blanks between them", 1},
		{good + strings.Replace(good, " 100 ", " x ", 1), `line 2: field 4 (run time) is "x", want a number`, 1},
		{good + strings.Replace(good, " 100 ", " NaN ", 1), `field 4 (run time) is "NaN", want a number`, 1},
		{good + strings.Replace(good, " 100 ", " 1e300 ", 1), `field 4 (run time) is "1e300", want a number`, 1},
		{good + strings.Replace(good, " 100 ", " -7 ", 1), `field 4 (run time) is "-7", want 0 or more, or -1`, 1},
		{good + strings.Replace(good, " 0 10 100 4", " -1 10 100 4", 1), "fields 1 and 2 (job number, submit time) are 1 and -1", 1},
		{good + "2 0 10 100 4 -1 -1 1.5 200 -1 1 1 1 1 0 -1 -1 -1\n", `field 8 (requested processors) is "1.5", want a whole number`, 1},
		{good + "2 0 10 100 0 -1 -1 -1 200 -1 1 1 1 1 0 -1 -1 -1\n", "fields 8 and 5 (processors) are -1 and 0", 1},
		{good + "2 0 10 100 4 -1 -1 9000000000 200 -1 1 1 1 1 0 -1 -1 -1\n", "has 9000000000 tasks, want at most 2000000", 1},
		{good + "2 0 10 99999999999 4 -1 -1 1 200 -1 1 1 1 1 0 -1 -1 -1\n", "line 2: fields 2, 3 and 4 (submit, wait and run time) are 0, 10 and 9.9999999999e+10", 1},
		{good + "; UnixStartTime: 5\n" + good, "one log has UnixStartTime in its header and another has not", 0},
		{good + "\xff\xfe", "has 1 field", 1},
		{good + strings.Replace(good, "\n", " 7\n", 1), "line 2: has 19 fields, want 18, as the records before", 1},
		{good + "2 0 10 100 4 -1 -1 4 200 200000000000 1 1 1 1 0 -1 -1 -1\n", "line 2: fields 10 and 7 (requested and used memory) are 2e+11 and -1, want at most 128 TiB a task", 1},
	})
}

// What a job of n processors is: n tasks that start together, n tasks, or one of n vcores.
func TestModels(t *testing.T) {
	for model, want := range map[string]struct {
		kind   string
		tasks  int64
		vcores int32
		mib    int64
	}{"gang": {trace.KindGang, 2, 1, 4}, "tasks": {trace.KindGeneric, 2, 1, 4}, "container": {trace.KindGeneric, 1, 2, 8}} {
		res, m, err := importtest.Import(t, Format, "../testdata/swf/log.swf", func(o *workload.Options) { o.Nodes, o.Params = 4, map[string]string{"swf-model": model} })
		if err != nil {
			t.Fatal(err)
		}
		j := m.JobList[2]
		if s := &j.Stages[0]; j.Kind != want.kind || j.NumTasks() != want.tasks || s.TaskVCores != want.vcores || s.TaskMemMiB != want.mib || j.ExternalID != "3" || len(j.DependsOn) != 1 || j.ThinkMS != 20_000 {
			t.Errorf("%s: %+v", model, j)
		}
		if c := res.Counts; c.Dropped["records_of_parts_of_a_job"] != 1 || c.Dropped["records_without_a_run_time"] != 1 || c.Dropped["dependencies_on_no_earlier_application"] != 1 || m.OriginUnixMS != 1_000_000_000_000 {
			t.Errorf("%+v, origin %d", c, m.OriginUnixMS)
		}
	}
}

// A run time of 0 is taken with --keep-zero: as the CPU time, if there is one. An unknown one is not taken as 0.
func TestKeepZero(t *testing.T) {
	const text = good + "2 0 0 0 1 7.25 -1 1 -1 -1 1 1 1 1 0 -1 -1 -1\n3 0 0 0 1 -1 -1 1 -1 -1 1 1 1 1 0 -1 -1 -1\n4 0 0 -1 1 -1 -1 1 -1 -1 1 1 1 1 0 -1 -1 -1\n"
	res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "log", text), func(o *workload.Options) { o.Nodes, o.Params = 4, map[string]string{"keep-zero": "true"} })
	if err != nil || len(m.JobList) != 3 || m.JobList[1].Stages[0].Tasks.DurationMS[0] != 7250 || m.JobList[2].Stages[0].Tasks.DurationMS[0] != 0 || res.Counts.Dropped["records_of_an_unknown_run_time"] != 1 {
		t.Errorf("%+v, %v", res, err)
	}
}

// What a header says of the machine and is no number is told; -1 is unknown.
func TestMachineOfNoNumber(t *testing.T) {
	for header, want := range map[string]string{
		"; MaxProcs: many\n":         `MaxProcs of the header is "many", want a number of 1 to 100000000 at its beginning: it is not used`,
		"; maxnodes: 99999999999\n":  `maxnodes of the header is "99999999999", want a number`,
		"; MaxNodes: -1\n":           "",
		"; MaxNodes: 2 of 16 CPUs\n": "",
	} {
		said := ""
		_, _, err := importtest.Import(t, Format, importtest.WriteNew(t, "log", header+good), func(o *workload.Options) { o.Warn = func(text string) { said += text } })
		if err != nil || !strings.Contains(said, want) || want == "" && strings.Contains(said, "of the header") {
			t.Errorf("%q: warned of %q (%v), want %q", header, said, err, want)
		}
	}
}

// The cluster is the machine of the header, with room for application masters, and for the largest job if the header has no number of processors; where no header says it, or jobs are wider than its nodes, as much as the work takes.
func TestMachine(t *testing.T) {
	for _, tt := range []struct {
		header, model string
		nodes         int
		vcores        int32
		memMiB        int64
	}{
		{"; MaxNodes: 2\n; MaxProcs: 16\n", "gang", 2, 9, 8*4096 + 1024},
		{"; MaxNodes: 2\n; MaxProcs: 16\n", "tasks", 2, 9, 8*4096 + 1024},
		{";maxNodes: 2\n;  MAXPROCS : 16 \n", "tasks", 2, 9, 8*4096 + 1024},
		{"; MaxNodes: 2\n; MaxProcs: 16\n", "container", 1, 16, 65536},
		{"; MaxNodes: 4 (in two partitions)\n", "gang", 4, 2, 4096 + 1024},
		{"; MaxNodes: 2\n", "gang", 2, 3, 2*4096 + 1024}, // for the 4 tasks of the job
		{"; MaxProcs: 40\n", "gang", 3, 15, 14*4096 + 1024},
		{"; MaxProcs: many\n; MaxNodes: -1\n", "gang", 2, 16, 65536},
		{"; MaxNodes: 99999999999\n", "gang", 2, 16, 65536},
	} {
		res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "log", tt.header+good), func(o *workload.Options) { o.Params = map[string]string{"swf-model": tt.model} })
		if err != nil || len(m.Nodes) != tt.nodes || m.Nodes[0].VCores != tt.vcores || m.Nodes[0].MemMiB != tt.memMiB {
			t.Errorf("%q, %s: %d nodes, %+v, %v; want %d of %d vcores and %d MiB", tt.header, tt.model, len(m.Nodes), res, err, tt.nodes, tt.vcores, tt.memMiB)
		}
	}
}

// Without room for application masters the cluster is the machine, and nothing says that it is larger.
func TestMachineWithoutMasters(t *testing.T) {
	for room, want := range map[string]struct{ vcores, beside int32 }{"true": {9, 1}, "false": {8, 0}} {
		_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "log", "; MaxNodes: 2\n; MaxProcs: 16\n"+good), func(o *workload.Options) { o.Params = map[string]string{"swf-am-room": room} })
		if err != nil {
			t.Fatal(err)
		}
		if n := &m.Nodes[0]; n.VCores != want.vcores || n.MemMiB != 8*4096+1024*int64(want.beside) || m.Source.AMVCores != want.beside {
			t.Errorf("%s: %+v, %d vcores beside the machine's, want %+v", room, n, m.Source.AMVCores, want)
		}
	}
}

// A record of more processors than the header's machine has does not enlarge it: it has what was allocated, or is left out.
func TestTooWide(t *testing.T) {
	const header = "; MaxNodes: 4\n; MaxProcs: 16\n"
	log := importtest.WriteNew(t, "log", header+good+"2 0 10 100 8 -1 -1 64 200 -1 1 1 1 1 0 -1 -1 -1\n3 0 10 100 64 -1 -1 -1 200 -1 1 1 1 1 0 -1 -1 -1\n")
	for nodes, want := range map[int]struct {
		tasks  []int64
		vcores int32
	}{0: {[]int64{4, 8}, 5}, 9: {[]int64{4, 64, 64}, 16}} {
		var warned []string
		res, m, err := importtest.Import(t, Format, log, func(o *workload.Options) { o.Nodes, o.Warn = nodes, func(s string) { warned = append(warned, s) } })
		if err != nil {
			t.Fatal(err)
		}
		var tasks []int64
		for _, j := range m.JobList {
			tasks = append(tasks, j.NumTasks())
		}
		if !slices.Equal(tasks, want.tasks) || m.Nodes[0].VCores != want.vcores {
			t.Errorf("--nodes %d: %v tasks on nodes of %d vcores, want %v on %d", nodes, tasks, m.Nodes[0].VCores, want.tasks, want.vcores)
		}
		if nodes == 0 && (len(warned) != 2 || !strings.Contains(warned[0], "log: line 5: fields 8 and 5 (processors) are -1 and 64, want at most 16, as MaxProcs of the header") ||
			!strings.Contains(warned[1], "left out: 1 of 3 records (33 %): 1 record of more processors than the machine") || res.Counts.Modelled["requests_that_are_allocated_processors"] != 1) {
			t.Errorf("warned %q, modelled %v", warned, res.Counts.Modelled)
		}
	}
}

// Fields after the 18th, which simulators add, are counted and not used; a line of names before the records is none.
func TestFurtherFields(t *testing.T) {
	const with = "1 0 10 100 4 -1 -1 4 200 2048 1 1 1 1 0 -1 -1 -1 {7,8} q_1d\n"
	for text, known := range map[string]bool{with: false, "; MaxProcs: 40\n" + with: true, "id submit\n" + with: false} {
		path := importtest.WriteNew(t, "log", text)
		res, m, err := importtest.Import(t, Format, path, nil)
		if err != nil || len(m.JobList) != 1 || m.JobList[0].Stages[0].TaskMemMiB != 2 || res.Counts.Dropped["further_fields"] != 2 || len(res.Counts.Notes) == 0 {
			t.Errorf("%q: %+v, %v", text, res, err)
		}
		if how := Format.Detect("log", []byte(text)); (how != "") != known {
			t.Errorf("%q is known: %q", text, how)
		}
	}
	if Format.Detect("log.swf", []byte(with)) == "" {
		t.Error("a file called .swf is not known")
	}
}

// The unit of memory is the format's KB, or one that is given; a header without a number of nodes is not said to have one.
func TestMemoryUnit(t *testing.T) {
	path := importtest.WriteNew(t, "log", "; MaxProcs: 40\n1 0 10 100 4 -1 -1 4 200 4294967296 1 1 1 1 0 -1 -1 -1\n")
	for unit, want := range map[string]struct {
		mib    int64
		warned int
	}{"KB": {4 << 20, 1}, "B": {4 << 10, 0}} {
		warned := 0
		res, m, err := importtest.Import(t, Format, path, func(o *workload.Options) {
			o.Params, o.Warn = map[string]string{"swf-mem-unit": unit}, func(string) { warned++ }
		})
		if err != nil || m.JobList[0].Stages[0].TaskMemMiB != want.mib || warned != want.warned {
			t.Errorf("%s: %+v, %v, warned %d times", unit, res, err, warned)
		}
		if c := res.Counts.Read; c["processors_of_the_header"] != 40 || c["nodes_of_the_header"] != 0 || !strings.Contains(res.Counts.Notes[0], "of whose nodes the header does not say the number") {
			t.Errorf("read %v, notes %q", c, res.Counts.Notes)
		}
	}
}

func FuzzSWF(f *testing.F) {
	importtest.FuzzStdin(f, Format, importtest.Read(f, "../testdata/swf/log.swf"))
}

// Logs that each begin at their own 0 are laid over one another, which is said; parts of one log, and logs that count from 1970, are not.
func TestSeveralLogs(t *testing.T) {
	const record = " %d 5 60 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n"
	for what, tt := range map[string]struct {
		head     string
		from, to int
		want     bool
	}{
		"each from 0": {"", 0, 0, true}, "parts": {"", 0, 100, false}, "days": {"; UnixStartTime: 1700000000\n", 0, 0, false},
	} {
		dir, warned := t.TempDir(), ""
		for i, at := range []int{tt.from, tt.to} {
			importtest.Write(t, filepath.Join(dir, fmt.Sprintf("log-%d.swf", i)), tt.head+fmt.Sprintf("1"+record, at)+fmt.Sprintf("2"+record, at+99))
		}
		if _, _, err := importtest.Import(t, Format, dir, func(o *workload.Options) { o.Warn = func(s string) { warned += s } }); err != nil || strings.Contains(warned, "laid over one another") != tt.want {
			t.Errorf("%s: %v, warned of %q", what, err, warned)
		}
	}
}

// A start of the log that is none is told, as submissions then have no date; 0 is one that is not known.
func TestStartOfTheLog(t *testing.T) {
	for value, want := range map[string]string{
		"1700000000": "", "0": "", "1700000000000": `UnixStartTime of the header is "1700000000000", want seconds since 1970: submissions have no date`, "Tue Nov 14": `UnixStartTime of the header is "Tue Nov 14", want seconds since 1970`,
	} {
		var warned []string
		_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "log", "; UnixStartTime: "+value+"\n"+good), func(o *workload.Options) { o.Nodes, o.Warn = 4, func(m string) { warned = append(warned, m) } })
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(warned, "\n"); strings.Contains(all, "UnixStartTime") != (want != "") || !strings.Contains(all, want) || (m.OriginUnixMS == 1_700_000_000_000) != (value == "1700000000") {
			t.Errorf("%s: origin %d, warned %q, want %q", value, m.OriginUnixMS, all, want)
		}
	}
}

// A start that is said after the records is told, as it moves none of them; one before later records, as where logs were put together, is theirs.
func TestStartAfterTheRecords(t *testing.T) {
	const start = "; UnixStartTime: 1700000000\n"
	for _, tt := range []struct {
		log  string
		said bool
	}{{good + start, true}, {start + good, false}, {start + good + start + good, false}, {start + good + start, true}, {good, false}} {
		var all string
		if _, _, err := importtest.Import(t, Format, importtest.WriteNew(t, "log", tt.log), func(o *workload.Options) { o.Nodes, o.Warn = 4, func(m string) { all += m + "\n" } }); err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(all, "UnixStartTime stands after the last record and is not used"); said != tt.said {
			t.Errorf("%q: warned %q, want %v", tt.log, all, tt.said)
		}
	}
}

// Submissions that are dates of their own are not counted from the start of the log.
func TestSubmissionsSince1970(t *testing.T) {
	late := strings.NewReplacer("1 0 10", "1 1700000100 10").Replace(good) + strings.NewReplacer("1 0 10", "2 1700000160 10").Replace(good)
	for header, said := range map[string]bool{"; UnixStartTime: 1700000000\n": true, "; MaxJobs: 2\n": false} {
		var warned []string
		_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "log", header+late), func(o *workload.Options) { o.Nodes, o.Warn = 4, func(m string) { warned = append(warned, m) } })
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(warned, "\n")
		if strings.Count(all, "UnixStartTime is not used") != map[bool]int{true: 1}[said] || len(m.JobList) != 2 || m.JobList[1].SubmitMS != 60_000 {
			t.Errorf("%q: warned %q, %d jobs", header, all, len(m.JobList))
		}
		if want := map[bool]int64{true: 1_700_000_100_000, false: trace.Unset}[said]; m.OriginUnixMS != want {
			t.Errorf("%q: the trace begins at %d, want %d", header, m.OriginUnixMS, want)
		}
	}
}
