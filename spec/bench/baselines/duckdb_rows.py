"""The rows of a DuckDB file as NDJSON, by the DuckDB that wrote it: an older one cannot read it."""

import sys

import duckdb

path, rows = sys.argv[1:]
columns = "id, name, city, email, amount, qty, active::INT AS active, note, rank"
duckdb.connect(path).execute(f"COPY (SELECT {columns} FROM target) TO '{rows}' (FORMAT json)")
