package workload

// othersFirst are the rows of byID, but that an application comes behind those of the same submission after whose end it is submitted. In a circle
// the first by id does not.
func (x *index) othersFirst(yield func(*spooled, error) bool) {
	var same ties
	for s, err := range x.byID() {
		if err != nil {
			yield(nil, err)
			return
		}
		if len(same.list) > 0 && same.list[0].submitMS != s.submitMS && !same.flush(x.after, yield) {
			return
		}
		same.list = append(same.list, s)
	}
	same.flush(x.after, yield)
}

// ties are applications that are submitted at one time, by id.
type ties struct{ list []*spooled }

// flush yields them and is empty then; false when nobody wants more.
func (t *ties) flush(after map[int64][]string, yield func(*spooled, error) bool) bool {
	place := make(map[string]int, len(t.list))
	for i, s := range t.list {
		place[s.id] = i
	}
	seen := make([]bool, len(t.list))
	type visit struct{ at, next int } // an application, and which of those before it is looked at next
	var way []visit                   // down from one to those that have to come before it: a chain may be as long as the list
	for i := range t.list {
		if seen[i] {
			continue
		}
		seen[i], way = true, append(way, visit{at: i})
		for len(way) > 0 {
			v := &way[len(way)-1]
			s := t.list[v.at]
			if before := after[s.at]; v.next < len(before) {
				at, is := place[before[v.next]]
				v.next++
				if is && !seen[at] {
					seen[at], way = true, append(way, visit{at: at})
				}
				continue
			}
			way = way[:len(way)-1]
			if !yield(s, nil) {
				return false
			}
		}
	}
	t.list = t.list[:0]
	return true
}
