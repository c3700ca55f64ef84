package explain

import (
	"fmt"
	"strings"

	"replay/engine/record"
	"replay/report/parting"
	"replay/report/quantity"
)

// labels are the causes in words, in the order in which an application meets them.
var labels = []struct {
	Cause record.Cause
	Label string
}{
	{record.CauseRunningLimit, "limit on running applications"},
	{record.CauseAMShare, "share of application masters"},
	{record.CauseQueueLimit, "limit of a queue"},
	{record.CauseUserLimit, "limit of a user"},
	{record.CauseBehind, "behind another in its queue"},
	{record.CauseNoRoom, "no node with room"},
	{record.CausePassedOver, "passed over"},
	{record.CauseUnwanted, "room only where it takes none"},
	{record.CauseDelay, "delay scheduling"},
	{record.CauseReservation, "reservation of others"},
	{record.CauseTurn, "turn of a node"},
	{record.CauseOrphaned, "without an application master"},
	{AMStart, "start of the application master"},
	{Ask, "round of asking"},
	{Answer, "round of answering"},
	{Gang, "rest of a gang"},
	{ExecutorStart, "start of a container"},
	{record.CauseGate, "gate of registered executors"},
	{Driver, "driver"},
	{LocalityWait, "locality wait of tasks"},
	{OwnTasks, "its own tasks hold all cores"},
	{Work, "work"},
	{Overhead, "overhead of tasks"},
	{RemoteRead, "reading from other hosts"},
	{Straggler, "straggler"},
	{LostWork, "lost work"},
	{Tail, "tail"},
	{Service, "runs as a service"},
}

// Label is a cause in words.
func Label(c record.Cause) string {
	for i := range labels {
		if labels[i].Cause == c {
			return labels[i].Label
		}
	}
	return string(c)
}

func size(mem, vcores int64) string {
	return fmt.Sprintf("%s MiB and %s", quantity.Thousands(mem), quantity.Counted(vcores, "vcores"))
}

// Says are the numbers that a part stood on when it began, "" where its cause says all.
func Says(p *Part, n *parting.Names) string {
	if p.told != nil {
		return p.told.Says
	}
	if r := p.Reason; r != nil {
		return reasonSays(r, n)
	}
	switch p.Cause {
	case Straggler:
		return fmt.Sprintf("task %d of stage %d took %s, the median of its stage is %s", p.Task, p.Stage, quantity.Duration(float64(p.Took)), quantity.Duration(float64(p.Median)))
	case LostWork:
		if p.Stage == record.None {
			return "an attempt of the application came to nothing"
		}
		return fmt.Sprintf("%s of task %d of stage %d came to nothing", quantity.Counted(int64(p.Attempts), "attempts"), p.Task, p.Stage)
	case Driver:
		return fmt.Sprintf("before stage %d", p.Stage)
	case Work, Overhead, RemoteRead, LocalityWait, OwnTasks:
		if p.Stage != record.None {
			return fmt.Sprintf("task %d of stage %d", p.Task, p.Stage)
		}
	}
	return ""
}

func reasonSays(r *record.Reason, n *parting.Names) string {
	wanted := size(r.MemMiB, r.VCores)
	if r.AM {
		wanted += " for its application master"
	}
	whose := "queue " + r.Queue
	switch {
	case r.Queue == "":
		whose = "user " + r.User
	case r.User != "":
		whose = fmt.Sprintf("user %s in queue %s", r.User, r.Queue)
	}
	switch r.Cause {
	case record.CauseRunningLimit:
		return fmt.Sprintf("%s runs %s, as many as it may (%s)", whose, quantity.Counted(r.Running, "applications"), quantity.Thousands(r.Most))
	case record.CauseAMShare:
		since := ""
		if r.UsedMem > r.LimitMem || r.UsedVCores > r.LimitVCores { // as where it follows what is free in the cluster
			since = ", a limit that has come down since they were allocated"
		}
		return fmt.Sprintf("application masters of %s have %s of at most %s%s; it wants %s", whose, size(r.UsedMem, r.UsedVCores), size(r.LimitMem, r.LimitVCores), since, wanted)
	case record.CauseQueueLimit, record.CauseUserLimit:
		return fmt.Sprintf("%s has %s of at most %s, it wants %s", whose, size(r.UsedMem, r.UsedVCores), size(r.LimitMem, r.LimitVCores), wanted)
	case record.CauseBehind:
		name, _ := n.Job(r.Ahead)
		return fmt.Sprintf("it wants %s; %s is before it in queue %s and wants more than limits leave, and none behind that one is served", wanted, name, r.Queue)
	case record.CauseNoRoom:
		if r.Node == record.None {
			return "no node is in the cluster"
		}
		host, _, _ := n.Node(r.Node)
		return fmt.Sprintf("it wants %s; %s lacks least, with %s free%s", wanted, host, size(r.FreeMem, r.FreeVCores), lacks(r))
	case record.CausePassedOver:
		name, queue := n.Job(r.Ahead)
		return fmt.Sprintf("it wants %s; others were served first where it had room: %s, the first of them of %s in %s", wanted, quantity.Counted(r.Passed, "containers"), name, queue)
	case record.CauseUnwanted:
		host, _, _ := n.Node(r.Node)
		return fmt.Sprintf("it wants %s; %s has room, and it takes none there", wanted, host)
	case record.CauseDelay:
		host, _, _ := n.Node(r.Node)
		return fmt.Sprintf("it wants %s and accepts %s so far; %s has room", wanted, r.Level, host)
	case record.CauseReservation:
		host, _, _ := n.Node(r.Node)
		if r.Queue != "" && r.Ahead != record.None {
			name, queue := n.Job(r.Ahead)
			return fmt.Sprintf("it wants %s; with what is reserved on %s for %s in %s, %s has %s of at most %s", wanted, host, name, queue, whose, size(r.UsedMem, r.UsedVCores), size(r.LimitMem, r.LimitVCores))
		}
		if r.Ahead == record.None {
			return fmt.Sprintf("it wants %s; %s has room, and is reserved", wanted, host)
		}
		name, queue := n.Job(r.Ahead)
		return fmt.Sprintf("it wants %s; %s has room, and is reserved for %s in %s", wanted, host, name, queue)
	case record.CauseTurn:
		if r.Node == record.None {
			return ""
		}
		host, _, _ := n.Node(r.Node)
		return fmt.Sprintf("it wants %s; %s has room, its heartbeat is awaited", wanted, host)
	}
	return ""
}

// lacks says what is missing on the node that lacks least.
func lacks(r *record.Reason) string {
	var missing []string
	if d := r.MemMiB - max(r.FreeMem, 0); d > 0 {
		missing = append(missing, quantity.Thousands(d)+" MiB")
	}
	if d := r.VCores - max(r.FreeVCores, 0); d > 0 {
		missing = append(missing, quantity.Counted(d, "vcores"))
	}
	if missing == nil {
		return ""
	}
	return ": " + strings.Join(missing, " and ") + " too little"
}

// ended says what ended a part, "" where nothing is known.
func ended(p *Part, n *parting.Names) string {
	if p.told != nil {
		return p.told.EndedBy
	}
	text := p.By
	if text == "{decision}" {
		if p.Reason.Ended.Kind == "" {
			return ""
		}
		return n.Say(&p.Reason.Ended)
	}
	if before, rest, ok := strings.Cut(text, "{node "); ok {
		number, after, _ := strings.Cut(rest, "}")
		var node int32
		fmt.Sscan(number, &node)
		host, _, _ := n.Node(node)
		text = before + host + after
	}
	return text
}
