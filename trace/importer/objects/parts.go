package objects

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"replay/trace/importer/workload"
)

// Parts lists the files among inputs as [workload.Builder.Parts] does, but of a folder only those that are named as JSON or begin as an object does: logs and scripts lie beside what
// programs of Hadoop write.
func Parts(b *workload.Builder, inputs []string) (files []string, err error) {
	all, err := b.Parts(inputs, nil)
	if err != nil {
		return nil, err
	}
	var other []string
	for _, path := range all {
		if slices.Contains(inputs, path) || strings.HasSuffix(workload.BaseName(path), ".json") || beginsObject(path) {
			files = append(files, path)
		} else {
			other = append(other, filepath.Base(path))
		}
	}
	b.PassOver("not read, as it does not begin as JSON does", other)
	return files, nil
}

// beginsObject tells whether a file has an object at its beginning, or can't be read, which who reads it says.
func beginsObject(path string) bool {
	head, err := workload.Head(path)
	return err != nil || bytes.HasPrefix(bytes.TrimSpace(head), []byte("{"))
}
