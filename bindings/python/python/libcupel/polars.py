"""Scores the rows of a Polars data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from libcupel._columns import needed
from libcupel._native import Scorer

if TYPE_CHECKING:
    import polars

__all__ = ["scores"]


def scores(
    frame: polars.DataFrame | polars.LazyFrame,
    scorer: Scorer,
    *,
    group: str,
    name: str = "score",
    naive: Literal["error", "utc"] = "error",
) -> polars.DataFrame:
    """The frame with one more column, `name`: the score of each row among the rows of its group, which may stand in any order."""
    import polars

    if isinstance(frame, polars.LazyFrame):
        frame = frame.collect()
    order = frame.get_column(group).arg_sort()
    read = needed(group, (), scorer.columns, frame.columns)
    result = polars.Series(scorer.score(frame.select(read)[order], group=group, naive=naive))
    in_place = polars.DataFrame({"row": order, "score": result}).sort("row").get_column("score")
    return frame.with_columns(in_place.alias(name))
