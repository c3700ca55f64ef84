package workload

import (
	"fmt"
	"reflect"
	"testing"
)

// fill gives every field of v that is told to others a value of its own, lists three elements.
func fill(v reflect.Value, n *int64) {
	*n++
	switch v.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(*n * (*n%3 - 1) * 1000)
	case reflect.Float32:
		v.SetFloat(float64(*n) / 8)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d ü", *n))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range 3 {
			fill(v.Index(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n)
			}
		}
	default:
		panic(v.Kind())
	}
}

// Every field of an application comes back from a spool, whatever fields there are; lists that are nil, and those that are empty, too.
func TestPackingHasEveryField(t *testing.T) {
	var full Application
	n := int64(0)
	fill(reflect.ValueOf(&full).Elem(), &n)
	empty := Application{Hosts: []string{}, Files: []File{}}
	for i, a := range []*Application{&full, {}, &empty} {
		for _, many := range []int{1, 400} { // in memory, and in the file
			s := newSpool()
			s.keep = true
			var at []spooled
			for range many {
				x := spooled{at: s.place()}
				if err := s.write(a); err != nil {
					t.Fatal(err)
				}
				x.end = s.place()
				at = append(at, x)
			}
			for _, k := range []int{0, many / 2, many - 1, many / 3, min(many/3+1, many-1)} {
				got, err := s.get(&at[k])
				if err != nil || !reflect.DeepEqual(got, a) {
					t.Fatalf("application %d of %d: %+v, %v; want %+v", i, many, got, err, a)
				}
			}
			if err := s.close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
