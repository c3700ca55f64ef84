package verify

type partRow struct {
	Job    int64  `parquet:"job"`
	Part   int64  `parquet:"part"`
	Cause  string `parquet:"cause"`
	Wait   bool   `parquet:"until_first_task"`
	From   int64  `parquet:"from_ms"`
	Length int64  `parquet:"length_ms"`
}

// readExplanations checks that the parts of each job follow one another from its submission to its end, and that one of them ends with its wait.
func (v *verifier) readExplanations() error {
	const file = "explanations.parquet"
	if has, err := v.exists(file); err != nil || !has {
		return err
	}
	c := v.check("explanations: parts follow one another from submission to end", file)
	wait := v.check("explanations: parts until the first task sum to the wait", file)
	var last partRow
	var j *job
	at, waited := int64(0), int64(0)
	ended := func(row int64) {
		if j == nil {
			return
		}
		end := max(v.manifest.Totals.EndMS, j.Submit)
		if j.Finish != nil {
			end = *j.Finish
		}
		c.that(at == end, row, "length_ms", last.Length, "parts of job %d up to %d, its end, and they go to %d", j.ID, end, at)
		if j.FirstTask != nil {
			wait.that(waited == or(j.Wait), row, "until_first_task", waited, "%d ms, the wait of job %d", or(j.Wait), j.ID)
		}
	}
	row := int64(-1)
	err := rows(v, file, func(n int64, r *partRow) {
		row = n
		if j == nil || r.Job != j.ID {
			ended(row - 1)
			c.that(row == 0 || r.Job > last.Job, row, "job", r.Job, "more than %d of the row before", last.Job)
			c.that(r.Part == 0, row, "part", r.Part, "0, the first of its job")
			if j = v.jobs[r.Job]; j == nil {
				c.that(false, row, "job", r.Job, "a row of jobs.parquet")
				last = *r
				return
			}
			at, waited = j.Submit, 0
		} else {
			c.that(r.Part == last.Part+1, row, "part", r.Part, "%d", last.Part+1)
		}
		c.that(r.From == at && r.Length > 0 && r.Cause != "", row, "from_ms", r.From, "%d, the end of the part before, with a length and a cause", at)
		at = r.From + r.Length
		if r.Wait {
			waited += r.Length
		}
		last = *r
	})
	ended(row)
	return err
}
