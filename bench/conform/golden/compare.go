package golden

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Text is v as text: strings as they are, everything else as JSON.
func Text(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%+v", v)
	}
	return string(b)
}

// SameList compares a part of a case; it returns nil when the lists are equal.
func SameList[T comparable](name string, want, got []T) *Difference {
	if slices.Equal(want, got) {
		return nil
	}
	return &Difference{Expected: want, Got: got, State: name}
}

// FirstOther returns the first difference of case id, numbered by its position.
func FirstOther(id string, parts ...*Difference) *Difference {
	for i, d := range parts {
		if d != nil {
			d.Case, d.Event = id, i
			return d
		}
	}
	return nil
}
