package policy

import (
	"strings"
	"testing"
)

// Policies of a program's own stand beside those of the package, and neither hides the other.
func TestTables(t *testing.T) {
	more := &Tables{
		Sharings:   []SharingEntry{{Name: "second", New: newDRF}, {Name: "leaves-only", New: newFIFO}},
		Placements: []PlacementEntry{{"nowhere", func() Placement { return none{} }}},
		LeafOrders: []LeafOrderEntry{{"last", "", newLeafFIFO}},
	}
	if err := more.Check(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"second", "SECOND", "fair", "leaves-only"} {
		if s, err := more.NewSharing(name, 2); err != nil || s.Name != strings.ToLower(name) {
			t.Errorf("sharing %s: %+v, %v", name, s, err)
		}
	}
	if got := strings.Join(more.SharingNames(true), " "); got != "fair drf second" {
		t.Errorf("sharing policies of parents are %s", got)
	}
	for _, name := range []string{"nowhere", "union"} {
		if p, err := more.NewPlacement(name); err != nil || p == nil {
			t.Errorf("placement %s: %v, %v", name, p, err)
		}
	}
	for _, name := range []string{"last", "fifo"} {
		if o, err := more.NewLeafOrder(name, LeafOrderSettings{}); err != nil || o == nil {
			t.Errorf("order %s: %v, %v", name, o, err)
		}
	}
	// The package's own tables are as before.
	if _, err := NewSharing("second", 2); err == nil {
		t.Error("a policy of one program's tables is in the package's")
	}
	if _, err := NewPlacement("nowhere"); err == nil {
		t.Error("a placement of one program's tables is in the package's")
	}
	if _, err := NewLeafOrder("last", LeafOrderSettings{}); err == nil {
		t.Error("an order of one program's tables is in the package's")
	}
}

func TestTablesThatAreRefused(t *testing.T) {
	sharing := func(names ...string) (out []SharingEntry) {
		for _, n := range names {
			out = append(out, SharingEntry{Name: n, New: newFair})
		}
		return out
	}
	for _, tt := range []struct {
		tables Tables
		want   string
	}{
		{Tables{Sharings: sharing("drf")}, "sharing policy drf is there already"},
		{Tables{Sharings: sharing("a", "b", "a")}, "sharing policy a is there already"},
		{Tables{Sharings: sharing("")}, `sharing policy 0 is called "", want a name in lower case`},
		{Tables{Sharings: sharing("a", "Best")}, `sharing policy 1 is called "Best"`},
		{Tables{Sharings: sharing("a b")}, "without spaces"},
		{Tables{Sharings: []SharingEntry{{Name: "a"}}}, "sharing policy a has no constructor"},
		{Tables{Placements: []PlacementEntry{{"naive", func() Placement { return none{} }}}}, "placement naive is there already"},
		{Tables{Placements: []PlacementEntry{{Name: "a"}}}, "placement a has no constructor"},
		{Tables{LeafOrders: []LeafOrderEntry{{"fair", "", newLeafFIFO}}}, "order of applications fair is there already"},
		{Tables{LeafOrders: []LeafOrderEntry{{Name: "a"}}}, "order of applications a has no constructor"},
		{Tables{Sharings: []SharingEntry{{Name: "a", New: func(int) Sharing { return nil }}}}, "sharing policy a: its constructor returned nil"},
		{Tables{Sharings: []SharingEntry{{Name: "a", New: func(int) Sharing { return (*drf)(nil) }}}}, "sharing policy a: its constructor returned nil"},
		{Tables{Sharings: []SharingEntry{{Name: "a", New: func(int) Sharing { panic("no") }}}}, "sharing policy a: its constructor panicked: no, in replay/policy."},
		{Tables{Placements: []PlacementEntry{{"a", func() Placement { return nil }}}}, "placement a: its constructor returned nil"},
		{Tables{LeafOrders: []LeafOrderEntry{{"a", "", func(LeafOrderSettings) LeafOrder { return nil }}}}, "order of applications a: its constructor returned nil"},
	} {
		if err := tt.tables.Check(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}
