package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/report/quantity"
)

// mostQueues is how many shares of queues stand in a table of headline metrics, and mostNamed how many metrics a sentence names: of hundreds of queues
// nobody reads them all.
const (
	mostQueues = 12
	mostNamed  = 20
)

// unlisted returns the shares of queues that the headline tables of these variants do not list, where they are many: all but the real differences of most
// size. It says how many those are, and what was found of them.
func (c *Comparison) unlisted(vs ...int) (rows map[*Row]bool, text string) {
	var shares []*Row
	for i := range c.Rows {
		if row := &c.Rows[i]; row.Family == quantity.Shares {
			shares = append(shares, row)
		}
	}
	if len(shares) <= mostQueues {
		return nil, ""
	}
	most := func(row *Row) (size float64) { // of a difference that is real, -1 when none is
		size = -1
		for _, v := range vs {
			if x := &row.Cells[v]; x.Finding.Real() {
				size = max(size, math.Abs(x.Difference))
			}
		}
		return size
	}
	slices.SortStableFunc(shares, func(a, b *Row) int { return cmp.Compare(most(b), most(a)) })
	kept := 0
	for kept < mostQueues && most(shares[kept]) >= 0 {
		kept++
	}
	rows = map[*Row]bool{}
	found := map[Finding]int{}
	for _, row := range shares[kept:] {
		rows[row] = true
		for _, v := range vs {
			switch x := &row.Cells[v]; {
			case math.IsNaN(x.Difference) || row.Thin():
				found[First]++
			default:
				found[x.Finding]++
			}
		}
	}
	var said []string
	for _, f := range []Finding{RealHigher, RealLower, Equal, EqualWithin, NotToldApart, NotTested} {
		if n := found[f]; n > 0 {
			said = append(said, fmt.Sprintf("%s %s", quantity.Thousands(int64(n)), f))
		}
	}
	if n := found[First]; n > 0 {
		said = append(said, quantity.Thousands(int64(n))+" without a number in both or over next to nothing")
	}
	return rows, fmt.Sprintf("Not listed: the contended share of %s queues (%s).", quantity.Thousands(int64(len(rows))), strings.Join(said, ", "))
}

// named joins what is said of metrics, and counts those beyond [mostNamed].
func named(said []string, separator string) string {
	if more := len(said) - mostNamed; more > 0 {
		said = append(slices.Clone(said[:mostNamed]), fmt.Sprintf("and %s more", quantity.Thousands(int64(more))))
	}
	return strings.Join(said, separator)
}
