package explain

import (
	"replay/engine/record"
	"replay/report/parting"
)

// Told is a job as JSON.
type Told struct {
	Job        int64      `json:"job"`
	Name       string     `json:"name"`
	ExternalID string     `json:"external_id"`
	Queue      string     `json:"queue"`
	Kind       string     `json:"kind"`
	Outcome    string     `json:"outcome"`
	SubmitMS   int64      `json:"submit_ms"`
	FirstTask  *int64     `json:"first_task_ms"`
	EndMS      int64      `json:"end_ms"`
	WaitMS     int64      `json:"wait_ms"`
	WholeMS    int64      `json:"whole_ms"`
	Parts      []ToldPart `json:"parts"`
	Held       *Held      `json:"held,omitempty"`
	View       *ToldView  `json:"view,omitempty"`
	Claims     []Claim    `json:"would,omitempty"`
}

// ToldPart is a part as JSON.
type ToldPart struct {
	FromMS   int64        `json:"from_ms"`
	LengthMS int64        `json:"length_ms"`
	Cause    record.Cause `json:"cause"`
	Says     string       `json:"says,omitempty"`
	EndedBy  string       `json:"ended_by,omitempty"`
}

// ToldView is a view as JSON.
type ToldView struct {
	TookMS     int64   `json:"took_ms"`
	ModelledMS int64   `json:"modelled_ms"`
	Critical   []int32 `json:"critical_stages"`
	InfiniteMS int64   `json:"infinite_executors_ms"`
	NoSkewMS   int64   `json:"no_skew_ms"`
	DriverMS   int64   `json:"no_task_ms"`
	Executors  int64   `json:"executors"`
	Cores      int64   `json:"cores"`
	HeldCoreMS int64   `json:"held_core_ms"`
	UsedCoreMS int64   `json:"used_core_ms"`
	Curve      []Point `json:"curve"`
}

// Tell is the job as JSON.
func (j *Job) Tell(n *parting.Names) Told {
	out := Told{Job: j.ID, Name: j.Name, ExternalID: j.ExternalID, Queue: j.Queue, Kind: j.Kind, Outcome: j.Outcome, SubmitMS: j.Submit, EndMS: j.End, WaitMS: j.Wait(), WholeMS: j.End - j.Submit, Held: j.Held, Parts: []ToldPart{}}
	if j.FirstTask != record.None {
		out.FirstTask = &j.FirstTask
	}
	for i := range j.Parts {
		p := &j.Parts[i]
		out.Parts = append(out.Parts, ToldPart{p.From, p.Length(), p.Cause, Says(p, n), ended(p, n)})
	}
	if v := j.View; v != nil {
		out.View = &ToldView{v.Took, v.Modelled, v.Critical, v.Infinite, v.NoSkew, v.Driver, v.Executors, v.Cores, v.HeldCoreMS, v.UsedCoreMS, v.Curve}
	}
	return out
}

// ToldTotals are totals as JSON.
type ToldTotals struct {
	Jobs    int64   `json:"jobs"`
	NoTask  int64   `json:"without_a_first_task"` // these and the next count up to their end, or that of the replay
	Open    int64   `json:"unfinished"`
	WaitMS  int64   `json:"wait_ms"`
	WholeMS int64   `json:"whole_ms"`
	Waits   []Share `json:"waits"`
	Wholes  []Share `json:"wholes"`
}

// Tell is the totals as JSON.
func (t *Totals) Tell() ToldTotals {
	return ToldTotals{t.Jobs, t.NoTask, t.Open, t.Wait, t.Whole, t.Waits(), t.Wholes()}
}
