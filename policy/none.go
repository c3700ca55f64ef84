package policy

// none asks for every container without preference: what Spark does when it has no hints,
// as under static allocation.
type none struct{}

func (none) Requests(n int, _ *Hints) []Preference { return make([]Preference, max(0, n)) }
