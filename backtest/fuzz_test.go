package backtest

import (
	"encoding/json"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"replay/engine/spark/driver"
	"replay/trace"
)

// FuzzRecorded: whatever the files of what was recorded hold, they are refused, or what a replay takes of them can be computed. Beside a file that is
// changed, the recorded attempts are there for one input in sixteen, by its content.
func FuzzRecorded(f *testing.F) {
	const dir = "../traces/fair-weights"
	names := []string{"recorded.json", trace.AttemptsFile, "recorded_containers.json"}
	content := map[string][]byte{}
	for i, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.Fatal(err)
		}
		if i == 2 {
			data = fewContainers(f, data)
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
		changed := names[int(which)%len(names)]
		if changed != trace.AttemptsFile && !json.Valid(data) { // texts that are no JSON are for the library
			return
		}
		r := &Recording{Name: whole.Name, originMS: whole.originMS, input: whole.input, executors: whole.executors, jobs: whole.jobs}
		err := r.take(func(name string) ([]byte, error) {
			if name == changed {
				return data, nil
			}
			if name == trace.AttemptsFile && crc32.ChecksumIEEE(data)%16 != 0 {
				return nil, fs.ErrNotExist // to read it takes ten times as long as the other two
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

// fewContainers keeps of each application the first containers of recorded_containers.json, the master and two executors.
func fewContainers(f *testing.F, data []byte) []byte {
	var all map[string]json.RawMessage
	var containers, few []json.RawMessage
	err := json.Unmarshal(data, &all)
	if err == nil {
		err = json.Unmarshal(all["containers"], &containers)
	}
	of := map[int64]int{}
	for i := 0; i < len(containers) && err == nil; i++ {
		var c struct{ Job int64 }
		if err = json.Unmarshal(containers[i], &c); err == nil && of[c.Job] < 3 {
			of[c.Job]++
			few = append(few, containers[i])
		}
	}
	if err == nil {
		if all["containers"], err = json.Marshal(few); err == nil {
			data, err = json.Marshal(all)
		}
	}
	if err != nil || len(of) != 3 {
		f.Fatalf("containers of %d applications, %v", len(of), err)
	}
	return data
}
