package compare

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"replay/report/quantity"
)

// Size of the picture of an interval, in pixels of the page.
const (
	intervalWidth  = 132
	intervalHeight = 20
)

// intervalPicture draws the difference of a cell with its interval, on a scale of its own: the line is no difference, the grey band
// the margin within which none counts, the tinted half the better side. Empty where there is no difference to draw.
func (c *Comparison) intervalPicture(row *Row, x *Cell) template.HTML {
	if math.IsNaN(x.Difference) || x.Finding == Equal {
		return ""
	}
	low, high, ok := x.Interval()
	if !ok {
		low, high = x.Difference, x.Difference
	}
	margin := c.Margin * row.Reference()
	most := max(math.Abs(low), math.Abs(high), math.Abs(x.Difference), math.Abs(margin))
	if most == 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return ""
	}
	const middle, y = intervalWidth / 2, intervalHeight / 2
	at := func(d float64) float64 { return middle + float64(d/most*(middle-6)) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="interval" viewBox="0 0 %d %d" aria-hidden="true">`, intervalWidth, intervalHeight)
	switch row.Better {
	case quantity.Lower:
		fmt.Fprintf(&b, `<path d="M0,0H%dV%dH0Z" style="fill:var(--good-tint)"/>`, middle, intervalHeight)
	case quantity.Higher:
		fmt.Fprintf(&b, `<path d="M%d,0H%dV%dH%dZ" style="fill:var(--good-tint)"/>`, middle, intervalWidth, intervalHeight, middle)
	}
	if margin > 0 {
		fmt.Fprintf(&b, `<path d="M%.1f,3H%.1fV%dH%.1fZ" style="fill:var(--line)"/>`, at(-margin), at(margin), intervalHeight-3, at(-margin))
	}
	color := map[Finding]string{RealBetter: "var(--good)", RealWorse: "var(--bad)", RealHigher: "var(--ink)", RealLower: "var(--ink)"}[x.Finding]
	fill := color
	if color == "" {
		color, fill = "var(--soft)", "var(--paper)"
	}
	fmt.Fprintf(&b, `<path d="M%d,0V%d" style="stroke:var(--ink);stroke-width:1"/>`, middle, intervalHeight)
	if low < high {
		fmt.Fprintf(&b, `<path d="M%.1f,%dH%.1fM%.1f,%dv6M%.1f,%dv6" style="stroke:%s;stroke-width:2;fill:none"/>`, at(low), y, at(high), at(low), y-3, at(high), y-3, color)
	}
	fmt.Fprintf(&b, `<circle cx="%.1f" cy="%d" r="4" style="fill:%s;stroke:%s;stroke-width:1.5"/></svg>`, at(x.Difference), y, fill, color)
	return template.HTML(b.String())
}
