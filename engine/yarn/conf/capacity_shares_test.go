package conf

import (
	"math"
	"testing"

	"replay/policy/resource"
)

// How many applications a leaf with half of the cluster may have, and one of its users.
func TestApplicationsOfALeaf(t *testing.T) {
	for _, tt := range []struct {
		name              string
		system, global    int32
		configured        int32
		mode              CapacityMode
		notReady          bool
		limit, factor     float32 // of a user; percent
		want, wantPerUser int32
	}{
		{"half of the system's", 10_000, -1, -1, ByPercent, false, 100, 1, 5000, 5000},
		{"rounded down", 9, -1, -1, ByPercent, false, 100, 1, 4, 4},
		{"before the capacity is known", 10_000, -1, -1, ByPercent, true, 100, 1, 10_000, 10_000},
		{"a limit of 0 for all queues is none", 10_000, 0, -1, ByPercent, false, 100, 1, 5000, 5000},
		{"a limit for all queues", 10_000, 100, -1, ByPercent, false, 100, 1, 100, 100},
		{"a limit of 1 for all queues", 10_000, 1, -1, ByWeight, false, 100, 1, 1, 1},
		{"a limit over that of the system", 10, 100, -1, ByPercent, false, 100, 1, 10, 10},
		{"a limit for all queues, by amount", 10_000, 100, -1, ByAmount, false, 100, 1, 50, 50},
		{"by amount, before the capacity is known", 10_000, 100, -1, ByAmount, true, 100, 1, 100, 100},
		{"the queue's own", 10_000, 100, 7, ByPercent, false, 100, 1, 7, 7},
		{"the queue's own of 0", 10_000, -1, 0, ByPercent, false, 100, 1, 0, 0},
		{"the queue's own over the system's", 10, 5, 700, ByPercent, false, 100, 1, 700, 700},
		{"half for a user", 10_000, -1, 7, ByPercent, false, 50, 1, 7, 3},
		{"half for a user, twice", 10_000, -1, 7, ByPercent, false, 50, 2, 7, 7},
		{"no more for a user than for the queue", 10_000, -1, 7, ByPercent, false, 50, 9, 7, 7},
		{"no factor", 10_000, -1, 7, ByPercent, false, 1, -1, 7, 7},
		{"a factor of 0", 10_000, -1, 7, ByPercent, false, 100, 0, 7, 0},
		{"a negative factor is one", 10_000, -1, 7, ByPercent, false, 100, -2, 7, -14},
	} {
		c := Capacity{MaxApplications: tt.system, GlobalMaxPerQueue: tt.global}
		q := CapacityQueue{configuredApps: tt.configured, Mode: tt.mode, AbsoluteCapacity: .5, UserLimit: tt.limit, UserLimitFactor: tt.factor}
		if c.applications(&q, !tt.notReady); q.MaxApps != tt.want || q.MaxAppsPerUser != tt.wantPerUser {
			t.Errorf("%s: %d and %d of a user, want %d and %d", tt.name, q.MaxApps, q.MaxAppsPerUser, tt.want, tt.wantPerUser)
		}
	}
}

// Fractions multiply along the path; one that is not positive leaves what there was.
func TestAbsoluteFractions(t *testing.T) {
	for _, tt := range []struct {
		name                       string
		vectors                    bool
		capacity, normalized, most float32
		want, wantMost             float32
	}{
		{"percent", false, .5, 0, .5, .25, .375},
		{"weight", false, 0, .5, 1, .25, .75},
		{"the larger of both", false, .25, .5, 1, .25, .75},
		{"nothing stays", false, 0, 0, 0, 7, 8},
		{"negative stays", false, -1, 0, -1, 7, 8},
		{"not so with vectors", true, 0, .5, 0, 0, 8},
		{"vectors", true, .5, .75, .5, .25, .375},
	} {
		c := Capacity{LegacyQueueMode: !tt.vectors, Queues: []CapacityQueue{{Parent: -1, AbsoluteCapacity: .5, AbsoluteMaxCapacity: .75}}}
		q := CapacityQueue{Capacity: tt.capacity, NormalizedWeight: tt.normalized, MaxCapacity: tt.most, AbsoluteCapacity: 7, AbsoluteMaxCapacity: 8}
		if c.absolute(&q); q.AbsoluteCapacity != tt.want || q.AbsoluteMaxCapacity != tt.wantMost {
			t.Errorf("%s: %v to %v, want %v to %v", tt.name, q.AbsoluteCapacity, q.AbsoluteMaxCapacity, tt.want, tt.wantMost)
		}
		q.Parent = -1
		if c.absolute(&q); tt.capacity > 0 && q.AbsoluteCapacity != max(tt.capacity, map[bool]float32{false: tt.normalized}[tt.vectors]) {
			t.Errorf("%s as root: %v", tt.name, q.AbsoluteCapacity)
		}
	}
}

func TestFinite(t *testing.T) {
	inf := float32(math.Inf(1))
	for v, want := range map[float32]float32{0: 0, 1.5: 1.5, -2: -2, inf: 0, -inf: 0} {
		if got := finite(v); got != want {
			t.Errorf("finite(%v) is %v", v, got)
		}
	}
	if got := finite(float32(math.NaN())); got == got {
		t.Errorf("finite of no number is %v, want none", got)
	}
}

// Amounts of children that do not fit shrink, each type by itself; the calculator says whether they fit.
func TestScale(t *testing.T) {
	const no = unscaled
	for _, tt := range []struct {
		name          string
		parent        int
		cluster, have resource.Resource
		children      []resource.Resource
		want          [resource.MaxTypes]float32
	}{
		{"they fit", 0, resource.R(16, 16), resource.R(8, 8), []resource.Resource{resource.R(4, 4), resource.R(4, 4)}, [4]float32{no, no, no, no}},
		{"too large", 0, resource.R(16, 16), resource.R(8, 8), []resource.Resource{resource.R(8, 4), resource.R(8, 4)}, [4]float32{.5, 1, no, no}},
		{"a type that nobody names", 0, resource.R(16, 16), resource.R(8, 8), []resource.Resource{resource.R(16, 0)}, [4]float32{.5, no, no, no}},
		{"root has the cluster", -1, resource.R(4, 16), resource.R(8, 8), []resource.Resource{resource.R(8, 4)}, [4]float32{.5, 4, no, no}},
		{"root fits into the cluster", -1, resource.R(16, 16), resource.R(8, 8), []resource.Resource{resource.R(16, 16)}, [4]float32{no, no, no, no}},
		{"no cluster", -1, resource.Resource{}, resource.R(8, 8), []resource.Resource{resource.R(8, 4)}, [4]float32{no, no, no, no}},
		{"a queue without a cluster", 0, resource.Resource{}, resource.R(4, 4), []resource.Resource{resource.R(8, 4)}, [4]float32{.5, 1, no, no}},
	} {
		c := Capacity{Calculator: resource.DefaultCalculator{}, types: 2, ratio: make([][resource.MaxTypes]float32, 1)}
		q := CapacityQueue{Parent: tt.parent, EffectiveMin: tt.have}
		c.Queues = []CapacityQueue{q}
		for i, r := range tt.children {
			c.Queues[0].Children = append(c.Queues[0].Children, i+1)
			c.Queues = append(c.Queues, CapacityQueue{ConfigMin: r})
		}
		if c.scale(0, tt.cluster); c.ratio[0] != tt.want {
			t.Errorf("%s: by %v, want %v", tt.name, c.ratio[0], tt.want)
		}
	}
}

func TestLimitsOfUsers(t *testing.T) {
	c := capacityOf(t, map[string]string{"root.queues": "a", "root.a.capacity": "100", "user.max-parallel-apps": "3", "user.u.max-parallel-apps": "5"})
	if u, v := c.MaxParallelOfUser("u"), c.MaxParallelOfUser("v"); u != 5 || v != 3 {
		t.Errorf("limits %d and %d, want 5 and 3", u, v)
	}
	if a, x := c.Find("root.a"), c.Find("root.x"); a != 1 || x != -1 {
		t.Errorf("queues found at %d and %d, want 1 and -1", a, x)
	}
	if err := c.Err(); err != nil {
		t.Errorf("a problem %v", err)
	}
}

// What queues by weight and by amount have on a cluster of 16 GiB and 16 vcores.
func TestEffectiveCapacities(t *testing.T) {
	type want struct {
		path       string
		least, max resource.Resource
		part, most float32 // of the parent
	}
	for _, tt := range []struct {
		name  string
		props map[string]string
		want  []want
	}{
		{"weights", map[string]string{"root.queues": "a,b", "root.a.capacity": "1w", "root.b.capacity": "3w", "root.a.maximum-capacity": "50"}, []want{
			{"root.a", resource.R(4096, 4), resource.R(8192, 8), 0, .5}, {"root.b", resource.R(12_288, 12), resource.R(16_384, 16), 0, 1},
		}},
		{"weights of 0", map[string]string{"root.queues": "a,b", "root.a.capacity": "0w", "root.b.capacity": "0w"}, []want{
			{"root.a", resource.Resource{}, resource.R(16_384, 16), 0, 1},
		}},
		{"amounts", map[string]string{"root.queues": "a", "root.a.capacity": "[memory=4096,vcores=8]", "root.a.queues": "x,y",
			"root.a.x.capacity": "[memory=1024,vcores=2]", "root.a.y.capacity": "[memory=2048,vcores=2]", "root.a.y.maximum-capacity": "[memory=3072,vcores=4]"}, []want{
			{"root.a", resource.R(4096, 8), resource.R(16_384, 16), .25, 1},
			{"root.a.x", resource.R(1024, 2), resource.R(16_384, 16), .25, 1},
			{"root.a.y", resource.R(2048, 2), resource.R(3072, 4), .5, .1875},
		}},
		{"amounts below a maximum", map[string]string{"root.queues": "a", "root.a.capacity": "[memory=4096,vcores=8]", "root.a.maximum-capacity": "[memory=8192,vcores=8]",
			"root.a.queues": "x", "root.a.x.capacity": "[memory=1024,vcores=2]"}, []want{
			{"root.a", resource.R(4096, 8), resource.R(8192, 8), .25, .5},
			{"root.a.x", resource.R(1024, 2), resource.R(8192, 8), .25, 1},
		}},
		{"amounts too large", map[string]string{"root.queues": "a,b", "root.a.capacity": "[memory=24576,vcores=8]", "root.b.capacity": "[memory=8192,vcores=8]"}, []want{
			{"root.a", resource.R(12_288, 8), resource.R(16_384, 16), .75, 1}, {"root.b", resource.R(4096, 8), resource.R(16_384, 16), .25, 1},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := capacityOf(t, tt.props)
			c.Update(resource.R(16_384, 16))
			for _, w := range tt.want {
				q := c.Queues[c.Find(w.path)]
				if q.EffectiveMin != w.least || q.EffectiveMax != w.max || q.Capacity != w.part || q.MaxCapacity != w.most {
					t.Errorf("%s has %v to %v, %v to %v of its parent; want %+v", w.path, q.EffectiveMin, q.EffectiveMax, q.Capacity, q.MaxCapacity, w)
				}
			}
		})
	}
}
