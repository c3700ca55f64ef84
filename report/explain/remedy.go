package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/report/quantity"
	"replay/shown"
	"replay/trace"
)

// A Remedy takes a cause away: flags of replay whatif, and what they do in words that follow "if".
type Remedy struct {
	Cause record.Cause
	Start bool // it is about the time of the first task, else about the end
	Flags []string
	Says  string
}

// Cluster is what a remedy must know of a replay.
type Cluster struct {
	Scheduler string
	Nodes     int64
	JobName   func(int64) string
}

// mostRemedies is how many causes of each half of an application's time are taken away.
const mostRemedies = 3

// Remedies are changes that take the causes of a job's time away one by one, those of its wait for the first task first, the longest ones
// first. There is none for what no setting or decision makes, such as work, and for what is less than a twentieth of its half.
func Remedies(j *Job, c *Cluster) (list []Remedy) {
	wait, rest := j.halves()
	for i, parts := range [][]Part{wait, rest} {
		sums := map[record.Cause]int64{}
		longest := map[record.Cause]*Part{}
		whole := int64(0)
		for k := range parts {
			p := &parts[k]
			whole += p.Length()
			sums[p.Cause] += p.Length()
			if l := longest[p.Cause]; l == nil || p.Length() > l.Length() {
				longest[p.Cause] = p
			}
		}
		var order []record.Cause
		for cause, sum := range sums {
			if 20*sum >= whole {
				order = append(order, cause)
			}
		}
		slices.SortFunc(order, func(a, b record.Cause) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
		n := 0
		for _, cause := range order {
			flags, says := remedy(longest[cause], c, j.Kind)
			if flags == nil || n == mostRemedies {
				continue
			}
			n++
			list = append(list, Remedy{cause, i == 0 && j.FirstTask != record.None, flags, says})
		}
	}
	return list
}

func change(format string, args ...any) []string {
	return []string{"--change", fmt.Sprintf(format, args...)}
}

func conf(pairs ...string) (flags []string) {
	for _, p := range pairs {
		flags = append(flags, "--conf", p)
	}
	return flags
}

// remedy returns what takes the cause of a part of a kind of job away, nil when nothing does.
func remedy(p *Part, c *Cluster, kind string) (flags []string, says string) {
	r := p.Reason
	switch p.Cause {
	case record.CauseRunningLimit, record.CauseAMShare, record.CauseQueueLimit, record.CauseUserLimit:
		if r.Queue == "" {
			return change("user %s without limits", r.User), "user " + r.User + " had no limit on running applications"
		}
		return change("queue %s without limits", r.Queue), "queue " + r.Queue + " had no limits of its own"
	case record.CausePassedOver, record.CauseReservation, record.CauseBehind:
		if r.Ahead == record.None {
			return nil, ""
		}
		return change("without job %d", r.Ahead), c.JobName(r.Ahead) + " were not there"
	case record.CauseNoRoom:
		if c.Nodes == 0 {
			return nil, ""
		}
		more := max(c.Nodes/10, 1)
		return []string{"--nodes", fmt.Sprint(c.Nodes + more)}, fmt.Sprintf("there were %d nodes, %d more", c.Nodes+more, more)
	case record.CauseDelay:
		if c.Scheduler == "capacity" {
			return conf("yarn.scheduler.capacity.node-locality-delay=0", "yarn.scheduler.capacity.rack-locality-additional-delay=0"), "locality were not waited for"
		}
		return conf("yarn.scheduler.fair.locality.threshold.node=-1", "yarn.scheduler.fair.locality.threshold.rack=-1"), "locality were not waited for"
	case record.CauseTurn:
		return conf("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms=100"), "nodes sent a heartbeat every 100 ms"
	case AMStart:
		return []string{"--model", "am-start-ms=0"}, "application masters started at once"
	case ExecutorStart:
		if kind != trace.KindSpark {
			return []string{"--model", "nm-start-ms=0"}, "containers started at once"
		}
		return []string{"--model", "executor-start-ms=0"}, "executors started at once"
	case record.CauseGate:
		return conf("spark.scheduler.minRegisteredResourcesRatio=0"), "the application's code began without waiting for executors"
	case LocalityWait:
		if kind != trace.KindSpark {
			return nil, ""
		}
		return conf("spark.locality.wait=0s"), "tasks did not wait for locality"
	}
	return nil, ""
}

// A Claim is what came of a remedy, in a replay with it.
type Claim struct {
	Cause   record.Cause `json:"cause"`
	If      string       `json:"if"`
	Command []string     `json:"command"`
	Of      string       `json:"of"`                             // "first task" or "end"
	WasMS   int64        `json:"was_ms"`                         // since submission
	AtMS    *int64       `json:"at_ms"`                          // since its submission there; nil when it does not come to it, or its end is a failure that it was not
	Sooner  int64        `json:"submitted_earlier_ms,omitempty"` // of a job that begins after others, as these end earlier; negative for later
}

// WriteClaims writes when a job would have started or ended without the causes of its time.
func WriteClaims(w io.Writer, claims []Claim) {
	if len(claims) > 0 {
		fmt.Fprintf(w, "\n%s, all else as it was, in a replay of its own each:\n", shown.Paint(w).In(shown.Heading, "Without one cause"))
	}
	for i := range claims {
		c := &claims[i]
		same := func(o Claim) bool { return o.Of == c.Of && slices.Equal(o.Command, c.Command) }
		if slices.ContainsFunc(claims[:i], same) { // one change takes several causes away
			continue
		}
		var causes []string
		for _, o := range claims[i:] {
			if same(o) {
				causes = append(causes, Label(o.Cause))
			}
		}
		verb := map[string]string{FirstTask: "have started", End: "have ended"}[c.Of]
		line := fmt.Sprintf("would %s at +%s, not +%s,", verb, msOf(c.AtMS), ms(c.WasMS))
		switch {
		case c.AtMS == nil && c.Of == End:
			line = "would have failed, or never ended,"
		case c.AtMS == nil:
			line = fmt.Sprintf("would not %s at all", verb)
		case *c.AtMS == c.WasMS:
			line = fmt.Sprintf("would %s at +%s all the same", verb, ms(c.WasMS))
		case *c.AtMS > c.WasMS:
			line = fmt.Sprintf("would %s later, at +%s and not +%s,", verb, msOf(c.AtMS), ms(c.WasMS))
		}
		moved := ""
		if c.Sooner != 0 {
			moved = fmt.Sprintf("; submitted %s %s, as jobs that it begins after end so", ms(max(c.Sooner, -c.Sooner)), map[bool]string{true: "sooner", false: "later"}[c.Sooner > 0])
		}
		shown.Hang(w, "  ", "    ", fmt.Sprintf("%s if %s (%s)%s", line, c.If, strings.Join(causes, "; "), moved))
		fmt.Fprintf(w, "    %s\n", quoted(c.Command))
	}
}

// WriteClaimed writes what came of the claims of several jobs.
func WriteClaimed(w io.Writer, claims map[int64][]Claim) {
	n, sooner, same := int64(0), int64(0), int64(0)
	for _, of := range claims {
		for i := range of {
			n++
			switch c := &of[i]; {
			case c.AtMS != nil && *c.AtMS < c.WasMS:
				sooner++
			case c.AtMS != nil && *c.AtMS == c.WasMS:
				same++
			}
		}
	}
	fmt.Fprintf(w, "\n%s of %s taken away one by one: sooner in %s, at the same time in %s, later, or never, in %s.\n", quantity.Counted(n, "causes"), quantity.Counted(int64(len(claims)), "jobs"),
		quantity.Thousands(sooner), quantity.Thousands(same), quantity.Thousands(n-sooner-same))
}

// What a claim is about.
const (
	FirstTask = "first task"
	End       = "end"
)

func msOf(t *int64) string {
	if t == nil {
		return "–"
	}
	return ms(*t)
}

// quoted writes a command as it is typed.
func quoted(words []string) string {
	var out []string
	for _, w := range words {
		if strings.ContainsAny(w, " *'\"") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}
