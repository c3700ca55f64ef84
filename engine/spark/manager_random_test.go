package spark

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replay/engine/protocol"
	"replay/engine/spark/conf"
)

// driverEvent is one listener event at a time.
type driverEvent struct {
	at    int64
	apply func(m managed)
}

// drawEvents returns the events of an application that could be.
func drawEvents(t *rapid.T, profiles int) []driverEvent {
	var events []driverEvent
	now, stages, lastExec := int64(0), int32(0), int32(0)
	var execs []int32
	type task struct {
		stage, attempt, index, exec int32
		speculative                 bool
	}
	var running []task
	retried := map[int32]bool{} // an attempt is submitted once
	pick := func(n int, name string) int { return rapid.IntRange(0, n-1).Draw(t, name) }
	some := func(n int32, name string) int32 { return int32(pick(int(n), name)) }
	attempt := func() int32 { return int32(pick(6, "attempt") / 5) }
	active := func() bool { return pick(8, "active") > 0 }
	for range rapid.IntRange(1, 60).Draw(t, "events") {
		now += rapid.SampledFrom([]int64{0, 1, 99, 100, 101, 700, 1000, 2500, 10_000, 61_000}).Draw(t, "pause")
		at := now
		var apply func(m managed)
		switch kind := pick(13, "kind"); {
		case kind == 0 || stages == 0:
			s, tasks, p := stages, rapid.IntRange(1, 40).Draw(t, "tasks"), some(int32(profiles), "profile")
			shuffle := int32(pick(4, "shuffle") - 1)
			stages++
			apply = func(m managed) {
				m.JobStart(s, []ShuffleStage{{s, shuffle}, {s + 1, NoShuffle}})
				m.StageSubmitted(at, s, 0, p, tasks, StageHints{LocalTasks: 1, Hosts: []HostTasks{{protocol.Name(s%3 + 1), 2}, {protocol.Name(s%2 + 4), 1}}})
			}
		case kind == 1:
			s, a, p, again := some(stages, "stage"), attempt(), some(int32(profiles), "profile"), pick(3, "again") == 0
			again = again && !retried[s]
			retried[s] = retried[s] || again
			apply = func(m managed) {
				m.StageCompleted(s, a)
				if again {
					m.StageSubmitted(at, s, 1, p, 3, StageHints{})
				} else {
					m.JobEnd(s)
				}
			}
		case kind <= 3:
			lastExec++
			e, p := lastExec, some(int32(profiles), "profile")
			execs = append(execs, e)
			apply = func(m managed) { m.ExecutorAdded(at, e, p) }
		case kind == 4 && len(execs) > 0:
			i := pick(len(execs), "executor")
			e, twice := execs[i], pick(4, "twice") == 0
			execs = slices.Delete(execs, i, i+1)
			apply = func(m managed) {
				m.ExecutorRemoved(e)
				if twice {
					m.ExecutorRemoved(e)
					m.ExecutorRemoved(e + 1000)
				}
			}
		case kind <= 7 && len(execs) > 0:
			k := task{some(stages, "stage"), attempt(), int32(pick(8, "index")), execs[pick(len(execs), "executor")], pick(4, "speculative") == 0}
			running = append(running, k)
			own := active()
			apply = func(m managed) { m.TaskStart(at, k.stage, k.attempt, k.index, k.exec, k.speculative, own) }
		case kind <= 9 && len(running) > 0:
			i := pick(len(running), "task")
			k, end := running[i], TaskEnd(pick(3, "end"))
			running = slices.Delete(running, i, i+1)
			apply = func(m managed) { m.TaskEnd(at, k.stage, k.attempt, k.index, k.exec, k.speculative, end) }
		case kind == 10 && len(execs) > 0:
			e, rdd, split, valid := execs[pick(len(execs), "executor")], int32(pick(2, "rdd")), int32(pick(2, "split")), pick(3, "valid") > 0
			onDisk, own := pick(2, "on disk") == 0, active()
			apply = func(m managed) { m.BlockUpdated(e, rdd, split, valid, onDisk, own) }
		case kind == 11 && pick(4, "unknown") == 0: // seen before it was added
			lastExec++
			e, own := lastExec, active()
			apply = func(m managed) { m.BlockUpdated(e, 0, 0, true, false, own) }
			if pick(2, "task") == 0 {
				apply = func(m managed) { m.TaskStart(at, 0, 0, 0, e, false, own) }
			}
			execs = append(execs, e)
			if pick(2, "added") == 0 {
				lastExec--
				execs = execs[:len(execs)-1]
			}
		default:
			s, a, n := some(stages, "stage"), attempt(), int32(pick(8, "index"))
			switch pick(7, "other") {
			case 0:
				apply = func(m managed) { m.SpeculativeTaskSubmitted(at, s, a, n) }
			case 1:
				apply = func(m managed) { m.UnschedulableAdded(at, s, a) }
			case 2:
				apply = func(m managed) { m.UnschedulableRemoved(s, a) }
			case 3:
				apply = func(m managed) { m.ShuffleCleaned(s % 4) }
			case 4:
				e, own := n+1, active()
				apply = func(m managed) { m.ShuffleMoved(e, s%3, own) }
			case 5:
				if pick(4, "reset") == 0 {
					apply = func(m managed) { m.Reset() }
					execs = nil
					break
				}
				fallthrough
			default:
				apply = func(m managed) { m.UnpersistRDD(n % 2) }
			}
		}
		events = append(events, driverEvent{at, apply})
	}
	return events
}

// drawConf returns settings of dynamic allocation.
func drawConf(t *rapid.T) *conf.Conf {
	c := dynamicConf(t,
		"minExecutors", rapid.SampledFrom([]string{"0", "1", "3"}).Draw(t, "min"),
		"initialExecutors", rapid.SampledFrom([]string{"0", "2", "4"}).Draw(t, "initial"),
		"maxExecutors", rapid.SampledFrom([]string{"4", "20"}).Draw(t, "max"),
		"executorAllocationRatio", rapid.SampledFrom([]string{"1.0", "0.5"}).Draw(t, "ratio"),
		"schedulerBacklogTimeout", rapid.SampledFrom([]string{"1", "2"}).Draw(t, "backlog"),
		"sustainedSchedulerBacklogTimeout", rapid.SampledFrom([]string{"1", "3"}).Draw(t, "sustained"),
		"executorIdleTimeout", rapid.SampledFrom([]string{"0", "2", "60"}).Draw(t, "idle"),
		"cachedExecutorIdleTimeout", "70",
		"shuffleTracking.timeout", rapid.SampledFrom([]string{"5s", "9223372036854775807"}).Draw(t, "shuffle"))
	c.ShuffleService = rapid.Bool().Draw(t, "service")
	c.ShuffleServiceFetchRDD = rapid.Bool().Draw(t, "service serves blocks")
	c.Decommission = rapid.Bool().Draw(t, "decommission")
	return c
}

// The manager does as the plain one, whatever happens, and whatever happened to the manager whose memory it has.
func TestManagerAgainstPlainTables(t *testing.T) {
	got := new(Manager)
	rapid.Check(t, func(t *rapid.T) {
		c := drawConf(t)
		perExec := []int{2, 1, 3}[:rapid.IntRange(1, 3).Draw(t, "profiles")]
		bad := rapid.IntRange(2, 9).Draw(t, "refused")
		refuse := func(call int) bool { return call%bad == 1 }
		wb, gb := &scriptBackend{refuse: refuse}, &scriptBackend{refuse: refuse}
		want := newPlainManager(c, perExec, wb)
		got.Renew(c, perExec, gb)
		compare := func(at int64, what string) {
			state := func(target map[int32]int, add int64, initializing bool) string {
				return fmt.Sprint("targets ", target, ", add time ", add, ", initializing ", initializing)
			}
			targets := map[int32]int{}
			for p := range perExec {
				if n, toAdd, ok := got.Target(int32(p)); ok {
					targets[int32(p)] = n
					if toAdd != want.toAdd[int32(p)] {
						t.Fatalf("at %d, %s: the next step of profile %d is %d, want %d", at, what, p, toAdd, want.toAdd[int32(p)])
					}
				}
				if a, b := want.MaxNeeded(int32(p)), got.MaxNeeded(int32(p)); a != b {
					t.Fatalf("at %d, %s: profile %d needs %d, want %d", at, what, p, b, a)
				}
				a, b := want.hintsOf(int32(p)), got.profiles[p].hints
				if a.LocalTasks != b.LocalTasks || !slices.Equal(a.Hosts, b.Hosts) {
					t.Fatalf("at %d, %s: hints of profile %d are %+v, want %+v", at, what, p, b, a)
				}
			}
			if d := cmp.Diff(state(want.target, want.addTime, want.initializing), state(targets, got.AddTime(), got.initializing)); d != "" {
				t.Fatalf("at %d, %s: state (-want +got)\n%s", at, what, d)
			}
			tracked, killed := got.Executors()
			var pending []int32
			for _, e := range slices.Sorted(maps.Keys(want.execs)) {
				x, y := want.execs[e], &got.monitor.executors[e]
				if !y.tracked || x.deadline != y.deadline || x.profile != y.profile || x.activeShuffle != y.activeShuffle || x.decommissioning != y.decommissioning {
					t.Fatalf("at %d, %s: executor %d is %+v, want %+v", at, what, e, *y, *x)
				}
				if x.pendingRemoval {
					pending = append(pending, e)
				}
			}
			if tracked != len(want.execs) || !slices.Equal(killed, pending) {
				t.Fatalf("at %d, %s: %d executors, %v being killed; want %d, %v", at, what, tracked, killed, len(want.execs), pending)
			}
			if d := cmp.Diff(wb.log, gb.log); d != "" {
				t.Fatalf("at %d, %s: calls (-want +got)\n%s", at, what, d)
			}
		}
		tick := int64(0)
		for i, e := range append(drawEvents(t, len(perExec)), driverEvent{math.MaxInt64, func(managed) {}}) {
			for n := 0; n < 20 && tick < e.at; n++ {
				want.Tick(tick)
				if total, hints, ok := got.Lowers(tick); ok && !refuse(len(gb.log)) {
					gb.RequestTotal(tick, &TotalRequest{Profiles: []ProfileTotal{{Total: total, Hints: *hints}}})
					if next, due := got.Lower(total), got.NextInteresting(tick); next != due {
						t.Fatalf("at %d: after a tick that lowered the target to %d the next is due at %d, want %d", tick, total, next, due)
					}
				} else {
					got.Tick(tick)
				}
				tick += TickInterval * int64(1+n*n/4) // up to a minute, more slowly at first
			}
			compare(tick, "ticks")
			if e.at == math.MaxInt64 {
				break
			}
			tick = e.at
			e.apply(want)
			e.apply(got)
			compare(e.at, fmt.Sprint("event ", i))
		}
	})
}
