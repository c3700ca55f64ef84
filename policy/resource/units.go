package resource

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A Unit is a unit of amounts as a fraction of one.
type Unit struct{ Num, Den int64 }

// Units are those of YARN, by name: powers of 1000 and 1024.
//
// Source: org.apache.hadoop.yarn.util.UnitsConversionUtil.
var Units = map[string]Unit{
	"p": {1, 1e12}, "n": {1, 1e9}, "u": {1, 1e6}, "m": {1, 1e3}, "": {1, 1},
	"k": {1e3, 1}, "M": {1e6, 1}, "G": {1e9, 1}, "T": {1e12, 1}, "P": {1e15, 1},
	"Ki": {1 << 10, 1}, "Mi": {1 << 20, 1}, "Gi": {1 << 30, 1}, "Ti": {1 << 40, 1}, "Pi": {1 << 50, 1},
}

// unitNames are the names as Java tells them: in the order of a hash table.
const unitNames = "[, Gi, G, k, m, M, n, p, P, T, u, Ti, Pi, Mi, Ki]"

// A UnitError is the message of YARN's exception: a unit is unknown, or an amount does not fit into 64 bits on the way.
type UnitError string

func (e UnitError) Error() string { return string(e) }

// ConvertUnit returns what an amount of one unit is in another, rounded down. The error is a [UnitError].
//
// Source: UnitsConversionUtil.convert, including the places where it gives up.
func ConvertUnit(from, to string, v int64) (int64, error) {
	if from == to {
		return v, nil
	}
	var f [2]Unit
	for i, name := range []string{from, to} {
		var ok bool
		if f[i], ok = Units[name]; !ok {
			return 0, UnitError(fmt.Sprintf("Unknown unit '%s'. Known units are %s", name, unitNames))
		}
	}
	overflow := UnitError(fmt.Sprintf("Converting %d from '%s' to '%s' will result in an overflow of Long", v, from, to))
	num, den := f[0].Num*f[1].Den, f[0].Den*f[1].Num
	if num <= 0 || den <= 0 {
		return 0, overflow
	}
	limit := math.MaxInt64 / num
	switch {
	case num < den && limit < v:
		return 0, overflow
	case num < den, limit > v:
		return v * num / den, nil
	case math.MaxInt64/(num/den) < v:
		return 0, overflow
	}
	return v * (num / den), nil
}

// amountForm is how an application writes what it asks for.
//
// Source: ResourceUtils.RESOURCE_REQUEST_VALUE_PATTERN.
var amountForm = regexp.MustCompile(`^([0-9]+) ?([a-zA-Z]*)$`)

// ParseAmount returns the amount that an application asks for by a text such as "2048", "2Gi" or "2 Gi", in a unit; a text without a unit has that one.
// What does not fit into 64 bits is [math.MaxInt64]; ok is false for a text of another form, or with an unknown unit.
func ParseAmount(text, unit string) (n int64, ok bool) {
	m := amountForm.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	from := m[2]
	if from == "" {
		from = unit
	}
	if _, known := Units[from]; !known {
		return 0, false
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err == nil {
		n, err = ConvertUnit(from, unit, n)
	}
	if err != nil {
		return math.MaxInt64, true
	}
	return n, true
}

// WholeAmount is what [ParseWhole] takes, in words.
const WholeAmount = "a whole number of 0 or more, with or without one of the units k, M, G, T, P, Ki, Mi, Gi, Ti, Pi"

// ParseWhole returns the amount that Spark's keys of YARN's resources have, such as "2" or "2Gi", in ones; g, t and p are G, T and P. ok is false for a text of
// another form, and for what does not fit into 64 bits.
//
// Source: ResourceRequestHelper.getYarnResourcesAndAmounts, setResourceRequests.
func ParseWhole(text string) (n int64, ok bool) {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	name := text[len(digits):]
	switch name {
	case "g", "t", "p":
		name = strings.ToUpper(name)
	}
	unit, known := Units[name]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || !known || unit.Den != 1 || n > math.MaxInt64/unit.Num {
		return 0, false
	}
	return n * unit.Num, true
}
