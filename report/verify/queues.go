package verify

import (
	"math"
	"strings"
)

// fairRow is what the metrics of queues need of a sample.
type fairRow struct {
	Time           int64  `parquet:"time_ms"`
	Queue          string `parquet:"queue"`
	UsedMem        int64  `parquet:"used_memory_mib"`
	UsedVCores     int64  `parquet:"used_vcores"`
	PendingMem     int64  `parquet:"pending_memory_mib"`
	PendingVCores  int64  `parquet:"pending_vcores"`
	DemandMem      int64  `parquet:"demand_memory_mib"`
	FairMem        *int64 `parquet:"fair_memory_mib"`
	SteadyMem      *int64 `parquet:"steady_memory_mib"`
	CapacityMem    int64  `parquet:"capacity_memory_mib"`
	CapacityVCores int64  `parquet:"capacity_vcores"`
}

// shared are integrals of the samples of a leaf queue: of its shares of the cluster over all sampled time and over contended time, and of what
// it was entitled to and had.
type shared struct {
	mem, vcores, pendingMS                        float64
	contendedMem, contendedVCores, contendedMost  float64
	entitled, within, received, entitledMS, below float64
}

// queueSums are those of all leaf queues, each sample of which holds until the next of the cluster: a queue that is in none of an instant has nothing then.
type queueSums struct {
	ms, contendedMS           float64
	jain, jainMS              float64
	jainDominant, jainDomMS   float64
	of                        map[string]*shared
	parents                   map[string]bool
	received, dominants       []float64 // scratch
	contending, all           []*fairRow
	capacityMem, capacityCore float64
}

// readQueues adds up the samples of queues.
func (v *verifier) readQueues() error {
	q := &queueSums{of: map[string]*shared{}, parents: map[string]bool{}}
	for _, name := range v.held.sampled {
		for i := strings.LastIndexByte(name, '.'); i > 0; i = strings.LastIndexByte(name[:i], '.') {
			q.parents[name[:i]] = true
		}
	}
	var instant []fairRow
	end := v.manifest.Totals.EndMS
	err := rows(v, "series.parquet", func(_ int64, r *fairRow) {
		if len(instant) > 0 && instant[0].Time != r.Time {
			q.add(instant, min(r.Time, end))
			instant = instant[:0]
		}
		kept := *r
		kept.Queue = strings.Clone(r.Queue)
		kept.FairMem, kept.SteadyMem = copied(r.FairMem), copied(r.SteadyMem)
		instant = append(instant, kept)
	})
	if len(instant) > 0 {
		q.add(instant, end)
	}
	v.queues = q
	return err
}

func copied(n *int64) *int64 {
	if n == nil {
		return nil
	}
	m := *n
	return &m
}

// part is a/b, and 0 of a cluster that has nothing.
func part(a int64, b float64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / b
}

// add integrates the samples of an instant until a time.
func (q *queueSums) add(instant []fairRow, until int64) {
	ms := float64(until - instant[0].Time)
	if ms < 0 {
		return
	}
	q.all, q.contending, q.received, q.dominants = q.all[:0], q.contending[:0], q.received[:0], q.dominants[:0]
	for i := range instant {
		switch r := &instant[i]; {
		case r.Queue == "":
			q.ms += ms
			q.capacityMem, q.capacityCore = float64(r.CapacityMem), float64(r.CapacityVCores)
		case !q.parents[r.Queue]:
			q.all = append(q.all, r)
			if r.PendingMem > 0 || r.PendingVCores > 0 {
				q.contending = append(q.contending, r)
			}
		}
	}
	contended := len(q.contending) >= 2
	if contended {
		q.contendedMS += ms
	}
	for _, r := range q.all {
		s := q.of[r.Queue]
		if s == nil {
			s = &shared{}
			q.of[r.Queue] = s
		}
		mem, vcores := part(r.UsedMem, q.capacityMem), part(r.UsedVCores, q.capacityCore)
		s.mem, s.vcores = s.mem+float64(mem*ms), s.vcores+float64(vcores*ms)
		if contended {
			s.contendedMem, s.contendedVCores, s.contendedMost = s.contendedMem+float64(mem*ms), s.contendedVCores+float64(vcores*ms), s.contendedMost+float64(max(mem, vcores)*ms)
		}
		if r.PendingMem > 0 || r.PendingVCores > 0 {
			s.pendingMS += ms
			if r.SteadyMem != nil && *r.SteadyMem > 0 && q.capacityMem > 0 {
				q.dominants = append(q.dominants, max(mem, vcores)/part(*r.SteadyMem, q.capacityMem))
			}
		}
		if r.FairMem == nil || min(*r.FairMem, r.DemandMem) <= 0 {
			continue
		}
		entitled, used := float64(min(*r.FairMem, r.DemandMem)), float64(r.UsedMem)
		q.received = append(q.received, used/entitled)
		s.entitled, s.within, s.received, s.entitledMS = s.entitled+float64(entitled*ms), s.within+float64(min(used, entitled)*ms), s.received+float64(used*ms), s.entitledMS+ms
		if used < 0.9*entitled {
			s.below += ms
		}
	}
	if index := jain(q.received); !math.IsNaN(index) {
		q.jain, q.jainMS = q.jain+float64(index*ms), q.jainMS+ms
	}
	if index := jain(q.dominants); !math.IsNaN(index) {
		q.jainDominant, q.jainDomMS = q.jainDominant+float64(index*ms), q.jainDomMS+ms
	}
}

// jain is Jain's index of two values or more of which one is above 0.
func jain(xs []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range xs {
		sum, squares = sum+x, squares+float64(x*x)
	}
	if len(xs) < 2 || squares == 0 {
		return math.NaN()
	}
	return sum * sum / (float64(len(xs)) * squares)
}

// quotients puts in the metrics of queues that are one number over another.
func (q *queueSums) quotients(out map[string][2]float64) {
	var all shared
	for name, s := range q.of {
		of := "[queue=" + name + "]"
		out["queue_memory_share"+of] = [2]float64{s.mem, q.ms}
		out["queue_vcores_share"+of] = [2]float64{s.vcores, q.ms}
		out["queue_pending_time_share"+of] = [2]float64{s.pendingMS, q.ms}
		out["queue_contended_memory_share"+of] = [2]float64{s.contendedMem, q.contendedMS}
		out["queue_contended_vcores_share"+of] = [2]float64{s.contendedVCores, q.contendedMS}
		out["queue_contended_dominant_share"+of] = [2]float64{s.contendedMost, q.contendedMS}
		out["fairness_received_ratio"+of] = [2]float64{s.received, s.entitled}
		out["fairness_shortfall_share"+of] = [2]float64{s.entitled - s.within, s.entitled}
		out["fairness_below_time_share"+of] = [2]float64{s.below, s.entitledMS}
		all.entitled, all.within = all.entitled+s.entitled, all.within+s.within
		all.entitledMS, all.below = all.entitledMS+s.entitledMS, all.below+s.below
	}
	out["fairness_shortfall_share"] = [2]float64{all.entitled - all.within, all.entitled}
	out["fairness_below_time_share"] = [2]float64{all.below, all.entitledMS}
	out["fairness_jain"] = [2]float64{q.jain, q.jainMS}
	out["fairness_jain_dominant"] = [2]float64{q.jainDominant, q.jainDomMS}
}
