package inference

// stages are the numbers of units at which a comparison asks whether it knows enough. There are few of them, because each
// look at the same data is a chance to stop by luck.
var stages = []int{Fewest, 7, 10, 14, 20, 30}

// Limit is how many units a comparison takes at most when nobody says.
const Limit = 30

// Stage returns how many units to have next, more than n and at most limit: n when there is no more. Above the stages each is
// 1.4 times the last.
func Stage(n, limit int) int {
	for _, s := range stages {
		if s > n {
			return min(s, max(n, limit))
		}
	}
	return min(n+max(1, n*2/5), max(n, limit))
}

// A Stop is why there are as many units as there are.
type Stop string

// The reasons.
const (
	Given     Stop = "given"     // somebody said how many
	Agreement Stop = "agreement" // all units agree exactly
	Precision Stop = "precision" // what is tested is known as precisely as asked
	Exhausted Stop = "limit"     // there may be no more
)
