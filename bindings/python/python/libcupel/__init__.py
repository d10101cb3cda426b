"""Tells a language-model application which pieces of context are worth keeping.

A `Scorer` gives every row a score, a `Selector` chooses the rows that fit a token budget, and `fit` does both for the messages of a
chat. Rows come from items, messages, JSON or Arrow tables. The modules `stream`, `polars`, `duckdb`, `spark`, `ray` and `dask` score
and fit many conversations at once; each imports its engine when it is called.
"""

from libcupel._native import (
    Batch,
    Clock,
    Error,
    Item,
    Scorer,
    Scores,
    Selection,
    Selector,
    Shortfall,
    from_messages,
)
from libcupel.messages import Fitted, LeftOut, fit
from libcupel.stream import score_batches, select_batches

__all__ = [
    "Batch",
    "Clock",
    "Error",
    "Fitted",
    "Item",
    "LeftOut",
    "Scorer",
    "Scores",
    "Selection",
    "Selector",
    "Shortfall",
    "fit",
    "from_messages",
    "score_batches",
    "select_batches",
]
