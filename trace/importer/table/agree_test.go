package table

import (
	"strings"
	"testing"

	"replay/trace/importer/workload"
)

// Where starts and ends do not bear out durations, which are taken, a warning says it, with the units that would.
func TestDurationsAgainstStartsAndEnds(t *testing.T) {
	for text, want := range map[string]string{
		"start,end,run\n1000,61000,60\n2000,32000,30\n":                                                             "end - start is not run, which is taken, in 2 of the first 2 rows that have all three, such as start 1000, end 61000, run 60: the first is 1000 times the other as their units are taken; --map may state others, as in start=start:ms,end=end:ms",
		"start,end,run_ms\n1,3601,3600\n":                                                                           "the first is 1000 times the other as their units are taken",
		"start,end,run\n2026-01-01 00:00,2026-01-01 00:10,10\n":                                                     "the first is 60 times the other as their units are taken; --map may state others, as in duration=run:min",
		"start,end,run\n1700000001000,1700000061000,60\n1700000002000,1700003602000,3600\n":                         "--map may state others, as in duration=run:s",
		"submit,start,end,walltime\n10,12,100,3600\n20,22,50,3600\n20,22,3622,3600\n":                               "end - start is not walltime, which is taken, in 2 of the first 3 rows that have all three, such as start 12, end 100, walltime 3600: --map without the role duration takes end - start",
		"submit,start,end,run\n10,12,100,88\n20,22,50,26\n20,22,50,\n20,,,5\n20,22,90,30\n20,22,20,0\n20,22,24,2\n": "", // one of three, by more than roundings
		"submit,end,run\n10,100,5\n":                                                                                "",
	} {
		var warned []string
		if _, _, err := imported(t, text, nil, func(o *workload.Options) { o.Warn = func(s string) { warned = append(warned, s) } }); err != nil && want != "" {
			t.Errorf("%q: %v", text, err)
		}
		said := strings.Join(warned, "\n")
		if want != "" && !strings.Contains(said, want) || want == "" && strings.Contains(said, "which is taken") {
			t.Errorf("%q: warned of %q, want %q", text, said, want)
		}
	}
}

// A column called queue that has the time between submission and start names no queue.
func TestWaitsThatAreCalledQueue(t *testing.T) {
	const said = "column queue is start - submit in the first rows, a time in a queue and not the name of one"
	for text, queue := range map[string]string{
		"submit,start,run,queue\n2026-01-01 00:00:00,2026-01-01 00:00:05,60,5\n2026-01-01 00:01:00,2026-01-01 00:01:00,60,0\n": "root.default",
		"submit,start,run,queue\n10,15,60,5\n20,,,\n20,30,60,10.0\n":                                                           "root.default",
		"submit,start,run,queue\n10,15,60,5\n20,30,60,11\n20,30,60,12\n":                                                       "root.5",
		"submit,start,run,queue\n10,10,60,0\n20,20,60,0\n":                                                                     "root.0",
		"submit,start,run,queue\n10,15,60,etl\n":                                                                               "root.etl",
	} {
		var warned []string
		_, m, err := imported(t, text, nil, func(o *workload.Options) { o.Warn = func(s string) { warned = append(warned, s) } })
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got := m.Queues[m.JobList[0].Queue].Path; got != queue || strings.Contains(strings.Join(warned, "\n"), said) != (queue == "root.default") {
			t.Errorf("%q: queue %s, warned of %q, want %s", text, got, warned, queue)
		}
		if _, m, err = imported(t, text, map[string]string{"map": "submit=submit,start=start,duration=run,queue=queue"}, nil); err != nil || m.Queues[m.JobList[0].Queue].Path == "root.default" {
			t.Errorf("%q with --map: %v, %v, want what the map says", text, m.Queues, err)
		}
	}
}

// A size that is large where the first ones are small gives those another unit.
func TestLateSizes(t *testing.T) {
	for _, tt := range []struct{ head, row, last, want string }{
		{"submit,run,mem", "0,5,64", "0,5,255", ""},
		{"submit,run,mem", "0,5,64", "0,5,4096", "mem is 4096, and is taken as GiB, as those of the first rows are smaller; if it is MiB, --map memory=mem:MiB says so"},
		{"submit,run,mem_gb", "0,5,64", "0,5,4096", ""},
	} {
		var warned []string
		text := tt.head + "\n" + strings.Repeat(tt.row+"\n", 2_000) + tt.last + "\n" + tt.last + "\n"
		if _, _, err := imported(t, text, nil, func(o *workload.Options) {
			o.NodeMemMiB, o.NodeVCores = 8<<20, 16
			o.Warn = func(m string) { warned = append(warned, m) }
		}); err != nil {
			t.Fatal(err)
		}
		said := strings.Join(warned, "\n")
		if tt.want == "" && said != "" || tt.want != "" && !strings.HasSuffix(said, "t.csv: line 2002: "+tt.want) {
			t.Errorf("%s after %s: warned %q, want %q", tt.last, tt.row, said, tt.want)
		}
	}
}
