package eventlog

import (
	"bytes"
	"testing"
)

// What no event is read for is passed over, whatever it holds; the rest of the line is used.
func TestUnread(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		bad      bool
	}{
		{"a list", `"Accumulables":[{"ID":1,"Value":"]}\"["},[]],"Index":3`, false},
		{"no JSON in it", `"Accumulables":[1 2],"Task Executor Metrics":{"a" 1},"Index":3`, false},
		{"twice", `"Accumulables":[1],"Accumulables":[2],"Index":3`, false},
		{"null", `"Accumulables":null,"Index":3`, false},
		{"an escape", `"Accumulables":["\\"],"Index":3`, false},
		{"a bracket in a text", `"Accumulables":["]"],"Index":3`, false},
		{"in a text", `"Host":"\"Accumulables\":[1","Index":3`, false},
		{"no end", `"Accumulables":[{"Name":"cut","Index":3`, true},
		{"another field", `"Host":[1 2],"Index":3`, true},
	} {
		var r record
		line := `{"Event":"SparkListenerTaskStart","Stage ID":1,"Stage Attempt ID":0,"Task Info":{"Task ID":2,"Launch Time":7,` + tt.in + `}}`
		err := newEventParser().parse([]byte(line), &r)
		if tt.bad != (err != nil) || !tt.bad && !bytes.HasPrefix([]byte(r.String()), []byte("start 1 0 2 3 ")) {
			t.Errorf("%s: %v, taken as %s", tt.name, err, r.String())
		}
	}
}
