package resource

import (
	"math"
	"strconv"
	"strings"
)

// F2L is Java's (long) of a double: truncation, NaN is 0, values beyond the range saturate.
func F2L(x float64) int64 {
	switch {
	case x != x:
		return 0
	case x >= math.MaxInt64:
		return math.MaxInt64
	case x <= math.MinInt64:
		return math.MinInt64
	}
	return int64(x)
}

// F2I is Java's (int) of a double.
func F2I(x float64) int32 {
	switch {
	case x != x:
		return 0
	case x >= math.MaxInt32:
		return math.MaxInt32
	case x <= math.MinInt32:
		return math.MinInt32
	}
	return int32(x)
}

// Signum is (int) Math.signum(x): NaN is a tie.
func Signum(x float64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// CeilDiv returns a divided by b and rounded up, 0 for b = 0.
//
// Source: ResourceCalculator.divideAndCeil.
func CeilDiv(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	return (a + (b - 1)) / b
}

// CeilDivFloat is [CeilDiv] by a float.
func CeilDivFloat(a int64, b float32) int64 {
	if b == 0 {
		return 0
	}
	return F2L(math.Ceil(float64(float32(float32(a) / b))))
}

// RoundUp returns the smallest multiple of b that is not below a, 0 for b = 0.
//
// Source: ResourceCalculator.roundUp.
func RoundUp(a, b int64) int64 { return CeilDiv(a, b) * b }

// RoundDown returns the largest multiple of b that is not above a, which is 0 or more; b must not be 0.
//
// Source: ResourceCalculator.roundDown.
func RoundDown(a, b int64) int64 { return a / b * b }

// safeRatio is a / b in float, 0 for 0 / 0.
func safeRatio(a, b int64) float32 {
	if a == 0 && b == 0 {
		return 0
	}
	return float32(float32(a) / float32(b))
}

// ParseFloat is Java's reading of a finite float of so many bits, after which a letter may say that it is one: 0.5f, 2D.
func ParseFloat(text string, bits int) (x float64, ok bool) {
	text = strings.TrimSpace(text)
	if n := len(text) - 1; n > 0 && strings.ContainsRune("fFdD", rune(text[n])) && (text[n-1] == '.' || text[n-1] >= '0' && text[n-1] <= '9') {
		text = text[:n]
	}
	x, err := strconv.ParseFloat(text, bits)
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}
