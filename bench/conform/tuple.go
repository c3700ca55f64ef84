package conform

import (
	"encoding/json"
	"fmt"
)

// unmarshalTuple decodes a JSON array into parts, one for each of its values.
func unmarshalTuple(data []byte, parts ...any) error {
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
