package result

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"replay/engine/record"
)

// filled is a job of which each field has a value of its own, as texts and numbers make them.
func filled(text func(i int) string, number func(i int) int64) (j Job) {
	n := 0
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		for i := range v.NumField() {
			switch f := v.Field(i); f.Kind() {
			case reflect.Struct:
				fill(f)
			case reflect.Array:
				for k := range f.Len() {
					f.Index(k).SetInt(number(n))
					n++
				}
			case reflect.String:
				f.SetString(text(n))
				n++
			default:
				f.SetInt(number(n))
				n++
			}
		}
	}
	fill(reflect.ValueOf(&j).Elem())
	return j
}

// All of a job comes back, whatever it is.
func TestPackedJobs(t *testing.T) {
	text := func(i int) string { return fmt.Sprint("text ", i) }
	jobs := []Job{
		{},
		filled(text, func(i int) int64 { return int64(i) }),
		filled(func(int) string { return strings.Repeat("long ", 20_000) }, func(i int) int64 { return -int64(i) }),
		filled(text, func(i int) int64 { return []int64{math.MinInt64, math.MaxInt64, record.None}[i%3] }),
		filled(text, func(int) int64 { return record.None }),
	}
	for i := range int64(2000) {
		jobs = append(jobs, filled(text, func(n int) int64 { return i << (n % 60) }))
	}
	var p packedJobs
	for i := range jobs {
		p.add(&jobs[i])
	}
	if n := len(p.pages); n < 3 {
		t.Errorf("%d pages, want several", n)
	}
	got := p.take()
	if len(got) != len(jobs) {
		t.Fatalf("%d jobs came back of %d", len(got), len(jobs))
	}
	for i := range jobs {
		if got[i] != jobs[i] {
			t.Fatalf("job %d came back as %+v, was %+v", i, got[i], jobs[i])
		}
	}
	if again := p.take(); len(again) != 0 {
		t.Errorf("%d jobs come back again", len(again))
	}
}
