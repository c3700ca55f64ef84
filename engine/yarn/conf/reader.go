package conf

import (
	"regexp"
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
	t := javaTrim(v)
	digits, base := t, 10
	neg := strings.HasPrefix(digits, "-")
	if d := strings.TrimPrefix(digits, "-"); strings.HasPrefix(d, "0x") || strings.HasPrefix(d, "0X") {
		digits, base = d[2:], 16
		if neg {
			digits = "-" + digits
		}
	}
	n, err := strconv.ParseInt(digits, base, bits)
	if err != nil {
		e := badWhole(digits, bits, err)
		if base == 16 {
			e.Text += " under radix 16"
		}
		r.fail(key, t, e)
		return def
	}
	return n
}

func (r *reader) int(key string, def int32) int32  { return int32(r.integer(key, int64(def), 32)) }
func (r *reader) long(key string, def int64) int64 { return r.integer(key, def, 64) }

func (r *reader) float(key string, def float32) float32 {
	v, ok := r.raw(key)
	if !ok {
		return def
	}
	f, err := javaFloat32(v)
	if err != nil {
		r.fail(key, javaTrim(v), err)
		return def
	}
	return f
}

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

var durationForm = regexp.MustCompile(`^(-?\d+) *(ns|us|ms|s|m|h|d)?$`)

// duration reads ms, or a number with a unit.
//
// Source: Configuration.getTimeDuration.
func (r *reader) duration(key string, def int64) int64 {
	v, ok := r.raw(key)
	if !ok {
		return def
	}
	m := durationForm.FindStringSubmatch(strings.ToLower(javaTrim(v)))
	if m == nil {
		r.fail(key, v, badNumber(javaTrim(v)).instead("a whole number of milliseconds, or of a unit such as 10s"))
		return def
	}
	n, err := javaLong(m[1])
	if err != nil {
		r.fail(key, v, err)
		return def
	}
	switch m[2] {
	case "ns":
		return n / 1e6
	case "us":
		return n / 1e3
	case "s":
		return n * 1e3
	case "m":
		return n * 60e3
	case "h":
		return n * 3600e3
	case "d":
		return n * 86400e3
	}
	return n
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
