// Package training reads published traces of clusters on which models are trained: jobs of one gang, whose tasks have GPUs and start together.
package training

import (
	"cmp"
	"strings"
	"time"

	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/workload"
)

// clock reads times.
type clock struct {
	b    *workload.Builder
	said bool
}

// layouts are the writings of times, the last with a zone.
var layouts = []string{time.DateTime, "2006-01-02T15:04:05", "2006/01/02 15:04:05", "2006-01-02 15:04:05Z07:00"}

// instant reads a time, ms since 1970; trace.Unset for a text that says that there is none. A time without a zone is taken as UTC, which is said; the zone that Philly's analysis cuts off is cut off here, too.
func (c *clock) instant(text string) (ms int64, ok bool) {
	text = strings.TrimSpace(text)
	switch text {
	case "", "None", "null", "NaN", "NaT", "Unknown":
		return trace.Unset, true
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, " PST"), " PDT")
	for i, layout := range layouts {
		t, err := time.Parse(layout, text)
		if err != nil || t.UnixMilli() < 0 {
			continue
		}
		if i < len(layouts)-1 && !c.said {
			c.said = true
			c.b.Note("times are of a wall clock without a zone, taken as UTC: where clocks were put back or forth, what ran then is an hour longer or shorter")
		}
		return t.UnixMilli(), true
	}
	return trace.Unset, false
}

// defaultMemMiB is the memory of a task of which nothing is said.
const defaultMemMiB = 1024

// task is one task of a job, with the GPUs of one server; memMiB 0 = nothing is said of its memory.
func task(gpus, milliVCores, memMiB int64) containers.Size {
	s := containers.Size{MilliVCores: milliVCores, MemMiB: cmp.Or(memMiB, defaultMemMiB)}
	if gpus > 0 {
		s.Extra = trace.NamedValue{Name: trace.GPU, Value: gpus}
	}
	return s
}
