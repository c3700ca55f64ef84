package tables

import (
	"errors"
	"fmt"
	"reflect"
)

// Count is how many rows the table has so far.
func (t *Table[S, R]) Count() int64 { return t.written + int64(len(t.rows)) }

// Refill writes the first rows of another table of the kind.
func (t *Table[S, R]) Refill(path string, rows int64) error { return First(path, rows, t.Put) }

// errEnough ends a reading of rows.
var errEnough = errors.New("enough rows")

// First gives the first n rows of a table, each with memory of its own.
func First[R any](path string, n int64, give func(R)) error {
	left := n
	err := Read(path, func(r *R) error {
		if left == 0 {
			return errEnough
		}
		left--
		row := *r
		own(&row)
		give(row)
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if left > 0 {
		return fmt.Errorf("%s: has %d rows, want %d or more, as many as were there at the checkpoint", path, n-left, n)
	}
	return nil
}

// own gives a row's optional numbers memory of its own.
func own[R any](r *R) {
	v := reflect.ValueOf(r).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
			p := reflect.New(f.Type().Elem())
			p.Elem().Set(f.Elem())
			f.Set(p)
		}
	}
}
