package backtest

import (
	"slices"

	"replay/trace"
)

// preferShown sets what the recording shows of the preferred hosts of tasks that read shuffle output: a task that ran
// PROCESS_LOCAL had none, one that ran NODE_LOCAL preferred its host. The trace leaves them out, as they follow from where
// the parents ran; where executors are as recorded so are the parents. Tasks that ran further away preferred a host like
// others of the stage; of a stage without such others nothing is known, and the replay derives its own.
func preferShown(st *trace.Stage) {
	t := &st.Tasks
	if len(st.Parents) == 0 || t.PrefStart != nil || t.RecordedLocality == nil || t.RecordedNode == nil || st.CacheOf != trace.Unset {
		return
	}
	var hosts []int32 // of tasks that ran near
	away := false
	for k, l := range t.RecordedLocality {
		switch node := t.RecordedNode[k]; l {
		case "NODE_LOCAL":
			if node != trace.Unset && !slices.Contains(hosts, node) {
				hosts = append(hosts, node)
			}
		case "RACK_LOCAL", "ANY":
			away = true
		}
	}
	if away && len(hosts) == 0 {
		return
	}
	slices.Sort(hosts)
	t.PrefStart, t.Pref = make([]int32, 1, t.Len()+1), nil
	for k, l := range t.RecordedLocality {
		switch node := t.RecordedNode[k]; l {
		case "NODE_LOCAL":
			if node != trace.Unset {
				t.Pref = append(t.Pref, node)
			}
		case "RACK_LOCAL", "ANY":
			for _, h := range hosts {
				if h != node {
					t.Pref = append(t.Pref, h)
				}
			}
		}
		t.PrefStart = append(t.PrefStart, int32(len(t.Pref)))
	}
}
