package prediction

import (
	"fmt"
	"regexp"
	"strings"
)

// Where a warning was found, at its begin, and the values in it: warnings that differ in these alone are one.
var (
	where  = regexp.MustCompile(`^(\S*/\S*|job \d+|line \d+): `)
	values = regexp.MustCompile(`=\S+|"[^"]*"|: [a-zA-Z0-9.]+(, [a-zA-Z0-9.]+)*$`)
)

// Grouped returns warnings of many recordings as one line for each sort, in the order of their first, which it quotes.
func Grouped(warnings []string) []string {
	var order []string
	first, count := map[string]string{}, map[string]int{}
	for _, w := range warnings {
		sort := w
		for where.MatchString(sort) {
			sort = where.ReplaceAllString(sort, "")
		}
		sort = values.ReplaceAllString(sort, "")
		if count[sort]++; count[sort] == 1 {
			order = append(order, sort)
			first[sort] = w
		}
	}
	out := make([]string, len(order))
	for i, sort := range order {
		out[i] = first[sort]
		if n := count[sort]; n > 1 {
			out[i] = strings.TrimSuffix(first[sort], ".") + fmt.Sprintf(" (the first of %d like this)", n)
		}
	}
	return out
}
