"""Scores and fits the rows of a Spark data frame.

The package has to be on the workers: in the image, or in an archive that venv-pack makes and `--archives` ships.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from libcupel._columns import needed
from libcupel._native import Scorer, Selector
from libcupel.stream import score_batches, select_batches

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

__all__ = ["scores", "selections"]


def scores(
    frame: DataFrame,
    scorer: Scorer,
    *,
    group: str,
    keep: Sequence[str] = (),
    name: str = "score",
    partitions: int | None = None,
    naive: Literal["error", "utc"] = "error",
) -> DataFrame:
    """A frame of the columns `keep` and the score of each row among the rows of its group.

    Rows are brought together by `group` in one shuffle, which takes only the columns that are read. The present is read once, here.
    """
    from pyspark.sql.types import DoubleType, StructField

    frozen = scorer.freeze()

    def run(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        return score_batches(frozen, batches, group=group, keep=keep, name=name, naive=naive)

    return _mapped(frame, group, keep, scorer.columns, partitions, [StructField(name, DoubleType())], run)


def selections(
    frame: DataFrame,
    selector: Selector,
    max_tokens: int,
    *,
    group: str,
    keep: Sequence[str] = (),
    dropped: bool = False,
    partitions: int | None = None,
    naive: Literal["error", "utc"] = "error",
    **request: Any,
) -> DataFrame:
    """A frame of what `select_batches` gives: the kept rows of each group, with `position`, `score` and `reason`."""
    from pyspark.sql.types import DoubleType, LongType, StringType, StructField

    frozen = selector.freeze()

    def run(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        for batch in select_batches(
            frozen, batches, max_tokens, group=group, keep=keep, dropped=dropped, naive=naive, **request
        ):
            # Spark has no unsigned integers.
            index = batch.schema.get_field_index("position")
            yield batch.set_column(index, "position", batch.column(index).cast(pyarrow.int64()))

    added = [
        StructField("position", LongType()),
        StructField("score", DoubleType()),
        StructField("reason", StringType()),
    ]
    return _mapped(frame, group, keep, selector.columns, partitions, added, run)


def _mapped(
    frame: DataFrame,
    group: str,
    keep: Sequence[str],
    read: Sequence[str],
    partitions: int | None,
    added: list[Any],
    run: Any,
) -> DataFrame:
    from pyspark.sql.types import StructType

    columns = frame.select(*(_quoted(column) for column in needed(group, keep, read, frame.columns)))
    shuffled = (
        columns.repartition(_quoted(group)) if partitions is None else columns.repartition(partitions, _quoted(group))
    )
    # By columns, not by name: names may hold dots.
    schema = StructType([*(columns.schema[column] for column in keep), *added])
    return shuffled.sortWithinPartitions(_quoted(group)).mapInArrow(run, schema)


def _quoted(name: str) -> Any:
    from pyspark.sql import functions

    return functions.col("`" + name.replace("`", "``") + "`")
