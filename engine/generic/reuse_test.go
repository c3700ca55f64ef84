package generic

import (
	"strings"
	"testing"

	"replay/engine/master/mastertest"
	"replay/engine/record"
	"replay/trace"
)

// reusing registers the master of a job that uses containers again, which are held for 3 s.
func reusing(t *testing.T, over map[string]string, stages ...trace.Stage) *mastertest.Host {
	k := kindOf()
	k.Over = map[string]string{keyReuse: "true", keyIdleMin: "3000", keyIdleMax: "3000"}
	for key, value := range over {
		k.Over[key] = value
	}
	h := mastertest.New(t, k, jobOf(stages...), 0, 0, 1)
	h.Register()
	return h
}

// A container runs one task after another, also of later stages, and goes back when no task has wanted it for a time.
func TestReuse(t *testing.T) {
	late := stageOf(1, []int32{0}, 500)
	late.DelayMS = 1000
	much := stageOf(2, nil, 100)
	much.After, much.DelayMS = []int32{1}, 4000
	h := reusing(t, nil, stageOf(0, nil, 1000, 1000), late, much)
	h.Run(500)
	h.Grant(0, 8, gib)
	h.Run(20_000)
	same(t, "attempts", told(h), []string{"0.0#0 1050-2050 success", "0.1#0 2050-3050 success", "1.0#0 4050-4550 success"})
	same(t, "calls", logged(h, "ask", "start", "end"), []string{"0 ask 8:*=2", "1000 start 2 at 1050", "2000 ask 8:*=1", "3000 ask 8:*=0", "5000 ask 20:*=0", "8000 ask release 2", "9000 ask 32:*=1"})
	if c := h.Container(2); c.Tasks != 3 || c.BusyMS != 2500 {
		t.Errorf("%+v", c)
	}
}

// A kept container goes at once to a task that prefers its node or none, later to one of its rack, to others only where that is set; never to
// one that is larger, or less urgent than another that waits.
func TestReuseRules(t *testing.T) {
	prefers := func(nodes ...int32) trace.Stage {
		st := stageOf(0, nil, 1000, 1000)
		st.Tasks.SetPrefs([][]int32{{0}, nodes})
		return st
	}
	large := stageOf(0, nil, 1000, 1000)
	large.Tasks.MemMiB = []int64{trace.Unset, 2048}
	first, second := stageOf(0, nil, 1000), stageOf(1, nil, 1000)
	first.Priority, second.Priority = 2, 1
	for _, tt := range []struct {
		name   string
		over   map[string]string
		stages []trace.Stage
		want   string // the second attempt; "" for none
	}{
		{"its node", nil, []trace.Stage{prefers(0)}, "0.1#0 2050-3050"},
		{"its rack", nil, []trace.Stage{prefers(1)}, "0.1#0 2300-3300"},
		{"its rack, not wanted", map[string]string{keyRack: "false"}, []trace.Stage{prefers(1)}, ""},
		{"elsewhere", nil, []trace.Stage{prefers(2)}, ""},
		{"elsewhere, wanted", map[string]string{keyNonLocal: "true"}, []trace.Stage{prefers(2)}, "0.1#0 2550-3550"},
		{"too large", nil, []trace.Stage{large}, ""},
		{"more urgent", nil, []trace.Stage{first, second}, "1.0#0 2050-3050"},
		{"not used again", map[string]string{keyReuse: "false"}, []trace.Stage{prefers(0)}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := reusing(t, tt.over, tt.stages...)
			h.Run(500)
			h.Grant(0, 2, gib)
			h.Run(10_000)
			got := ""
			if list := told(h); len(list) > 1 {
				got = strings.TrimSuffix(list[1], " "+record.TaskSuccess)
			}
			if got != tt.want {
				t.Errorf("%q, want %q\n%v", got, tt.want, h.Log)
			}
		})
	}
}

// Keys have their own types; those that nobody follows are named.
func TestConf(t *testing.T) {
	for key, want := range map[string]string{keyReuse: `want true or false`, keyDelay: "want a whole number from 0 to", keyHeartbeat: "want a whole number from 1 to"} {
		if _, err := NewConf(map[string]string{key: "x"}); err == nil || !strings.Contains(err.Error(), key+` is "x", `+want) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if err := (&UnknownKey{"tez.am.container.reuse.enable"}).Error(); !strings.Contains(err, "did you mean "+keyReuse+"?") {
		t.Error(err)
	}
}
