package export

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"replay/trace"
)

// writeSWF writes a record for each job, under a machine without what an import added to it: a job's processors are the vcores of its widest stage, its run time the longest way through its stages.
func writeSWF(ctx context.Context, t *trace.Trace, files []*bufio.Writer, lost Lost) error {
	w := files[0]
	nodes, procs := 0, int64(0)
	for _, n := range t.Nodes {
		if n.Present {
			nodes++
			procs += int64(n.VCores)
			if s := t.Meta.Source; s != nil {
				procs -= int64(min(s.AMVCores, n.VCores))
			}
		}
	}
	fmt.Fprintf(w, "; Version: 2.2\n; Computer: %s\n; Conversion: replay trace export\n; MaxJobs: %d\n; MaxRecords: %d\n", oneLine(t.Meta.Name), t.Manifest.Counts.Jobs, t.Manifest.Counts.Jobs)
	if t.Meta.OriginUnixMS != trace.Unset {
		fmt.Fprintf(w, "; UnixStartTime: %d\n", t.Meta.OriginUnixMS/1000)
		lost.count("parts of a second of the start time", min(t.Meta.OriginUnixMS%1000, 1))
	}
	fmt.Fprintf(w, "; MaxNodes: %d\n; MaxProcs: %d\n; MaxQueues: %d\n", nodes, procs, len(t.Meta.Queues))
	for _, q := range t.Meta.Queues {
		fmt.Fprintf(w, "; Queue: %d %s\n", q.ID, strings.Join(strings.Fields(strings.TrimPrefix(q.Path, "root.")), "_"))
	}
	lost.count("events of nodes", int64(len(t.Events)))
	byID, err := numbers(ctx, t)
	if err != nil {
		return err
	}
	for j, err := range trace.All(t.Jobs()) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = swfJob(&t.Meta, j, procs, byID, w, lost)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// numbers are the job numbers by id: the external ids, if all are different numbers; else nil, which stands for the ids from 1 on.
func numbers(ctx context.Context, t *trace.Trace) ([]int64, error) {
	var list []int64
	for j, err := range trace.All(t.Jobs()) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseInt(j.ExternalID, 10, 53)
		if err != nil || n < 0 {
			return nil, nil
		}
		list = append(list, n)
	}
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	if len(slices.Compact(sorted)) < len(list) {
		return nil, nil
	}
	return list, nil
}

// numberIn is the number behind a word, as an import of this format names users and applications; otherwise without.
func numberIn(text, word string, otherwise int64) int64 {
	if digits, ok := strings.CutPrefix(text, word); ok {
		if n, err := strconv.ParseInt(digits, 10, 32); err == nil && n >= 0 {
			return n
		}
	}
	return otherwise
}

// userOf is the number of a job's user; -1, which an import names default, is nobody.
func userOf(m *trace.Meta, j *trace.Job) int64 {
	name := m.Users[j.User].Name
	if name == "default" {
		return -1
	}
	return numberIn(name, "user", int64(j.User)+1)
}

// seconds is a time in whole seconds, as the format has it; what is lost of it is counted.
func seconds(ms int64, lost Lost) int64 {
	lost.count("parts of a second of times", min(ms%1000, 1))
	return (ms + 500) / 1000
}

// swfJob writes the record of a job, on a machine of so many processors. A record of more, and one of no time, is what most programs leave out.
func swfJob(m *trace.Meta, j *trace.Job, machine int64, number []int64, w *bufio.Writer, lost Lost) error {
	id := func(job int64) int64 {
		if number == nil {
			return job + 1
		}
		return number[job]
	}
	ends := make([]int64, len(j.Stages))
	run, procs, kb := int64(0), int64(0), int64(0)
	for i := range j.Stages {
		s := &j.Stages[i]
		begin, longest := max(s.DelayMS, 0), int64(0)
		for _, list := range [][]int32{s.Parents, s.After} {
			for _, p := range list {
				begin = max(begin, ends[p]+max(s.DelayMS, 0))
			}
		}
		for _, ms := range s.Tasks.DurationMS {
			longest = max(longest, ms)
		}
		for _, ms := range s.Tasks.DurationMS {
			if ms != longest {
				lost.count("times of tasks that are shorter than the longest of their job", 1)
			}
		}
		if ends[i] = begin + longest; ends[i] > run {
			run = ends[i]
		}
		wide, mib, prefer := int64(0), int64(0), int64(0)
		for k := range s.Tasks.Len() {
			wide, mib = wide+int64(max(lost.vcores(s, k), 1)), mib+s.TaskMem(k)
			prefer += int64(min(len(s.Tasks.Prefs(k)), 1))
		}
		if wide > procs {
			procs, kb = wide, mib*1024/wide
		}
		lost.count("further resources of stages", int64(len(s.Extra)))
		lost.count("preferred hosts of tasks", prefer)
	}
	if procs > machine {
		lost.count("jobs with a stage wider than the machine, whose records ask for more than MaxProcs", 1)
	}
	if (run+500)/1000 == 0 {
		lost.count("jobs of less than half a second, whose records have a run time of 0", 1)
	}
	lost.count("stages beside the first of a job", int64(len(j.Stages)-1))
	lost.count("dependencies beside the first of a job", int64(max(len(j.DependsOn)-1, 0)))
	wait, status, before, think := int64(-1), int64(-1), int64(-1), int64(-1)
	if j.RecordedStartMS != trace.Unset {
		wait = seconds(j.RecordedStartMS-j.SubmitMS, lost)
	}
	switch j.RecordedOutcome {
	case "success":
		status = 1
	case "failed":
		status = 0
	case "killed":
		status = 5
	}
	if len(j.DependsOn) > 0 {
		before, think = id(j.DependsOn[0]), seconds(max(j.ThinkMS, 0), lost)
	}
	_, err := fmt.Fprintf(w, "%d %d %d %d %d -1 -1 %d -1 %d %d %d -1 %d %d -1 %d %d\n", id(j.ID), seconds(j.SubmitMS, lost), wait, seconds(run, lost), procs, procs, kb, status,
		userOf(m, j), numberIn(j.Name, "application", -1), j.Queue, before, think)
	return err
}
