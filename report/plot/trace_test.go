package plot

import (
	"bytes"
	"testing"

	"replay/report/figure"
	"replay/trace"
)

func TestTrace(t *testing.T) {
	in := &trace.Info{SpanMS: 2000, Cluster: trace.Size{VCores: 10, MemMiB: 100}}
	for i := range 3 {
		in.Timeline = append(in.Timeline, trace.Slot{StartMS: int64(i) * 1000, Work: trace.Work{VCoreMS: float64(i) * 5000, MemMiBMS: 1000}})
	}
	for _, format := range figure.Formats() {
		a, err := Trace(in, format)
		if err != nil || len(a) < 500 {
			t.Errorf("%s: %d bytes, %v", format, len(a), err)
		}
		b, err := Trace(in, format)
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: drawn twice, bytes differ; %v", format, err)
		}
	}
	if _, err := Trace(in, "gif"); err == nil {
		t.Error("a figure in an unknown format")
	}
	if _, err := Trace(&trace.Info{}, "svg"); err == nil {
		t.Error("a figure of nothing")
	}
}
