package scenario

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"replay/trace"
)

func TestFromTrace(t *testing.T) {
	dir := filepath.Join("..", "..", "traces", "fair-weights")
	tr, err := trace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	sc, err := FromTrace(tr, Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := &sc.Input
	if in.Name != "fair-weights" || in.Hash != tr.Hash() || len(in.Nodes) == 0 || len(in.Users) == 0 || in.SpanMS <= 0 || in.LocalitySource == "" || in.DurationSource == "" {
		t.Errorf("input %+v, want what the trace says", in)
	}
	jobs := int64(0)
	for {
		if _, err := in.Jobs.Next(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		jobs++
	}
	if jobs == 0 || jobs != in.NumJobs || in.NumTasks < jobs {
		t.Errorf("%d jobs, want %d of %d tasks", jobs, in.NumJobs, in.NumTasks)
	}
	// The files that came with it are in force, and are called so, wherever the trace is.
	if !sc.AllocationFile || len(allocations(sc).Leaves) < 2 || len(sc.Warnings) > 0 {
		t.Errorf("allocation file %v, queues %v, warnings %v: want those attached", sc.AllocationFile, allocations(sc).Leaves, sc.Warnings)
	}
	if f, from := sc.File(YarnSite); from != OfTrace || f.Name != filepath.Join(attached, YarnSite) {
		t.Errorf("yarn-site.xml is %s of layer %d", f.Name, from)
	}
	m := sc.Manifest()
	if m.TraceHash != tr.Hash() || !strings.Contains(m.Config["fair-scheduler.xml"], "<allocations>") || m.Config["yarn.resourcemanager.scheduler.class"] != Schedulers[0].Class {
		t.Errorf("the manifest has trace %s and configuration %v", m.TraceHash, m.Config)
	}
	named, err := InputOf(tr, "recording-1", "logs/recording-1")
	if err != nil {
		t.Fatal(err)
	}
	if named.Name != "recording-1" || named.Files[YarnSite].Name != filepath.Join("logs", "recording-1", YarnSite) || named.Jobs != nil {
		t.Errorf("a trace by another name is %s with %s", named.Name, named.Files[YarnSite].Name)
	}
}
