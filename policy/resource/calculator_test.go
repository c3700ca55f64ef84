package resource

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDominantCompare(t *testing.T) {
	cluster := R(10000, 100)
	tests := []struct {
		name    string
		cluster Resource
		a, b    Resource
		single  bool
		want    int
	}{
		{"equal", cluster, R(5, 5), R(5, 5), false, 0},
		{"larger dominant share", cluster, R(1000, 30), R(2000, 20), false, 1},
		{"dominant shares tie, the other decides", cluster, R(3000, 20), R(1000, 30), false, 1},
		{"single looks at dominant shares only", cluster, R(3000, 20), R(1000, 30), true, 0},
		{"empty cluster, both ways", R(0, 0), R(1, 2), R(2, 1), false, 0},
		{"empty cluster, one way", R(0, 0), R(2, 2), R(2, 1), false, 1},
		{"a type without capacity does not count alone", R(10000, 0), R(100, 9), R(200, 1), true, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := NewDominant(2).Compare(tt.cluster, tt.a, tt.b, tt.single); got != tt.want {
				t.Errorf("compare(%v, %v) is %d, want %d", tt.a, tt.b, got, tt.want)
			}
		})
	}
}

func TestNormalize(t *testing.T) {
	d, m := NewDominant(2), DefaultCalculator{}
	if got, want := d.Normalize(R(1500, 0), R(1024, 1), R(8192, 4), R(1000, 1)), R(2000, 1); got != want {
		t.Errorf("dominant: %v, want %v", got, want)
	}
	if got, want := d.Normalize(R(8000, 9), R(1024, 1), R(8192, 4), R(3000, 1)), R(8192, 4); got != want {
		t.Errorf("rounded up, then cut: %v, want %v", got, want)
	}
	if got, want := m.Normalize(R(1500, 7), R(1024, 1), R(8192, 4), Resource{}), R(2048, 1); got != want {
		t.Errorf("default: %v, want %v", got, want)
	}
}

func TestRoundingInFloats(t *testing.T) {
	if got := R(1000, 0).MulUp(float64(float32(0.1))); got != R(101, 0) {
		t.Errorf("1000 x 0.1f rounded up is %v, want 101", got)
	}
	if got := Unbounded(2).Clone(); got != R(math.MaxInt64, math.MaxInt32) {
		t.Errorf("clone of unbounded is %v", got)
	}
	for x, want := range map[float64]int64{math.NaN(): 0, 1e300: math.MaxInt64, -1e300: math.MinInt64, -1.9: -1} {
		if got := F2L(x); got != want {
			t.Errorf("F2L(%v) is %d, want %d", x, got, want)
		}
	}
}

// What is too much is said alone, by the names of the types that there are.
func TestText(t *testing.T) {
	types := []string{"memory-mb", "vcores", "yarn.io/gpu"}
	for _, tt := range []struct {
		a, b             Resource
		text, more, most string
	}{
		{R(1024, 2), R(1024, 2), "1024 MiB and 2 vcores", "", ""},
		{R(1025, 2), R(1024, 2), "1025 MiB and 2 vcores", "1025 MiB", "1024 MiB"},
		{R(1025, 3), R(1024, 2), "1025 MiB and 3 vcores", "1025 MiB and 3 vcores", "1024 MiB and 2 vcores"},
		{Resource{1024, 2, 1}, R(8192, 8), "1024 MiB and 2 vcores and 1 of yarn.io/gpu", "1 of yarn.io/gpu", "0 of yarn.io/gpu"},
		{Resource{3: 2}, Resource{}, "0 MiB and 0 vcores and 2 of resource type 3", "2 of resource type 3", "0 of resource type 3"},
	} {
		more, most := tt.a.Over(tt.b, types)
		if text := tt.a.Text(types); text != tt.text || more != tt.more || most != tt.most {
			t.Errorf("%v over %v: %q, %q and %q, want %q, %q and %q", tt.a, tt.b, text, more, most, tt.text, tt.more, tt.most)
		}
	}
}

// TestDominantCompareOfTwoTypes compares the comparison for two types with that for any number of them, and the quotient with that where there is a third one, of which the cluster has none.
func TestDominantCompareOfTwoTypes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	few := []int64{-4096, -1, 0, 1, 2, 3, 1024, 2048, 3000, math.MaxInt32 - 1, math.MaxInt32, math.MaxInt32 + 1, 1 << 40, math.MaxInt64, math.MinInt64}
	amount := func() int64 {
		if r.IntN(3) == 0 {
			return r.Int64N(20)
		}
		return few[r.IntN(len(few))]
	}
	d, seen := NewDominant(2), map[int]int{}
	for range 200_000 {
		cluster, a, b := R(amount(), amount()), R(amount(), amount()), R(amount(), amount())
		if r.IntN(4) == 0 {
			a[r.IntN(MaxTypes)] = 7
		}
		if r.IntN(4) == 0 {
			b = a
			b[r.IntN(2)] = amount()
		}
		single := r.IntN(2) == 0
		got, want := d.Compare(cluster, a, b, single), d.compare(cluster, a, b, single)
		if got != want {
			t.Fatalf("Compare(%v, %v, %v, %v) = %d, want %d", cluster, a, b, single, got, want)
		}
		if got, want := d.Divide(cluster, a, b), NewDominant(3).Divide(cluster, a, b); got != want && (got == got || want == want) {
			t.Fatalf("Divide(%v, %v, %v) = %v, want %v", cluster, a, b, got, want)
		}
		if cluster[0] != 0 && cluster[1] != 0 {
			seen[got]++
		}
	}
	if seen[0] < 1000 || seen[1] < 1000 || seen[-1] < 1000 {
		t.Errorf("too few of a kind were compared: %v", seen)
	}
}
