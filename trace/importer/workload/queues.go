package workload

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"replay/trace"
)

// QueueRule puts the applications whose name matches into a queue.
type QueueRule struct {
	Name  *regexp.Regexp
	Queue string
}

// ParseQueueRule reads "regex=queue".
func ParseQueueRule(s string) (QueueRule, error) {
	expr, queue, ok := cutLast(s, "=")
	if !ok || queue == "" {
		return QueueRule{}, fmt.Errorf("queue rule is %q, want regex=queue", s)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return QueueRule{}, fmt.Errorf("queue rule %q: %w", s, err)
	}
	return QueueRule{re, queue}, nil
}

// queueOf returns the path of the queue of an application.
func (o *Options) queueOf(name, recorded string) string {
	queue := recorded
	if o.Queue != "" {
		queue = o.Queue
	}
	for _, r := range o.QueueMap {
		if r.Name.MatchString(name) {
			queue = r.Queue
			break
		}
	}
	queue = strings.Trim(strings.TrimSpace(queue), ".")
	switch {
	case queue == "":
		return "root.default"
	case queue == "root" || strings.HasPrefix(queue, "root."):
		return queue
	}
	return "root." + queue
}

// queueTable lists the queues at paths and those above them, by path.
func queueTable(paths map[string]bool) (queues []trace.Queue, id map[string]int32) {
	all := map[string]bool{}
	for p := range paths {
		for ok := true; ok; p, _, ok = cutLast(p, ".") {
			all[p] = true
		}
		all["root"] = true
	}
	id = map[string]int32{}
	for _, p := range slices.Sorted(maps.Keys(all)) {
		q := trace.Queue{
			ID: int32(len(queues)), Path: p, Parent: trace.Unset, Weight: math.NaN(), AMShare: math.NaN(),
			MinMemMiB: trace.Unset, MaxMemMiB: trace.Unset, MinVCores: trace.Unset, MaxVCores: trace.Unset, MaxApps: trace.Unset,
		}
		if parent, _, ok := cutLast(p, "."); ok {
			q.Parent = id[parent]
		}
		id[p] = q.ID
		queues = append(queues, q)
	}
	return queues, id
}

// userTable lists users by name.
func userTable(names map[string]bool) (users []trace.User, id map[string]int32) {
	id = map[string]int32{}
	for _, n := range slices.Sorted(maps.Keys(names)) {
		id[n] = int32(len(users))
		users = append(users, trace.User{ID: int32(len(users)), Name: n, Weight: math.NaN()})
	}
	return users, id
}

// cutLast is strings.Cut around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
