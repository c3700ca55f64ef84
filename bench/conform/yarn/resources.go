package yarn

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"replay/bench/conform/golden"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// resources are resource strings, normalizations of asks and increments.
//
// Source: FairSchedulerConfiguration.parseResourceConfigValue and getIncrementAllocation,
// SchedulerUtils.getNormalizedResource.
var resources = golden.Kind{
	Name: "yarn resources",
	Of:   golden.AnswersOf("FairSchedulerConfiguration, SchedulerUtils"),
	Match: func(_ string, first golden.Shape) bool {
		return first.Has("kind", "types") && slices.Contains([]string{"parse", "normalize", "increment"}, first.Text("kind"))
	},
	Run: golden.Cases(runResources),
}

type resourcesCase struct {
	ID    int
	Kind  string
	Types []string

	In        string
	Missing   int64
	Pct       []float64
	Cluster   amounts
	OfCluster amounts `json:"of_cluster"`

	Calculator         string
	Ask, Min, Max, Inc amounts

	Conf map[string]json.RawMessage

	Res amounts
	Err string
}

func runResources(c *resourcesCase, out *golden.Results) {
	var got any
	var want any = c.Res
	var err error
	switch c.Kind {
	case "parse":
		got, err = parsed(c)
		if c.Pct != nil {
			want = percentages{c.Pct, c.OfCluster}
		}
		err = textOnly(err, false)
	case "normalize":
		var calc resource.Calculator = resource.DefaultCalculator{}
		if c.Calculator == "dominant" {
			calc = resource.NewDominant(len(c.Types))
		}
		got = amounts(golden.Amounts(calc.Normalize(c.Ask.resource(), c.Min.resource(), c.Max.resource(), c.Inc.resource()), len(c.Types)))
	case "increment":
		props := golden.Properties(c.Conf)
		if more := c.Types[2:]; len(more) > 0 {
			props["yarn.resource-types"] = strings.Join(more, ",")
		}
		var site *conf.Site
		if site, err = conf.NewSite(props); err == nil {
			var inc resource.Resource
			inc, err = site.IncrementAllocation()
			got = amounts(golden.Amounts(inc, len(c.Types)))
		}
		err = textOnly(err, true)
	default:
		out.AddUnsupported(fmt.Sprint(c.ID), "kind "+c.Kind)
		return
	}
	if c.Err != "" {
		want = c.Err
	}
	if err != nil {
		got = err.Error()
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		out.AddDifferent(golden.Difference{Case: fmt.Sprint(c.ID), Expected: want, Got: got, State: c.In})
		return
	}
	out.AddEqual()
}

// percentages is a resource that depends on the cluster, and what it is on one.
type percentages struct {
	Pct       []float64
	OfCluster amounts
}

func parsed(c *resourcesCase) (any, error) {
	r, err := conf.ParseResource(c.In, c.Types, c.Missing)
	if err != nil {
		return nil, err
	}
	if share, ok := r.Percent(); ok {
		return percentages{share[:len(c.Types)], golden.Amounts(r.Resolve(c.Cluster.resource()), len(c.Types))}, nil
	}
	fixed, _ := r.Absolute()
	return amounts(golden.Amounts(fixed, len(c.Types))), nil
}

// textOnly is err as YARN words it, without the place in the user's file.
func textOnly(err error, class bool) error {
	var e *conf.Error
	if !errors.As(err, &e) {
		return err
	}
	if class {
		return errors.New(e.Class + ": " + e.Text)
	}
	return errors.New(e.Text)
}
