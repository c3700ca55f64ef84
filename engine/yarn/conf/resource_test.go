package conf

import (
	"errors"
	"testing"

	"replay/policy"
)

func TestResourceVectors(t *testing.T) {
	type vector struct {
		ID, Kind  any
		Types     []string
		In        string
		Missing   int64
		Res       []int64
		Pct       []float64
		Cluster   []int64
		OfCluster []int64 `json:"of_cluster"`
		Err       string
		Cause     string
		Conf      map[string]string
	}
	n := 0
	for v := range vectors[vector](t, "resources.jsonl") {
		switch v.Kind {
		case "parse":
			c, err := ParseResource(v.In, v.Types, v.Missing)
			if v.Err != "" {
				var e *Error
				if !errors.As(err, &e) || e.Text != v.Err {
					t.Errorf("%v %q: error %v, want %q", v.ID, v.In, err, v.Err)
				}
				break
			}
			if err != nil {
				t.Errorf("%v %q: %v", v.ID, v.In, err)
				break
			}
			if v.Pct != nil {
				share, ok := c.Percent()
				got := c.Resolve(resourceOf(v.Cluster))
				for i := range v.Types {
					if !ok || share[i] != v.Pct[i] || got[i] != v.OfCluster[i] {
						t.Errorf("%v %q: %v of %v is %v, want %v and %v", v.ID, v.In, share, v.Cluster, got, v.Pct, v.OfCluster)
						break
					}
				}
				break
			}
			if got, ok := c.Absolute(); !ok || got != resourceOf(v.Res) {
				t.Errorf("%v %q: %v, want %v", v.ID, v.In, got, v.Res)
			}
		case "increment":
			props := map[string]string{}
			for k, x := range v.Conf {
				props[k] = x
			}
			if len(v.Types) > 2 {
				props[keyResourceTypes] = v.Types[2]
			}
			s, err := NewSite(props)
			if v.Err != "" {
				var e *Error
				if !errors.As(err, &e) || e.Class+": "+e.Text != v.Err {
					t.Errorf("%v %v: error %v, want %q", v.ID, v.Conf, err, v.Err)
				}
				break
			}
			if err != nil || s.Increment != resourceOf(v.Res) {
				t.Errorf("%v %v: %v (%v), want %v", v.ID, v.Conf, s.Increment, err, v.Res)
			}
		default:
			continue
		}
		n++
	}
	if n == 0 {
		t.Error("no vector was compared")
	}
}

func resourceOf(v []int64) (r policy.Resource) {
	copy(r[:], v)
	return r
}

func FuzzParseResource(f *testing.F) {
	for _, s := range []string{"1024 mb, 4 vcores", "50%", "memory-mb=5,vcores=2", "30% cpu,50% memory", "1024.9mb 4 vcores", ",", "=", "99999999999999999999 mb,1 vcores"} {
		f.Add(s)
	}
	types := []string{memoryName, vcoresName, "yarn.io/gpu"}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseResource(text, types, 0)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		for i, v := range c.Resolve(policy.Resource{1 << 40, 1 << 20, 7}) {
			if v < 0 {
				t.Errorf("%q: type %d is %d", text, i, v)
			}
		}
	})
}
