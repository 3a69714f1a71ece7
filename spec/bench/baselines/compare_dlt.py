"""SCD 1 by dlt on DuckDB: one load, the last event of each key, deletes as its hard deletes.

It does not look at the sequence of what is stored: of two loads the later one wins.
"""

import json
import sys

import dlt

file, path, folder = sys.argv[1:]


@dlt.resource(
    name="target",
    primary_key="id",
    write_disposition="merge",
    columns={
        "seq": {"data_type": "bigint", "dedup_sort": "desc"},
        "deleted": {"data_type": "bool", "hard_delete": True},
        "note": {"data_type": "text"},
    },
)
def events():
    rows = []
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            row["deleted"] = row.pop("op") == "D"
            rows.append(row)
            if len(rows) == 20000:
                yield rows
                rows = []
    yield rows


pipeline = dlt.pipeline(
    pipeline_name="compare",
    pipelines_dir=folder,
    destination=dlt.destinations.duckdb(path),
    dataset_name="main",
)
pipeline.run(events())
