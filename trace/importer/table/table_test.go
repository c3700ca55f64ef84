package table

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

func TestGolden(t *testing.T) {
	for name, f := range map[string]workload.Format{"csv/warehouse.csv": CSV, "parquet/jobs.parquet": Parquet} {
		res, m, err := importtest.Import(t, f, filepath.Join("..", "testdata", name), nil)
		if err != nil {
			t.Fatal(err)
		}
		importtest.Golden(t, filepath.Base(name), res, m)
	}
}

// imported imports text with options of the format and a cluster of 4 nodes.
func imported(t *testing.T, text string, params map[string]string, change func(*workload.Options)) (*workload.Result, *trace.MemoryTrace, error) {
	t.Helper()
	return importtest.Import(t, CSV, importtest.WriteNew(t, "t.csv", text), func(o *workload.Options) {
		o.Nodes, o.Params = 4, params
		if change != nil {
			change(o)
		}
	})
}

// jobs says of each job when it is submitted, its stages, and of each the sizes and durations.
func jobs(m *trace.MemoryTrace) string {
	var b strings.Builder
	for _, j := range m.JobList {
		fmt.Fprintf(&b, "%s@%d", j.ExternalID, j.SubmitMS)
		for i := range j.Stages {
			s := &j.Stages[i]
			milli := s.TaskMilliVCores
			if milli == trace.Unset {
				milli = 1000 * s.TaskVCores
			}
			fmt.Fprintf(&b, " %v%dm/%dMiB%v", s.Parents, milli, s.TaskMemMiB, s.Tasks.DurationMS)
		}
		b.WriteString("; ")
	}
	return strings.TrimSuffix(b.String(), "; ")
}

// What a table does not state is found by its rows: characters, header, units of times and sizes.
func TestSniffed(t *testing.T) {
	for name, tt := range map[string]struct {
		text, params, want string
		epoch              int64
	}{
		"seconds since 1970":           {"job,submit,run\na,1700000000,5\nb,1700000002.5,6.25\n", "", "a@0 []1000m/1024MiB[5000]; b@2500 []1000m/1024MiB[6250]", 1700000000000},
		"ms since 1970":                {"job,submit,end\na,1700000000000,1700000005000\n", "", "a@0 []1000m/1024MiB[5000]", 1700000000000},
		"microseconds":                 {"job,submit,end\na,1700000000000000,1700000005000999\n", "", "a@0 []1000m/1024MiB[5000]", 1700000000000},
		"nanoseconds":                  {"job,submit,end\na,1700000000000000000,1700000005000999999\n", "", "a@0 []1000m/1024MiB[5000]", 1700000000000},
		"microseconds of their own":    {"job,submit,end\na,274800000000,275100000000\nb,2506135000000,2506135000999\n", "", "a@0 []1000m/1024MiB[300000]; b@2231335000 []1000m/1024MiB[0]", trace.Unset},
		"microseconds past 2200":       {"job,submit,end\na,9000000000000,9000000001000\n", "", "a@0 []1000m/1024MiB[1]", trace.Unset},
		"times of their own":           {"submit,duration\n-3,5\n7,1\n", "", "row1@0 []1000m/1024MiB[5000]; row2@10000 []1000m/1024MiB[1000]", trace.Unset},
		"a unit in the name":           {"submitMs;runtime_min\n0;5\n1500;0.5\n", "", "row1@0 []1000m/1024MiB[300000]; row2@1500 []1000m/1024MiB[30000]", trace.Unset},
		"a unit in the map":            {"a\tb\n0\t5\n2\t6\n", "submit=a:h,duration=b:ms", "row1@0 []1000m/1024MiB[5]; row2@7200000 []1000m/1024MiB[6]", trace.Unset},
		"dates with a zone":            {"start|elapsed\n2026-03-01T02:00:00+02:00|1h30m\n2026-03-01T00:00:01Z|01:30:00\n", "", "row1@0 []1000m/1024MiB[5400000]; row2@1000 []1000m/1024MiB[5400000]", 1772323200000},
		"no header":                    {"1700000000,10\n1700000001,20\n", "submit=column0,duration=column1", "row1@0 []1000m/1024MiB[10000]; row2@1000 []1000m/1024MiB[20000]", 1700000000000},
		"Hive's characters":            {"1700000000\x0110\x01\\N\n1700000001\x0120\x01x\n", "submit=column0,duration=column1,queue=column2", "row1@0 []1000m/1024MiB[10000]; row2@1000 []1000m/1024MiB[20000]", 1700000000000},
		"Hive's names":                 {"jobs.job_id\tjobs.submit_ms\tjobs.run_s\na\t0\t5\nb\t7\t6\n", "", "a@0 []1000m/1024MiB[5000]; b@7 []1000m/1024MiB[6000]", trace.Unset},
		"quotes of the other kind":     {"'submit','duration','x'\n'0','1h','a, b'\n", "", "row1@0 []1000m/1024MiB[3600000]", trace.Unset},
		"a byte order mark, CRLF":      {"\xef\xbb\xbfsubmit,duration\r\n0,1\r\n", "", "row1@0 []1000m/1024MiB[1000]", trace.Unset},
		"words for none":               {"submit,duration,mem,gpus\n0,5,(null),n/a\n0,5,<NA>,#N/A\n", "", "row1@0 []1000m/1024MiB[5000]; row2@0 []1000m/1024MiB[5000]", trace.Unset},
		"-1 for what is not known":     {"# of a grid\n# JobID\tSubmitTime\tRunTime\tNProcs\tmem_mb\tgpus\n1\t0\t5\t4\t-1\t-1\n2\t0\t-1\t4\t-1\t-1\n3\t0\t5\t-1\t2048\t1\n", "", "1@0 []4000m/1024MiB[5000]; 3@0 []1000m/2048MiB[5000]", trace.Unset},
		"sizes in bytes":               {"submit,duration,mem\n0,1,2147483648\n", "", "row1@0 []1000m/2048MiB[1000]", trace.Unset},
		"sizes in MiB":                 {"submit,duration,mem\n0,1,2048\n", "", "row1@0 []1000m/2048MiB[1000]", trace.Unset},
		"sizes with units":             {"submit,duration,mem\n0,1,1.5G\n0,1,512 MB\n", "", "row1@0 []1000m/1536MiB[1000]; row2@0 []1000m/512MiB[1000]", trace.Unset},
		"thousandths of a vcore":       {"submit,duration,cpu\n0,1,500m\n0,1,2\n", "", "row1@0 []500m/1024MiB[1000]; row2@0 []2000m/1024MiB[1000]", trace.Unset},
		"percents":                     {"submit,duration,cpu_pct\n0,1,150\n", "", "row1@0 []1500m/1024MiB[1000]", trace.Unset},
		"hardly any vcores":            {"submit,duration,cpu\n0,1,0.0001\n0,1,0\n", "", "row1@0 []1m/1024MiB[1000]; row2@0 []0m/1024MiB[1000]", trace.Unset},
		"counts":                       {"job,submit,duration,tasks\na,0,1,3\n", "", "a@0 []1000m/1024MiB[1000 1000 1000]", trace.Unset},
		"rows of a job between others": {"job,submit,duration\na,5,1\nb,0,2\na,3,4\n", "", "b@0 []1000m/1024MiB[2000]; a@3000 []1000m/1024MiB[1000 4000]", trace.Unset},
		"stages, children first":       {"job,submit,duration,stage,parents\na,0,1,z,\"x,y\"\na,0,2,x,\na,0,3,y,x\n", "", "a@0 []1000m/1024MiB[2000] [0]1000m/1024MiB[3000] [0 1]1000m/1024MiB[1000]", trace.Unset},
		"another trace's columns":      {"job_id,user,vc,jobname,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n7,u1,vcA,train,8,24,1,COMPLETED,2020-04-01 00:00:05,2020-04-01 00:00:09,2020-04-01 00:10:09,600,4\n", "", "7@0 []24000m/1024MiB[600000]", 1585699205000},
		"Slurm's accounting": {"JobID|Submit|Start|End|Elapsed|NCPUS|ReqMem|State\n7|2024-01-05T10:00:00|2024-01-05T10:00:05|2024-01-05T10:10:05|00:10:00|8|16Gn|COMPLETED\n7.batch|2024-01-05T10:00:00|2024-01-05T10:00:05|2024-01-05T10:10:05|00:10:00|8|16Gn|COMPLETED\n" +
			"8_1|2024-01-05T10:00:01|2024-01-05T10:00:05|2024-01-05T10:00:06|00:00:01|4|500Mc|FAILED\n", "", "7@0 []8000m/16384MiB[600000]; 8_1@1000 []4000m/2000MiB[1000]", 1704448800000},
		"published names of a cluster": {"gmt_create,exec_time_seconds,gpu_request\n2024-11-15 16:57:50,32.0,1\n", "", "row1@0 []1000m/1024MiB[32000]", 1731689870000},
		"dates of several kinds":       {"id,submit,run\na,2026-03-01T01:00:00 +0100,1\nb,\"Sun, 01 Mar 2026 00:00:01 GMT\",1\nc,01/Mar/2026:00:00:02 +0000,1\nd,1 Mar 2026 00:00:03,1\ne,Sun Mar  1 00:00:04 2026,1\nf,\"2026-03-01 00:00:05,250\",1\n", "", "a@0 []1000m/1024MiB[1000]; b@1000 []1000m/1024MiB[1000]; c@2000 []1000m/1024MiB[1000]; d@3000 []1000m/1024MiB[1000]; e@4000 []1000m/1024MiB[1000]; f@5250 []1000m/1024MiB[1000]", 1772323200000},
		"dates with points":            {"id;submit;run\na;1.3.2026 00:00;1\nb;01.03.2026 00:00:02,5;1\nc;01.03.2026, 00:00:03;1\nd;02.03.2026;1\n", "", "a@0 []1000m/1024MiB[1000]; b@2500 []1000m/1024MiB[1000]; c@3000 []1000m/1024MiB[1000]; d@86400000 []1000m/1024MiB[1000]", 1772323200000},
		"dates with half days":         {"id;submit;run\na;Mar 1, 2026 12:00:00 AM;1\nb;Mar 1, 2026, 1:00:00 PM;1\nc;Mar 1, 2026 @ 13:00:01.500;1\n", "", "a@0 []1000m/1024MiB[1000]; b@46800000 []1000m/1024MiB[1000]; c@46801500 []1000m/1024MiB[1000]", 1772323200000},
		"decimal commas":               {"submit;run;mem;cpu\n0;10,5;1,5 GB;0,5\n1;20;2 GB;2\n2;1,125;0,25 GB;1\n", "", "row1@0 []500m/1536MiB[10500]; row2@1000 []2000m/2048MiB[20000]; row3@2000 []1000m/256MiB[1125]", trace.Unset},
		"dates of digits alone":        {"id,start,end\na,20260301000000,20260301000130\nb,20260301000100,20260302000000\nc,0,20260302000000\n", "", "a@0 []1000m/1024MiB[90000]; b@60000 []1000m/1024MiB[86340000]", 1772323200000},
		"days and minutes of digits":   {"id,submit,start,run\na,20260301,202603010001,5\n", "", "a@0 []1000m/1024MiB[5000]", 1772323200000},
		"digits that are no dates":     {"id,submit,run\na,20260301,5\nb,20260399,5\n", "", "a@0 []1000m/1024MiB[5000]; b@98000 []1000m/1024MiB[5000]", trace.Unset},
		"digits of a stated unit":      {"id,submit,run\na,20260301,5\nb,20260302,5\n", "job=id,submit=submit:s,duration=run", "a@0 []1000m/1024MiB[5000]; b@1000 []1000m/1024MiB[5000]", trace.Unset},
		"zones of hours alone":         {"id,submit,run\na,2026-03-01 02:00:00.5+02,5\nb,20260301T000001Z,5\n", "", "a@0 []1000m/1024MiB[5000]; b@500 []1000m/1024MiB[5000]", 1772323200500},
		"dates of a clock from 1970":   {"id,start,end\na,1970-01-01 00:00:00,1970-01-01 00:00:05\nb,1970-01-02 00:00:00,1970-01-02 00:00:05\n", "", "a@0 []1000m/1024MiB[5000]; b@86400000 []1000m/1024MiB[5000]", 0},
		"comments before the header":   {"# of a tool, 2026\n#\njob,submit,run\na,0,5\n", "", "a@0 []1000m/1024MiB[5000]", trace.Unset},
		"a header that is a comment":   {"# of a tool\n#job,submit,run\na,0,5\n", "", "a@0 []1000m/1024MiB[5000]", trace.Unset},
		"one that never started":       {"job_id,submit,start_date,end_date,job_status\na,0,5,9,OK\nb,1,,9,CANCELLED\n", "", "a@0 []1000m/1024MiB[4000]", trace.Unset},
		"Slurm's jobs that never ran": {"JobID|State|Submit|Start|End|Elapsed|NCPUS\n1|COMPLETED|2024-01-01T00:00:00|2024-01-01T00:01:00|2024-01-01T00:01:00|00:00:00|4\n2|CANCELLED by 501|2024-01-01T00:05:00|Unknown|2024-01-01T00:30:00|00:00:00|64\n" +
			"3|PENDING|2024-01-01T00:05:00|Unknown|Unknown|00:00:00|64\n", "", "1@0 []4000m/1024MiB[0]", 1704067200000},
		"submission from the end": {"job,end,duration\na,100,40\n", "", "a@0 []1000m/1024MiB[40000]", trace.Unset},
	} {
		t.Run(name, func(t *testing.T) {
			params := map[string]string{}
			if tt.params != "" {
				params["map"] = tt.params
			}
			_, m, err := imported(t, tt.text, params, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := jobs(m); got != tt.want || m.OriginUnixMS != tt.epoch {
				t.Errorf("%s from %d, want\n%s from %d", got, m.OriginUnixMS, tt.want, tt.epoch)
			}
		})
	}
}

// What is made of a table and not stated in it is said.
func TestSaid(t *testing.T) {
	for text, want := range map[string][]string{
		"job,submit,run,colour,submit\na,0,5,red,7\n":                      {"columns that are not used: colour, submit_1", "several columns are called submit: the first of them is taken; the second is submit_1 for --map"},
		"Id,job,submit,run\n1,pi,0,5\n2,pi,9,5\n":                          {"rows with one job are one job, whatever their Id: if that is the key and job a name, say --map job=Id,name=job with the other roles"},
		"submit,run\n2026-03-01T00:00:00Z,5\n2026-03-01T00:00:00,5\n":      {"submit is submit: dates; those without a zone are taken as UTC"},
		"submit,run\n2026-03-01T00:00:00Z,5\n2026-03-01T00:00:00+0200,5\n": {"submit is submit: dates"},
		"submit,run,cpu\n0,5,73.5\n0,5,1\n":                                {"cpu is taken as vcores (the largest is 73.5); if it is percent, --map vcores=cpu:percent says so"},
		"submit,run,cpu\n0,5,50\n0,5,200\n":                                {"cpu is taken as vcores (the largest is 200); if it is percent, --map vcores=cpu:percent says so"},
		"submit,run,mem\n0,5,4194304\n":                                    {"mem is taken as MiB (the largest is 4.1943e+06); if it is KiB, --map memory=mem:KiB says so"},
		"submit,run,mem\n0,5,41943040\n":                                   {"mem is taken as B (the largest is 4.1943e+07); if it is KiB, --map memory=mem:KiB says so"},
		"submit,run,mem\n0,5,8\n0,5,4\n0,5,512\n":                          {"mem is taken as MiB (the largest is 512); if it is GiB, --map memory=mem:GiB says so"},
		"start,run\n46082.0417,5\n46083,5\n":                               {"start is taken as seconds from a start of its own, and may be days as spreadsheets count them, such as 46082.0417: if so, write it as dates such as 2026-01-02T03:04:05Z"},
		"submit,run\n2026-03-01T00:00:00,5\n":                              {"submit is submit: dates without a zone, taken as UTC"},
		"#\n# x\nsubmit,run\n2026-03-01T00:00:00,5\n":                      {"t.csv: comma between fields, a header after lines of comments (2), 2 columns"},
	} {
		var said []string
		if _, _, err := imported(t, text, nil, func(o *workload.Options) {
			o.Note = func(m string) { said = append(said, m) }
			o.Warn = o.Note
		}); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !slices.Contains(said, w) {
				t.Errorf("%q says %q, want %q", text, said, w)
			}
		}
	}
}

// A word for how a job ended that is not known is counted; the state of an application of YARN says less than its final status.
func TestOutcomes(t *testing.T) {
	res, m, err := imported(t, "job,submit,run,State,Final-State\na,0,5,FINISHED,FAILED\nb,1,5,FINISHED,odd\nc,2,5,FINISHED,\n", nil, nil)
	if err != nil || m.JobList[0].RecordedOutcome != "failed" || m.JobList[1].RecordedOutcome != "" || res.Counts.Defaulted["outcomes_of_words_that_are_not_known"] != 1 {
		t.Errorf("%+v, %v", res, err)
	}
}

// Columns that are empty as far as the first rows go, as those of a list that begins with what still runs, are read by the first value that they have.
func TestEmptyAtFirst(t *testing.T) {
	rows := strings.Repeat("2026-03-01T00:00:00Z,,\n", 5000)
	for text, want := range map[string]string{
		"submit,end,mem\n" + rows + "2026-03-01T00:00:00Z,2026-03-01T00:00:07Z,2G\n2026-03-01T00:00:01Z,2026-03-01T00:00:07Z,512M\n": "row5001@0 []1000m/2048MiB[7000]; row5002@1000 []1000m/512MiB[6000]",
		"submit,end,mem\n" + strings.Repeat(",,\n", 50_000) + "2026-03-01T00:00:00Z,2026-03-01T00:00:07Z,\n":                         "row50001@0 []1000m/1024MiB[7000]",
		"submit,end,mem\n" + rows + "2026-03-01T00:00:00Z,7,\n":                                                                      "t.csv: line 5002: column submit counts from 1970 and column end from a start of its own",
		"submit,end,mem\n" + rows + "2026-03-01T00:00:00Z,x,\n":                                                                      `t.csv: line 5002: column end is to be end, but has values such as "x"`,
	} {
		_, m, err := imported(t, text, nil, nil)
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
			continue
		}
		if got := jobs(m); got != want || m.OriginUnixMS != 1772323200000 {
			t.Errorf("%s from %d, want %s", got, m.OriginUnixMS, want)
		}
	}
}

// In a folder what is no table by its name is passed over; given itself, it is one.
func TestFolderOfOtherFiles(t *testing.T) {
	dir := filepath.Dir(importtest.WriteNew(t, "t.csv", "job,submit,run\na,0,5\n"))
	for name, text := range map[string]string{"conf.json": "{}", "run.sh": "#!/bin/sh\n", "more.CSV": "job,submit,run\nb,1,5\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	res, m, err := importtest.Import(t, CSV, dir, nil)
	if err != nil || jobs(m) != "a@0 []1000m/1024MiB[5000]; b@1000 []1000m/1024MiB[5000]" || res.Counts.Dropped["files_that_are_not_read"] != 2 {
		t.Errorf("%v, %v", res, err)
	}
	if _, _, err := importtest.Import(t, CSV, filepath.Join(dir, "conf.json"), nil); err == nil {
		t.Error("a file of another name that is given itself is passed over")
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]int64{
		"90s": 90_000, "1h30m": 5400_000, "2d3h": 183600_000, "1.5 h": 5400_000, "250ms": 250, "01:02:03.5": 3723_500, "02:03": 123_000, "1-02:03:04": 93784_000,
		"1-02:03": 93780_000, "1 day, 2:03:04": 93784_000, "3 days 00:00:01": 259201_000, "PT1H30M": 5400_000, "P1DT2H": 93600_000, "5 minutes": 300_000,
		"": -1, "h": -1, "1x": -1, "1:2:3:4": -1, "-1:00": -1, "1e300h": -1, "::": -1,
	} {
		got, ok := duration(text)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q is %d ms, want %d", text, got, want)
		}
	}
}

// A priority that no job may have, as Slurm's, which count from 2^32 down, is none: its row stays.
func TestFarPriority(t *testing.T) {
	warned := ""
	res, m, err := imported(t, "JobID|Submit|Elapsed|Priority\n1|2026-01-15T19:33:36|00:01:00|4294868299\n2|2026-01-15T19:33:37|00:01:00|7\n3|2026-01-15T19:33:38|00:01:00|4294868298\n", nil, func(o *workload.Options) {
		o.Warn = func(s string) { warned += s }
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.JobList) != 3 || m.JobList[0].Priority != 0 || m.JobList[1].Priority != 7 || res.Counts.Dropped["priorities_out_of_bounds"] != 2 {
		t.Errorf("%s, dropped %v", importtest.Text(m), res.Counts.Dropped)
	}
	if want := `line 2: Priority is "4294868299", want a number from -2147483647 to 2147483647: priorities beyond are taken as none`; strings.Count(warned, want) != 1 {
		t.Errorf("warned %q, want %q once", warned, want)
	}
}

// Where nothing says it, a cluster is made for the work of GPUs, too.
func TestClusterForGPUs(t *testing.T) {
	_, m, err := imported(t, "job,submit,duration,gpu\na,0,100,2\nb,0,100,2\nc,0,100,2\nd,100,100,1\n", nil, func(o *workload.Options) { o.Nodes = 0 })
	if err != nil {
		t.Fatal(err)
	}
	// 700 s of a GPU in 100 s, on nodes of 2
	if n := m.Nodes; len(n) != 7 || len(n[0].Extra) != 1 || n[0].Extra[0].Value != 2 {
		t.Errorf("%d nodes, %+v, want 7 with 2 GPUs each", len(n), n[0].Extra)
	}
}

// What can't be used says where it is, what it is, and what was wanted.
func TestErrors(t *testing.T) {
	for name, tt := range map[string]struct{ text, params, want string }{
		"an unknown column":       {"a,b\n1,2\n", "map=submit=x", `--map has the column "x" for submit, want one of a, b`},
		"an unknown role":         {"a,b\n1,2\n", "map=when=a", `--map has the role "when", want one of job, submit,`},
		"an unknown unit":         {"a,b\n1,2\n", "map=submit=a:weeks", `--map has "weeks" as the unit of submit, want ns, us, ms, s, min, h, d`},
		"a role twice":            {"a,b\n1,2\n", "map=submit=a,submit=b", "--map has submit twice"},
		"no role":                 {"a,b\n1,2\n", "map=a", `--map has "a", want ROLE=COLUMN`},
		"no times":                {"a,b\n1,2\n", "", "want a column for submit or start, among a, b (by their names: none is known; --map gives columns their roles"},
		"what a command lists":    {"Total Nodes:3\n  Node-Id  Node-State\n  h:1  RUNNING\n", "", "no table but what yarn node -list prints, without the sizes of nodes; an import takes"},
		"one column":              {"JobID  Submit  End\n1  2  3\n", "", `want several columns with a comma, tab, semicolon or bar between them (--delimiter says another character), and there is one, "JobID  Submit  End"`},
		"no durations":            {"submit,b\n1,2\n", "", "want a column for duration or end, among submit, b"},
		"another type":            {"submit,duration\nx,2\ny,3\n", "header=yes", `column submit is to be submit, but has values such as "x"; want numbers of seconds`},
		"times of two starts":     {"submit,end\n5,1700000000\n", "", "column end counts from 1970 and column submit from a start of its own"},
		"a bad value":             {"submit,duration\n1,2\n3,4\nsoon,6\n", "", "t.csv: line 4: submit is \"soon\", want a number of s"},
		"a comma in a number":     {"submit;duration\n1;2\n3;4\n5;4,500\n", "", `t.csv: line 4: duration is "4,500", want a number of s, with a point and without commas`},
		"two ways of writing":     {"submit,duration,mem\n1,2,4GB\n3,4,4096\n", "", `column mem is to be memory, but has values such as "4096" beside such as "4GB"; want one way of writing them`},
		"commas in numbers":       {"submit;duration\n1;2,500\n3;4,500\n", "", `column duration is to be duration, but has values such as "2,500"; want numbers, or durations such as 1h30m or 01:30:00; numbers have no commas between thousands`},
		"points beside commas":    {"submit;duration\n1;2,5\n3;4.5\n5;1,5\n", "", `column duration is to be duration, but has values such as "2,5"; want numbers, or`},
		"a point between commas":  {"submit;duration\n" + strings.Repeat("1;2,5\n", 20_000) + "5;1.200,5\n", "", `t.csv: line 20002: duration is "1.200,5", want a number of s, with a comma and without points`},
		"a negative duration":     {"submit,duration\n1,-2\n", "", `t.csv: line 2: duration is "-2", want a duration of 0 to 366 days`},
		"too long a duration":     {"submit,duration\n1,1000000000000\n", "", `t.csv: line 2: duration is "1000000000000", want a duration of 0 to 366 days`},
		"too much memory":         {"submit,duration,memory_gb\n1,2,3\n1,2,1000000000000\n", "", `t.csv: line 3: memory_gb is "1000000000000", want a number of GiB, and none so large`},
		"an end before the start": {"submit,end\n5,4\n", "", "t.csv: line 2: ends 1000 ms before it begins"},
		"a start before its time": {"submit,start,duration\n5,4,1\n", "", "t.csv: line 2: starts 1000 ms before it is submitted"},
		"a huge container":        {"submit,duration,cpus\n1,2,262144\n", "", `t.csv: line 2: cpus is "262144", want 0 to 131072 vcores of a task; --map tasks=cpus makes each a task of its own`},
		"a huge number":           {"submit,duration\n1e300,2\n", "", `t.csv: line 2: submit is "1e300", want`},
		"a part of a task":        {"submit,duration,tasks\n1,2,2.0\n1,2,2.5\n", "", `t.csv: line 3: tasks is "2.5", want a whole number`},
		"a part of a GPU":         {"submit,duration,gpu\n1,2,1\n1,2,0.5\n", "", `t.csv: line 3: gpu is "0.5", want a whole number`},
		"a part of a priority":    {"submit,duration,priority\n1,2,1\n1,2,1.7\n", "", `t.csv: line 3: priority is "1.7", want a whole number`},
		"no task":                 {"submit,duration,tasks\n1,2,0\n", "", "t.csv: line 2: tasks is 0, want 1 or more"},
		"too many tasks":          {"submit,duration,tasks\n1,2,2000000000\n", "", "job row1: has 2000000000 tasks, want at most"},
		"no job":                  {"job,submit,duration\n,1,2\n", "", "t.csv: line 2: job is empty"},
		"a cycle":                 {"job,submit,duration,stage,parents\na,1,2,x,y\na,1,2,y,x\n", "", "job a: x comes after itself"},
		"a parent of itself":      {"job,submit,duration,stage,parents\na,1,2,x,x\n", "", "job a: x comes after itself"},
		"a quote that is open":    {"submit,duration\n1,2\n\"3,4\n", "", `t.csv: line 3: want a closing '"' before the end of the file`},
		"text after a quote":      {"submit,duration,n\n1,2,\"x\"\n3,4,\"x\"y\n", "", `t.csv: line 3: want a ',' or the end of the line after the closing '"' of field 3`},
		"a comma in a name":       {"name,submit,duration\nx,1,2\ny, z,3,4\nz,5,6,\n", "", `t.csv: line 3: want at most 3 fields, as there are columns, and it has 4`},
		"a file that was cut":     {"submit,duration,n\n1,2,x\n3,4", "", "t.csv: line 3: want 3 fields, as there are columns; the file ends within field 2"},
		"another kind":            {"submit,duration\n1,2\n", "kind=spark", `--kind is "spark", want generic, gang`},
		"another delimiter":       {"submit,duration\n1,2\n", "delimiter=xyz", `--delimiter is "xyz", want auto, tab, or one character`},
		"no text":                 {"submit,\x00\n", "", "has a byte 0 at 7, want text"},
		"JSON":                    {"[{\"id\":1,\"start\":0}]\n", "", `want a table with a header, and no row can be read; it begins with "[{\"id\":1,\"start\":0}]", as JSON does, of which jq -r '`},
		"lines of JSON":           {"{\"id\":1,\"start\":0}\n{\"id\":2,\"start\":0}\n", "", `as JSON does, of which jq -r '`},
		"carriage returns alone":  {"submit,duration\r1,2\r", "", "ends its lines with a carriage return, want a line feed at the end of each"},
		"nothing":                 {"", "", "has no row, want a table with a header"},
		"a Parquet file":          {"PAR1xxxx", "", "is a Parquet file: import it with the format parquet"},
	} {
		t.Run(name, func(t *testing.T) {
			params := map[string]string{}
			if k, v, ok := strings.Cut(tt.params, "="); ok {
				params[k] = v
			}
			_, _, err := imported(t, tt.text, params, func(o *workload.Options) { o.Strict = true })
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want %s", err, tt.want)
			}
		})
	}
}

// Names that differ in bytes that are no UTF-8 are different names; a row without its last fields is one if its line has an end.
func TestNamesOfOtherEncodings(t *testing.T) {
	res, m, err := imported(t, "job,user,submit,duration,n\nZo\xe9,a\xe9,1,2,x\nZo\xe8,a\xe8,100,2\n", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, j := range m.JobList {
		names = append(names, j.ExternalID+" of "+m.Users[j.User].Name)
	}
	if want := []string{`Zo\xe9 of a\xe9`, `Zo\xe8 of a\xe8`}; !slices.Equal(names, want) {
		t.Errorf("jobs %q, want %q", names, want)
	}
	if res.Counts.Modelled["texts_of_other_encodings"] == 0 {
		t.Errorf("modelled %v, want texts of other encodings", res.Counts.Modelled)
	}
}

// The others of a table are taken where one row can't be used.
func TestOneRowLess(t *testing.T) {
	var warned []string
	res, m, err := imported(t, "submit,duration\n1,2\n3,x\n\"5\"5,1\n4,-\n5,6\n", nil, func(o *workload.Options) { o.Warn = func(s string) { warned = append(warned, s) } })
	if err != nil {
		t.Fatal(err)
	}
	d := res.Counts.Dropped
	if got := jobs(m); got != "row1@0 []1000m/1024MiB[2000]; row5@4000 []1000m/1024MiB[6000]" || res.Counts.Read["rows"] != 5 || d["rows_with_a_bad_value"] != 1 || d["rows_that_are_not_readable"] != 1 || d["rows_without_a_duration"] != 1 {
		t.Errorf("%s, dropped %v, warned %v", got, d, warned)
	}
	if all := strings.Join(warned, "\n"); !strings.Contains(all, "left out: 3 of 5 rows (60 %)") {
		t.Errorf("warned %q, want 3 of 5 rows", all)
	}
}

// Several files of one table may have their columns in another order.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	importtest.Write(t, filepath.Join(dir, "part-2.csv"), "duration,submit,job\n2,20,a\n")
	importtest.Write(t, filepath.Join(dir, "part-10.csv"), "submit,duration,job\n5,3,a\n")
	opt := func(o *workload.Options) { o.Nodes = 1 }
	_, m, err := importtest.Import(t, CSV, dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	if got := jobs(m); got != "a@0 []1000m/1024MiB[2000 3000]" {
		t.Error(got)
	}
	importtest.Write(t, filepath.Join(dir, "part-1.csv"), "")
	importtest.Write(t, filepath.Join(dir, "part-12.csv"), "\n")
	res, m, err := importtest.Import(t, CSV, dir, opt)
	if err != nil || jobs(m) != "a@0 []1000m/1024MiB[2000 3000]" || res.Counts.Dropped["files_without_a_row"] != 2 {
		t.Errorf("beside empty files: %v, dropped %v", err, res.Counts.Dropped)
	}
	importtest.Write(t, filepath.Join(dir, "part-11.csv"), "submit,run,job\n5,3,a\n")
	if _, _, err := importtest.Import(t, CSV, dir, opt); err == nil || !strings.Contains(err.Error(), "has no column duration, as the first file has; it has submit, run, job") {
		t.Errorf("error is %v", err)
	}
}

func FuzzCSV(f *testing.F) {
	fixture, err := os.ReadFile(filepath.Join("..", "testdata", "csv", "warehouse.csv"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(fixture)
	f.Add([]byte("job,submit,duration,tasks\na,1700000000,1h,3\n'b',1e9,\"2\"\"\n"))
	f.Add([]byte("job\tsubmit\tend\tstage\tparents\na\t1\t2\tx\ty\na\t1\t3\ty\t\n"))
	opt := workload.DefaultOptions()
	opt.Out, opt.Nodes = filepath.Join(f.TempDir(), "out"), 2
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Contains(text, []byte("0000")) {
			return // many tasks are another test's
		}
		opt := opt
		opt.Stdin = bytes.NewReader(text)
		importtest.Try(t, CSV, []string{workload.Stdin}, opt, text)
	})
}

func FuzzParquet(f *testing.F) {
	fixture, err := os.ReadFile(filepath.Join("..", "testdata", "parquet", "jobs.parquet"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(fixture)
	dir, opt := f.TempDir(), workload.DefaultOptions()
	in := filepath.Join(dir, "f.parquet")
	opt.Out = filepath.Join(dir, "out")
	f.Fuzz(func(t *testing.T, data []byte) {
		importtest.Write(t, in, string(data))
		importtest.Try(t, Parquet, []string{in}, opt, data)
	})
}

// One instant that stands for none says nothing of the others: its row is left out, with its line.
func TestSentinelTimes(t *testing.T) {
	for name, tt := range map[string]struct {
		rows, want, warned string
		epoch              int64
	}{
		"the largest number":            {"10,5\n20,5\n9223372036854775807,5\n", "row1@0 []1000m/1024MiB[5000]; row2@10000 []1000m/1024MiB[5000]", `t.csv: line 4: submit is "9223372036854775807", want a number of s`, trace.Unset},
		"among nanoseconds":             {"1700000000000000000,5\n1700000001000000000,5\n9223372036854775807,5\n", "row1@0 []1000m/1024MiB[5000]; row2@1000 []1000m/1024MiB[5000]", `t.csv: line 4: submit is "9223372036854775807", want a time from 1973-03-03 to 2200-01-01`, 1700000000000},
		"the year 9999 in seconds":      {"1700000000,5\n1700000001,5\n253402300799,5\n", "row1@0 []1000m/1024MiB[5000]; row2@1000 []1000m/1024MiB[5000]", `t.csv: line 4: submit is "253402300799", want a time from 1973-03-03 to 2200-01-01`, 1700000000000},
		"the largest number of 32 bits": {"10,5\n20,5\n2147483647000,5\n", "row1@0 []1000m/1024MiB[5000]; row2@10000 []1000m/1024MiB[5000]", `t.csv: line 4: submit is "2147483647000", want a time in ms from`, trace.Unset},
		"a 0 among times since 1970":    {"0,5\n1700000000000,5\n1700000001000,5\n", "row2@0 []1000m/1024MiB[5000]; row3@1000 []1000m/1024MiB[5000]", `t.csv: line 2: submit is "0", want a time from 1973-03-03`, 1700000000000},
		"a date for never":              {"2026-03-01,5\n2026-03-02,5\n9999-12-31,5\n", "row1@0 []1000m/1024MiB[5000]; row2@86400000 []1000m/1024MiB[5000]", `t.csv: line 4: submit is "9999-12-31", want a time from 1973-03-03 to 2200-01-01`, 1772323200000},
		"a start of 0":                  {"0,0,5\n1700000000,1700000007,\n1700000001,1700000007,\n", "row2@0 []1000m/1024MiB[7000]; row3@1000 []1000m/1024MiB[6000]", `t.csv: line 2: start is "0", want a time from 1973-03-03 to 2200-01-01`, 1700000000000},
		"an empty start as a date":      {"1970-01-01,1970-01-01,\n2026-03-01,2026-03-02,\n2026-03-02,2026-03-03,\n", "row2@0 []1000m/1024MiB[86400000]; row3@86400000 []1000m/1024MiB[86400000]", `t.csv: line 2: start is "1970-01-01", want a time from 1973-03-03 to 2200-01-01`, 1772323200000},
		"many that did not end":         {"1700000000,0,5\n1700000001,0,\n1700000002,1700000009,\n", "row1@0 []1000m/1024MiB[5000]; row3@2000 []1000m/1024MiB[7000]", "t.csv: line 3: ends 1700000001000 ms before it begins", 1700000000000},
	} {
		head := "submit,duration\n"
		if strings.Count(tt.rows, ",") > strings.Count(tt.rows, "\n") {
			head = "submit,end,duration\n"
		}
		if strings.Contains(name, " start ") {
			head = "start,end,duration\n"
		}
		var warned []string
		_, m, err := imported(t, head+tt.rows, nil, func(o *workload.Options) { o.Warn = func(s string) { warned = append(warned, s) } })
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := jobs(m); got != tt.want || m.OriginUnixMS != tt.epoch || len(warned) == 0 || !strings.Contains(warned[0], tt.warned) {
			t.Errorf("%s: %s from %d, warned %q, want\n%s from %d, %q", name, got, m.OriginUnixMS, warned, tt.want, tt.epoch, tt.warned)
		}
	}
	if _, _, err := imported(t, "submit,duration\n1980-01-01,5\n2190-01-01,5\n", nil, nil); err == nil || !strings.Contains(err.Error(), "want at most 100 years from its first time to the last submission") {
		t.Errorf("200 years: the error is %v", err)
	}
}

// Durations without a unit beside submissions in ms are ms where that is likely, and the doubt is said.
func TestDurationsBesideFinerTimes(t *testing.T) {
	for _, tt := range []struct{ head, rows, want, warned string }{
		{"submit,duration", "1700000000000,45000\n1700000001000,500\n", "row1@0 []1000m/1024MiB[45000]; row2@1000 []1000m/1024MiB[500]", "duration is taken as ms (no unit is stated; whole numbers beside submit in ms); if it is s, --map duration=duration:s says so"},
		{"duration,submit_us", "2500000,1700000000000000\n", "row1@0 []1000m/1024MiB[2500]", "duration is taken as us (no unit is stated; whole numbers beside submit_us in us); if it is s, --map duration=duration:s says so"},
		{"submit,duration", "1700000000000,\n1700000001000,45000\n", "row2@0 []1000m/1024MiB[45000]", "duration is taken as ms"},
		{"submit,duration", "1700000000000,45\n1700000001000,500\n", "row1@0 []1000m/1024MiB[45000]; row2@1000 []1000m/1024MiB[500000]", "duration is taken as s (no unit is stated, and all are below a second in ms); if it is ms, --map duration=duration:ms says so"},
		{"submit,duration", "1700000000000,4500\n1700000001000,0.5\n", "row1@0 []1000m/1024MiB[4500000]; row2@1000 []1000m/1024MiB[500]", ""},
		{"submit,duration_s", "1700000000000,4500\n", "row1@0 []1000m/1024MiB[4500000]", ""},
		{"submit,duration", "1700000000,4500\n", "row1@0 []1000m/1024MiB[4500000]", ""},
	} {
		warned := ""
		_, m, err := imported(t, tt.head+"\n"+tt.rows, nil, func(o *workload.Options) { o.Warn = func(s string) { warned += s } })
		if err != nil || jobs(m) != tt.want || !strings.Contains(warned, tt.warned) || warned != "" && tt.warned == "" {
			t.Errorf("%s\n%s: %s, warned %q (%v), want\n%s, %q", tt.head, tt.rows, jobs(m), warned, err, tt.want, tt.warned)
		}
	}
}

// The type of a Parquet column says its unit: timestamps of 96 bits, as Spark writes them, and durations of Arrow's schema, such as pandas' Timedelta.
func TestTypesOfParquet(t *testing.T) {
	type row struct {
		Submit   deprecated.Int96 `parquet:"submit"`
		Duration int64            `parquet:"duration"`
	}
	const noon = 12 * 3600 * 1_000_000_000 // ns
	rows := []row{{deprecated.Int96{noon & (1<<32 - 1), noon >> 32, 2_460_311}, 5_000}, {deprecated.Int96{0, 0, 2_460_312}, 6_000}}
	for unit, want := range map[arrow.TimeUnit]string{
		arrow.Second: "row1@0 []1000m/1024MiB[5000000]; row2@43200000 []1000m/1024MiB[6000000]", arrow.Millisecond: "row1@0 []1000m/1024MiB[5000]; row2@43200000 []1000m/1024MiB[6000]",
		arrow.Microsecond: "row1@0 []1000m/1024MiB[5]; row2@43200000 []1000m/1024MiB[6]", arrow.Nanosecond: "row1@0 []1000m/1024MiB[0]; row2@43200000 []1000m/1024MiB[0]",
	} {
		schema := arrow.NewSchema([]arrow.Field{{Name: "submit", Type: arrow.FixedWidthTypes.Timestamp_ns}, {Name: "duration", Type: &arrow.DurationType{Unit: unit}}}, nil)
		var message bytes.Buffer
		if err := ipc.NewWriter(&message, ipc.WithSchema(schema)).Close(); err != nil {
			t.Fatal(err)
		}
		text := base64.StdEncoding.EncodeToString(message.Bytes())
		path := importtest.WriteNew(t, "t.parquet", string(importtest.Parquet(t, rows, parquet.KeyValueMetadata(arrowSchema, text))))
		_, m, err := importtest.Import(t, Parquet, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := jobs(m); got != want || m.OriginUnixMS != 1704110400000 {
			t.Errorf("%v: %s from %d, want %s", unit, got, m.OriginUnixMS, want)
		}
		for n := range message.Len() { // one that breaks off, or has any byte changed, is none or another
			spans(base64.StdEncoding.EncodeToString(message.Bytes()[:n]))
			changed := bytes.Clone(message.Bytes())
			changed[n] ^= 0x55
			spans(base64.StdEncoding.EncodeToString(changed))
		}
	}
}

// nulls is a file that pyarrow wrote, of one row of the columns start and end, which have its type null.
const nulls = "UEFSMRUAFQwVDCwVAhUAFQYVBhwAAAACAAAAAgAVABUMFQwsFQIVABUGFQYcAAAAAgAAAAIAFQQZPDUAGAZzY2hlbWEVBAAVAiUCGAVzdGFydGy8AAAAFQIlAhgDZW5kbLwAAAAWAhkcGSwmABwVAhklBgAZGAVzdGFydBUAFgIWMhYyJghJHBUAFQAVAgA8KQYZJgIAAAAAJgAcFQIZJQYAGRgDZW5kFQAWAhYyFjImOkkcFQAVABUCADwpBhkmAgAAAAAWZBYCJggWZAAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjYuMC4xGSwcAAAcAAAAwwAAAFBBUjE="

// The files of a table may have timestamps and durations of different units: the types of each say them. A column whose type has no values fits any; other types are an error.
func TestUnitsOfParquetFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, file string) { importtest.Write(t, filepath.Join(dir, name), file) }
	write("1.parquet", string(importtest.Parquet(t, []struct {
		Start int64 `parquet:"start,timestamp(microsecond)"`
		End   int64 `parquet:"end,timestamp(microsecond)"`
	}{{1700000000000000, 1700000005000000}})))
	write("2.parquet", string(importtest.Parquet(t, []struct {
		Start int64 `parquet:"start,timestamp(millisecond)"`
		End   int64 `parquet:"end,timestamp(nanosecond)"`
	}{{1700000001000, 1700000007000000000}})))
	_, m, err := importtest.Import(t, Parquet, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := jobs(m), "row1@0 []1000m/1024MiB[5000]; row2@1000 []1000m/1024MiB[6000]"; got != want || m.OriginUnixMS != 1700000000000 {
		t.Errorf("%s from %d, want %s", got, m.OriginUnixMS, want)
	}
	none, err := base64.StdEncoding.DecodeString(nulls)
	if err != nil {
		t.Fatal(err)
	}
	write("3.parquet", string(none))
	if _, m, err = importtest.Import(t, Parquet, dir, nil); err != nil || len(m.JobList) != 2 {
		t.Errorf("with columns of nulls alone: %v, %v", m, err)
	}
	write("4.parquet", string(importtest.Parquet(t, []struct {
		Start int64 `parquet:"start"`
		End   int64 `parquet:"end,timestamp(nanosecond)"`
	}{{1700000001000, 1700000007000000000}})))
	if _, _, err := importtest.Import(t, Parquet, dir, nil); err == nil || !strings.Contains(err.Error(), "4.parquet: column start is numbers or text, and in the first file a timestamp or duration; want one type in all files") {
		t.Errorf("error is %v", err)
	}
}

// Whole numbers of a Parquet file may have no sign, and be as large as such numbers are; lists of them too.
func TestUnsignedNumbersOfParquet(t *testing.T) {
	type row struct {
		Job    uint64   `parquet:"job_id"`
		Submit uint64   `parquet:"submit"`
		Run    uint16   `parquet:"duration"`
		Bytes  uint32   `parquet:"memory_bytes"`
		After  []uint64 `parquet:"parents,list"`
	}
	path := importtest.WriteNew(t, "t.parquet", string(importtest.Parquet(t, []row{{1<<63 + 1, 1, 65_535, 3 << 30, nil}, {7, 2, 40_000, 2 << 30, []uint64{1<<63 + 1}}})))
	_, m, err := importtest.Import(t, Parquet, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = "9223372036854775809@0 []1000m/3072MiB[65535000]; 7@1000 []1000m/2048MiB[40000000]"
	if got := jobs(m); got != want || !slices.Equal(m.JobList[1].DependsOn, []int64{0}) {
		t.Errorf("%s, the second after %v, want %s after the first", got, m.JobList[1].DependsOn, want)
	}
}

// What is wrong with standard input is said of it, and not of a file called "-".
func TestStandardInputIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"a,b\n1,2\n": "standard input: want a column for submit or start, among a, b",
		"job,submit,duration\na,2,3\nb,x,4\nc,5,6\n": "standard input: line 3: ",
	} {
		opt, warned := workload.DefaultOptions(), ""
		opt.Stdin, opt.Out, opt.Nodes, opt.Blocks = strings.NewReader(text), filepath.Join(t.TempDir(), "out"), 2, "none"
		opt.Warn = func(m string) { warned += m }
		_, err := CSV.Import(t.Context(), "csv", []string{workload.Stdin}, opt)
		if said := fmt.Sprint(err, warned); !strings.Contains(said, want) || strings.Contains(said, "-: ") {
			t.Errorf("%q: %s, want %q", text, said, want)
		}
	}
}

// A table of a user's own that says of which task a duration is, with its unit, needs no map.
func TestDurationsOfTasksByName(t *testing.T) {
	for _, column := range []string{"Task Duration (s)", "task_duration_s", "TaskRuntime"} {
		opt := workload.DefaultOptions()
		opt.Stdin, opt.Out, opt.Nodes, opt.Blocks = strings.NewReader("job,submit,"+column+"\na,2,3\n"), filepath.Join(t.TempDir(), "out"), 2, "none"
		if _, err := CSV.Import(t.Context(), "csv", []string{workload.Stdin}, opt); err != nil {
			t.Errorf("%s: %v", column, err)
		}
	}
}
