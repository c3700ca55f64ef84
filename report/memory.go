package report

import "replay/engine/record"

// Memory is a record.Sink that keeps what the metrics need and writes nothing.
type Memory struct{ *collector }

var _ record.Sink = Memory{}

// NewMemory returns an empty sink for one replay.
func NewMemory() Memory { return Memory{newCollector()} }

// Finish completes the result with its manifest. When the records contradict each other or the
// manifest's totals, it returns an error.
func (m Memory) Finish(manifest record.Manifest) (*Result, error) {
	data, err := m.finish(manifest, true)
	if err != nil {
		return nil, err
	}
	return newResult(data), nil
}
