package backtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"replay/engine/spark/driver"
	"replay/trace/importer/workload"
)

// FuzzRecorded: whatever the files of what was recorded hold, they are refused, or what a replay takes of them can be computed.
func FuzzRecorded(f *testing.F) {
	const dir = "../traces/fair-weights"
	names := []string{"recorded.json", workload.AttemptsFile, "recorded_containers.json"}
	content := map[string][]byte{}
	for i, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.Fatal(err)
		}
		content[name] = data
		f.Add(uint8(i), data)
		f.Add(uint8(i), data[:len(data)/2])
	}
	f.Add(uint8(0), []byte(`{"applications":[{"job":0,"finish_ms":9223372036854775807,"stages":[{}]}]}`))
	f.Add(uint8(2), []byte(`{"applications":[{"job":0},{"job":99,"attempt_times":{"-1":{}}}],"containers":[{"job":-1,"am":true},{"container":"x","t_asked":-9223372036854775808,"t_allocated":1}]}`))
	f.Add(uint8(2), []byte(`{}`))
	whole, err := readTrace(dir, "fair-weights")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		r := &Recording{Name: whole.Name, originMS: whole.originMS, input: whole.input, executors: whole.executors, jobs: whole.jobs}
		err := r.take(func(name string) ([]byte, error) {
			if name == names[int(which)%len(names)] {
				return data, nil
			}
			if content[name] == nil {
				return nil, fs.ErrNotExist
			}
			return content[name], nil
		})
		if err != nil {
			return
		}
		all := map[int64][]driver.RecordedAttempt{}
		for i := range r.apps {
			a := &r.apps[i]
			all[a.Job] = r.attempts(r.jobs[i], a)
			times := r.stageTimes(r.jobs[i], a, all[a.Job])
			for _, code := range []bool{false, true} {
				asRecorded(r.jobs[i], a, times, code)
			}
			r.usable(r.jobs[i], a, all[a.Job])
		}
		if r.cluster == nil {
			return
		}
		for job, list := range r.cluster.latencies() {
			list[len(list)-1].FirstMS = r.firsts(job, all[job])
		}
	})
}
