package conf

import (
	"regexp"
	"slices"
	"strings"

	"replay/engine/remark"
	"replay/policy"
	"replay/policy/resource"
)

// ShippedCapacity is the capacity-scheduler.xml that comes with Hadoop: one queue named default.
func ShippedCapacity() map[string]string {
	return map[string]string{
		capacityPrefix + "root.queues":                    "default",
		capacityPrefix + "root.default.capacity":          "100",
		capacityPrefix + "root.default.user-limit-factor": "1",
		capacityPrefix + "root.default.maximum-capacity":  "100",
		capacityPrefix + "root.default.state":             "RUNNING",
	}
}

const (
	calculatorPackage = "org.apache.hadoop.yarn.util.resource."
	orderPackage      = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.policy."
)

// NewCapacity reads the properties of capacity-scheduler.xml (those with the prefix
// yarn.scheduler.capacity. among props). The error is an [*Error] with the exception that keeps
// YARN's CapacityScheduler from starting.
//
// The queues are those of a cluster without nodes; [Capacity.Update] tells the size.
//
// Source: CapacityScheduler.initScheduler, CapacitySchedulerQueueManager.parseQueue.
func NewCapacity(props map[string]string, site *Site) (*Capacity, error) {
	if err := site.CheckCapacity(); err != nil {
		return nil, err
	}
	p := &capacityParser{
		reader:   &reader{props: props, read: map[string]bool{}},
		Capacity: &Capacity{types: len(site.Types), maxParallelOf: map[string]int32{}},
		site:     site,
	}
	for key := range props {
		if strings.Contains(key, userSettings) && strings.HasSuffix(key, userWeight) {
			p.weightKeys = append(p.weightKeys, key)
		}
	}
	slices.Sort(p.weightKeys)
	if err := p.globals(); err != nil {
		return nil, err
	}
	err := p.queue(-1, policyRoot)
	if err == nil {
		p.globalMost()
		p.MaxApplications = p.int(capacityPrefix+"maximum-applications", 10000)
		err = p.failed()
	}
	if err != nil {
		return nil, refuse("YarnException", "Failed to initialize queues").because(err).at(0, err.Field, err.Value)
	}
	if err := p.rest(); err != nil {
		return nil, err
	}
	p.Update(resource.Resource{})
	p.leftovers()
	p.Remarks = append(p.Remarks, p.remarks...)
	return p.Capacity, nil
}

type capacityParser struct {
	*reader
	*Capacity
	site       *Site
	weightKeys []string // that set the weight of a user in a queue, sorted
}

// globalMost reads how many applications a queue has that does not say. A queue that does asks for it behind all queues.
//
// Source: AbstractLeafQueue.setupQueueConfigs, updateMaximumApplications.
func (p *capacityParser) globalMost() {
	p.GlobalMaxPerQueue = p.int(capacityPrefix+"global-queue-max-application", -1)
}

// failed returns the first value that could not be read.
func (p *capacityParser) failed() *Error {
	e, _ := p.err.(*Error)
	return e
}

func (p *capacityParser) globals() error {
	types := p.types
	switch class := p.text(capacityPrefix+"resource-calculator", calculatorPackage+"DefaultResourceCalculator"); class {
	case calculatorPackage + "DefaultResourceCalculator":
		if types > 2 {
			return refuse("YarnRuntimeException", "RM uses DefaultResourceCalculator which used only memory as resource-type but invalid resource-types specified. Use DominantResourceCalculator instead to make effective use of these resource-types").at(0, capacityPrefix+"resource-calculator", class)
		}
		p.Calculator, p.CalculatorName = resource.DefaultCalculator{}, "default"
	case calculatorPackage + "DominantResourceCalculator":
		p.Calculator, p.CalculatorName = resource.NewDominant(types), "dominant"
	default:
		return refuse("RuntimeException", "class %s is not modelled, want DefaultResourceCalculator or DominantResourceCalculator", class).byReplay().at(0, capacityPrefix+"resource-calculator", class)
	}
	p.LegacyQueueMode = p.boolean(capacityPrefix+"legacy-queue-mode.enabled", true)
	return p.err
}

// rest reads what YARN reads after the queues.
func (p *capacityParser) rest() error {
	p.MultipleAssignments = p.boolean(capacityPrefix+"per-node-heartbeat.multiple-assignments-enabled", true)
	p.MaxAssignments = p.int(capacityPrefix+"per-node-heartbeat.maximum-container-assignments", 100)
	p.MaxOffSwitch = p.int(capacityPrefix+"per-node-heartbeat.maximum-offswitch-assignments", 1)
	if p.MaxOffSwitch < 1 {
		p.Remarks.Add(remark.Odd, 0, capacityPrefix+"per-node-heartbeat.maximum-offswitch-assignments", "below 1, YARN takes 1")
		p.MaxOffSwitch = 1
	}
	p.preemption()
	p.UserMetrics = p.boolean(capacityPrefix+"user-metrics.enable", false)
	p.ReservationsLookOn = p.boolean(capacityPrefix+"reservations-continue-look-all-nodes", true)
	perUser := p.apart(func() { p.MaxParallelPerUser = p.int(capacityPrefix+"user."+maxParallel, 1<<31-1) }) // read when a user has an application
	if err, is := perUser.(*Error); is {
		p.problem(err, "any user")
	}
	for _, key := range sortedKeys(p.props) {
		if user, ok := strings.CutPrefix(key, capacityPrefix+"user."); ok && strings.HasSuffix(user, "."+maxParallel) {
			text, _ := p.raw(key) // read when the user has an application, and not trimmed
			n, err := javaInt(text)
			if err != nil {
				p.problem(err.at(0, key, text), strings.TrimSuffix(user, "."+maxParallel))
			}
			p.maxParallelOf[strings.TrimSuffix(user, "."+maxParallel)] = n
		}
	}
	return p.err
}

const maxParallel = "max-parallel-apps"

// problem keeps what is wrong with a number of applications that YARN reads with the first one of a user.
func (p *capacityParser) problem(err *Error, user string) {
	p.Problems = append(p.Problems, err.instead("a whole number of applications, without which the scheduler ends with the first one of %s", user))
}

// queue reads the queue called name below the queue with index parent, then its children.
func (p *capacityParser) queue(parent int, name string) *Error {
	path := name
	if parent >= 0 {
		path = p.Queues[parent].Path + "." + name
	}
	if strings.Count(path, ".") > maxDepth {
		return refuse("", "queues are nested more than %d deep", maxDepth).at(0, path, "")
	}
	prefix := capacityPrefix + path + "."
	children := p.list(prefix + "queues")
	i := len(p.Queues)
	p.Queues = append(p.Queues, CapacityQueue{Path: path, Name: name, Parent: parent, Leaf: len(children) == 0, Weight: -1})
	p.ratio = append(p.ratio, [resource.MaxTypes]float32{})
	for t := range p.ratio[i] {
		p.ratio[i][t] = unscaled
	}
	if parent >= 0 {
		p.Queues[parent].Children = append(p.Queues[parent].Children, i)
	} else if len(children) == 0 {
		return refuse("IllegalStateException", "Queue configuration missing child queue names for %s", name).instead("the names of the queues below root, such as default").at(0, prefix+"queues", "")
	}
	// The queues may move while children are added: settings work on a copy.
	q := p.Queues[i]
	if err := p.settings(&q, prefix); err != nil {
		return err
	}
	p.Queues[i] = q
	seen := map[string]bool{}
	for _, child := range children {
		if seen[child] || child == "" || strings.Contains(child, ".") {
			p.Problems = append(p.Problems, refuse("", "want distinct names without a period").at(0, prefix+"queues", p.props[prefix+"queues"]))
		}
		seen[child] = true
		if err := p.queue(i, child); err != nil {
			return err
		}
	}
	if len(children) > 0 && p.LegacyQueueMode {
		return p.checkChildren(&p.Queues[i])
	}
	return nil
}

// list reads a comma separated list, without empty items.
func (p *capacityParser) list(key string) (out []string) {
	v, _ := p.raw(key)
	for _, s := range strings.Split(v, ",") {
		if s != "" {
			out = append(out, javaTrim(s))
		}
	}
	return out
}

// settings reads what the configuration says about one queue.
//
// Source: AbstractCSQueue.setupQueueConfigs and its overrides in the parent and leaf classes.
func (p *capacityParser) settings(q *CapacityQueue, prefix string) *Error {
	if err := p.capacities(q, prefix); err != nil {
		return err
	}
	q.MaxAMShare = p.percentage(prefix, "maximum-am-resource-percent", 0.1, 1, "above 1, which is all of the queue; it is a fraction and no percentage")
	if err := p.failed(); err != nil {
		return err
	}
	p.absolute(q)
	if err := p.amounts(q, prefix); err != nil {
		return err
	}
	if err := p.maxAllocation(q, prefix); err != nil {
		return err
	}
	if err := p.state(q, prefix); err != nil {
		return err
	}
	if err := p.userWeights(q, prefix); err != nil {
		return err
	}
	var err *Error
	if q.Parent < 0 {
		q.min = uniform(100, ByPercent, p.types)
		q.max = q.min
	} else {
		if text, ok := p.raw(prefix + "capacity"); ok {
			if q.min, err = parseVector(text, p.site.Types); err != nil {
				return err.at(0, prefix+"capacity", text)
			}
		}
		q.max = uniform(0, ByAmount, p.types)
		if text, ok := p.raw(prefix + "maximum-capacity"); ok {
			v, err := parseVector(text, p.site.Types)
			if err != nil {
				return err.at(0, prefix+"maximum-capacity", text)
			}
			if v != (vector{}) {
				q.max = v
			}
			if mode, only := v.only(); !p.LegacyQueueMode && (mode == ByWeight || !only) && v != (vector{}) {
				for t := range v.mode {
					if v.mode[t] == ByWeight {
						return refuse("IllegalStateException", "Resource %s has WEIGHT maximum capacity type, which is not supported", p.site.Types[t]).at(0, prefix+"maximum-capacity", text)
					}
				}
			}
		}
		mode, only := q.min.only()
		if only && mode == ByWeight && sameValues(q.min, p.types) {
			q.Weight = float32(q.min.value[0])
		}
		if !p.LegacyQueueMode {
			q.Mode = ByPercent
			if only {
				q.Mode = mode
			}
		}
	}
	p.preemptable(q, prefix)
	q.Priority = p.int(prefix+"priority", 0)
	if err := p.failed(); err != nil {
		return err
	}
	if text, ok := p.raw(prefix + maxParallel); ok { // not trimmed and not hexadecimal, other than the rest
		if q.MaxParallel, err = javaInt(text); err != nil {
			return err.at(0, prefix+maxParallel, text)
		}
	} else {
		q.MaxParallel = p.int(capacityPrefix+maxParallel, 1<<31-1)
		if err := p.failed(); err != nil {
			return err
		}
	}
	if !q.Leaf {
		return p.queueOrdering(q, prefix)
	}
	return p.leaf(q, prefix)
}

// percentage reads a setting of the queue with that prefix, or the one without a queue; text says what it means above all.
func (p *capacityParser) percentage(prefix, name string, def, all float32, text string) float32 {
	v := p.float(capacityPrefix+name, def)
	p.most(capacityPrefix+name, v, all, text)
	own := p.float(prefix+name, v)
	p.most(prefix+name, own, all, text)
	return own
}

func sameValues(v vector, types int) bool {
	for i := range types {
		if v.value[i] != v.value[0] {
			return false
		}
	}
	return true
}

func (p *capacityParser) queueOrdering(q *CapacityQueue, prefix string) *Error {
	def := "utilization"
	if q.Parent >= 0 && p.Queues[q.Parent].PriorityFirst {
		def = "priority-utilization"
	}
	switch policy := p.text(prefix+"ordering-policy", def); policy {
	case "utilization":
	case "priority-utilization":
		q.PriorityFirst = true
	default:
		return refuse("YarnRuntimeException", "Unable to construct queue ordering policy=%s queue=%s", policy, q.Path).
			because(refuse("ClassNotFoundException", "%s", policy)).at(0, prefix+"ordering-policy", policy).
			instead("utilization or priority-utilization for a queue with children; orders of applications, such as fifo and fair, are for leaf queues")
	}
	q.AllowZeroSum = p.boolean(prefix+"allow-zero-capacity-sum", false)
	return nil
}

// OrderingClass returns the simple name of the Java class behind Ordering.
func (q *CapacityQueue) OrderingClass() string {
	for _, o := range policy.LeafOrders {
		if o.Name == q.Ordering && o.Class != "" {
			return o.Class
		}
	}
	return q.Ordering
}

func (p *capacityParser) leaf(q *CapacityQueue, prefix string) *Error {
	name, ok := p.raw(prefix + "ordering-policy")
	if !ok {
		name = p.site.Policies.DefaultLeafOrder()
	}
	for _, o := range p.site.Policies.AllLeafOrders() {
		if javaTrim(name) == o.Name || o.Class != "" && name == orderPackage+o.Class {
			q.Ordering = o.Name
		}
	}
	if q.Ordering == "" {
		return refuse("RuntimeException", "Unable to construct ordering policy for: %s, %s", name, name).
			because(refuse("ClassNotFoundException", "%s", name)).at(0, prefix+"ordering-policy", name).instead("fifo or fair")
	}
	sized, _ := p.raw(prefix + "ordering-policy.fair.enable-size-based-weight") // not trimmed
	if q.SizeBasedWeight = strings.EqualFold(sized, "true"); !q.SizeBasedWeight && sized != "" && !strings.EqualFold(javaTrim(sized), "false") {
		p.odd(prefix+"ordering-policy.fair.enable-size-based-weight", sized, remark.NoBoolean(false))
	}
	q.UserLimit = p.percentage(prefix, "minimum-user-limit-percent", 100, 100, "above 100, which is all of the queue")
	q.UserLimitFactor = p.float(prefix+"user-limit-factor", p.float(capacityPrefix+"user-limit-factor", 1))
	if q.configuredApps = p.int(prefix+"maximum-applications", -1); q.configuredApps < 0 {
		p.globalMost()
	}
	p.NodeLocalityDelay = p.int(capacityPrefix+"node-locality-delay", 40)
	p.RackAdditionalDelay = p.int(capacityPrefix+"rack-locality-additional-delay", -1)
	p.RackFullReset = p.boolean(capacityPrefix+"rack-locality-full-reset", true)
	q.DefaultPriority = p.int(prefix+"default-application-priority", 0)
	if err := p.failed(); err != nil {
		return err
	}
	limit := min(100, q.UserLimit)
	for _, user := range sortedKeys(q.UserWeights) {
		if w := q.UserWeights[user]; w < 0 || w > 100/limit {
			return refuse("IOException", `Weight (%s) for user "%s" must be between 0 and 100 / %s (= %s, the number of concurrent active users in %s)`,
				JavaFloat(w), user, JavaFloat(limit), JavaFloat(100/limit), q.Path).at(0, prefix+"user-settings."+user+".weight", "")
		}
	}
	return nil
}

var amountForm = regexp.MustCompile(`^\[[\w.,\-_=\\ /]+\]$`)

// capacities reads capacity, maximum-capacity and weight of a queue.
//
// Source: CSQueueUtils.loadCapacitiesByLabelsFromConf.
func (p *capacityParser) capacities(q *CapacityQueue, prefix string) *Error {
	text, has := p.raw(prefix + "capacity")
	root := q.Parent < 0
	amount := amountForm.MatchString(text)
	vectored := vectorForm.MatchString(strings.ReplaceAll(text, " ", ""))
	weight := strings.HasSuffix(text, "w")
	percent := float32(0)
	if root {
		percent = 100
	}
	if has && !root && !amount && !vectored && !weight {
		v, err := javaFloat32(text)
		if err != nil {
			return err.at(0, prefix+"capacity", text)
		}
		if v < 0 || v > 100 {
			return refuse("IllegalArgumentException", "Illegal capacity of %s for queue %s", JavaFloat(v), q.Path).at(0, prefix+"capacity", text)
		}
		percent = v
	}
	q.Capacity = percent / 100
	if amount && p.LegacyQueueMode {
		q.Mode = ByAmount
	}
	q.MaxCapacity = 1
	if text, ok := p.raw(prefix + "maximum-capacity"); ok &&
		!amountForm.MatchString(text) && !vectorForm.MatchString(strings.ReplaceAll(text, " ", "")) {
		v, err := javaFloat32(text)
		if err != nil {
			return err.at(0, prefix+"maximum-capacity", text)
		}
		if v == -1 {
			v = 100
		}
		p.most(prefix+"maximum-capacity", v, 100, "above 100, which is all of the parent queue")
		q.MaxCapacity = v / 100
		if v < percent {
			p.Remarks.Add(remark.Odd, 0, prefix+"maximum-capacity", "below the queue's capacity")
		}
	}
	if !weight {
		return nil
	}
	w, err := javaFloat32(text[:strings.Index(text, "w")])
	if err != nil {
		return err.at(0, prefix+"capacity", text)
	}
	if w < -1e-6 && (w+1 > 1e-6 || w+1 < -1e-6) || w > 10000 {
		return refuse("IllegalArgumentException", "Illegal weight=%s for queue=%slabel=. Acceptable values: [0, 10000], -1 is same as not set", JavaFloat(w), q.Path).at(0, prefix+"capacity", text)
	}
	q.Weight = w
	if p.LegacyQueueMode {
		q.Mode = ByWeight
	}
	return nil
}
