// Package training reads published traces of clusters on which models are trained: jobs of one gang, whose tasks have GPUs and start together.
package training

import (
	"strings"
	"time"

	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/workload"
)

// layouts are the writings of times. They are those of the cluster's wall clock, without a zone.
var layouts = []string{time.DateTime, "2006-01-02T15:04:05", "2006/01/02 15:04:05"}

// instant reads a time as if it were in UTC, ms since 1970. The zone that Philly's analysis cuts off is cut off here, too. Absent are an empty text, None and null.
func instant(text string) (ms int64, absent, ok bool) {
	text = strings.TrimSpace(text)
	switch text {
	case "", "None", "null", "NaN", "Unknown":
		return trace.Unset, true, true
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, " PST"), " PDT")
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil && t.UnixMilli() >= 0 {
			return t.UnixMilli(), false, true
		}
	}
	return trace.Unset, false, false
}

// sayClock tells which clock the times are of.
func sayClock(b *workload.Builder) {
	b.Note("times are of a wall clock without a zone, taken as UTC: where clocks were put back or forth, what ran then is an hour longer or shorter")
}

// defaultMemMiB is the memory of a task of which nothing is said.
const defaultMemMiB = 1024

// task is one task of a job, with the GPUs of one server.
func task(gpus int64, milliVCores int64) containers.Size {
	s := containers.Size{MilliVCores: milliVCores, MemMiB: defaultMemMiB}
	if gpus > 0 {
		s.Extra = trace.NamedValue{Name: containers.GPU, Value: gpus}
	}
	return s
}
