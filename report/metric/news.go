package metric

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"replay/engine/record"
	"replay/report/quantity"
	"replay/report/result"
)

// News says in sentences what happened in the replay, as far as it happened: each stands only where its numbers have
// something to say, and says over what they are.
func (s *Summary) News() (texts []string) {
	for _, tell := range []func(*Summary) string{endedWell, loadOffered, jobsWaited, jobsHeld, lastChain, allocatedAndBusy, demandUnmet, timeWasted, loneJob} {
		if text := tell(s); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// Levels from which something is news.
const (
	muchAllocated = 0.5  // of the cluster
	littleBusy    = 0.75 // of what is allocated
	someTime      = 0.01 // of the time
	hardlyShort   = 0.05 // of the time; a cluster with too much work is short for most of it
)

// number returns a value of the summary, false when it is absent or about next to nothing.
func (s *Summary) number(name string) (*Value, bool) {
	i, ok := s.byName[name]
	if !ok || s.Values[i].Absent != "" || s.Values[i].Thin() {
		return nil, false
	}
	return &s.Values[i], true
}

// endedWell says that jobs succeed here which failed where they were recorded: why they did is no part of a trace.
func endedWell(s *Summary) string {
	switch n := s.Outcome().EndedWell; n {
	case 0:
		return ""
	case 1:
		return "The trace records one of the jobs that succeeded as failed or killed: it is replayed as far as it got there."
	default:
		return fmt.Sprintf("The trace records %s of the jobs that succeeded as failed or killed: they are replayed as far as they got there.", quantity.Thousands(n))
	}
}

// loadOffered says that there is too little work for anything to wait, or far more than the cluster can do, and what to try. Where no job succeeds something else is wrong.
func loadOffered(s *Summary) string {
	if s.Manifest.Totals.JobsSucceeded == 0 {
		return ""
	}
	c := &s.Queues.Cluster
	for _, w := range s.Manifest.Warnings {
		if m := &s.Manifest; w.Code == record.HighLoad && m.Until == 0 && !s.Undersampled() && c.PendingMS < hardlyShort*c.MS && m.OfferedVCores != nil && m.OfferedMemory != nil {
			return fmt.Sprintf("The offered load is %s, as jobs go on for longer than jobs are submitted: it says nothing of waits here, where the cluster was short for %s of the time.",
				offered(m), percent(c.PendingMS/c.MS))
		}
		if w.OfLoad() {
			return strings.ToUpper(w.Text[:1]) + w.Text[1:] + "."
		}
	}
	return ""
}

// offered says the parts of an offered load, of which those of vcores and memory are known.
func offered(m *record.Manifest) string {
	text := fmt.Sprintf("%s of the vcores and %s of the memory", percent(*m.OfferedVCores), percent(*m.OfferedMemory))
	for _, name := range slices.Sorted(maps.Keys(m.OfferedFurther)) {
		text += fmt.Sprintf(", and %s of the %s", percent(m.OfferedFurther[name]), name)
	}
	return text
}

// jobsWaited says how long jobs waited for their first task, and for what most. Parts are known of jobs that launched a task: where others still wait,
// they are parts of the mean wait of those.
func jobsWaited(s *Summary) string {
	wait, ok := s.number("wait_job_first_task_mean_ms")
	if !ok || wait.Number == 0 {
		return ""
	}
	least := ""
	if wait.Beyond > 0 {
		least = "at least "
	}
	text := fmt.Sprintf("Jobs waited %s%s on average for their first task (%s)", least, wait.Unit.Amount(wait.Number), wait.Of())
	most, name, all, with := 0.0, "", 0.0, int64(0)
	for i := range result.WaitParts {
		p := &result.WaitParts[i]
		x, ok := s.number(p.Name + "_mean_ms")
		if !ok {
			continue
		}
		all, with = all+x.Number, x.N
		if x.Number > most {
			most, name = x.Number, p.Short
		}
	}
	switch {
	case name == "":
	case wait.Open > 0:
		text += fmt.Sprintf("; the %s that had one waited %s, %s of it for %s", quantity.Thousands(with), wait.Unit.Amount(all), percent(most/all), name)
	default:
		text += fmt.Sprintf(", %s of it for %s", percent(most/all), name)
	}
	return text + "."
}

// allocatedAndBusy says how much of the cluster was allocated and how much of that was of use.
func allocatedAndBusy(s *Summary) string {
	allocated, ok := s.number("utilization_dominant_allocated_share")
	busy, ok2 := s.number("utilization_vcores_busy_share")
	of, ok3 := s.number("utilization_vcores_busy_of_allocated_share")
	if !ok || !ok2 || !ok3 {
		return ""
	}
	text := fmt.Sprintf("%s of the cluster was allocated, and %s of its vcores ran tasks", percent(allocated.Number), percent(busy.Number))
	if allocated.Number >= muchAllocated && of.Number < littleBusy {
		text += fmt.Sprintf(": containers held vcores of which they used %s", percent(of.Number))
	}
	return text + "."
}

// demandUnmet says for how much of the time queues wanted more than they got. Where jobs were lost it does not say that there was
// enough for all: the others had their room.
func demandUnmet(s *Summary) string {
	c := &s.Queues.Cluster
	if c.MS == 0 {
		return ""
	}
	if s.Undersampled() {
		return "What queues wanted and got is not known: " + result.TooFarApart + "."
	}
	if c.PendingMS < someTime*c.MS {
		if s.Outcome().Unexpected > 0 {
			return ""
		}
		return fmt.Sprintf("The cluster was never short: some queue wanted more than it got for %s of the time, so policies have nothing to share out.", percent(c.PendingMS/c.MS))
	}
	text := fmt.Sprintf("Some queue wanted more than it got for %s of the time", percent(c.PendingMS/c.MS))
	if len(s.Queues.Names) > 1 {
		text += fmt.Sprintf(", two or more at once for %s", percent(c.ContendedMS/c.MS))
	}
	return text + "."
}

// timeWasted says how much task time was of no use.
func timeWasted(s *Summary) string {
	w, ok := s.number("waste_task_time_share")
	if !ok || w.Number < someTime {
		return ""
	}
	return fmt.Sprintf("%s of the task time was wasted on attempts that failed, were killed or were repeated.", percent(w.Number))
}

// percent writes a share for a sentence.
func percent(x float64) string {
	if p := 100 * x; p > 0 && p < 0.05 { // something, if little
		return strconv.FormatFloat(p, 'f', int(math.Ceil(-math.Log10(p))), 64) + " %"
	}
	if p := 100 * x; p > 0 && p < 10 {
		return quantity.Decimals(p, 1) + " %"
	}
	return quantity.Decimals(100*x, 0) + " %"
}

// Headline returns the headline values that say something about this replay: those with a number that is over more than
// next to nothing; and the names in words of the others.
func (s *Summary) Headline() (said []*Value, others []string) {
	for i := range s.Values {
		v := &s.Values[i]
		switch {
		case v.Family != quantity.Headline:
		case v.Absent != "":
			others = append(others, v.Plain+": "+v.Absent)
		case v.Thin():
			others = append(others, v.Plain+": only "+v.Of())
		default:
			said = append(said, v)
		}
	}
	return said, others
}
