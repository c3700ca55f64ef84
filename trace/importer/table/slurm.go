package table

import (
	"slices"
	"strings"
)

// What Slurm's sacct prints: sizes for each node or core (4000Mc), and rows for the steps of a job below its own (1002.batch).

// slurmSize reads a size such as ReqMem has it before Slurm 21.08: 16Gn for each node, of which a job is taken to have one, 4000Mc for each core.
func slurmSize(s string) (bytes int64, perCore, ok bool) {
	plain, each := s[:max(len(s)-1, 0)], s[max(len(s)-1, 0):]
	if each != "n" && each != "c" || plain == "" || !strings.ContainsAny(plain[len(plain)-1:], "KMGT") {
		return 0, false, false
	}
	bytes, ok = size(plain)
	return bytes, each == "c", ok
}

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
