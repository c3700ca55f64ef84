package eventlog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// What a log hides of its properties is taken from its resource profile, else is Spark's default, and is said.
func TestHiddenProperties(t *testing.T) {
	const profile = `{"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":0,"Executor Resource Requests":{"memory":{"Resource Name":"memory","Amount":3072},"memoryOverhead":{"Amount":500},"offHeap":{"Amount":100},"gpu":{"Amount":2}},"Task Resource Requests":{"cpus":{"Amount":2.0},"gpu":{"Amount":0.5}}}` + "\n"
	hidden := strings.NewReplacer(`"spark.executor.memory":"2g"`, `"spark.executor.memory":"*********(redacted)","spark.task.cpus":"*********(redacted)","spark.executor.extraJavaOptions":"*********(redacted)"`,
		`"spark.yarn.queue":"prod"`, `"spark.yarn.queue":"*********(redacted)","spark.authenticate.secret":"*********(redacted)","spark.hadoop.fs.user":"*********(redacted)"`).Replace(logText)
	const said = "/app-1: hides what was set for spark.executor.memory, spark.task.cpus, spark.yarn.queue (spark.redaction.regex): "
	for _, tt := range []struct {
		name, log, said, want string
		hidden                int64
	}{
		{"nothing hidden", logText, "", "2432 MiB, 2 vcores, 1 cpu, root.prod, extra []", 0},
		{"a profile agrees", strings.Replace(logText, `{"Event":"SparkListenerEnv`, strings.Replace(profile, "3072", "2048", 1)+`{"Event":"SparkListenerEnv`, 1), "", "2648 MiB, 2 vcores, 2 cpu, root.prod, extra [{yarn.io/gpu 2}]", 0},
		{"nothing else says it", hidden, said, "1408 MiB, 2 vcores, 1 cpu, root.default, extra []", 3},
		{"the profile says it", strings.Replace(hidden, `{"Event":"SparkListenerEnv`, profile+`{"Event":"SparkListenerEnv`, 1), said, "3672 MiB, 2 vcores, 2 cpu, root.default, extra [{yarn.io/gpu 2}]", 3},
	} {
		var warned []string
		res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", tt.log), func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } })
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		warned = slices.DeleteFunc(warned, func(w string) bool { return !strings.Contains(w, "redaction") })
		if (tt.said == "") != (len(warned) == 0) || !strings.Contains(strings.Join(warned, ""), tt.said) || res.Counts.Defaulted["redacted_properties"] != tt.hidden {
			t.Errorf("%s: warned %q, want %q; defaulted %v", tt.name, warned, tt.said, res.Counts.Defaulted)
		}
		j := m.JobList[0]
		if got := fmt.Sprintf("%d MiB, %d vcores, %d cpu, %s, extra %v", j.ExecMemMiB, j.ExecVCores, j.TaskCPUs, m.Queues[j.Queue].Path, m.Nodes[0].Extra); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		for _, kv := range j.Conf {
			if strings.Contains(kv.Value, redacted) && !slices.Contains([]string{"spark.authenticate.secret", "spark.hadoop.fs.user", "spark.executor.extraJavaOptions"}, kv.Key) {
				t.Errorf("%s: the job has %s %q, which a replay would refuse", tt.name, kv.Key, kv.Value)
			}
		}
	}
}

// How many executors an application without dynamic allocation asked for, and of how many cores, its executors tell where the log hides it.
func TestHiddenExecutors(t *testing.T) {
	hidden := strings.NewReplacer(`"spark.executor.cores":"2","spark.executor.instances":"1"`, `"spark.executor.cores":"*********(redacted)","spark.executor.instances":"*********(redacted)"`).Replace(logText)
	third := `{"Event":"SparkListenerExecutorAdded","Timestamp":3000,"Executor ID":"%d","Executor Info":{"Host":"h1","Total Cores":2,"Log Urls":{},"Resource Profile Id":0}}` + "\n"
	hidden = strings.Replace(hidden, `{"Event":"SparkListenerJobStart"`, fmt.Sprintf(third, 2)+fmt.Sprintf(third, 3)+`{"Event":"SparkListenerJobStart"`, 1)
	for dynamic, want := range map[string]string{"": "3", `"spark.dynamicAllocation.enabled":"true",`: ""} {
		_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", strings.Replace(hidden, `"spark.executor.cores"`, dynamic+`"spark.executor.cores"`, 1)), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, kv := range m.JobList[0].Conf {
			if kv.Key == "spark.executor.instances" {
				got = kv.Value
			}
		}
		if got != want || m.JobList[0].ExecVCores != 2 {
			t.Errorf("with %q: %q executors of %d vcores, want %q of 2", dynamic, got, m.JobList[0].ExecVCores, want)
		}
	}
}

// An application that a replay could not run is refused by the property that its user can set.
func TestPropertiesThatCannotBe(t *testing.T) {
	for _, tt := range []struct{ set, want string }{
		{`"spark.task.cpus":"3"`, `spark property spark.task.cpus is "3", want a number of 1 to 2, spark.executor.cores`},
		{`"spark.task.cpus":"0"`, `spark property spark.task.cpus is "0", want a number of 1 to 2, spark.executor.cores`},
		{`"spark.executor.cores":"0"`, `spark property spark.executor.cores is "0", want a number of 1 to 131072`},
		{`"spark.executor.cores":"131073"`, `spark property spark.executor.cores is "131073", want a number of 1 to 131072`},
		{`"spark.executor.memory":"1000t"`, `spark property spark.executor.memory is "1000t", want at most 128t`},
		{`"spark.driver.memory":"129t"`, `spark property spark.driver.memory is "129t", want at most 128t`},
		{`"spark.dynamicAllocation.enabled":"true","spark.dynamicAllocation.minExecutors":"10","spark.dynamicAllocation.maxExecutors":"5"`, `spark property spark.dynamicAllocation.maxExecutors is "5", want spark.dynamicAllocation.minExecutors (10) or more`},
		{`"spark.executor.resource.gpu.amount":"1","spark.yarn.resourceGpuDeviceName":""`, `spark property spark.yarn.resourceGpuDeviceName is "", want a name such as yarn.io/gpu`},
		{`"spark.yarn.executor.resource.acme.amount":"some"`, `spark property spark.yarn.executor.resource.acme.amount is "some", want a whole number of 0 or more, with or without one of the units k, M, G, T, P, Ki, Mi, Gi, Ti, Pi`},
	} {
		key, _, _ := strings.Cut(tt.set, ":")
		log := logText
		if strings.Contains(log, key) {
			log = strings.Replace(log, key+`:"2"`, tt.set, 1)
			log = strings.Replace(log, key+`:"2g"`, tt.set, 1)
		} else {
			log = strings.Replace(log, `"spark.executor.cores"`, tt.set+`,"spark.executor.cores"`, 1)
		}
		_, _, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", log), nil)
		if err == nil || !strings.HasSuffix(err.Error(), "/app-1: "+tt.want) {
			t.Errorf("%s:\n%v, want\n%s", tt.set, err, tt.want)
		}
	}
}

// What a trace could not hold of the times and sizes of an application is refused in the words of its log.
func TestMoreThanATraceHolds(t *testing.T) {
	const year = 31_622_400_000
	for _, tt := range []struct{ name, from, to, want string }{
		{"a master of more cores than there are", `"spark.executor.cores"`, `"spark.driver.cores":"131073","spark.executor.cores"`, `spark property spark.driver.cores is "131073", want a number of 0 to 131072`},
		{"memory with its overhead", `"spark.executor.memory":"2g"`, `"spark.executor.memory":"127t"`, `spark property spark.executor.memory is "127t", want at most 128t with what is beside it in the container`},
		{"a first stage years after the start", `"Timestamp":1000,`, `"Timestamp":1000,`, "stage 0 was submitted at 63244805000 ms, and what it waited for was there at 31000 ms, want at most a year between them"},
		{"an end years after the last stage", `"Timestamp":9000`, fmt.Sprintf(`"Timestamp":%d`, year+9000), "the application ended at 31622409000 ms, and its last stage at 7730 ms, want at most a year between them"},
	} {
		log := strings.Replace(logText, tt.from, tt.to, 1)
		if tt.from == tt.to {
			log = strings.Replace(later(logText, 2*year), fmt.Sprintf(`"Timestamp":%d,"User"`, 2*year+1000), `"Timestamp":1000,"User"`, 1)
		}
		if _, _, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", log), nil); err == nil || !strings.HasSuffix(err.Error(), "/app-1: "+tt.want) {
			t.Errorf("%s:\n%v, want\n%s", tt.name, err, tt.want)
		}
	}
}
