package table

import (
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// Decimals are numbers, in whatever bytes they stand; those of a scale that no number has are refused by what they are.
func TestDecimals(t *testing.T) {
	type row struct {
		Submit   int64    `parquet:"submit"`
		Duration int32    `parquet:"duration"`
		VCores   [16]byte `parquet:"vcores"`
		Memory   []byte   `parquet:"memory"`
		Tasks    *int32   `parquet:"tasks"`
	}
	two := int32(2)
	rows := []row{
		{1, 1050, [16]byte{15: 25}, []byte{0x03, 0xe8}, &two},
		{2, 5, [16]byte{14: 1, 15: 4}, []byte{0x00, 0xfa, 0x00}, nil},
		{3, -700, [16]byte{15: 10}, []byte{0x7d}, nil},
	}
	schema := parquet.NewSchema("t", parquet.Group{
		"submit": parquet.Decimal(0, 18, parquet.Int64Type), "duration": parquet.Decimal(2, 9, parquet.Int32Type), "vcores": parquet.Encoded(parquet.Decimal(1, 38, parquet.FixedLenByteArrayType(16)), &parquet.RLEDictionary),
		"memory": parquet.Decimal(3, 20, parquet.ByteArrayType), "tasks": parquet.Optional(parquet.Decimal(0, 9, parquet.Int32Type)),
	})
	path := importtest.WriteNew(t, "t.parquet", string(importtest.Parquet(t, rows, schema)))
	var warned []string
	res, m, err := importtest.Import(t, Parquet, path, func(o *workload.Options) {
		o.Warn = func(text string) { warned = append(warned, text) }
		o.Params = map[string]string{"map": "submit=submit,duration=duration:s,vcores=vcores,memory=memory:GiB,tasks=tasks"}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := jobs(m), "row1@0 []2500m/1024MiB[10500 10500]; row2@1000 []26000m/65536MiB[50]"; got != want || res.Counts.Dropped["rows_with_a_bad_value"] != 1 {
		t.Errorf("jobs %s, want %s; dropped %v, warned of %q", got, want, res.Counts.Dropped, warned)
	}
	type odd struct {
		Submit   int64  `parquet:"submit"`
		Duration []byte `parquet:"duration"`
	}
	schema = parquet.NewSchema("t", parquet.Group{"submit": parquet.Leaf(parquet.Int64Type), "duration": parquet.Decimal(90, 99, parquet.ByteArrayType)})
	path = importtest.WriteNew(t, "t.parquet", string(importtest.Parquet(t, []odd{{1, []byte{1}}}, schema)))
	_, _, err = importtest.Import(t, Parquet, path, nil)
	if want := path + ": column duration is decimal, want numbers"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error is %v, want %s", err, want)
	}
}

// half is the type of floating-point numbers of 16 bits.
type half struct{ parquet.Type }

func (half) LogicalType() *format.LogicalType {
	return &format.LogicalType{Value: &format.Float16Type{}}
}

// Numbers of 16 bits are floating-point numbers like those of 32: whole and broken ones, the least and the largest; an infinite one and one below 0 are bad values, and what is no number is none.
func TestHalves(t *testing.T) {
	type row struct {
		Submit   int64   `parquet:"submit"`
		Duration [2]byte `parquet:"duration"`
		VCores   [2]byte `parquet:"vcores"`
	}
	bits := func(v uint16) [2]byte { return [2]byte{byte(v), byte(v >> 8)} }
	rows := []row{
		{1, bits(0x3c00), bits(0x4000)}, // 1 and 2
		{2, bits(0x7bff), bits(0x3e00)}, // 65504 and 1.5
		{3, bits(0x3555), bits(0x3c00)}, // 0.33325
		{4, bits(0x0001), bits(0x3c00)}, // 2^-24
		{5, bits(0xc000), bits(0x3c00)}, // -2
		{6, bits(0x7c00), bits(0x3c00)}, // infinite
		{7, bits(0x7e00), bits(0x3c00)}, // no number
	}
	of := parquet.Leaf(half{parquet.FixedLenByteArrayType(2)})
	schema := parquet.NewSchema("t", parquet.Group{"submit": parquet.Leaf(parquet.Int64Type), "duration": of, "vcores": of})
	path := importtest.WriteNew(t, "t.parquet", string(importtest.Parquet(t, rows, schema)))
	res, m, err := importtest.Import(t, Parquet, path, func(o *workload.Options) {
		o.Params = map[string]string{"map": "submit=submit:s,duration=duration:s,vcores=vcores"}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := jobs(m), "row1@0 []2000m/1024MiB[1000]; row2@1000 []1500m/1024MiB[65504000]; row3@2000 []1000m/1024MiB[333]; row4@3000 []1000m/1024MiB[0]"; got != want || res.Counts.Dropped["rows_with_a_bad_value"] != 2 || res.Counts.Dropped["rows_without_a_duration"] != 1 {
		t.Errorf("jobs %s, want %s; dropped %v", got, want, res.Counts.Dropped)
	}
}
