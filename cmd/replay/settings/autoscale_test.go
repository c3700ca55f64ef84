package settings

import (
	"replay/engine/scenario"
	"replay/policy/autoscale"
	"strings"
	"testing"
)

// Whatever a file of settings says, it is read or refused by the file's name, and every policy takes what was read or refuses it.
func FuzzAutoscaleSettings(f *testing.F) {
	f.Add([]byte("workerConfig: {minInstances: 2, maxInstances: 10}\nbasicAlgorithm:\n  cooldownPeriod: 4m\n  yarnConfig: {scaleUpFactor: 0.5, scaleDownFactor: 1.0, gracefulDecommissionTimeout: 1h}\n"))
	f.Add([]byte("ComputeLimits: {MinimumCapacityUnits: 2, MaximumCapacityUnits: 40}\n"))
	f.Add([]byte("every: 24h\nsteps: {8h: 40+10, 20h: 5}\n"))
	f.Add([]byte("a: &x {b: 1}\nc: *x\n<<: *x\nd: ~\ne: [1]\n? {f: g}\n: h\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := readSettings(scenario.File{Name: "x.yaml", Text: text})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.yaml:") {
				t.Errorf("%q: %v, want the file's name first", text, err)
			}
			return
		}
		for _, e := range autoscale.Autoscalers {
			if p, err := autoscale.New(e.Name, s); err == nil && p != nil && p.IntervalMS < 1 {
				t.Errorf("%q: %s looks every %d ms", text, e.Name, p.IntervalMS)
			}
		}
	})
}
