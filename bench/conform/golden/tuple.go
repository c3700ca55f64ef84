package golden

import (
	"encoding/json"
	"fmt"
)

// UnmarshalTuple decodes a JSON array into parts, one for each of its values.
func UnmarshalTuple(data []byte, parts ...any) error {
	var values []json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	if len(values) != len(parts) {
		return fmt.Errorf("%s has %d values, want %d", data, len(values), len(parts))
	}
	for i, p := range parts {
		if err := json.Unmarshal(values[i], p); err != nil {
			return err
		}
	}
	return nil
}

// Pair is a JSON array of two values.
type Pair[A, B any] struct {
	First  A
	Second B
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *Pair[A, B]) UnmarshalJSON(data []byte) error {
	return UnmarshalTuple(data, &p.First, &p.Second)
}
