package lineup

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A lineup is a sorted list: whoever enters and leaves, and whatever becomes of what those that leave are compared by.
func TestLineup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type member struct {
			key, id int
			Place[*member]
		}
		compare := func(a, b *member) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id)) }
		members := make([]*member, 40)
		for i := range members {
			members[i] = &member{id: i}
			members[i].Member = members[i]
		}
		var l Of[*member]
		var want []*member
		for range rapid.IntRange(1, 120).Draw(t, "moves") {
			m := members[rapid.IntRange(0, len(members)-1).Draw(t, "who")]
			m.key = rapid.IntRange(0, 9).Draw(t, "key")
			m.Leave()
			want = slices.DeleteFunc(want, func(o *member) bool { return o == m })
			if rapid.IntRange(0, 3).Draw(t, "enters") > 0 {
				l.Enter(&m.Place, compare)
				want = append(want, m)
				slices.SortFunc(want, compare)
			}
			var got []*member
			for p := l.First(); p != nil; p = p.Next() {
				got = append(got, p.Member)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d members are not in order", len(got))
			}
		}
	})
}
