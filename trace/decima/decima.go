// Package decima reads tables of measured stages, as they are derived from the measurements published with the Decima scheduler: of each stage of
// a query the number of its tasks and the log-normal laws of their durations in the first wave, in later ones and on a cold executor.
package decima

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"replay/input"
	"replay/trace"
)

// Wave is the log-normal law of the durations in a wave, ms; a median of 0 means that none was measured.
type Wave struct{ Median, SD float64 }

// Stage is a stage of a query.
type Stage struct {
	Parents            []int32
	Tasks              int
	Fresh, First, Rest Wave
}

// Query is a query on data of a size.
type Query struct {
	SizeGB float64
	Query  int
	Stages []Stage
}

// Limits of what a table may say.
const (
	mostStages   = 100_000
	mostTasks    = 10_000_000 // of a query
	mostMedianMS = 1e12
	mostSD       = 20
)

// row is a row of a table; in JSON an object with these keys.
type row struct {
	SizeGB  float64 `json:"size_gb"`
	Query   int     `json:"query"`
	Stage   int     `json:"stage"`
	Parents []int32 `json:"parents"`
	Tasks   int     `json:"tasks"`
	Fresh   float64 `json:"fresh_ms_median"`
	FreshSD float64 `json:"fresh_lnsd"`
	First   float64 `json:"first_ms_median"`
	FirstSD float64 `json:"first_lnsd"`
	Rest    float64 `json:"rest_ms_median"`
	RestSD  float64 `json:"rest_lnsd"`
}

// Bad is what is wrong with a query.
type Bad struct{ Err error }

func (e *Bad) Error() string { return e.Err.Error() }

// Each reads a table, as CSV with a header or as a JSON list of objects with the same names, and gives its queries to take, in order. The rows of
// a query stand together, its stages from 0 on with their parents before them. In place of a query that is not so take gets a [Bad]. The
// error is that of take, or of a text that is no table.
func Each(name string, r io.Reader, take func(q *Query, bad *Bad) error) error {
	in := bufio.NewReader(r)
	t := &table{name: name, take: take}
	var err error
	if first, _ := in.Peek(64); strings.HasPrefix(strings.TrimLeft(string(first), " \t\r\n\ufeff"), "[") {
		err = t.json(in)
	} else {
		err = t.csv(in)
	}
	if err == nil {
		err = t.flush()
	}
	return err
}

// table gathers the rows of a query.
type table struct {
	name  string
	take  func(*Query, *Bad) error
	now   *Query // nil before the first row
	tasks int
	bad   *Bad
}

func (t *table) flush() error {
	if t.now == nil {
		return nil
	}
	q, bad := t.now, t.bad
	t.now, t.bad, t.tasks = nil, nil, 0
	if bad != nil {
		return t.take(nil, bad)
	}
	return t.take(q, nil)
}

// add takes a row, whose place is for messages; wrong is what was wrong with reading it.
func (t *table) add(place string, r *row, wrong error) error {
	if t.now != nil && (t.now.SizeGB != r.SizeGB || t.now.Query != r.Query) {
		if err := t.flush(); err != nil {
			return err
		}
	}
	if t.now == nil {
		t.now = &Query{SizeGB: r.SizeGB, Query: r.Query}
	}
	if t.bad != nil {
		return nil
	}
	if wrong == nil {
		wrong = t.check(r)
	}
	if wrong != nil {
		t.bad = &Bad{fmt.Errorf("%s: %s: %w", t.name, place, wrong)}
		return nil
	}
	t.tasks += r.Tasks
	t.now.Stages = append(t.now.Stages, Stage{r.Parents, r.Tasks, Wave{r.Fresh, r.FreshSD}, Wave{r.First, r.FirstSD}, Wave{r.Rest, r.RestSD}})
	return nil
}

// check says which field is not what was wanted.
func (t *table) check(r *row) error {
	n := len(t.now.Stages)
	switch {
	case r.SizeGB < 0:
		return fmt.Errorf("size_gb is %v, want 0 or more", r.SizeGB)
	case r.Stage != n || n >= mostStages:
		return fmt.Errorf("stage is %d, want %d, as the stages of query %d at %v GB count from 0, up to %d", r.Stage, n, r.Query, r.SizeGB, mostStages)
	case r.Tasks < 1 || t.tasks+r.Tasks > mostTasks:
		return fmt.Errorf("tasks is %d, want 1 or more, and at most %d in a query", r.Tasks, mostTasks)
	case r.Fresh == 0 && r.First == 0 && r.Rest == 0:
		return errors.New("fresh_ms_median, first_ms_median and rest_ms_median are empty, want one of them")
	}
	for _, p := range r.Parents {
		if p < 0 || int(p) >= n {
			return fmt.Errorf("parents has %d, want stages before %d", p, n)
		}
	}
	for i, p := range r.Parents {
		for _, q := range r.Parents[:i] {
			if p == q {
				return fmt.Errorf("parents has %d twice, want each once", p)
			}
		}
	}
	for _, w := range []struct {
		name       string
		median, sd float64
	}{{"fresh", r.Fresh, r.FreshSD}, {"first", r.First, r.FirstSD}, {"rest", r.Rest, r.RestSD}} {
		if !(w.median >= 0 && w.median <= mostMedianMS && w.sd >= 0 && w.sd <= mostSD) {
			return fmt.Errorf("%s_ms_median is %v and %s_lnsd %v, want 0 to %v and 0 to %v", w.name, w.median, w.name, w.sd, float64(mostMedianMS), mostSD)
		}
	}
	return nil
}

func (t *table) json(in io.Reader) error {
	d := json.NewDecoder(in)
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	for i := 0; d.More(); i++ {
		var r row
		place := fmt.Sprintf("row %d", i)
		err := d.Decode(&r)
		var wrong *json.UnmarshalTypeError
		if err != nil && !errors.As(err, &wrong) {
			return fmt.Errorf("%s: %s: %w", t.name, place, err)
		}
		if err := t.add(place, &r, input.WrongJSON(err)); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	return nil
}

func (t *table) csv(in io.Reader) error {
	c := csv.NewReader(in)
	c.ReuseRecord, c.FieldsPerRecord = true, -1
	head, err := c.Read()
	if err != nil {
		return fmt.Errorf("%s: %w, want a header", t.name, err)
	}
	at := map[string]int{}
	for i, h := range head {
		at[strings.TrimSpace(strings.TrimPrefix(h, "\ufeff"))] = i
	}
	for _, name := range []string{"size_gb", "query", "stage", "parents", "tasks", "first_ms_median", "rest_ms_median"} {
		if _, ok := at[name]; !ok {
			return fmt.Errorf("%s: line 1: the header has no %s", t.name, name)
		}
	}
	for {
		f, err := c.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		line, _ := c.FieldPos(0)
		r, wrong := parse(f, at)
		if err := t.add(fmt.Sprintf("line %d", line), r, wrong); err != nil {
			return err
		}
	}
}

// parse reads the fields of a line. An empty number is 0.
func parse(f []string, at map[string]int) (*row, error) {
	var bad error
	field := func(name string) string {
		if i, ok := at[name]; ok && i < len(f) {
			return strings.TrimSpace(f[i])
		}
		return ""
	}
	number := func(name string) float64 {
		text := field(name)
		if text == "" {
			return 0
		}
		v, err := strconv.ParseFloat(text, 64)
		if (err != nil || math.IsNaN(v) || math.IsInf(v, 0)) && bad == nil {
			bad = fmt.Errorf("%s is %q, want a number", name, text)
		}
		return v
	}
	whole := func(name string) int {
		v, err := strconv.Atoi(field(name))
		if err != nil && bad == nil {
			bad = fmt.Errorf("%s is %q, want a whole number", name, field(name))
		}
		return v
	}
	r := &row{
		SizeGB: number("size_gb"), Query: whole("query"), Stage: whole("stage"), Tasks: whole("tasks"), Fresh: number("fresh_ms_median"), FreshSD: number("fresh_lnsd"),
		First: number("first_ms_median"), FirstSD: number("first_lnsd"), Rest: number("rest_ms_median"), RestSD: number("rest_lnsd"),
	}
	for p := range strings.SplitSeq(field("parents"), "|") {
		if p == "" {
			continue
		}
		v, err := strconv.ParseInt(p, 10, 32)
		if err != nil && bad == nil {
			bad = fmt.Errorf("parents is %q, want stages with | between them", field("parents"))
		}
		r.Parents = append(r.Parents, int32(v))
	}
	return r, bad
}

// Feeds tells of each stage whether another one reads it.
func (q *Query) Feeds() []bool {
	feeds := make([]bool, len(q.Stages))
	for i := range q.Stages {
		for _, p := range q.Stages[i].Parents {
			feeds[p] = true
		}
	}
	return feeds
}

// Draw gives the tasks of a stage durations by the law of later waves, and the stage the factors of the first wave and of a cold executor.
func (m *Stage) Draw(s *trace.Stage, r *rand.Rand) {
	base := m.Rest
	for _, w := range []Wave{m.First, m.Fresh} { // a stage that never had a further wave
		if base.Median == 0 {
			base = w
		}
	}
	if m.First.Median > 0 {
		s.FirstFactor = min(float32(m.First.Median/base.Median), trace.MostFactor)
	}
	if m.Fresh.Median > 0 {
		s.FreshFactor = min(float32(m.Fresh.Median/base.Median), trace.MostFactor)
	}
	for k := range s.Tasks.DurationMS {
		s.Tasks.DurationMS[k] = max(1, int64(min(base.Median*math.Exp(float64(r.NormFloat64()*base.SD)), mostMedianMS)))
	}
}
