// Package target reads conditions on the values of replays, a limit or a change that is borne.
//
//	p95(wait, queue=etl) < 30s
//	mean(duration) > +5%
//	locality_tasks_node >= 90%
//
// The left side is the name of a value of docs/metrics.md, or a statistic of one: mean, p50, p90, p95, p99 or max, with a queue or a class of sizes
// where the value is told apart by them. The right side is a limit in the value's unit. One with a sign is a change against a base: of the
// base's value in %, or by an amount.
package target

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"replay/duration"
	"replay/engine/spelling"
	"replay/report/metric"
	"replay/report/quantity"
)

// A Target is a condition as it was written.
type Target struct {
	Text   string
	Op     string // <, <=, > or >=
	Change bool   // the limit is a change against a base

	value  string // on the left, as written: a name, or a statistic's quantity
	stat   string // "" where value is a whole name
	parts  []part
	number float64
	unit   string // of the number, as written
}

// part is one of the conditions within the parentheses.
type part struct{ key, value string }

// short are names that people say for those of values.
var short = map[string]string{
	"wait":           "wait_job_first_task",
	"held":           "wait_job_held",
	"duration":       "duration_job",
	"container_wait": "wait_container_allocation",
	"task_wait":      "wait_task_launch",
}

// statistics are those that a quantity may have.
var statistics = []string{"mean", "p50", "p90", "p95", "p99", "max"}

var (
	form  = regexp.MustCompile(`^\s*([^<>=(]+?)\s*(?:\(([^)]*)\)\s*)?(<=|>=|<|>)\s*([+-])?\s*([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z%]*)((?:[0-9.]+[a-z]+)*)\s*$`)
	named = regexp.MustCompile(`^([a-z][a-z0-9_]*)((?:\[[^\]]*\])?)$`)
)

// Parse reads a condition. The error says what was wanted.
func Parse(text string) (*Target, error) {
	m := form.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("%q: no condition, want one such as 'p95(wait, queue=etl) < 30s' or 'mean(duration) > +5%%'", text)
	}
	t := &Target{Text: strings.TrimSpace(text), Op: m[3], Change: m[4] != "", unit: m[6]}
	var err error
	if t.number, err = strconv.ParseFloat(m[5], 64); err != nil {
		return nil, fmt.Errorf("%q: %s is no number", text, m[5])
	}
	if m[7] != "" { // 1h30m
		d, err := duration.Parse(m[5] + m[6] + m[7])
		if err != nil {
			return nil, fmt.Errorf("%q: %s is no time, want one such as 90m or 1h30m", text, m[5]+m[6]+m[7])
		}
		t.number, t.unit = float64(d)/float64(time.Millisecond), "ms"
	}
	if m[4] == "-" {
		t.number = -t.number
	}
	if err := t.left(m[1], m[2], strings.Contains(text, "(")); err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	if _, err := t.amount(quantity.MS); t.unit != "" && t.unit != "%" && t.unit != "pp" && err != nil {
		return nil, fmt.Errorf("%q: %q is no unit, want ms, s, m, h or d of a time, %% or pp of a share, and none of another value (or a change in %%)", text, t.unit)
	}
	return t, nil
}

// left reads the left side: what stands before the parentheses, and within them.
func (t *Target) left(name, within string, call bool) error {
	if !call {
		if !named.MatchString(name) {
			return fmt.Errorf("%q is no name of a value, want one of docs/metrics.md, or a statistic such as p95(wait)", name)
		}
		t.value = name
		return nil
	}
	if !slices.Contains(statistics, name) {
		return fmt.Errorf("%q is no statistic, want one of %s", name, strings.Join(statistics, ", "))
	}
	t.stat = name
	for i, field := range strings.Split(within, ",") {
		field = strings.TrimSpace(field)
		key, value, ok := strings.Cut(field, "=")
		switch key, value = strings.TrimSpace(key), unquoted(strings.TrimSpace(value)); {
		case i == 0 && !ok && named.MatchString(field):
			t.value = field
			if long, ok := short[field]; ok {
				t.value = long
			}
		case i == 0:
			return fmt.Errorf("%q is no quantity, want one such as wait, duration or slowdown", field)
		case !ok || value == "" || key != "queue" && key != "size":
			return fmt.Errorf("%q tells nothing apart, want queue=NAME or size=CLASS", field)
		default:
			t.parts = append(t.parts, part{key, value})
		}
	}
	if len(t.parts) > 1 {
		return errors.New("values are told apart by queue or by size, not by both")
	}
	return nil
}

// NoJobs is the error of a target about a queue that is there and has no jobs.
type NoJobs struct {
	Queue string // its path
	known []string
}

func (e *NoJobs) Error() string {
	return fmt.Sprintf("no job is in queue %s, want one of %s", e.Queue, strings.Join(e.known, ", "))
}

// Find returns which of values the target is about, and the limit in its unit: a part of the base's value where percent is true. The
// error names those that come near. With a [NoJobs] come the value of all jobs and the limit.
func (t *Target) Find(values []metric.Value) (at int, limit float64, percent bool, err error) {
	var none *NoJobs
	if at, err = t.find(values); err != nil && !errors.As(err, &none) {
		return 0, 0, false, fmt.Errorf("%q: %w", t.Text, err)
	}
	if percent = t.Change && t.unit == "%"; percent {
		limit = t.number / 100
	} else if limit, err = t.amount(values[at].Unit); err != nil {
		return 0, 0, false, fmt.Errorf("%q: %w", t.Text, err)
	}
	if text := t.certain(limit, &values[at].Quantity, percent); text != "" {
		return 0, 0, false, fmt.Errorf("%q %s, whatever the replays: want a limit that a value can be on both sides of", t.Text, text)
	}
	if none != nil {
		return at, limit, percent, fmt.Errorf("%q: %w", t.Text, none)
	}
	return at, limit, percent, nil
}

// certain says why the condition is the same for all values of a quantity; empty where it can hold and can fail. What is allocated of the cluster's vcores may be more
// than all of them, where the scheduler counts memory alone.
func (t *Target) certain(limit float64, of *quantity.Quantity, percent bool) string {
	low, high, what := 0.0, math.Inf(1), "it is never below 0"
	switch allocated := strings.HasPrefix(of.Name, "utilization_") || strings.HasPrefix(of.Name, "queue_"); {
	case of.Unit == quantity.Share && !allocated:
		high, what = 1, "it is from 0 to 100 %"
	case of.Unit == quantity.Index:
		high, what = 1, "it is from 0 to 1"
	}
	switch {
	case percent:
		low, high, what = -1, math.Inf(1), "nothing gets less by more than 100 %"
	case t.Change && math.IsInf(high, 1):
		return ""
	case t.Change:
		low = -high
	}
	holds, fails := limit > low, limit <= high // of <
	switch t.Op {
	case "<=":
		holds, fails = limit >= low, limit < high
	case ">":
		holds, fails = limit < high, limit >= low
	case ">=":
		holds, fails = limit <= high, limit > low
	}
	switch {
	case !holds:
		return "never holds (" + what + ")"
	case !fails:
		return "always holds (" + what + ")"
	}
	return ""
}

// unquoted is text without the quotes around it, as a shell or a habit leaves them.
func unquoted(text string) string {
	if n := len(text); n > 1 && text[0] == text[n-1] && (text[0] == '"' || text[0] == '\'') {
		return text[1 : n-1]
	}
	return text
}

func (t *Target) find(values []metric.Value) (int, error) {
	is := func(name string) int {
		return slices.IndexFunc(values, func(v metric.Value) bool { return v.Name == name })
	}
	if t.stat == "" {
		if at := is(t.value); at >= 0 {
			return at, nil
		}
		if long, ok := short[t.value]; ok && is(long+"_mean"+quantity.MS.Suffix()) >= 0 {
			return 0, fmt.Errorf("%s has no statistic, want one of %s, as in p95(%[1]s)", t.value, strings.Join(statistics, ", "))
		}
		return 0, fmt.Errorf("there is no value %s%s", t.value, near(t.value, values))
	}
	base := -1
	for _, suffix := range []string{"", quantity.MS.Suffix()} {
		if at := is(t.value + "_" + t.stat + suffix); at >= 0 {
			base = at
		}
	}
	switch {
	case base < 0:
		return 0, fmt.Errorf("there is no %s of %s%s", t.stat, t.value, near(t.value, values))
	case t.parts == nil:
		return base, nil
	}
	return t.of(base, values)
}

// of finds the part of a value: by its label, or of a queue by the end of its path where that is one queue alone. A queue that other values have and this one
// has not is there without jobs.
func (t *Target) of(base int, values []metric.Value) (int, error) {
	name, p := values[base].Name, t.parts[0]
	at := map[string]int{}
	var known, others []string
	for i, v := range values {
		of, label, ok := strings.Cut(strings.TrimSuffix(v.Name, "]"), "["+p.key+"=")
		switch {
		case ok && of == name:
			known = append(known, label)
			at[label] = i
		case ok && !slices.Contains(others, label):
			others = append(others, label)
		}
	}
	if i, ok := at[p.value]; ok {
		return i, nil
	}
	var found []string
	if p.key == "queue" {
		found = spelling.Called(p.value, known)
	}
	switch {
	case len(found) == 1:
		return at[found[0]], nil
	case len(found) > 1:
		return 0, fmt.Errorf("%d queues end in %s, want one of %s", len(found), p.value, strings.Join(known, ", "))
	case known == nil:
		return 0, fmt.Errorf("%s is not told apart by %s", name, p.key)
	}
	if p.key != "queue" {
		return 0, fmt.Errorf("no job is of %s %s, want one of %s", p.key, p.value, strings.Join(known, ", "))
	}
	if slices.Contains(others, p.value) {
		return base, &NoJobs{p.value, known}
	}
	if found = spelling.Called(p.value, others); len(found) == 1 {
		return base, &NoJobs{found[0], known}
	}
	return 0, fmt.Errorf("no job is in a queue %s, nor is there one without jobs, want one of %s", p.value, strings.Join(known, ", "))
}

// near lists names that share a word with one that is not there.
func near(name string, values []metric.Value) string {
	var list []string
	for _, v := range values {
		plain, _, part := strings.Cut(v.Name, "[")
		if !part && (strings.Contains(plain, name) || strings.HasPrefix(plain, strings.SplitN(name, "_", 2)[0]+"_")) && len(list) < 8 {
			list = append(list, plain)
		}
	}
	if list == nil {
		return "; replay run TRACE --all lists the values"
	}
	return ", near it are " + strings.Join(list, ", ")
}

// amount returns the limit in a unit.
func (t *Target) amount(u quantity.Unit) (float64, error) {
	switch u {
	case quantity.MS:
		switch t.unit {
		case "":
			like := "s"
			if name, _, _ := strings.Cut(t.value, "["); strings.HasSuffix(name, "_ms") {
				like = "ms"
			}
			return 0, fmt.Errorf("%v has no unit, want ms, s, m, h or d as in %[1]v%s (or a change in %%)", t.number, like)
		case "d":
			return t.number * 24 * quantity.HourMS, nil
		}
		if t.unit == "%" {
			return 0, fmt.Errorf("%v%% is no time; a change has a sign: %+[1]g%%", t.number)
		}
		if d, err := time.ParseDuration("1" + t.unit); err == nil {
			return t.number * float64(d) / float64(time.Millisecond), nil
		}
		return 0, fmt.Errorf("%q is no unit of a time, want ms, s, m, h or d (or a change in %%)", t.unit)
	case quantity.Share:
		if t.unit == "%" || t.Change && t.unit == "pp" {
			return t.number / 100, nil
		}
		switch {
		case t.unit == "" && math.Abs(t.number) <= 1:
			return t.number, nil
		case t.unit == "" && t.Change:
			return 0, fmt.Errorf("%+g has no unit, want pp as in %+[1]gpp, or a part of the whole from -1 to +1 (or a change in %%)", t.number)
		case t.unit == "":
			return 0, fmt.Errorf("%v has no unit, want %% as in %[1]v%%, or a part of the whole from 0 to 1", t.number)
		}
		return 0, fmt.Errorf("%q is no unit of a share, want %% (a change: pp)", t.unit)
	}
	if t.unit == "%" {
		return 0, fmt.Errorf("%v%% is no number of it, want a bare one; a change has a sign: %+[1]g%%", t.number)
	}
	if t.unit != "" {
		return 0, fmt.Errorf("%q is no unit of it, want a bare number (or a change in %%)", t.unit)
	}
	return t.number, nil
}

// Over returns by how much x exceeds a limit; 0 where they differ by the rounding alone of what was computed from values as large as size, such as 7 % of one.
func Over(x, limit, size float64) float64 {
	if over := x - limit; math.Abs(over) > 1e-12*(math.Abs(size)+math.Abs(limit)) || math.IsNaN(over) {
		return over
	}
	return 0
}

// Holds reports whether x, a value less its limit, meets the condition.
func (t *Target) Holds(x float64) bool {
	switch t.Op {
	case "<":
		return x < 0
	case "<=":
		return x <= 0
	case ">":
		return x > 0
	}
	return x >= 0
}
