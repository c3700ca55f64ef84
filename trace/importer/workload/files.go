package workload

import (
	"strconv"

	"replay/trace"
)

// sharedFiles are the files that all applications know by the same name.
type sharedFiles struct {
	rows []File
	id   map[string]int32
}

func (s *sharedFiles) add(f *File) {
	id, ok := s.id[f.Name]
	if !ok {
		id = int32(len(s.rows))
		s.id[f.Name] = id
		s.rows = append(s.rows, *f)
		s.rows[id].ID = id
	}
	s.rows[id].grow(&f.File)
}

// file adds a file to the trace, named after its owner.
func (t *writing) file(f trace.File, owner string) error {
	f.ID, f.Name = t.files, owner+f.Name
	if t.Options.Blocks == "hdfs" {
		f.Replication = int32(t.Options.Replication)
	}
	t.files++
	return t.w.AddFile(f)
}

// filesOf adds the files that an application does not share to the trace, and puts the ids of the trace into its stages.
func (t *writing) filesOf(a *Application) error {
	id := make([]int32, len(a.Files))
	for i, f := range a.Files {
		if f.Shared {
			id[i] = t.shared.id[f.Name]
			continue
		}
		id[i] = t.files
		if err := t.file(f.File, a.Job.ExternalID+":"); err != nil {
			return err
		}
	}
	for i := range a.Job.Stages {
		if s := &a.Job.Stages[i]; s.FileID != trace.Unset {
			s.FileID = id[s.FileID]
		}
	}
	return nil
}

// copyOf is the external id of a copy of an application.
func copyOf(id string, copy int) string {
	if copy == 0 {
		return id
	}
	return id + "#" + strconv.Itoa(copy)
}
