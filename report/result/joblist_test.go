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
	for _, most := range []int{0, 1, 3} { // pages in memory
		p := packedJobs{pages: jobPages{most: most}}
		for i := range jobs {
			p.add(&jobs[i])
			if i == len(jobs)/2 {
				p.pages.stay()
			}
		}
		if n := len(p.pages.list); n < 5 {
			t.Errorf("%d pages, want several", n)
		}
		if n := len(p.pages.left); (n > 0) != (most > 0) {
			t.Errorf("%d of %d pages are in the file", n, len(p.pages.list))
		}
		n := 0
		r := pageReader{pages: &p.pages}
		for at, id := range p.each {
			var got Job
			if p.read(r.page(int(at.page)), at, &got); got != jobs[n] || id != got.ID {
				t.Fatalf("job %d, of number %d, came back as %+v, was %+v", n, id, got, jobs[n])
			}
			n++
		}
		if n != len(jobs) {
			t.Fatalf("%d jobs were kept of %d", n, len(jobs))
		}
		if l := p.jobs(); l.Len() != len(jobs) || len(p.pages.list) != 0 {
			t.Errorf("%d jobs, and %d pages are left", l.Len(), len(p.pages.list))
		}
	}
}

// A collector whose jobs wait in a file has a state with all of them, and goes on after it.
func TestStateOfPagesInFile(t *testing.T) {
	c := NewCollector()
	c.done.pages.most = 1
	add := func(c *Collector, from int64) {
		for i := range int64(1000) {
			c.done.add(&Job{Job: record.Job{ID: from + i, Name: strings.Repeat("n", 200)}})
		}
	}
	add(c, 0)
	if len(c.done.pages.left) == 0 {
		t.Fatal("no page is in the file")
	}
	state, err := c.State()
	if err != nil {
		t.Fatal(err)
	}
	other := NewCollector()
	if err := other.GoOn(state); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Collector{c, other} {
		add(c, 1000)
		l := c.done.jobs()
		id := int64(0)
		for j := range l.All() {
			if j.ID != id || len(j.Name) != 200 {
				t.Fatalf("%+v follows %d", j, id)
			}
			id++
		}
		if id != 2000 {
			t.Errorf("%d jobs, want 2000", id)
		}
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
		p := packedJobs{pages: jobPages{most: 2}}
		for i := range list {
			p.add(&list[i])
		}
		l := p.jobs()
		if n > mostWhole && len(l.packed.pages.left) == 0 {
			t.Error("no page is in the file")
		}
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
