package conf

import (
	"fmt"
	"strings"

	"replay/engine/remark"
)

// DefaultQueue is the queue of a submission that names none.
const DefaultQueue = "default"

// QueueInfo is what the placement rules ask about a queue.
type QueueInfo struct {
	Exists  bool
	Leaf    bool
	Dynamic bool // made by a submission, or no longer in the allocation file
}

// A QueueLookup answers for the queue tree of the scheduler; path begins with root.
type QueueLookup func(path string) QueueInfo

// Submission is what the placement rules see of an application.
type Submission struct {
	AppID  string // text of the ApplicationId, for messages only
	User   string
	Groups []string // of the user, the primary one first
	Queue  string   // as submitted; a client that names no queue sends DefaultQueue
}

// NewSubmission is an application's submission by a user to a queue, "" for none. The user's primary group is called like the user.
func NewSubmission(user, queue string) *Submission {
	if queue == "" {
		queue = DefaultQueue
	}
	return &Submission{User: user, Groups: []string{user}, Queue: queue}
}

// Placement is the answer of the rules.
type Placement struct {
	Queue  string // answer of the first rule that had one
	Placed bool   // false: no rule answered, the application is rejected
	// Submitted is the queue that the submission carries from now on: the answer, unless it
	// differs from the submitted one by letter case only.
	Submitted string
}

// PlacementRules is the FairScheduler's queue placement policy: rules in the order in which
// they are asked. It holds no state.
//
// Source: QueuePlacementPolicy, PlacementManager and the rules of the package placement.
type PlacementRules struct {
	rules []rule
}

// rule is one placement rule, with the rule that gives its parent queue.
type rule struct {
	kind   *ruleKind
	create bool
	queue  string // of the default rule
	parent *rule
}

// terminal says whether a rule always answers.
type terminal uint8

const (
	never terminal = iota
	ifCreate
	always
)

// ruleKind is a rule by its name in the allocation file.
type ruleKind struct {
	name     string
	class    string // simple name of the Java class
	terminal terminal
	noParent string // the text with which a parent rule is refused
	groups   bool   // it asks for those of the user
	place    func(r *rule, s *Submission, tree QueueLookup) (string, *Error)
}

var ruleKinds = []ruleKind{
	{"user", "UserPlacementRule", ifCreate, "", false, placeUser},
	{"primaryGroup", "PrimaryGroupPlacementRule", ifCreate, "", true, placePrimaryGroup},
	{"secondaryGroupExistingQueue", "SecondaryGroupExistingPlacementRule", never, "", true, placeSecondaryGroup},
	{"specified", "SpecifiedPlacementRule", never, "Parent rule should not be configured for Specified rule.", false, placeSpecified},
	{"nestedUserQueue", "UserPlacementRule", ifCreate, "", false, placeUser},
	{"default", "DefaultPlacementRule", ifCreate, "Parent rule must not be configured for Default rule.", false, placeDefault},
	{"reject", "RejectPlacementRule", always, "Parent rule should not be configured for Reject rule.", false, placeReject},
}

const rulePackage = "org.apache.hadoop.yarn.server.resourcemanager.placement."

func kindOf(name string) *ruleKind {
	for i := range ruleKinds {
		if ruleKinds[i].name == name {
			return &ruleKinds[i]
		}
	}
	return nil
}

// DefaultRules is the policy without a queuePlacementPolicy element, from the keys
// yarn.scheduler.fair.allow-undeclared-pools and yarn.scheduler.fair.user-as-default-queue.
func DefaultRules(allowUndeclared, userAsDefault bool) *PlacementRules {
	p := &PlacementRules{rules: []rule{{kind: kindOf("specified"), create: allowUndeclared}}}
	if userAsDefault {
		p.rules = append(p.rules, rule{kind: kindOf("user"), create: allowUndeclared})
	}
	if !userAsDefault || !allowUndeclared {
		p.rules = append(p.rules, rule{kind: kindOf("default"), create: true, queue: policyRoot + "." + DefaultQueue})
	}
	return p
}

// parseRules reads a queuePlacementPolicy element; the result is nil when it has no rule.
func parseRules(n *node) (*PlacementRules, remark.List, *Error) {
	if len(n.children) == 0 {
		return nil, nil, refuse(badResource, "Empty configuration for QueuePlacementPolicy is not allowed").instead("no element, or <rule> elements in it")
	}
	var remarks remark.List
	p := &PlacementRules{}
	for c := range n.elements {
		if !strings.EqualFold(c.tag, "rule") {
			remarks.Add(remark.Unknown, c.line, "<"+c.tag+"> of <queuePlacementPolicy>", "")
			continue
		}
		r, err := parseRule(c, &remarks)
		if err != nil {
			return nil, remarks, err
		}
		var parent *node
		for g := range c.elements {
			if !strings.EqualFold(g.tag, "rule") {
				remarks.Add(remark.Unknown, g.line, "<"+g.tag+"> of rule "+r.kind.name, "")
				continue
			}
			if parent != nil {
				remarks.Add(remark.Odd, c.line, "rule "+r.kind.name, "it has more than one parent rule, the last one counts")
			}
			parent = g
		}
		if parent != nil {
			if name := parent.attr("name"); name == "reject" || name == "nestedUserQueue" {
				return nil, remarks, refuse(badResource, "Rule '%s' is not allowed as a parent rule for any rule", name).at(parent.line, "<rule>", name)
			}
			up, err := parseRule(parent, &remarks)
			if err != nil {
				return nil, remarks, err
			}
			r.parent = &up
		} else if strings.EqualFold(r.kind.name, "nestedUserQueue") {
			return nil, remarks, refuse(badResource, "Rule '%s' must have a parent rule set", r.kind.name).
				instead(`<rule name="nestedUserQueue"><rule name="primaryGroup"/></rule>, or another rule inside it`).at(c.line, "<rule>", r.kind.name)
		}
		p.rules = append(p.rules, r)
	}
	if len(p.rules) == 0 {
		remarks.Add(remark.Odd, n.line, "<queuePlacementPolicy>", "it holds no <rule>: the rules in force stay")
		return nil, remarks, nil
	}
	return p, remarks, p.check()
}

// parseRule reads a rule by itself, and remarks on what is not what it looks like.
func parseRule(n *node, remarks *remark.List) (rule, *Error) {
	name := n.attr("name")
	if name == "" {
		return rule{}, refuse(badResource, "No name provided for a rule element").at(n.line, "<rule>", "")
	}
	kind := kindOf(name)
	if kind == nil {
		return rule{}, refuse(badResource, "No rule class found for %s", name).instead("one of %s", ruleNames()).at(n.line, "<rule>", name)
	}
	create := n.attr("create")
	r := rule{kind: kind, create: create == "" || strings.EqualFold(create, "true")}
	if !r.create && !strings.EqualFold(create, "false") {
		remarks.Add(remark.Odd, n.line, fmt.Sprintf("create of rule %s (%s)", name, create), takenForFalse)
	}
	if name == "default" {
		queue := n.attr("queue")
		if !validQueueName(queue) || queue == "" {
			queue = DefaultQueue
		}
		r.queue = assureRoot(queue)
	}
	return r, nil
}

// AskGroups reports whether a rule, or the parent of one, asks for the groups of a user.
func (p *PlacementRules) AskGroups() bool {
	for i := range p.rules {
		for r := &p.rules[i]; r != nil; r = r.parent {
			if r.kind.groups {
				return true
			}
		}
	}
	return false
}

// check validates the whole list, in YARN's order.
func (p *PlacementRules) check() *Error {
	for i := range p.rules[:len(p.rules)-1] {
		if p.rules[i].isTerminal() {
			return refuse(badResource, "Rules after rule %d in queue placement policy can never be reached", i+1).instead("%s", p.rules[i].howToEnd(i+1))
		}
	}
	if !p.rules[len(p.rules)-1].isTerminal() {
		return refuse(badResource, "Could get past last queue placement rule without assigning").instead(`<rule name="default"/> or <rule name="reject"/> as the last rule`)
	}
	for _, r := range p.rules {
		if r.parent == nil {
			continue
		}
		var cause *Error
		switch {
		case r.parent.kind.class == r.kind.class:
			cause = refuse("IOException", "Parent rule may not be the same type as the child rule: %s", rulePackage+r.kind.class)
		case r.kind.noParent != "":
			cause = refuse("IOException", "%s", r.kind.noParent)
		default:
			continue
		}
		return refuse(badResource, "Rule initialisation failed with exception").because(cause)
	}
	return nil
}

// howToEnd says what to write instead of a rule, the nth, after which others stand in vain.
func (r *rule) howToEnd(n int) string {
	if r.kind.terminal == always {
		return fmt.Sprintf("rule %d (%s) as the last one", n, r.kind.name)
	}
	return fmt.Sprintf(`create="false" in rule %d (%s), which has an answer for every application as it stands, or leave out the rules after it`, n, r.kind.name)
}

func ruleNames() string {
	var names []string
	for _, k := range ruleKinds {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

func (r *rule) isTerminal() bool {
	own := r.kind.terminal == always || r.kind.terminal == ifCreate && r.create
	return own && (r.parent == nil || r.parent.isTerminal())
}

// Place asks the rules for the queue of a submission.
//
// The error is an [*Error]: the submission fails. Without one and without Placed the scheduler
// rejects the application with the text of [RejectedByRules].
//
// Source: RMAppManager.placeApplication and copyPlacementQueueToSubmissionContext.
func (p *PlacementRules) Place(s *Submission, tree QueueLookup) (Placement, error) {
	out := Placement{Submitted: s.Queue}
	for i := range p.rules {
		r := &p.rules[i]
		queue, err := r.kind.place(r, s, tree)
		if err != nil {
			return Placement{}, err
		}
		if queue != noAnswer {
			out.Queue, out.Placed = queue, true
			break
		}
	}
	if s.Queue == "" {
		return Placement{}, refuse("YarnException", "Failed to place application %s in a queue and submit context queue is null or empty", s.AppID)
	}
	if out.Placed && !strings.EqualFold(s.Queue, out.Queue) {
		out.Submitted = out.Queue
	}
	return out, nil
}

// RejectedByRules is the scheduler's text for an application that no rule placed.
//
// Source: FairScheduler.addApplication.
func RejectedByRules(s *Submission) string {
	return fmt.Sprintf("Reject application %s submitted by user %s application rejected by placement rules.", s.AppID, s.User)
}

// noAnswer is what a rule returns when it leaves the decision to the next; no queue has that name.
const noAnswer = "\x00"

// under returns the name below the answer of the rule's parent rule, or below root.
func (r *rule) under(name string, s *Submission, tree QueueLookup) (string, *Error) {
	if r.parent == nil {
		return assureRoot(name), nil
	}
	parent, err := r.parent.kind.place(r.parent, s, tree)
	if err != nil || parent == noAnswer || tree(WithRoot(parent)).Leaf {
		return noAnswer, err
	}
	return parent + "." + name, nil
}

// allowed returns queue if the rule may create it or it is declared.
func (r *rule) allowed(queue string, tree QueueLookup) string {
	if queue == noAnswer || r.create || configured(queue, tree) {
		return queue
	}
	return noAnswer
}

func configured(queue string, tree QueueLookup) bool {
	q := tree(WithRoot(queue))
	return q.Exists && !q.Dynamic
}

func placeUser(r *rule, s *Submission, tree QueueLookup) (string, *Error) {
	queue, err := r.under(cleanName(s.User), s, tree)
	if err != nil {
		return noAnswer, err
	}
	return r.allowed(queue, tree), nil
}

func groupsOf(s *Submission) ([]string, *Error) {
	if len(s.Groups) == 0 {
		return nil, refuse("YarnException", "Group resolution failed").because(refuse("IOException", "No groups found for user %s", s.User))
	}
	return s.Groups, nil
}

func placePrimaryGroup(r *rule, s *Submission, tree QueueLookup) (string, *Error) {
	groups, err := groupsOf(s)
	if err != nil {
		return noAnswer, err
	}
	queue, err := r.under(cleanName(groups[0]), s, tree)
	if err != nil {
		return noAnswer, err
	}
	return r.allowed(queue, tree), nil
}

func placeSecondaryGroup(r *rule, s *Submission, tree QueueLookup) (string, *Error) {
	groups, err := groupsOf(s)
	if err != nil {
		return noAnswer, err
	}
	for _, g := range groups {
		queue, err := r.under(cleanName(g), s, tree)
		if err != nil || queue == noAnswer {
			return noAnswer, err
		}
		if configured(queue, tree) {
			return queue, nil
		}
	}
	return noAnswer, nil
}

func placeSpecified(r *rule, s *Submission, tree QueueLookup) (string, *Error) {
	if !validQueueName(s.Queue) {
		return noAnswer, refuse("YarnException", "Application submitted by user %swith illegal queue name '%s'.", s.User, s.Queue)
	}
	if s.Queue == DefaultQueue {
		return noAnswer, nil
	}
	return r.allowed(assureRoot(s.Queue), tree), nil
}

func placeDefault(r *rule, _ *Submission, tree QueueLookup) (string, *Error) {
	return r.allowed(r.queue, tree), nil
}

func placeReject(*rule, *Submission, QueueLookup) (string, *Error) { return noAnswer, nil }

// cleanName makes a user or group a part of a queue name.
//
// Source: FairQueuePlacementUtils.cleanName.
func cleanName(s string) string { return strings.ReplaceAll(TrimQueueName(s), ".", "_dot_") }

// assureRoot puts root. before a queue name that does not begin with it; nothing stays nothing.
func assureRoot(s string) string {
	if s == "" {
		return s
	}
	return WithRoot(s)
}

// WithRoot puts root. before the path of a queue that does not begin with it.
//
// Source: QueueManager.ensureRootPrefix.
func WithRoot(s string) string {
	if strings.HasPrefix(s, policyRoot+".") || s == policyRoot {
		return s
	}
	return policyRoot + "." + s
}

func validQueueName(s string) bool {
	return s == TrimQueueName(s) && !strings.HasPrefix(s, ".") && !strings.HasSuffix(s, ".")
}
