package trace

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tasksOf are the columns of the table of tasks that a program has to write, whole numbers in a type of its own.
type tasksOf[Wide, Narrow any] struct {
	Job        Wide     `parquet:"job_id"`
	Stage      Narrow   `parquet:"stage_id"`
	DurationMS Wide     `parquet:"duration_ms"`
	InputBytes Wide     `parquet:"input_bytes,dict"`
	Pref       []Narrow `parquet:"pref_nodes,list"`
	VCores     *Narrow  `parquet:"vcores,optional,dict"`
	Wait       *Wide    `parquet:"recorded_wait_ms,optional"`
}

type number interface {
	~int32 | ~int64 | ~uint32 | ~uint64
}

// inTypes returns what writes the tasks of a trace in other types, after an edit of the rows.
func inTypes[Wide, Narrow number](edit func([]tasksOf[Wide, Narrow])) func(*testing.T, string) {
	return rewrite("tasks.parquet", func(rows []taskRow) (out []tasksOf[Wide, Narrow]) {
		for i, r := range rows {
			to := tasksOf[Wide, Narrow]{Job: Wide(r.Job), Stage: Narrow(r.Stage), DurationMS: Wide(r.DurationMS), InputBytes: Wide(r.InputBytes)}
			for _, n := range r.Pref {
				to.Pref = append(to.Pref, Narrow(n))
			}
			if i%3 > 0 {
				v, w := Narrow(i%3), Wide(i)
				to.VCores, to.Wait = &v, &w
			}
			out = append(out, to)
		}
		edit(out)
		return out
	})
}

// Whole numbers may have any width in a file, with a sign or without: pandas writes 64 bits for all, Spark 32 for small ones. What a column of ours
// does not hold is told by row and value.
func TestWholeNumbersOfAnyWidth(t *testing.T) {
	source := bigTrace(3000)
	for _, j := range source.JobList {
		for i := range j.Stages {
			tasks := &j.Stages[i].Tasks
			tasks.RecordedWaitMS, tasks.RecordedLocality = nil, nil
			for k := range tasks.InputBytes {
				tasks.InputBytes[k] %= 1 << 30
			}
		}
	}
	read := func(write func(*testing.T, string)) (*MemoryTrace, error) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "t")
		if err := source.Write(dir); err != nil {
			t.Fatal(err)
		}
		write(t, dir)
		return Load(dir)
	}
	want, err := read(inTypes(func([]tasksOf[int64, int32]) {}))
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(*testing.T, string){
		"64 bits":                  inTypes(func([]tasksOf[int64, int64]) {}),
		"32 bits":                  inTypes(func([]tasksOf[int32, int32]) {}),
		"the other way round":      inTypes(func([]tasksOf[int32, int64]) {}),
		"32 bits without a sign":   inTypes(func([]tasksOf[uint32, uint32]) {}),
		"64 bits without a sign":   inTypes(func([]tasksOf[uint64, uint64]) {}),
		"64 and 32 without a sign": inTypes(func([]tasksOf[uint64, uint32]) {}),
	} {
		got, err := read(write)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if d := cmp.Diff(want, got, sameTrace); d != "" {
			t.Errorf("%s: read differs (-want +got):\n%s", name, d)
		}
	}

	beyond, none := int64(1<<31), int64(-1)
	for _, c := range []struct {
		write func(*testing.T, string)
		want  string
	}{
		{inTypes(func(rows []tasksOf[int64, int64]) { rows[1500].Stage = beyond }), "row 1500: stage_id is 2147483648, want a number of 32 bits with a sign"},
		{inTypes(func(rows []tasksOf[int64, int64]) { rows[1500].Stage = -beyond - 1 }), "row 1500: stage_id is -2147483649, want a number of 32 bits"},
		{inTypes(func(rows []tasksOf[int64, int64]) { rows[1500].VCores = &beyond }), "row 1500: vcores is 2147483648, want a number of 32 bits"},
		{inTypes(func(rows []tasksOf[int64, int64]) { rows[1500].VCores = &none }), "row 1500: vcores is -1, want null where it is unknown"},
		{inTypes(func(rows []tasksOf[uint32, uint32]) { rows[7].Stage = 1 << 31 }), "row 7: stage_id is 2147483648, want a number of 32 bits"},
		{inTypes(func(rows []tasksOf[uint64, uint64]) { rows[7].DurationMS = 1<<64 - 1 }), "row 7: duration_ms is 18446744073709551615, want a number of 64 bits with a sign"},
		{inTypes(func(rows []tasksOf[uint64, uint64]) { rows[7].DurationMS = 1 << 63 }), "row 7: duration_ms is 9223372036854775808, want a number of 64 bits"},
		{inTypes(func(rows []tasksOf[int64, int64]) {
			rows[20].Pref, rows[21].Pref, rows[22].Pref, rows[23].Pref = []int64{1, 2}, nil, []int64{3, beyond, 4}, nil
		}), "row 22: pref_nodes is 2147483648, want a number of 32 bits"},
		{inTypes(func(rows []tasksOf[int64, int64]) { rows[2999].InputBytes = -5 }), "row 2999: input_bytes is -5"},
	} {
		if _, err := read(c.write); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q in it", err, c.want)
		}
	}
}
