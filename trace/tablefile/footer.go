package tablefile

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of a file. They are far above what a table of a trace needs, and keep what a file may ask for in proportion
// to its size.
const (
	maxFooter    = 64 << 20
	maxElements  = 1 << 18 // of lists in a footer; one more for every 512 bytes of the file, at most 4 times as many
	maxColumns   = 2000    // leaves and groups
	maxDepth     = 6
	maxRowGroups = 1<<15 - 1
	maxRows      = 1 << 40

	// Values of a column, nulls too: runs can say of a few bytes that they are any number.
	freeValues   = 1 << 22
	valuesOfByte = 256 // of the file

	magic      = "PAR1"
	magicBytes = len(magic)
)

// chunk is where the values of a column in a row group are.
type chunk struct {
	start, end int64 // bytes of the file
	codec      format.CompressionCodec
	values     int64 // nulls too
}

// footer is what is kept of a file's footer.
type footer struct {
	schema   []format.SchemaElement
	leaves   []Leaf
	maps     map[string]bool // first names of the groups that are maps
	groups   []int64         // rows of each row group
	chunks   [][]chunk       // by row group and leaf
	metadata map[string]string
}

// packed are the bytes that files begin with which gzip, zstd, bzip2 and xz have packed.
var packed = []string{"\x1f\x8b", "\x28\xb5\x2f\xfd", "BZh", "\xfd7zX"}

// readFooter reads and checks the footer of a file of size bytes.
func readFooter(r io.ReaderAt, size int64) (*footer, error) {
	if size < int64(2*magicBytes+4) {
		return nil, fmt.Errorf("not a Parquet file: %d bytes", size)
	}
	var head [magicBytes]byte
	var tail [4 + magicBytes]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	if _, err := r.ReadAt(tail[:], size-int64(len(tail))); err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case string(head[:]) == magic && string(tail[4:]) == magic:
	case string(head[:]) == magic:
		return nil, fmt.Errorf("not a Parquet file: begins as one, but ends with %q, want %q: it is cut off, or still being written", tail[4:], magic)
	case slices.ContainsFunc(packed, func(p string) bool { return strings.HasPrefix(string(head[:]), p) }):
		return nil, fmt.Errorf("not a Parquet file: begins with %q, as packed files do, want %q: unpack it, as it is read from its end", head[:], magic)
	case string(head[:]) == "vers":
		return nil, fmt.Errorf("not a Parquet file: begins with %q, as pointers of Git LFS do, want %q: git lfs pull fetches the file that one stands for", head[:], magic)
	default:
		return nil, fmt.Errorf("not a Parquet file: begins with %q and ends with %q, want %q", head[:], tail[4:], magic)
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	at := size - int64(len(tail)) - length
	if at < int64(magicBytes) {
		return nil, fmt.Errorf("a footer of %d bytes in a file of %d", length, size)
	}
	if length > maxFooter {
		return nil, fmt.Errorf("a footer of %d bytes, want at most %d", length, maxFooter)
	}
	data := make([]byte, length)
	if _, err := r.ReadAt(data, at); err != nil && err != io.EOF {
		return nil, err
	}
	n, err := skim(data, int(min(maxElements+size/512, 4*maxElements)))
	if err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	if n != len(data) {
		return nil, fmt.Errorf("footer: %d bytes after its end", len(data)-n)
	}
	var m format.FileMetaData
	if err := thrift.Unmarshal(&thrift.CompactProtocol{}, data, &m); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	if m.EncryptionAlgorithm.Value != nil {
		return nil, fmt.Errorf("encrypted")
	}
	f := &footer{metadata: make(map[string]string), maps: make(map[string]bool)}
	for _, kv := range m.KeyValueMetadata {
		f.metadata[kv.Key] = kv.Value
	}
	if err := f.takeSchema(m.Schema); err != nil {
		return nil, err
	}
	return f, f.takeGroups(&m, at)
}

// takeGroups checks where the footer says that values are; they end at end.
func (f *footer) takeGroups(m *format.FileMetaData, end int64) error {
	if len(m.RowGroups) > maxRowGroups {
		return fmt.Errorf("%d row groups, want at most %d", len(m.RowGroups), maxRowGroups)
	}
	rows, most := int64(0), freeValues+valuesOfByte*end
	values := make([]int64, len(f.leaves))
	for g := range m.RowGroups {
		group := &m.RowGroups[g]
		if group.NumRows < 0 || group.NumRows > maxRows {
			return fmt.Errorf("row group %d has %d rows", g, group.NumRows)
		}
		if rows += group.NumRows; rows > maxRows {
			return fmt.Errorf("more than %d rows", int64(maxRows))
		}
		if rows > most {
			return fmt.Errorf("%d rows or more in %d bytes, want at most %d", rows, end, most)
		}
		if len(group.Columns) != len(f.leaves) {
			return fmt.Errorf("row group %d has %d columns, and the schema %d", g, len(group.Columns), len(f.leaves))
		}
		chunks := make([]chunk, len(f.leaves))
		for i := range group.Columns {
			c, err := f.takeChunk(&group.Columns[i], &f.leaves[i], group.NumRows, end)
			if err != nil {
				return fmt.Errorf("column %s, row group %d: %w", f.leaves[i].Name(), g, err)
			}
			if values[i] += c.values; values[i] > most {
				return fmt.Errorf("column %s: %d values or more in a file of %d bytes, want at most %d", f.leaves[i].Name(), values[i], end, most)
			}
			chunks[i] = c
		}
		f.groups, f.chunks = append(f.groups, group.NumRows), append(f.chunks, chunks)
	}
	if rows != m.NumRows {
		return fmt.Errorf("%d rows in row groups, %d in the footer", rows, m.NumRows)
	}
	return nil
}

func (f *footer) takeChunk(c *format.ColumnChunk, leaf *Leaf, rows, end int64) (chunk, error) {
	m := &c.MetaData
	switch {
	case c.FilePath != "":
		return chunk{}, fmt.Errorf("stands in another file, %q", c.FilePath)
	case c.CryptoMetadata.Value != nil || len(c.EncryptedColumnMetadata) > 0:
		return chunk{}, fmt.Errorf("encrypted")
	case parquet.Kind(m.Type) != leaf.Kind:
		return chunk{}, fmt.Errorf("is %v, and %v in the schema", m.Type, leaf.Kind)
	case !slices.Equal(m.PathInSchema, leaf.Path):
		return chunk{}, fmt.Errorf("is called %q, and %q in the schema", m.PathInSchema, leaf.Path)
	case m.NumValues < 0 || m.NumValues > maxRows || leaf.MaxRep == 0 && m.NumValues != rows:
		return chunk{}, fmt.Errorf("%d values in %d rows", m.NumValues, rows)
	}
	if _, ok := codecs[m.Codec]; !ok {
		return chunk{}, fmt.Errorf("is compressed with %v, want one of %s", m.Codec, codecNames())
	}
	if rows == 0 { // writers say of a group without rows anything of its pages
		return chunk{start: int64(magicBytes), end: int64(magicBytes), codec: m.Codec}, nil
	}
	start := m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 && d < start {
		start = d
	}
	if start < int64(magicBytes) || m.TotalCompressedSize < 0 || m.TotalCompressedSize > end-start {
		return chunk{}, fmt.Errorf("%d bytes from byte %d on, and the values of the file end at %d", m.TotalCompressedSize, start, end)
	}
	return chunk{start: start, end: start + m.TotalCompressedSize, codec: m.Codec, values: m.NumValues}, nil
}
