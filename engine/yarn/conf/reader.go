package conf

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"replay/engine/remark"
)

// reader reads typed values from properties as Hadoop's Configuration does. The first failure
// is kept in err, so that the callers stay plain lists of keys.
//
// Source: org.apache.hadoop.conf.Configuration.
type reader struct {
	props map[string]string
	read  map[string]bool // keys asked for, present or not
	err   error

	remarks remark.List
}

func (r *reader) fail(key, value string, e *Error) {
	if r.err == nil {
		r.err = e.at(0, key, value)
	}
}

// apart reads something whose failure counts only later, and returns that failure.
func (r *reader) apart(read func()) (failure error) {
	before := r.err
	r.err = nil
	read()
	failure, r.err = r.err, before
	return failure
}

// raw returns the value of key as it stands.
func (r *reader) raw(key string) (string, bool) {
	r.read[key] = true
	v, ok := r.props[key]
	return v, ok
}

// text returns the trimmed value of key.
func (r *reader) text(key, def string) string {
	if v, ok := r.raw(key); ok {
		return javaTrim(v)
	}
	return def
}

// integer reads a decimal or, after 0x, hexadecimal number of that many bits.
func (r *reader) integer(key string, def int64, bits int) int64 {
	v, ok := r.raw(key)
	if !ok {
		return def
	}
	n, err := whole(javaTrim(v), bits)
	if err != nil {
		r.fail(key, javaTrim(v), err)
		return def
	}
	return n
}

// whole is the number of a text, which has no space around it.
//
// Source: Configuration.getInt, getLong.
func whole(text string, bits int) (int64, *Error) {
	digits, base := text, 10
	neg := strings.HasPrefix(digits, "-")
	if d := strings.TrimPrefix(digits, "-"); strings.HasPrefix(d, "0x") || strings.HasPrefix(d, "0X") {
		digits, base = d[2:], 16
		if neg {
			digits = "-" + digits
		}
	}
	n, err := strconv.ParseInt(westernDigits(digits), base, bits)
	if err != nil {
		e := badWhole(digits, bits, err)
		if base == 16 {
			e.Text += " under radix 16"
		}
		return 0, e
	}
	return n, nil
}

// forSpark remarks on a key that the ResourceManager reads as a time with or without a unit, and Spark's application master as a whole number.
//
// Source: ApplicationMaster.heartbeatInterval.
func (r *reader) forSpark(key string) {
	if text := r.text(key, ""); text != "" {
		if _, err := whole(text, 32); err != nil {
			r.odd(key, text, "the ResourceManager takes it, but Spark's application master reads the key as a whole number, and fails where its configuration has this")
		}
	}
}

func (r *reader) int(key string, def int32) int32  { return int32(r.integer(key, int64(def), 32)) }
func (r *reader) long(key string, def int64) int64 { return r.integer(key, def, 64) }

// number reads a number of that many bits.
func (r *reader) number(key string, def float64, bits int) float64 {
	v, ok := r.raw(key)
	if !ok {
		return def
	}
	f, err := javaFloat(v, bits)
	if err != nil {
		r.fail(key, javaTrim(v), err)
		return def
	}
	return f
}

func (r *reader) float(key string, def float32) float32 {
	return float32(r.number(key, float64(def), 32))
}
func (r *reader) double(key string, def float64) float64 { return r.number(key, def, 64) }

// boolean gives the default for anything but true and false, and says so.
func (r *reader) boolean(key string, def bool) bool {
	text := r.text(key, "")
	switch strings.ToLower(text) {
	case "true":
		return true
	case "false":
		return false
	}
	if text != "" {
		r.odd(key, text, remark.NoBoolean(def))
	}
	return def
}

// odd remarks on the value of a key, once.
func (r *reader) odd(key, value, text string) {
	if said := (remark.Remark{Kind: remark.Odd, Of: key + "=" + value, Text: text}); !slices.Contains(r.remarks, said) {
		r.remarks = append(r.remarks, said)
	}
}

// most remarks on a key that is set to more than all there is.
func (r *reader) most(key string, v, all float32, text string) {
	if said := r.text(key, ""); said != "" && v > all {
		r.odd(key, said, text)
	}
}

// timeUnits are the endings of a time and what they are in ns, in the order in which they are looked for.
//
// Source: Configuration.ParsedTimeDuration.
var timeUnits = []struct {
	suffix string
	ns     int64
}{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}}

// duration reads ms, or a number with a unit right behind it. What is beyond 64 bits is the nearest that is not.
//
// Source: Configuration.getTimeDuration.
func (r *reader) duration(key string, def int64) int64 {
	const msInNS = 1e6
	v, ok := r.raw(key)
	if !ok {
		return def
	}
	number, ns := strings.ToLower(javaTrim(v)), int64(msInNS)
	for _, unit := range timeUnits {
		if rest, is := strings.CutSuffix(number, unit.suffix); is {
			number, ns = rest, unit.ns
			break
		}
	}
	n, err := javaLong(number)
	if err != nil {
		r.fail(key, javaTrim(v), err.instead("a whole number of milliseconds, or of a unit such as 10s"))
		return def
	}
	if ns < msInNS {
		return n / (msInNS / ns)
	}
	switch by := ns / msInNS; {
	case n > math.MaxInt64/by:
		return math.MaxInt64
	case n < math.MinInt64/by:
		return math.MinInt64
	default:
		return n * by
	}
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
