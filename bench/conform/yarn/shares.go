package yarn

import (
	"fmt"
	"slices"
	"strings"

	"replay/bench/conform/golden"
	"replay/engine/yarn/jvm"
	"replay/policy"
	"replay/policy/resource"
)

// shares are divisions of a total among schedulables by YARN's policies.
//
// Source: ComputeFairShares through SchedulingPolicy.computeShares and computeSteadyShares.
var shares = golden.Kind{
	Name:  "yarn compute shares",
	Of:    golden.AnswersOf("ComputeFairShares"),
	Match: func(_ string, first golden.Shape) bool { return first.Has("kind", "types", "total", "s", "shares") },
	Run:   golden.Cases(runShares),
}

// amounts are the values of a resource in the order of the types of a case.
type amounts []int64

func (a amounts) resource() (r resource.Resource) {
	copy(r[:], a)
	return r
}

type sharesCase struct {
	ID     int
	Kind   string
	Types  []string
	Queues bool
	Total  amounts
	S      []struct {
		Name     string
		W        float32
		Min, Max amounts
		Active   bool
		Init     amounts
		Start    int64
	}
	Shares []amounts
}

func runShares(c *sharesCase, out *golden.Results) {
	kind := strings.TrimPrefix(c.Kind, "steady_")
	sharing, err := policy.NewSharing(kind, len(c.Types))
	if err != nil {
		out.AddUnsupported(fmt.Sprint(c.ID), err.Error())
		return
	}
	claims := make([]policy.Claim, len(c.S))
	for i, s := range c.S {
		claims[i] = policy.Claim{
			Weight: s.W, Min: s.Min.resource(), Max: s.Max.resource(),
			Idle: c.Queues && !s.Active, Share: s.Init.resource(), Start: s.Start,
		}
	}
	if kind == c.Kind {
		sharing.Shares(c.Total.resource(), claims)
	} else {
		sharing.SteadyShares(c.Total.resource(), claims)
	}
	for i, want := range c.Shares {
		if got := golden.Amounts(claims[i].Share, len(c.Types)); !slices.Equal(got, want) {
			out.AddDifferent(golden.Difference{Case: fmt.Sprint(c.ID), Event: i, Expected: want, Got: got, State: c.S[i]})
			return
		}
	}
	out.AddEqual()
}

// comparators are comparisons of schedulables and their order in a TreeSet.
var comparators = golden.Kind{
	Name:  "yarn comparators",
	Of:    golden.AnswersOf("FairSharePolicy, DominantResourceFairnessPolicy, FifoPolicy"),
	Match: func(_ string, first golden.Shape) bool { return first.Has("policy", "cluster", "s", "cmp", "order") },
	Run:   golden.Cases(runComparators),
}

type comparatorsCase struct {
	ID      int
	Policy  string
	Types   []string
	Cluster amounts
	S       []struct {
		Name               string
		Usage, Demand, Min amounts
		W                  float32
		Start              int64
		Pri                int32
	}
	Cmp        [][]int
	Order      []int
	Consistent bool
}

func runComparators(c *comparatorsCase, out *golden.Results) {
	sharing, err := policy.NewSharing(c.Policy, len(c.Types))
	if err != nil {
		out.AddUnsupported(fmt.Sprint(c.ID), err.Error())
		return
	}
	cluster := c.Cluster.resource()
	names := make([]string, 0, len(c.S))
	for _, s := range c.S {
		names = append(names, s.Name)
	}
	slices.SortFunc(names, jvm.CompareStrings)
	all := make([]*policy.Contender, len(c.S))
	for i, s := range c.S {
		all[i] = &policy.Contender{
			Usage: s.Usage.resource(), Demand: s.Demand.resource(), Min: s.Min.resource(), Weight: s.W,
			Priority: s.Pri, Start: s.Start, Rank: uint64(slices.Index(names, s.Name)), ID: int32(i),
		}
	}
	for i, row := range c.Cmp {
		for j, want := range row {
			if got := sharing.Compare(all[i], all[j], &cluster); got != want {
				out.AddDifferent(golden.Difference{
					Case: fmt.Sprint(c.ID), Event: i*len(all) + j, Expected: want, Got: got,
					State: []any{c.S[i], c.S[j]},
				})
				return
			}
		}
	}
	if partial := slices.ContainsFunc(all, func(s *policy.Contender) bool { return !sharing.Total(s, &cluster) }); !partial && !c.Consistent {
		out.AddDifferent(golden.Difference{Case: fmt.Sprint(c.ID), Event: len(all) * len(all), Expected: "an order that contradicts itself", Got: "a total order"})
		return
	}
	var set jvm.TreeSet[*policy.Contender]
	for _, s := range all {
		set.Add(s, func(a, b *policy.Contender) int { return sharing.Compare(a, b, &cluster) })
	}
	order := []int{}
	for _, s := range set.AppendTo(nil) {
		order = append(order, int(s.ID))
	}
	if !slices.Equal(order, c.Order) {
		out.AddDifferent(golden.Difference{Case: fmt.Sprint(c.ID), Event: len(all) * len(all), Expected: c.Order, Got: order, State: c.S})
		return
	}
	out.AddEqual()
}
