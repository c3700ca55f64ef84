package trace

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"
)

// Tasks with three preferred nodes each, in jobs of the given size.
func benchTrace(tasks, perStage int, prefs bool) *MemoryTrace {
	m := bigTrace(1)
	first := m.JobList[0]
	m.JobList = nil
	x := uint32(7)
	for left := tasks; left > 0; left -= perStage {
		j := *first
		j.ID = int64(len(m.JobList))
		j.SubmitMS = j.ID * 1000
		s := first.Stages[0]
		s.Tasks = Tasks{}
		if prefs {
			s.Tasks.PrefStart = []int32{0}
		}
		for range min(left, perStage) {
			x = x*1664525 + 1013904223
			s.Tasks.DurationMS = append(s.Tasks.DurationMS, int64(x>>14))
			s.Tasks.InputBytes = append(s.Tasks.InputBytes, 1<<27)
			if prefs {
				n := int32(x>>8) % 48
				s.Tasks.Pref = append(s.Tasks.Pref, n, n+1, n+2)
				s.Tasks.PrefStart = append(s.Tasks.PrefStart, int32(len(s.Tasks.Pref)))
			}
		}
		j.Stages = []Stage{s}
		m.JobList = append(m.JobList, &j)
	}
	return m
}

func BenchmarkWrite(b *testing.B) {
	for _, prefs := range []bool{false, true} {
		b.Run(fmt.Sprintf("tasks=500000/prefs=%v", prefs), func(b *testing.B) {
			m := benchTrace(500_000, 1000, prefs)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := m.Write(filepath.Join(b.TempDir(), "t")); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(500_000*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for _, perStage := range []int{10, 1000} {
		for _, prefs := range []bool{false, true} {
			b.Run(fmt.Sprintf("tasks=1000000/stage=%d/prefs=%v", perStage, prefs), func(b *testing.B) {
				dir := filepath.Join(b.TempDir(), "t")
				if err := benchTrace(1_000_000, perStage, prefs).Write(dir); err != nil {
					b.Fatal(err)
				}
				tr, err := Open(dir)
				if err != nil {
					b.Fatal(err)
				}
				defer tr.Close()
				b.ReportAllocs()
				for b.Loop() {
					n := int64(0)
					source := tr.Jobs()
					for {
						j, err := source.Next()
						if err == io.EOF {
							break
						}
						if err != nil {
							b.Fatal(err)
						}
						n += j.NumTasks()
					}
					if n != 1_000_000 {
						b.Fatalf("%d tasks read, want 1000000", n)
					}
				}
				b.ReportMetric(1e6*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
			})
		}
	}
}
