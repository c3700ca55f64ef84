package workload

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"replay/trace"
)

// What is known of a recording comes back whole, from memory and from the file that many make.
func TestDetailsComeBack(t *testing.T) {
	for _, n := range []int{3, 3000} {
		var s details
		var places []place
		var want []*detail
		for i := range n {
			d := &detail{
				input: Input{
					Path: fmt.Sprintf("/logs/ü %d", i), Label: "logs/x", Sources: []trace.SourceFile{{Name: fmt.Sprintf("ü %d", i), SHA256: "00"}, {Name: "b"}}[:1+i%2], Bytes: 1 << 40, Application: "app", Attempt: "2",
					Name: strings.Repeat("n", i%200), Version: "3.5.5", StartMS: trace.Unset, EndMS: 1_700_000_000_000, Ended: i%2 == 0, Cut: i%3 == 0, Tasks: int64(i),
				},
				counts: []packed{{n: -5, name: 7, part: 6}, {n: 1 << 50}},
				resident: &resident{
					hosts: []int32{0, 9, int32(i)}, executors: []held{{from: 5, to: trace.Unset, host: 3, size: 1}, {from: -7, to: 1 << 45}}, finishMS: trace.Unset,
					am: shape{1408, 1}, amExtra: []trace.NamedValue{{Name: "gpu", Value: 2}}, tasks: i%3 == 0, largest: shape{1 << 27, 1 << 17},
					further: []trace.NamedValue{{Name: "a", Value: -1}, {Name: "", Value: 3}}, work: trace.Work{VCoreMS: 0.1, MemMiBMS: 1e300, Further: map[string]float64{"a": 0.25, "": 1e300}}, longestMS: 77,
					gangs: []gang{{shape{1024, 1}, 12}},
				},
			}
			p, err := s.put(d)
			if err != nil {
				t.Fatal(err)
			}
			places, want = append(places, p), append(want, d)
		}
		if _, inMemory := s.InMemory(0, 1); inMemory == (n > 1000) {
			t.Errorf("%d details are in memory: %v", n, inMemory)
		}
		for i := n - 1; i >= 0; i-- {
			got, err := s.get(places[i])
			if err != nil || !reflect.DeepEqual(got, want[i]) {
				t.Fatalf("detail %d: %+v, %v; want %+v", i, got, err, want[i])
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
