package result

import (
	"cmp"
	"slices"

	"replay/engine/record"
	"replay/report/tables"
)

// Explained is where the time of a job went, as [Writer] keeps it when it is told to.
type Explained struct {
	Job   int64
	Parts []Part // from its submission to its end, without a gap
	View  *View  // nil of a job that ran no task
}

// Part is a span of a job's time with one cause.
type Part struct {
	From, To      int64 // ms
	Cause         record.Cause
	Says, EndedBy string // the numbers that it stood on and the decision that ended it, empty without
}

// View is what a job could have done at best, from its first task on. Times are ms; docs/explain.md says what they are.
type View struct {
	Took      int64
	Modelled  int64
	Critical  []int32 // stages
	Infinite  int64
	NoSkew    int64
	Driver    int64
	Executors int64
	Cores     int64

	HeldCoreMS int64
	UsedCoreMS int64
	Curve      []Point
}

// Point is the time that a job takes from its first task on so many executors.
type Point struct {
	Share     float64 `json:"share" parquet:"share"` // of the executors that it had
	Executors int64   `json:"executors" parquet:"executors"`
	MS        int64   `json:"ms" parquet:"ms"`
}

type partRow struct {
	Job     int64  `parquet:"job,delta"`
	Part    int64  `parquet:"part"`
	Cause   string `parquet:"cause,dict"`
	Wait    bool   `parquet:"until_first_task"`
	From    int64  `parquet:"from_ms,delta"`
	Length  int64  `parquet:"length_ms"`
	Says    string `parquet:"says,dict"`
	EndedBy string `parquet:"ended_by,dict"`
}

type viewRow struct {
	Job       int64   `parquet:"job,delta"`
	Took      int64   `parquet:"took_ms"`
	Modelled  int64   `parquet:"modelled_ms"`
	Critical  []int32 `parquet:"critical_stages,list"`
	Infinite  int64   `parquet:"infinite_executors_ms"`
	NoSkew    int64   `parquet:"no_skew_ms"`
	Driver    int64   `parquet:"no_task_ms"`
	Executors int64   `parquet:"executors"`
	Cores     int64   `parquet:"cores"`
	HeldMS    int64   `parquet:"held_core_ms"`
	UsedMS    int64   `parquet:"used_core_ms"`
	Curve     []Point `parquet:"curve,list"`
}

// viewOf is a view with its job.
type viewOf struct {
	job int64
	*View
}

func newViewRow(v *viewOf) viewRow {
	return viewRow{v.job, v.Took, v.Modelled, v.Critical, v.Infinite, v.NoSkew, v.Driver, v.Executors, v.Cores, v.HeldCoreMS, v.UsedCoreMS, v.Curve}
}

// writeExplained writes explanations.parquet and views.parquet.
func (w *Writer) writeExplained(d *Data) error {
	firstTask := make(map[int64]int64, d.Jobs.Len())
	for j := range d.Jobs.All() {
		firstTask[j.ID] = j.FirstTask
	}
	parts, err := tables.New(w.dir.Path(explanations), func(r *partRow) partRow { return *r })
	if err != nil {
		return err
	}
	views, err := tables.New(w.dir.Path(views), newViewRow)
	if err != nil {
		parts.Abandon()
		return err
	}
	for i := range d.Explained {
		e := &d.Explained[i]
		first := firstTask[e.Job]
		for k := range e.Parts {
			p := &e.Parts[k]
			parts.Add(&partRow{e.Job, int64(k), string(p.Cause), !Happened(first) || p.To <= first, p.From, p.To - p.From, p.Says, p.EndedBy})
		}
		if e.View != nil {
			views.Add(&viewOf{e.Job, e.View})
		}
	}
	return cmp.Or(parts.Close(), views.Close())
}

// The files of explanations.
const (
	explanations = "explanations.parquet"
	views        = "views.parquet"
)

// add takes in a row of explanations.parquet, in order.
func (r *partRow) add(list []Explained) []Explained {
	if n := len(list); n == 0 || list[n-1].Job != r.Job {
		list = append(list, Explained{Job: r.Job})
	}
	e := &list[len(list)-1]
	e.Parts = append(e.Parts, Part{r.From, r.From + r.Length, record.Cause(r.Cause), r.Says, r.EndedBy})
	return list
}

// add gives a row of views.parquet to its job.
func (r *viewRow) add(list []Explained) {
	if i, found := slices.BinarySearchFunc(list, r.Job, func(e Explained, job int64) int { return cmp.Compare(e.Job, job) }); found {
		list[i].View = &View{r.Took, r.Modelled, slices.Clone(r.Critical), r.Infinite, r.NoSkew, r.Driver, r.Executors, r.Cores, r.HeldMS, r.UsedMS, slices.Clone(r.Curve)}
	}
}
