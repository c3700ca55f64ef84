package record

import "testing"

// What has other nodes at the start, keeps another one, or is scaled is another cluster; what is not known of is none.
func TestCluster(t *testing.T) {
	of := func(nodes int64, changes ...string) Cluster {
		m := Manifest{Nodes: nodes, Config: map[string]string{"spark.locality.wait": "0s"}}
		for i, text := range changes {
			m.Config["change "+string(rune('1'+i))] = text
		}
		return m.Cluster()
	}
	scaled := (&Manifest{Nodes: 8, Scaling: &Scaling{}}).Cluster()
	for _, tt := range []struct {
		a, b Cluster
		want bool
	}{
		{of(8), of(8), false},
		{of(8), of(9), true},
		{of(8), of(8, "queue root.a weight 3"), false},
		{of(8), of(8, KeepNode+"n1"), true},
		{of(8, KeepNode+"n1", KeepNode+"n2"), of(8, KeepNode+"n2", KeepNode+"n1"), false},
		{of(8), scaled, true},
		{scaled, scaled, true}, // it is the replay that decides when nodes come
		{of(8), "", false},
	} {
		if tt.a.Differs(tt.b) != tt.want || tt.b.Differs(tt.a) != tt.want {
			t.Errorf("%q and %q: %v, want %v", tt.a, tt.b, tt.a.Differs(tt.b), tt.want)
		}
	}
}

// Texts that name a job stay one line, whatever its name has in it.
func TestJobCalledIsOneLine(t *testing.T) {
	for name, want := range map[string]string{"": "job 3", "etl": "job 3 (etl)", "a\nb": `job 3 (a\u000ab)`} {
		if got := JobCalled(3, name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
