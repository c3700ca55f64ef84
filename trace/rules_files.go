package trace

import (
	"bytes"
	"encoding/binary"
	"errors"

	"replay/spill"
)

// fileRules are the rules of the table of files, which may have a row for each job: they follow its rows one by one.
type fileRules struct {
	*rules
	names *spill.Sorter // each with its row
	buf   []byte
}

func (r *rules) ofFiles() *fileRules { return &fileRules{rules: r, names: spill.NewSorter()} }

// row checks the next row.
func (r *fileRules) row(f *File) error {
	row := r.files
	r.files++
	var empty error
	if f.Name == "" {
		empty = r.bad(tableFiles, int64(row), "name", f.Name, "a name")
	}
	if err := firstOf(
		r.dense(tableFiles, "file_id", row, f.ID), empty, r.text(tableFiles, int64(row), "name", f.Name),
		r.fields(tableFiles, int64(row), fileFields, f.Bytes, f.BlockBytes, int64(f.Blocks), int64(f.Replication)),
	); err != nil {
		return err
	}
	r.buf = binary.BigEndian.AppendUint32(r.buf[:0], uint32(len(f.Name))) // names of one length together: equal ones are neighbours
	r.buf = append(r.buf, f.Name...)
	return r.names.Add(binary.BigEndian.AppendUint64(r.buf, uint64(row)))
}

// end checks after the last row that each name is there once.
func (r *fileRules) end() (err error) {
	defer func() { err = errors.Join(err, r.names.Close()) }()
	var name []byte
	first := uint64(0)
	for rec, err := range r.names.All() {
		if err != nil {
			return err
		}
		at := len(rec) - 8
		row := binary.BigEndian.Uint64(rec[at:])
		if name == nil || !bytes.Equal(rec[:at], name) {
			name, first = append(name[:0], rec[:at]...), row
			continue
		}
		if err := r.bad(tableFiles, int64(row), "name", string(name[4:]), "another name than row %d", first); err != nil {
			return err
		}
	}
	return nil
}
