package inference

// sharesPart is the part of the level that goes to the second family when both have something to test.
const sharesPart = 0.2

// Alphas divide [Level] among all differences that are tested together, so that chance makes even one of them look real in
// at most that part of comparisons: 4 % to the n headline ones and 1 % to the m shares, all of it to the one when the
// other has none, and equally within each (Bonferroni). They are what each single difference of a family is tested at.
func Alphas(n, m int) (headline, shares float64) {
	ofShares := Level * sharesPart
	switch {
	case m == 0:
		ofShares = 0
	case n == 0:
		ofShares = Level
	}
	return (Level - ofShares) / float64(max(n, 1)), ofShares / float64(max(m, 1))
}

// Adjusted is p as it counts in a table whose single difference is tested at alpha: below [Level] just when the
// interval excludes 0.
func Adjusted(p, alpha float64) float64 { return min(1, p*(Level/alpha)) }

// A Word is what an interval shows.
type Word int8

// The words.
const (
	Open   Word = iota // the interval holds 0, and more than the margin
	Within             // all of the interval is within the margin
	Real               // the interval excludes 0, and reaches beyond the margin
)

// Word says what an interval of the mean ± half shows where differences up to margin do not count.
func (e Estimate) Word(half, margin float64) Word {
	switch most := max(e.Mean+half, half-e.Mean); {
	case margin > 0 && most <= margin:
		return Within
	case e.Mean-half > 0 || e.Mean+half < 0:
		return Real
	}
	return Open
}
