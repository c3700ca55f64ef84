package portrait

import "replay/trace"

// Shapes describe the graphs of stages. An edge goes from a stage to one that reads its output.
type Shapes struct {
	Depth  Quantiles `json:"depth"` // stages on the longest way
	Width  Quantiles `json:"width"` // stages of the largest level; the level of a stage is the longest way to it
	Single int64     `json:"single"`
	Chains int64     `json:"chains"` // of two stages or more
	Trees  int64     `json:"trees"`  // no chain, and each stage is read by one at most
	Others int64     `json:"others"`
	Stages []Share   `json:"jobs_by_stages"`
	Depths []Share   `json:"jobs_by_depth"`
}

// Share is how many jobs have N of something; the last N stands for itself and more.
type Share struct {
	N    int64 `json:"n"`
	Jobs int64 `json:"jobs"`
}

// mostShown is the last N of shares.
const mostShown = 12

type shapeCounter struct {
	depth, width                   counter
	single, chains, trees, others  int64
	byStages, byDepth              [mostShown + 1]int64
	level, children, stagesOfLevel []int
}

func (c *shapeCounter) add(j *trace.Job) {
	n := len(j.Stages)
	if n == 0 {
		return
	}
	c.level, c.children, c.stagesOfLevel = append(c.level[:0], make([]int, n)...), append(c.children[:0], make([]int, n)...), append(c.stagesOfLevel[:0], make([]int, n+1)...)
	depth, width, most, chain := 0, 0, 0, true
	for i := range j.Stages {
		parents := j.Stages[i].Parents
		for _, p := range parents {
			c.level[i] = max(c.level[i], c.level[p])
			c.children[p]++
			most = max(most, c.children[p])
		}
		c.level[i]++
		chain = chain && len(parents) == min(i, 1)
		depth = max(depth, c.level[i])
		c.stagesOfLevel[c.level[i]]++
		width = max(width, c.stagesOfLevel[c.level[i]])
	}
	switch {
	case n == 1:
		c.single++
	case chain && most <= 1:
		c.chains++
	case most <= 1:
		c.trees++
	default:
		c.others++
	}
	c.depth.add(int64(depth))
	c.width.add(int64(width))
	c.byStages[min(n, mostShown)]++
	c.byDepth[min(depth, mostShown)]++
}

func (c *shapeCounter) shapes() Shapes {
	return Shapes{
		Depth: c.depth.quantiles(), Width: c.width.quantiles(), Single: c.single, Chains: c.chains, Trees: c.trees, Others: c.others,
		Stages: shares(c.byStages[1:]), Depths: shares(c.byDepth[1:]),
	}
}

// shares are those up to the last that is not 0.
func shares(counts []int64) (out []Share) {
	for i, n := range counts {
		out = append(out, Share{int64(i + 1), n})
	}
	for len(out) > 0 && out[len(out)-1].Jobs == 0 {
		out = out[:len(out)-1]
	}
	return out
}
