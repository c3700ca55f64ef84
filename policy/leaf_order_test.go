package policy

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLeafOrders(t *testing.T) {
	tests := []struct {
		name      string
		order     string
		sizeBased bool
		a, b      LeafApp // a is served first
	}{
		{"fifo: the more urgent", "fifo", false, LeafApp{Priority: 2, ID: 2}, LeafApp{Priority: 1, ID: 1}},
		{"fifo: then the earlier number", "fifo", false, LeafApp{Priority: 1, ID: 1, Start: 9, Used: 9}, LeafApp{Priority: 1, ID: 2}},
		{"fair: usage, and neither priority nor number", "fair", false, LeafApp{Used: 2048, Demand: 2048, ID: 2}, LeafApp{Used: 3072, Demand: 1 << 20, ID: 1, Priority: 9}},
		{"fair by size: 3072/20 comes before 2048/11", "fair", true, LeafApp{Used: 3072, Demand: 1 << 20, ID: 2}, LeafApp{Used: 2048, Demand: 2048, ID: 1}},
		{"fair by size: what uses nothing", "fair", true, LeafApp{Demand: 1, ID: 2}, LeafApp{Used: 1, Demand: 1 << 40, ID: 1}},
		{"fair by size: what neither uses nor wants anything", "fair", true, LeafApp{Start: 2, ID: 2}, LeafApp{Used: 1, Demand: 9, Start: 1, ID: 1}},
		{"fair: then the earlier start", "fair", false, LeafApp{Start: 1, ID: 2}, LeafApp{Start: 2, Demand: 5, ID: 1}},
		{"fair: then who wants something", "fair", false, LeafApp{Demand: 1, ID: 2}, LeafApp{ID: 1}},
		{"fair: of those who want nothing the number", "fair", false, LeafApp{ID: 1}, LeafApp{ID: 2}},
		{"fair: then the number", "fair", false, LeafApp{Demand: 1, ID: 1}, LeafApp{Demand: 9, ID: 2}},
		{"with partitions as fifo", "fifo-with-partitions", false, LeafApp{ID: 1, Used: 9}, LeafApp{ID: 2}},
		{"for pending applications as fifo", "fifo-for-pending-apps", false, LeafApp{ID: 1, Used: 9}, LeafApp{ID: 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, err := NewLeafOrder(tt.order, LeafOrderSettings{SizeBasedWeight: tt.sizeBased})
			if err != nil {
				t.Fatal(err)
			}
			if got := o.Compare(&tt.a, &tt.b); got != -1 {
				t.Errorf("%d, want -1", got)
			}
			if got := o.Compare(&tt.b, &tt.a); got != 1 {
				t.Errorf("the other way round: %d, want 1", got)
			}
		})
	}
}

// An order of applications must be total: the scheduler keeps sorted lists. One that does not say that it looks at usage gives
// the same order whatever the usage is.
func TestEveryLeafOrderIsTotal(t *testing.T) {
	app := rapid.Custom(func(t *rapid.T) LeafApp {
		used := 1024 * rapid.Int64Range(0, 3).Draw(t, "used")
		return LeafApp{
			Used: used, Demand: used + 1024*rapid.Int64Range(0, 2).Draw(t, "pending"),
			Start: rapid.Int64Range(0, 2).Draw(t, "start"), Priority: rapid.Int32Range(0, 2).Draw(t, "priority"),
			ID: rapid.Int32Range(1, 4).Draw(t, "id"),
		}
	})
	for _, e := range LeafOrders {
		for _, sizeBased := range []bool{false, true} {
			t.Run(fmt.Sprint(e.Name, " ", sizeBased), func(t *testing.T) {
				o := e.New(LeafOrderSettings{SizeBasedWeight: sizeBased})
				_, byUsage := o.(WithUsage)
				rapid.Check(t, func(t *rapid.T) {
					a, b, c := app.Draw(t, "a"), app.Draw(t, "b"), app.Draw(t, "c")
					ab := o.Compare(&a, &b)
					if ab != -o.Compare(&b, &a) {
						t.Fatalf("%+v and %+v: not antisymmetric", a, b)
					}
					if a.ID != b.ID && ab == 0 {
						t.Fatalf("%+v and %+v: a tie", a, b)
					}
					if ab < 0 && o.Compare(&b, &c) < 0 && o.Compare(&a, &c) >= 0 {
						t.Fatalf("%+v, %+v and %+v: not transitive", a, b, c)
					}
					a.Used, a.Demand = 0, 0
					if !byUsage && o.Compare(&a, &b) != ab {
						t.Fatalf("%+v and %+v: usage decides, and nobody looks it up", a, b)
					}
				})
			})
		}
	}
}

func TestUnknownLeafOrderNamesTheKnownOnes(t *testing.T) {
	_, err := NewLeafOrder("lottery", LeafOrderSettings{})
	if err == nil || !strings.Contains(err.Error(), "fifo, fair, fifo-with-partitions") {
		t.Errorf("error %v, want the known names in it", err)
	}
}
