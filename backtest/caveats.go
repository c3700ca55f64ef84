package backtest

import (
	"fmt"
	"strings"

	"replay/trace"
)

// caveats say why errors of the recording are not those of the replay alone; none where they are.
func (r *Recording) caveats() (texts []string) {
	if n := r.logless; n > 0 {
		texts = append(texts, fmt.Sprintf("lacks %d of the recording's applications, without an event log: the room that was held is free in the replay, so errors are not those of the replay alone, and times are mostly predicted too short", n))
	}
	if made := r.madeUp(); made != "" {
		texts = append(texts, "has "+made+": it is not the recording as it was, so errors are not those of the replay alone; the logs themselves have none of that")
	}
	if !r.IsCluster {
		return texts
	}
	if lacking, of := r.unknownStarts(); lacking > 0 {
		texts = append(texts, fmt.Sprintf("lacks the launch of %d of %d containers (containers.jsonl): they start as fast as the model says, whatever they took on this cluster, so errors are not those of the replay alone", lacking, of))
	}
	if r.lost > 0 {
		texts = append(texts, fmt.Sprintf("lacks %d task attempts (tasks.jsonl.gz): their jobs have less to do in the replay, so errors are not those of the replay alone, and times are mostly predicted too short", r.lost))
	}
	if r.strangers > 0 {
		texts = append(texts, fmt.Sprintf("has %d executors on hosts that are no nodes of its cluster.json: there are fewer nodes in the replay, or preferred hosts go by other names, so errors are not those of the replay alone", r.strangers))
	}
	switch n := int64(0); {
	case r.input.LocalitySource == trace.LocalityObserved:
		texts = append(texts, "lacks the preferred hosts of tasks (task-preferences.jsonl.gz): they are those of the blocks of files as far as these are known, else inferred from where tasks ran, so errors are not those of the replay alone")
	case r.unasked > 0:
		for _, j := range r.jobs {
			n += j.NumTasks()
		}
		texts = append(texts, fmt.Sprintf("lacks the preferred hosts of %d of %d tasks (task-preferences.jsonl.gz): they are replayed as if they preferred none, so errors are not those of the replay alone", r.unasked, n))
	}
	return texts
}

// unknownStarts counts the containers of a recorded cluster, without those of application masters, whose launch was not
// recorded, and all: of applications of Spark those of the executors in their logs, of MapReduce one for each task.
func (r *Recording) unknownStarts() (lacking, of int) {
	started := map[int64]int{}
	for i := range r.cluster.Containers {
		if k := &r.cluster.Containers[i]; k.started() {
			started[k.Job]++
		}
	}
	for _, j := range r.jobs {
		n := len(r.executorsOf(j.ID))
		if j.Kind == trace.KindMapReduce {
			n = int(j.NumTasks())
		}
		lacking, of = lacking+max(n-started[j.ID], 0), of+n
	}
	return lacking, of
}

// madeUp says what of a trace its import made up that a replay of the recording would not have, "" for nothing.
func (r *Recording) madeUp() string {
	var parts []string
	if r.copies > 0 {
		parts = append(parts, fmt.Sprintf("%d copies of applications", r.copies))
	}
	if r.input.LocalitySource == trace.LocalityModelled {
		parts = append(parts, "preferred hosts that are modelled")
	}
	return strings.Join(parts, " and ")
}
