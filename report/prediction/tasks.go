package prediction

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Task is a task attempt of a replay beside what was recorded of its task: a row of tasks.parquet. Times are ms from the
// start of the application, null where they are unknown. What was recorded is of the first attempt that succeeded.
type Task struct {
	Recording    string `parquet:"recording,dict"`
	Application  string `parquet:"application,dict"` // id
	Job          int32  `parquet:"spark_job"`
	Stage        int32  `parquet:"stage"` // as Spark numbers it
	StageAttempt int32  `parquet:"stage_attempt"`
	Index        int32  `parquet:"partition"` // position among the partitions of the stage
	Attempt      int32  `parquet:"attempt"`
	Speculative  bool   `parquet:"speculative"`
	End          string `parquet:"end,dict"` // of record.Task
	Container    int64  `parquet:"container"`

	Host         string `parquet:"host,dict"`
	RecordedHost string `parquet:"recorded_host,dict"`

	Level         string `parquet:"level,dict"`
	RecordedLevel string `parquet:"recorded_level,dict"`

	LaunchMS         int64  `parquet:"launch_ms"`
	RecordedLaunchMS *int64 `parquet:"recorded_launch_ms"`

	CoreMS         *int64 `parquet:"core_ms"` // from launch to end
	RecordedCoreMS *int64 `parquet:"recorded_core_ms"`
}

// writeTasks writes the tasks of all applications.
func (b *Report) writeTasks(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(file)
	w := parquet.NewGenericWriter[Task](buffer, parquet.CreatedBy("replay", "1", "0"),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest, Concurrency: 1}))
	var all []error
	for i := range b.Applications {
		_, err := w.Write(b.Applications[i].Tasks)
		all = append(all, err)
	}
	if err := errors.Join(append(all, w.Close(), buffer.Flush(), file.Close())...); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
