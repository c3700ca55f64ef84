package policy

import (
	"math"
	"regexp"
	"slices"
	"testing"

	"replay/policy/resource"

	"pgregory.net/rapid"
)

const unlimited = math.MaxInt64

func TestFairShares(t *testing.T) {
	claim := func(w float32, least, most int64) Claim {
		return Claim{Weight: w, Min: resource.R(least, 0), Max: resource.R(most, unlimited)}
	}
	idle := claim(1, 0, unlimited)
	idle.Idle = true
	equal := claim(1, 0, unlimited)
	tests := []struct {
		name         string
		total        int64
		claims       []Claim
		want, steady []int64
	}{
		{"the upper end of the search is taken", 10240, []Claim{equal, equal, equal}, []int64{3414, 3414, 3414}, nil},
		{"weights", 100000, []Claim{equal, claim(2, 0, unlimited), claim(3, 0, unlimited)}, []int64{16667, 33334, 50001}, nil},
		{"minimum and maximum", 10240, []Claim{claim(1, 4096, unlimited), claim(1, 0, 2048), equal}, []int64{4096, 2048, 4096}, nil},
		{"fixed shares", 10240, []Claim{claim(0, 1024, unlimited), equal, idle, claim(1, 0, 0)}, []int64{1024, 9216, 0, 0}, []int64{1024, 4608, 4608, 0}},
		{"small total", 10, []Claim{equal, equal, equal}, []int64{4, 4, 4}, nil},
		{"weights are floats", 1000000007, []Claim{claim(0.1, 0, unlimited), claim(0.2, 0, unlimited)}, []int64{333333342, 666666685}, nil},
		{"minima above the total", 1024, []Claim{claim(1, 800, unlimited), claim(1, 800, unlimited)}, []int64{800, 800}, nil},
		{"nothing to divide", 0, []Claim{equal, claim(1, 512, unlimited)}, []int64{0, 512}, nil},
		{"all at their maximum", 100, []Claim{claim(1, 0, 30), claim(1, 0, 30)}, []int64{30, 30}, nil},
		{"large values", 60000000000, []Claim{equal, claim(3, 0, unlimited), claim(1, 10000000000, 20000000000)}, []int64{12000000000, 36000000000, 12000000000}, nil},
	}
	memory := func(claims []Claim) (m []int64) {
		for _, c := range claims {
			m = append(m, c.Share[resource.Memory])
		}
		return m
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, _ := NewSharing("fair", 2)
			claims := slices.Clone(tt.claims)
			f.Shares(resource.R(tt.total, 7), claims)
			if got := memory(claims); !slices.Equal(got, tt.want) {
				t.Errorf("shares %v, want %v", got, tt.want)
			}
			for i, c := range claims {
				if c.Share[resource.VCores] != 0 {
					t.Errorf("claim %d has %d vcores, want them untouched", i, c.Share[resource.VCores])
				}
			}
			steady := tt.steady
			if steady == nil {
				steady = tt.want
			}
			claims = slices.Clone(tt.claims)
			f.SteadyShares(resource.R(tt.total, 7), claims)
			if got := memory(claims); !slices.Equal(got, steady) {
				t.Errorf("steady shares %v, want %v", got, steady)
			}
		})
	}
}

func TestFIFOKeepsOldShares(t *testing.T) {
	claims := []Claim{{Start: 5, Share: resource.R(7, 1)}, {Start: 3}, {Start: 3, Share: resource.R(9, 9)}}
	newFIFO(2).Shares(resource.R(100, 10), claims)
	for i, want := range []resource.Resource{resource.R(7, 1), resource.R(100, 10), resource.R(9, 9)} {
		if claims[i].Share != want {
			t.Errorf("claim %d has %v, want %v", i, claims[i].Share, want)
		}
	}
}

func drawClaims(t *rapid.T, types int) []Claim {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Claim {
		c := Claim{Weight: float32(rapid.IntRange(1, 40).Draw(t, "quarter weights")) / 4, Start: rapid.Int64Range(0, 9).Draw(t, "start")}
		for i := range types {
			c.Min[i] = rapid.Int64Range(0, 1000).Draw(t, "min")
			c.Max[i] = rapid.Int64Range(0, 100000).Draw(t, "max")
		}
		return c
	}), 1, 12).Draw(t, "claims")
}

// Every policy in the table: shares of queues stay between 0 and the maximum (applications have none), a single queue gets
// what there is, and equal input gives equal output.
func TestSharesOfEveryPolicy(t *testing.T) {
	for _, e := range Sharings {
		t.Run(e.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				types := rapid.IntRange(2, resource.MaxTypes).Draw(t, "types")
				claims := drawClaims(t, types)
				var total resource.Resource
				for i := range types {
					total[i] = rapid.Int64Range(0, 1000000).Draw(t, "total")
				}
				again := slices.Clone(claims)
				s := e.sharer(types)
				s.Shares(total, claims)
				e.New(types).Shares(total, again)
				if !slices.Equal(claims, again) {
					t.Fatalf("two divisions of the same differ: %v and %v", claims, again)
				}
				for i, c := range claims {
					for k := range types {
						if s.Parents() && (c.Share[k] < 0 || c.Share[k] > c.Max[k]) {
							t.Fatalf("claim %d: share %v is outside of 0 and %v", i, c.Share, c.Max)
						}
					}
				}
				alone := []Claim{{Weight: claims[0].Weight, Max: resource.Unbounded(types)}}
				s.Shares(total, alone)
				if got := alone[0].Share[resource.Memory]; got < total[resource.Memory] || got > total[resource.Memory]+total[resource.Memory]/1000+1 {
					t.Fatalf("the only queue gets %d of %d", got, total[resource.Memory])
				}
			})
		})
	}
}

// Doubling all weights is exact in floating point, so it moves only the ratio of the search.
func TestScaledWeightsGiveTheSameShares(t *testing.T) {
	for _, name := range []string{"fair", "drf"} {
		rapid.Check(t, func(t *rapid.T) {
			claims := drawClaims(t, 2)
			for i := range claims {
				claims[i].Min = resource.Resource{}
				claims[i].Max = resource.Unbounded(2)
			}
			total := resource.R(rapid.Int64Range(1, 1<<40).Draw(t, "memory"), rapid.Int64Range(1, 10000).Draw(t, "vcores"))
			scaled := slices.Clone(claims)
			for i := range scaled {
				scaled[i].Weight *= 2
			}
			s, _ := NewSharing(name, 2)
			s.Shares(total, claims)
			s.Shares(total, scaled)
			for i := range claims {
				a, b := claims[i].Share[resource.Memory], scaled[i].Share[resource.Memory]
				if d := a - b; d > a/1000+2 || -d > a/1000+2 {
					t.Fatalf("claim %d: %v with weights doubled, %v without", i, scaled[i].Share, claims[i].Share)
				}
			}
		})
	}
}

func drawContender(t *rapid.T, rank int) *Contender {
	small := rapid.Int64Range(0, 3)
	return &Contender{
		Usage: resource.R(small.Draw(t, "used"), small.Draw(t, "used")), Demand: resource.R(small.Draw(t, "demand"), 1),
		Min: resource.R(small.Draw(t, "min"), small.Draw(t, "min")), Weight: float32(rapid.IntRange(0, 2).Draw(t, "weight")),
		Start: small.Draw(t, "start"), Rank: uint64(rank), ID: int32(rank),
	}
}

// Where a policy divides equally, one claim gets what each of many like it gets.
func TestEqualClaims(t *testing.T) {
	divides := 0
	for _, e := range Sharings {
		s := e.sharer(2)
		if !s.DividesEqually() {
			continue
		}
		divides++
		rapid.Check(t, func(t *rapid.T) {
			amount := func(name string) resource.Resource {
				return resource.R(rapid.Int64Range(0, 1<<20).Draw(t, name), rapid.Int64Range(0, 500).Draw(t, name))
			}
			one := Claim{Min: amount("min"), Max: amount("max"), Share: amount("share"), Weight: float32(rapid.IntRange(0, 3).Draw(t, "weight")), Idle: rapid.Bool().Draw(t, "idle")}
			if rapid.Bool().Draw(t, "unbounded") {
				one.Max = resource.Unbounded(2)
			}
			total, count := amount("total"), rapid.IntRange(1, 50).Draw(t, "count")
			all := slices.Repeat([]Claim{one}, count)
			s.Shares(total, all)
			s.Equal(total, &one, int64(count))
			for i := range all {
				if all[i].Share != one.Share {
					t.Fatalf("%s: claim %d of %d gets %v, want %v", e.Name, i, count, one.Share, all[i].Share)
				}
			}
		})
	}
	if divides < 2 {
		t.Errorf("%d policies divide equally, want fair and drf at least", divides)
	}
}

// Where a policy says that its comparison is a total order, it is one.
func TestTotalOrders(t *testing.T) {
	for _, e := range Sharings {
		t.Run(e.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				types := rapid.IntRange(2, 3).Draw(t, "types")
				s := e.sharer(types)
				cluster := resource.Resource{8, 4, 2}
				var cs []*Contender
				for i := range 3 {
					cs = append(cs, drawContender(t, i))
				}
				if slices.ContainsFunc(cs, func(c *Contender) bool { return !s.Total(c, &cluster) }) {
					return
				}
				for _, a := range cs {
					for _, b := range cs {
						ab := s.Compare(a, b, &cluster)
						if ab != -s.Compare(b, a, &cluster) || (ab == 0) != (a == b) {
							t.Fatalf("%+v against %+v is not antisymmetric", a, b)
						}
						for _, c := range cs {
							if ab < 0 && s.Compare(b, c, &cluster) < 0 && s.Compare(a, c, &cluster) >= 0 {
								t.Fatalf("%+v, %+v, %+v do not follow each other", a, b, c)
							}
						}
					}
				}
			})
		})
	}
}

func TestUnknownPolicyNamesTheKnownOnes(t *testing.T) {
	_, err := NewSharing("lottery", 2)
	if want := `unknown sharing policy "lottery" (known: fair, drf, fifo)`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if s, err := NewSharing("Drf", 2); err != nil || s.Name != "drf" || s.Printed != "DRF" {
		t.Errorf("Drf gives %v, %v", s, err)
	}
}

// A name must be one that flags, files and traces can have, and mean one policy.
func TestNamesOfSharings(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Sharings {
		if !regexp.MustCompile(`^[a-z][a-z0-9-]*$`).MatchString(e.Name) || seen[e.Name] || e.Class != "" && seen[e.Class] {
			t.Errorf("%q of class %q, want names of their own in lower case", e.Name, e.Class)
		}
		seen[e.Name], seen[e.Class] = true, true
	}
	if s, err := NewSharing(DefaultSharing, 2); err != nil || !s.Parents() {
		t.Errorf("the default %s: %v, want a policy that every queue can have", DefaultSharing, err)
	}
}

func TestNesting(t *testing.T) {
	sharer := map[string]*Sharer{}
	for _, e := range Sharings {
		sharer[e.Name] = e.sharer(2)
	}
	sharer["bare"] = (&SharingEntry{Name: "bare", New: func(int) Sharing { return bare{} }}).sharer(2)
	for _, tt := range []struct {
		parent  string
		parents bool
		allowed []string
	}{
		{"fair", true, []string{"fair", "fifo", "bare"}},
		{"drf", true, []string{"fair", "drf", "fifo", "bare"}},
		{"fifo", false, nil},
		{"bare", true, []string{"fair", "drf", "fifo", "bare"}},
	} {
		p := sharer[tt.parent]
		if p.Parents() != tt.parents {
			t.Errorf("%s for queues with children: %v", tt.parent, p.Parents())
		}
		for name, child := range sharer {
			if got := p.Allows(child); got != slices.Contains(tt.allowed, name) {
				t.Errorf("%s below %s: %v", name, tt.parent, got)
			}
		}
	}
	if got := SharingNames(true); !slices.Equal(got, []string{"fair", "drf"}) {
		t.Errorf("for queues with children: %v, want fair and drf", got)
	}
}

// bare says no more than a policy must: everybody gets the same, and nobody goes first.
type bare struct{}

func (bare) Shares(total resource.Resource, claims []Claim) {
	for i := range claims {
		claims[i].Share = resource.R(total[resource.Memory]/int64(len(claims)), 0)
		if claims[i].Idle {
			claims[i].Share = resource.Resource{}
		}
	}
}

func (bare) Compare(*Contender, *Contender, *resource.Resource) int { return 0 }

// What a policy does not say is as FairSharePolicy has it; ties go by start, then by name.
func TestWhatAPolicyNeedNotSay(t *testing.T) {
	e := SharingEntry{Name: "bare", New: func(int) Sharing { return bare{} }}
	s := e.sharer(2)
	if s.Printed != "bare" || s.calc != resource.Calculator(resource.DefaultCalculator{}) || !s.Total(nil, nil) {
		t.Errorf("printed as %q, calculator %v", s.Printed, s.calc)
	}
	if got := s.Headroom(resource.R(4096, 1), resource.R(1024, 9), resource.R(9999, 7)); got != resource.R(3072, 7) {
		t.Errorf("headroom %v, want what is left of the fair share of memory and all vcores", got)
	}
	if got := s.Headroom(resource.R(1024, 1), resource.R(4096, 9), resource.R(9999, 7)); got != resource.R(0, 7) {
		t.Errorf("headroom above the fair share %v, want no memory", got)
	}
	claims := []Claim{{Idle: true}, {}}
	if s.SteadyShares(resource.R(100, 1), claims); claims[0].Share != resource.R(50, 0) {
		t.Errorf("an idle queue's steady share is %v, want its half", claims[0].Share)
	}
	early, late := &Contender{Start: 1, Rank: 2}, &Contender{Start: 2, Rank: 1}
	if s.Compare(early, late, nil) != -1 || s.Compare(late, early, nil) != 1 {
		t.Error("the earlier start does not go first")
	}
	late.Start = 1
	if s.Compare(early, late, nil) != 1 || s.Compare(late, early, nil) != -1 || s.Compare(late, late, nil) != 0 {
		t.Error("the smaller name does not go first")
	}
}

func TestDRFBoundsEveryType(t *testing.T) {
	s, _ := NewSharing("drf", 2)
	if got := s.Headroom(resource.R(4096, 4), resource.R(1024, 9), resource.R(9999, 7)); got != resource.R(3072, 0) {
		t.Errorf("headroom %v, want what is left of the fair share", got)
	}
	if got := s.Headroom(resource.R(4096, math.MaxInt32), resource.R(1024, -1), resource.R(9999, 7)); got != resource.R(3072, 0) {
		t.Errorf("headroom %v of a share of all vcores that there can be and a usage of -1, want none: an int holds no more", got)
	}
	if s.calc != resource.Calculator(resource.NewDominant(2)) {
		t.Errorf("calculator %v, want that of dominant shares", s.calc)
	}
}
