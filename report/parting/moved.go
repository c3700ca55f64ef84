package parting

import (
	"cmp"
	"slices"

	"replay/engine/record"
	"replay/report/result"
)

// A Shift is a job that ends at another time.
type Shift struct {
	Name   string `json:"job"`
	Queue  string `json:"queue"`
	EndsMS int64  `json:"ends_ms"` // in the first replay
	ByMS   int64  `json:"by_ms"`   // how much later in the second
}

// Moved returns the jobs that come to the same end in both replays at different times, the one that moved most first: one that fails in one alone has not become faster.
func Moved(a, b *result.Data) (out []Shift) {
	for j := range a.Jobs.All() {
		other := b.Jobs.Find(j.ID)
		if other == nil || !result.Happened(other.Finish) || !result.Happened(j.Finish) || other.Finish == j.Finish || other.Outcome != j.Outcome {
			continue
		}
		out = append(out, Shift{record.JobCalled(j.ID, j.Name, j.ExternalID), j.Queue, j.Finish, other.Finish - j.Finish})
	}
	slices.SortStableFunc(out, func(x, y Shift) int { return cmp.Compare(abs(y.ByMS), abs(x.ByMS)) })
	return out
}

func abs(x int64) int64 { return max(x, -x) }
