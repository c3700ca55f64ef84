package workload

import (
	"os"
	"path/filepath"
	"testing"

	"replay/trace"
)

// Nodes of any number and size are in their range, or refused.
func FuzzNodes(f *testing.F) {
	f.Add(2, int64(0), int32(0), 1, 3, "a")
	f.Add(0, int64(1)<<62, int32(1)<<30, 2, 1, "")
	f.Add(100, int64(1), int32(1), 1<<40, 1<<40, "host1")
	f.Add(-1, int64(-1), int32(-1), 0, 0, "\x00")
	out := filepath.Join(f.TempDir(), "out")
	f.Fuzz(func(t *testing.T, nodes int, memMiB int64, vcores int32, racks, replication int, host string) {
		o := DefaultOptions()
		o.Nodes, o.NodeMemMiB, o.NodeVCores, o.Racks, o.Replication, o.Out = nodes%64, memMiB, vcores, racks, replication, out
		if _, err := of(onHosts(host, "b")).Import(t.Context(), "test", nil, o); err != nil {
			if _, stat := os.Stat(out); stat == nil {
				t.Errorf("a trace was left behind although %v", err)
			}
			return
		}
		defer os.RemoveAll(out)
		check, err := trace.Check(t.Context(), o.Out, 3)
		if err != nil || !check.OK() {
			t.Errorf("%+v, %v", check, err)
		}
	})
}
