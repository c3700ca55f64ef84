package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// gpuLog is a log of an application with a resource profile: executors of 4 cores and a GPU, of which each of four tasks of 10 s takes one.
func gpuLog() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	stage := `"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"train","Number of Tasks":4,"RDD Info":[],"Parent IDs":[],"Resource Profile Id":1`
	line(`{"Event":"SparkListenerLogStart","Spark Version":"3.5.5"}`)
	line(`{"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":1,"Executor Resource Requests":{"cores":{"Amount":4},"gpu":{"Amount":1}},"Task Resource Requests":{"cpus":{"Amount":1.0},"gpu":{"Amount":1.0}}}`)
	line(`{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.master":"yarn","spark.submit.deployMode":"cluster","spark.dynamicAllocation.enabled":"true","spark.dynamicAllocation.shuffleTracking.enabled":"true"}}`)
	line(`{"Event":"SparkListenerApplicationStart","App Name":"train","App ID":"application_1_1","Timestamp":1000,"User":"u"}`)
	line(`{"Event":"SparkListenerExecutorAdded","Timestamp":3000,"Executor ID":"1","Executor Info":{"Host":"h1","Total Cores":4,"Resource Profile Id":1}}`)
	line(`{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":5000,"Stage Infos":[{%s}],"Stage IDs":[0],"Properties":{}}`, stage)
	line(`{"Event":"SparkListenerStageSubmitted","Stage Info":{"Submission Time":5000,%s}}`, stage)
	for i := range 4 {
		task := fmt.Sprintf(`"Task ID":%d,"Index":%d,"Partition ID":%d,"Launch Time":%d,"Executor ID":"1","Host":"h1","Locality":"ANY"`, i, i, i, 5000+10_000*i)
		line(`{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,"Task Info":{%s}}`, task)
		line(`{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},"Task Info":{%s,"Finish Time":%d},"Task Metrics":{"Executor Run Time":10000,"Executor Deserialize Time":0,"Result Serialization Time":0}}`, task, 15_000+10_000*i)
	}
	line(`{"Event":"SparkListenerStageCompleted","Stage Info":{"Completion Time":45000,%s}}`, stage)
	line(`{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":45000,"Job Result":{"Result":"JobSucceeded"}}`)
	line(`{"Event":"SparkListenerApplicationEnd","Timestamp":45000}`)
	return b.String()
}

// A replay asks for the GPUs that a resource profile had, whether its executors are the recorded ones or asked for: with one in the
// cluster one task runs at a time, with four as many at a time as there are.
func TestGPUsOfAProfile(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "application_1_1")
	if err := os.WriteFile(log, []byte(gpuLog()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		nodes    string
		from, to float64
	}{{"1", 40_000, 65_000}, {"4", 10_000, 35_000}} {
		out := filepath.Join(dir, "trace-"+tt.nodes)
		if code, _, stderr := replay(t, "import", "spark-eventlog", log, "--out", out, "--nodes", tt.nodes, "--blocks", "none"); code != cmdline.ExitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		code, stdout, stderr := replay(t, "run", out, "--json", "-q")
		if code != cmdline.ExitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		var got struct {
			MS float64 `json:"makespan_ms"`
		}
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || got.MS < tt.from || got.MS > tt.to {
			t.Errorf("%s GPUs: the job takes %v ms (%v), want %v to %v", tt.nodes, got.MS, err, tt.from, tt.to)
		}
	}
	code, stdout, stderr := replay(t, "backtest", log, "--json", "-q")
	if code != cmdline.ExitDone || !strings.Contains(stdout, `"error": 0`) {
		t.Errorf("backtest: exit code %d\n%s%s", code, stdout, stderr)
	}
}
