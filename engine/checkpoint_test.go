package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"replay/engine/random"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
	"replay/engine/spark/driver"
	"replay/policy/starlark"
	"replay/trace"
)

// TestStateCanBeWritten: nothing that a replay keeps is of a kind that cannot be written. A field that is added and holds a function, a channel or
// a type of another module must be given a rule.
func TestStateCanBeWritten(t *testing.T) {
	if _, err := stateCodec(); err != nil {
		t.Fatal(err)
	}
}

// What has no checkpoints is said before the replay begins.
func TestWhatHasNoCheckpoints(t *testing.T) {
	file, err := starlark.Read("newest.star", []byte(furtherScripts["newest.star"]))
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]scenario.Options{
		"the ideal scheduler":      {Scheduler: "ideal"},
		"policies of one's own":    {Scripts: []scenario.Script{{File: scenario.File{Name: "newest.star"}, Policy: file.Policy, Policies: file.Policies}}},
		"with recorded executors ": {Recorded: driver.Recorded{Executors: []driver.RecordedExecutor{}}},
	} {
		_, _, _, err := replayFrom(t, input(cluster(1, 1), nil, sparkJob(0, 0, 1, stage(0, 1, 1000, nil))), o, false, []int64{500}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("checkpoints of a replay: error %v, want one of %q", err, want)
		}
	}
}

// teller is a sink that keeps the text of what it is told, in order.
type teller struct{ told []string }

func (k *teller) Job(r *record.Job)             { k.tell(*r) }
func (k *teller) Container(r *record.Container) { k.tell(*r) }
func (k *teller) Task(r *record.Task)           { k.tell(*r) }
func (k *teller) Sample(r *record.Sample)       { k.tell(*r) }
func (k *teller) Node(r *record.Node)           { k.tell(*r) }
func (k *teller) Decision(r *record.Decision)   { k.tell(*r) }
func (k *teller) tell(r any)                    { k.told = append(k.told, fmt.Sprintf("%T%+v", r, r)) }

// explained is a teller that wants to know why applications wait.
type explained struct{ teller }

func (k *explained) Explains(int64) bool     { return true }
func (k *explained) Reason(r *record.Reason) { k.tell(*r) }

// point is a checkpoint of a test.
type point struct {
	at       int64
	arriving int64
	told     int // before it
	state    []byte
}

// pointsOf replays with checkpoints.
func pointsOf(t *testing.T, in scenario.Input, o scenario.Options, explain bool, at []int64) (points []point, told []string, manifest []byte) {
	t.Helper()
	points, told, manifest, err := replayFrom(t, in, o, explain, at, nil)
	if err != nil {
		t.Fatalf("seed %d: %v", o.Seed, err)
	}
	return points, told, manifest
}

func replayFrom(t *testing.T, in scenario.Input, o scenario.Options, explain bool, at []int64, from *Start) (points []point, told []string, manifest []byte, err error) {
	t.Helper()
	sc, err := scenario.New(in, o)
	if err != nil {
		t.Fatal(err)
	}
	k := &explained{}
	var sink record.Sink = &k.teller
	if explain {
		sink = k
	}
	m, err := RunFrom(t.Context(), sc, sink, nil, Checkpoints{At: at, From: from, Take: func(c *Checkpoint) error {
		var b bytes.Buffer
		err := c.Write(&b)
		points = append(points, point{c.AtMS, c.Arriving, len(k.told), b.Bytes()})
		return err
	}})
	if err != nil {
		return nil, nil, nil, err
	}
	if manifest, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	return points, k.told, manifest, nil
}

// randomClusters make replays of all kinds.
var randomClusters = map[string]func(*rand.Rand, uint64) (func() scenario.Input, scenario.Options){
	"fair": randomFair, "backlog": randomBacklog, "same millisecond": randomDense, "capacity": randomCapacity, "joining": randomJoining, "scaled": randomScaled, "settings": randomSettings, "further": randomFurther, "haste": randomHaste, "limits": randomLimits,
	"schedulers": func(_ *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
		c := scenariotest.Random(seed)
		return c.Input, c.Options
	},
}

// writable leaves out what has no checkpoints, see [CanCheckpoint].
func writable(o *scenario.Options) { o.Scripts, o.Recorded.Executors = nil, nil }

// anyCluster is a cluster of one of them, of each in turn.
func anyCluster(purpose string, seed uint64) (func() scenario.Input, scenario.Options) {
	names := slices.Sorted(maps.Keys(randomClusters))
	in, o := randomClusters[names[seed%uint64(len(names))]](random.Stream(seed, purpose), seed)
	return in, o
}

// TestCheckpoints: a replay that goes on from a checkpoint tells what the one that wrote it did from there, row by row, and comes to the same manifest; and one with
// checkpoints tells what one without does.
func TestCheckpoints(t *testing.T) {
	for name, cluster := range randomClusters {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			taken, executed, of := 0, int64(0), int64(0)
			for _, seed := range append(more((*seeds+9)/10), 53000154, 55003069) { // in the first of these an explanation has more heartbeats executed than are left; in the other one it is known until when searches come to nothing
				in, o := cluster(random.Stream(seed, "checkpoints"), seed)
				writable(&o)
				r := random.Stream(seed, "checkpoints of a test")
				explain := r.IntN(2) == 0
				o.Decisions = r.IntN(2) == 0
				if r.IntN(4) == 0 {
					o.Engine = scenario.Dense
				}
				_, want, manifest := pointsOf(t, in(), o, explain, nil)
				var m record.Manifest
				if err := json.Unmarshal(manifest, &m); err != nil {
					t.Fatal(err)
				}
				var at []int64
				for range 3 {
					at = append(at, r.Int64N(m.Totals.EndMS+2))
				}
				slices.Sort(at)
				points, told, again := pointsOf(t, in(), o, explain, at)
				tellSame(t, seed, "with checkpoints", told, want, again, manifest)
				for _, p := range points {
					taken++
					_, told, again, err := replayFrom(t, in(), o, explain, nil, &Start{State: p.state, AtMS: p.at})
					if err != nil {
						t.Fatalf("seed %d, from %d ms: %v", seed, p.at, err)
					}
					tellSame(t, seed, fmt.Sprintf("from %d ms", p.at), told, want[p.told:], again, manifest)
				}
				if o.Engine != scenario.Dense && len(points) > 0 {
					p := points[r.IntN(len(points))]
					_, _, again, err := replayFrom(t, in(), o, false, nil, &Start{State: stateWithout(t, in(), o, explain, p), AtMS: p.at, Dense: true})
					if err != nil {
						t.Fatalf("seed %d, dense from %d ms: %v", seed, p.at, err)
					}
					var d record.Manifest
					if err := json.Unmarshal(again, &d); err != nil {
						t.Fatal(err)
					}
					if explain { // for explanations more heartbeats are executed
						_, _, plain := pointsOf(t, in(), o, false, nil)
						if err := json.Unmarshal(plain, &m); err != nil {
							t.Fatal(err)
						}
					}
					if d.DecisionHash != m.DecisionHash || d.Totals.ExecutedHeartbeats < m.Totals.ExecutedHeartbeats || d.Totals.NodeHeartbeats != m.Totals.NodeHeartbeats {
						t.Fatalf("seed %d, dense from %d ms: decision hash %s and %d of %d heartbeats executed, by the fast engine %s and %d of %d", seed, p.at,
							d.DecisionHash, d.Totals.ExecutedHeartbeats, d.Totals.NodeHeartbeats, m.DecisionHash, m.Totals.ExecutedHeartbeats, m.Totals.NodeHeartbeats)
					}
					executed, of = executed+d.Totals.ExecutedHeartbeats, of+m.Totals.ExecutedHeartbeats
				}
				twice, _, _ := pointsOf(t, in(), o, explain, at)
				for i := range points {
					if !bytes.Equal(points[i].state, twice[i].state) {
						t.Fatalf("seed %d: two states at %d ms of one replay differ", seed, points[i].at)
					}
				}
			}
			if taken == 0 || executed <= of {
				t.Errorf("%d checkpoints were taken, and %d heartbeats executed where everything is, %d where it is not", taken, executed, of)
			}
		})
	}
}

// stateWithout is the state of a point without explanations.
func stateWithout(t *testing.T, in scenario.Input, o scenario.Options, explain bool, p point) []byte {
	t.Helper()
	if !explain {
		return p.state
	}
	points, _, _ := pointsOf(t, in, o, false, []int64{p.at})
	return points[0].state
}

func tellSame(t *testing.T, seed uint64, what string, got, want []string, manifest, other []byte) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("seed %d, %s: record %d of %d and %d is\n%s\nwant\n%s", seed, what, i, len(got), len(want), recordAt(got, i), recordAt(want, i))
		}
	}
	if !bytes.Equal(manifest, other) {
		t.Fatalf("seed %d, %s: the manifest is\n%s\nwant\n%s", seed, what, manifest, other)
	}
}

func recordAt(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}

// work is what the engine had to do for a replay. With a bar it is known of more heartbeats, from the beginning on, that nothing happens at them. With a reload in the queue of events, which the
// checkpoint does not have, what comes before it is looked for up to there: a pass of continuous scheduling may then do what a heartbeat would have done.
var work = regexp.MustCompile(`"(executed_[a-z_]+|visits|events)":[0-9]+,`)

// TestChangesAfterCheckpoints: a replay with a change that has an effect only after a checkpoint of the replay without it tells, from that checkpoint on, what it tells from
// the beginning; and up to there it is the same.
func TestChangesAfterCheckpoints(t *testing.T) {
	done := map[string]int{}
	// Have failed: a reload before the next event, with heartbeats in between; a heartbeat of a reserved node before the one whose offer counts.
	// A change of a container of a job that has fewer; one by which a heartbeat can be left out, which was executed without it. A container that is started
	// on its node when its application has gone ahead to its end. Heartbeats of ends that may be told late, in a replay in which none are. Other passes of continuous scheduling.
	for _, seed := range append([]uint64{4444, 71235, 15800018, 35500009, 15800182, 15600005, 40001642, 73001009}, more((*seeds+1)/2)...) {
		c := scenariotest.Random(seed)
		o := c.Options
		o.Decisions = true
		r := random.Stream(seed, "changes of a test")
		var at []int64
		for range 4 {
			at = append(at, 1+r.Int64N(60_000))
		}
		slices.Sort(at)
		job, node := r.IntN(len(c.Jobs)), r.IntN(len(c.Nodes))
		kind := []string{"without", "container", "keep", "reload"}[r.IntN(4)]
		text := map[string]string{"without": fmt.Sprintf("without job %d", job), "container": fmt.Sprintf("container %d of job %d not on %s", 1+r.IntN(9), job, c.Nodes[node].Host),
			"keep": "keep node " + c.Nodes[node].Host}[kind]
		changed := o.Clone()
		var later func(*point) bool
		if kind == "reload" {
			if o.Scheduler != "fair" {
				continue
			}
			from := at[2] + r.Int64N(5000)
			changed.Reloads = append(changed.Reloads, scenario.Reload{AtMS: from, File: scenario.File{Name: "next.xml", Text: []byte(`<allocations><queue name="a"><weight>7</weight></queue><queue name="b"/><queue name="c"><queue name="x"/><queue name="y"/></queue></allocations>`)}})
			later = func(p *point) bool { return p.at <= from }
		} else {
			change, err := scenario.ParseChange(text)
			if err != nil {
				t.Fatal(err)
			}
			changed.Changes = append(changed.Changes, change)
			later = func(p *point) bool {
				return change.Later(p.at, p.arriving, func() ([]trace.Node, []trace.NodeEvent) { return c.Nodes, c.Events })
			}
		}
		points, told, _ := pointsOf(t, c.Input(), o, false, at)
		var want []string
		var manifest []byte
		for i := range points {
			p := &points[i]
			if !later(p) {
				continue
			}
			if want == nil {
				_, want, manifest = pointsOf(t, c.Input(), changed, false, nil)
			}
			_, got, other, err := replayFrom(t, c.Input(), changed, false, nil, &Start{State: p.state, AtMS: p.at, Changed: true})
			if kind == "container" && errors.Is(err, ErrState) { // it has come, or its turn has
				continue
			}
			if err != nil {
				t.Fatalf("seed %d, %s, from %d ms: %v", seed, text, p.at, err)
			}
			tellSame(t, seed, text+": before the change", want[:p.told], told[:p.told], nil, nil)
			if kind == "container" || kind == "reload" && o.Conf["yarn.scheduler.fair.continuous-scheduling-enabled"] == "true" {
				other, manifest = work.ReplaceAll(other, nil), work.ReplaceAll(manifest, nil)
			}
			tellSame(t, seed, fmt.Sprintf("%s (%s), from %d ms", text, kind, p.at), got, want[p.told:], other, manifest)
			done[kind]++
			if kind == "container" && p.arriving < 0 {
				done["late"]++
			}
		}
	}
	for _, kind := range []string{"without", "container", "late", "keep", "reload"} {
		if done[kind] < 1 {
			t.Errorf("no %s was tried: %v", kind, done)
		}
	}
}
