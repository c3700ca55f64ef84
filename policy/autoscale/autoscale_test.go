package autoscale

import (
	"fmt"
	"strings"
	"testing"

	"replay/policy/resource"
)

func settings(text string) Settings {
	s := Settings{}
	for i, f := range strings.Fields(text) {
		key, value, _ := strings.Cut(f, "=")
		s[key] = Setting{value, fmt.Sprintf("x.yaml:%d", i+1)}
	}
	return s
}

const yarn = "basicAlgorithm.yarnConfig."

// rule has what a policy of Dataproc must say.
const rule = "workerConfig.maxInstances=100 " + yarn + "gracefulDecommissionTimeout=1h " + yarn + "scaleUpFactor=0.5 " + yarn + "scaleDownFactor=0.5 "

func plan(t *testing.T, name, text string) *Plan {
	t.Helper()
	p, err := New(name, settings(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDataprocRounds has the examples of Google's documentation.
func TestDataprocRounds(t *testing.T) {
	d := plan(t, "dataproc", rule).Policy.(*dataproc)
	for estimated, want := range map[int64]int64{5: 3, 1: 1, 0: 0, -5: -2, -1: 0, -2: -1} {
		if got := d.actual(estimated); got != want {
			t.Errorf("an estimated change of %d with a factor of 0.5 is one of %d, want %d", estimated, got, want)
		}
	}
}

// TestDataprocFraction has the example of the API's reference: in a cluster of 20 workers a fraction of 0.1 wants a change of 2 at least.
func TestDataprocFraction(t *testing.T) {
	d := plan(t, "dataproc", rule+yarn+"scaleUpMinWorkerFraction=0.1 "+yarn+"scaleDownMinWorkerFraction=0.1").Policy.(*dataproc)
	for delta, want := range map[int64]bool{1: false, 2: true, -1: false, -2: true} {
		if got := d.enough(delta, 20); got != want {
			t.Errorf("a change of %d in a cluster of 20: %t, want %t", delta, got, want)
		}
	}
	if d := plan(t, "dataproc", rule).Policy.(*dataproc); !d.enough(1, 20) || !d.enough(-1, 20) {
		t.Error("without a fraction any change is made")
	}
}

// shown is a cluster of workers of 10 GiB and 4 vcores.
func shown(now int64, active, pending, allocated int64) *Shown {
	s := &Shown{Now: now * second, Worker: resource.R(10, 4), Active: Counts{int(active), 0}, Pending: resource.R(pending, pending/5), Allocated: resource.R(allocated, allocated/10)}
	s.Available = resource.R(10*active-allocated, 4*active-allocated/10)
	return s
}

func TestDataprocOverAPeriod(t *testing.T) {
	for _, tt := range []struct {
		name    string
		more    string
		samples []*Shown // every 40 s, the last at the end of the period of two minutes
		want    Counts
	}{
		{"pending memory for 10 workers, factor 1", yarn + "scaleUpFactor=1", []*Shown{shown(40, 5, 100, 50), shown(80, 5, 100, 50), shown(120, 5, 100, 50)}, Counts{10, 0}},
		{"half of it", "", []*Shown{shown(40, 5, 100, 50), shown(80, 5, 100, 50), shown(120, 5, 100, 50)}, Counts{5, 0}},
		{"pending in one of three samples: 100/3 of it counts", yarn + "scaleUpFactor=1", []*Shown{shown(40, 5, 0, 50), shown(80, 5, 100, 50), shown(120, 5, 0, 50)}, Counts{4, 0}},
		{"what is available counts while something is pending", yarn + "scaleUpFactor=1", []*Shown{shown(40, 5, 20, 30), shown(80, 5, 20, 30), shown(120, 5, 20, 30)}, Counts{2, 0}},
		{"nothing pending: 3 of 10 workers are in use", yarn + "scaleDownFactor=1", []*Shown{shown(40, 10, 0, 30), shown(80, 10, 0, 30), shown(120, 10, 0, 30)}, Counts{-7, 0}},
		{"half of that, rounded towards zero", "", []*Shown{shown(40, 10, 0, 30), shown(80, 10, 0, 30), shown(120, 10, 0, 30)}, Counts{-3, 0}},
		{"never below the minimum", yarn + "scaleDownFactor=1 workerConfig.minInstances=8", []*Shown{shown(40, 10, 0, 0), shown(80, 10, 0, 0), shown(120, 10, 0, 0)}, Counts{-2, 0}},
		{"never above the maximum", yarn + "scaleUpFactor=1 workerConfig.maxInstances=7", []*Shown{shown(40, 5, 900, 50), shown(80, 5, 900, 50), shown(120, 5, 900, 50)}, Counts{2, 0}},
		{"a factor of 0 removes nothing", yarn + "scaleDownFactor=0", []*Shown{shown(40, 10, 0, 0), shown(80, 10, 0, 0), shown(120, 10, 0, 0)}, Counts{}},
		{"vcores want more than memory", yarn + "scaleUpFactor=1 coresBased=true", []*Shown{shown(120, 5, 500, 50)}, Counts{50, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := plan(t, "dataproc", rule+tt.more)
			for i, s := range tt.samples {
				c := p.Policy.Evaluate(s)
				if last := i == len(tt.samples)-1; !last && c != (Change{}) {
					t.Errorf("a change of %v before the period has passed", c)
				} else if last && c.Nodes != tt.want {
					t.Errorf("the change is %v, want %v", c.Nodes, tt.want)
				}
			}
		})
	}
}

// A period begins when the nodes of the update before have come.
func TestDataprocWaitsForItsUpdate(t *testing.T) {
	p := plan(t, "dataproc", rule)
	step := func(at int64, coming, leaving int, want Change) {
		t.Helper()
		s := shown(at, 5, 100, 50)
		s.Coming[Primary], s.Leaving[Primary] = coming, leaving
		if got := p.Policy.Evaluate(s); got != want {
			t.Errorf("at %d s: %+v, want %+v", at, got, want)
		}
	}
	up := Change{Nodes: Counts{5, 0}, PatienceMS: 60 * minute}
	step(120, 0, 0, up)
	step(200, 5, 0, Change{})
	step(240, 5, 0, Change{})
	step(250, 0, 0, Change{})
	step(360, 0, 0, Change{})
	step(370, 0, 0, up)
	step(380, 0, 5, Change{}) // as many are wanted as are leaving
	step(490, 0, 5, Change{Cancel: true})
	step(500, 0, 0, Change{})
	step(510, 0, 6, Change{})
	step(630, 0, 6, Change{}) // fewer are
}

func TestDataprocSplitsByWeight(t *testing.T) {
	for _, tt := range []struct {
		more    string
		have    Counts
		workers int64
		want    Counts
	}{
		{"secondaryWorkerConfig.maxInstances=100", Counts{2, 0}, 12, Counts{4, 6}},
		{"secondaryWorkerConfig.maxInstances=100 workerConfig.weight=2 secondaryWorkerConfig.weight=1", Counts{2, 0}, 12, Counts{6, 4}},
		{"secondaryWorkerConfig.maxInstances=100 workerConfig.weight=1", Counts{2, 0}, 12, Counts{10, 0}},
		{"secondaryWorkerConfig.maxInstances=0", Counts{2, 0}, 12, Counts{10, 0}},
		{"secondaryWorkerConfig.maxInstances=3", Counts{2, 0}, 12, Counts{7, 3}},
		{"workerConfig.maxInstances=2 secondaryWorkerConfig.maxInstances=100", Counts{2, 0}, 12, Counts{0, 10}},
		{"secondaryWorkerConfig.maxInstances=100", Counts{2, 20}, 12, Counts{0, -10}},
		{"secondaryWorkerConfig.maxInstances=100", Counts{20, 2}, 12, Counts{-10, 0}},
		{"secondaryWorkerConfig.maxInstances=100", Counts{20, 2}, 30, Counts{0, 8}},
		{"secondaryWorkerConfig.maxInstances=5", Counts{120, 0}, 120, Counts{-20, 5}}, // out of its bounds
	} {
		d := plan(t, "dataproc", rule+tt.more).Policy.(*dataproc)
		if got := d.split(tt.have, tt.workers); got != tt.want {
			t.Errorf("%s: from %v to %d workers: %v, want %v", tt.more, tt.have, tt.workers, got, tt.want)
		}
	}
}

func TestEMR(t *testing.T) {
	p := plan(t, "emr-managed", "ComputeLimits.MinimumCapacityUnits=2 ComputeLimits.MaximumCapacityUnits=12 ComputeLimits.MaximumCoreCapacityUnits=6 scaleDownAfter=20s")
	step := func(s *Shown, want Counts) {
		t.Helper()
		if got := p.Policy.Evaluate(s).Nodes; got != want {
			t.Errorf("at %d: %v, want %v", s.Now, got, want)
		}
	}
	step(shown(10, 5, 35, 45), Counts{1, 2}) // 30 more than is available; one core node is left, then task nodes
	step(shown(20, 5, 500, 50), Counts{1, 6})
	step(shown(30, 5, 5, 45), Counts{})
	step(shown(40, 5, 0, 10), Counts{})
	step(shown(50, 5, 0, 25), Counts{})
	step(shown(60, 5, 0, 0), Counts{-2, 0}) // two had room to spare all the time
	s := shown(70, 2, 0, 0)
	s.Active = Counts{1, 3}
	step(s, Counts{})
	s.Now += 20 * second
	step(s, Counts{0, -2}) // task nodes go first, and two stay
}

func TestSchedule(t *testing.T) {
	p := plan(t, "schedule", "every=24h steps.8h=40+10 steps.20h=5")
	at := func(hours int64, active, coming Counts) Counts {
		return p.Policy.Evaluate(&Shown{Now: hours * 60 * minute, Active: active, Coming: coming}).Nodes
	}
	for _, tt := range []struct {
		hours          int64
		active, coming Counts
		want           Counts
	}{
		{7, Counts{3, 0}, Counts{}, Counts{}},
		{8, Counts{3, 0}, Counts{}, Counts{37, 10}},
		{9, Counts{3, 0}, Counts{37, 10}, Counts{}},
		{20, Counts{40, 10}, Counts{}, Counts{-35, -10}},
		{25, Counts{6, 0}, Counts{}, Counts{-1, 0}},
		{32, Counts{5, 0}, Counts{}, Counts{35, 10}},
	} {
		if got := at(tt.hours, tt.active, tt.coming); got != tt.want {
			t.Errorf("at %d h: %v, want %v", tt.hours, got, tt.want)
		}
	}
	if p.Max != (Counts{40, 10}) {
		t.Errorf("at most %v", p.Max)
	}
	if c := p.Policy.Evaluate(&Shown{Now: 8 * 60 * minute, Leaving: Counts{1, 0}}); !c.Cancel {
		t.Error("nodes that leave are wanted again")
	}
}

// TestSettings: a mistake says where it stands, the key, the value and what is wanted.
func TestSettings(t *testing.T) {
	for _, tt := range []struct{ policy, text, want string }{
		{"dataproc", rule + yarn + "scaleUpFactor=1.5", "x.yaml:5: basicAlgorithm.yarnConfig.scaleUpFactor is \"1.5\", want a decimal number from 0.0 to 1.0"},
		{"dataproc", rule + "basicAlgorithm.cooldownPeriod=1m", "is \"1m\", want a time from 2m0s to 24h0m0s"},
		{"dataproc", rule + yarn + "gracefulDecommissionTimeout=2d", "is \"2d\", want a time from 0s to 24h0m0s"},
		{"dataproc", rule + "workerConfig.minInstances=1", "workerConfig.minInstances is \"1\", want a number from 2 to 100"},
		{"dataproc", rule + "workerConfig.maxInstance=9", "x.yaml:5: workerConfig.maxInstance=9 is no key of autoscaling dataproc, want one of basicAlgorithm.cooldownPeriod, "},
		{"dataproc", "workerConfig.maxInstances=9", "autoscaling dataproc: basicAlgorithm.yarnConfig.gracefulDecommissionTimeout, basicAlgorithm.yarnConfig.scaleUpFactor, basicAlgorithm.yarnConfig.scaleDownFactor are missing: want a value of each in the file of --autoscale-conf, or in --conf autoscale.basicAlgorithm.yarnConfig.gracefulDecommissionTimeout=VALUE"},
		{"dataproc", rule + "provisioningTime=3m..60s", "want a time such as 90s, or two as 60s..3m"},
		{"dataproc", rule + "workerType=16", "workerType is \"16\", want MEMORYxVCORES"},
		{"emr-managed", "ComputeLimits.UnitType=VCPU ComputeLimits.MinimumCapacityUnits=1 ComputeLimits.MaximumCapacityUnits=2", "want Instances, the only unit that is modelled"},
		{"schedule", "", "steps.TIME is missing"},
		{"schedule", "steps.8h=many", "x.yaml:1: steps.8h is \"many\", want a number of nodes"},
		{"schedule", "every=24h steps.25h=1", "x.yaml:2: steps.25h"},
		{"out/policy.yaml", "", "(known: none, dataproc, emr-managed, schedule); a file of settings goes to --autoscale-conf"},
		{"more", "", "unknown autoscaling \"more\" (known: none, dataproc, emr-managed, schedule)"},
	} {
		_, err := New(tt.policy, settings(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s: %v, want %q", tt.policy, tt.text, err, tt.want)
		}
	}
	for _, of := range []string{"", rule} {
		if p, err := New("none", settings(of)); p != nil || err != nil {
			t.Errorf("none is %v, %v", p, err)
		}
	}
	p := plan(t, "dataproc", rule+"id=x labels.a=b provisioningTime=60s..2m workerType=100x4 basicAlgorithm.cooldownPeriod=240s")
	if p.ProvisionMS != 60_000 || p.ProvisionMax != 120_000 || p.Size != [Groups]Size{{100, 4}, {100, 4}} || p.Resolved["basicAlgorithm.cooldownPeriod"] != "240s" || p.Resolved["interval"] != "10s" {
		t.Errorf("%+v", p)
	}
}
