package alibaba

import (
	"context"

	"replay/spill"
	"replay/trace/importer/containers"
	"replay/trace/importer/delimited"
	"replay/trace/importer/workload"
)

// jobRows are what rows say of jobs, which waits on disk until all rows of a job are there.
type jobRows struct {
	*spill.Groups
	packer spill.Packer
	last   int64 // the latest end of a task, s
}

// sayOtherUnit warns of times that go on for much longer than those of the published trace, which are seconds of so many days.
func (j *jobRows) sayOtherUnit(b *workload.Builder, days int64) {
	const day, longer = 24 * 3600, 4
	if j.last > longer*days*day {
		b.Warn("the latest end of a task is %d s, which is %d days, and the published trace has %d days: times are taken as seconds, as its own are; if they are ms or µs, divide them first", j.last, j.last/day, days)
	}
}

func newJobRows() *jobRows { return &jobRows{Groups: spill.NewGroups("job")} }

// add keeps what a row says, with the job that one of its columns names.
func (j *jobRows) add(r *delimited.Row, column int, said interface {
	pack(spill.Packer) spill.Packer
}) error {
	job := r.Name(column)
	if t, ok := said.(*task); ok {
		j.last = max(j.last, t.end)
	}
	if r.Err() != nil {
		return r.Err()
	}
	j.packer = said.pack(j.packer[:0])
	return j.Add([]byte(job), j.packer)
}

// applications gives b an application for each job, whose tasks are put in order by after.
func (j *jobRows) applications(ctx context.Context, b *workload.Builder, kind string, after func(*containers.Job, []*task)) error {
	return j.Each(ctx, func(id []byte, records [][]byte) error {
		app, err := unpackJob(b, string(id), records).application(b, kind, after)
		if app == nil || err != nil {
			return err
		}
		_, err = b.Add(app)
		return err
	})
}
