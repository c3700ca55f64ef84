package live

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recording without a whole poll leaves nothing behind but event logs, which the next one need not fetch again; what was there stays.
func TestNothingFoundNothingLeft(t *testing.T) {
	c := busy(t)
	for _, tt := range []struct {
		name   string
		there  bool
		refuse string // what the server refuses to answer
	}{{"a new folder", false, "/"}, {"an empty folder", true, "/"}, {"after some answers", false, "/ws/v1/cluster/apps"}} {
		c.Before = func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, tt.refuse) {
				http.Error(w, "no", http.StatusForbidden)
			}
		}
		out := filepath.Join(t.TempDir(), "rec")
		if tt.there {
			if err := os.Mkdir(out, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Record(t.Context(), options(c, out)); err == nil || !strings.Contains(err.Error(), "403") {
			t.Fatalf("%s: error %v, want that of the answer", tt.name, err)
		}
		entries, err := os.ReadDir(out)
		if there := err == nil; there != tt.there || len(entries) > 0 {
			t.Errorf("%s: %v, %v is left", tt.name, err, entries)
		}
		c.Before = nil
		if r := record(t, options(c, out)); r.Counts.Applications != 2 {
			t.Errorf("%s, then: counts are %+v", tt.name, r.Counts)
		}
		c.Before = func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusForbidden) }
		if _, err := Record(t.Context(), options(c, out)); err == nil {
			t.Errorf("%s: want an error of the second poll", tt.name)
		}
		if len(content(t, out)) < 3 {
			t.Errorf("%s: a poll that failed took the recording away", tt.name)
		}
	}
	out := filepath.Join(t.TempDir(), "rec")
	s, err := openStore(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.write(eventLogs+"/"+app1, []byte("log")); err != nil {
		t.Fatal(err)
	}
	s.close()
	if len(content(t, out)) < 2 {
		t.Error("a recording with an event log is gone")
	}
}
