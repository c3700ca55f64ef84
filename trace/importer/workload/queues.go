package workload

import (
	"fmt"
	"maps"
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
	i := strings.LastIndexByte(s, '=')
	if i < 0 || i == len(s)-1 {
		return QueueRule{}, fmt.Errorf("queue rule is %q, want regex=queue", s)
	}
	queue := s[i+1:]
	re, err := regexp.Compile(s[:i])
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

// checkQueue tells what is wrong with the path of a queue.
func checkQueue(path string) error {
	for _, name := range strings.Split(path, ".") {
		if strings.TrimSpace(name) == "" {
			return fmt.Errorf("queue is %q, want names with a dot between them", path)
		}
	}
	return nil
}

// queueTable lists the queues at paths and those above them, by path.
func queueTable(paths map[string]bool) (queues []trace.Queue, id map[string]int32) {
	all := []string{"root"}
	for _, q := range trace.QueueTree(slices.Collect(maps.Keys(paths))) {
		all = append(all, q.Path)
	}
	slices.Sort(all)
	id = map[string]int32{}
	queues = trace.QueueTree(all)
	for _, q := range queues {
		id[q.Path] = q.ID
	}
	return queues, id
}

// userTable lists users by name.
func userTable(names map[string]bool) (users []trace.User, id map[string]int32) {
	id = map[string]int32{}
	for _, n := range slices.Sorted(maps.Keys(names)) {
		id[n] = int32(len(users))
		users = append(users, trace.NewUser(int32(len(users)), n))
	}
	return users, id
}
