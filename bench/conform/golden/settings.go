package golden

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Refused compares whether settings are refused with whether they were, and is false where neither is so: then their values are to be compared. Why they were refused is refused, empty where they were taken.
func Refused(id, refused string, err error, conf map[string]string, out *Results) bool {
	switch {
	case refused == "" && err == nil:
		return false
	case refused != "" && err != nil:
		out.AddEqual()
	default:
		out.AddDifferent(Difference{Case: id, Expected: refused, Got: fmt.Sprint(err), State: conf})
	}
	return true
}

// SameValues compares the values that follow from settings with those in JSON, by same, in the order of their names up to the first that differs.
func SameValues(id string, values map[string]any, wanted map[string]json.RawMessage, same func(is any, want string) bool, conf map[string]string, out *Results) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if is, want := values[name], string(wanted[name]); !same(is, want) {
			out.AddDifferent(Difference{Case: id, Expected: want, Got: Text(is), State: fmt.Sprint(name, " ", conf)})
			return
		}
	}
	out.AddEqual()
}

// Properties gives the settings of a vector as text, as a configuration file would: texts as they are, everything else as its JSON.
func Properties(settings map[string]json.RawMessage) map[string]string {
	out := make(map[string]string, len(settings))
	for k, v := range settings {
		var s string
		if json.Unmarshal(v, &s) != nil {
			s = string(v)
		}
		out[k] = s
	}
	return out
}
