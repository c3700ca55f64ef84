package trace

import "fmt"

// Twice says of jobs, called what, that each has the id, the submission and the size of another, first for one, and what follows.
func Twice(again, all int64, what, first string) string {
	return fmt.Sprintf("%d of %d %s have the id, the submission and the size of another (%q is the first): they are replayed, too, so what stands in the inputs twice, or in two that overlap, counts twice", again, all, what, first)
}
