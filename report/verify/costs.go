package verify

import "math/bits"

// costRow is a row of costs.parquet.
type costRow struct {
	Of      string `parquet:"of"`
	Name    string `parquet:"named"`
	Job     *int64 `parquet:"job"`
	Times   *int64 `parquet:"node_times"`
	Seconds *int64 `parquet:"node_seconds"`
	Cost    int64  `parquet:"cost_units"`
}

// prices are those of the manifest, in millionths of the currency an hour.
type prices struct {
	MinimumMS int64 `json:"minimum_ms"`
	Types     []struct {
		Name string `json:"name"`
		Hour int64  `json:"price_of_an_hour_millionths"`
	} `json:"types"`
	TypeOf []int `json:"type_of_node"`
}

// of is the place of a node's type, -1 without one.
func (p *prices) of(node int) int {
	if node < 0 || node >= len(p.TypeOf) || p.TypeOf[node] < 0 || p.TypeOf[node] >= len(p.Types) {
		return -1
	}
	return p.TypeOf[node]
}

// billed is how often the nodes of each type were in the cluster, and for how many seconds that is billed.
func (v *verifier) billed(p *prices) (times, seconds []int64) {
	times, seconds = make([]int64, len(p.Types)), make([]int64, len(p.Types))
	for n, states := range v.nodes {
		at := p.of(n)
		if at < 0 {
			continue
		}
		bill := func(from, to int64) {
			times[at]++
			seconds[at] += (max(to-from, p.MinimumMS) + 999) / 1000
		}
		since := int64(none)
		for _, s := range states {
			if s.Registered && since == none {
				since = s.Time
			} else if !s.Registered && since != none {
				bill(since, s.Time)
				since = none
			}
		}
		if since != none {
			bill(since, max(v.manifest.Totals.EndMS, since))
		}
	}
	return times, seconds
}

// cost is what the memory of a container costs, by the price and the first memory of its node.
func (v *verifier) cost(p *prices, c *containerRow) int64 {
	at := p.of(int(c.Node))
	if at < 0 || int(c.Node) >= len(v.nodes) || len(v.nodes[c.Node]) == 0 {
		return 0
	}
	ms := heldUntil(or(c.Ended), or(c.Allocated), v.manifest.Totals.EndMS) - or(c.Allocated)
	by := v.nodes[c.Node][0].MemMiB * 1000
	if by <= 0 || ms < 0 || c.MemMiB < 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(ms*p.Types[at].Hour), uint64(c.MemMiB))
	if hi >= uint64(by) {
		return 0
	}
	cost, _ := bits.Div64(hi, lo, uint64(by))
	return int64(cost)
}

// checkCosts computes each cost again: of nodes by their seconds and price, of queues and jobs by what their containers held.
func (v *verifier) checkCosts() error {
	p := v.manifest.Prices
	if p == nil {
		return nil
	}
	const file = "costs.parquet"
	nodes := v.check("costs: those of nodes are their seconds times the price", file)
	parts := v.check("costs: those of jobs and queues are what their containers held", file)
	whole := v.check("costs: nodes, and jobs with what is unused, add up to the total", file)
	jobs, queues := v.sums.costByJob, v.sums.costByQueue
	times, seconds := v.billed(p)
	var total, ofNodes, ofJobs int64
	types := 0
	err := rows(v, file, func(row int64, r *costRow) {
		switch r.Of {
		case "total":
			total = r.Cost
		case "type":
			if types >= len(p.Types) {
				nodes.that(false, row, "named", r.Name, "no more than %d types", len(p.Types))
				return
			}
			nodes.that(r.Name == p.Types[types].Name, row, "named", r.Name, "%s, type %d of the prices", p.Types[types].Name, types)
			nodes.equal(or(r.Times), times[types], row, "node_times", "by nodes.parquet")
			nodes.equal(or(r.Seconds), seconds[types], row, "node_seconds", "by nodes.parquet")
			nodes.equal(r.Cost, seconds[types]*p.Types[types].Hour, row, "cost_units", "seconds times price")
			ofNodes += seconds[types] * p.Types[types].Hour
			types++
		case "queue":
			parts.equal(r.Cost, queues[r.Name], row, "cost_units", "by containers.parquet")
			delete(queues, r.Name)
		case "job":
			parts.equal(r.Cost, jobs[or(r.Job)], row, "cost_units", "by containers.parquet")
			ofJobs += jobs[or(r.Job)]
			delete(jobs, or(r.Job))
		case "unused":
			whole.equal(r.Cost, ofNodes-ofJobs, row, "cost_units", "cost of nodes that no job accounts for")
		}
	})
	whole.equal(total, ofNodes, 0, "cost_units", "cost of all types of nodes")
	nodes.that(types == len(p.Types), none, "rows", types, "a row for each of %d types", len(p.Types))
	parts.that(len(queues)+len(jobs) == 0, none, "rows", len(queues)+len(jobs), "no queue or job with containers that has no row")
	return err
}
