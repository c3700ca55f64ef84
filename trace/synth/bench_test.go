package synth

import (
	"path/filepath"
	"testing"
)

// Tasks a second: month has three preferred hosts for most tasks, alibaba-2018 none.
func BenchmarkGenerate(b *testing.B) {
	for name, jobs := range map[string]int{"month": 10_000, "alibaba-2018": 5000, "facebook-2010": 2000} {
		b.Run(name, func(b *testing.B) {
			p, err := Find(name)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			tasks := int64(0)
			for b.Loop() {
				r, err := Generate(b.Context(), filepath.Join(b.TempDir(), "t"), p, Options{Seed: 1, Jobs: jobs})
				if err != nil {
					b.Fatal(err)
				}
				tasks += r.Counts.Tasks
			}
			b.ReportMetric(float64(tasks)/b.Elapsed().Seconds(), "tasks/s")
		})
	}
}
