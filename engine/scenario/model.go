package scenario

import "replay/engine/model"

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
