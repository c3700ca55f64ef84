package table

import (
	"regexp"
	"strings"
)

// withComma is a number with one comma between its digits, and perhaps a unit behind.
var withComma = regexp.MustCompile(`^[-+]?[0-9]+,([0-9]+) ?[A-Za-z]*$`)

// decimalCommas tells whether a comma stands for the point of decimal numbers in a column, as spreadsheets write them in many countries: no number has a point,
// each comma is within digits, one a number, and some number has other than three digits behind it. Where all have three, as 1,500 does, it may stand between thousands.
func decimalCommas(values []string) (sure bool) {
	for _, v := range values {
		if strings.Contains(v, ".") {
			return false
		}
		if !strings.Contains(v, ",") {
			continue
		}
		parts := withComma.FindStringSubmatch(v)
		if parts == nil {
			return false
		}
		sure = sure || len(parts[1]) != 3
	}
	return sure
}

// pointed is a value of a column with decimal commas, with a point. One that has a point already is none: it would stand between thousands.
func pointed(v string) (string, bool) {
	return strings.Replace(v, ",", ".", 1), !strings.Contains(v, ".")
}
