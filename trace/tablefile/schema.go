package tablefile

import (
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A Leaf is a column of values.
type Leaf struct {
	Path           []string // names from the top
	Kind           parquet.Kind
	MaxDef, MaxRep byte
	Logical        string // what the values stand for where that is not plain numbers, bits or text: "timestamp[us]", "decimal", ...
	PerMS          int64  // units in a millisecond, for timestamps; 0 for others
	size           int    // bytes of a value, 0 for texts
	scale          int    // digits of a decimal behind its point
}

// Name is the path with dots.
func (l *Leaf) Name() string { return strings.Join(l.Path, ".") }

// Unsigned tells whether the values are integers without a sign.
func (l *Leaf) Unsigned() bool { return strings.HasPrefix(l.Logical, "uint") }

// sizes are the bytes of a value of the kinds that can be read; texts have a length each.
var sizes = map[parquet.Kind]int{
	parquet.Boolean: 1, parquet.Int32: 4, parquet.Int64: 8, parquet.Int96: 12, parquet.Float: 4, parquet.Double: 8, parquet.ByteArray: 0,
	parquet.FixedLenByteArray: 1,
}

// takeSchema checks the schema, finds its leaves, and keeps what the library needs to know of it: names, kinds, nesting,
// and what makes no difference to how values are read.
func (f *footer) takeSchema(list []format.SchemaElement) error {
	if len(list) == 0 {
		return fmt.Errorf("no schema")
	}
	if len(list) > maxColumns {
		return fmt.Errorf("%d columns and groups, want at most %d", len(list), maxColumns)
	}
	f.schema = make([]format.SchemaElement, 0, len(list))
	next, err := f.takeElement(list, 0, nil, 0, 0)
	if err == nil && next != len(list) {
		err = fmt.Errorf("%d columns stand in no group", len(list)-next)
	}
	return err
}

// takeElement takes element i and all in it, and returns which is the next.
func (f *footer) takeElement(list []format.SchemaElement, i int, path []string, def, rep byte) (next int, err error) {
	if i >= len(list) {
		return i, fmt.Errorf("column %s: has fewer columns than it says", strings.Join(path, "."))
	}
	if len(path) > maxDepth {
		return i, fmt.Errorf("column %s: nested more than %d deep", path[0], maxDepth)
	}
	e := &list[i]
	kept := format.SchemaElement{Name: e.Name}
	if i > 0 {
		path = append(path[:len(path):len(path)], e.Name)
		kept.RepetitionType = thrift.New(format.Required)
		if e.RepetitionType.Valid {
			kept.RepetitionType = e.RepetitionType
		}
		switch kept.RepetitionType.V {
		case format.Required:
		case format.Repeated:
			def, rep = def+1, rep+1
		case format.Optional:
			def++
		default:
			return i, fmt.Errorf("column %s: repetition %d is unknown", strings.Join(path, "."), kept.RepetitionType.V)
		}
	}
	if !e.Type.Valid {
		return f.takeGroup(list, i, kept, path, def, rep)
	}
	if i == 0 || e.NumChildren.Valid && e.NumChildren.V != 0 {
		return i, fmt.Errorf("column %s: has a type and columns in it", strings.Join(path, "."))
	}
	l := Leaf{Path: path, Kind: parquet.Kind(e.Type.V), MaxDef: def, MaxRep: rep}
	var known bool
	if l.size, known = sizes[l.Kind]; !known {
		return i, fmt.Errorf("column %s: type %d is unknown", l.Name(), e.Type.V)
	}
	if l.Kind == parquet.FixedLenByteArray {
		if l.size = int(e.TypeLength.V); l.size < 1 || l.size > 1<<16 {
			return i, fmt.Errorf("column %s: texts of %d bytes", l.Name(), l.size)
		}
		kept.TypeLength = e.TypeLength
	}
	kept.Type = e.Type
	kept.LogicalType = l.takeLogical(e)
	f.leaves = append(f.leaves, l)
	f.schema = append(f.schema, kept)
	return i + 1, nil
}

func (f *footer) takeGroup(list []format.SchemaElement, i int, kept format.SchemaElement, path []string, def, rep byte) (next int, err error) {
	e := &list[i]
	n := int(e.NumChildren.V)
	if !e.NumChildren.Valid || n < 1 && i > 0 || n < 0 || n > len(list) {
		return i, fmt.Errorf("column %s: has no type, and %d columns in it", strings.Join(path, "."), n)
	}
	logical, converted := e.LogicalType.Value, e.ConvertedType
	switch _, isList := logical.(*format.ListType); {
	case i == 0:
	case isMap(logical) || converted.Valid && (converted.V == deprecated.Map || converted.V == deprecated.MapKeyValue):
		f.maps[path[0]] = true
	case (isList || converted.Valid && converted.V == deprecated.List) && n == 1:
		kept.LogicalType.Value = &format.ListType{}
	}
	kept.NumChildren = e.NumChildren
	f.schema = append(f.schema, kept)
	next = i + 1
	for range n {
		if next, err = f.takeElement(list, next, path, def, rep); err != nil {
			return next, err
		}
	}
	return next, nil
}

func isMap(v format.LogicalTypeValue) bool { _, ok := v.(*format.MapType); return ok }

// takeLogical says what the values of the element stand for, and returns what the library is to know of it.
func (l *Leaf) takeLogical(e *format.SchemaElement) (kept format.LogicalType) {
	signed := func(width int8) {
		if int(width) > 8*l.size {
			l.Logical = fmt.Sprintf("int%d", width)
		} else if width == int8(8*l.size) {
			kept.Value = &format.IntType{BitWidth: width, IsSigned: true}
		}
	}
	timestamp := func(unit string, perMS int64) { l.Logical, l.PerMS = "timestamp["+unit+"]", perMS }
	integer := l.Kind == parquet.Int32 || l.Kind == parquet.Int64
	text := l.Kind == parquet.ByteArray
	switch t := e.LogicalType.Value.(type) {
	case nil:
		l.scale = int(e.Scale.V)
		l.takeConverted(e.ConvertedType, integer, text, &kept, signed, timestamp)
	case *format.IntType:
		switch {
		case !integer:
			l.Logical = "an integer"
		case !t.IsSigned:
			l.Logical = fmt.Sprintf("uint%d", t.BitWidth)
		default:
			signed(t.BitWidth)
		}
	case *format.TimestampType:
		switch t.Unit.Value.(type) {
		case *format.MilliSeconds:
			timestamp("ms", 1)
		case *format.MicroSeconds:
			timestamp("us", 1000)
		case *format.NanoSeconds:
			timestamp("ns", 1000_000)
		default:
			l.Logical = "timestamp"
		}
	case *format.TimeType:
		l.Logical = "a time of day"
	case *format.DecimalType:
		l.Logical, l.scale = "decimal", int(t.Scale)
	case *format.StringType, *format.EnumType:
		if !text {
			l.Logical = strings.ToLower(t.String())
		} else {
			kept.Value = &format.StringType{}
		}
	default:
		l.Logical = strings.ToLower(t.String())
	}
	if l.PerMS != 0 && l.Kind != parquet.Int64 {
		l.PerMS = 0
	}
	return kept
}

// takeConverted does the same for files that have the older form alone.
func (l *Leaf) takeConverted(t thrift.Null[deprecated.ConvertedType], integer, text bool, kept *format.LogicalType, signed func(int8), timestamp func(string, int64)) {
	if !t.Valid {
		return
	}
	switch {
	case text && (t.V == deprecated.UTF8 || t.V == deprecated.Enum):
		kept.Value = &format.StringType{}
	case integer && t.V == deprecated.TimestampMillis:
		timestamp("ms", 1)
	case integer && t.V == deprecated.TimestampMicros:
		timestamp("us", 1000)
	case integer && t.V >= deprecated.Int8 && t.V <= deprecated.Int64:
		signed(8 << (t.V - deprecated.Int8))
	default:
		l.Logical = convertedNames[t.V]
		if l.Logical == "" {
			l.Logical = fmt.Sprintf("of converted type %d", t.V)
		}
	}
}

// convertedNames are those of the older form that no column of ours has.
var convertedNames = map[deprecated.ConvertedType]string{
	deprecated.UTF8: "string", deprecated.Enum: "enum", deprecated.Decimal: "decimal", deprecated.Date: "date", deprecated.TimeMillis: "a time of day",
	deprecated.TimeMicros: "a time of day", deprecated.Uint8: "uint8", deprecated.Uint16: "uint16", deprecated.Uint32: "uint32", deprecated.Uint64: "uint64",
	deprecated.Json: "json", deprecated.Bson: "bson", deprecated.Interval: "interval",
}
