"""Tables in, arrays out."""

import ctypes
import gc
import math
import struct
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from engine import need

from libcupel import Batch, Error, Scorer, Selector

pa = need("pyarrow")
np = need("numpy")

NOW = datetime(2026, 3, 1, tzinfo=timezone.utc)
TREE = Scorer.composite(
    [
        (Scorer.recency(), 1.0),
        (Scorer.kind(), 0.5),
        (Scorer.scaled(Scorer.frequency()), 2.0),
        (Scorer.metadata_trust(), 0.75),
        (Scorer.priority(), 0.3),
        (Scorer.reflexive(), 0.2),
        (Scorer.decay_exponential("24h", clock=NOW), 0.9),
    ]
)


def rows(count: int, group: int = 7) -> list[dict[str, Any]]:
    return [
        {
            "content": f"text {row} ä",
            "tokens": row % 50 + 1,
            "kind": ("Message", "Document", "ToolOutput")[row % 3],
            "source": "Rag" if row % 4 == 0 else "Chat",
            "priority": None if row % 5 == 0 else row * 37 % 11,
            "tags": [f"tag {row % 4}", "common"][: row % 3],
            "metadata": {"cupel:trust": str(row % 10 / 10), "other": str(row)} if row % 2 else {},
            "timestamp": NOW - timedelta(minutes=row * 13 % 997),
            "future_relevance_hint": None if row % 6 == 0 else row % 9 / 8,
            "pinned": row % 20 == 0,
            "conversation": row // group,
        }
        for row in range(count)
    ]


SCHEMA = pa.schema(
    [
        ("content", pa.string()),
        ("tokens", pa.int64()),
        ("kind", pa.string()),
        ("source", pa.string()),
        ("priority", pa.int64()),
        ("tags", pa.list_(pa.string())),
        ("metadata", pa.map_(pa.string(), pa.string())),
        ("timestamp", pa.timestamp("us", tz="UTC")),
        ("future_relevance_hint", pa.float64()),
        ("pinned", pa.bool_()),
        ("conversation", pa.int64()),
    ]
)


def table(items: list[dict[str, Any]]) -> Any:
    pairs = [{**item, "metadata": list(item["metadata"].items())} for item in items]
    return pa.Table.from_pylist(pairs, schema=SCHEMA)


def fields(batch: Batch) -> list[tuple[Any, ...]]:
    names = "content tokens kind source priority tags metadata timestamp future_relevance_hint pinned".split()
    return [tuple(getattr(batch[row], name) for name in names) for row in range(len(batch))]


def bits(scores: Any) -> list[int]:
    return [struct.unpack("<Q", struct.pack("<d", score))[0] for score in scores]


def loop(items: list[dict[str, Any]], scorer: Scorer = TREE) -> list[int]:
    """A batch for each conversation, whose rows follow each other."""
    scores: list[int] = []
    first = 0
    while first < len(items):
        end = first
        while end < len(items) and items[end]["conversation"] == items[first]["conversation"]:
            end += 1
        scores += bits(scorer.score(items[first:end]))
        first = end
    return scores


def test_a_table_has_the_rows_of_its_items() -> None:
    items = rows(100)
    given = table(items)
    for data in (given, given.to_batches()[0], given.to_reader(9), pa.Table.from_batches(given.to_batches(7))):
        batch = Batch()
        batch.append_arrow(data)
        assert fields(batch) == fields(Batch(items))
    sliced = Batch()
    sliced.append_arrow(given.slice(13, 50).to_batches()[0])
    assert fields(sliced) == fields(Batch(items[13:63]))


def test_scores_of_groups_equal_a_loop() -> None:
    items = rows(500)
    given = table(items)
    expected = loop(items)
    assert bits(TREE.score(given, group="conversation")) == expected
    for chunk in (1, 6, 7, 8, 100):
        chunked = pa.Table.from_batches(given.to_batches(chunk))
        assert bits(TREE.score(chunked, group="conversation")) == expected
        assert bits(TREE.score(chunked.to_reader(), group="conversation")) == expected
    batch = Batch(items)
    ends = [*range(0, 500, 7), 500]
    assert bits(TREE.score(batch, groups=ends)) == expected
    assert bits(TREE.score(items, groups=np.array(ends))) == expected
    assert bits(TREE.score(given)) == bits(TREE.score(items)) == bits(TREE.score(batch))


def test_layouts_that_hold_the_same() -> None:
    items = rows(60)
    given = table(items).select([*TREE.columns, "conversation"])
    expected = loop(items)
    large = pa.schema(
        [
            ("kind", pa.large_string()),
            ("priority", pa.int16()),
            ("tags", pa.large_list(pa.string_view())),
            ("metadata", pa.map_(pa.large_string(), pa.string())),
            ("timestamp", pa.timestamp("ns", tz="Europe/Paris")),
            ("future_relevance_hint", pa.float32()),
            ("conversation", pa.string()),
        ]
    )
    assert bits(TREE.score(given.cast(large), group="conversation")) == expected
    coded = given.set_column(0, "kind", given["kind"].dictionary_encode())
    coded = coded.set_column(coded.schema.get_field_index("conversation"), "conversation", coded["conversation"].dictionary_encode())
    assert bits(TREE.score(coded, group="conversation")) == expected
    nested = pa.ListArray.from_arrays(
        pa.array([*range(0, 60, 7), 60], pa.int32()), given.combine_chunks().to_batches()[0].to_struct_array()
    )
    assert bits(TREE.score(nested)) == expected
    hints = pa.array([Decimal("0.5"), None, Decimal("0.25")], pa.decimal128(5, 2))
    assert Scorer.reflexive().score(pa.table({"future_relevance_hint": hints})).tolist() == [0.5, 0.0, 0.25]
    assert Scorer.priority().score(pa.table({"priority": [1.0, None, 3.0]})).tolist() == [0.0, 0.0, 1.0]


def test_timestamps_without_a_zone_need_a_word() -> None:
    naive = pa.table({"timestamp": pa.array([1, 2, 3], pa.timestamp("s"))})
    with pytest.raises(Error, match="timestamp") as raised:
        Scorer.recency().score(naive)
    assert raised.value.status == "INVALID_ARGUMENT"
    assert Scorer.recency().score(naive, naive="utc").tolist() == [0.0, 0.5, 1.0]
    with pytest.raises(ValueError, match="naive is 'utx'|naive is \"utx\""):
        Scorer.recency().score(naive, naive="utx")  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("columns", "status", "message"),
    [
        ({"kind": ["Message", " "]}, "EMPTY_KIND", "kind"),
        ({"kind": pa.array([b"x"])}, "INVALID_ARGUMENT", "kind"),
        ({"content": ["a", None]}, "INVALID_ARGUMENT", r"content\[1\] is null"),
        ({"content": ["a", ""]}, "EMPTY_CONTENT", r"content.*\[1\]"),
        ({"tokens": [1, None]}, "INVALID_ARGUMENT", r"tokens\[1\] is null"),
        ({"priority": [1.5]}, "INVALID_ARGUMENT", r"priority\[0\]"),
        ({"tags": [["a"], [None]]}, "INVALID_ARGUMENT", r"tags\[1\] has a null tag"),
        ({"other": [1]}, "INVALID_ARGUMENT", "no column of a known name"),
    ],
)
def test_what_is_wrong_with_a_table_is_named(columns: dict[str, Any], status: str, message: str) -> None:
    batch = Batch(rows(2))
    before = fields(batch)
    good = pa.table({"tokens": [1]})
    with pytest.raises(Error, match=message) as raised:
        batch.append_arrow(pa.table(columns))
    assert raised.value.status == status
    assert fields(batch) == before
    batch.append_arrow(good)
    assert len(batch) == 3


def test_groups_that_are_wrong_are_refused() -> None:
    given = pa.table({"priority": [1, 2, 3], "conversation": ["a", "b", "a"]})
    with pytest.raises(Error, match=r"conversation.*\[2\] comes back: sort by the group column"):
        Scorer.priority().score(given, group="conversation")
    for chunked in (pa.Table.from_batches(given.to_batches(1)),):
        with pytest.raises(Error, match=r"conversation.*\[2\] comes back"):
            Scorer.priority().score(chunked, group="conversation")
    with pytest.raises(Error, match="talk"):
        Scorer.priority().score(given, group="talk")
    with pytest.raises(TypeError, match="groups is for a Batch"):
        Scorer.priority().score(given, groups=[0, 3])
    with pytest.raises(TypeError, match="group is for a table"):
        Scorer.priority().score(rows(3), group="conversation")
    with pytest.raises(Error, match=r"groups\[1\]"):
        Scorer.priority().score(rows(3), groups=[0, 5])
    with pytest.raises(Error, match="custom"):
        Scorer.custom(lambda batch: [0.0] * len(batch)).score(given.sort_by("conversation"), group="conversation")


def test_a_custom_scorer_takes_a_table_as_a_batch() -> None:
    scorer = Scorer.custom(lambda batch: [float(batch[row].priority or 0) for row in range(len(batch))])
    assert scorer.score(pa.table({"priority": [3, 1, 2]})).tolist() == [3.0, 1.0, 2.0]


def test_columns_are_what_a_scorer_reads() -> None:
    assert TREE.columns == ("kind", "priority", "tags", "metadata", "timestamp", "future_relevance_hint")
    assert "content" in Scorer.custom(lambda batch: []).columns
    selector = Selector(Scorer.recency(), group_key="g", placer="batch_order", keep_duplicates=True)
    assert selector.columns == ("tokens", "metadata", "timestamp", "pinned")
    # Others are not looked at, whatever they are.
    given = pa.table({"priority": [1, 2], "content": pa.array([1, 2]), "tags": pa.array([b"", b""])})
    assert Scorer.priority().score(given).tolist() == [0.0, 1.0]


def test_out_takes_the_scores() -> None:
    given = table(rows(50))
    out = np.full(50, 9.0)
    assert TREE.score(given, out=out, group="conversation") is out
    assert bits(out) == bits(TREE.score(given, group="conversation"))
    before = out.copy()
    with pytest.raises(ValueError, match="out has 50 elements: there are 49 rows"):
        TREE.score(given.slice(1), out=out)
    with pytest.raises(TypeError, match="out must be a writable, contiguous buffer of doubles"):
        TREE.score(given, out=np.zeros(100)[::2])
    with pytest.raises(TypeError, match="out must be"):
        TREE.score(given, out=b"x" * 400)
    assert bits(out) == bits(before)


def test_scores_go_out_without_a_copy() -> None:
    scores = TREE.score(rows(100))
    array = pa.array(scores)
    view = np.asarray(scores)
    assert array.type == pa.float64() and array.to_pylist() == scores.tolist()
    assert array.buffers()[1].address == view.__array_interface__["data"][0]
    assert not view.flags.writeable
    expected = scores.tolist()
    del scores
    gc.collect()
    assert array.to_pylist() == view.tolist() == expected


def test_a_selection_is_a_table() -> None:
    items = rows(100)
    selection = Selector(TREE, placer="ranked", overflow="truncate").select(items, 400)
    given = pa.record_batch(selection)
    given.validate(full=True)
    assert given.schema.names == ["position", "score", "reason", "cause"]
    assert given["reason"].to_pylist() == list(selection.reasons)
    assert given["cause"].to_pylist() == list(selection.causes)
    assert bits(given["score"].to_pylist()) == bits(selection.scores)
    kept = {row: position for position, row in enumerate(selection.rows)}
    assert given["position"].to_pylist() == [kept.get(row) for row in range(100)]


class Producer:
    """A producer that does what it is told."""

    def __init__(self, array: Any = None, stream: Any = None) -> None:
        if array is not None:
            self.__arrow_c_array__ = lambda: array
        if stream is not None:
            self.__arrow_c_stream__ = lambda: stream


def capsules(array: Any = None, stream: Any = None) -> Any:
    return Producer(array, stream)


def test_wrong_capsules_are_refused() -> None:
    good = pa.record_batch({"priority": [1, 2]})
    schema, array = good.__arrow_c_array__()
    stream = pa.table({"priority": [1, 2]}).__arrow_c_stream__()
    for wrong in (
        capsules(array=5),
        capsules(array=(schema,)),
        capsules(array=(array, schema)),
        capsules(array=(schema, stream)),
        capsules(array=(schema, None)),
        capsules(stream=schema),
        capsules(stream=b"arrow_array_stream"),
    ):
        with pytest.raises(TypeError, match="what __arrow_c_(array|stream)__ returns must be"):
            Scorer.priority().score(wrong)
        with pytest.raises(TypeError):
            Batch().append_arrow(wrong)
    # The capsules are as they were.
    again = capsules(array=(schema, array))
    for _ in range(3):
        assert Scorer.priority().score(again).tolist() == [0.0, 1.0]
    assert pa.RecordBatch._import_from_c_capsule(schema, array).equals(good)
    # Their content was taken by pyarrow.
    for _ in range(2):
        with pytest.raises(Error, match="was released"):
            Scorer.priority().score(again)
    assert Scorer.priority().score(capsules(stream=stream)).tolist() == [0.0, 1.0]
    assert Scorer.priority().score(capsules(stream=stream)).tolist() == []
    wrong_data: list[Any] = [pa.Table, 5, None, "text", {"content": "a"}, pa.table({"a": [1]}).schema]
    for data in wrong_data:
        with pytest.raises((TypeError, Error)):
            Scorer.priority().score(data)
    with pytest.raises(Error, match="must be a struct"):
        Scorer.priority().score(pa.array([1, 2]))


def test_what_a_method_raises_comes_out() -> None:
    class Raises:
        def __arrow_c_array__(self, requested_schema: object = None) -> Any:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Scorer.priority().score(Raises())


def test_a_stream_that_fails_says_why_and_appends_nothing() -> None:
    first = pa.record_batch({"priority": [1, 2]})

    def batches() -> Iterator[Any]:
        yield first
        raise RuntimeError("the disk is gone")

    batch = Batch(rows(3))
    reader = pa.RecordBatchReader.from_batches(first.schema, batches())
    with pytest.raises(Error, match="the disk is gone") as raised:
        batch.append_arrow(reader)
    assert raised.value.status == "CALLBACK_FAILED" and len(batch) == 3
    with pytest.raises(Error, match="the disk is gone"):
        Scorer.priority().score(pa.RecordBatchReader.from_batches(first.schema, batches()))


def test_a_stream_may_need_the_interpreter() -> None:
    """The producer waits for a thread of Python, which runs while the stream is pulled."""
    first = pa.record_batch({"priority": [1, 2]})

    def batches() -> Iterator[Any]:
        for _ in range(20):
            done = threading.Event()
            threading.Thread(target=done.set).start()
            assert done.wait(10)
            yield first

    assert len(Scorer.priority().score(pa.RecordBatchReader.from_batches(first.schema, batches()))) == 40
    batch = Batch()

    def uses_the_batch() -> Iterator[Any]:
        yield first
        len(batch)

    with pytest.raises(Error, match="being changed"):
        batch.append_arrow(pa.RecordBatchReader.from_batches(first.schema, uses_the_batch()))


def test_one_capsule_in_many_threads() -> None:
    schema, array = table(rows(5000)).combine_chunks().to_batches()[0].__arrow_c_array__()
    producer = capsules(array=(schema, array))
    expected = bits(TREE.score(producer))
    results: list[Any] = []

    def work() -> None:
        for _ in range(20):
            try:
                results.append(bits(TREE.score(producer)))
            except Error as error:
                results.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 80
    for result in results:
        assert result == expected or "was released" in result


def test_structs_that_lie_are_refused() -> None:
    class CSchema(ctypes.Structure):
        _fields_ = [
            ("format", ctypes.c_char_p),
            ("name", ctypes.c_char_p),
            ("metadata", ctypes.c_void_p),
            ("flags", ctypes.c_int64),
            ("n_children", ctypes.c_int64),
            ("children", ctypes.c_void_p),
            ("dictionary", ctypes.c_void_p),
            ("release", ctypes.c_void_p),
            ("private_data", ctypes.c_void_p),
        ]

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    schema, array = pa.record_batch({"priority": [1, 2]}).__arrow_c_array__()
    struct_ = CSchema.from_address(pointer(schema, b"arrow_schema"))
    lies: list[tuple[str, Any]] = [("n_children", -1), ("format", b"+w:x"), ("format", None), ("children", None)]
    for field, value in lies:
        kept = getattr(struct_, field)
        setattr(struct_, field, value)
        with pytest.raises(Error):
            Scorer.priority().score(capsules(array=(schema, array)))
        setattr(struct_, field, kept)
    assert Scorer.priority().score(capsules(array=(schema, array))).tolist() == [0.0, 1.0]


def test_every_producer_is_read() -> None:
    items = rows(300)
    given = table(items)
    expected = loop(items)

    pl = need("polars")
    frame = pl.from_arrow(given.drop_columns(["metadata"]))
    scorer = Scorer.composite([(Scorer.recency(), 1), (Scorer.frequency(), 1), (Scorer.kind(), 1), (Scorer.priority(), 1)])
    assert bits(scorer.score(frame, group="conversation")) == loop(items, scorer)
    frame = frame.with_columns(pl.col("kind").cast(pl.Categorical))
    assert bits(scorer.score(frame, group="conversation")) == loop(items, scorer)
    assert pl.Series(scorer.score(frame)).to_list() == scorer.score(frame).tolist()

    duckdb = need("duckdb")
    relation = duckdb.connect().sql("select * from given order by conversation")
    shuffled = sorted(range(300), key=lambda row: items[row]["conversation"])
    assert shuffled == list(range(300))
    assert sorted(bits(TREE.score(relation.to_arrow_table(), group="conversation"))) == sorted(expected)
    # DuckDB's numbers with a point are decimals.
    hints = duckdb.sql("select 0.5 as future_relevance_hint union all select 0.25").to_arrow_table()
    assert sorted(Scorer.reflexive().score(hints)) == [0.25, 0.5]

    pd = need("pandas")
    simple = pd.DataFrame({"priority": [1, None, 3], "kind": pd.Categorical(["Message", "Document", "Message"])})
    assert Scorer.priority().score(simple).tolist() == [0.0, 0.0, 1.0]
    assert Scorer.kind().score(simple).tolist() == Scorer.kind().score(pa.table(simple)).tolist()

    arro3 = need("arro3.core")
    assert bits(TREE.score(arro3.Table(given), group="conversation")) == expected
    nanoarrow = need("nanoarrow")
    assert bits(TREE.score(nanoarrow.ArrayStream(given), group="conversation")) == expected
    adbc = need("adbc_driver_sqlite.dbapi")
    with adbc.connect() as connection, connection.cursor() as cursor:
        cursor.execute("select 3 as priority, 'Message' as kind union all select 7, 'Document'")
        assert Scorer.priority().score(cursor.fetch_arrow()).tolist() == [0.0, 1.0]


def test_empty_tables() -> None:
    assert TREE.score(table([])).tolist() == []
    assert TREE.score(table([]), group="conversation").tolist() == []
    assert len(Selector(TREE).select(table([]), 10)) == 0
    assert not math.isnan(sum(TREE.score(table(rows(1)))))


def test_the_schema_of_a_stream_without_batches_is_checked() -> None:
    def empty(**fields: Any) -> Any:
        return pa.RecordBatchReader.from_batches(pa.schema(fields), iter(()))

    good = {"priority": pa.int64(), "conversation": pa.string_view(), "kind": pa.dictionary(pa.int8(), pa.string())}
    batch = Batch(rows(3))
    batch.append_arrow(empty(**good))
    assert len(batch) == 3
    assert Scorer.priority().score(empty(**good), group="conversation").tolist() == []
    assert len(Selector(Scorer.priority()).select(empty(**good), 10, group="conversation")) == 0
    for fields, group, message in [
        ({"priority": pa.string()}, None, "priority has the type"),
        ({"priority": pa.int64()}, "conversation", "conversation is the group column, and the table has none"),
        ({"priority": pa.int64(), "conversation": pa.float64()}, "conversation", "conversation has the type"),
    ]:
        with pytest.raises(Error, match=message) as raised:
            Scorer.priority().score(empty(**fields), group=group)
        assert raised.value.status == "INVALID_ARGUMENT"
        with pytest.raises(Error, match=message):
            Selector(Scorer.priority()).select(empty(**fields), 10, group=group)
    for fields in ({"priority": pa.string()}, {"unknown": pa.int64()}):
        with pytest.raises(Error):
            batch.append_arrow(empty(**fields))
    assert len(batch) == 3


def test_memory_and_references_stay_flat() -> None:
    program = """
import resource, sys
import pyarrow as pa
from libcupel import Batch, Error, Scorer, Selector

table = pa.table({"g": ["a"] * 10 + ["b"] * 10, "priority": list(range(20)), "tokens": [3] * 20, "tags": [["x", "y"]] * 20})
scorer = Scorer.composite([(Scorer.priority(), 1), (Scorer.frequency(), 1)])
selector = Selector(scorer, keep_duplicates=True, placer="ranked")
bad = pa.table({"tokens": [None]})
schema, array = table.to_batches()[0].__arrow_c_array__()

class Lent:
    def __arrow_c_array__(self, requested_schema=None):
        return schema, array

lent = Lent()

def turn():
    scores = scorer.score(table, group="g")
    pa.array(scores)
    scorer.score(lent)
    selection = selector.select(table, 20, group="g")
    pa.record_batch(selection)
    selection.rows, selection.reasons, selection.causes
    batch = Batch()
    batch.append_arrow(table)
    for wrong in (lambda: batch.append_arrow(bad), lambda: scorer.score(table, group="h"), lambda: selector.select(batch, -1)):
        try:
            wrong()
        except Error:
            pass
        else:
            sys.exit("was taken")

def counts():
    return [sys.getrefcount(one) for one in (table, bad, schema, array, lent, scorer, selector, None)][:7]

for _ in range(1000):
    turn()
before, references = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, counts()
for _ in range(10_000):
    turn()
assert counts() == references, (counts(), references)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    import subprocess
    import sys

    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < 4_000, f"{run.stdout} KB"
