package conform

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"replay/bench/conform/golden"
)

// refusal compares whether settings are refused with whether they were, and is false where neither is so: then their values are to be compared. Refused is why, or empty.
func refusal(id, refused string, err error, conf map[string]string, out *golden.Results) bool {
	switch {
	case refused == "" && err == nil:
		return false
	case refused != "" && err != nil:
		out.AddEqual()
	default:
		out.AddDifferent(golden.Difference{Case: id, Expected: refused, Got: fmt.Sprint(err), State: conf})
	}
	return true
}

// sameValues compares the values that follow from settings with those in JSON, by same, in the order of their names up to the first that differs.
func sameValues(id string, values map[string]any, wanted map[string]json.RawMessage, same func(is any, want string) bool, conf map[string]string, out *golden.Results) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if is, want := values[name], string(wanted[name]); !same(is, want) {
			out.AddDifferent(golden.Difference{Case: id, Expected: want, Got: golden.Text(is), State: fmt.Sprint(name, " ", conf)})
			return
		}
	}
	out.AddEqual()
}
