package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/engine/mapreduce"
	"replay/engine/record"
	"replay/engine/spark/driver"
	"replay/trace"
	"replay/trace/view"
)

const (
	// lowLoad is the offered load below which hardly anything waits.
	lowLoad = 0.1
	// busyLoad is what to try instead.
	busyLoad = 0.8
	// percentLoad is the load from which on a percentage was meant, most likely.
	percentLoad = 10

	hourMS = 3_600_000
)

// cluster gives the cluster the nodes that were asked for. The trace's blocks follow.
func (sc *Scenario) cluster() error {
	if sc.Nodes < 0 || sc.Nodes > math.MaxInt32 {
		return optionf("--nodes is %d, want 1 to %d", sc.Nodes, math.MaxInt32)
	}
	if by := sc.NodesBy; sc.Nodes == 0 && by != (NodesBy{}) {
		n, err := by.Of(trace.SizeAtStart(sc.Input.Nodes).Nodes)
		if err != nil {
			return optionf("--nodes is %s, %w", by.Text, err)
		}
		sc.Nodes = n
	}
	if sc.Nodes == 0 {
		return nil
	}
	r, err := view.Resize(sc.Input.Nodes, sc.Input.Events, sc.Nodes)
	if err != nil {
		return optionf("--nodes is %d: %w", sc.Nodes, err)
	}
	if len(r.Nodes) > len(sc.Input.Nodes) && sc.Input.LocalitySource != trace.LocalityNone {
		// Without numbers, so that one warning does for all clusters of a comparison or a plan.
		sc.warn("added-nodes", "nodes that --nodes adds hold none of the blocks that tasks prefer, as when they have just been added: locality is that of the time before blocks are moved to them (a trace that is imported with --blocks hdfs and as many nodes has blocks on all of them)")
	}
	sc.Input.Nodes, sc.Input.Events = r.Nodes, r.Events
	if sc.Input.Jobs != nil {
		sc.Input.Jobs = r.Jobs(sc.Input.Jobs)
	}
	return nil
}

// arrivals finds out by what to divide the times of submissions for the load that was asked for, on the cluster as it is.
func (sc *Scenario) arrivals() error {
	if sc.Load < 0 || math.IsNaN(sc.Load) || math.IsInf(sc.Load, 0) {
		return optionf("--load is %v, want a positive number", sc.Load)
	}
	if sc.Faster == 0 {
		sc.Faster = 1
	}
	if sc.Load > 0 {
		native := sc.offered(1)
		if native.VCores == nil || *native.VCores == 0 {
			return optionf("--load is %v, but the load of this trace cannot be scaled: it has no work, no vcores, or all its jobs are submitted at once", sc.Load)
		}
		sc.Faster = sc.Load / *native.VCores
		if sc.Load >= percentLoad {
			sc.warn("load", "load %v is %v times as much work as all vcores can do until the last submission; %v %% of that is load %v", sc.Load, sc.Load, sc.Load, sc.Load/100)
		}
	}
	if last := float64(sc.Input.SpanMS) / sc.Faster; sc.Load > 0 && last > trace.LatestMS { // as recorded the trace's own bounds hold
		return optionf("--load is %v: the last job would come after %.3g years, want 100 at most", sc.Load, last/trace.LatestMS*100)
	}
	sc.Offered = sc.offered(sc.Faster)
	sc.warnOfLoad()
	return nil
}

// warnOfLoad says that hardly anything will wait, or that nearly everything will, and what to try.
func (sc *Scenario) warnOfLoad() {
	v, m := sc.Offered.VCores, sc.Offered.Memory
	if v == nil || m == nil || *v == 0 {
		return
	}
	offered := fmt.Sprintf("%sthe offered load is %v", sc.given(), sc.Offered)
	nodes, span := trace.SizeAtStart(sc.Input.Nodes).Nodes, float64(sc.Input.SpanMS)/sc.Faster
	if takes, roomy, crowded := sc.Offered.Crowded(nodes, int64(span)); crowded {
		way := fmt.Sprintf("--nodes %d has enough room", roomy)
		if sc.Load > 0 { // which holds on any number of nodes
			way = "try " + sc.busier()
		}
		if sc.Load < percentLoad { // else it is said by how much
			sc.warn(record.HighLoad, "%s: jobs are submitted for %.1f h, and the work takes at least %.1f h, so most of each wait is for the jobs before, and longer the longer the trace is; %s",
				offered, span/hourMS, takes/hourMS, way)
		}
		return
	}
	most := sc.Offered.Most()
	if most >= lowLoad {
		return
	}
	fewer := max(1, int64(math.Ceil(float64(nodes)*most/busyLoad)))
	text := ""
	if fewer < nodes {
		text = fmt.Sprintf(", or --nodes %d, a smaller cluster", fewer)
	}
	sc.warn(record.LowLoad, "%s: hardly anything will wait, and policies have nothing to share out; try %s, which lays arrivals closer together%s", offered, sc.busier(), text)
}

// busier is the flag with which the load of the resource of which there is least is [busyLoad]. A --load counts vcores.
func (sc *Scenario) busier() string {
	v, by := *sc.Offered.VCores, busyLoad/sc.Offered.Most()
	switch {
	case by*v > 0.99*busyLoad:
		return fmt.Sprintf("--load %v", busyLoad)
	case sc.Load > 0:
		return fmt.Sprintf("--load %.2g", sc.Load*by)
	}
	return fmt.Sprintf("--faster %.2g", sc.Faster*by)
}

// given says under which nodes and load a load is offered, where they are not the trace's: it may be one of several.
func (sc *Scenario) given() string {
	text := ""
	if sc.Nodes > 0 {
		text = fmt.Sprintf(" --nodes %d", sc.Nodes)
	}
	if sc.Load > 0 {
		text += fmt.Sprintf(" --load %v", sc.Load)
	}
	if text == "" {
		return ""
	}
	return "with" + text + " "
}

// sizes are how keys begin that say what an executor or a task holds, by the names of today and of before.
var sizes = []string{
	"spark.executor.cores", "spark.executor.memory", "spark.executor.pyspark.", "spark.executor.resource.", "spark.yarn.executor.", "spark.task.cpus", "spark.task.resource.",
	"spark.memory.offHeap.", "spark.yarn.isPython", "spark.yarn.resource", "mapreduce.map.", "mapreduce.reduce.", "mapreduce.job.heap.", "mapred.",
}

// sized reports whether the user, or a file that came with the trace, says anything that may give containers other sizes than those in the trace.
func (sc *Scenario) sized() bool {
	layers := []map[string]string{sc.sparkDefaults.Values, sc.keys[SparkDefaults], sc.mapredSite, sc.keys[MapredSite]}
	return slices.ContainsFunc(layers, func(layer map[string]string) bool {
		for key := range layer {
			if slices.ContainsFunc(sizes, func(start string) bool { return strings.HasPrefix(key, start) }) {
				return true
			}
		}
		return false
	})
}

// asked counts the work of all jobs by the sizes with which containers will be asked for, where they may not be those in the trace. A job that cannot run counts with
// its sizes there: what is wrong with it the replay says.
func (sc *Scenario) asked() error {
	if sc.Input.Work == nil || sc.Input.Again == nil || !sc.sized() {
		return nil
	}
	spark, mapReduce := driver.NewKind(sc.Spark()), mapreduce.NewKind(sc.MapReduce())
	work := trace.Work{Dependent: sc.Input.Work.Dependent}
	jobs := sc.Input.Again()
	for j, err := range trace.All(jobs) {
		if err != nil {
			return err
		}
		sized := j
		switch j.Kind {
		case trace.KindSpark:
			sized, err = spark.Sized(j)
		case trace.KindMapReduce:
			sized, err = mapReduce.Sized(j)
		}
		if err != nil {
			sized = j
		}
		work.Add(trace.WorkOf(sized))
		if r, ok := jobs.(trace.Recycler); ok {
			r.Recycle(j)
		}
	}
	sc.Input.Work = &work
	return nil
}

// offered is the offered load when arrivals are faster; nothing where the work is not known.
func (sc *Scenario) offered(faster float64) trace.Offered {
	if sc.Input.Work == nil {
		return trace.Offered{}
	}
	return trace.OfferedLoad(*sc.Input.Work, trace.SizeAtStart(sc.Input.Nodes), sc.Input.SpanMS).Faster(faster)
}
