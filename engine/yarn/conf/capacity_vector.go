package conf

import (
	"math"
	"regexp"
	"strings"

	"replay/policy/resource"
)

// vector is a capacity with a mode of its own for each resource type; set tells which types
// have one.
//
// Source: QueueCapacityVector.
type vector struct {
	value [resource.MaxTypes]float64
	mode  [resource.MaxTypes]CapacityMode
	set   [resource.MaxTypes]bool
}

func uniform(value float64, mode CapacityMode, types int) (v vector) {
	for i := range types {
		v.value[i], v.mode[i], v.set[i] = value, mode, true
	}
	return v
}

var (
	uniformForm = regexp.MustCompile(`^([0-9.]+)(.*)`)
	vectorForm  = regexp.MustCompile(`^\[([\w.,\-_%\\ /]+=[\w.,\-_%\\ /]+)+\]$`)
	numberPart  = regexp.MustCompile(`[0-9.]`)
)

// parseVector reads a capacity or maximum capacity; text that means nothing gives an empty vector.
//
// Source: QueueCapacityConfigParser.parse.
func parseVector(text string, types []string) (vector, *Error) {
	var none vector
	text = strings.ReplaceAll(text, " ", "")
	if vectorForm.MatchString(text) {
		v := uniform(0, ByAmount, len(types))
		for _, pair := range javaSplit(text[1:len(text)-1], ",") {
			if p := javaSplit(pair, "="); len(p) > 1 {
				if err := v.put(p[0], p[1], types); err != nil {
					return none, err
				}
			}
		}
		if v.value[resource.Memory] == 0 {
			return none, nil
		}
		return v, nil
	}
	m := uniformForm.FindStringSubmatch(text)
	if m == nil || m[2] != "" && m[2] != "w" {
		return none, nil
	}
	value, err := javaFloat(m[1], 32)
	if err != nil {
		return none, err
	}
	mode := ByPercent
	if m[2] == "w" {
		mode = ByWeight
	}
	return uniform(value, mode, len(types)), nil
}

func (v *vector) put(name, text string, types []string) *Error {
	suffix := numberPart.ReplaceAllString(text, "")
	if !strings.HasSuffix(text, suffix) {
		return nil
	}
	value, err := javaFloat(strings.TrimSuffix(text, suffix), 32)
	if err != nil {
		return err
	}
	mode := ByAmount
	if _, ok := resource.Units[suffix]; ok && suffix != "" {
		n, err := convertUnit(suffix, "Mi", resource.F2L(value))
		if err != nil {
			return err
		}
		value = float64(float32(n))
	} else if suffix == "%" {
		mode = ByPercent
	} else if suffix == "w" {
		mode = ByWeight
	}
	if name == "memory" {
		name = memoryName
	}
	for i, t := range types {
		if t == name {
			v.value[i], v.mode[i], v.set[i] = value, mode, true
		}
	}
	return nil
}

// only returns the mode of the vector when all its types have the same.
func (v *vector) only() (mode CapacityMode, ok bool) {
	for i, set := range v.set {
		switch {
		case !set:
		case !ok:
			mode, ok = v.mode[i], true
		case v.mode[i] != mode:
			return 0, false
		}
	}
	return mode, ok
}

// updateVectors distributes the resources of queue i among its children, in the mode that is not
// the legacy one: first amounts, then percentages of what is left, then weights.
//
// Source: ResourceCalculationDriver.calculateResources and the calculators.
func (c *Capacity) updateVectors(i int, cluster resource.Resource) {
	p := &c.Queues[i]
	if p.Leaf {
		return
	}
	down, scaled := c.vectorRatios(p)
	for t := range c.types {
		have := float64(p.EffectiveMin[t])
		left, batch := have, have
		weights := 0.0
		for _, k := range p.Children {
			if q := &c.Queues[k]; q.min.set[t] && q.min.mode[t] == ByWeight {
				weights += q.min.value[t]
			}
		}
		for _, mode := range []CapacityMode{ByAmount, ByPercent, ByWeight} {
			used := 0.0
			for _, k := range p.Children {
				q := &c.Queues[k]
				if !q.min.set[t] || q.min.mode[t] != mode {
					continue
				}
				ratio := batch / have
				parent := have / float64(cluster[t])
				var least float64
				switch mode {
				case ByAmount:
					f := 1.0
					if scaled {
						f = down[t]
					}
					least = math.Floor(f * ratio * q.min.value[t])
				case ByPercent:
					least = math.Floor(float64(cluster[t]) * (parent * ratio * q.min.value[t] / 100))
				case ByWeight:
					share := q.min.value[t] / weights
					if least = batch; share != 1 {
						least = float64(float64(cluster[t]) * (parent * ratio * share))
					}
					least = javaRound(least)
				}
				most := q.max.value[t]
				if q.max.mode[t] == ByPercent && q.max.set[t] {
					most = float64(cluster[t]) * (float64(p.EffectiveMax[t]) / float64(cluster[t]) * q.max.value[t] / 100)
				}
				most = math.Floor(most)
				if t != resource.Memory && q.EffectiveMin[resource.Memory] == 0 {
					least = 0
				}
				if limit := float64(p.EffectiveMax[t]); most == 0 {
					most = limit
				} else {
					most = min(most, limit)
				}
				if most < least {
					least = most
				}
				if least > left {
					least = left
				}
				q.EffectiveMin[t], q.EffectiveMax[t] = resource.F2L(least), resource.F2L(most)
				left -= least
				used += least
			}
			batch -= used
		}
	}
	for _, k := range p.Children {
		q := &c.Queues[k]
		c.derive(q, cluster)
		c.absolute(q)
		if q.Leaf {
			c.applications(q, cluster.Max(resource.Resource{}) != resource.Resource{})
		}
		c.updateVectors(k, cluster)
	}
}

// vectorRatios returns by how much amounts shrink; without any amount there are no ratios, and
// with some the types without one get 0.
//
// Source: AbsoluteResourceCapacityCalculator.setNormalizedResourceRatio.
func (c *Capacity) vectorRatios(p *CapacityQueue) (ratio [resource.MaxTypes]float64, scaled bool) {
	for t := range c.types {
		var sum int64
		for _, k := range p.Children {
			if q := &c.Queues[k]; q.min.set[t] && q.min.mode[t] == ByAmount {
				sum = resource.F2L(float64(sum) + q.min.value[t])
			}
		}
		if sum == 0 {
			continue
		}
		num := float32(sum)
		if p.EffectiveMin[t] < sum {
			num = float32(p.EffectiveMin[t])
		}
		ratio[t], scaled = float64(num/float32(sum)), true
	}
	return ratio, scaled
}

// javaRound is Math.round: halves go up, NaN is 0.
func javaRound(x float64) float64 { return float64(resource.F2L(math.Floor(x + 0.5))) }
