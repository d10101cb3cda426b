"""Scores the rows of what DuckDB can query, larger than memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from libcupel._columns import needed
from libcupel._native import Scorer, Selector
from libcupel.stream import score_batches, select_batches

if TYPE_CHECKING:
    import duckdb
    import pyarrow

__all__ = ["scores", "selections"]


def scores(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    scorer: Scorer,
    *,
    group: str,
    keep: Sequence[str] = (),
    name: str = "score",
    batch_rows: int = 65_536,
    naive: Literal["error", "utc"] = "error",
) -> pyarrow.RecordBatchReader:
    """A reader of the columns `keep` and the scores of all rows of `source`, what stands after `from` in a query: a table, or
    "'items.parquet'". DuckDB sorts by `group`, on disk where that is needed. `create table ... as select * from reader` keeps it.
    """
    reader = _sorted(connection, source, group, keep, scorer.columns, batch_rows)
    batches = score_batches(scorer.freeze(), reader, group=group, keep=keep, name=name, naive=naive)
    return _reader(reader.schema, keep, [(name, "float64")], batches)


def selections(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    selector: Selector,
    max_tokens: int,
    *,
    group: str,
    keep: Sequence[str] = (),
    dropped: bool = False,
    batch_rows: int = 65_536,
    naive: Literal["error", "utc"] = "error",
    **request: Any,
) -> pyarrow.RecordBatchReader:
    """A reader of what `select_batches` gives for the rows of `source`."""
    reader = _sorted(connection, source, group, keep, selector.columns, batch_rows)
    batches = select_batches(
        selector.freeze(), reader, max_tokens, group=group, keep=keep, dropped=dropped, naive=naive, **request
    )
    columns = [("position", "uint32"), ("score", "float64"), ("reason", "string")]
    return _reader(reader.schema, keep, columns, batches)


def _sorted(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    group: str,
    keep: Sequence[str],
    read: Sequence[str],
    batch_rows: int,
) -> Any:
    # Its own cursor: another query on the same one would end the reader.
    cursor = connection.cursor()
    known = {column[0] for column in cursor.sql(f"select * from {source} limit 0").description}
    columns = ", ".join(_quoted(column) for column in needed(group, keep, read, known))
    return cursor.sql(f"select {columns} from {source} order by {_quoted(group)}").to_arrow_reader(batch_rows)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _reader(
    schema: pyarrow.Schema, keep: Sequence[str], more: list[tuple[str, str]], batches: Any
) -> pyarrow.RecordBatchReader:
    import pyarrow

    added = [pyarrow.field(name, getattr(pyarrow, kind)()) for name, kind in more]
    return pyarrow.RecordBatchReader.from_batches(
        pyarrow.schema([*(schema.field(column) for column in keep), *added]), batches
    )
