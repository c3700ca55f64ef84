package conform

import "testing"

// What an application master of MapReduce did is really compared.
func TestChangedMapReduceRecordingDiffers(t *testing.T) {
	tests := []struct{ name, file, from, to, part string }{
		{"another attempt gets a container", "am-log.jsonl", "_0001_01_000002 to attempt_1795308165611_0001_m_000001_0", "_0001_01_000002 to attempt_1795308165611_0001_m_000003_0", "AM launches"},
		{"more reduces", "am-log.jsonl", `"Ramping up 1"`, `"Ramping up 2"`, "AM reduces"},
		{"another victim", "am-log.jsonl", "Preempting attempt_1795308165611_0001_r_000002_0", "Preempting attempt_1795308165611_0001_r_000003_0", "AM reduces"},
		{"a count", "am-log.jsonl", "After Scheduling: PendingReds:5 ScheduledMaps:32", "After Scheduling: PendingReds:5 ScheduledMaps:31", "AM counts"},
		{"slow start", "jhist/job_1795308165611_0004_conf.xml", "slowstart.completedmaps</name><value>0.8<", "slowstart.completedmaps</name><value>0.3<", "AM reduces"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := playChanged(t, "recorded-mapreduce", tt.file, tt.from, tt.to)
			if p := part(s.Files[0], tt.part); p.Equal == p.Cases || s.OK() {
				t.Errorf("%+v, want a difference", s.Files[0].Parts)
			}
		})
	}
}
