package parting

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"replay/engine/record"
)

// decisions are random ones in which each container that ends was allocated.
func decisions(seed uint64, n int) (out []record.Decision) {
	rng := rand.New(rand.NewPCG(seed, 0))
	var held []record.Decision
	for i := range n {
		d := record.Decision{Seq: int64(i + 1), Time: int64(i) * 10, Kind: "allocate", Job: rng.Int64N(4), AMAttempt: 1, Container: int64(i + 1), Node: rng.Int32N(3), MemMiB: 1024 * (1 + rng.Int64N(4)), VCores: 1 + rng.Int64N(2)}
		if len(held) > 0 && rng.IntN(2) == 0 {
			k := rng.IntN(len(held))
			d = held[k]
			held = slices.Delete(held, k, k+1)
			d.Seq, d.Time, d.Kind = int64(i+1), int64(i)*10, "complete"
		} else {
			held = append(held, d)
		}
		out = append(out, d)
	}
	return out
}

// A change of one decision, anywhere, is found where it is; the books before it are those of counting anew.
func TestFindsThePlantedDecision(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 1))
		a := decisions(seed, 200)
		b := slices.Clone(a)
		at := rng.IntN(len(b))
		b[at].Node += 7
		p := Find(slices.Values(a), slices.Values(b))
		if p.At != int64(at+1) || *p.Sides[0] != a[at] || *p.Sides[1] != b[at] || p.All != [2]int64{200, 200} {
			t.Fatalf("seed %d: parts at %d, want %d", seed, p.At, at+1)
		}
		want := map[int64]Sum{}
		for _, d := range a[:at] {
			sign := int64(1)
			if d.Kind == "complete" {
				sign = -1
			}
			s := want[d.Job]
			s.add(&d, sign)
			want[d.Job] = s
		}
		for job, s := range want {
			if p.Before.ByJob[job] != s {
				t.Fatalf("seed %d: job %d holds %+v, want %+v", seed, job, p.Before.ByJob[job], s)
			}
		}
	}
}

func TestEnds(t *testing.T) {
	a := decisions(1, 50)
	if p := Find(slices.Values(a), slices.Values(a)); p.At != 0 || p.All != [2]int64{50, 50} {
		t.Errorf("equal ones part: %+v", p)
	}
	p := Find(slices.Values(a[:30]), slices.Values(a))
	if p.At != 31 || p.Sides[0] != nil || *p.Sides[1] != a[30] || p.All != [2]int64{30, 50} {
		t.Errorf("one that ends: %+v", p)
	}
	var text strings.Builder
	p.WriteText(&text, &Names{Sides: [2]string{"old", "new"}, Job: func(int64) (string, string) { return "nightly", "root.etl" }, Node: func(int32) (string, int64, int64) { return "host1", 8192, 4 }})
	for _, want := range []string{"They part at decision 31, of 30 in old and 50 in new.", "old at no decision any more", "in root.etl on host1", "queue root.etl", "of 8,192 MiB, 4 vcores"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}
