package conform

import (
	"encoding/json"
	"errors"

	"replay/engine/yarn"
	"replay/engine/yarn/conf"
)

// exceptions are a Java exception and its causes as the vectors write them: class and message, the
// outermost first. A message that vectors leave out (made by the Java runtime) is null.
type exceptions [][2]*string

// exceptionsOf gives the causes of err as the vectors write them; it is empty for nil and for errors
// that are not YARN's.
func exceptionsOf(err error) (out exceptions) {
	var thrown *yarn.Exception
	if errors.As(err, &thrown) {
		return exceptions{{&thrown.Class, &thrown.Text}}
	}
	var e *conf.Error
	if !errors.As(err, &e) {
		return nil
	}
	for ; e != nil; e = e.Cause {
		row := [2]*string{&e.Class, &e.Text}
		if e.NoMsg {
			row[1] = nil
		}
		out = append(out, row)
	}
	return out
}

// equal compares classes and messages.
func (x exceptions) equal(y exceptions) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		for j := range x[i] {
			a, b := x[i][j], y[i][j]
			if (a == nil) != (b == nil) || a != nil && *a != *b {
				return false
			}
		}
	}
	return true
}

// rows gives the exceptions as decoded JSON.
func (x exceptions) rows() (rows []any) {
	for _, e := range x {
		row := []any{*e[0], nil}
		if e[1] != nil {
			row[1] = *e[1]
		}
		rows = append(rows, row)
	}
	return rows
}

// below drops the n outermost exceptions: wrappers of a ResourceManager that does not start.
func (x exceptions) below(n int) exceptions { return x[min(n, len(x)):] }

// properties gives the site of a vector as text, as a configuration file would.
func properties(site map[string]json.RawMessage) map[string]string {
	out := make(map[string]string, len(site))
	for k, v := range site {
		var s string
		if json.Unmarshal(v, &s) != nil {
			s = string(v)
		}
		out[k] = s
	}
	return out
}
