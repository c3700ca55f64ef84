package spelling

import (
	"slices"
	"testing"
)

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"abc", "abd", 1},
		{"abc", "abcd", 1},
		{"abcd", "bcd", 1},
		{"ab", "ba", 2}, // an exchange is two edits
		{"kitten", "sitting", 3},
		{"sunday", "saturday", 3},
	}
	for _, tt := range tests {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"spark.cores", "spark.locality.wait", "spark.task", "spark.locality.wait.node", "spark.mask"}
	tests := []struct {
		name string
		n    int
		want []string
	}{
		{"spark.locality.wiat", 2, []string{"spark.locality.wait", "spark.locality.wait.node"}},
		{"spark.masks", 2, []string{"spark.mask", "spark.task"}},
		{"spark.rask", 2, []string{"spark.task", "spark.mask"}}, // equally near: in the order given
		{"spark.cores", 9, []string{"spark.cores", "spark.task", "spark.mask", "spark.locality.wait", "spark.locality.wait.node"}},
	}
	for _, tt := range tests {
		if got := Nearest(tt.name, known, tt.n); !slices.Equal(got, tt.want) {
			t.Errorf("Nearest(%q, %d) = %q, want %q", tt.name, tt.n, got, tt.want)
		}
	}
	if got := Nearest("a", nil, 3); got != nil {
		t.Errorf("of no names the nearest are %q, want none", got)
	}
}

func TestCalled(t *testing.T) {
	paths := []string{"root", "root.a", "root.b.a", "root.b", "root.ba"}
	for name, want := range map[string][]string{"root.a": {"root.a"}, "b": {"root.b"}, "b.a": {"root.b.a"}, "a": {"root.a", "root.b.a"}, "root": {"root"}, "oot": nil, "A": nil} {
		if got := Called(name, paths); !slices.Equal(got, want) {
			t.Errorf("Called(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestNearestCalled(t *testing.T) {
	paths := []string{"root", "root.prod", "root.prod.etl", "root.dev.ml", "root.dev"}
	for name, want := range map[string]string{"ML": "root.dev.ml", "etI": "root.prod.etl", "dev.nl": "root.dev.ml", "rooot": "root", "a.root.dev.ml": "root.dev.ml"} {
		if got := NearestCalled(name, paths, 1); !slices.Equal(got, []string{want}) {
			t.Errorf("NearestCalled(%q) = %q, want %q", name, got, want)
		}
	}
}
