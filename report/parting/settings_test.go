package parting

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/engine/record"
)

// What two replays were told differently is found wherever it stands, and nothing else is.
func TestSettings(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, tt := range []struct {
		name   string
		change func(*record.Manifest)
		want   [3]string
	}{
		{"program", func(m *record.Manifest) { m.Commit, m.Modified = "0123456789abcdef", true }, [3]string{"program", "1.0", "1.0 of commit 0123456789ab, changed"}},
		{"scheduler", func(m *record.Manifest) { m.Scheduler = "fifo" }, [3]string{"scheduler", "fair", "fifo"}},
		{"sharing", func(m *record.Manifest) { m.Sharing = "drf" }, [3]string{"sharing", "fair", "drf"}},
		{"placement", func(m *record.Manifest) { m.Placement = "none" }, [3]string{"placement", "top", "none"}},
		{"seed", func(m *record.Manifest) { m.Seed = 2 }, [3]string{"seed", "1", "2"}},
		{"nodes", func(m *record.Manifest) { m.Nodes = 4000 }, [3]string{"nodes", "3", "4,000"}},
		{"load", func(m *record.Manifest) { m.Load = 0.8 }, [3]string{"load", "", "0.8"}},
		{"rate", func(m *record.Manifest) { m.Faster = 1.4 }, [3]string{"faster", "1", "1.4"}},
		{"end", func(m *record.Manifest) { m.Until = 60_000 }, [3]string{"until", "", "60.00 s"}},
		{"window", func(m *record.Manifest) { m.Window = &record.Window{FromMS: 0, ToMS: 1000} }, [3]string{"window", "", "0 s to 1.00 s"}},
		{"a key that one sets", func(m *record.Manifest) { m.Config["spark.task.cpus"] = "2" }, [3]string{"spark.task.cpus", "", "2"}},
		{"a key that one does not set", func(m *record.Manifest) { delete(m.Config, "spark.locality.wait") }, [3]string{"spark.locality.wait", "3s", ""}},
		{"a value of the model", func(m *record.Manifest) { m.Model["stop-ms"] = "0" }, [3]string{"model stop-ms", "80", "0"}},
		{"a policy", func(m *record.Manifest) { m.Policies[0].SHA256 = "fedcba98765432100" }, [3]string{"policy mine.star", "SHA-256 aaaa", "SHA-256 fedcba987654"}},
		{"a line of a file", func(m *record.Manifest) { m.Config["f.xml"] = "<a>\n  <c/>\n</a>\n" }, [3]string{"f.xml", "line 2: <b/>", "line 2: <c/>"}},
		{"a line more", func(m *record.Manifest) { m.Config["f.xml"] = "<a>\n  <b/>\n</a>\n<!-- -->" }, [3]string{"f.xml", "line 4: ", "line 4: <!-- -->"}},
		{"blanks of a file", func(m *record.Manifest) { m.Config["f.xml"] = "<a>\n <b/>\n</a>\n" }, [3]string{"f.xml", "a text", "another in its blanks"}},
		{"a file that one has not", func(m *record.Manifest) { delete(m.Config, "f.xml") }, [3]string{"f.xml", "a file", ""}},
		{"far in a long line", func(m *record.Manifest) { m.Config["long"] = long + "é2" + long }, [3]string{"long", "…" + long[:18] + "é1" + long[:40] + "…", "…" + long[:18] + "é2" + long[:40] + "…"}},
	} {
		base := func() *record.Manifest {
			return &record.Manifest{ProgramVersion: "1.0", Scheduler: "fair", Sharing: "fair", Placement: "top", Seed: 1, Nodes: 3, Faster: 1, Hosts: []string{"a"},
				Config:   map[string]string{"spark.locality.wait": "3s", "f.xml": "<a>\n  <b/>\n</a>\n", "long": long + "é1" + long},
				Model:    map[string]string{"stop-ms": "80"},
				Policies: []record.File{{Name: "mine.star", SHA256: "aaaa"}}}
		}
		a, b := base(), base()
		if got := Settings(a, b); got != nil {
			t.Fatalf("of equal replays: %v", got)
		}
		tt.change(b)
		if got, want := Settings(a, b), []Setting{{tt.want[0], [2]string{tt.want[1], tt.want[2]}}}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		}
	}
	var text strings.Builder
	WriteSettings(&text, []Setting{{"seed", [2]string{"1", "2"}}, {"load", [2]string{"", "0.8"}}}, [2]string{"a", "b"})
	if want := "told differently  a  b\nseed              1  2\nload              –  0.8\n–: not set, so as YARN, Spark or the trace has it.\n"; strings.ReplaceAll(fmt.Sprint(&text), " \n", "\n") != want {
		t.Errorf("written\n%s\nwant\n%s", &text, want)
	}
}
