package result

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"replay/engine/record"
	"replay/report/tables"
)

// Costs are what the nodes of a replay cost. Amounts are whole numbers of millionths of an hour's price times seconds, of which [CostUnit] make one of the
// currency: so they add up exactly.
//
// A node costs the price of its type for the seconds of each time that it was in the cluster, the last one counted whole and at least the minimum.
// A container costs the part of that which its memory was, of the memory that the node had first, from its allocation to its end, rounded down. What is left
// nobody used.
type Costs struct {
	Currency string
	Types    []TypeCost // in the order of the prices
	Jobs     []PartCost // by job, of those that had containers
	Queues   []PartCost // by name, of leaf queues
	Total    int64
	Unused   int64
}

// CostUnit is how many of the units of [Costs] are one of the currency.
const CostUnit = 3600 * 1_000_000

// TypeCost is the cost of all nodes of a type.
type TypeCost struct {
	Name    string
	Times   int64 // that a node came, or was there at the start
	Seconds int64 // billed
	Cost    int64
}

// PartCost is the cost of the containers of a job or a queue.
type PartCost struct {
	Name string
	Job  int64
	Cost int64
}

// costing adds up costs while records come.
type costing struct {
	prices *record.Prices
	nodes  []costNode
	types  []TypeCost
	jobs   map[int64]int64
	queues map[string]int64
	total  int64
	much   bool // more than can be counted
}

type costNode struct {
	mem   int64 // that it had first
	since int64 // it is in the cluster, [record.None] while it is not
}

// Priced has costs counted by these prices, from the first record on.
func (c *Collector) Priced(p *record.Prices) {
	if p == nil {
		return
	}
	c.costs = &costing{prices: p, jobs: map[int64]int64{}, queues: map[string]int64{}}
	for _, t := range p.Types {
		c.costs.types = append(c.costs.types, TypeCost{Name: t.Name})
	}
}

// typeOf is the place of a node's type, false for a node that has none: the manifest is of another replay.
func (k *costing) typeOf(node int32) (int, bool) {
	if node < 0 || int(node) >= len(k.prices.TypeOf) {
		return 0, false
	}
	at := k.prices.TypeOf[node]
	return at, at >= 0 && at < len(k.types)
}

// node sees the state of a node.
func (k *costing) node(n *record.Node) {
	if _, ok := k.typeOf(n.Node); !ok {
		return
	}
	for int(n.Node) >= len(k.nodes) {
		k.nodes = append(k.nodes, costNode{since: record.None})
	}
	x := &k.nodes[n.Node]
	if x.mem == 0 {
		x.mem = n.MemMiB
	}
	switch {
	case n.Registered && x.since == record.None:
		x.since = n.Time
	case !n.Registered && x.since != record.None:
		k.bill(n.Node, n.Time)
	}
}

// bill ends a time of a node in the cluster.
func (k *costing) bill(node int32, until int64) {
	x := &k.nodes[node]
	at, _ := k.typeOf(node)
	seconds := (max(until-x.since, k.prices.MinimumMS) + 999) / 1000
	hi, cost := bits.Mul64(uint64(seconds), uint64(k.prices.Types[at].Hour))
	if k.much = k.much || hi > 0 || cost > uint64(math.MaxInt64-k.total); k.much {
		return
	}
	k.total += int64(cost)
	t := &k.types[at]
	t.Times++
	t.Seconds += seconds
	t.Cost += int64(cost)
	x.since = record.None
}

// container counts one that has ended.
func (k *costing) container(s *Span, mem int64) {
	at, ok := k.typeOf(s.Node)
	if !ok || int(s.Node) >= len(k.nodes) || k.nodes[s.Node].mem <= 0 || s.To < s.From || mem < 0 {
		return
	}
	hi, lo := bits.Mul64(uint64((s.To-s.From)*k.prices.Types[at].Hour), uint64(mem))
	by := uint64(k.nodes[s.Node].mem) * 1000
	if hi >= by {
		return
	}
	cost, _ := bits.Div64(hi, lo, by)
	k.jobs[s.Job] += int64(cost)
	k.queues[s.Queue] += int64(cost)
}

// finish bills what is there at the end. The error says that it comes to more than can be counted.
func (k *costing) finish(end int64) (*Costs, error) {
	for i := range k.nodes {
		if since := k.nodes[i].since; since != record.None {
			k.bill(int32(i), max(end, since))
		}
	}
	if k.much {
		return nil, fmt.Errorf("the nodes cost more than can be counted, %d of the currency: want prices in a larger one", int64(math.MaxInt64/CostUnit))
	}
	c := &Costs{Currency: k.prices.Currency, Types: k.types, Total: k.total, Unused: k.total}
	for id, cost := range k.jobs {
		c.Jobs = append(c.Jobs, PartCost{Job: id, Cost: cost})
		c.Unused -= cost
	}
	slices.SortFunc(c.Jobs, func(a, b PartCost) int { return cmp.Compare(a.Job, b.Job) })
	for name, cost := range k.queues {
		c.Queues = append(c.Queues, PartCost{Name: name, Job: record.None, Cost: cost})
	}
	slices.SortFunc(c.Queues, func(a, b PartCost) int { return cmp.Compare(a.Name, b.Name) })
	return c, nil
}

// costs.parquet has a row for the total, each type of nodes, each leaf queue, each job, and what nobody used.
type costRow struct {
	Of      string  `parquet:"of,dict"` // total, type, queue, job or unused
	Name    string  `parquet:"named,dict"`
	Job     *int64  `parquet:"job"`
	Times   *int64  `parquet:"node_times"`
	Seconds *int64  `parquet:"node_seconds"`
	Cost    int64   `parquet:"cost_units"`
	Amount  float64 `parquet:"cost"`
}

// rows are those of costs.parquet.
func (c *Costs) rows() (out []costRow) {
	row := func(of, name string, cost int64) *costRow {
		out = append(out, costRow{Of: of, Name: name, Cost: cost, Amount: float64(cost) / CostUnit})
		return &out[len(out)-1]
	}
	row("total", c.Currency, c.Total)
	for i := range c.Types {
		t := &c.Types[i]
		r := row("type", t.Name, t.Cost)
		r.Times, r.Seconds = &t.Times, &t.Seconds
	}
	for i := range c.Queues {
		row("queue", c.Queues[i].Name, c.Queues[i].Cost)
	}
	for i := range c.Jobs {
		row("job", "", c.Jobs[i].Cost).Job = &c.Jobs[i].Job
	}
	row("unused", "", c.Unused)
	return out
}

const costsFile = "costs.parquet"

func writeCosts(path string, c *Costs) error {
	t, err := tables.New(path, func(r *costRow) costRow { return *r })
	if err != nil {
		return err
	}
	for _, r := range c.rows() {
		t.Add(&r)
	}
	return t.Close()
}
