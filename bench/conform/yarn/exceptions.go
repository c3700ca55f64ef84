package yarn

import (
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

// in puts the exceptions, if there are any, inside another one.
func (x exceptions) in(class, text string) exceptions {
	if len(x) == 0 {
		return nil
	}
	return append(exceptions{{&class, &text}}, x...)
}

// checked are the classes that a service may throw while it starts and that are no RuntimeException, with their packages.
var checked = map[string]string{"IOException": "java.io.", "YarnException": "org.apache.hadoop.yarn.exceptions."}

// ofService is what comes out of a service that does not start: a RuntimeException as it is, another exception inside one.
//
// Source: ServiceStateException.convert.
func (x exceptions) ofService() exceptions {
	if len(x) == 0 || checked[*x[0][0]] == "" {
		return x
	}
	text := checked[*x[0][0]] + *x[0][0]
	if x[0][1] != nil {
		text += ": " + *x[0][1]
	}
	return x.in("ServiceStateException", text)
}
