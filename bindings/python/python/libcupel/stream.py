"""Scores and fits streams of record batches that are sorted by their group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from libcupel._native import Scorer, Selector

if TYPE_CHECKING:
    import pyarrow

__all__ = ["score_batches", "select_batches"]


def score_batches(
    scorer: Scorer,
    batches: Iterable[pyarrow.RecordBatch],
    *,
    group: str,
    keep: Sequence[str] = (),
    name: str = "score",
    naive: Literal["error", "utc"] = "error",
) -> Iterator[pyarrow.RecordBatch]:
    """Yields the columns `keep` of each record batch with the scores of its rows, `name`, among the rows of their group.

    The rows of a group must follow each other; a group may go on in later batches. It is held back until it is over, so that a group
    is in memory at once, and a stream is not. A group that comes back after another is refused.
    """
    import pyarrow

    for pieces in _whole_groups(batches, group):
        scores = pyarrow.array(scorer.score(pyarrow.Table.from_batches(pieces), group=group, naive=naive))
        first = 0
        for piece in pieces:
            columns = [piece.column(column) for column in keep]
            yield pyarrow.RecordBatch.from_arrays(
                [*columns, scores.slice(first, piece.num_rows)],
                schema=_schema(piece.schema, keep, [pyarrow.field(name, pyarrow.float64())]),
            )
            first += piece.num_rows


def select_batches(
    selector: Selector,
    batches: Iterable[pyarrow.RecordBatch],
    max_tokens: int,
    *,
    group: str,
    keep: Sequence[str] = (),
    dropped: bool = False,
    naive: Literal["error", "utc"] = "error",
    **request: Any,
) -> Iterator[pyarrow.RecordBatch]:
    """Yields the rows that are kept when each group is fitted to `max_tokens`, and with `dropped` the others too.

    A record batch has the columns `keep`, then `position`, where the row stands among the kept rows of its group (null for a row that
    was dropped), `score` and `reason`. `request` has the other parameters of `Selector.select`. Else as `score_batches`.
    """
    import pyarrow

    for pieces in _whole_groups(batches, group):
        table = pyarrow.Table.from_batches(pieces)
        selection = selector.select(table, max_tokens, group=group, naive=naive, **request)
        results = pyarrow.record_batch(selection).drop_columns(["cause"])
        first = 0
        for piece in pieces:
            result = results.slice(first, piece.num_rows)
            first += piece.num_rows
            chosen = pyarrow.RecordBatch.from_arrays(
                [*(piece.column(column) for column in keep), *result.columns],
                schema=_schema(piece.schema, keep, [pyarrow.field(field.name, field.type) for field in result.schema]),
            )
            yield chosen if dropped else chosen.filter(result.column("position").is_valid())


def _schema(schema: pyarrow.Schema, keep: Sequence[str], more: list[pyarrow.Field]) -> pyarrow.Schema:
    import pyarrow

    return pyarrow.schema([*(schema.field(column) for column in keep), *more])


def _whole_groups(batches: Iterable[pyarrow.RecordBatch], group: str) -> Iterator[list[pyarrow.RecordBatch]]:
    """Cuts a stream into lists of record batches that end where a group ends."""
    import pyarrow.compute

    held: list[pyarrow.RecordBatch] = []
    # The last value of what is held.
    open_value: Any = None
    closed: set[Any] = set()

    def close(pieces: list[pyarrow.RecordBatch]) -> list[pyarrow.RecordBatch]:
        # Among the rows of one list the library finds a group that comes back.
        for value in {value for piece in pieces for value in pyarrow.compute.unique(piece.column(group)).to_pylist()}:
            if value in closed:
                raise ValueError(f"{group}: {value!r} comes back: sort by the group column")
            closed.add(value)
        return pieces

    for batch in batches:
        if batch.num_rows == 0:
            continue
        index = batch.schema.get_field_index(group)
        if index < 0:
            raise ValueError(f"group is {group!r}: the record batch has no such column, or more than one")
        column = batch.column(index)
        value = column[-1].as_py()
        if held and column[0].as_py() != open_value:
            # Nothing goes on.
            yield close(held)
            held = []
        start = _last_run(lambda row: column[row].as_py() == value, batch.num_rows)
        if start > 0:
            yield close([*held, batch.slice(0, start)])
            held = []
        held.append(batch.slice(start))
        open_value = value
    if held:
        yield close(held)


def _last_run(is_last: Callable[[int], bool], rows: int) -> int:
    """The first of the rows at the end that have the last value."""
    step = 1
    while step < rows and is_last(rows - 1 - step):
        step *= 2
    low, high = max(rows - step, 0), rows - 1 - step // 2
    while low < high:
        middle = (low + high) // 2
        if is_last(middle):
            high = middle
        else:
            low = middle + 1
    return low
