package workflow

import (
	"encoding/binary"
	"math"
	"slices"

	"replay/trace/importer/containers"
)

// A Record is a task as a source has it, before defaults, while it waits for the others of its workflow. Numbers that are not
// known are trace.Unset, or -1.
type Record struct {
	Task
	User           int64
	VCores, MemMiB float64
}

// Append packs the record.
func (r *Record) Append(b []byte) []byte {
	for _, v := range []int64{r.SubmitMS, r.Task.Task.DurationMS, r.Task.Task.WaitMS, r.User, int64(len(r.Parents))} {
		b = binary.AppendVarint(b, v)
	}
	for _, v := range []float64{r.VCores, r.MemMiB} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	for _, s := range slices.Concat([]string{r.ID, r.Type, r.Task.Task.Host}, r.Parents, r.Children) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// unpack reads what Append has made.
func unpack(b []byte) (r Record) {
	next := func() int64 {
		v, n := binary.Varint(b)
		b = b[n:]
		return v
	}
	float := func() float64 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(b))
		b = b[8:]
		return v
	}
	r.SubmitMS = next()
	r.Task.Task = containers.Task{DurationMS: next(), WaitMS: next()}
	r.User = next()
	parents := int(next())
	r.VCores, r.MemMiB = float(), float()
	var words []string
	for len(b) > 0 {
		n, k := binary.Uvarint(b)
		words = append(words, string(b[k:k+int(n)]))
		b = b[k+int(n):]
	}
	r.ID, r.Type, r.Task.Task.Host = words[0], words[1], words[2]
	r.Parents, r.Children = words[3:3+parents], words[3+parents:]
	return r
}
