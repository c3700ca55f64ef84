package export

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"replay/trace"
)

// writeSLS writes a job an object, with a task an entry, and the nodes by racks.
func writeSLS(ctx context.Context, t *trace.Trace, files []*bufio.Writer, lost Lost) error {
	if err := slsNodes(t, files[1], lost); err != nil {
		return err
	}
	for j, err := range trace.All(t.Jobs()) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = slsJob(&t.Meta, j, files[0], lost)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// members writes an object in the order of its members: name, value, name, value.
func members(w *bufio.Writer, list []any) error {
	for i := 0; i < len(list); i += 2 {
		text, err := json.Marshal(list[i+1])
		if err != nil {
			return err
		}
		comma := ","
		if i == 0 {
			comma = "{"
		}
		if _, err := fmt.Fprintf(w, "%s%q:%s", comma, list[i], text); err != nil {
			return err
		}
	}
	return nil
}

func slsNodes(t *trace.Trace, w *bufio.Writer, lost Lost) error {
	racks, order := map[string][]trace.Node{}, []string{}
	for _, n := range t.Nodes {
		if !n.Present {
			lost.count("nodes that are not there at the start", 1)
			continue
		}
		if racks[n.Rack] == nil {
			order = append(order, n.Rack)
		}
		racks[n.Rack] = append(racks[n.Rack], n)
	}
	lost.count("events of nodes", int64(len(t.Events)))
	for _, rack := range order {
		if err := members(w, []any{"rack", strings.TrimPrefix(rack, "/")}); err != nil {
			return err
		}
		w.WriteString(`,"nodes":[`) // an error comes again
		for i, n := range racks[rack] {
			if i > 0 {
				w.WriteByte(',')
			}
			list := []any{"node", n.Host, "memory-mb", n.MemMiB, "vcores", n.VCores}
			if len(n.Labels) > 0 {
				list = append(list, "labels", strings.Join(n.Labels, ","))
			}
			for _, x := range n.Extra {
				list = append(list, x.Name, x.Value)
			}
			if err := members(w, list); err != nil {
				return err
			}
			w.WriteByte('}')
		}
		if _, err := w.WriteString("]}\n"); err != nil {
			return err
		}
	}
	return nil
}

// slsKind is the application master that does with a job what is nearest to what it does here: mapreduce for maps and reduces after all of them, else dag, which asks
// for each task after a delay and knows no edges; stream for a service, whose tasks run as long as the job.
func slsKind(j *trace.Job) string {
	if j.Kind == trace.KindService {
		return "stream"
	}
	var maps []int32
	for i := range j.Stages {
		s := &j.Stages[i]
		switch {
		case len(s.Parents) == 0 && i == len(maps) && (s.Name == "map" || j.Kind == trace.KindMapReduce):
			maps = append(maps, s.ID)
		case len(s.After) > 0 || !slices.Equal(s.Parents, maps) || s.Name != "reduce" && j.Kind != trace.KindMapReduce:
			return "dag"
		}
	}
	if len(maps) == 0 || len(maps) == len(j.Stages) && j.Kind != trace.KindMapReduce { // maps that nothing waits for, as a dag has them
		return "dag"
	}
	return "mapreduce"
}

func slsJob(m *trace.Meta, j *trace.Job, w *bufio.Writer, lost Lost) error {
	kind := slsKind(j)
	id := j.ExternalID
	if id == "" {
		id = fmt.Sprintf("job_%d", j.ID)
	}
	end := j.SubmitMS + 1
	if j.RecordedFinishMS > j.SubmitMS {
		end = j.RecordedFinishMS
	}
	if kind == "stream" {
		end = j.SubmitMS + serves(j, lost)
	}
	if err := members(w, []any{
		"am.type", kind, "yarn.sls.am.type", kind, "job.start.ms", j.SubmitMS, "job.end.ms", end, "job.queue.name", m.Queues[j.Queue].Path, "job.id", id, "job.user", m.Users[j.User].Name,
		"am.memory-mb", j.AMMemMiB, "am.vcores", j.AMVCores,
	}); err != nil {
		return err
	}
	lost.count("jobs whose kind the simulator has not (taken as dag)", lostKind(j.Kind))
	lost.count("dependencies between jobs", int64(len(j.DependsOn)))
	w.WriteString(`,"job.tasks":[` + "\n") // an error comes again
	first := true
	for i := range j.Stages {
		s := &j.Stages[i]
		if kind != "mapreduce" {
			lost.count("edges between stages", int64(len(s.Parents)+len(s.After)))
		} else if s.StartFraction != trace.Unset && s.StartFraction != 1 {
			lost.count("slow starts of reduces (they start after all maps)", 1)
		}
		if err := slsTasks(m, s, kind, w, lost, &first); err != nil {
			return err
		}
	}
	_, err := w.WriteString("]}\n")
	return err
}

func lostKind(kind string) int64 {
	switch kind {
	case trace.KindMapReduce, trace.KindGeneric, trace.KindService:
		return 0
	}
	return 1
}

// serves is the longest time that a task of a service runs, which in the simulator all do.
func serves(j *trace.Job, lost Lost) (most int64) {
	for i := range j.Stages {
		for _, ms := range j.Stages[i].Tasks.DurationMS {
			most = max(most, ms)
		}
	}
	for i := range j.Stages {
		for _, ms := range j.Stages[i].Tasks.DurationMS {
			if ms != most {
				lost.count("times of containers of services that are shorter than the longest", 1)
			}
		}
	}
	return most
}

func slsTasks(m *trace.Meta, s *trace.Stage, kind string, w *bufio.Writer, lost Lost, first *bool) error {
	t := &s.Tasks
	name, priority := s.Name, s.Priority
	if kind == "mapreduce" {
		name = "map"
		if len(s.Parents) > 0 {
			name = "reduce"
		}
	} else if name == "" {
		name = fmt.Sprintf("stage%d", s.ID)
	}
	if priority == trace.Unset {
		if priority = 20; name == "reduce" {
			priority = 10
		}
	}
	for k := range t.Len() {
		if !*first {
			w.WriteString(",\n")
		}
		*first = false
		ms := t.DurationMS[k]
		if ms == 0 {
			ms = 1 // the simulator refuses a job with a task of none
			lost.count("durations of 0 ms (1 ms is written)", 1)
		}
		list := []any{"container.duration.ms", ms, "container.priority", priority, "container.type", name, "container.memory-mb", s.TaskMem(k), "container.vcores", lost.vcores(s, k)}
		if p := t.Prefs(k); len(p) > 0 {
			n := m.Nodes[p[0]]
			list = append(list, "container.host", n.Rack+"/"+n.Host)
			lost.count("further preferred hosts of tasks", int64(len(p)-1))
		}
		if s.DelayMS > 0 && kind != "mapreduce" {
			list = append(list, "container.request.delay", s.DelayMS)
		}
		for _, x := range s.Extra {
			list = append(list, "container."+x.Name, x.Value)
		}
		if t.Retries != nil {
			lost.count("attempts that failed", int64(t.Retries[k]))
		}
		if err := members(w, list); err != nil {
			return err
		}
		if err := w.WriteByte('}'); err != nil {
			return err
		}
	}
	return nil
}
