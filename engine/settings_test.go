package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// What the configuration of a job sets and a replay does not follow is said once, with the number of jobs.
func TestWarningsOfConfiguration(t *testing.T) {
	recorded := []trace.KeyValue{
		{Key: "spark.app.secret", Value: "x"}, // an application's own
		{Key: "spark.driver.maxResultSize", Value: "4g"},
		{Key: "spark.locality.luck", Value: "1"},
		{Key: "spark.scheduler.allocation.file", Value: "pools.xml"},
		{Key: "spark.scheduler.mode", Value: "FAIR"},
	}
	a := sparkJob(0, 0, 1, stage(0, 1, 1000, nil))
	b := sparkJob(1, 1000, 1, stage(0, 1, 1000, nil))
	a.Conf, b.Conf = recorded, recorded
	warnings := func(o scenario.Options) []record.Warning {
		_, m := replay(t, input(cluster(1, 1), nil, a, b), o)
		return m.Warnings
	}
	want := []record.Warning{
		{Code: "conf:spark.driver.maxResultSize", Text: "job 0: spark.driver.maxResultSize=4g is not modelled: results are never too large", Count: 2, Jobs: 2},
		{Code: "conf:unknown-keys", Text: "job 0: keys that are not known here change nothing: spark.locality.luck", Count: 2, Jobs: 2},
		{Code: "conf:pools", Text: "job 0: spark.scheduler.allocation.file=pools.xml is not read, --conf names the file of a replay: pools have weight 1 and no minimum share", Count: 2, Jobs: 2},
	}
	if d := cmp.Diff(want, warnings(scenario.Options{})); d != "" {
		t.Errorf("warnings (-want +got)\n%s", d)
	}
	given := scenario.Options{Files: scenario.Files{scenario.SparkPools: {Name: "mine.xml", Text: []byte("<allocations><pool name='a'/></allocations>")}}, Conf: map[string]string{"spark.scheduler.allocation.file": "mine.xml"}}
	if d := cmp.Diff(want[:2], warnings(given)); d != "" {
		t.Errorf("warnings with a file of pools (-want +got)\n%s", d)
	}
}

// A key of spark-defaults.conf changes nothing for jobs that set it themselves: it is said of each key how many they
// are. With Override the file lies on top, under single keys.
func TestSparkDefaultsAndJobsOfTheirOwn(t *testing.T) {
	jobs := func() []*trace.Job {
		a := sparkJob(0, 0, 1, stage(0, 4, 10_000, nil))
		b := sparkJob(1, 1000, 1, stage(0, 4, 10_000, nil))
		a.Conf = []trace.KeyValue{{Key: "spark.task.maxFailures", Value: "7"}, {Key: "spark.yarn.max.executor.failures", Value: "9"}, {Key: "spark.task.cpus", Value: "1"}}
		b.Conf = []trace.KeyValue{{Key: "spark.task.cpus", Value: "1"}}
		a.ExecMemMiB = 0
		return []*trace.Job{a, b}
	}
	file := func(text string) scenario.Files {
		return scenario.Files{scenario.SparkDefaults: {Name: "s.conf", Text: []byte(text)}}
	}
	const text = "spark.task.cpus 2\nspark.executor.cores 2\nspark.task.maxFailures 5\nspark.executor.maxNumFailures 3\nspark.yarn.max.executor.failures 4\nspark.executor.memory 2g\nspark.ui.port 1\n"
	run := func(o scenario.Options) (texts []string, hash string, most int) {
		k, m := replay(t, input(cluster(1, 1), nil, jobs()...), o)
		for _, w := range m.Warnings {
			if w.Code == "spark-defaults" {
				texts = append(texts, w.Text)
			}
		}
		for _, task := range k.tasks {
			n := 0
			for _, other := range k.tasks {
				if other.Job == task.Job && other.Launch == task.Launch {
					n++
				}
			}
			most = max(most, n)
		}
		return texts, m.DecisionHash, most
	}
	want := []string{"s.conf: jobs set these keys themselves, so the file changes nothing for them: " +
		"spark.executor.cores (2 of 2 jobs), spark.executor.memory (1 of 2 jobs), spark.task.cpus (2 of 2 jobs), spark.task.maxFailures (1 of 2 jobs), spark.yarn.max.executor.failures (1 of 2 jobs); --override puts the file on top"}
	texts, under, _ := run(scenario.Options{Files: file(text)})
	if d := cmp.Diff(want, texts); d != "" {
		t.Errorf("remarks (-want +got)\n%s", d)
	}
	texts, over, most := run(scenario.Options{Files: file(text), Override: true})
	if len(texts) > 0 || over == under || most != 1 {
		t.Errorf("on top: remarks %q, decisions %s and %s, %d tasks at once in an executor of 2 cores with 2 a task", texts, under, over, most)
	}
	if _, _, most := run(scenario.Options{Files: file(text), Override: true, Conf: map[string]string{"spark.task.cpus": "1"}}); most != 2 {
		t.Errorf("a single key over the file on top: %d tasks at once, want 2", most)
	}
	if _, err := scenario.New(input(cluster(1, 1), nil), scenario.Options{Override: true}); err == nil {
		t.Error("without a file there is nothing to put on top, and no error")
	}
}

// What the user sets for applications and none of them reads is said once for each place: keys of mapred-site.xml that jobs set themselves, and all of a
// file and all single keys where no application of their kind is replayed.
func TestSettingsThatChangeNothing(t *testing.T) {
	own := func() *trace.Job {
		j := mapReduceJob(0, 0, stage(0, 2, 1000, nil))
		j.Conf = []trace.KeyValue{{Key: "mapreduce.map.memory.mb", Value: "2048"}}
		return j
	}
	none := func() *trace.Job { return mapReduceJob(1, 500, stage(0, 2, 1000, nil)) }
	spark := func() *trace.Job { return sparkJob(0, 0, 1, stage(0, 1, 1000, nil)) }
	file := scenario.Files{
		scenario.MapredSite:    {Name: "m.xml", Text: []byte("<configuration><property name='mapred.job.map.memory.mb' value='3072'/><property name='mapreduce.map.maxattempts' value='3'/></configuration>")},
		scenario.SparkDefaults: {Name: "s.conf", Text: []byte("spark.locality.wait 9s\n")},
	}
	keys := map[string]string{"mapreduce.map.maxattempts": "2", "mapreduce.reduce.maxattempts": "2", "spark.task.maxFailures": "2", "spark.locality.wait": "1s"}
	const noReuse = "--conf: no application uses containers again (tez.am.container.reuse.enabled is false, or its tasks start together), so these keys have no effect: "
	const noSpark, noMapReduce = ": no Spark application is replayed, so ", ": no MapReduce job is replayed, so "
	for _, tt := range []struct {
		name string
		jobs []*trace.Job
		o    scenario.Options
		want []string
	}{
		{"jobs that set it themselves", []*trace.Job{own(), none()}, scenario.Options{Files: scenario.Files{scenario.MapredSite: file[scenario.MapredSite]}},
			[]string{"m.xml: jobs set these keys themselves, so the file changes nothing for them: mapreduce.map.memory.mb (1 of 2 jobs); --override puts the file on top"}},
		{"on top of them", []*trace.Job{own(), none()}, scenario.Options{Override: true, Files: scenario.Files{scenario.MapredSite: file[scenario.MapredSite]}}, nil},
		{"no Spark application", []*trace.Job{none()}, scenario.Options{Files: file, Conf: keys},
			[]string{"s.conf" + noSpark + "the file has no effect", "--conf" + noSpark + "these keys have no effect: spark.locality.wait, spark.task.maxFailures"}},
		{"no MapReduce job", []*trace.Job{spark()}, scenario.Options{Files: file, Conf: keys},
			[]string{"m.xml" + noMapReduce + "the file has no effect", "--conf" + noMapReduce + "these keys have no effect: mapreduce.map.maxattempts, mapreduce.reduce.maxattempts"}},
		{"nor with the files on top", []*trace.Job{none()}, scenario.Options{Files: file, Override: true}, []string{"s.conf" + noSpark + "the file has no effect"}},
		{"nothing set", []*trace.Job{none()}, scenario.Options{}, nil},
		{"no generic job", []*trace.Job{none()}, scenario.Options{Conf: map[string]string{"tez.am.task.max.failed.attempts": "2", "tez.am.container.reuse.enabled": "true"}},
			[]string{"--conf: no generic job, gang or service is replayed, so these keys have no effect: tez.am.container.reuse.enabled, tez.am.task.max.failed.attempts"}},
		{"keys of reuse without it", []*trace.Job{ofKind(trace.KindGeneric, 0, 0, stage(0, 1, 1000, nil)), ofKind(trace.KindGang, 1, 0, stage(0, 1, 1000, nil))},
			scenario.Options{Conf: map[string]string{"tez.am.task.max.failed.attempts": "2", "tez.am.container.idle.release-timeout-min.millis": "1"}},
			[]string{noReuse + "tez.am.container.idle.release-timeout-min.millis"}},
		{"reuse of gangs", []*trace.Job{ofKind(trace.KindGang, 0, 0, stage(0, 1, 1000, nil))}, scenario.Options{Conf: map[string]string{"tez.am.container.reuse.enabled": "true"}},
			[]string{noReuse + "tez.am.container.reuse.enabled"}},
		{"reuse", []*trace.Job{ofKind(trace.KindGang, 0, 0, stage(0, 1, 1000, nil)), ofKind(trace.KindService, 1, 0, stage(0, 1, 1000, nil))},
			scenario.Options{Conf: map[string]string{"tez.am.container.reuse.enabled": "true", "tez.am.container.idle.release-timeout-min.millis": "1"}}, nil},
		{"a placement of Spark's", []*trace.Job{none()}, scenario.Options{Placement: "naive"},
			[]string{"container placement naive: no Spark application is replayed, so it has no effect"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, m := replay(t, input(cluster(1, 1), nil, tt.jobs...), tt.o)
			var got []string
			for _, w := range m.Warnings {
				got = append(got, w.Text)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("warnings (-want +got)\n%s", d)
			}
		})
	}
}
