package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// JSON reads a text of JSON into v, as [json.Unmarshal] does, with the errors of [WrongJSON].
func JSON(text []byte, v any) error { return WrongJSON(json.Unmarshal(text, v)) }

// WrongJSON says in an error of package json which field has what and what was wanted, or at which byte a text is no JSON. Other errors stay as they are.
func WrongJSON(err error) error {
	var typed *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &typed):
		where := typed.Field
		if where == "" {
			where = "the text"
		}
		return fmt.Errorf("%s is %s, want %s", where, foundJSON(typed.Value), wantedJSON(typed.Type))
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	}
	return err
}

// foundJSON says what stands in a text, of what package json calls it.
func foundJSON(value string) string {
	if number, ok := strings.CutPrefix(value, "number "); ok {
		return number
	}
	switch value {
	case "string":
		return "a text"
	case "array":
		return "a list"
	case "bool":
		return "true or false"
	case "object":
		return "an object"
	}
	return "a " + value
}

// wantedJSON says what a type takes.
func wantedJSON(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch k := t.Kind(); {
	case k >= reflect.Uint && k <= reflect.Uint64:
		return "a whole number of 0 or more"
	case k >= reflect.Int && k <= reflect.Int64:
		return "a whole number"
	case k == reflect.Float32 || k == reflect.Float64:
		return "a number"
	case k == reflect.String:
		return "a text"
	case k == reflect.Bool:
		return "true or false"
	case k == reflect.Slice || k == reflect.Array:
		return "a list"
	}
	return "an object"
}
