package table

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"replay/trace"
	"replay/trace/importer/containers"
)

// What Slurm's sacct prints: sizes for each node or core (4000Mc), amounts of resources in one text, rows for the steps of a job below its own (1002.batch), and
// one for each run of a job that was queued again.

// slurmEach takes off a size what ReqMem has behind it before Slurm 21.08: 16Gn is for each node, see
// [reader.severalNodes], 4000Mc for each core.
func slurmEach(s string) (size string, perCore bool) {
	if n := len(s) - 1; n > 0 && (s[n] == 'n' || s[n] == 'c') && strings.ContainsAny(s[n-1:n], "KMGT") {
		return s[:n], s[n] == 'c'
	}
	return s, false
}

// slurmNone tells whether a memory beside others that have units stands for none: that of a job which stated none, or took all that its nodes have.
func slurmNone(size string) bool { return size == "0" || size == "0n" || size == "0c" }

// ofSlurm tells whether a table is one of sacct, with jobs and their steps, by its columns.
func ofSlurm(names []string) bool {
	has := func(any ...string) bool {
		return slices.ContainsFunc(any, func(n string) bool { return slices.Contains(names, n) })
	}
	return has("JobID", "JobIDRaw") && has("Elapsed", "ElapsedRaw", "Submit") && has("NCPUS", "AllocCPUS", "ReqCPUS", "ReqMem", "AllocTRES", "ReqTRES")
}

// slurmStep tells whether a job of Slurm is a step of one: 1002.batch, 1002_3.extern, 1002.0.
func slurmStep(job string) bool {
	id, step, found := strings.Cut(job, ".")
	if !found || id == "" || id[0] < '0' || id[0] > '9' {
		return false
	}
	return step == "batch" || step == "extern" || step == "interactive" || step != "" && strings.Trim(step, "0123456789+") == ""
}

// tresGPUs is how many GPUs a text such as "billing=8,cpu=8,gres/gpu=2,gres/gpu:a100=2,mem=64G" has: the sum over their types is there again. Any other text is
// none of the kind.
func tresGPUs(text string) (n int64, ok bool) {
	all, typed := int64(-1), int64(0)
	for part := range strings.SplitSeq(text, ",") {
		name, amount, found := strings.Cut(part, "=")
		if name = strings.ToLower(strings.TrimSpace(name)); !found || name == "" {
			return 0, false
		}
		if of, isGPU := strings.CutPrefix(name, "gres/gpu"); isGPU && (of == "" || of[0] == ':') {
			v, err := strconv.ParseInt(strings.TrimSpace(amount), 10, 32)
			if err != nil || v < 0 {
				return 0, false
			}
			if of == "" {
				all = v
			} else {
				typed += v
			}
		}
	}
	return cmp.Or(max(all, 0), typed), true
}

// lastRun returns of the rows of one job of Slurm the one that counts: a job that was queued again has one for each run, and one that ran at midnight is
// in the tables of two days.
func lastRun(rows []record) *record {
	last := &rows[0]
	for i := range rows {
		if r := &rows[i]; cmp.Or(cmp.Compare(r.start, last.start), cmp.Compare(r.ended(), last.ended())) >= 0 {
			last = r
		}
	}
	return last
}

// ended is 1 if the row does not say that its job was still running.
func (r *record) ended() int {
	if string(r.outcome) == "censored" {
		return 0
	}
	return 1
}

// nodesOfSlurm is where a table of sacct has the numbers of nodes of jobs, -1 = nowhere.
func (t *reader) nodesOfSlurm(names []string) int {
	if !t.slurm {
		return -1
	}
	for _, name := range []string{"AllocNodes", "NNodes", "ReqNodes"} {
		if i := slices.Index(names, name); i >= 0 && !slices.Contains(t.columns.places(), i) {
			return i
		}
	}
	return -1
}

// severalNodes tells of a job that ran on several nodes how many these were: it is a gang of a task for each, see [reader.gang]. Where the table says how many tasks
// a row has, they are those.
func (t *reader) severalNodes(r *record, path string, s source, fields [][]byte) {
	if t.nodes >= len(fields) || r.tasks != unknown {
		return
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(fields[t.nodes])), 10, 32)
	if err != nil || n < 2 {
		return
	}
	r.nodes = n
	if c := t.columns[roleMemory]; r.memMiB > 0 && (c.form == numbers || !strings.HasSuffix(t.columns.text(roleMemory, fields), "n")) {
		r.memMiB = (r.memMiB + n - 1) / n
	}
	if !t.several {
		t.several = true
		t.b.Note("%s: %s: %s is %d: a job of several nodes is a gang, with a task for each that has its part of the cores, memory and GPUs; import.json counts them (jobs_of_several_nodes_as_gangs)", path, s.place(), s.columns()[t.nodes], n)
	}
}

// gang adds a task for each node of a job, with its part of all: of cores and GPUs the first have what is left over.
func (t *reader) gang(j *containers.Job, stage string, r *record, size containers.Size, task containers.Task) error {
	t.b.Counts.Modelled["jobs_of_several_nodes_as_gangs"]++
	cores := (r.milli + 999) / 1000
	for at := int64(0); at < r.nodes; { // those that have as much at once
		n := r.nodes - at
		part := func(all int64) int64 {
			if over := all % r.nodes; at < over {
				n = min(n, over-at)
				return all/r.nodes + 1
			}
			return all / r.nodes
		}
		if r.milli != unknown {
			size.MilliVCores = 1000 * max(part(cores), 1) // no node is without one
		}
		size.Extra = trace.NamedValue{}
		if gpus := part(max(r.gpus, 0)); gpus > 0 {
			size.Extra = trace.NamedValue{Name: trace.GPU, Value: gpus}
		}
		if err := j.Add(stage, size, trace.Unset, n, task); err != nil {
			return err
		}
		at += n
	}
	return nil
}
