package result

import (
	"errors"
	"fmt"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"replay/engine/record"
)

// arrowSeries writes the samples as an Arrow IPC file with the columns of series.parquet.
// Arrow is used for IPC only; Parquet files are parquet-go's.
type arrowSeries struct {
	path   string
	file   *os.File
	writer *ipc.FileWriter
	build  *array.RecordBuilder
	rows   int
	err    error
}

// arrowColumns are the number columns after time and queue; those that may be null are None then.
var arrowColumns = []struct {
	name     string
	nullable bool
	of       func(*record.Sample) int64
}{
	{"used_memory_mib", false, func(s *record.Sample) int64 { return s.UsedMem }},
	{"used_vcores", false, func(s *record.Sample) int64 { return s.UsedVCores }},
	{"reserved_memory_mib", false, func(s *record.Sample) int64 { return s.ReservedMem }},
	{"pending_memory_mib", false, func(s *record.Sample) int64 { return s.PendingMem }},
	{"pending_vcores", false, func(s *record.Sample) int64 { return s.PendingVCores }},
	{"demand_memory_mib", false, func(s *record.Sample) int64 { return s.DemandMem }},
	{"demand_vcores", false, func(s *record.Sample) int64 { return s.DemandVCores }},
	{"fair_memory_mib", true, func(s *record.Sample) int64 { return s.FairMem }},
	{"fair_vcores", true, func(s *record.Sample) int64 { return s.FairVCores }},
	{"steady_memory_mib", true, func(s *record.Sample) int64 { return s.SteadyMem }},
	{"steady_vcores", true, func(s *record.Sample) int64 { return s.SteadyVCores }},
	{"capacity_memory_mib", false, func(s *record.Sample) int64 { return s.CapacityMem }},
	{"capacity_vcores", false, func(s *record.Sample) int64 { return s.CapacityVCores }},
	{"busy_cores", false, func(s *record.Sample) int64 { return s.BusyCores }},
	{"apps_running", false, func(s *record.Sample) int64 { return s.Running }},
	{"apps_pending", false, func(s *record.Sample) int64 { return s.Pending }},
	{"containers", false, func(s *record.Sample) int64 { return s.Containers }},
	{"nodes", false, func(s *record.Sample) int64 { return s.Nodes }},
}

func newArrowSeries(path string) (*arrowSeries, error) {
	fields := []arrow.Field{{Name: "time_ms", Type: arrow.PrimitiveTypes.Int64}, {Name: "queue", Type: arrow.BinaryTypes.String}}
	for _, c := range arrowColumns {
		fields = append(fields, arrow.Field{Name: c.name, Type: arrow.PrimitiveTypes.Int64, Nullable: c.nullable})
	}
	schema := arrow.NewSchema(fields, nil)
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	w, err := ipc.NewFileWriter(file, ipc.WithSchema(schema))
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &arrowSeries{path: path, file: file, writer: w, build: array.NewRecordBuilder(memory.NewGoAllocator(), schema)}, nil
}

func (a *arrowSeries) add(s *record.Sample) {
	a.build.Field(0).(*array.Int64Builder).Append(s.Time)
	a.build.Field(1).(*array.StringBuilder).Append(s.Queue)
	for i, c := range arrowColumns {
		b := a.build.Field(i + 2).(*array.Int64Builder)
		if v := c.of(s); c.nullable && v == record.None {
			b.AppendNull()
		} else {
			b.Append(v)
		}
	}
	if a.rows++; a.rows == batchRows {
		a.flush()
	}
}

func (a *arrowSeries) flush() {
	batch := a.build.NewRecord()
	defer batch.Release()
	if a.err == nil && batch.NumRows() > 0 {
		a.err = a.writer.Write(batch)
	}
	a.rows = 0
}

// Close writes what is left and the footer.
func (a *arrowSeries) Close() error {
	a.flush()
	a.build.Release()
	if err := errors.Join(a.err, a.writer.Close(), a.file.Close()); err != nil {
		return fmt.Errorf("%s: %w", a.path, err)
	}
	return nil
}

func (a *arrowSeries) abandon() { a.file.Close() }
