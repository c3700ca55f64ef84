package conf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/engine/remark"
	"replay/engine/spelling"
	"replay/policy/resource"
)

// ParseAllocations reads the text of a fair-scheduler.xml as YARN does.
//
// site gives the resource types and what is in force without a placement policy. When the file
// is refused after its placement rules are known, YARN has already put these in force: then the
// result is not nil beside the error and holds nothing but Rules.
//
// Source: AllocationFileLoaderService.reloadAllocations, AllocationFileParser,
// AllocationFileQueueParser.
func ParseAllocations(text []byte, site *Site) (*Allocations, error) {
	root, err := parseXML(text)
	if err != nil {
		return nil, err
	}
	if root.tag != "allocations" {
		e := refuse(badResource, "Bad fair scheduler config file: top-level element not <allocations>").instead("an allocation file, whose elements are in <allocations>")
		return nil, e.at(root.line, "<"+root.tag+">", "")
	}
	p := &allocationParser{
		known:       map[string]bool{},
		Allocations: DefaultAllocations(site),
		site:        site,
		scalars:     map[string]scalar{},
		leaves:      nil,
	}
	if err := p.top(root); err != nil {
		return nil, err
	}
	for _, q := range p.queueElements {
		parent := policyRoot
		if strings.EqualFold(q.attr("name"), policyRoot) {
			if len(p.queueElements) > 1 {
				e := refuse(badResource, "If configuring root queue, no other queues can be placed alongside it.").instead("the other queues inside <queue name=\"root\">")
				return nil, e.at(q.line, "<"+q.tag+">", q.attr("name"))
			}
			parent = ""
		}
		if err := p.queue(parent, q); err != nil {
			return nil, err
		}
	}
	if p.placement != nil {
		rules, remarks, err := parseRules(p.placement)
		p.Remarks = append(p.Remarks, remarks...)
		if err != nil {
			return nil, err.at(p.placement.line, "<"+p.placement.tag+">", "")
		}
		p.Rules, p.OwnRules = rules, rules != nil
	}
	if err := p.defaults(); err != nil {
		return &Allocations{Rules: p.Rules}, err
	}
	p.Leaves, p.Parents = hashOrder(p.leaves), hashOrder(p.parents)
	p.declared = make(map[string]declared, len(p.Leaves)+len(p.Parents))
	for _, name := range p.Leaves {
		p.declared[name] = declared{leaf: true}
	}
	for _, name := range p.Parents {
		p.declared[name] = declared{leaf: p.declared[name].leaf, parent: true}
	}
	return p.Allocations, nil
}

const policyRoot = "root"

type scalar struct {
	text string
	line int
}

type allocationParser struct {
	*Allocations
	site          *Site
	scalars       map[string]scalar
	queueElements []*node
	placement     *node
	leaves        []string
	parents       []string
	known         map[string]bool // paths in leaves or parents
}

// say remarks on the element of, "" for none.
func (p *allocationParser) say(kind remark.Kind, n *node, of, text string) {
	field := "<" + n.tag + ">"
	if of != "" {
		field += " of " + of
	}
	p.Remarks.Add(kind, n.line, field, text)
}

// unknown remarks on an element that YARN ignores; known are those it has in this place.
func (p *allocationParser) unknown(n *node, of string, known []string) {
	for _, k := range known {
		if spelling.Near(n.tag, k) {
			p.say(remark.Odd, n, of, "YARN does not know it, so it has no effect; probably <"+k+"> is meant")
			return
		}
	}
	p.say(remark.Unknown, n, of, "")
}

// The elements of an allocation file, by their place.
var (
	scalarElements = []string{"queueMaxResourcesDefault", "userMaxAppsDefault", "defaultFairSharePreemptionTimeout",
		"fairSharePreemptionTimeout", "defaultMinSharePreemptionTimeout", "queueMaxAppsDefault",
		"defaultFairSharePreemptionThreshold", "queueMaxAMShareDefault"}

	topElements = append([]string{"queue", "pool", "user", "queuePlacementPolicy", "defaultQueueSchedulingPolicy", "defaultQueueSchedulingMode"}, scalarElements...)

	queueElements = []string{"queue", "minResources", "maxResources", "maxChildResources", "maxContainerAllocation", "maxRunningApps", "maxAMShare", "weight",
		"minSharePreemptionTimeout", "fairSharePreemptionTimeout", "fairSharePreemptionThreshold", "schedulingPolicy", "schedulingMode", "allowPreemptionFrom",
		"aclSubmitApps", "aclAdministerApps"}
)

func (p *allocationParser) problem(line int, field, value, format string, args ...any) {
	e := refuse("", format, args...)
	p.Problems = append(p.Problems, e.at(line, field, value))
}

// top walks the elements below <allocations>; scalars are kept as text, the last one wins.
func (p *allocationParser) top(root *node) *Error {
	for n := range root.elements {
		switch n.tag {
		case "queuePlacementPolicy":
			p.placement = n
		case "defaultQueueSchedulingPolicy", "defaultQueueSchedulingMode":
			text, err := n.firstText()
			if err != nil {
				return err.at(n.line, "<"+n.tag+">", "")
			}
			text = javaTrim(text)
			if err := p.defaultPolicy(n, text); err != nil {
				return err.at(n.line, "<"+n.tag+">", text)
			}
		case "queue", "pool":
			p.queueElements = append(p.queueElements, n)
		case "user":
			if err := p.user(n); err != nil {
				return err
			}
		case "reservation-planner", "reservation-agent", "reservation-policy":
			if _, err := n.firstText(); err != nil {
				return err.at(n.line, "<"+n.tag+">", "")
			}
			p.say(remark.NoEffect, n, "", "there are no reservations")
		default:
			if !slices.Contains(scalarElements, n.tag) {
				p.unknown(n, "", topElements)
				continue
			}
			text, err := n.firstText()
			if err != nil {
				return err.at(n.line, "<"+n.tag+">", "")
			}
			p.scalars[n.tag] = scalar{javaTrim(text), n.line}
		}
	}
	return nil
}

// defaultPolicy sets the policy of queues that do not say. One that no parent can have is refused under its name; under
// that of its class YARN takes it, and then refuses every queue.
func (p *allocationParser) defaultPolicy(n *node, text string) (err *Error) {
	if p.DefaultPolicy, err = p.site.sharing(text); err != nil {
		return err
	}
	s, unknown := p.site.Policies.NewSharing(p.DefaultPolicy, len(p.site.Types))
	if unknown != nil || s.Parents() {
		return nil
	}
	if strings.EqualFold(text, s.Name) {
		return refuse(badResource, "Bad fair scheduler config file: defaultQueueSchedulingPolicy or defaultQueueSchedulingMode can't be %s.", s.Printed).
			instead("%s here, and <schedulingPolicy>%s</schedulingPolicy> in leaf queues", strings.Join(p.site.Policies.SharingNames(true), " or "), s.Name)
	}
	p.problem(n.line, "<"+n.tag+">", text, "is not for queues with children, want %s", strings.Join(p.site.Policies.SharingNames(true), " or "))
	return nil
}

func (p *allocationParser) user(n *node) *Error {
	name := n.attr("name")
	for f := range n.elements {
		if f.tag != "maxRunningApps" {
			p.unknown(f, "user "+name, []string{"maxRunningApps"})
			continue
		}
		v, err := number(f, "user "+name, javaInt)
		if err != nil {
			return err
		}
		p.notNegative(f, "user "+name, float64(v))
		p.UserMaxApps[name] = v
	}
	return nil
}

// number reads the value of an element with one of Java's parsers.
func number[T any](n *node, of string, parse func(string) (T, *Error)) (T, *Error) {
	field := "<" + n.tag + "> of " + of
	text, err := n.firstText()
	if err != nil {
		var zero T
		return zero, err.at(n.line, field, "")
	}
	text = javaTrim(text)
	v, err := parse(text)
	if err != nil {
		return v, err.at(n.line, field, text)
	}
	return v, nil
}

func javaFloat32(s string) (float32, *Error) {
	v, err := javaFloat(s, 32)
	return float32(v), err
}

// javaDoubleAsFloat is (float) Double.parseDouble.
func javaDoubleAsFloat(s string) (float32, *Error) {
	v, err := javaFloat(s, 64)
	return float32(v), err
}

// What is said of shares that are more than all there is, and of a value that stands for true or false and is neither.
const (
	allOfQueue    = "above 1, which is all of the queue: YARN takes 1"
	allOfShare    = "above 1, which is all of the fair share: YARN takes 1"
	takenForFalse = "neither true nor false: YARN takes it for false"
)

// most remarks on a share above 1.
func (p *allocationParser) most(line int, of string, v float32, text string) {
	if v > 1 {
		p.Remarks.Add(remark.Odd, line, fmt.Sprintf("%s (%s)", of, JavaFloat(v)), text)
	}
}

// clamp01 is Math.max(Math.min(v, 1), 0); NaN stays.
func clamp01(v float32) float32 { return max(min(v, 1), 0) }

func (p *allocationParser) notNegative(n *node, of string, v float64) {
	if v < 0 {
		text, _ := n.firstText()
		p.problem(n.line, "<"+n.tag+"> of "+of, javaTrim(text), "want 0 or more")
	}
}

// seconds reads a number of seconds as milliseconds, which wraps as in Java.
func (p *allocationParser) seconds(n *node, of string) (int64, *Error) {
	v, err := number(n, of, javaLong)
	if err != nil {
		return 0, err
	}
	p.notNegative(n, of, float64(v))
	if v > math.MaxInt64/1000 {
		p.problem(n.line, "<"+n.tag+"> of "+of, fmt.Sprint(v), "overflows, want at most %d seconds", int64(math.MaxInt64/1000))
	}
	return v * 1000, nil
}

// conf returns the settings of the queue called path.
func (p *allocationParser) conf(path string) *queueConf {
	q := p.queues[path]
	if q == nil {
		q = &queueConf{}
		p.queues[path] = q
	}
	return q
}

// queue reads one queue element and those inside it; parent is "" for root itself.
func (p *allocationParser) queue(parent string, n *node) *Error {
	path := TrimQueueName(n.attr("name"))
	bad := func(class, format string, args ...any) *Error {
		return refuse(class, format, args...).at(n.line, "<"+n.tag+">", n.attr("name"))
	}
	if strings.Contains(path, ".") {
		return bad(badResource, "Bad fair scheduler config file: queue name (%s) shouldn't contain period.", path).instead("a <queue> inside the <queue> of its parent")
	}
	if path == "" {
		return bad(badResource, "Bad fair scheduler config file: queue name shouldn't be empty or consist only of whitespace.")
	}
	if parent != "" {
		path = parent + "." + path
	}
	again := p.known[path]
	leaf, reservable, amShare := true, false, false
	q := p.conf(path)
	for f := range n.elements {
		if strings.HasSuffix("queue", f.tag) || f.tag == "pool" {
			if f.tag != "queue" && f.tag != "pool" {
				p.say(remark.Odd, f, "queue "+path, "taken as a queue, as YARN does with any ending of that word")
			}
			if err := p.queue(path, f); err != nil {
				return err
			}
			leaf = false
			continue
		}
		if f.tag == "reservation" {
			reservable = true
			p.parents, p.known[path] = append(p.parents, path), true
			p.reservable[path] = true
			p.say(remark.Unmodelled, f, "queue "+path, "there are no reservations: what is submitted to the queue runs in "+DefaultOfPlan(path)+", as in YARN without one")
			continue
		}
		if err := p.field(path, q, f); err != nil {
			return err
		}
		amShare = amShare || f.tag == "maxAMShare"
	}
	if leaf && n.attr("type") != "parent" {
		if !reservable {
			p.leaves, p.known[path] = append(p.leaves, path), true
		}
	} else {
		if reservable || amShare {
			tag := "maxAMShare"
			if reservable {
				tag = "reservation"
			}
			return bad(badResource, "The configuration settings for %s are invalid. A queue element that contains child queue elements or that has the type='parent' attribute cannot also include a %s element.", path, tag).instead("<%s> in the leaf queues below it", tag)
		}
		p.parents, p.known[path] = append(p.parents, path), true
	}
	if again {
		p.problem(n.line, "<"+n.tag+">", n.attr("name"), "queue %s is declared more than once, want one element with all its settings", path)
	}
	if q.min != nil && q.max != nil && !q.max.percent && !q.min.FitsIn(q.max.amount) {
		p.Remarks.Add(remark.Odd, n.line, "queue "+path, "minResources is above maxResources; YARN takes the larger of the two as maximum")
	}
	return nil
}

// field reads one setting of a queue.
func (p *allocationParser) field(path string, q *queueConf, f *node) (err *Error) {
	of := "queue " + path
	configurable := func(missing int64) (*ConfigurableResource, *Error) {
		cut := ""
		c, err := number(f, of, func(s string) (ConfigurableResource, *Error) {
			cut = cutOff(s)
			return parseResource(s, p.site.Types, missing)
		})
		if err == nil && cut != "" {
			p.say(remark.Odd, f, of, cut)
		}
		if err == nil && !c.percent && c.amount[resource.VCores] < 0 {
			p.say(remark.Odd, f, of, "no vcores are named: YARN reads that as -1 vcores and not as unlimited, so nothing runs in it")
		}
		return &c, err
	}
	// fixed is for the settings that have no meaning in percentages: YARN drops them.
	fixed := func(missing int64) (*resource.Resource, *Error) {
		c, err := configurable(missing)
		if err != nil {
			return nil, err
		}
		if c.percent {
			p.say(remark.Odd, f, of, "in percentages, which YARN ignores here")
			return nil, nil
		}
		return &c.amount, nil
	}
	switch f.tag {
	case "minResources":
		q.min, err = fixed(0)
	case "maxResources":
		q.max, err = configurable(math.MaxInt64)
	case "maxChildResources":
		q.maxChild, err = configurable(math.MaxInt64)
	case "maxContainerAllocation":
		q.maxContainer, err = fixed(math.MaxInt64)
	case "maxRunningApps":
		q.maxRunningApps, err = pointer(number(f, of, javaInt))
		if err == nil {
			p.notNegative(f, of, float64(*q.maxRunningApps))
		}
	case "maxAMShare":
		q.maxAMShare, err = pointer(number(f, of, javaFloat32))
		if err == nil {
			p.most(f.line, "<"+f.tag+"> of "+of, *q.maxAMShare, allOfQueue)
			*q.maxAMShare = min(*q.maxAMShare, 1)
			if *q.maxAMShare != -1 {
				p.notNegative(f, of, float64(*q.maxAMShare))
			}
		}
	case "weight":
		q.weight, err = pointer(number(f, of, javaDoubleAsFloat))
		if err == nil {
			p.notNegative(f, of, float64(*q.weight))
			if *q.weight != *q.weight {
				p.problem(f.line, "<weight> of "+of, "NaN", "YARN takes it, and its shares are never found: want a number")
			}
		}
	case "minSharePreemptionTimeout":
		q.minTimeout, err = pointer(p.seconds(f, of))
	case "fairSharePreemptionTimeout":
		q.fairTimeout, err = pointer(p.seconds(f, of))
	case "fairSharePreemptionThreshold":
		q.threshold, err = pointer(number(f, of, javaFloat32))
		if err == nil {
			p.most(f.line, "<"+f.tag+"> of "+of, *q.threshold, allOfShare)
			*q.threshold = clamp01(*q.threshold)
		}
	case "schedulingPolicy", "schedulingMode":
		q.policy, err = number(f, of, p.site.sharing)
	case "allowPreemptionFrom":
		var text string
		if text, err = f.firstText(); err == nil && !strings.EqualFold(javaTrim(text), "true") {
			q.nonPreemptable = true
			if text = javaTrim(text); !strings.EqualFold(text, "false") {
				p.say(remark.Odd, f, of+" ("+text+")", takenForFalse)
			}
		}
	case "aclSubmitApps", "aclAdministerApps", "aclAdministerReservations", "aclListReservations", "aclSubmitReservations":
		if _, err = f.firstText(); err == nil {
			p.say(remark.NoEffect, f, of, "everybody may submit to every queue")
		}
	default:
		p.unknown(f, of, queueElements)
	}
	if err != nil {
		return err.at(f.line, "<"+f.tag+"> of "+of, "")
	}
	return nil
}

func pointer[T any](v T, err *Error) (*T, *Error) { return &v, err }

// defaults reads the scalars of the file in the order in which YARN does, which decides which
// of several mistakes is reported.
func (p *allocationParser) defaults() *Error {
	root := p.conf(policyRoot)
	if root.minTimeout == nil {
		v, err := p.rootSeconds("defaultMinSharePreemptionTimeout")
		if err != nil {
			return err
		}
		root.minTimeout = &v
	}
	if root.fairTimeout == nil {
		tag := "defaultFairSharePreemptionTimeout"
		if _, ok := p.scalars[tag]; !ok {
			tag = "fairSharePreemptionTimeout"
		}
		v, err := p.rootSeconds(tag)
		if err != nil {
			return err
		}
		root.fairTimeout = &v
	}
	if root.threshold == nil {
		v := float32(0.5)
		if err := readScalar(p, "defaultFairSharePreemptionThreshold", &v, javaFloat32); err != nil {
			return err
		}
		p.most(p.scalars["defaultFairSharePreemptionThreshold"].line, "<defaultFairSharePreemptionThreshold>", v, allOfShare)
		v = clamp01(v)
		root.threshold = &v
	}
	if err := readScalar(p, "userMaxAppsDefault", &p.UserMaxAppsDefault, javaInt); err != nil {
		return err
	}
	if err := readScalar(p, "queueMaxResourcesDefault", &p.maxDefault, func(s string) (ConfigurableResource, *Error) {
		return parseResource(s, p.site.Types, math.MaxInt64)
	}); err != nil {
		return err
	}
	if s := p.scalars["queueMaxResourcesDefault"]; cutOff(s.text) != "" {
		p.Remarks.Add(remark.Odd, s.line, "<queueMaxResourcesDefault>", cutOff(s.text))
	}
	if err := readScalar(p, "queueMaxAppsDefault", &p.QueueMaxAppsDefault, javaInt); err != nil {
		return err
	}
	if err := readScalar(p, "queueMaxAMShareDefault", &p.amDefault, javaFloat32); err != nil {
		return err
	}
	p.most(p.scalars["queueMaxAMShareDefault"].line, "<queueMaxAMShareDefault>", p.amDefault, allOfQueue)
	p.amDefault = min(p.amDefault, 1)
	for _, tag := range []string{"userMaxAppsDefault", "queueMaxAppsDefault"} {
		if s := p.scalars[tag]; strings.HasPrefix(s.text, "-") {
			p.problem(s.line, "<"+tag+">", s.text, "want 0 or more")
		}
	}
	for _, d := range []struct {
		tag  string
		own  bool // root has a setting of its own
		then string
	}{
		{"queueMaxAppsDefault", root.maxRunningApps != nil, "all queues together run no more applications (<maxRunningApps> of root is its own)"},
		{"queueMaxResourcesDefault", root.max != nil, "all queues together have no more (<maxResources> of root is its own)"},
	} {
		if s, set := p.scalars[d.tag]; set && !d.own {
			p.Remarks.Add(remark.Odd, s.line, fmt.Sprintf("<%s> (%s)", d.tag, javaTrim(s.text)), "holds for root, too, as in YARN: "+d.then)
		}
	}
	return nil
}

func readScalar[T any](p *allocationParser, tag string, to *T, parse func(string) (T, *Error)) *Error {
	s, ok := p.scalars[tag]
	if !ok {
		return nil
	}
	v, err := parse(s.text)
	if err != nil {
		return err.at(s.line, "<"+tag+">", s.text)
	}
	*to = v
	return nil
}

// rootSeconds reads a timeout of the root queue in seconds; absent is for ever.
func (p *allocationParser) rootSeconds(tag string) (int64, *Error) {
	if _, ok := p.scalars[tag]; !ok {
		return math.MaxInt64, nil
	}
	var v int64
	if err := readScalar(p, tag, &v, javaLong); err != nil {
		return 0, err
	}
	if s := p.scalars[tag]; v < 0 || v > math.MaxInt64/1000 {
		p.problem(s.line, "<"+tag+">", s.text, "want 0 to %d seconds", int64(math.MaxInt64/1000))
	}
	return v * 1000, nil
}

// queueSpace is the white space that queue names are trimmed of.
//
// Source: FairSchedulerUtilities.TrimQueueName.
const queueSpace = " \t\n\v\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

// TrimQueueName trims as YARN does; of a name of nothing but white space YARN leaves nothing.
func TrimQueueName(s string) string { return strings.Trim(s, queueSpace) }
