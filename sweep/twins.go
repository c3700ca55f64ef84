package sweep

import "fmt"

// Twins finds traces that are one workload under two names: nothing that was replayed on both was decided otherwise on the one than on the other.
type Twins struct {
	decided []map[point]string // by trace
	worked  []bool             // some job succeeded on it
}

// point is a cell without its trace.
type point struct {
	of   string
	seed uint64
}

// Add takes in the record of a cell; of is all of the cell but its trace and its seed.
func (t *Twins) Add(trace int, of string, seed uint64, r *Record) {
	for len(t.decided) <= trace {
		t.decided, t.worked = append(t.decided, map[point]string{}), append(t.worked, false)
	}
	t.decided[trace][point{of, seed}] = r.Decisions
	t.worked[trace] = t.worked[trace] || r.Outcome.Succeeded > 0
}

// Texts says which traces are the same as one before them, by the names that the plan has for them.
func (t *Twins) Texts(traces []Source) (texts []string) {
	for k := range t.decided {
		for i := range k {
			if t.alike(i, k) {
				texts = append(texts, fmt.Sprintf("traces %s and %s are one workload under two names, nothing is decided otherwise on the one than on the other: it counts twice", traces[i].Name, traces[k].Name))
				break
			}
		}
	}
	return texts
}

func (t *Twins) alike(i, k int) bool {
	both := 0
	for at, hash := range t.decided[k] {
		other, ok := t.decided[i][at]
		if ok && (other != hash || hash == "") {
			return false
		}
		if ok {
			both++
		}
	}
	return both > 0 && t.worked[i] && t.worked[k]
}
