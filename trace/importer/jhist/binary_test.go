package jhist

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// encoder writes values of JSON as Avro does, each object as a record of its own.
type encoder struct{ records int }

func (e *encoder) value(v any) (schema any, data []byte) {
	long := func(n int) []byte { return binary.AppendVarint(nil, int64(n)) }
	switch v := v.(type) {
	case string:
		return "string", append(long(len(v)), v...)
	case float64:
		return "long", long(int(v))
	case bool:
		return "boolean", []byte{map[bool]byte{true: 1}[v]}
	case []any:
		items := []any{}
		for i, x := range v {
			s, d := e.value(x)
			items = append(items, s)
			block := append(long(i), d...)
			data = append(append(append(data, long(-1)...), long(len(block))...), block...)
		}
		if len(v) == 0 || items[0] == "string" {
			items = []any{"string"}
		}
		if items[0] == "string" { // all of one type in one block
			data = nil
			for _, x := range v {
				_, d := e.value(x)
				data = append(data, d...)
			}
			if len(v) > 0 {
				data = append(long(len(v)), data...)
			}
			return map[string]any{"type": "array", "items": "string"}, append(data, 0)
		}
		return map[string]any{"type": "array", "items": items}, append(data, 0)
	case map[string]any:
		fields := []any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			s, d := e.value(v[name])
			fields = append(fields, map[string]any{"name": name, "type": s})
			data = append(data, d...)
		}
		e.records++
		return map[string]any{"type": "record", "name": fmt.Sprint("R", e.records), "fields": fields}, data
	}
	return []any{"null", "string"}, long(0)
}

// asBinary writes a history in binary form.
func asBinary(t testing.TB, lines []string) string {
	t.Helper()
	e := &encoder{}
	var union []any
	var events []byte
	for _, line := range lines[2:] {
		var v struct {
			Type  string
			Event map[string]any
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		_, kind := e.value(v.Type)
		for _, x := range v.Event {
			s, d := e.value(x)
			union = append(union, s)
			events = append(append(append(events, kind...), binary.AppendVarint(nil, int64(len(union)-1))...), d...)
		}
	}
	schema, err := json.Marshal(map[string]any{"type": "record", "name": "Event", "namespace": "org.x", "fields": []any{map[string]any{"name": "type", "type": "string"}, map[string]any{"name": "event", "type": union}}})
	if err != nil {
		t.Fatal(err)
	}
	return "Avro-Binary\n" + string(schema) + "\n" + string(events)
}

// A history in binary form, as clusters write it by default, is the same as in JSON; one that breaks off is that of a job that has not ended.
func TestBinary(t *testing.T) {
	all := fixture(t)
	_, want, err := importtest.Import(t, Format, importtest.WriteNew(t, "job.jhist", strings.Join(all, "")), nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := asBinary(t, all)
	_, got, err := importtest.Import(t, Format, importtest.WriteNew(t, "job.jhist", whole), nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := importtest.Text(got), importtest.Text(want); a != b {
		t.Errorf("%s\nwant %s", a, b)
	}
	cut := importtest.WriteNew(t, "job.jhist", whole[:len(whole)-10])
	res, m, err := importtest.Import(t, Format, cut, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.JobList[0].RecordedOutcome != "censored" || res.Counts.Dropped["lines_that_are_no_event"] != 1 {
		t.Errorf("%s, %v", m.JobList[0].RecordedOutcome, res.Counts.Dropped)
	}
	strict := func(o *workload.Options) { o.Strict = true }
	importtest.Refused(t, Format, []string{cut}, strict, "unexpected EOF")
	const record = "Avro-Binary\n" + `{"type":"record","name":"Event","fields":[{"name":"type","type":`
	for text, want := range map[string]string{
		record + "\"null\"},{\"name\":\"event\",\"type\":{\"type\":\"array\",\"items\":\"null\"}}]}\n\xfe\xff\xff\xff\xff\xff\xff\xff\x7f": "event 1: an event of more than 1000000 values",
		record + "\"Event\"}]}\n\x00":                                                "event 1: an event of more than 1000000 values, 100 levels",
		record + "\"string\"}]}\n\xfe\xff\xff\xff\xff\xff\xff\xff\x7f":               "want at most 67108864",
		record + "\"string\"}]}\n\x00":                                               "an object without type and event",
		record + "\"Other\"}]}\n\x00":                                                `its schema names the type "Other" before it says what that is`,
		record + "{\"type\":\"enum\",\"name\":\"K\",\"symbols\":[]}}]}\n\x00":        "value 0 of K, which has 0",
		record + "[]}]}\n\x02":                                                       "type 1 of a union of 0",
		"Avro-Binary\n" + strings.Repeat("[", 500) + "\n":                            "want a type of Avro",
		"Avro-Binary\n" + strings.Repeat("[", 500) + strings.Repeat("]", 500) + "\n": "nested more than 100 deep",
		"Avro-Binary":    "unexpected EOF",
		"Avro-Binary2\n": `the first line is "Avro-Binary2\n", want Avro-Json or Avro-Binary`,
	} {
		importtest.Refused(t, Format, []string{importtest.WriteNew(t, "job.jhist", text)}, strict, want)
	}
	none := importtest.WriteNew(t, "job.jhist", "Avro-Binary\n\"null\"\nx")
	importtest.Refused(t, Format, []string{none}, func(o *workload.Options) { o.Lenient = true }, "event 1: an event of no bytes")
}

func FuzzBinary(f *testing.F) { importtest.Fuzz(f, Format, []byte(asBinary(f, fixture(f)))) }
