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
}

func newJobRows() *jobRows { return &jobRows{Groups: spill.NewGroups("job")} }

// add keeps what a row says, with the job that one of its columns names.
func (j *jobRows) add(r *delimited.Row, column int, said interface {
	pack(spill.Packer) spill.Packer
}) error {
	job := r.Name(column)
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
