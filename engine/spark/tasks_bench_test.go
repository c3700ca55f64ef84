package spark

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkTasks runs whole stages: every executor has 4 cores, every finished task leads to an offer
// of its executor, as in a replay. One operation is one task, launched and handled.
func BenchmarkTasks(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		for _, prefs := range []int{0, 3} {
			for _, execs := range []int{10, 1000} {
				b.Run(fmt.Sprintf("tasks=%d/prefs=%d/executors=%d", n, prefs, execs), func(b *testing.B) {
					benchmarkTasks(b, n, prefs, execs)
				})
			}
		}
	}
}

func benchmarkTasks(b *testing.B, n, prefs, execs int) {
	conf := testConf(b, nil)
	const hosts = 1000
	racks := make([]int32, hosts)
	for i := range racks {
		racks[i] = int32(i / 20)
	}
	r := rand.New(rand.NewPCG(1, 1))
	spec := TaskSetSpec{Tasks: n, TaskCPUs: 1}
	if prefs > 0 {
		spec.PrefStart = []int32{0}
		for range n {
			for range prefs {
				spec.Hosts = append(spec.Hosts, int32(r.IntN(hosts)))
			}
			spec.PrefStart = append(spec.PrefStart, int32(len(spec.Hosts)))
		}
	}
	b.ReportAllocs()
	done := 0
	for done < b.N {
		s := NewTaskScheduler(conf, NewPools(FIFO, nil), racks, nil)
		set := s.Submit(0, &spec)
		offers := make([]Offer, execs)
		for i := range offers {
			offers[i] = Offer{Exec: int32(i), Host: int32(i % hosts), Cores: 4}
		}
		now := int64(0)
		queue := append([]TaskRef(nil), s.ResourceOffers(now, offers, true)...)
		for at := 0; set.Succeeded() < n; {
			if at == len(queue) {
				now += 3000
				queue = append(queue[:0], s.ResourceOffers(now, offers, true)...)
				at = 0
				continue
			}
			l := queue[at]
			at++
			now++
			exec := set.Attempt(l.Row).Exec
			if !s.StatusUpdate(l) {
				b.Fatal("lost")
			}
			queue = append(queue, s.ResourceOffers(now, []Offer{{Exec: exec, Host: exec % hosts, Cores: 1}}, false)...)
			s.Succeeded(now, l)
			s.Take()
			done++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(done), "ns/task")
}
