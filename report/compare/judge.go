package compare

import (
	"fmt"
	"math"
	"slices"

	"replay/report/quantity"
)

// fewSeeds is below how many seeds a difference that is the same in all of them may be luck: many times are multiples of a
// heartbeat.
const fewSeeds = 5

// judge puts all sources of chance of each difference that is tested into one interval and says what was found. Each
// family is corrected for the number of its differences, over all variants. One replay of a variant says nothing of
// chance, so with one seed nothing is tested.
func (c *Comparison) judge() {
	families := map[quantity.Family][]*Cell{}
	for i := range c.Rows {
		row := &c.Rows[i]
		for v := 1; v < len(row.Cells); v++ {
			cell := &row.Cells[v]
			if cell.Untested = c.untested(row, v); cell.Untested == "" {
				families[row.Family] = append(families[row.Family], cell)
			}
		}
	}
	for family, cells := range families {
		c.Tested[family] = len(cells)
	}
	c.overJobs()
	for _, cells := range families {
		m := len(cells)
		for _, cell := range cells {
			e := estimated(cell.Difference, cell.Seeds, cell.Jobs)
			if e.se == 0 && e.d != 0 && len(c.Seeds) < fewSeeds {
				cell.Untested = fmt.Sprintf("the same in each of %d seeds, too few to know what chance adds", len(c.Seeds))
				continue
			}
			cell.Half, cell.P = e.half(m), e.p()
			cell.Adjusted = adjusted(cell.P, m)
		}
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		for v := 1; v < len(row.Cells); v++ {
			if cell := &row.Cells[v]; c.voids(row, v) {
				cell.Finding = NoVerdict
			} else {
				cell.Finding = cell.find(&row.Cells[0], row.Better)
			}
		}
	}
}

// untested says why the difference of variant v to the first is not tested, empty when it is.
func (c *Comparison) untested(row *Row, v int) string {
	first, cell := &row.Cells[0], &row.Cells[v]
	switch {
	case row.Family == "":
		return "no headline metric"
	case first.Absent != "":
		return "no number for " + c.Variants[0].Name + ": " + first.Absent
	case cell.Absent != "":
		return "no number for " + c.Variants[v].Name + ": " + cell.Absent
	case row.Thin():
		return "about only " + row.Of()
	case c.voids(row, v):
		return "the jobs are not the same"
	case row.Ends && c.Losses[v].CutOff > 0:
		return "--until cuts off other jobs in each variant"
	case cell.Seeds == nil:
		return "one seed says nothing of chance"
	case c.Same[v]:
		return "every metric is equal"
	}
	return ""
}

// overJobs finds how much differences vary with the jobs, by one bootstrap for all rows and variants.
func (c *Comparison) overJobs() {
	var ids []int64
	for _, v := range c.Variants {
		for _, r := range v.Runs {
			for i := range r.Jobs {
				ids = append(ids, r.Jobs[i].ID)
			}
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	c.Jobs = len(ids)
	if !c.jobsCount() {
		return
	}
	blocks := min(len(ids), maxBlocks)
	block := func(id int64) int {
		i, _ := slices.BinarySearch(ids, id)
		return int(int64(i) * int64(blocks) / int64(len(ids)))
	}
	var pairs []pairing
	var cells []*Cell
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.PerJob == nil || row.Family == "" {
			continue
		}
		keep := c.kept(row)
		counted := map[int64]bool{}
		samples := func(v int) (out []*sample) {
			for k, r := range c.Variants[v].Runs {
				out = append(out, newSample(row.PerJob, r.Jobs, keep[k], block, blocks))
				for i := range r.Jobs {
					if j := &r.Jobs[i]; keep[k](j.ID) {
						if _, den, ok := row.PerJob.Of(j); ok && den != 0 {
							counted[j.ID] = true
						}
					}
				}
			}
			return out
		}
		base := samples(0)
		for v := 1; v < len(c.Variants); v++ {
			if row.Cells[v].Untested != "" {
				continue
			}
			other := samples(v)
			if n := min(len(counted), blocks); enough(n, c.most()) {
				pairs, cells = append(pairs, pairing{base, other, n}), append(cells, &row.Cells[v])
			}
		}
	}
	for i, source := range bootstrap(pairs, blocks) {
		cells[i].Jobs = source
	}
}

// most is how many differences are tested together at most.
func (c *Comparison) most() int {
	return max(c.Tested[quantity.Headline], c.Tested[quantity.Shares], 1)
}

// jobsCount reports whether there are enough jobs to say what other jobs would change.
func (c *Comparison) jobsCount() bool { return enough(min(c.Jobs, maxBlocks), c.most()) }

// kept returns by seed which jobs count in a row.
func (c *Comparison) kept(row *Row) (keep []func(id int64) bool) {
	for k := range c.Seeds {
		of := func(int64) bool { return true }
		if !c.alike {
			common := c.common(row.PerJob, k)
			of = func(id int64) bool { return common[id] }
		}
		keep = append(keep, of)
	}
	return keep
}

// find says what the difference of a cell to the first one is: real when its interval excludes 0.
func (c *Cell) find(first *Cell, better quantity.Direction) Finding {
	switch {
	case c.Absent == "" && first.Absent == "" && slices.Equal(c.BySeed, first.BySeed):
		return Equal
	case math.IsNaN(c.Half):
		return NotTested
	case math.Abs(c.Difference) <= c.Half:
		return NotToldApart
	case better == quantity.Neither && c.Difference > 0:
		return RealHigher
	case better == quantity.Neither:
		return RealLower
	case (c.Difference > 0) == (better == quantity.Higher):
		return RealBetter
	}
	return RealWorse
}
