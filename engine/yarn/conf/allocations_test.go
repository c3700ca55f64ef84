package conf

import (
	"encoding/json"
	"errors"
	"testing"
)

// chainOf is the form of exceptions in the vectors: class and message, outermost first.
func chainOf(err error) [][2]string {
	var e *Error
	if !errors.As(err, &e) {
		return nil
	}
	var out [][2]string
	for ; e != nil; e = e.Cause {
		text := e.Text
		if e.NoMsg {
			text = ""
		}
		out = append(out, [2]string{e.Class, text})
	}
	return out
}

func TestAllocationErrors(t *testing.T) {
	type vector struct {
		ID   int
		Site map[string]any
		XML  string
		Err  [][2]string
	}
	n := 0
	for v := range vectors[vector](t, "alloc_file.jsonl.gz") {
		site, err := NewSite(siteOf(v.Site))
		if err != nil {
			t.Fatalf("%d: %v", v.ID, err)
		}
		_, err = ParseAllocations([]byte(v.XML), site)
		var want [][2]string
		if v.Err != nil {
			want = v.Err[2:]
		}
		got := chainOf(err)
		if len(got) != len(want) {
			t.Errorf("%d: %v, want %v in\n%s", v.ID, err, want, v.XML)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%d: %v, want %v in\n%s", v.ID, got, want, v.XML)
				break
			}
		}
		n++
	}
	if n == 0 {
		t.Error("no vector was compared")
	}
}

// siteOf gives the properties of a vector as text.
func siteOf(m map[string]any) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		if s, ok := v.(string); ok {
			out[k] = s
			continue
		}
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		out[k] = string(b)
	}
	return out
}

func FuzzParseAllocations(f *testing.F) {
	for _, s := range []string{
		`<allocations><queue name="a"><weight>2</weight></queue></allocations>`,
		`<allocations><queue name="root"><queue name="b"><maxAMShare>-1</maxAMShare></queue></queue></allocations>`,
		`<allocations><queuePlacementPolicy><rule name="user"><rule name="primaryGroup"/></rule><rule name="reject"/></queuePlacementPolicy></allocations>`,
		`<!DOCTYPE a [<!ENTITY x "y">]><allocations>&x;</allocations>`,
		`<allocations><queueMaxResourcesDefault><![CDATA[50%]]> x</queueMaxResourcesDefault></allocations>`,
	} {
		f.Add([]byte(s))
	}
	site := DefaultSite()
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := ParseAllocations(text, site)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		for _, q := range append(a.Leaves, a.Parents...) {
			a.Settings(q)
		}
	})
}
