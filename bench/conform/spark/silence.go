package spark

import (
	"encoding/json"

	"replay/bench/conform/golden"
)

// silences are executors whose heartbeats end with their process, of which nobody tells the driver.
//
// Source: HeartbeatReceiver.expireDeadHosts.
var silences = golden.Kind{
	Name:  "silent executors",
	Of:    golden.AnswersOf("HeartbeatReceiver"),
	Match: func(_ string, first golden.Shape) bool { return first.Text("kind") == "silence" },
	Run:   golden.Cases(runSilence),
}

type silenceCase struct {
	ID        string
	Conf      map[string]json.RawMessage
	Made      int64            // when the driver was made, which looks at once for the first time
	Executors []silentExecutor // from 1
}

// silentExecutor sends heartbeats from its registration on.
type silentExecutor struct {
	Registered, Died int64
	Missed           int64 // the look at which the driver gives it up
}

func runSilence(c *silenceCase, out *golden.Results) {
	const host = "h1"
	for i, e := range c.Executors {
		r, err := newBackendRun(&backendCase{ID: c.ID, Conf: c.Conf, Racks: map[string]string{host: "/r1"}, Profiles: []backendProfile{{Cores: 1, CPUs: 1}}, Messages: []backendMessage{{Time: c.Made}}})
		if err != nil {
			out.AddDifferent(golden.Difference{Case: c.ID, Expected: "settings that are taken", Got: err.Error(), State: c.Conf})
			return
		}
		for _, m := range []backendMessage{{Op: "register", Time: e.Registered, Exec: 1, Host: host}, {Op: "disconnect", Time: e.Died, Exec: 1}} {
			if _, why := r.give(&m); why != "" {
				out.AddUnsupported(c.ID, why)
				return
			}
		}
		if got := r.Misses(1); got != e.Missed {
			out.AddDifferent(golden.Difference{Case: c.ID, Event: i, Expected: e.Missed, Got: got, State: e})
			return
		}
	}
	out.AddEqual()
}
