package recorded

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"replay/trace"
)

// A file of attempts with other columns is refused by the name of the first that differs, not read as zeros.
func TestForeignAttempts(t *testing.T) {
	type renamed struct {
		Job   int64 `parquet:"job_id"`
		Stage int32 `parquet:"stage"`
	}
	type text struct {
		Job string `parquet:"job_id"`
	}
	type nulls struct {
		Job *int64 `parquet:"job_id,optional"`
	}
	for _, tt := range []struct {
		data []byte
		want string
	}{
		{parquetOf(t, []renamed{{}}), "recorded_attempts.parquet: column stage_id is missing, want INT32"},
		{parquetOf(t, []text{{}}), "recorded_attempts.parquet: column job_id is BYTE_ARRAY, want INT64"},
		{parquetOf(t, []nulls{{}}), "recorded_attempts.parquet: column job_id may be null, want INT64 in each row"},
		{parquetOf(t, []Attempt{{}}), "recorded_attempts.parquet: row 0: job 0, stage 0: not in recorded.json"},
		{[]byte("PAR1"), "recorded_attempts.parquet: not a Parquet file: "},
	} {
		if err := ReadAttempts(tt.data, nil); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
	apps := []App{{Stages: make([]Stage, 1)}}
	if err := ReadAttempts(parquetOf(t, []Attempt{{CoreMS: 7, End: EndKilled}}), apps); err != nil || len(apps[0].Stages[0].Tasks) != 1 || apps[0].Stages[0].Tasks[0].CoreMS != 7 {
		t.Errorf("%+v, %v", apps, err)
	}
}

func parquetOf[R any](t *testing.T, rows []R) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The schema, with its name, is that of the recorded traces of the project: of what it says an import's bytes depend.
func TestSchemaOfAttempts(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "traces", "node-lost", trace.AttemptsFile))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := attemptSchema.String(), kept.Schema().String(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
