package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/report/dist"
	"replay/report/figure"
	"replay/report/inference"
	"replay/report/quantity"
)

// Merged is what the cells of a sweep found together.
type Merged struct {
	*Sweep
	Missing  []Missing
	Programs []Program // that replayed cells
	Lost     int       // cells in which jobs did not succeed that should have
	Warnings Warnings
	Metrics  []Headline
	Points   []*Group
	dims     []dim
	seeds    []uint64 // of all points, in order
	sideless []string // metrics that lost their better side, see sides
}

// Missing is a cell without a record.
type Missing struct {
	Cell *Cell
	Why  string // "" where nobody has tried
}

// Headline is a metric that the page shows.
type Headline struct {
	Name, Plain string
	Unit        quantity.Unit
	Better      string
	movedBy     quantity.MovedBy
}

// A Group is the cells that differ in their seeds alone.
type Group struct {
	*Cell             // the first
	Seeds   []uint64  // of those that are there
	Lost    []Outcome // by seed
	Numbers [][]float64
	cluster record.Cluster
	faster  float64 // how many times as fast as recorded jobs arrive; 0 where it is not known
	at      []int   // levels of the dims
	loses   bool    // jobs that succeed under another group like it but for what can be chosen
}

// mergedFiles are what a directory of a merge consists of.
var mergedFiles = append(figure.Files(), tableName+".csv", tableName+".parquet", "report.html", "summary.txt")

// Merge writes table, page and pictures of the cells that stand in the stores to dir, by what the first of them says that the sweep has. The
// bytes follow from the cells, and not from where and how often they were replayed. A missing cell is an error unless partial is wanted.
func Merge(stores []Store, dir string, partial bool, formats []string) (*Merged, error) {
	w, err := stores[0].open()
	if err != nil {
		return nil, err
	}
	for _, s := range stores[1:] {
		o, err := s.open()
		if err != nil {
			return nil, err
		}
		if o.Hash != w.Hash {
			return nil, fmt.Errorf("%s and %s are of different sweeps: plan, traces, files or programs differ", stores[0].Dir, s.Dir)
		}
	}
	out, err := merged(dir)
	if err != nil {
		return nil, err
	}
	defer out.Abort()
	t, err := newTable(out, w.Settings)
	if err != nil {
		return nil, err
	}
	defer t.abandon()
	m := &Merged{Sweep: w}
	var twins Twins
	for i := range w.Cells {
		c := &w.Cells[i]
		r, why, err := find(stores, c.ID)
		if err != nil {
			return nil, err
		}
		if r == nil {
			m.Missing = append(m.Missing, Missing{c, why})
			continue
		}
		if err := t.add(w, c, r); err != nil {
			return nil, err
		}
		m.add(c, r)
		twins.Add(c.Trace, fmt.Sprintf("%q%q", c.Variant, c.Values), c.Seed, r)
	}
	m.Warnings.First(twins.Texts(w.Traces)...)
	if err := t.close(); err != nil {
		return nil, err
	}
	if n := len(m.Missing); n == len(w.Cells) || n > 0 && !partial {
		return m, &Incomplete{n, len(w.Cells)}
	}
	for _, g := range m.Points {
		m.seeds = append(m.seeds, g.Seeds...)
	}
	slices.Sort(m.seeds)
	m.seeds = slices.Compact(m.seeds)
	m.dims = m.dimensions()
	m.lose()
	m.sides()
	pictures := m.pictures()
	var all []figure.Picture
	for _, ps := range pictures {
		all = append(all, ps...)
	}
	if err := figure.WriteAll(out.Path("plots"), all, formats); err != nil {
		return nil, err
	}
	page, err := m.page(pictures)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	m.WriteText(&text)
	err = errors.Join(out.WriteFile("report.html", page), out.WriteFile("summary.txt", []byte(text.String())))
	if err != nil {
		return nil, err
	}
	return m, out.Install()
}

// Incomplete is the error of a merge without all cells.
type Incomplete struct{ Missing, Of int }

func (e *Incomplete) Error() string {
	return fmt.Sprintf("%s of %s are missing", quantity.Thousands(int64(e.Missing)), quantity.Counted(int64(e.Of), "cells"))
}

// find returns the record of a cell from the first store that has it, nil and why where none has. A damaged one is missing.
func find(stores []Store, id string) (*Record, string, error) {
	why := ""
	for _, s := range stores {
		r, err := s.Load(id)
		var at *fs.PathError
		switch {
		case err == nil:
			return r, "", nil
		case errors.Is(err, fs.ErrNotExist):
			if text := s.failure(id); text != "" {
				why = text
			}
		case errors.As(err, &at):
			return nil, "", err
		default:
			why = err.Error()
		}
	}
	return nil, why, nil
}

// add takes in what the page shows of a cell.
func (m *Merged) add(c *Cell, r *Record) {
	if !slices.Contains(m.Programs, r.Program) {
		m.Programs = append(m.Programs, r.Program)
	}
	if r.Outcome.Unexpected > 0 {
		m.Lost++
	}
	m.Warnings.Add(r, m.Traces[c.Trace].Name)
	g := (*Group)(nil)
	if n := len(m.Points); n > 0 && m.Points[n-1].like(c) { // seeds follow each other
		g = m.Points[n-1]
	} else {
		g = &Group{Cell: c, cluster: r.Cluster, faster: r.Faster}
		m.Points = append(m.Points, g)
	}
	numbers := make([]float64, len(m.Metrics))
	for i := range numbers {
		numbers[i] = math.NaN()
	}
	for _, v := range r.Values {
		if v.Headline == "" {
			continue
		}
		x := math.NaN()
		if v.Says() {
			x = *v.Number
		}
		at := slices.IndexFunc(m.Metrics, func(h Headline) bool { return h.Name == v.Name })
		if at < 0 {
			at = len(m.Metrics)
			m.Metrics = append(m.Metrics, Headline{v.Name, v.Headline, v.Unit, v.Better, v.MovedBy})
			numbers = append(numbers, x)
		}
		numbers[at] = x
	}
	g.Seeds, g.Lost, g.Numbers = append(g.Seeds, c.Seed), append(g.Lost, r.Outcome), append(g.Numbers, numbers)
}

func (g *Group) like(c *Cell) bool {
	return g.Trace == c.Trace && g.Variant == c.Variant && slices.Equal(g.Values, c.Values)
}

// number is a metric of a seed of the group, NaN where it has none.
func (g *Group) number(metric, seed int) float64 {
	if metric >= len(g.Numbers[seed]) {
		return math.NaN()
	}
	return g.Numbers[seed][metric]
}

// mean returns a metric's mean over the seeds and half the interval around it; NaN where a seed has no value, and for the
// interval also with fewer seeds than [inference.Fewest].
func (g *Group) mean(metric int) estimateAt {
	xs := make([]float64, len(g.Seeds))
	for k := range xs {
		xs[k] = g.number(metric, k)
	}
	return estimate(xs)
}

func estimate(xs []float64) estimateAt {
	mean, half := dist.Mean(xs), math.NaN()
	if !math.IsNaN(mean) && len(xs) >= inference.Fewest {
		half = inference.Independent(xs).Half(inference.Level)
	}
	return estimateAt{mean: mean, half: half}
}

// label names a group by what tells it from the others.
func (m *Merged) label(g *Group, among func(*dim) bool) string {
	var texts []string
	for i := range m.dims {
		d := &m.dims[i]
		if !among(d) {
			continue
		}
		text := d.levels[g.at[i]]
		if d.name != "trace" && d.name != "variant" {
			text = d.name + "=" + text
		}
		texts = append(texts, text)
	}
	if texts == nil {
		return m.Traces[g.Trace].Name
	}
	return strings.Join(texts, ", ")
}

// amount is a mean with its interval.
func (h *Headline) amount(e estimateAt) string {
	mean, half := e.mean, e.half
	if math.IsNaN(mean) {
		return "–"
	}
	s := h.Unit.ScaleOf(mean)
	text := s.Number(mean)
	if half > 0 {
		text += " ±" + s.Number(half)
	}
	return text + s.Suffix()
}
