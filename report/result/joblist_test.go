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
	if len(p.at) != len(jobs) {
		t.Fatalf("%d jobs were kept of %d", len(p.at), len(jobs))
	}
	for i := range jobs {
		got := filled(func(int) string { return "left" }, func(int) int64 { return 77 })
		if p.read(p.at[i], &got); got != jobs[i] {
			t.Fatalf("job %d came back as %+v, was %+v", i, got, jobs[i])
		}
	}
	if l := p.jobs(); l.Len() != len(jobs) || len(p.at) != 0 {
		t.Errorf("%d jobs, and %d are left", l.Len(), len(p.at))
	}
}

// Jobs are in the order of their numbers, found and given alike, whether they are few or many.
func TestJobs(t *testing.T) {
	for _, n := range []int{0, 1, mostWhole, mostWhole + 1} {
		var list []Job
		for i := range n {
			id := int64((i*7919)%n) * 3 // each once, in another order
			list = append(list, Job{Job: record.Job{ID: id, Name: fmt.Sprint("job ", id), Submit: id}})
		}
		l := JobsOf(list)
		if (n > mostWhole) != (len(l.packed.at) > 0) || l.Len() != n {
			t.Fatalf("%d jobs of %d, %d packed", l.Len(), n, len(l.packed.at))
		}
		id := int64(0)
		for j := range l.All() {
			if j.ID != id || j.Name != fmt.Sprint("job ", id) {
				t.Fatalf("of %d, %+v follows %d", n, j, id)
			}
			id += 3
		}
		if id != int64(3*n) {
			t.Errorf("of %d jobs %d are given", n, id/3)
		}
		for _, id := range []int64{-1, 0, 1, 3, int64(3*n) - 3, int64(3 * n)} {
			if j := l.Find(id); (j != nil) != (id >= 0 && id%3 == 0 && id < int64(3*n)) || j != nil && j.ID != id {
				t.Errorf("of %d, %d finds %+v", n, id, j)
			}
		}
	}
}
