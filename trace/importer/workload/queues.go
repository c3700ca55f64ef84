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

func (r QueueRule) String() string { return r.Name.String() + "=" + r.Queue }

// ruleOf is the first rule that the name of an application matches, or -1.
func (o *Options) ruleOf(name string) int {
	return slices.IndexFunc(o.QueueMap, func(r QueueRule) bool { return r.Name.MatchString(name) })
}

// sayRules tells which rules put no application into a queue.
func (b *Builder) sayRules() {
	for i, r := range b.Options.QueueMap {
		if !b.matched[i] {
			b.Warn("queue rule %q matched the name of no application%s: rules are about names, not about the queues of the source", r, map[bool]string{true: ", or none that a rule before it did not"}[i > 0])
		}
	}
}

// queueOf returns the path of the queue of an application.
func (o *Options) queueOf(name, recorded string) string {
	queue := recorded
	if o.Queue != "" {
		queue = o.Queue
	}
	if r := o.ruleOf(name); r >= 0 {
		queue = o.QueueMap[r].Queue
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
