package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"replay/engine/master"
)

// TestProcessesEndInOrder ends processes of an application together and one by one at random times: they end in order of time and number, and count as an event each.
func TestProcessesEndInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	for round := range 300 {
		s := &sim{}
		a := &app{s: s, id: 3, kind: &appKind{rows: kinds[:]}, talker: talker{}}
		s.q.clear(0)
		s.q.clear(a.lane())
		s.q.clear(a.behind())
		s.apps = []*app{a}
		var want, got []due
		asked := 0
		end := func(n, at int64) {
			want = append(want, due{at: at, number: n})
			if asked++; n%3 > 0 {
				a.ends(n, at)
			} else {
				s.pushApp(at, evExit, a, n, n)
			}
		}
		for n := range int64(1 + random.IntN(20)) {
			end(n+1, random.Int64N(3))
		}
		for !s.q.empty() {
			e, _ := s.q.pop()
			s.now = e.at
			s.totals.Events++
			before := slices.Clone(a.exits)
			if a.exit(e.number(), e.arg == 0); e.arg != 0 {
				got = append(got, due{at: e.at, number: e.number()})
			}
			got = append(got, before[:len(before)-len(a.exits)]...)
		}
		slices.SortFunc(want, func(x, y due) int {
			if x.at != y.at {
				return int(x.at - y.at)
			}
			return int(x.number - y.number)
		})
		if !slices.Equal(got, want) || s.totals.Events != int64(asked) || a.inRow || len(a.exits) > 0 {
			t.Fatalf("round %d: processes ended as %v, want %v, %d events of %d", round, got, want, s.totals.Events, asked)
		}
	}
}

// talker makes the application one that may run ahead.
type talker struct{ master.Talker }
