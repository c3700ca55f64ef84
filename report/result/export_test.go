package result

// WithTasks is what Read makes of the tables that d is of, beside a tasks.json of a text.
func (d *Data) WithTasks(text []byte) (*Data, error) {
	with := *d
	with.Tasks = newData().Tasks
	if err := with.Tasks.read(text); err != nil {
		return nil, err
	}
	return &with, with.checked()
}

// WithSums is what Read makes of the tables that d is of, beside an aggregates.cbor of a text; with an error it is set aside.
func (d *Data) WithSums(text []byte) (*Data, error) {
	with := newData()
	with.Manifest = d.Manifest
	if err := with.restore(text); err != nil {
		return nil, err
	}
	with.Jobs = d.Jobs
	return with, with.checked()
}
