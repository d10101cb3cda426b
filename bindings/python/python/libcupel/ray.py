"""Scores the rows of a Ray dataset.

The package has to be on the workers: `ray.init(runtime_env={"pip": ["libcupel"]})`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from libcupel._columns import needed
from libcupel._native import Scorer, Selector

if TYPE_CHECKING:
    import pyarrow
    from ray.data import Dataset

__all__ = ["scores", "selections"]


def scores(
    dataset: Dataset,
    scorer: Scorer,
    *,
    group: str,
    keep: Sequence[str] = (),
    name: str = "score",
    naive: Literal["error", "utc"] = "error",
) -> Dataset:
    """A dataset of the columns `keep` and the score of each row among the rows of its group.

    The dataset is sorted by `group`, which puts all rows of a group into one block. The present is read once, here.
    """
    frozen = scorer.freeze()

    def run(block: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        result = pyarrow.array(frozen.score(block, group=group, naive=naive))
        return block.select(list(keep)).append_column(name, result)

    return _mapped(dataset, group, keep, scorer.columns, run)


def selections(
    dataset: Dataset,
    selector: Selector,
    max_tokens: int,
    *,
    group: str,
    keep: Sequence[str] = (),
    dropped: bool = False,
    naive: Literal["error", "utc"] = "error",
    **request: Any,
) -> Dataset:
    """A dataset of the kept rows of each group, with `position`, `score` and `reason` as from `select_batches`."""
    frozen = selector.freeze()

    def run(block: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        selection = frozen.select(block, max_tokens, group=group, naive=naive, **request)
        results = pyarrow.record_batch(selection)
        chosen = block.select(list(keep))
        for column in ("position", "score", "reason"):
            chosen = chosen.append_column(column, results.column(column))
        return chosen if dropped else chosen.filter(results.column("position").is_valid())

    return _mapped(dataset, group, keep, selector.columns, run)


def _mapped(dataset: Dataset, group: str, keep: Sequence[str], read: Sequence[str], run: Any) -> Dataset:
    wanted = needed(group, keep, read, dataset.columns() or [])
    ordered = dataset.select_columns(wanted).sort(group)
    # A block as a whole: a batch of a fixed size would cut groups.
    return ordered.map_batches(run, batch_size=None, batch_format="pyarrow", zero_copy_batch=True)
