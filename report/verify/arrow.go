package verify

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/parquet-go/parquet-go"
)

// checkArrow compares series.arrow with series.parquet, column by column and row by row.
func (v *verifier) checkArrow() error {
	const name = "series.arrow"
	if ok, err := v.exists(name); err != nil || !ok {
		return err
	}
	c := v.check("series.arrow: the columns and rows of series.parquet", name)
	file, err := os.Open(filepath.Join(v.dir, name))
	if err != nil {
		return err
	}
	defer file.Close()
	arrows, err := ipc.NewFileReader(file)
	if err != nil {
		return fmt.Errorf("%s: not an Arrow file: %w", file.Name(), err)
	}
	defer arrows.Close()
	table, err := os.Open(filepath.Join(v.dir, "series.parquet"))
	if err != nil {
		return err
	}
	defer table.Close()
	info, err := table.Stat()
	if err != nil {
		return err
	}
	f, err := parquet.OpenFile(table, info.Size())
	if err != nil {
		return fmt.Errorf("%s: not a Parquet file: %w", table.Name(), err)
	}
	columns := f.Schema().Columns()
	fields := arrows.Schema().Fields()
	if len(columns) != len(fields) {
		c.equal(int64(len(fields)), int64(len(columns)), none, "columns", "those of series.parquet")
		return nil
	}
	for i, column := range columns {
		c.that(fields[i].Name == column[0], none, "column", fields[i].Name, "%s, as in series.parquet", column[0])
	}
	reader := parquet.NewReader(f)
	defer reader.Close()
	buffer := make([]parquet.Row, 1)
	row := int64(0)
	for batch := range arrows.NumRecords() {
		record, err := arrows.Record(batch)
		if err != nil {
			return fmt.Errorf("%s: batch %d: %w", file.Name(), batch, err)
		}
		for k := range int(record.NumRows()) {
			n, _ := reader.ReadRows(buffer)
			if n == 0 {
				c.that(false, row, "rows", arrows.NumRecords(), "%d, those of series.parquet", f.NumRows())
				return nil
			}
			for _, want := range buffer[0] {
				got := record.Column(want.Column())
				text := want.String()
				if want.IsNull() {
					text = array.NullValueStr
				}
				c.that(got.ValueStr(k) == text, row, fields[want.Column()].Name, got.ValueStr(k), "%s, as in series.parquet", text)
			}
			row++
		}
	}
	c.equal(row, f.NumRows(), none, "rows", "those of series.parquet")
	return nil
}
