package resource

import "testing"

// What is done type by type is what it is on the whole, of every type.
func TestTypeByType(t *testing.T) {
	all, used := Resource{40, 30, 20, 10}, Resource{4, 3, 2, 1}
	var rest, same Resource
	rest.SetRest(&all, &used)
	if same.CopyFrom(&all); rest != all.Sub(used) || same != all {
		t.Errorf("%v without %v is %v, and a copy of the first %v", all, used, rest, same)
	}
	if !rest.IsRest(&all, &used) {
		t.Errorf("%v is not the rest of %v without %v", rest, all, used)
	}
	for i := range rest {
		other := rest
		if other[i]++; other.IsRest(&all, &used) {
			t.Errorf("%v counts as the rest of %v without %v", other, all, used)
		}
	}
}
