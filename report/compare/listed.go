package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/report/page"
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

// ofOtherQueues are the rows of queues that the tables of all metrics do not list, where queues are many: of each metric all but those of most difference, the real ones before others.
func (c *Comparison) ofOtherQueues() map[*Row]bool {
	queues, of := map[string]bool{}, map[string][]*Row{}
	for i := range c.Rows {
		if row := &c.Rows[i]; row.Queue() != "" {
			name, _, _ := strings.Cut(row.Name, "[")
			queues[row.Queue()], of[name] = true, append(of[name], row)
		}
	}
	if len(queues) <= page.ManyQueues {
		return nil
	}
	most := func(row *Row) (real, size float64) {
		size = -1
		for _, x := range row.Cells[1:] {
			if x.Finding.Real() {
				real = 1
			}
			if d := math.Abs(x.Difference); d > size {
				size = d
			}
		}
		return real, size
	}
	out := map[*Row]bool{}
	for _, rows := range of {
		slices.SortStableFunc(rows, func(a, b *Row) int {
			realA, sizeA := most(a)
			realB, sizeB := most(b)
			return cmp.Or(cmp.Compare(realB, realA), cmp.Compare(sizeB, sizeA))
		})
		for _, row := range rows[min(mostQueues, len(rows)):] {
			out[row] = true
		}
	}
	return out
}
