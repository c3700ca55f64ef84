package policy

// union lets every container prefer all hosts of the hints alike, without weights.
// It is a baseline; Spark does not have it.
type union struct{}

func (union) Requests(n int, hints *Hints) []Preference {
	out := make([]Preference, max(0, n))
	all := make(Preference, len(hints.Tasks))
	for h := range all {
		all[h] = int32(h)
	}
	for i := range out {
		out[i] = all
	}
	return out
}
