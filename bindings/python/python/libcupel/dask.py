"""Scores the rows of a Dask data frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from libcupel._columns import needed
from libcupel._native import Scorer

if TYPE_CHECKING:
    import dask.dataframe
    import pandas

__all__ = ["scores"]


def scores(
    frame: dask.dataframe.DataFrame,
    scorer: Scorer,
    *,
    group: str,
    keep: Sequence[str] = (),
    name: str = "score",
    naive: Literal["error", "utc"] = "error",
) -> Any:
    """A frame of the columns `keep` and the score of each row among the rows of its group, brought together in one shuffle.

    The present is read once, here.
    """
    frozen = scorer.freeze()
    wanted = needed(group, keep, scorer.columns, set(frame.columns))

    def run(part: pandas.DataFrame) -> pandas.DataFrame:
        import pyarrow

        part = part.sort_values(group, kind="stable")
        table = pyarrow.Table.from_pandas(part, preserve_index=False)
        result = pyarrow.array(frozen.score(table, group=group, naive=naive)).to_numpy()
        return part[list(keep)].assign(**{name: result})

    meta = frame._meta[list(keep)].assign(**{name: 0.0})
    return frame[wanted].shuffle(on=group).map_partitions(run, meta=meta)
