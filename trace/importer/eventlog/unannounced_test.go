package eventlog

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// An executor that no event added has the cores of the properties, or what its tasks need: one that gets its next task before the driver has the result of the
// one before works on one at a time. It goes when the event says so, and is of the resource profile of its stages.
func TestCoresOfLostExecutors(t *testing.T) {
	gone := `{"Event":"SparkListenerExecutorRemoved","Timestamp":8000,"Executor ID":"1","Removed Reason":"idle"}` + "\n" + `{"Event":"SparkListenerJobEnd"`
	const profile = `{"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":1,"Executor Resource Requests":{"cores":{"Resource Name":"cores","Amount":3,"Discovery Script":"","Vendor":""}},"Task Resource Requests":{"cpus":{"Resource Name":"cpus","Amount":1.0}}}`
	own := strings.NewReplacer(`"spark.master":"yarn"`, `"spark.master":"spark://m:7077"`, `"spark.executor.cores":"2",`, "")
	follows := strings.NewReplacer(`"Launch Time":5200`, `"Launch Time":6050`, `"Executor Run Time":1900`, `"Executor Run Time":1000`)
	for _, tt := range []struct {
		name, text string
		cores      int32
		removed    int64
		profile    int32
	}{
		{"one after another", follows.Replace(own.Replace(logWith(4, ""))), 1, trace.Unset, 0},
		{"both at a time", own.Replace(logWith(4, "")), 2, trace.Unset, 0},
		{"without metrics", strings.ReplaceAll(own.Replace(logWith(4, "")), `"Task Metrics"`, `"Lost Metrics"`), 2, trace.Unset, 0},
		{"by the properties", follows.Replace(logWith(4, "")), 2, trace.Unset, 0},
		{"removed", strings.Replace(logWith(4, ""), `{"Event":"SparkListenerJobEnd"`, gone, 1), 2, 7000, 0},
		{"of a profile", strings.ReplaceAll(logWith(4, profile), `"Parent IDs":[],"Resource Profile Id":0`, `"Parent IDs":[],"Resource Profile Id":1`), 3, trace.Unset, 1},
	} {
		var warned []string
		res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", tt.text), func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } })
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		e := m.ExecutorList[0]
		profile := max(e.Profile, 0)
		if len(m.ExecutorList) != 1 || e.VCores != tt.cores || e.RemovedMS != tt.removed || profile != tt.profile || res.Counts.Modelled["executors_that_no_event_added"] != 1 {
			t.Errorf("%s: executors %+v, want one of %d cores, removed at %d, of profile %d; modelled %v", tt.name, m.ExecutorList, tt.cores, tt.removed, tt.profile, res.Counts.Modelled)
		}
		if text := strings.Join(warned, "\n"); !strings.Contains(text, "app-1: has lost events: 1 of added executors; what stands for them is made up") {
			t.Errorf("%s: warned %q", tt.name, text)
		}
	}
}

// That a log has lost events is said, once of all logs, and of one that has lost none nothing is.
func TestLossIsSaid(t *testing.T) {
	lines := strings.SplitAfter(logText, "\n")
	for _, tt := range []struct {
		lost []int // lines, from 1
		want string
	}{
		{[]int{6}, "1 of submitted stages"}, {[]int{7, 8}, "2 of started tasks"}, {[]int{10}, "1 of ended tasks"}, {[]int{8, 10}, "1 of ended tasks"},
		{[]int{15}, "1 of completed stages"}, {[]int{7, 15}, "1 of completed stages, 1 of started tasks"}, {[]int{5}, "1 of started jobs"}, {[]int{16}, "1 of ended jobs"}, {[]int{17}, ""}, {[]int{16, 17}, ""}, {[]int{5, 16}, "2 stages' jobs"}, {nil, ""},
	} {
		var kept []string
		for i, l := range lines {
			if !slices.Contains(tt.lost, i+1) {
				kept = append(kept, l)
			}
		}
		text := strings.Join(kept, "")
		for name, files := range map[string]map[string]string{"one": {"app-1": text}, "two": {"app-1": text, "app-2": later(strings.ReplaceAll(text, "app-1", "app-2"), 1)}} {
			var warned []string
			if _, _, err := importtest.Import(t, Format, folder(t, files), func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } }); err != nil {
				t.Errorf("%v: %v", tt.lost, err)
			}
			want := "has lost events: " + tt.want + ";"
			if name == "two" {
				want = "2 logs have lost events"
			}
			if text := strings.Join(warned, "\n"); strings.Contains(text, want) != (tt.want != "") || strings.Count(text, "lost events") > 1 {
				t.Errorf("%s without the lines %v: warned %q, want %q", name, tt.lost, text, tt.want)
			}
		}
	}
}

// A job that failed with a stage has ended with it, also where the log lost the event of that; one whose stage is to run again, or that an application's end ended, has not.
func TestLostEndsOfFailedJobs(t *testing.T) {
	for why, ended := range map[string]bool{
		"Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times": true, "Job 0 cancelled part of cancelled job group g": true,
		"Job 0 cancelled because SparkContext was shut down": false, "org.apache.spark.shuffle.FetchFailedException: h1": false,
	} {
		log := newScript()
		first, second := testStage{id: 0, name: "a", rdd: 1, tasks: 2}, testStage{id: 1, name: "b", rdd: 2, tasks: 2}
		log.job(0, 100, "", first)
		log.run(first, 100, 900)
		log.job(1, 1500, "", second)
		log.run(second, 1500, 2000)
		log.end(1, 2000)
		log.WriteString(`{"Event":"SparkListenerApplicationEnd","Timestamp":3000}` + "\n")
		text := strings.Replace(log.String(), `"Completion Time":900`, `"Failure Reason":"`+why+`","Completion Time":900`, 1)
		res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", text), nil)
		if err != nil {
			t.Fatal(err)
		}
		s := m.JobList[0].Stages[1]
		if got := len(s.After) == 1 && s.DelayMS == 600; got != ended || (res.Counts.Modelled["ends_of_spark_jobs"] == 1) != ended {
			t.Errorf("%s: the second stage is after %v by %d ms, modelled %v; the job has ended: %v", why, s.After, s.DelayMS, res.Counts.Modelled, ended)
		}
	}
}

// Executors whose ids are no numbers, as those of Mesos, are others than the rest.
func TestNamedExecutors(t *testing.T) {
	want, _ := attemptsOf(t, lostOutput(false), nil)
	named := regexp.MustCompile(`"Executor ID":"([12])"`).ReplaceAllString(lostOutput(false), `"Executor ID":"20260101-S$1/7"`)
	got, m := attemptsOf(t, named, nil)
	if len(m.ExecutorList) != 2 || m.ExecutorList[0].ID < namedExecutors || m.ExecutorList[0].ID == m.ExecutorList[1].ID {
		t.Errorf("executors are %+v", m.ExecutorList)
	}
	for i := range got {
		for k := range got[i] {
			if a, b := got[i][k].Executor-namedExecutors+1, want[i][k].Executor; a != b {
				t.Errorf("attempt %d of stage %d ran on executor %d, want %d", k, i, a, b)
			}
		}
	}
	for _, id := range []string{"", "-1", "---", strings.Repeat("x", mostID+1)} {
		text := strings.ReplaceAll(logText, `"Executor ID":"1"`, `"Executor ID":"`+id+`"`)
		if _, _, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", text), nil); err == nil || !strings.Contains(err.Error(), `want a number, "driver", or a name`) {
			t.Errorf("the id %.20q: %v", id, err)
		}
	}
}

// A driver writes launches in their order: one that is more than a moment before one that stands before it tells that the clock was set back, and recorded times are too short.
func TestClockSetBackIsSaid(t *testing.T) {
	for launch, want := range map[string]string{"4190": "the driver's clock was set back by 1.01s or more while it wrote the log", "4210": "", "7220": ""} {
		text := strings.ReplaceAll(logText, `"Launch Time":7220`, `"Launch Time":`+launch)
		for name, files := range map[string]map[string]string{"one": {"app-1": text}, "two": {"app-1": text, "app-2": later(strings.ReplaceAll(text, "app-1", "app-2"), 1)}} {
			var warned []string
			if _, _, err := importtest.Import(t, Format, folder(t, files), func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } }); err != nil {
				t.Errorf("%s: %v", launch, err)
			}
			said := want
			if name == "two" && want != "" {
				said = "in 2 logs the driver's clock was set back"
			}
			if text := strings.Join(warned, "\n"); strings.Contains(text, "clock") != (want != "") || !strings.Contains(text, said) {
				t.Errorf("%s, launch at %s: warned %q, want %q", name, launch, text, said)
			}
		}
	}
}

// A log whose times are seconds is told from one of January 1970 by nobody; both are said.
func TestTimesInSeconds(t *testing.T) {
	for at, said := range map[int64]bool{0: false, 1_700_000_000: true, 1_700_000_000_000: false} {
		var warned []string
		text := later(logText, at)
		if _, _, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", text), func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } }); err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(warned, "\n"); strings.Contains(all, "if the source counts seconds, where ms are wanted") != said {
			t.Errorf("from %d ms on: warned %q", at, all)
		}
	}
}

// A line of blanks is an empty one.
func TestLinesOfBlanks(t *testing.T) {
	res, _, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", strings.ReplaceAll(logText, "\n", "\n \t\r\n")), nil)
	if err != nil || res.Counts.Read["lines"] != int64(strings.Count(logText, "\n")) {
		t.Errorf("%v, read %v", err, res)
	}
}
