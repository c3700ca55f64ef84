package explain

import (
	"fmt"
	"io"
	"strconv"

	"replay/engine/record"
	"replay/report/quantity"
	"replay/report/result"
	"replay/shown"
)

// Held is how a job was held back until those that it begins after had ended, as JSON. Times are ms.
type Held struct {
	DependsOn int64  `json:"depends_on"` // how many these are
	OwnMS     int64  `json:"own_submit_ms"`
	HeldMS    int64  `json:"held_ms"`
	By        *int64 `json:"held_by"` // the one of these that ended last, null if it was not held back
	Chain     []Link `json:"chain"`   // the jobs that led to it, each held back until the one before it had ended, and it
}

// A Link is a job of a chain as JSON. Times are ms, and null where they did not come.
type Link struct {
	Job        int64  `json:"job"`
	Name       string `json:"name"`
	ExternalID string `json:"external_id"`
	OwnMS      int64  `json:"own_submit_ms"`
	SubmitMS   int64  `json:"submit_ms"`
	FirstTask  *int64 `json:"first_task_ms"`
	FinishMS   *int64 `json:"finish_ms"`
}

func (l *Link) called() string { return record.JobCalled(l.Job, l.Name, l.ExternalID) }

// Links is a chain as JSON.
func Links(chain []*result.Job) (links []Link) {
	happened := func(t int64) *int64 {
		if !result.Happened(t) {
			return nil
		}
		return &t
	}
	for _, j := range chain {
		links = append(links, Link{j.ID, j.Name, j.ExternalID, j.Own(), j.Submit, happened(j.FirstTask), happened(j.Finish)})
	}
	return links
}

// Back is how the last job of a chain was held back, nil where it begins after none.
func Back(chain []*result.Job) *Held {
	if len(chain) == 0 || chain[len(chain)-1].DependsOn == 0 {
		return nil
	}
	j := chain[len(chain)-1]
	h := &Held{DependsOn: j.DependsOn, OwnMS: j.Own(), HeldMS: j.HeldMS, Chain: Links(chain)}
	if h.HeldMS > 0 {
		h.By = &j.HeldBy
	}
	return h
}

// writeText says why the job was submitted so late: what it was held back by, and the chain of jobs that led to it.
func (h *Held) writeText(w io.Writer) {
	p := shown.Paint(w)
	others := quantity.Counted(h.DependsOn, "jobs")
	if h.By == nil {
		shown.Paragraph(w, fmt.Sprintf("\nIt begins after the end of %s (depends_on), and was not held back.", others), "")
		return
	}
	by, first, own := "job "+strconv.FormatInt(*h.By, 10), &h.Chain[0], &h.Chain[len(h.Chain)-1]
	if n := len(h.Chain) - 2; n >= 0 {
		by = h.Chain[n].called()
	}
	fmt.Fprintf(w, "\n%s\n", p.In(shown.Heading, fmt.Sprintf("%s  held back before its submission, from its own time at %s on", ms(h.HeldMS), ms(h.OwnMS))))
	shown.Paragraph(w, fmt.Sprintf("It begins after the end of %s (depends_on), of which the last was that of %s. In the chain of jobs that led to it each was held back until the one before had ended; from its first submission to that of this job it took %s, %s of it between the end of one and the submission of the next:",
		others, by, ms(own.SubmitMS-first.SubmitMS), ms(between(h.Chain))), "")
	writeChain(w, h.Chain)
}

// between is how long no job of a chain was there before its end, ms.
func between(chain []Link) (ms int64) {
	for i := range chain[1:] {
		ms += chain[i+1].SubmitMS - *chain[i].FinishMS
	}
	return ms
}

// writeChain lists the jobs of a chain, of a long one the first and the last ones.
func writeChain(w io.Writer, chain []Link) {
	t := &shown.Table{Indent: 2}
	t.Head("job", "own time", "held back", "submitted", "first task after", "took")
	since := func(at *int64, from int64) string {
		if at == nil {
			return "–"
		}
		return ms(*at - from)
	}
	for l, more := range result.Ends(chain, 6) {
		if more > 0 {
			t.Row(fmt.Sprintf("… %d more", more))
		} else {
			t.Row(l.called(), ms(l.OwnMS), ms(l.SubmitMS-l.OwnMS), ms(l.SubmitMS), since(l.FirstTask, l.SubmitMS), since(l.FinishMS, l.SubmitMS))
		}
	}
	t.Write(w)
}
