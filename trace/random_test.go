package trace

import (
	"fmt"
	"math"

	"pgregory.net/rapid"
)

// randomTrace draws a small trace that follows all rules.
func randomTrace(t *rapid.T) *MemoryTrace {
	g := &draw{t}
	m := &MemoryTrace{Meta: Meta{
		OriginUnixMS:   rapid.SampledFrom([]int64{Unset, 0, 1700000000000}).Draw(t, "origin"),
		LocalitySource: rapid.SampledFrom([]string{LocalityRecorded, LocalityModelled, LocalityObserved, LocalityNone}).Draw(t, "locality"),
		DurationSource: rapid.SampledFrom([]string{DurationRecorded, DurationModelled}).Draw(t, "duration"),
	}}
	if g.yes() {
		m.Generator = &Generator{Tool: "test", Version: "1", Preset: "p", Seed: 7, Params: map[string]string{"b": "2", "a": "1"}}
	}
	if g.yes() {
		m.Source = &Source{Format: "f", Files: []SourceFile{{"a", "b"}}, Licence: "l", Notes: "n"}
	}
	nodes := g.n(1, 9)
	for i := range nodes {
		rack := int32(g.n(0, 2))
		n := Node{ID: int32(i), Host: fmt.Sprintf("host%d", i), RackID: rack, Rack: fmt.Sprintf("/rack%d", rack), MemMiB: int64(g.n(0, 1<<27)), VCores: int32(g.n(0, 64)), Present: g.yes()}
		for k := range g.n(0, 2) {
			n.Labels = append(n.Labels, fmt.Sprint("label", k))
			n.Extra = append(n.Extra, NamedValue{fmt.Sprint("gpu", k), int64(g.n(0, 8))})
		}
		m.Nodes = append(m.Nodes, n)
	}
	g.events(m)
	m.Queues = []Queue{NewQueue(0, "root")}
	for i := range g.n(0, 3) {
		m.Queues = append(m.Queues, Queue{
			ID: int32(i + 1), Path: fmt.Sprint("root.q", i), Parent: int32(g.n(-1, 0)), Weight: float64(g.n(0, 5)), MinMemMiB: int64(g.n(-1, 9)), MaxMemMiB: int64(g.n(9, 99)),
			MinVCores: Unset, MaxVCores: int32(g.n(-1, 9)), MaxApps: int32(g.n(-1, 9)), AMShare: float64(g.n(-1, 1)), Policy: g.of("", "fair", "drf", "fifo"),
		})
	}
	for i := range g.n(1, 3) {
		m.Users = append(m.Users, User{ID: int32(i), Name: fmt.Sprint("user", i), Weight: float64(g.n(1, 3))})
	}
	m.Users[0].Weight = math.NaN()
	for i := range g.n(0, 2) {
		m.Files = append(m.Files, File{ID: int32(i), Name: fmt.Sprint("file", i), Bytes: int64(g.n(0, 1<<50)), BlockBytes: 1 << 27, Blocks: 4, Replication: 3})
	}
	submit := int64(0)
	for i := range g.n(0, 12) {
		submit += int64(g.n(0, 5000))
		m.JobList = append(m.JobList, g.job(m, int64(i), submit))
	}
	for i := range m.JobList {
		for k := range g.n(0, 2) {
			m.ExecutorList = append(m.ExecutorList, Executor{
				Job: int64(i), ID: int32(k), Node: int32(g.n(0, nodes-1)), VCores: 1, MemMiB: 1024, AddedMS: 5, RemovedMS: g.of64(Unset, 5, 6), Reason: g.of("", "idle"),
			})
		}
	}
	if g.yes() {
		m.Attached = map[string][]byte{"fair-scheduler.xml": []byte("<allocations/>"), "import.json": {}}
	}
	return m
}

type draw struct{ t *rapid.T }

func (g *draw) n(lo, hi int) int           { return rapid.IntRange(lo, hi).Draw(g.t, "n") }
func (g *draw) yes() bool                  { return rapid.Bool().Draw(g.t, "yes") }
func (g *draw) of(v ...string) string      { return rapid.SampledFrom(v).Draw(g.t, "of") }
func (g *draw) of64(v ...int64) int64      { return rapid.SampledFrom(v).Draw(g.t, "of") }
func (g *draw) of32(v ...float32) float32  { return rapid.SampledFrom(v).Draw(g.t, "of") }
func (g *draw) optional(hi int) int        { return g.n(-1, hi) }
func (g *draw) before(n int) (ids []int32) { return g.distinct(n, 3) }
func (g *draw) distinct(n, most int) (ids []int32) {
	if n == 0 {
		return nil
	}
	return rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(n-1)), 0, min(n, most), rapid.ID).Draw(g.t, "distinct")
}

// events walks nodes through their states.
func (g *draw) events(m *MemoryTrace) {
	states := make([]nodeState, len(m.Nodes))
	for i, n := range m.Nodes {
		states[i] = nodeNever
		if n.Present {
			states[i] = nodeUp
		}
	}
	time := int64(0)
	for seq := range g.n(0, 10) {
		time += int64(g.n(0, 1000))
		e := NewNodeEvent(time, int32(g.n(0, len(m.Nodes)-1)), "")
		e.Seq, e.Reason, e.Group = int32(seq), g.of("", "rack"), int32(g.optional(3))
		var possible []EventKind
		for _, kind := range sortedKeys(nodeMoves) {
			for _, s := range nodeMoves[kind].from {
				if s == states[e.Node] {
					possible = append(possible, kind)
				}
			}
		}
		if len(possible) == 0 {
			continue
		}
		e.Kind = rapid.SampledFrom(possible).Draw(g.t, "kind")
		if to := nodeMoves[e.Kind].to; to != "" {
			states[e.Node] = to
		}
		switch e.Kind {
		case Capacity, Join, Recover:
			e.MemMiB = int64(g.n(0, 4096))
			e.VCores = int32(g.optional(8))
		case Drain:
			e.DrainTimeoutMS = int64(g.optional(100))
		}
		m.Events = append(m.Events, e)
	}
}

func (g *draw) job(m *MemoryTrace, id, submit int64) *Job {
	j := &Job{
		ID: id, SubmitMS: submit, User: int32(g.n(0, len(m.Users)-1)), Queue: int32(g.n(0, len(m.Queues)-1)), Priority: int32(g.n(-2, 9)),
		Kind: g.of(Kinds...), AMMemMiB: 1024, AMVCores: 1, ExecMemMiB: 2048, ExecVCores: int32(g.n(1, 4)), TaskCPUs: g32(g.of64(Unset, 1)),
		MinExecs: int32(g.optional(0)), MaxExecs: int32(g.n(5, 9)), InitialExecs: int32(g.optional(5)), ThinkMS: int64(g.optional(10)), TailMS: int64(g.optional(10)),
		Name: g.of("", "name", "ä"), ExternalID: g.of("", "app_1"), RecordedStartMS: Unset, RecordedFinishMS: Unset, RecordedOutcome: g.of("", "success", "failed"),
	}
	if j.Kind != KindSpark && g.yes() {
		j.ExecMemMiB, j.ExecVCores = Unset, Unset
	}
	if g.yes() {
		j.RecordedStartMS = submit + int64(g.n(0, 10))
		j.RecordedFinishMS = j.RecordedStartMS + int64(g.n(0, 10))
	}
	if id > 0 && g.yes() {
		j.DependsOn = []int64{int64(g.n(0, int(id)-1))}
	}
	for k := range g.n(0, 2) {
		j.Conf = append(j.Conf, KeyValue{fmt.Sprint("spark.key", k), g.of("", "true")})
	}
	for i := range g.n(1, 5) {
		j.Stages = append(j.Stages, g.stage(m, i))
	}
	if j.Kind == KindMapReduce {
		j.Stages = j.Stages[:min(len(j.Stages), 2)]
		for i := range j.Stages {
			j.Stages[i].Parents = []int32{0}[:i]
		}
	}
	return j
}

func g32(v int64) int32 { return int32(v) }

func (g *draw) stage(m *MemoryTrace, i int) Stage {
	s := Stage{
		ID: int32(i), Parents: g.before(i), After: g.before(i), DelayMS: int64(g.optional(100)), SparkJob: int32(g.optional(3)), Pool: g.of("", "pool"),
		TaskMemMiB: int64(g.n(0, 4096)), TaskVCores: int32(g.n(0, 4)), TaskMilliVCores: int32(g.optional(1500)), Kind: g.of(StageInput, StageShuffle, StageResult, StageGang),
		Priority: int32(g.optional(20)), StartFraction: g.of32(Unset, 0.05, 1), FileID: int32(g.optional(len(m.Files) - 1)), ShuffleReadBytes: int64(g.optional(1 << 40)),
		FreshFactor: g.of32(Unset, 1.5), FirstFactor: g.of32(Unset, 0, 4.9), CacheOf: int32(g.optional(i - 1)), Profile: int32(g.n(0, 1)), ExecMemMiB: int64(g.n(0, 9)), ExecVCores: int32(g.n(0, 2)), Name: g.of("", "scan"), ExternalID: g.of("", "3.0"),
	}
	if g.yes() {
		s.Extra = []NamedValue{{"gpu", 1}}
		s.ExecExtra, s.ExecTasks = []NamedValue{{"fpga", int64(g.n(0, 2))}, {"gpu", 1}}, int32(g.n(0, 3))
	}
	columns := [11]bool{}
	for k := range columns {
		columns[k] = g.n(0, 3) == 0
	}
	t := &s.Tasks
	anyPref := false
	for range g.n(0, 30) {
		t.DurationMS = append(t.DurationMS, int64(g.n(9, 1<<34)))
		t.InputBytes = append(t.InputBytes, int64(g.n(0, 1<<27)))
		if columns[0] {
			if len(t.PrefStart) == 0 {
				t.PrefStart = []int32{0}
			}
			prefs := g.distinct(len(m.Nodes), 3)
			anyPref = anyPref || len(prefs) > 0
			t.Pref = append(t.Pref, prefs...)
			t.PrefStart = append(t.PrefStart, int32(len(t.Pref)))
		}
		addIf(columns[1], &t.MemMiB, int64(g.optional(9)))
		addIf(columns[2], &t.VCores, int32(g.optional(9)))
		addIf(columns[3], &t.Retries, int32(g.optional(9)))
		addIf(columns[4], &t.RecordedWaitMS, int64(g.optional(9)))
		addIf(columns[5], &t.RecordedNode, int32(g.optional(len(m.Nodes)-1)))
		addIf(columns[6], &t.RecordedLocality, g.of("", "NODE_LOCAL", "ANY"))
		addIf(columns[7], &t.DeserializeMS, int64(g.optional(9)))
		addIf(columns[8], &t.SchedDelayMS, int64(g.optional(9)))
		addIf(columns[9], &t.ShuffleReadBytes, int64(g.optional(1<<30)))
		addIf(columns[10], &t.ShuffleWriteBytes, int64(g.optional(1<<30)))
	}
	normalTasks(t, anyPref)
	return s
}

func addIf[T any](yes bool, column *[]T, v T) {
	if yes {
		*column = append(*column, v)
	}
}

// normalTasks drops the optional columns that say nothing, as the reader does.
func normalTasks(t *Tasks, anyPref bool) {
	if !anyPref {
		t.PrefStart, t.Pref = nil, nil
	}
	dropIf(&t.MemMiB, Unset)
	dropIf(&t.VCores, Unset)
	dropIf(&t.Retries, Unset)
	dropIf(&t.RecordedWaitMS, Unset)
	dropIf(&t.RecordedNode, Unset)
	dropIf(&t.RecordedLocality, "")
	dropIf(&t.DeserializeMS, Unset)
	dropIf(&t.SchedDelayMS, Unset)
	dropIf(&t.ShuffleReadBytes, Unset)
	dropIf(&t.ShuffleWriteBytes, Unset)
}

func dropIf[T comparable](column *[]T, absent T) {
	for _, v := range *column {
		if v != absent {
			return
		}
	}
	*column = nil
}
