package eventlog

import (
	"cmp"
	"maps"
	"slices"

	"replay/trace/importer/workload"
)

// dag rebuilds the stages of an application and what each waited for.
// Source: DAGScheduler, and docs/model.md.
type dag struct {
	app    *appLog
	order  []int32         // ids of stages that ran, parents before children
	ran    map[int32]bool  // stages that ran; not those skipped at first and run again for lost output
	pos    map[int32]int32 // id -> position in order
	job    map[int32]*jobLog
	byRDD  map[int32][]int32 // id of a stage's own RDD -> stages that ran, ascending
	before map[int32]*jobLog // job -> the job it waited for, or nil
	drops  workload.Counter
	lost   map[int32]bool    // parents that were never announced
	made   map[int32][]int32 // see madeBy
}

func newDAG(a *appLog, drops workload.Counter) *dag {
	d := &dag{app: a, ran: map[int32]bool{}, job: map[int32]*jobLog{}, byRDD: map[int32][]int32{}, before: map[int32]*jobLog{}, lost: map[int32]bool{}, made: map[int32][]int32{}, drops: drops}
	ids := slices.Sorted(maps.Keys(a.stages))
	ids = slices.DeleteFunc(ids, func(id int32) bool {
		st := a.stages[id]
		if len(st.info.rdds) == 0 {
			return false
		}
		rdd := st.info.rdds[0].id
		if st.info.attempt > 0 && len(d.byRDD[rdd]) > 0 {
			drops["stages_run_again_for_lost_output"]++
			drops["tasks_run_again_for_lost_output"] += int64(len(st.parts))
			a.stages[d.byRDD[rdd][0]].absorb(st)
			return true
		}
		d.byRDD[rdd] = append(d.byRDD[rdd], id)
		return false
	})
	for _, id := range ids {
		d.ran[id] = true
	}
	d.jobsOfStages()
	d.jobOrder()
	d.sort(ids)
	return d
}

// jobsOfStages finds the job that submitted each stage: the first one that names it and had started.
func (d *dag) jobsOfStages() {
	for _, j := range d.app.jobs {
		for _, id := range j.stageIDs {
			if d.ran[id] && (d.job[id] == nil || j.id < d.job[id].id) {
				d.job[id] = j
			}
		}
	}
}

// jobOrder finds for each job the one whose end it waited for: the last that ended before it was
// submitted, of the same SQL execution, else of the same job group, else of all.
func (d *dag) jobOrder() {
	ended := slices.DeleteFunc(slices.Clone(d.app.jobs), func(j *jobLog) bool { return j.done == absent })
	slices.SortStableFunc(ended, func(a, b *jobLog) int { return cmp.Compare(a.done, b.done) })
	like := map[string][]*jobLog{}
	for _, j := range ended {
		for _, key := range j.control() {
			like[key] = append(like[key], j)
		}
	}
	for _, j := range d.app.jobs {
		for _, key := range j.control() {
			if d.before[j.id] = lastBefore(like[key], j); d.before[j.id] != nil {
				break
			}
		}
	}
}

// control names the threads of control that a job may belong to, the narrowest first.
func (j *jobLog) control() []string {
	switch {
	case j.execution != "":
		return []string{"sql " + j.execution, ""}
	case j.group != "":
		return []string{"group " + j.group, ""}
	}
	return []string{""}
}

// lastBefore returns the last of the jobs, sorted by end, that had ended when j was submitted.
func lastBefore(ended []*jobLog, j *jobLog) *jobLog {
	i, _ := slices.BinarySearchFunc(ended, j.at+1, func(k *jobLog, at int64) int { return cmp.Compare(k.done, at) })
	for i--; i >= 0; i-- {
		if ended[i].id < j.id {
			return ended[i]
		}
	}
	return nil
}

// canon returns the stage that ran and made the output of stage id: itself, or for a skipped one the
// stage with the same RDD; of several the one with the same name and size, then the first.
func (d *dag) canon(id int32) (int32, bool) {
	if d.ran[id] {
		return id, true
	}
	info := d.app.infos[id]
	if info == nil || len(info.rdds) == 0 {
		return 0, false
	}
	same := d.byRDD[info.rdds[0].id]
	for _, c := range same {
		if ran := d.app.stages[c].info; ran.name == info.name && ran.rdds[0].partitions == info.rdds[0].partitions {
			return c, true
		}
	}
	if len(same) > 0 {
		return same[0], true
	}
	return 0, false
}

// parents returns the stages that ran and whose output stage id reads, ascending.
func (d *dag) parents(id int32) []int32 {
	found := d.read(id)
	if i, own := slices.BinarySearch(found, id); own {
		found = slices.Delete(slices.Clone(found), i, i+1)
	}
	return found
}

// read returns the stages that ran and whose output a stage reads, itself or through others that were skipped, ascending. A skipped stage among its own
// parents leads nowhere.
func (d *dag) read(id int32) []int32 {
	info := d.app.infos[id]
	if info == nil {
		if !d.lost[id] {
			d.lost[id] = true
			d.drops["parent_stages_never_announced"]++
		}
		return nil
	}
	var found []int32
	for i, p := range info.parents {
		one := d.madeBy(p)
		if i == 0 {
			found = one // shared by all that read nothing else: chains of skipped stages are long
			continue
		}
		found = slices.Concat(found, one)
		slices.Sort(found)
		found = slices.Compact(found)
	}
	return found
}

// madeBy returns the stages that ran and made the output of a stage.
func (d *dag) madeBy(id int32) []int32 {
	if made, ok := d.made[id]; ok {
		return made
	}
	d.made[id] = nil
	if c, ok := d.canon(id); ok {
		d.made[id] = []int32{c}
	} else {
		d.made[id] = d.read(id)
	}
	return d.made[id]
}

// sort puts the stages into the order of their ids, or, where a child has a smaller id than a parent
// (a stage skipped in favour of a later one), parents first.
func (d *dag) sort(ids []int32) {
	d.pos = make(map[int32]int32, len(ids))
	state := map[int32]int{} // 1 = being visited, 2 = placed
	var place func(int32)
	place = func(id int32) {
		if state[id] != 0 {
			return
		}
		state[id] = 1
		for _, p := range d.parents(id) {
			place(p)
		}
		state[id] = 2
		d.pos[id] = int32(len(d.order))
		d.order = append(d.order, id)
	}
	for _, id := range ids {
		place(id)
	}
}

// lastStage returns the stage that ended job j: the one of its stages that ran with the largest id;
// for a job without one, that of the job before it.
func (d *dag) lastStage(j *jobLog) (int32, bool) {
	for ; j != nil; j = d.before[j.id] {
		best, ok := int32(0), false
		for _, id := range j.stageIDs {
			if _, ran := d.pos[id]; ran && (!ok || id > best) {
				best, ok = id, true
			}
		}
		if ok {
			return best, true
		}
	}
	return 0, false
}

// edges returns what stage id waited for, as positions: parents whose output it reads, and stages whose
// end the driver waited for first. readyAt is when the last of these was done, start if there are none, and
// absent if the log does not say.
func (d *dag) edges(id int32, start int64) (parents, after []int32, readyAt int64) {
	st, j := d.app.stages[id], d.job[id]
	readyAt = start
	inJob, known := false, true
	wait := func(end int64) {
		known = known && end != absent
		if len(parents)+len(after) == 1 { // the first
			readyAt = end
		}
		readyAt = max(readyAt, end)
	}
	for _, p := range d.parents(id) {
		at := d.app.stages[p].firstReady
		if d.pos[p] >= d.pos[id] || at != absent && at > st.first()+1000 && st.first() != absent {
			d.drops["parent_edges_against_time"]++
			continue
		}
		parents = append(parents, d.pos[p])
		wait(at)
		inJob = inJob || j != nil && d.job[p] == j
	}
	if j != nil && !inJob && d.before[j.id] != nil {
		if last, ok := d.lastStage(d.before[j.id]); ok && d.pos[last] < d.pos[id] {
			if !slices.Contains(parents, d.pos[last]) {
				after = append(after, d.pos[last])
			}
			wait(d.app.stages[last].completed)
		}
	}
	if !known {
		readyAt = absent
	}
	slices.Sort(parents)
	return parents, after, readyAt
}
