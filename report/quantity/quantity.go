// Package quantity holds what every room of the report says about a number: its name, its unit, which way it is
// better, and how it is written for people.
package quantity

import "math"

// Direction says which way a number is better.
type Direction int8

// The directions.
const (
	Neither Direction = 0
	Higher  Direction = 1
	Lower   Direction = -1
)

// String returns higher, lower or nothing.
func (d Direction) String() string {
	switch d {
	case Higher:
		return "higher"
	case Lower:
		return "lower"
	}
	return ""
}

// Family of quantities that a comparison tests together.
type Family string

// The families; quantities of no family get an interval and no test.
const (
	Headline Family = "headline"
	Shares   Family = "queue shares"
)

// MovedBy is what moves a quantity by itself: between replays that do not have the same of it, the quantity has no better side.
type MovedBy string

// What moves quantities; most are moved by nothing so.
const (
	ByWork  MovedBy = "work"           // which jobs there are, and when they arrive
	ByNodes MovedBy = "nodes and work" // of a share of all that the cluster has: fewer nodes raise it, too
)

// Moved reports whether it is moved where replays do not have the same nodes, or not the same work.
func (m MovedBy) Moved(nodes, work bool) bool {
	return m == ByNodes && nodes || m != "" && work
}

// Quantity is one thing that is measured. What is written about it anywhere (rows, sentences, axes, tables) follows from here.
type Quantity struct {
	Name    string // as in summary.json; "[queue=…]", "[size=…]" and "[reason=…]" tell the parts of a whole apart
	Unit    Unit
	Better  Direction
	MovedBy MovedBy // what by itself moves it
	About   string  // what it is, in a line
	Family  Family
	Plain   string // in words within a sentence; empty where no sentence needs it
	Short   string // in the room beside a line or an axis; empty where none is drawn
}

// Column is the name of the column of a table that holds the quantity.
func (q *Quantity) Column() string { return q.Name + q.Unit.Suffix() }

// Over returns a/b, NaN when b is 0: what cannot be computed is not a number, and is never shown as one.
func Over(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}
