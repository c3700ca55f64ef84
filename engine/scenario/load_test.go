package scenario

import (
	"io"
	"math"
	"path/filepath"
	"testing"

	"replay/engine/mapreduce"
	"replay/engine/spark/driver"
	"replay/trace"
)

// oneByOne gives jobs in their order.
type oneByOne struct{ jobs []*trace.Job }

func (s *oneByOne) Next() (*trace.Job, error) {
	if len(s.jobs) == 0 {
		return nil, io.EOF
	}
	j := s.jobs[0]
	s.jobs = s.jobs[1:]
	return j, nil
}

// The offered load is that of the containers that are asked for: keys for their sizes change it as they change these, and a load that is wanted is reached with them.
func TestLoadBySizesGiven(t *testing.T) {
	tasks := func(n int) trace.Tasks {
		c := trace.Tasks{PrefStart: make([]int32, n+1), InputBytes: make([]int64, n)}
		for range n {
			c.DurationMS = append(c.DurationMS, 1000)
		}
		return c
	}
	job := func(kind string, stages ...trace.Stage) func() []*trace.Job {
		return func() []*trace.Job {
			j := &trace.Job{Kind: kind, AMMemMiB: 1024, AMVCores: 1, Stages: stages, ExecMemMiB: trace.Unset, ExecVCores: trace.Unset, TaskCPUs: trace.Unset}
			if kind == trace.KindSpark {
				j.ExecMemMiB, j.ExecVCores, j.TaskCPUs = 2048, 2, 1
				j.Conf = []trace.KeyValue{{Key: "spark.executor.instances", Value: "2"}}
			}
			return []*trace.Job{j}
		}
	}
	stage := func(id int32, mem int64, parents ...int32) trace.Stage {
		return trace.Stage{ID: id, Parents: parents, TaskMemMiB: mem, TaskVCores: 1, TaskMilliVCores: trace.Unset, StartFraction: trace.Unset, Tasks: tasks(10)}
	}
	spark := job(trace.KindSpark, stage(0, trace.Unset))
	own := stage(0, trace.Unset)
	own.Profile, own.ExecMemMiB, own.ExecVCores = 1, 4096, 4
	profiled := job(trace.KindSpark, own)
	mr := job(trace.KindMapReduce, stage(0, 1024), stage(1, 1024, 0))
	generic := job(trace.KindGeneric, stage(0, 1024))
	gpus := []trace.NamedValue{{Name: trace.GPU, Value: 4}}
	const full = 1.0 / 8 // of 8 vcores and 8 GiB, by a work of 10 s within 10 s
	gpuSite := Files{YarnSite: {Name: "yarn-site.xml", Text: site("yarn.resource-types", trace.GPU)}}
	for _, tt := range []struct {
		name           string
		jobs           func() []*trace.Job
		o              Options
		vcores, memory float64
		gpu            float64
	}{
		{"as in the trace", spark, Options{}, full, full, 0},
		{"a key of no size", spark, Options{Conf: map[string]string{"spark.locality.wait": "0s"}}, full, full, 0},
		{"memory of executors", spark, Options{Conf: map[string]string{"spark.executor.memory": "3712m"}}, full, 2 * full, 0},
		{"an overhead adds to what the trace has", spark, Options{Conf: map[string]string{"spark.executor.memoryOverhead": "1408m"}}, full, 1.5 * full, 0},
		{"more cores in as much memory", spark, Options{Conf: map[string]string{"spark.executor.cores": "4"}}, full, full / 2, 0},
		{"cores of a task", spark, Options{Conf: map[string]string{"spark.task.cpus": "2"}}, 2 * full, 2 * full, 0},
		{"GPUs, of which one serves a task", spark, Options{Files: gpuSite, Conf: map[string]string{"spark.executor.resource.gpu.amount": "1", "spark.task.resource.gpu.amount": "1"}}, 2 * full, 2 * full, 10. / 40},
		{"a file that the job does not contradict", spark, Options{Files: Files{SparkDefaults: {Name: "spark-defaults.conf", Text: []byte("spark.executor.memory 9g\n")}}}, full, full, 0},
		{"a file over the job", spark, Options{Override: true, Files: Files{SparkDefaults: {Name: "spark-defaults.conf", Text: []byte("spark.executor.memory 3712m\n")}}}, full, 2 * full, 0},
		{"executors of a profile", profiled, Options{Conf: map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.shuffle.service.enabled": "true", "spark.executor.memoryOverhead": "1408m"}}, full, 1.25 * full, 0},
		{"a job that cannot run counts as it is", spark, Options{Conf: map[string]string{"spark.task.cpus": "3"}}, full, full, 0},
		{"maps and reduces as in the trace", mr, Options{}, 2 * full, 2 * full, 0},
		{"memory of maps", mr, Options{Conf: map[string]string{"mapreduce.map.memory.mb": "3072"}}, 2 * full, 4 * full, 0},
		{"vcores of reduces, by a file", mr, Options{Files: Files{MapredSite: {Name: "mapred-site.xml", Text: site("mapreduce.reduce.cpu.vcores", "2")}}}, 3 * full, 2 * full, 0},
		{"keys of others", generic, Options{Conf: map[string]string{"spark.executor.memory": "9g", "mapreduce.map.memory.mb": "3072"}}, full, full, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var work trace.Work
			for _, j := range tt.jobs() {
				work.Add(trace.WorkOf(j))
			}
			in := Input{
				Nodes: []trace.Node{{Host: "a", Rack: "/r", MemMiB: 8192, VCores: 8, Present: true, Extra: gpus}}, SpanMS: 10_000, Work: &work,
				Jobs: &oneByOne{tt.jobs()}, Again: func() trace.JobSource { return &oneByOne{tt.jobs()} },
			}
			l := resolve(t, in, tt.o).Offered
			near := func(x, y float64) bool { return math.Abs(x-y) < 1e-9 }
			if !near(*l.VCores, tt.vcores) || !near(*l.Memory, tt.memory) || !near(l.Further[trace.GPU], tt.gpu) {
				t.Errorf("the offered load is %v, want %v of the vcores, %v of the memory and %v of the GPUs", l, tt.vcores, tt.memory, tt.gpu)
			}
			tt.o.Load = 0.5
			if l := resolve(t, in, tt.o).Offered; !near(*l.VCores, 0.5) || !near(*l.Memory, 0.5*tt.memory/tt.vcores) {
				t.Errorf("--load 0.5 is %v", l)
			}
		})
	}
}

// What a job asks for by itself is what its work is counted by, whatever a trace has.
func TestSizedByThemselves(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join("..", "..", "traces", "*", "trace.json"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("%d traces, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		tr, err := trace.Open(filepath.Dir(dir))
		if err != nil {
			t.Fatal(err)
		}
		sc, err := FromTrace(tr, Options{})
		if err != nil {
			t.Fatal(err)
		}
		spark, mapReduce := driver.NewKind(sc.Spark()), mapreduce.NewKind(sc.MapReduce())
		for j, err := range trace.All(tr.Jobs()) {
			sized := j
			if err == nil && j.Kind == trace.KindSpark {
				sized, err = spark.Sized(j)
			} else if err == nil && j.Kind == trace.KindMapReduce {
				sized, err = mapReduce.Sized(j)
			}
			if err != nil {
				t.Fatalf("%s: %v", dir, err)
			}
			if own, as := trace.WorkOf(j), trace.WorkOf(sized); own.String() != as.String() {
				t.Errorf("%s: the work of job %d is %v, as asked %v", dir, j.ID, own.String(), as.String())
			}
		}
		tr.Close()
	}
}
