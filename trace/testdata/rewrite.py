"""Rewrites the tables of a trace with pyarrow and DuckDB, as other programs would write them.

    python rewrite.py TRACE OUT    (needs pyarrow and duckdb)

OUT/pyarrow has nullable columns, lists of "item", pages of version 1 and snappy; OUT/duckdb is what COPY writes.
The manifest lists no files, as one made by hand.
"""
import json
import pathlib
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq


def nullable(t):
    """The type with every field nullable and list elements called item."""
    if pa.types.is_list(t):
        return pa.list_(pa.field("item", nullable(t.value_type)))
    if pa.types.is_struct(t):
        return pa.struct([pa.field(f.name, nullable(f.type)) for f in t])
    return t


source, out = map(pathlib.Path, sys.argv[1:])
manifest = json.loads((source / "trace.json").read_text())
manifest["files"] = []
for name in ("pyarrow", "duckdb"):
    (out / name).mkdir(parents=True, exist_ok=True)
    (out / name / "trace.json").write_text(json.dumps(manifest, indent=1) + "\n")
for path in sorted(source.glob("*.parquet")):
    table = pq.read_table(path, partitioning=None)
    rows = table.to_pylist()
    schema = pa.schema([pa.field(f.name, nullable(f.type)) for f in table.schema])
    pq.write_table(pa.Table.from_pylist(rows, schema), out / "pyarrow" / path.name, data_page_version="1.0",
                   compression="snappy", use_compliant_nested_type=False, row_group_size=2)
    duckdb.sql(f"copy (select * from '{path}') to '{out / 'duckdb' / path.name}' (format parquet)")
