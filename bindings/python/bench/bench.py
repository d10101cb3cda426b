"""Measures what Python pays for: building rows, small calls, scoring, tables, threads.

Each figure is the least of several runs. `python bench/bench.py [ROWS]`. With `report` it prints the rows that scripts/bench.sh adds
to the report of all benchmarks: name, median, fastest and where there is one the limit, with tabs between them. The library for C is
taken from CUPEL_LIB_DIR, or from target/release of the repository.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from columns import appending
from libcupel import Batch, Scorer, Selector, from_messages

KINDS = ["Message", "Document", "ToolOutput", "Memory", "SystemPrompt"]
COMPOSITE = Scorer.from_json(
    """{"scorers": [
    {"type": "recency", "weight": 0.4}, {"type": "kind", "weight": 0.3},
    {"type": "frequency", "weight": 0.2}, {"type": "metadataTrust", "weight": 0.1}
]}"""
)


@dataclass
class Note:
    content: str
    tokens: int
    kind: str
    priority: int
    tags: list[str]
    metadata: dict[str, Any]
    timestamp: int


def times(run: Callable[[], Any], seconds: float = 1.0) -> list[float]:
    """The times of as many calls as fit the seconds, in order."""
    run()
    found = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        started = time.perf_counter()
        run()
        found.append(time.perf_counter() - started)
    return sorted(found)


def least(run: Callable[[], Any]) -> float:
    return times(run)[0]


def of_columns(rows: list[dict[str, Any]]) -> Callable[[], None] | None:
    """Makes a batch of the same rows by cupel_batch_append_columns; None where the library for C is not built."""
    folder = Path(os.environ.get("CUPEL_LIB_DIR") or Path(__file__).parents[3] / "target" / "release")
    found = [folder / name for name in ("libcupel.so", "libcupel.dylib", "cupel.dll") if (folder / name).exists()]
    return appending(found[0], rows) if found else None


def ratio(run: Callable[[], Any], other: Callable[[], Any], seconds: float = 2.0) -> tuple[float, float]:
    """The times of one call to those of the other, called in turn: medians, and the least of each."""
    run(), other()
    found: tuple[list[float], list[float]] = ([], [])
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for call, samples in zip((run, other), found):
            started = time.perf_counter()
            call()
            samples.append(time.perf_counter() - started)
    ours, theirs = map(sorted, found)
    return ours[len(ours) // 2] / theirs[len(theirs) // 2], ours[0] / theirs[0]


def report(name: str, seconds: float, rows: int) -> None:
    print(f"{name:<44} {seconds * 1e6:>14,.1f} us {seconds * 1e9 / rows:>10,.1f} ns a row")


def fields(row: int) -> dict[str, Any]:
    return {
        "content": f"This is the content of row {row}, a sentence of some length.",
        "tokens": 20 + row % 100,
        "kind": KINDS[row % 5],
        "priority": row * 7919 % 1000,
        "tags": [f"tag {row % 50}", f"tag {row * 31 % 50}"][: row % 3],
        "metadata": {"cupel:trust": row % 100 / 100},
        "timestamp": 1_700_000_000_000_000_000 + row * 7919 % 1_000_000_007,
    }


def report_lines() -> None:
    """The rows of the report of all benchmarks."""
    small, medium = [fields(row) for row in range(20)], Batch(fields(row) for row in range(10_000))
    dicts = [fields(row) for row in range(10_000)]
    by_item = Scorer.custom(lambda batch: [float(batch[row].priority or 0) for row in range(len(batch))])
    lines: list[tuple[str, int, Callable[[], Any]]] = [
        ("Python, 20 rows: make from dicts, score by the composite; ns a batch", 1, lambda: COMPOSITE.score(small)),
        ("Python, make from dicts, 10k; ns a row", 10_000, lambda: Batch(dicts)),
        ("Python, custom scorer that reads a field item by item, 10k; ns a row", 10_000, lambda: by_item.score(medium)),
        ("Python, priority, 10k; ns a row", 10_000, lambda: Scorer.priority().score(medium)),
    ]
    for name, rows, run in lines:
        found = times(run)
        print(f"{name}\t{found[len(found) // 2] * 1e9 / rows:.3g}\t{found[0] * 1e9 / rows:.3g}")
    columns = of_columns(dicts)
    if columns:
        median, fastest = ratio(lambda: Batch(dicts), columns)
        print(f"Python, make from dicts / the same by append_columns in C, 10k\t{median:.3g}\t{fastest:.3g}\t8")


def main() -> None:
    if sys.argv[1:] == ["report"]:
        return report_lines()
    large = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    dicts = [fields(row) for row in range(10_000)]
    notes = [Note(**given) for given in dicts]
    messages = [{"role": "user" if row % 2 else "assistant", "content": given["content"]} for row, given in enumerate(dicts)]
    report("build 10,000 rows from dicts", least(lambda: Batch(dicts)), 10_000)
    from_c = of_columns(dicts)
    if from_c:
        report("the same by append_columns in C", least(from_c), 10_000)
        print(f"{'from dicts / by append_columns, at most 8':<44} {ratio(lambda: Batch(dicts), from_c)[1]:>14.2f}")
    report("build 10,000 rows from objects", least(lambda: Batch(notes)), 10_000)
    report("build 10,000 rows from messages", least(lambda: from_messages(messages)), 10_000)

    small = Batch(dicts[:20])
    kind = Scorer.kind()
    report("score 20 rows by kind", least(lambda: kind.score(small)), 20)
    report("score 20 rows by the composite", least(lambda: COMPOSITE.score(small)), 20)
    report("build and score 20 rows by the composite", least(lambda: COMPOSITE.score(dicts[:20])), 20)

    batch = Batch(fields(row) for row in range(large))
    report(f"score {large:,} rows by the composite", least(lambda: COMPOSITE.score(batch)), large)
    selector = Selector(COMPOSITE, keep_duplicates=True, placer="batch_order")
    report(f"fit {large:,} rows to 128,000 tokens", least(lambda: selector.select(batch, 128_000)), large)

    # Two threads that share nothing but the interpreter.
    others = [Batch(fields(row) for row in range(large)) for _ in range(2)]

    def work(own: Batch) -> None:
        for _ in range(20):
            COMPOSITE.score(own)

    def together() -> None:
        threads = [threading.Thread(target=work, args=(own,)) for own in others]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    one = least(lambda: work(others[0]))
    print(f"{'two threads / one, 20 calls each':<44} {least(together) / one:>14.2f}")

    try:
        import pyarrow as pa
    except ImportError:
        return
    rows = [{**fields(row), "metadata": [("cupel:trust", str(row % 100 / 100))], "conversation": row // 20} for row in range(large)]
    columns = {name: [row[name] for row in rows] for name in rows[0] if name not in ("metadata", "timestamp")}
    columns["metadata"] = pa.array([row["metadata"] for row in rows], pa.map_(pa.string(), pa.string()))
    columns["timestamp"] = pa.array([row["timestamp"] for row in rows], pa.timestamp("ns", tz="UTC"))
    table = pa.table(columns)

    def append() -> None:
        Batch().append_arrow(table)

    report(f"build {large:,} rows from a table", least(append), large)
    report(f"score {large // 20:,} groups of 20 of a table", least(lambda: COMPOSITE.score(table, group="conversation")), large)
    pieces = table.slice(0, 20_000).to_batches(max_chunksize=20)
    seconds = least(lambda: [COMPOSITE.score(piece) for piece in pieces])
    report("the same by a call for each group", seconds, 20_000)
    budget = least(lambda: selector.select(table, 500, group="conversation"))
    report(f"fit {large // 20:,} groups of 20 of a table", budget, large)


if __name__ == "__main__":
    main()
