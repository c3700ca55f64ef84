package verify

import "replay/spill"

// readTasks groups the task attempts by job, after the job's containers.
func (v *verifier) readTasks() error {
	const file = "tasks.parquet"
	ok, err := v.exists(file)
	if err != nil || !ok {
		return err
	}
	v.hasTasks = true
	var packed spill.Packer
	var failed error
	err = rows(v, file, func(row int64, r *taskRow) {
		if failed == nil {
			packed = packed[:0]
			r.pack(&packed, row)
			failed = v.byJob.Add(key(r.Job), packed)
		}
	})
	if err == nil {
		err = failed
	}
	return err
}
