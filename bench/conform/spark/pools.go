package spark

import (
	"strings"

	"replay/bench/conform/golden"
	"replay/engine/spark"
)

// pools is the order in which pools give task sets their turn.
var pools = golden.Kind{
	Name: "pools",
	Of:   golden.AnswersOf("Pool, SchedulableBuilder"),
	Match: func(_ string, first golden.Shape) bool {
		return first.Has("fairscheduler_xml", "pools_built", "task_sets")
	},
	Run: golden.Cases(runPools),
}

type poolsCase struct {
	ID         string      `json:"id"`
	Mode       string      `json:"mode"`
	XML        *string     `json:"fairscheduler_xml"`
	PoolsBuilt []builtPool `json:"pools_built"`
	TaskSets   []struct {
		Name     string  `json:"name"`
		Stage    int32   `json:"stage"`
		Attempt  int32   `json:"stage_attempt"`
		Priority int32   `json:"priority"`
		Pool     *string `json:"pool"`
		Running  int32   `json:"running"`
		Zombie   bool    `json:"zombie"`
	} `json:"task_sets"`
	RootRunning [][2]any `json:"root_running"`
	Order       []string `json:"order"`
}

type builtPool struct {
	Name     string `json:"name"`
	Mode     string `json:"mode"`
	MinShare int32  `json:"min_share"`
	Weight   int32  `json:"weight"`
}

func runPools(c *poolsCase, out *golden.Results) {
	mode := spark.FIFO
	switch c.Mode {
	case "FIFO":
	case "FAIR":
		mode = spark.FAIR
	default:
		out.AddUnsupported(c.ID, "mode is "+c.Mode)
		return
	}
	var file []spark.Pool
	if c.XML != nil {
		var err error
		if file, _, err = spark.ParsePools("fairscheduler.xml", strings.NewReader(*c.XML)); err != nil {
			out.AddDifferent(golden.Difference{Case: c.ID, Expected: c.PoolsBuilt, Got: err.Error()})
			return
		}
	}
	root := spark.NewPools(mode, file)
	built := []builtPool{}
	if mode == spark.FAIR {
		for _, p := range root.Pools {
			built = append(built, builtPool{p.Name, p.Mode.String(), p.MinShare, p.Weight})
		}
	}
	for _, s := range c.TaskSets {
		set := &spark.Schedulable{Stage: s.Stage, Attempt: s.Attempt, Priority: s.Priority, Backlog: 1, Zombie: s.Zombie}
		pool := ""
		if s.Pool != nil {
			pool = *s.Pool
		}
		root.Add(set, pool)
		set.AddRunning(s.Running)
	}
	running := [][2]any{}
	if mode == spark.FAIR {
		for _, p := range root.Pools {
			running = append(running, [2]any{p.Name, float64(p.Running)})
		}
	} else {
		for s := range root.Each {
			running = append(running, [2]any{s.Name(), float64(s.Running)})
		}
	}
	order := []string{}
	for _, s := range root.AppendSorted(nil) {
		order = append(order, s.Name())
	}
	if d := golden.FirstOther(c.ID,
		golden.SameList("pools_built", c.PoolsBuilt, built),
		golden.SameList("root_running", c.RootRunning, running),
		golden.SameList("order", c.Order, order),
	); d != nil {
		if d.State == "order" {
			d.State = running
		}
		out.AddDifferent(*d)
		return
	}
	out.AddEqual()
}
