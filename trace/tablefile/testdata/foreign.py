"""Writes what other programs write and this one does not: truth values in runs of many lengths, and pages without a value.

    python foreign.py    (needs pyarrow; the files here were written with 26.0.1)
"""
import pyarrow as pa
import pyarrow.parquet as pq

# Runs of 1 to 40 values, in turn true and false; of the second column every seventh value is none.
values = [n % 2 == 1 for n in range(1, 41) for _ in range(n)]
table = pa.table({"on": values, "maybe": [None if i % 7 == 0 else v for i, v in enumerate(values)]},
                 schema=pa.schema([pa.field("on", pa.bool_(), nullable=False), pa.field("maybe", pa.bool_())]))
for version in ("1.0", "2.0"):
    pq.write_table(table, f"runs-v{version[0]}.parquet", data_page_version=version, use_dictionary=False,
                   column_encoding={"on": "RLE", "maybe": "RLE"}, data_page_size=40, write_batch_size=60, row_group_size=500)

# Batches that end where a page is full leave an empty page before the last one.
lists = pa.table({"hosts": [[i] if i % 2 else [] for i in range(120)]},
                 schema=pa.schema([pa.field("hosts", pa.list_(pa.field("element", pa.int32(), nullable=False)))]))
for version in ("1.0", "2.0"):
    pq.write_table(lists, f"empty-page-v{version[0]}.parquet", data_page_version=version, data_page_size=16, write_batch_size=7)
