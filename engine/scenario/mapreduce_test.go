package scenario

import (
	"maps"
	"testing"
)

// The mapred-site.xml that came with a trace is in force, below one of the user; single keys lie over both. With Override the file lies over what a job sets.
func TestMapredSite(t *testing.T) {
	const key = "mapreduce.map.maxattempts"
	in := Input{Files: Files{MapredSite: {Text: site(key, "2")}}}
	own := Files{MapredSite: {Text: site(key, "3")}}
	for _, tt := range []struct {
		o              Options
		defaults, over map[string]string
	}{
		{Options{}, map[string]string{key: "2"}, nil},
		{Options{Files: own}, map[string]string{key: "3"}, nil},
		{Options{Files: own, Conf: map[string]string{key: "4"}}, map[string]string{key: "3"}, map[string]string{key: "4"}},
		{Options{Files: own, Override: true}, nil, map[string]string{key: "3"}},
	} {
		if s := resolve(t, in, tt.o).MapReduce(); !maps.Equal(s.Defaults, tt.defaults) || !maps.Equal(s.Over, tt.over) {
			t.Errorf("%+v: %v under the jobs and %v over them, want %v and %v", tt.o, s.Defaults, s.Over, tt.defaults, tt.over)
		}
	}
}
