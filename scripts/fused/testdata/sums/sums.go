// Package sums has sums of products, some of which are rounded first.
package sums

import "math"

func Plain(a, b, c float64) float64   { return a*b + c }          // want
func Sign(a, b, c float64) float64    { return c - -(a * b) }     // want
func Rounded(a, b, c float64) float64 { return float64(a*b) + c } // explicitly
func Exact(a, c float64) float64      { return 2*a + c/4 }        // no digit is lost
func Whole(a, b, c int) int           { return a*b + c }
func Quotient(a, b, c float64) float64 {
	return a*b/c + math.Sqrt(a*b) // what is divided or rooted is rounded
}

func Held(values []float64, w float64) (sum float64) {
	for _, v := range values {
		x := v * w // want
		sum += x
	}
	return sum
}

func Square(a float64) float64 { return a * a } // want

func Returned(a, b float64) float64 { return Square(a) + b }
