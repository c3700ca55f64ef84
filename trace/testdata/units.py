"""Writes the table of tasks of testdata/pyarrow with other types of columns, by pyarrow and DuckDB.

    python units.py TESTDATA    (needs pyarrow and duckdb)

TESTDATA/units has a file for each: what it is called says which column has which type.
"""
import pathlib
import sys

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

testdata = pathlib.Path(sys.argv[1])
source, out = testdata / "pyarrow" / "tasks.parquet", testdata / "units"
out.mkdir(exist_ok=True)
table = pq.read_table(source, partitioning=None)


def write(name, column, values):
    t = table.set_column(table.column_names.index(column), column, values)
    pq.write_table(t, out / f"pyarrow-{name}.parquet", store_schema=False, compression="none", write_statistics=False)


duration = table["duration_ms"]
for unit, factor in (("ms", 1), ("us", 1000), ("ns", 1000_000)):
    write(f"duration-timestamp-{unit}", "duration_ms", pc.multiply(duration, factor).cast(pa.timestamp(unit)))
write("duration-timestamp-us-odd", "duration_ms", pa.chunked_array([[5000, 6000, 1, 2000, 3000, 4000, 9000]], pa.timestamp("us")))
write("duration-struct", "duration_ms", pa.chunked_array([pa.array([{"value": v} for v in duration.to_pylist()])]))
write("duration-decimal", "duration_ms", duration.cast(pa.int32()).cast(pa.decimal128(10, 0)))
write("duration-uint64", "duration_ms", duration.cast(pa.uint64()))
write("duration-time64", "duration_ms", pc.multiply(duration, 1000).cast(pa.time64("us")))
write("duration-double", "duration_ms", duration.cast(pa.float64()))
write("input-timestamp-ms", "input_bytes", table["input_bytes"].cast(pa.timestamp("ms")))
write("pref-map", "pref_nodes", pa.chunked_array([pa.array([[(n, n) for n in row or []] for row in table["pref_nodes"].to_pylist()], pa.map_(pa.int32(), pa.int32()))]))
write("pref-nested", "pref_nodes", pa.chunked_array([pa.array([[row] for row in table["pref_nodes"].to_pylist()], pa.list_(pa.list_(pa.int32())))]))
write("wait-timestamp-us", "recorded_wait_ms", pc.multiply(table["recorded_wait_ms"], 1000).cast(pa.timestamp("us")))
pq.write_table(table, out / "pyarrow-delta.parquet", store_schema=False, compression="none", write_statistics=False, use_dictionary=False,
               data_page_version="2.0", column_encoding={"duration_ms": "DELTA_BINARY_PACKED", "recorded_locality": "DELTA_LENGTH_BYTE_ARRAY"})
pq.write_table(table, out / "pyarrow-lz4.parquet", store_schema=False, compression="lz4", write_statistics=False)
pq.write_table(table, out / "pyarrow-gzip.parquet", store_schema=False, compression="gzip", write_statistics=False)
pq.write_table(table, out / "pyarrow-brotli.parquet", store_schema=False, compression="brotli", write_statistics=False)
for name, what in (
    ("duration-timestamp-us", "make_timestamp(duration_ms * 1000)"),
    ("duration-timestamp-ns", "make_timestamp_ns(duration_ms * 1000000)"),
    ("duration-timestamp-ms", "make_timestamp_ms(duration_ms)"),
    ("duration-interval", "to_milliseconds(duration_ms)"),
    ("duration-struct", "{'value': duration_ms}"),
    ("duration-uint64", "duration_ms::ubigint"),
    ("duration-hugeint", "duration_ms::hugeint"),
):
    duckdb.sql(f"copy (select * replace ({what} as duration_ms) from '{source}') to '{out / f'duckdb-{name}.parquet'}' (format parquet)")
