package conf

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"replay/engine/remark"
	"replay/policy/resource"
)

// amounts reads the capacity and maximum of a queue that are given as resources.
//
// Source: AbstractCSQueue.updateConfigurableResourceLimits.
func (p *capacityParser) amounts(q *CapacityQueue, prefix string) *Error {
	var err *Error
	if q.ConfigMin, err = p.amount(prefix + "capacity"); err != nil {
		return err
	}
	if q.ConfigMax, err = p.amount(prefix + "maximum-capacity"); err != nil {
		return err
	}
	more := func(a, b resource.Resource) bool {
		return !b.IsNone() && p.Calculator.Compare(resource.Resource{}, a, b, false) > 0
	}
	if q.Parent >= 0 {
		parent := p.Queues[q.Parent].ConfigMax
		if more(q.ConfigMax, parent) {
			return refuse("IllegalArgumentException", "Max resource configuration %s is greater than parents max value:%s in queue:%s",
				p.show(q.ConfigMax), p.show(parent), q.Path).at(0, prefix+"maximum-capacity", p.props[prefix+"maximum-capacity"])
		}
		if q.ConfigMax.IsNone() && !q.ConfigMin.IsNone() {
			q.ConfigMax = parent
		}
	}
	if more(q.ConfigMin, q.ConfigMax) {
		return refuse("IllegalArgumentException", "Min resource configuration %s is greater than its max value:%s in queue:%s",
			p.show(q.ConfigMin), p.show(q.ConfigMax), q.Path).at(0, prefix+"capacity", p.props[prefix+"capacity"])
	}
	return nil
}

// amount reads a resource in brackets; anything else, and one without memory, is none.
func (p *capacityParser) amount(key string) (r resource.Resource, _ *Error) {
	text, _ := p.raw(key)
	if !amountForm.MatchString(text) {
		return r, nil
	}
	odd := func(says string) {
		if p.LegacyQueueMode { // otherwise what is no amount may be a weight
			p.Remarks.Add(remark.Odd, 0, key, says)
		}
	}
	for _, pair := range javaSplit(javaTrim(text[1:len(text)-1]), ",") {
		part := javaSplit(pair, "=")
		if len(part) < 2 {
			continue
		}
		index := -1
		switch name := javaTrim(part[0]); name {
		case "memory":
			index = resource.Memory
		default:
			for i, t := range p.site.Types {
				if t == name {
					index = i
				}
			}
			if index < 0 {
				p.Remarks.Add(remark.Odd, 0, key, fmt.Sprintf("resource %s is not known and ignored", name))
				continue
			}
		}
		value := part[1]
		unit := value[letters(value):]
		if _, ok := resource.Units[unit]; !ok {
			odd(fmt.Sprintf("unit %s of %s is not known and the amount is ignored; units are k, M, G, T, P and, of 1024, Ki, Mi, Gi, Ti, Pi", unit, javaTrim(part[0])))
			continue
		}
		v, err := javaLong(strings.TrimSuffix(value, unit))
		if err == nil && unit != "" {
			v, err = convertUnit(unit, "Mi", v)
		}
		if err != nil {
			return r, err.at(0, key, text)
		}
		if index == resource.VCores {
			v = int64(int32(v))
		}
		r[index] = v
	}
	if r[resource.Memory] == 0 {
		odd("an amount without memory counts as none")
		return resource.Resource{}, nil
	}
	return r, nil
}

// show is Resource.toString.
func (p *capacityParser) show(r resource.Resource) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<memory:%d, vCores:%d", r[resource.Memory], vcoresView(r[resource.VCores]))
	for i := 2; i < p.types; i++ {
		if r[i] != 0 {
			fmt.Fprintf(&b, ", %s: %d", p.site.Types[i], r[i])
		}
	}
	return b.String() + ">"
}

// letters returns where the letters begin that a text ends with: the first letter behind which there is nothing else.
//
// Source: CapacitySchedulerConfiguration.getUnits.
func letters(text string) int {
	at := len(text)
	for i, c := range text {
		switch {
		case !unicode.IsLetter(c):
			at = len(text)
		case at == len(text):
			at = i
		}
	}
	return at
}

// checkLetters refuses a unit that has other characters behind its first letter.
//
// Source: ResourceUtils.getUnits.
func checkLetters(unit string) *Error {
	for _, c := range unit {
		if !unicode.IsLetter(c) {
			return refuse("IllegalArgumentException", "Units '%s' contains non alphabet characters, which is not allowed.", unit)
		}
	}
	return nil
}

// maxAllocation reads the largest container of a queue.
//
// Source: QueueAllocationSettings.setupMaximumAllocation.
func (p *capacityParser) maxAllocation(q *CapacityQueue, prefix string) *Error {
	cluster := p.site.MaxAllocation
	q.MaxAlloc = cluster
	if q.Parent >= 0 {
		q.MaxAlloc = p.Queues[q.Parent].MaxAlloc
	}
	tooLarge := func(r resource.Resource, key string) *Error {
		return refuse("IllegalArgumentException", "Queue maximum allocation cannot be larger than the cluster setting for queue %s max allocation per queue: %s cluster setting: %s",
			q.Path, p.show(r), p.show(cluster)).at(0, key, p.props[key])
	}
	key := prefix + "maximum-allocation"
	if text, _ := p.raw(key); text != "" { // of spaces alone it is something
		r, err := parseAllocation(text, p.site.Types)
		if err != nil {
			return err.at(0, key, text)
		}
		for i := range p.types {
			if r[i] > cluster[i] {
				return tooLarge(r, key)
			}
			q.MaxAlloc[i] = r[i]
		}
		return nil
	}
	mem, cores := p.int(prefix+"maximum-allocation-mb", -1), p.int(prefix+"maximum-allocation-vcores", -1)
	if err := p.failed(); err != nil {
		return err
	}
	if mem != -1 {
		q.MaxAlloc[resource.Memory] = int64(mem)
	}
	if cores != -1 {
		q.MaxAlloc[resource.VCores] = int64(cores)
	}
	switch {
	case mem != -1 && int64(mem) > cluster[resource.Memory]:
		return tooLarge(q.MaxAlloc, prefix+"maximum-allocation-mb")
	case cores != -1 && int64(cores) > cluster[resource.VCores]:
		return tooLarge(q.MaxAlloc, prefix+"maximum-allocation-vcores")
	}
	return nil
}

var allocationForm = regexp.MustCompile(`^([^=]+)=([0-9]+)[ \t\n\x0b\f\r]?(\w*)$`)

// parseAllocation reads name=value[unit] pairs, all of them before it looks for what they name.
//
// Source: ResourceUtils.createResourceFromString.
func parseAllocation(text string, types []string) (r resource.Resource, _ *Error) {
	type amount struct {
		name  string
		value int64
	}
	var read []amount
	for _, pair := range javaSplit(javaTrim(text), ",") {
		m := allocationForm.FindStringSubmatch(javaTrim(pair))
		if m == nil {
			return r, refuse("IllegalArgumentException", `"%s" is not a valid resource type/amount pair. Please provide key=amount pairs separated by commas.`, javaTrim(pair))
		}
		name, unit := m[1], m[3]
		if err := checkLetters(unit); err != nil {
			return r, err
		}
		v, err := javaLong(m[2])
		if err != nil {
			return r, err
		}
		switch unit {
		case "M", "m":
			unit = "Mi"
		case "G", "g":
			unit = "Gi"
		case "":
		default:
			return r, refuse("IllegalArgumentException", "Acceptable units are M/G or empty")
		}
		switch {
		case name == "memory": // without a unit these are bytes
			name = memoryName
			v, err = convertUnit(unit, "Mi", v)
		case name == memoryName && unit != "":
			v, err = convertUnit(unit, "Mi", v)
		case name == "gpu", name == "fpga":
			name = "yarn.io/" + name
		}
		if err != nil {
			return r, err
		}
		read = append(read, amount{name, v})
	}
	for _, a := range read {
		index := slices.Index(types, a.name)
		if index < 0 {
			return r, refuse("ResourceNotFoundException", "Unknown resource: %s", a.name)
		}
		if index == resource.VCores {
			a.value = min(a.value, math.MaxInt32)
		}
		r[index] = a.value
	}
	return r, nil
}

// state reads whether a queue takes applications.
//
// Source: QueueStateHelper.setQueueState.
func (p *capacityParser) state(q *CapacityQueue, prefix string) *Error {
	text, ok := p.raw(prefix + "state")
	parent := "RUNNING"
	if q.Parent >= 0 {
		parent = p.Queues[q.Parent].State
	}
	switch configured := strings.ToUpper(text); {
	case !ok:
		q.State = parent
	case configured == "DRAINING":
		return refuse("IllegalArgumentException", "Invalid queue state configuration. We can only use RUNNING or STOPPED.").at(0, prefix+"state", text)
	case configured != "RUNNING" && configured != "STOPPED":
		return refuse("IllegalArgumentException", "No enum constant org.apache.hadoop.yarn.api.records.QueueState.%s", configured).instead("RUNNING or STOPPED").at(0, prefix+"state", text)
	case configured == "RUNNING" && parent != "RUNNING":
		return refuse("IllegalArgumentException", "The parent queue:%s cannot be STOPPED as the child queue:%s is in RUNNING state.", p.Queues[q.Parent].Path, q.Path).at(0, prefix+"state", text)
	default:
		q.State = configured
	}
	q.Running = q.State == "RUNNING"
	return nil
}

// The parts around the user in the key of a weight.
const userSettings, userWeight = "user-settings.", ".weight"

// userWeights reads <queue>.user-settings.<user>.weight; those of the parent hold too.
func (p *capacityParser) userWeights(q *CapacityQueue, prefix string) *Error {
	if q.Parent >= 0 {
		q.UserWeights = p.Queues[q.Parent].UserWeights
	}
	own := map[string]float32{}
	for _, key := range p.weightKeys {
		user, ok := strings.CutPrefix(key, prefix+userSettings)
		if ok {
			user, ok = strings.CutSuffix(user, userWeight)
		}
		if !ok {
			continue
		}
		text, _ := p.raw(key)
		w, err := javaFloat32(text)
		if err != nil {
			return err.at(0, key, text)
		}
		own[user] = w
	}
	if len(own) == 0 {
		return nil
	}
	for user, w := range q.UserWeights {
		if _, ok := own[user]; !ok {
			own[user] = w
		}
	}
	q.UserWeights = own
	return nil
}

// childMode is how the queues with these indices say their capacity. Mixing is refused below the root.
//
// Source: AbstractParentQueue.getCapacityConfigurationTypeForQueues.
func (p *capacityParser) childMode(of *CapacityQueue, queues []*CapacityQueue) (CapacityMode, *Error) {
	var percent, weight, amount bool
	var detail strings.Builder
	note := func(q *CapacityQueue, mode string) {
		fmt.Fprintf(&detail, "{Queue=%s, label= uses %s mode}. ", q.Path, mode)
	}
	for _, q := range queues {
		percent = percent || q.Capacity > 0
		if q.Weight >= 0 {
			weight = true
			note(q, "weight")
		}
		if !q.ConfigMin.IsNone() {
			amount, percent = true, false
			note(q, "absolute")
		}
		if percent {
			note(q, "percentage")
		}
	}
	count := 0
	for _, b := range []bool{percent, weight, amount} {
		if b {
			count++
		}
	}
	if len(queues) > 0 && queues[0].Parent >= 0 && count > 1 {
		return 0, refuse("IOException", "Parent queue '%s' have children queue used mixed of  weight mode, percentage and absolute mode, it is not allowed, please double check, details:%s", of.Path, detail.String()).
			at(0, capacityPrefix+of.Path+".queues", p.props[capacityPrefix+of.Path+".queues"])
	}
	switch {
	case weight || len(queues) == 0:
		return ByWeight, nil
	case amount:
		return ByAmount, nil
	}
	return ByPercent, nil
}

// precision is how far the capacities of children may be from the whole.
const precision = float32(0.0005)

// checkChildren holds the capacities of the children of a queue against it.
//
// Source: AbstractParentQueue.setChildQueues.
func (p *capacityParser) checkChildren(q *CapacityQueue) *Error {
	var children []*CapacityQueue
	for _, k := range q.Children {
		children = append(children, &p.Queues[k])
	}
	mode, err := p.childMode(q, children)
	if err != nil {
		return err
	}
	own, err := p.childMode(q, []*CapacityQueue{q})
	if err != nil {
		return err
	}
	bad := func(format string, args ...any) *Error {
		return refuse("IOException", format, args...).at(0, capacityPrefix+q.Path+".queues", p.props[capacityPrefix+q.Path+".queues"])
	}
	if mode == ByAmount || own == ByAmount {
		if mode != own && q.Parent >= 0 {
			return bad("Parent=%s: When absolute minResource is used, we must make sure both parent and child all use absolute minResource", q.Path).instead("capacities of one kind, amounts or percentages, for %s and the queues below it", q.Path)
		}
		var sum resource.Resource
		for _, c := range children {
			sum = sum.Add(c.ConfigMin)
		}
		if !q.ConfigMin.IsNone() && p.Calculator.Compare(resource.Resource{}, q.ConfigMin, sum, false) < 0 {
			return bad("Parent Queues capacity: %s is less than to its children:%s for queue:%s", p.show(q.ConfigMin), p.show(sum), q.Name).instead("a capacity of %s of at least %s", q.Path, p.show(sum))
		}
	}
	if mode != ByPercent {
		return nil
	}
	var sum float32
	for _, c := range children {
		sum += c.Capacity
	}
	abs := func(v float32) float32 { return float32(math.Abs(float64(v))) }
	switch {
	case abs(1-sum) > precision && abs(sum) > precision:
		return bad("Illegal capacity sum of %s for children of queue %s for label=. It should be either 0 or 1.0", JavaFloat(sum), q.Name).instead("capacities of these queues that add up to 100; they add up to %s", JavaFloat(100*sum))
	case abs(1-sum) > precision:
		if own == ByPercent && abs(q.Capacity) > precision && !q.AllowZeroSum {
			return bad("Illegal capacity sum of %s for children of queue %s for label=. It is set to 0, but parent percent != 0, and doesn't allow children capacity to set to 0", JavaFloat(sum), q.Name).instead("a capacity for each of these queues (yarn.scheduler.capacity.%s.%s.capacity), which add up to 100", q.Path, children[0].Name)
		}
	case own == ByPercent && abs(q.Capacity) <= 0 && !q.AllowZeroSum:
		return bad("Illegal capacity sum of %s for children of queue %s for label=. queue=%s has zero capacity, but childqueues have positive capacities", JavaFloat(sum), q.Name, q.Name).instead("a capacity above 0 for %s", q.Path)
	}
	return nil
}

// JavaFloat is the text that Java gives a float (Float.toString).
func JavaFloat(v float32) string {
	x := float64(v)
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 0):
		return strings.Replace(strings.Replace(fmt.Sprint(x), "+Inf", "Infinity", 1), "-Inf", "-Infinity", 1)
	case x == 0 || math.Abs(x) >= 1e-3 && math.Abs(x) < 1e7:
		s := strconv.FormatFloat(x, 'f', -1, 32)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	s := strconv.FormatFloat(x, 'E', -1, 32)
	mantissa, exponent, _ := strings.Cut(s, "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	sign := ""
	if strings.HasPrefix(exponent, "-") {
		sign = "-"
	}
	return mantissa + "E" + sign + strings.TrimLeft(exponent, "+-0")
}
