package policy

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"replay/policy/autoscale"
)

// Tables are policies of a program of one's own, beside those of this package: both can be named in the same places. A nil
// *Tables has none.
type Tables struct {
	Sharings    []SharingEntry
	Placements  []PlacementEntry
	LeafOrders  []LeafOrderEntry
	Autoscalers []autoscale.Entry

	LeafOrder string // of leaf queues that name none; "" = [DefaultLeafOrder]
}

// With returns tables that have the entries of t and of more; a name in LeafOrder of more wins.
func (t *Tables) With(more *Tables) *Tables {
	if t == nil {
		t = &Tables{}
	}
	return &Tables{slices.Concat(t.Sharings, more.Sharings), slices.Concat(t.Placements, more.Placements), slices.Concat(t.LeafOrders, more.LeafOrders),
		slices.Concat(t.Autoscalers, more.Autoscalers), cmp.Or(more.LeafOrder, t.LeafOrder)}
}

// Empty reports whether there is no entry.
func (t *Tables) Empty() bool {
	return t == nil || len(t.Sharings)+len(t.Placements)+len(t.LeafOrders)+len(t.Autoscalers) == 0
}

// Check refuses entries without a name or a constructor, names that are taken, be it by this package, and constructors that make nothing.
func (t *Tables) Check() error {
	if t == nil {
		return nil
	}
	check := func(kind string, known, more []string, made func(i int) bool, make func(i int) any) error {
		for i, name := range more {
			switch {
			case name == "" || strings.ToLower(name) != name || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == ',' }):
				return fmt.Errorf("%s %d is called %q, want a name in lower case without spaces and commas", kind, i, name)
			case !made(i):
				return fmt.Errorf("%s %s has no constructor", kind, name)
			case slices.Contains(known, name):
				return fmt.Errorf("%s %s is there already", kind, name)
			}
			if why := unmade(func() any { return make(i) }); why != "" {
				return fmt.Errorf("%s %s: its constructor %s", kind, name, why)
			}
			known = append(known, name)
		}
		return nil
	}
	var sharings, placements, orders, autoscalers, scale []string
	for _, e := range t.Sharings {
		sharings = append(sharings, e.Name)
	}
	for _, e := range t.Placements {
		placements = append(placements, e.Name)
	}
	for _, e := range t.LeafOrders {
		orders = append(orders, e.Name)
	}
	for _, e := range t.Autoscalers {
		autoscalers = append(autoscalers, e.Name)
	}
	for _, e := range autoscale.Autoscalers {
		scale = append(scale, e.Name)
	}
	var none *Tables
	if err := check("sharing policy", none.SharingNames(false), sharings, func(i int) bool { return t.Sharings[i].New != nil }, func(i int) any { return t.Sharings[i].New(2) }); err != nil {
		return err
	}
	if err := check("placement", none.PlacementNames(), placements, func(i int) bool { return t.Placements[i].New != nil }, func(i int) any { return t.Placements[i].New() }); err != nil {
		return err
	}
	if err := check("order of applications", none.leafOrderNames(), orders, func(i int) bool { return t.LeafOrders[i].New != nil }, func(i int) any { return t.LeafOrders[i].New(LeafOrderSettings{}) }); err != nil {
		return err
	}
	// The constructor of an autoscaler reads settings, of which it may want some: it makes something when it has them.
	return check("autoscaling", scale, autoscalers, func(i int) bool { return t.Autoscalers[i].New != nil }, func(int) any { return true })
}

// unmade says why a constructor makes nothing; empty for one that makes something.
func unmade(make func() any) (why string) {
	defer func() {
		if p := recover(); p != nil {
			why = fmt.Sprintf("panicked: %v%s", p, origin())
		}
	}()
	made := make()
	if v := reflect.ValueOf(made); made == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return "returned nil"
	}
	return ""
}

// AllSharings returns [Sharings] and those of t.
func (t *Tables) AllSharings() []SharingEntry {
	if t == nil {
		return Sharings
	}
	return slices.Concat(Sharings, t.Sharings)
}

// SharingNames returns the names of the sharing policies, in the order of the tables; with parents set only those that
// queues with children can have.
func (t *Tables) SharingNames(parents bool) (names []string) {
	for _, e := range t.AllSharings() {
		if !parents || e.sharer(2).Parents() {
			names = append(names, e.Name)
		}
	}
	return names
}

// NewSharing returns the policy called name, in any letter case, for a cluster with so many resource types.
// The error names the known ones, so it can be shown as it is.
func (t *Tables) NewSharing(name string, types int) (*Sharer, error) {
	for i, e := range t.AllSharings() {
		if e.Name != strings.ToLower(name) {
			continue
		}
		if i < len(Sharings) {
			return e.sharer(types), nil
		}
		var s *Sharer
		if why := unmade(func() any { s = e.sharer(types); return s.Sharing }); why != "" {
			return nil, fmt.Errorf("sharing policy %s: its constructor %s (of %d types of resources)", e.Name, why, types)
		}
		(&careful{Sharing: s.Sharing, name: e.Name}).wrap(s)
		return s, nil
	}
	return nil, fmt.Errorf("unknown sharing policy %q (known: %s)", name, strings.Join(t.SharingNames(false), ", "))
}

func (t *Tables) allPlacements() []PlacementEntry {
	if t == nil {
		return Placements
	}
	return slices.Concat(Placements, t.Placements)
}

// PlacementNames returns the names of the placements, in the order of the tables.
func (t *Tables) PlacementNames() (names []string) {
	for _, e := range t.allPlacements() {
		names = append(names, e.Name)
	}
	return names
}

// NewPlacement returns the placement called name.
// The error names the known ones, so it can be shown as it is.
func (t *Tables) NewPlacement(name string) (Placement, error) {
	for i, e := range t.allPlacements() {
		switch {
		case e.Name != name:
		case i >= len(Placements):
			return carefulPlacement(name, e.New()), nil
		default:
			return e.New(), nil
		}
	}
	return nil, fmt.Errorf("unknown placement %q (known: %s)", name, strings.Join(t.PlacementNames(), ", "))
}

// DefaultLeafOrder is the order of leaf queues that name none.
func (t *Tables) DefaultLeafOrder() string {
	if t == nil {
		return DefaultLeafOrder
	}
	return cmp.Or(t.LeafOrder, DefaultLeafOrder)
}

// NewAutoscaler returns the policy called name with its settings, see [autoscale.New].
func (t *Tables) NewAutoscaler(name string, s autoscale.Settings) (plan *autoscale.Plan, err error) {
	if t == nil || !slices.ContainsFunc(t.Autoscalers, func(e autoscale.Entry) bool { return e.Name == name }) {
		return autoscale.New(name, s, t.autoscalers()...)
	}
	why := unmade(func() any {
		if plan, err = autoscale.New(name, s, t.Autoscalers...); plan == nil {
			return t // it scales nothing, or its settings are wrong
		}
		return plan.Policy
	})
	if why != "" {
		return nil, fmt.Errorf("autoscaling %s: its constructor %s", name, why)
	}
	if plan != nil {
		plan.Policy = &scaled{plan.Policy, name}
	}
	return plan, err
}

// autoscalers are those of t.
func (t *Tables) autoscalers() []autoscale.Entry {
	if t == nil {
		return nil
	}
	return t.Autoscalers
}

// AllLeafOrders returns [LeafOrders] and those of t.
func (t *Tables) AllLeafOrders() []LeafOrderEntry {
	if t == nil {
		return LeafOrders
	}
	return slices.Concat(LeafOrders, t.LeafOrders)
}

func (t *Tables) leafOrderNames() (names []string) {
	for _, e := range t.AllLeafOrders() {
		names = append(names, e.Name)
	}
	return names
}

// NewLeafOrder returns the order called name.
// The error names the known ones, so it can be shown as it is.
func (t *Tables) NewLeafOrder(name string, s LeafOrderSettings) (LeafOrder, error) {
	for i, e := range t.AllLeafOrders() {
		switch {
		case e.Name != name:
		case i >= len(LeafOrders):
			return carefulLeafOrder(name, e.New(s)), nil
		default:
			return e.New(s), nil
		}
	}
	return nil, fmt.Errorf("unknown order of applications %q (known: %s)", name, strings.Join(t.leafOrderNames(), ", "))
}
