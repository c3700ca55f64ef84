package table

import (
	"hash/maphash"
	"slices"

	"replay/counted"
)

// hash is of all columns of a row, also of those that have no role.
func (t *reader) hash(fields [][]byte) int64 {
	var h maphash.Hash
	h.SetSeed(t.seed)
	for _, f := range fields {
		h.Write(f)
		h.WriteByte(0)
	}
	return int64(h.Sum64())
}

// likeOthers counts the rows of a job that are the same as another.
func (t *reader) likeOthers(id []byte, rows []record) {
	if len(rows) < 2 {
		return
	}
	t.hashes = t.hashes[:0]
	for i := range rows {
		t.hashes = append(t.hashes, rows[i].whole)
	}
	slices.Sort(t.hashes)
	n := int64(len(rows) - len(slices.Compact(t.hashes)))
	if n > 0 && t.alike == 0 {
		t.firstAlike = string(id)
	}
	t.alike += n
}

// sayAlike warns of rows that are the same as another: several tasks, or a row that was written twice.
func (t *reader) sayAlike() {
	if t.alike > 0 {
		t.b.Warn("%s: the same as another of their job in every column, the first of job %s: each is a task of its own; if rows were written twice, import a file without the second ones (sort -u)",
			counted.Of(t.alike, "rows"), t.firstAlike)
	}
}
