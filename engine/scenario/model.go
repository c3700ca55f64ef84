package scenario

import (
	"replay/engine/model"
	"replay/engine/record"
)

// Bands are those of the model file.
func (o *Options) Bands() (list []record.Band) {
	f := o.Files[ModelFile]
	bands, _ := model.Bands(f.Name, f.Text) // the model was read from it
	for _, b := range bands {
		list = append(list, record.Band(b))
	}
	return list
}

// ResolveModel returns the latencies and factors in force: Model, under the model file, under Parameters.
func (o *Options) ResolveModel() (model.Model, error) {
	m := o.Model
	if m == (model.Model{}) {
		m = model.DefaultModel()
	}
	if f, ok := o.Files[ModelFile]; ok {
		if err := m.SetLines(f.Name, f.Text); err != nil {
			return m, err
		}
	}
	for _, name := range sortedKeys(o.Parameters) {
		if err := m.Set(name, o.Parameters[name]); err != nil {
			return m, optionf("--model: %w", err)
		}
	}
	return m, nil
}
