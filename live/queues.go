package live

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"replay/input"
	"replay/trace/importer/hadoopxml"
)

// schedulerAnswer is /ws/v1/cluster/scheduler.
type schedulerAnswer struct {
	Scheduler struct {
		Info struct {
			queue
			Type string `json:"type"`
			Root *queue `json:"rootQueue"` // of the FairScheduler
		} `json:"schedulerInfo"`
	} `json:"scheduler"`
}

// queue is one of the FairScheduler or the CapacityScheduler.
type queue struct {
	Name string `json:"queueName"`

	// FairScheduler
	MaxApps     int64      `json:"maxApps"`
	Min         resources  `json:"minResources"`
	Max         resources  `json:"maxResources"`
	Steady      resources  `json:"steadyFairResources"`
	Cluster     resources  `json:"clusterResources"`
	Policy      string     `json:"schedulingPolicy"`
	Preemptable *bool      `json:"preemptable"`
	Children    queueArray `json:"childQueues"`

	// CapacityScheduler
	Capacity    float64   `json:"capacity"`
	MaxCapacity float64   `json:"maxCapacity"`
	Mode        string    `json:"mode"` // percentage, absolute or weight
	Weight      float64   `json:"weight"`
	Absolute    bool      `json:"isAbsoluteResource"`
	Effective   resources `json:"minEffectiveCapacity"`
	State       string    `json:"state"`
	Order       string    `json:"orderingPolicyInfo"`
	UserLimit   float64   `json:"userLimit"`
	UserFactor  float64   `json:"userLimitFactor"`
	MaxPriority int64     `json:"defaultPriority"`
	Queues      *struct {
		Queue []queue `json:"queue"`
	} `json:"queues"`
}

type resources struct {
	MemMiB int64 `json:"memory"`
	VCores int64 `json:"vCores"`
}

// queueArray is {"queue": […]}, and […] of Hadoop before 2.8.
type queueArray []queue

// UnmarshalJSON is as of [json.Unmarshaler].
func (q *queueArray) UnmarshalJSON(b []byte) error {
	var list []queue
	if len(b) > 0 && b[0] == '[' {
		err := json.Unmarshal(b, &list)
		*q = list
		return err
	}
	var object struct {
		Queue []queue `json:"queue"`
	}
	err := json.Unmarshal(b, &object)
	*q = object.Queue
	return err
}

// file returns the file of the scheduler: its own settings if it tells them, else one made of the queues that it shows. The name is "" for the FIFO
// scheduler, which has none.
func (s *schedulerAnswer) file(own map[string]string) (name string, file []byte, queues int, err error) {
	info := &s.Scheduler.Info
	switch info.Type {
	case "fairScheduler":
		if info.Root == nil || info.Root.Name != "root" {
			return "", nil, 0, errors.New("fairScheduler without rootQueue")
		}
		f := fairFile{}
		f.Queues = append(f.Queues, info.Root.fair(1, info.Root.Cluster))
		queues = f.Queues[0].count()
		b, err := xml.MarshalIndent(f, "", "  ")
		return "fair-scheduler.xml", made(b, "Weights follow from the steady fair shares of queues; maxAMShare, time-outs of preemption and placement rules are not shown by it."), queues, err
	case "capacityScheduler":
		settings := map[string]string{}
		if info.Queues == nil || info.Name != "root" {
			return "", nil, 0, errors.New("capacityScheduler without queues of root")
		}
		queues = info.capacity("yarn.scheduler.capacity.root", settings)
		what := "Limits of application masters and mappings of queues are not shown by it."
		if len(own) > 0 {
			settings, what = own, "They are the settings of /ws/v1/cluster/scheduler-conf."
		}
		b, err := hadoopxml.Marshal(settings)
		return "capacity-scheduler.xml", made(b, what), queues, err
	case "fifoScheduler":
		return "", nil, 1, nil
	}
	return "", nil, 0, fmt.Errorf("type %q", info.Type)
}

// madeMark is in the files that a recorder made: others, such as the administrators' own, are left as they are.
const madeMark = "made by replay record of what the ResourceManager's REST API shows"

func made(b []byte, what string) []byte {
	return fmt.Appendf(nil, "%s<!-- %s. %s\n     Put the cluster's own file here in its place: it is kept. -->\n%s\n", xml.Header, madeMark, what, b)
}

// writeMade writes a file of the scheduler, unless somebody has put another one in its place.
func (s *store) writeMade(name string, b []byte) (changed bool, err error) {
	old, _ := input.ReadFile(s.path(name))
	if string(old) == string(b) || len(old) > 0 && !strings.Contains(string(old), madeMark) {
		return false, nil
	}
	return true, s.write(name, b)
}

type fairFile struct {
	XMLName xml.Name    `xml:"allocations"`
	Queues  []fairQueue `xml:"queue"`
}

type fairQueue struct {
	Name        string      `xml:"name,attr"`
	Type        string      `xml:"type,attr,omitempty"`
	Weight      string      `xml:"weight,omitempty"`
	Min         string      `xml:"minResources,omitempty"`
	Max         string      `xml:"maxResources,omitempty"`
	MaxApps     string      `xml:"maxRunningApps,omitempty"`
	Policy      string      `xml:"schedulingPolicy,omitempty"`
	Preemptable string      `xml:"allowPreemptionFrom,omitempty"`
	Queues      []fairQueue `xml:"queue"`
}

func (q *fairQueue) count() int {
	n := 1
	for i := range q.Queues {
		n += q.Queues[i].count()
	}
	return n
}

// fair returns the element of a queue. The ResourceManager cuts the maximum to what the cluster has.
func (q *queue) fair(weight float64, cluster resources) fairQueue {
	out := fairQueue{Name: q.Name[strings.LastIndexByte(q.Name, '.')+1:], Policy: q.Policy}
	if weight > 0 && weight != 1 {
		out.Weight = strconv.FormatFloat(weight, 'g', -1, 64)
	}
	size := func(r resources) string { return fmt.Sprintf("%d mb, %d vcores", r.MemMiB, r.VCores) }
	if q.Min.MemMiB > 0 || q.Min.VCores > 0 {
		out.Min = size(q.Min)
	}
	if q.Max.MemMiB > 0 && (q.Max.MemMiB < cluster.MemMiB || q.Max.VCores < cluster.VCores) {
		out.Max = size(q.Max)
	}
	if q.MaxApps > 0 && q.MaxApps < math.MaxInt32 {
		out.MaxApps = strconv.FormatInt(q.MaxApps, 10)
	}
	if q.Preemptable != nil && !*q.Preemptable {
		out.Preemptable = "false"
	}
	least := resources{}
	for _, c := range q.Children {
		if s := c.Steady; s.MemMiB > 0 && (least.MemMiB == 0 || s.MemMiB < least.MemMiB) {
			least = s
		}
	}
	for i := range q.Children {
		c := &q.Children[i]
		w := 1.0
		if least.MemMiB > 0 && c.Steady.MemMiB > 0 {
			w = weightOf(float64(c.Steady.MemMiB) / float64(least.MemMiB))
		}
		out.Queues = append(out.Queues, c.fair(w, cluster))
	}
	return out
}

// weightOf is the ratio of two shares, which are whole MiB, without what rounding added.
func weightOf(ratio float64) float64 {
	if near := math.Round(ratio*2) / 2; math.Abs(near-ratio) < 0.005*ratio {
		return near
	}
	return math.Round(ratio*1000) / 1000
}

// capacity sets the keys of a queue of the CapacityScheduler and of those below it, and returns how many queues they are.
func (q *queue) capacity(prefix string, to map[string]string) int {
	set := func(key, value string) { to[prefix+"."+key] = value }
	number := func(v float64) string { return strconv.FormatFloat(math.Round(v*1e4)/1e4, 'f', -1, 64) }
	switch {
	case strings.HasSuffix(prefix, ".root"):
		set("capacity", "100")
	case q.Mode == "weight":
		set("capacity", number(q.Weight)+"w")
	case q.Mode == "absolute" || q.Absolute:
		set("capacity", fmt.Sprintf("[memory=%d,vcores=%d]", q.Effective.MemMiB, q.Effective.VCores))
	default:
		set("capacity", number(q.Capacity))
		set("maximum-capacity", number(q.MaxCapacity))
	}
	if q.State != "" && !strings.HasSuffix(prefix, ".root") {
		set("state", q.State)
	}
	if q.Queues == nil || len(q.Queues.Queue) == 0 {
		if q.UserFactor != 0 {
			set("user-limit-factor", number(q.UserFactor))
		}
		if q.UserLimit > 0 {
			set("minimum-user-limit-percent", number(q.UserLimit))
		}
		if order := strings.ToLower(q.Order); order == "fifo" || order == "fair" {
			set("ordering-policy", order)
		}
		return 1
	}
	n := 1
	var names []string
	for i := range q.Queues.Queue {
		c := &q.Queues.Queue[i]
		names = append(names, c.Name)
		n += c.capacity(prefix+"."+c.Name, to)
	}
	set("queues", strings.Join(names, ","))
	return n
}
