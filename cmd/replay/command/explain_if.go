package command

import (
	"github.com/urfave/cli/v2"

	"replay/report/explain"
	"replay/report/result"
)

// withoutCauses replays a result once for each main cause of the jobs that are explained, without it.
func (p *program) withoutCauses(c *cli.Context, again *stored, e *explaining) error {
	m, names := e.manifest, e.names
	cluster := &explain.Cluster{Scheduler: m.Scheduler, Nodes: m.Nodes, JobName: func(id int64) string {
		name, _ := names.Job(id)
		return name
	}}
	e.claims = map[int64][]explain.Claim{}
	replayed := map[string]*result.Data{} // by flags: a change takes several causes away, and those of several jobs
	for _, id := range e.wanted {
		j := e.jobs[id]
		if j == nil {
			continue
		}
		for _, r := range explain.Remedies(j, cluster) {
			key := quoted(r.Flags)
			if replayed[key] == nil {
				q := &quietly{}
				if err := p.replayAgain(c.Context, again.args, r.Flags, q); err != nil {
					return err
				}
				replayed[key] = &result.Data{Jobs: q.result.Data.Jobs}
			}
			claim := explain.Claim{Cause: r.Cause, If: r.Says, Of: explain.End, WasMS: j.End - j.Submit, Command: append([]string{"replay", "whatif", again.dir}, r.Flags...)}
			if r.Start {
				claim.Of, claim.WasMS = explain.FirstTask, j.Wait()
			}
			claim.AtMS = reached(replayed[key], id, r.Start)
			e.claims[id] = append(e.claims[id], claim)
		}
	}
	return nil
}

// reached returns how long after its submission a job launches its first task, or ends; nil when it does not.
func reached(data *result.Data, job int64, start bool) *int64 {
	for i := range data.Jobs {
		j := &data.Jobs[i]
		at := j.Finish
		if start {
			at = j.FirstTask
		}
		if j.ID == job && result.Happened(at) {
			after := at - j.Submit
			return &after
		}
	}
	return nil
}
