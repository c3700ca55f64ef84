package policy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"replay/policy/resource"
)

// Who lacks of his minimum in his dominant type goes first; of two who do, the smaller part of it; of others the smaller dominant share
// over weight. The other types decide what is left.
//
// Source: DominantResourceFairnessPolicy, DominantResourceFairnessComparator2 and DominantResourceFairnessComparatorN.
func TestDominantShares(t *testing.T) {
	cluster := resource.Resource{1000, 100, 10}
	type side struct {
		usage, least resource.Resource
		weight       float32
	}
	for _, tt := range []struct {
		name string
		a, b side
		want int
	}{
		{"the smaller share of memory", side{resource.Resource{100, 1}, resource.Resource{}, 1}, side{resource.Resource{200, 1}, resource.Resource{}, 1}, -1},
		{"the smaller share of cores", side{resource.Resource{10, 30}, resource.Resource{}, 1}, side{resource.Resource{10, 20}, resource.Resource{}, 1}, 1},
		{"memory against cores", side{resource.Resource{300, 1}, resource.Resource{}, 1}, side{resource.Resource{1, 29}, resource.Resource{}, 1}, 1},
		{"by weight", side{resource.Resource{300, 1}, resource.Resource{}, 3}, side{resource.Resource{1, 20}, resource.Resource{}, 1}, -1},
		{"the same dominant share, the other decides", side{resource.Resource{300, 10}, resource.Resource{}, 1}, side{resource.Resource{200, 30}, resource.Resource{}, 1}, -1},
		{"the same in both", side{resource.Resource{300, 10}, resource.Resource{}, 1}, side{resource.Resource{100, 30}, resource.Resource{}, 1}, 0},
		{"below its minimum", side{resource.Resource{300, 1}, resource.Resource{301, 0}, 1}, side{resource.Resource{1, 1}, resource.Resource{}, 1}, -1},
		{"the other one is", side{resource.Resource{1, 1}, resource.Resource{}, 1}, side{resource.Resource{300, 1}, resource.Resource{301, 0}, 1}, 1},
		{"below its minimum of cores", side{resource.Resource{10, 30}, resource.Resource{0, 31}, 1}, side{resource.Resource{1, 1}, resource.Resource{}, 1}, -1},
		{"at its minimum", side{resource.Resource{300, 1}, resource.Resource{300, 9}, 1}, side{resource.Resource{1, 1}, resource.Resource{}, 1}, 1},
		{"below it in the other type only", side{resource.Resource{300, 1}, resource.Resource{0, 9}, 1}, side{resource.Resource{1, 1}, resource.Resource{}, 1}, 1},
		{"both below: the smaller part of the minimum", side{resource.Resource{300, 1}, resource.Resource{400, 1}, 1}, side{resource.Resource{100, 1}, resource.Resource{110, 1}, 1}, -1},
		{"both below: weights say nothing", side{resource.Resource{300, 1}, resource.Resource{400, 1}, 1}, side{resource.Resource{300, 1}, resource.Resource{500, 1}, 9}, 1},
		{"both below by the same part of it, the other type decides", side{resource.Resource{200, 1}, resource.Resource{400, 2}, 1}, side{resource.Resource{100, 3}, resource.Resource{200, 4}, 1}, -1},
	} {
		for types := 2; types <= 3; types++ {
			p := newDRF(types)
			a := Contender{Usage: tt.a.usage, Min: tt.a.least, Weight: tt.a.weight}
			b := Contender{Usage: tt.b.usage, Min: tt.b.least, Weight: tt.b.weight}
			if types == 3 { // of the third type none lacks anything
				a.Min[2], b.Min[2] = min(a.Min[0], 1), min(b.Min[0], 1)
				a.Usage[2], b.Usage[2] = a.Min[2], b.Min[2]
			}
			if types == 3 && a.Usage[2] != b.Usage[2] {
				continue // it would decide
			}
			if got := p.Compare(&a, &b, &cluster); got != tt.want {
				t.Errorf("%s, %d types: %d, want %d", tt.name, types, got, tt.want)
			}
			if got := p.Compare(&b, &a, &cluster); got != -tt.want {
				t.Errorf("%s, %d types, turned round: %d, want %d", tt.name, types, got, -tt.want)
			}
		}
	}
}

// Two types are compared in doubles, three in floats, which do not tell these apart.
func TestPrecisionOfDominantShares(t *testing.T) {
	cluster := resource.Resource{1 << 30, 100, 10}
	a := Contender{Usage: resource.Resource{1<<24 + 1, 1, 1}, Weight: 1}
	b := Contender{Usage: resource.Resource{1 << 24, 1, 1}, Weight: 1}
	for types, want := range map[int]int{2: 1, 3: 0} {
		if got := newDRF(types).Compare(&a, &b, &cluster); got != want {
			t.Errorf("%d types: %d, want %d", types, got, want)
		}
	}
}

// Of four types the largest share decides, then the next one, and so on.
func TestDominantSharesOfFourTypes(t *testing.T) {
	cluster := resource.Resource{1000, 1000, 1000, 1000}
	r := rand.New(rand.NewPCG(1, 2))
	p := newDRF(4)
	for range 2000 {
		var a, b Contender
		for i := range a.Usage {
			a.Usage[i], b.Usage[i] = r.Int64N(4), r.Int64N(4)
		}
		a.Weight, b.Weight = 1, 1
		x, y := slices.Clone(a.Usage[:]), slices.Clone(b.Usage[:])
		slices.Sort(x)
		slices.Sort(y)
		slices.Reverse(x)
		slices.Reverse(y)
		if got, want := p.Compare(&a, &b, &cluster), slices.Compare(x, y); got != want {
			t.Fatalf("%v against %v: %d, want %d", a.Usage, b.Usage, got, want)
		}
	}
}

// The order is one of a set unless a share or a part of a minimum is 0/0, or a weight is none.
func TestWhereDominantSharesAreAnOrder(t *testing.T) {
	cluster := resource.Resource{1000, 100}
	for _, tt := range []struct {
		name    string
		cluster resource.Resource
		c       Contender
		want    bool
	}{
		{"usual", cluster, Contender{Usage: resource.R(1, 1), Weight: 1}, true},
		{"no minimum and no use", cluster, Contender{Weight: 1}, true},
		{"a minimum of both", cluster, Contender{Min: resource.R(1, 1), Weight: 1}, true},
		{"a minimum of one, use of the other", cluster, Contender{Usage: resource.R(0, 1), Min: resource.R(1, 0), Weight: 1}, true},
		{"a minimum of one, no use of the other", cluster, Contender{Usage: resource.R(1, 0), Min: resource.R(1, 0), Weight: 1}, false},
		{"no weight", cluster, Contender{Usage: resource.R(1, 1)}, false},
		{"a cluster without cores", resource.R(1000, 0), Contender{Usage: resource.R(1, 1), Weight: 1}, false},
	} {
		p := newDRF(2).(WithTotality)
		if got := p.Total(&tt.c, &tt.cluster); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
