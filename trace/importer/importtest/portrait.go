package importtest

import (
	"encoding/json"
	"fmt"
	"strings"

	"replay/trace"
	"replay/trace/importer/workload"
)

// shown is how many values of a list a portrait has.
const shown = 12

// Portrait is what an import made in lines of text: counts, nodes, events and jobs with their stages, for golden files.
func Portrait(res *workload.Result, m *trace.MemoryTrace) string {
	var b strings.Builder
	counts, err := json.MarshalIndent(res.Counts, "", " ")
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(&b, "%s\nname %s\nlocality %s, durations %s, origin %d\n", counts, m.Name, m.LocalitySource, m.DurationSource, m.OriginUnixMS)
	for i, n := range m.Nodes {
		if i == shown {
			fmt.Fprintf(&b, "... %d nodes\n", len(m.Nodes))
			break
		}
		fmt.Fprintf(&b, "node %d %s%s/%s %d MiB %d vcores%s%s\n", n.ID, map[bool]string{false: "(not there) "}[n.Present], n.Rack, n.Host, n.MemMiB, n.VCores, some(" labels", n.Labels), some("", n.Extra))
	}
	for i, e := range m.Events {
		if i == shown {
			fmt.Fprintf(&b, "... %d events\n", len(m.Events))
			break
		}
		fmt.Fprintf(&b, "event %d ms node %d %s %d MiB %d vcores %s\n", e.TimeMS, e.Node, e.Kind, e.MemMiB, e.VCores, e.Reason)
	}
	for i, f := range m.Files {
		if i == shown {
			fmt.Fprintf(&b, "... %d files\n", len(m.Files))
			break
		}
		fmt.Fprintf(&b, "file %d %s %d bytes in %d blocks of %d\n", f.ID, f.Name, f.Bytes, f.Blocks, f.BlockBytes)
	}
	for i, j := range m.JobList {
		if i == shown {
			fmt.Fprintf(&b, "... %d jobs\n", len(m.JobList))
			break
		}
		fmt.Fprintf(&b, "job %d %s %q at %d %s user %s queue %s priority %d am %d MiB %d vcores%s", j.ID, j.ExternalID, j.Name, j.SubmitMS, j.Kind, m.Users[j.User].Name, m.Queues[j.Queue].Path,
			j.Priority, j.AMMemMiB, j.AMVCores, some(" after", j.DependsOn))
		for _, x := range []struct {
			name string
			v    int64
		}{{"think", j.ThinkMS}, {"tail", j.TailMS}, {"started", j.RecordedStartMS}, {"finished", j.RecordedFinishMS}} {
			if x.v != trace.Unset {
				fmt.Fprintf(&b, " %s %d", x.name, x.v)
			}
		}
		fmt.Fprintf(&b, " %s\n", j.RecordedOutcome)
		if len(j.Conf) > 0 {
			fmt.Fprintf(&b, "  %d settings\n", len(j.Conf))
		}
		for k := range j.Stages {
			if k == shown {
				fmt.Fprintf(&b, "  ... %d stages\n", len(j.Stages))
				break
			}
			stage(&b, &j.Stages[k])
		}
	}
	return b.String()
}

func stage(b *strings.Builder, s *trace.Stage) {
	fmt.Fprintf(b, "  stage %d %s %s parents %v%s %d MiB %d vcores%s", s.ID, s.Name, s.Kind, s.Parents, some(" after", s.After), s.TaskMemMiB, s.TaskVCores, some("", s.Extra))
	for _, x := range []struct {
		name string
		v    int64
	}{{"milli", int64(s.TaskMilliVCores)}, {"priority", int64(s.Priority)}, {"delay", s.DelayMS}, {"file", int64(s.FileID)}, {"shuffle", s.ShuffleReadBytes}} {
		if x.v != trace.Unset {
			fmt.Fprintf(b, " %s %d", x.name, x.v)
		}
	}
	if s.StartFraction != trace.Unset {
		fmt.Fprintf(b, " from %g on", s.StartFraction)
	}
	t := &s.Tasks
	fmt.Fprintf(b, "\n    %d tasks of ms%s\n", t.Len(), list(t.DurationMS))
	column(b, "input", t.InputBytes)
	column(b, "mib", t.MemMiB)
	column(b, "vcores", t.VCores)
	column(b, "retries", t.Retries)
	column(b, "waited", t.RecordedWaitMS)
	column(b, "ran on", t.RecordedNode)
	column(b, "at", t.RecordedLocality)
	column(b, "deserialize", t.DeserializeMS)
	column(b, "delay", t.SchedDelayMS)
	if t.PrefStart != nil {
		var prefs [][]int32
		for i := range t.Len() {
			prefs = append(prefs, t.Prefs(i))
		}
		column(b, "prefer", prefs)
	}
}

func column[T any](b *strings.Builder, name string, values []T) {
	if len(values) > 0 && !same(values, *new(T)) {
		fmt.Fprintf(b, "    %s%s\n", name, list(values))
	}
}

func same[T any](values []T, v T) bool {
	for _, x := range values {
		if fmt.Sprint(x) != fmt.Sprint(v) {
			return false
		}
	}
	return true
}

func list[T any](values []T) string {
	var b strings.Builder
	for i, v := range values {
		if i == shown {
			fmt.Fprintf(&b, " ...")
			break
		}
		fmt.Fprintf(&b, " %v", v)
	}
	return b.String()
}

func some[T any](name string, values []T) string {
	if len(values) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %v", name, values)
}
