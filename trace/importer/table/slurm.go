package table

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"replay/trace"
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

// nodesOfSlurm is where a table of sacct has the numbers of nodes of jobs, -1 = nowhere. Of Parquet files only columns with a role are read.
func (t *reader) nodesOfSlurm(names []string, s source) int {
	if _, byColumn := s.(binder); byColumn || !t.slurm {
		return -1
	}
	for _, name := range []string{"AllocNodes", "NNodes", "ReqNodes"} {
		if i := slices.Index(names, name); i >= 0 && !slices.Contains(t.columns.places(), i) {
			return i
		}
	}
	return -1
}

// severalNodes gives a job that ran on several nodes the memory of all, where the table has that of each. It is one container nevertheless, which is counted and told.
func (t *reader) severalNodes(r *record, path string, s source, fields [][]byte) error {
	if t.nodes >= len(fields) {
		return nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(fields[t.nodes])), 10, 32)
	if err != nil || n < 2 {
		return nil
	}
	if c := t.columns[roleMemory]; c != nil && c.form != numbers && r.memMiB > 0 {
		if text := t.columns.text(roleMemory, fields); strings.HasSuffix(text, "n") {
			if r.memMiB > trace.MostMemMiB/n {
				return &badValue{c.name, text, fmt.Sprintf("for all %d nodes at most %d MiB", n, trace.MostMemMiB)}
			}
			r.memMiB *= n
		}
	}
	const count = "jobs_of_several_nodes_as_one_container"
	if t.b.Counts.Modelled[count]++; t.b.Counts.Modelled[count] == 1 {
		t.b.Warn("%s: %s: %s is %d: a job of several nodes is one container here, of the cores and memory of all, which a node must have room for; import.json counts them (%s)", path, s.place(), s.columns()[t.nodes], n, count)
	}
	return nil
}
