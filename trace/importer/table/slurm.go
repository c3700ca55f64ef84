package table

import (
	"slices"
	"strings"
)

// What Slurm's sacct prints: sizes for each node or core (4000Mc), and rows for the steps of a job below its own (1002.batch).

// slurmEach takes off a size what ReqMem has behind it before Slurm 21.08: 16Gn is for each node, of which a job is taken to have one, 4000Mc for each core.
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
