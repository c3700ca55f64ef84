package metric

import (
	"fmt"

	"replay/report/quantity"
	"replay/report/result"
)

// heldMean is the metric that there is where some jobs begin after others.
var heldMean = result.HeldBack.Name + "_mean_ms"

// jobsHeld says for how long jobs were held back until others had ended.
func jobsHeld(s *Summary) string {
	i, ok := s.byName[heldMean]
	if !ok {
		return ""
	}
	mean, held := &s.Values[i], s.Values[s.byName["wait_job_held_count"]].Number
	const what = "Held back until others had ended (depends_on): "
	of := quantity.Counted(mean.N, "jobs")
	if held == 0 {
		return what + "none of " + of + ", as these had by their own times."
	}
	return fmt.Sprintf("%s%s of %s, beyond their own times by %s on average over all %s. Waits and durations count from the submission.",
		what, quantity.Thousands(int64(held)), of, mean.Unit.Amount(mean.Number), quantity.Thousands(mean.N))
}

// lastChain says what [LastChain] does, which goes through all jobs, where some begin after others.
func lastChain(s *Summary) string {
	if _, ok := s.byName[heldMean]; !ok {
		return ""
	}
	return LastChain(&s.Jobs)
}

// LastChain says which chain of jobs, each held back until the one before it had ended, ends last and with it the makespan; empty where that job was not held back.
func LastChain(jobs *result.Jobs) string {
	chain := jobs.LastChain()
	if len(chain) < 2 {
		return ""
	}
	makespan := result.NoPeriod
	for j := range jobs.All() {
		makespan.Add(j)
	}
	between, last := int64(0), chain[len(chain)-1]
	for i, j := range chain[1:] {
		between += j.Submit - chain[i].Finish
	}
	return fmt.Sprintf("A chain of %s, each held back until the one before it had ended, ends last: %s. It takes %s of the makespan of %s; %s of it lie between the end of one and the submission of the next.",
		quantity.Counted(int64(len(chain)), "jobs"), result.Called(chain), quantity.Duration(float64(last.Finish-chain[0].Submit)), quantity.MS.Amount(makespan.MS()), quantity.Duration(float64(between)))
}
