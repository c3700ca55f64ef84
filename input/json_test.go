package input

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// Errors of JSON name the field, what it has and what was wanted, in words that are not those of Go.
func TestWrongJSON(t *testing.T) {
	type inner struct {
		Name *string
		N    int32
	}
	type outer struct {
		List  []inner
		Of    inner
		Size  uint8
		Share float64
		On    bool
		By    map[string]int
	}
	for text, want := range map[string]string{
		`{"List":{"a":1}}`:        "List is an object, want a list",
		`{"List":[{"Name":{}}]}`:  "List.Name is an object, want a text",
		`{"Of":{"N":1.5}}`:        "Of.N is 1.5, want a whole number",
		`{"Of":{"N":9999999999}}`: "Of.N is 9999999999, want a whole number",
		`{"Size":-1}`:             "Size is -1, want a whole number of 0 or more",
		`{"Share":"much"}`:        "Share is a text, want a number",
		`{"On":7}`:                "On is a number, want true or false",
		`{"Of":[1]}`:              "Of is a list, want an object",
		`{"By":true}`:             "By is true or false, want an object",
		`[]`:                      "the text is a list, want an object",
		`{"Of":`:                  "byte 6: unexpected end of JSON input",
		`{"Of":}`:                 "byte 7: invalid character '}'",
	} {
		if err := JSON([]byte(text), new(outer)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if err := JSON([]byte(`{"On":true}`), new(outer)); err != nil {
		t.Error(err)
	}
	if err := WrongJSON(io.EOF); !errors.Is(err, io.EOF) {
		t.Errorf("%v, want the error as it is", err)
	}
}
