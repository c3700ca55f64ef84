package model

import (
	"slices"
	"testing"
)

func TestBands(t *testing.T) {
	b := Band{"duration_job", 0.0425, 0.2, 37}
	text := []byte("# a comment\nam-start-ms=7\nerror.duration_job=0.0425,0.2,37\n")
	got, err := Bands("f", text)
	if err != nil || !slices.Equal(got, []Band{b}) {
		t.Errorf("%+v, %v", got, err)
	}
	m := DefaultModel()
	if err := m.SetLines("f", text); err != nil || m.AMStartMS != 7 {
		t.Errorf("%d, %v", m.AMStartMS, err)
	}
	for _, bad := range []string{"error.x=1,2", "error.=1,2,3", "error.x=-1,2,3", "error.x=1,NaN,3", "error.x=1,2,0", "error.x"} {
		if _, err := Bands("f", []byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
		if err := m.SetLines("f", []byte(bad)); err == nil {
			t.Errorf("%q is set", bad)
		}
	}
}
