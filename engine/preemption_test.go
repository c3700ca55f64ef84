package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"replay/engine/random"
	"replay/engine/scenario"
)

// randomStarving is a cluster of randomFair or randomDense whose queues are starved soon.
func randomStarving(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	of := randomFair
	if seed%2 == 0 {
		of = randomDense
	}
	in, o := of(r, seed)
	o.Conf["yarn.scheduler.fair.preemption"] = "true"
	file := o.Files["fair-scheduler.xml"]
	soon := fmt.Sprintf("<defaultFairSharePreemptionTimeout>%d</defaultFairSharePreemptionTimeout><defaultFairSharePreemptionThreshold>0.9</defaultFairSharePreemptionThreshold></allocations>", r.IntN(4))
	file.Text = []byte(strings.Replace(string(file.Text), "</allocations>", soon, 1))
	o.Files = scenario.Files{"fair-scheduler.xml": file}
	return in, o
}

func TestEnginesDecideAlikeWhereQueuesStarve(t *testing.T) {
	decideAlike(t, randomStarving, append(more((*seeds+4)/5), 19, 2060)) // where marked containers are killed, and claims outlive an attempt
}

// TestPreemptionWithoutTimeouts: preemption decides nothing where no queue has a timeout, so that a scenario may turn it off there.
func TestPreemptionWithoutTimeouts(t *testing.T) {
	tried := 0
	for _, seed := range more((*seeds + 4) / 5) {
		in, o := randomFair(random.Stream(seed, "no timeouts"), seed)
		o.Conf["yarn.scheduler.fair.preemption"] = "true"
		sc, err := scenario.New(in(), o)
		if err != nil {
			t.Fatal(err)
		}
		if sc.Site.Preemption { // there is one
			continue
		}
		tried++
		of := func(preempts bool) string {
			sc, err := scenario.New(in(), o)
			if err != nil {
				t.Fatal(err)
			}
			sc.Site.Preemption = preempts
			m, err := Run(t.Context(), sc, &keep{}, nil)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return m.DecisionHash
		}
		if off, on := of(false), of(true); off != on {
			t.Errorf("seed %d: decision hash %s without preemption, and %s with it, though no queue has a timeout", seed, off, on)
		}
	}
	if tried == 0 {
		t.Error("all clusters have a timeout")
	}
}

// TestPreemptionAfterACheckpoint: a state in which nothing can be preempted does not know since when who is below its share, so nothing goes on from it with a file that has timeouts.
func TestPreemptionAfterACheckpoint(t *testing.T) {
	in, o := randomFair(random.Stream(1, "no timeouts"), 1)
	o.Conf["yarn.scheduler.fair.preemption"] = "true"
	o.Files = scenario.Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte(`<allocations><queue name="a"/><queue name="b"/><queue name="c"><queue name="x"/><queue name="y"/></queue></allocations>`)}}
	o.Reloads = nil
	points, _, _ := pointsOf(t, in(), o, false, []int64{2000})
	if len(points) != 1 {
		t.Fatalf("%d checkpoints, want 1", len(points))
	}
	from := &Start{State: points[0].state, AtMS: points[0].at, Changed: true}
	for text, refused := range map[string]bool{`<weight>3</weight>`: false, `<fairSharePreemptionTimeout>1</fairSharePreemptionTimeout>`: true} {
		changed := o.Clone()
		changed.Reloads = []scenario.Reload{{AtMS: 3000, File: scenario.File{Name: "next.xml", Text: []byte(`<allocations><queue name="a">` + text + `</queue><queue name="b"/><queue name="c"><queue name="x"/><queue name="y"/></queue></allocations>`)}}}
		_, _, _, err := replayFrom(t, in(), changed, false, nil, from)
		if got := errors.Is(err, ErrState) && strings.Contains(err.Error(), "preempted"); got != refused || !refused && err != nil {
			t.Errorf("a file with %s after a state: refused %v, %v; want %v", text, got, err, refused)
		}
	}
}
