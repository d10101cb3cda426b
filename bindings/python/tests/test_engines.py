"""Each engine gives the scores and the selections of a loop over conversations, from rows in random order."""

import random
import struct
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from engine import need, wanted

import libcupel
from libcupel import Scorer, Selector, score_batches, select_batches

pa = need("pyarrow")

NOW = datetime(2026, 3, 1, tzinfo=timezone.utc)
ROWS = 40_000
BUDGET = 600
SCORER = Scorer.composite(
    [
        (Scorer.recency(), 1.0),
        (Scorer.kind(), 0.5),
        (Scorer.scaled(Scorer.frequency()), 2.0),
        (Scorer.priority(), 0.3),
        (Scorer.decay_exponential("24h"), 0.9),
    ]
).at(NOW)
SELECTOR = Selector(SCORER, slicer="greedy", placer="chronological", keep_duplicates=True)
KEEP = ["conversation", "row"]
SCHEMA = pa.schema(
    [
        ("conversation", pa.string()),
        ("row", pa.int64()),
        ("content", pa.string()),
        ("tokens", pa.int64()),
        ("kind", pa.string()),
        ("priority", pa.int64()),
        ("tags", pa.list_(pa.string())),
        ("timestamp", pa.timestamp("us", tz="UTC")),
        ("pinned", pa.bool_()),
    ]
)


def bits(score: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", score))[0])


def make_rows() -> list[dict[str, Any]]:
    generator = random.Random(5)
    rows: list[dict[str, Any]] = []
    conversation = 0
    while len(rows) < ROWS:
        conversation += 1
        # A few are longer than a batch.
        length = 3000 if conversation % 400 == 0 else generator.randint(1, 40)
        for place in range(min(length, ROWS - len(rows))):
            rows.append(
                {
                    "conversation": f"c{conversation * 7919 % 100003}",
                    "row": len(rows),
                    "content": f"text {len(rows)}",
                    "tokens": generator.randint(1, 200),
                    "kind": generator.choice(["Message", "Document", "ToolOutput", None]),
                    "priority": generator.choice([None, 1, 2, 3, 4, 5]),
                    "tags": generator.sample(["a", "b", "c", "d"], generator.randint(0, 3)),
                    "timestamp": NOW - timedelta(seconds=generator.randint(0, 10**6)),
                    "pinned": place == 0 and generator.random() < 0.1,
                }
            )
    # No two are alike, so that their order makes no difference.
    for row in rows:
        row["timestamp"] += timedelta(microseconds=row["row"])
    return rows


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return make_rows()


@pytest.fixture(scope="module")
def shuffled(rows: list[dict[str, Any]]) -> Any:
    mixed = rows.copy()
    random.Random(6).shuffle(mixed)
    return pa.Table.from_pylist(mixed, schema=SCHEMA)


@pytest.fixture(scope="module")
def conversations(rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["conversation"], []).append(row)
    return list(found.values())


@pytest.fixture(scope="module")
def expected(conversations: list[list[dict[str, Any]]]) -> dict[int, int]:
    scores: dict[int, int] = {}
    for messages in conversations:
        scores.update(zip((row["row"] for row in messages), map(bits, SCORER.score(messages))))
    return scores


@pytest.fixture(scope="module")
def chosen(conversations: list[list[dict[str, Any]]]) -> dict[str, list[int]]:
    """The kept rows of each conversation, in order."""
    found = {}
    for messages in conversations:
        # Ties would go to the lower row, which an engine does not know. Timestamps differ, so that there are none.
        selection = SELECTOR.select(messages, BUDGET)
        found[messages[0]["conversation"]] = [messages[row]["row"] for row in selection.rows]
    return found


def check(rows: Any, expected: dict[int, int]) -> None:
    found = {row["row"]: bits(row["score"]) for row in rows}
    assert len(rows) == len(expected) == len(found)
    assert found == expected


def check_selections(rows: Any, chosen: dict[str, list[int]]) -> None:
    found: dict[str, list[tuple[int, int]]] = {}
    for row in rows:
        found.setdefault(row["conversation"], []).append((row["position"], row["row"]))
        assert row["reason"] in ("scored", "pinned", "zero_tokens")
    assert {name: [row for _, row in sorted(kept)] for name, kept in found.items()} == {
        name: kept for name, kept in chosen.items() if kept
    }


def test_pyarrow(shuffled: Any, expected: dict[int, int]) -> None:
    table = shuffled.sort_by("conversation")
    scores = SCORER.score(table, group="conversation")
    check(table.select(["row"]).append_column("score", pa.array(scores)).to_pylist(), expected)


@pytest.mark.parametrize("batch_rows", [1, 7, 1000, 65_536])
def test_streams(shuffled: Any, expected: dict[int, int], chosen: dict[str, list[int]], batch_rows: int) -> None:
    table = shuffled.sort_by("conversation")
    if batch_rows == 1:
        table = table.slice(0, 3000)
        last = table["conversation"][-1].as_py()
        table = table.filter(pa.compute.not_equal(table["conversation"], last))
        rows = set(table["row"].to_pylist())
        names = set(table["conversation"].to_pylist())
        expected = {row: score for row, score in expected.items() if row in rows}
        chosen = {name: kept for name, kept in chosen.items() if name in names}
    batches = table.to_batches(batch_rows)
    scored = pa.Table.from_batches(score_batches(SCORER, iter(batches), group="conversation", keep=KEEP))
    assert scored.schema.names == ["conversation", "row", "score"]
    check(scored.to_pylist(), expected)
    selected = select_batches(SELECTOR, batches, BUDGET, group="conversation", keep=KEEP)
    check_selections(pa.Table.from_batches(selected).to_pylist(), chosen)
    everything = select_batches(SELECTOR, batches, BUDGET, group="conversation", keep=KEEP, dropped=True)
    table = pa.Table.from_batches(everything)
    assert table.num_rows == len(expected) and table["position"].null_count > 0


def test_streams_refuse_a_group_that_comes_back() -> None:
    def stream(*values: Any) -> Iterator[Any]:
        for value in values:
            yield pa.record_batch({"g": pa.array(value, pa.string()), "priority": pa.array([1] * len(value), pa.int64())})

    unsorted: list[list[list[Any]]] = [
        [["a", "b", "a"]],
        [["a"], ["b"], ["a"]],
        [["a", "b"], ["b", "c"], ["c", "a"]],
        [[None], ["b"], [None]],
    ]
    for wrong in unsorted:
        with pytest.raises(ValueError, match="comes back: sort by the group column"):
            list(score_batches(Scorer.priority(), stream(*wrong), group="g"))
    good = score_batches(Scorer.priority(), stream(["a"], [], ["a", "a"], ["b"], [None], [None, "c"]), group="g")
    assert [batch.num_rows for batch in good] == [1, 2, 1, 1, 1, 1]
    assert list(score_batches(Scorer.priority(), stream(), group="g")) == []
    with pytest.raises(ValueError, match="group is 'x'"):
        list(score_batches(Scorer.priority(), stream(["a"]), group="x"))


def test_a_long_group_takes_linear_time() -> None:
    import time

    def seconds(batches: int) -> float:
        started = time.perf_counter()
        stream = (pa.record_batch({"g": ["a"] * 10, "priority": [1] * 10}) for _ in range(batches))
        assert sum(batch.num_rows for batch in score_batches(Scorer.priority(), stream, group="g")) == batches * 10
        return time.perf_counter() - started

    seconds(100)
    short = min(seconds(1000) for _ in range(3))
    # Four times as many; a quadratic loop would take sixteen times as long.
    assert min(seconds(4000) for _ in range(3)) < 10 * short


def test_polars(shuffled: Any, expected: dict[int, int]) -> None:
    pl = need("polars")
    from libcupel.polars import scores

    frame = pl.from_arrow(shuffled)
    scored = scores(frame, SCORER, group="conversation")
    assert scored.drop("score").equals(frame)
    check(scored.select("row", "score").to_dicts(), expected)
    check(scores(frame.lazy(), SCORER, group="conversation").select("row", "score").to_dicts(), expected)
    ordered = frame.sort("conversation")
    ordered = ordered.with_columns(score=pl.Series(SCORER.score(ordered, group="conversation")))
    check(ordered.select("row", "score").to_dicts(), expected)


def test_duckdb(shuffled: Any, expected: dict[int, int], chosen: dict[str, list[int]], tmp_path: Path) -> None:
    duckdb = need("duckdb")
    import pyarrow.parquet
    from libcupel.duckdb import scores, selections

    path = tmp_path / "it's.parquet"
    pyarrow.parquet.write_table(shuffled, path)
    connection = duckdb.connect()
    source = "'" + str(path).replace("'", "''") + "'"
    for batch_rows in (2048, 65_536):
        reader = scores(connection, source, SCORER, group="conversation", keep=KEEP, batch_rows=batch_rows)
        connection.sql("create or replace table scores as select * from reader")
        check(connection.sql("select row, score from scores").to_arrow_table().to_pylist(), expected)
    fitted = selections(connection, source, SELECTOR, BUDGET, group="conversation", keep=KEEP)
    check_selections(fitted.read_all().to_pylist(), chosen)


@pytest.mark.skipif(not wanted("spark"), reason="CUPEL_TEST_ENGINES does not name spark")
@pytest.mark.filterwarnings("default")
def test_spark(
    shuffled: Any, expected: dict[int, int], chosen: dict[str, list[int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet
    from libcupel.spark import scores, selections
    from pyspark.sql import SparkSession

    pyarrow.parquet.write_table(shuffled, tmp_path / "rows.parquet", compression="zstd")
    # Otherwise the workers are whatever python3 is on the path.
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
    # Its library for snappy is not found on every system.
    builder = builder.config("spark.sql.parquet.compression.codec", "zstd")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
    spark = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    try:
        frame = spark.read.parquet(str(tmp_path / "rows.parquet"))
        scored = scores(frame, SCORER, group="conversation", keep=["row"], partitions=3)
        assert scored.columns == ["row", "score"]
        scored.write.parquet(str(tmp_path / "scores"))
        check(pyarrow.parquet.read_table(tmp_path / "scores").to_pylist(), expected)
        fitted = selections(frame, SELECTOR, BUDGET, group="conversation", keep=KEEP)
        check_selections([row.asDict() for row in fitted.collect()], chosen)
    finally:
        spark.stop()


@pytest.mark.skipif(not wanted("ray"), reason="CUPEL_TEST_ENGINES does not name ray")
@pytest.mark.filterwarnings("default")
def test_ray(shuffled: Any, expected: dict[int, int], chosen: dict[str, list[int]]) -> None:
    import ray
    from libcupel.ray import scores, selections

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        dataset = ray.data.from_arrow([shuffled.slice(first, 9000) for first in range(0, ROWS, 9000)])
        check(scores(dataset, SCORER, group="conversation", keep=["row"]).take_all(), expected)
        fitted = selections(dataset, SELECTOR, BUDGET, group="conversation", keep=KEEP)
        check_selections(fitted.take_all(), chosen)
    finally:
        ray.shutdown()


@pytest.mark.skipif(not wanted("dask"), reason="CUPEL_TEST_ENGINES does not name dask")
@pytest.mark.filterwarnings("default")
def test_dask(rows: list[dict[str, Any]]) -> None:
    import dask.dataframe
    from libcupel.dask import scores

    scorer = Scorer.composite([(Scorer.recency(), 1.0), (Scorer.kind(), 0.5), (Scorer.priority(), 0.3)])
    mixed = rows.copy()
    random.Random(8).shuffle(mixed)
    columns = ["conversation", "row", "kind", "priority", "timestamp"]
    frame = pa.Table.from_pylist(mixed, schema=SCHEMA).select(columns).to_pandas()
    lazy = dask.dataframe.from_pandas(frame, npartitions=4)
    scored = scores(lazy, scorer, group="conversation", keep=["row"]).compute(scheduler="threads")
    expected: dict[int, int] = {}
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["conversation"], []).append(row)
    for messages in groups.values():
        expected.update(zip((row["row"] for row in messages), map(bits, scorer.score(messages))))
    check(scored.to_dict("records"), expected)


def test_the_package_imports_no_engine() -> None:
    import subprocess
    import sys

    modules = "libcupel.polars, libcupel.duckdb, libcupel.spark, libcupel.ray, libcupel.dask, libcupel.stream"
    program = f"import sys, libcupel, {modules}; print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    for engine in ("pyarrow", "numpy", "polars", "duckdb", "pyspark", "ray", "dask", "pandas"):
        assert f"'{engine}'" not in loaded, engine
    assert libcupel.stream.__all__ == ["score_batches", "select_batches"]
