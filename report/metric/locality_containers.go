package metric

import (
	"maps"

	"replay/engine/record"
	"replay/report/quantity"
	"replay/report/result"
)

const noContainerPreference = "no container was matched to a request with preferred hosts"

var localityContainers = Metric{"locality_containers", "Locality of containers", func(p *pass) func() []Value {
	values := p.jobRatios("containers on a preferred host, %s, of those there matched to a request that named hosts",
		jobRatio{"locality_containers_host_share", quantity.Share, quantity.Higher, func(j *result.Job) (float64, float64) {
			return float64(j.ContainersPreferred), float64(j.ContainersPreferring)
		}, "containers", noContainerPreference, "containers on a preferred host, of those matched to a request that named hosts"},
		jobRatio{"locality_containers_hinted_share", quantity.Share, quantity.Higher, func(j *result.Job) (float64, float64) {
			return float64(j.ContainersHinted), float64(j.ContainersHinting)
		}, "containers", "no container was allocated while tasks preferred hosts", "containers on a host that tasks of active stages preferred, of those allocated while there were such tasks, whatever the request named"},
		jobRatio{"locality_containers_rack_share", quantity.Share, quantity.Neither, func(j *result.Job) (float64, float64) {
			return float64(j.ContainersRackPreferred), float64(j.ContainersPreferring)
		}, "containers", noContainerPreference, "containers on the rack of a preferred host but on none of them, of those matched to a request that named hosts"},
		jobRatio{"locality_containers_elsewhere_share", quantity.Share, quantity.Lower, func(j *result.Job) (float64, float64) {
			return float64(j.ContainersPreferring - j.ContainersPreferred - j.ContainersRackPreferred), float64(j.ContainersPreferring)
		}, "containers", noContainerPreference, "containers on another rack than any preferred host, of those matched to a request that named hosts"},
		jobRatio{"locality_containers_preferring_share", quantity.Share, quantity.Neither, func(j *result.Job) (float64, float64) {
			return float64(j.ContainersPreferring), float64(j.Containers)
		}, "containers", "no containers", "containers matched to a request that named hosts, of all executor and task containers"},
	)
	return func() []Value {
		vs, ofParts := values()
		vs[0].headline("containers on a host asked for", "containers, asked")
		vs[1].headline("containers on hosts tasks prefer", "containers, hinted")
		c := &p.data.Containers
		for i := range vs {
			vs[i].Whole = c.N
		}
		vs = append(vs, ofParts...)
		return append(vs, missValues("locality_containers_miss", c.Missed, "containers that missed their preferred hosts")...)
	}
}}

// missValues returns the share of each reason in all misses.
func missValues[K comparable](name string, missed map[K]*[record.Misses]int64, about string) (vs []Value) {
	var by [record.Misses]int64
	var all int64
	for m := range maps.Values(missed) {
		for why, n := range m {
			by[why] += n
			all += n
		}
	}
	if all == 0 {
		return []Value{value(name+"_count", quantity.Count, quantity.Lower, 0, 0, "", about)}
	}
	vs = []Value{value(name+"_count", quantity.Count, quantity.Lower, float64(all), all, "", about)}
	for why := range by {
		if by[why] > 0 {
			v := value(name+"_share[reason="+record.Miss(why).String()+"]", quantity.Share, quantity.Neither, float64(by[why])/float64(all), all, "",
				about+" because of: "+missAbout[why])
			v.Things = "missed places"
			vs = append(vs, v)
		}
	}
	return vs
}

// missAbout tells a reason in words, by record.Miss.
var missAbout = [record.Misses]string{
	"reason not recorded",
	"no preferred host was in the cluster",
	"the application had no executor on a preferred host",
	"preferred hosts had no room or no free slot",
	"the locality delay is off",
	"the locality delay had run out",
	"a preferred host with room came later in the order of visits, or was taken by another request",
}

// sum adds integers as a float.
func sum(xs ...int64) (s float64) {
	for _, x := range xs {
		s += float64(x)
	}
	return s
}
