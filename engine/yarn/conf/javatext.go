package conf

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"replay/engine/yarn/jvm"
)

// The functions of this file read text as Java's library does, with its exceptions.

// javaTrim is String.trim: everything up to U+0020 at both ends.
func javaTrim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

// javaSplit is String.split for a separator without special meaning: trailing empty parts go.
func javaSplit(s, sep string) []string {
	parts := strings.Split(s, sep)
	for len(parts) > 1 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	if len(parts) == 1 && parts[0] == "" && s != "" {
		return nil // only separators
	}
	return parts
}

func badNumber(s string) *Error {
	return refuse("NumberFormatException", "For input string: %s", javaQuote(s))
}

// badWhole is [badNumber] of a whole number of so many bits, by what strconv says of it.
func badWhole(s string, bits int, err error) *Error {
	if errors.Is(err, strconv.ErrRange) {
		return badNumber(s).instead("a whole number from %d to %d", int64(-1)<<(bits-1), int64(1<<(bits-1)-1))
	}
	return badNumber(s).instead("a whole number")
}

// javaQuote puts s between quotes as it is, as Java's messages do.
func javaQuote(s string) string { return `"` + s + `"` }

// westernDigits replaces the decimal digits of other scripts, which Java's integers may have.
func westernDigits(s string) string {
	for _, r := range s {
		if r >= 0x80 && unicode.Is(unicode.Nd, r) {
			return strings.Map(westernDigit, s)
		}
	}
	return s
}

func westernDigit(r rune) rune {
	if r < 0x80 {
		return r
	}
	for _, block := range unicode.Nd.R16 {
		if lo := rune(block.Lo); r >= lo && r <= rune(block.Hi) {
			return '0' + (r-lo)%10
		}
	}
	return r
}

// javaInt is Integer.parseInt.
func javaInt(s string) (int32, *Error) {
	v, err := strconv.ParseInt(westernDigits(s), 10, 32)
	if err != nil {
		return 0, badWhole(s, 32, err)
	}
	return int32(v), nil
}

// javaLong is Long.parseLong.
func javaLong(s string) (int64, *Error) {
	v, err := strconv.ParseInt(westernDigits(s), 10, 64)
	if err != nil {
		return 0, badWhole(s, 64, err)
	}
	return v, nil
}

var javaFloatForm = regexp.MustCompile(`^[+-]?(NaN|Infinity|((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?\d+)[fFdD]?)$`)

// javaFloat is Float.parseFloat (bits 32) and Double.parseDouble (bits 64).
func javaFloat(s string, bits int) (float64, *Error) {
	t := javaTrim(s)
	if t == "" {
		return 0, refuse("NumberFormatException", "empty String")
	}
	if !javaFloatForm.MatchString(t) {
		return 0, badNumber(t).instead("a number")
	}
	if strings.HasSuffix(t, "NaN") {
		return math.NaN(), nil
	}
	hex := strings.ContainsAny(t, "xX")
	if !strings.HasSuffix(t, "y") && (!hex || strings.ContainsAny(t[len(t)-1:], "fFdD")) {
		t = strings.TrimRight(t, "fFdD")
	}
	v, err := strconv.ParseFloat(t, bits)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, badNumber(t).instead("a number")
	}
	return v, nil
}

// javaLower is StringUtils.toLowerCase with the English locale; enough for what is compared with
// ASCII names.
func javaLower(s string) string { return strings.ToLower(s) }

// hashOrder returns the distinct texts of names in the iteration order of a java.util.HashSet
// into which they were added one by one.
func hashOrder(names []string) []string {
	var set jvm.HashMap[string, struct{}]
	for _, s := range names {
		set.Put(s, jvm.StringHash(s), struct{}{})
	}
	out := make([]string, 0, set.Len())
	for s := range set.All {
		out = append(out, s)
	}
	return out
}
