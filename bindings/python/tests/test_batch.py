"""Items, batches, scores, errors, threads."""

import array
import collections
import gc
import json
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any

import pytest

import libcupel
from libcupel import Batch, Clock, Error, Item, Scorer

NOW = datetime(2026, 3, 1, tzinfo=timezone.utc)


@dataclass
class Note:
    content: str
    tokens: int
    priority: int | None = None
    tags: list[str] = field(default_factory=list)


def rows(count: int) -> list[dict[str, Any]]:
    return [
        {"content": f"row {row}", "tokens": row, "priority": row % 7, "tags": [f"t{row % 5}"], "timestamp": row}
        for row in range(count)
    ]


def test_items_come_from_mappings_objects_and_items() -> None:
    batch = Batch(
        [
            {"content": "a", "tokens": 1, "priority": 2, "id": 7},
            MappingProxyType({"content": "b", "tokens": 2, "kind": None}),
            Note("c", 3, 4, ["x", "y"]),
            Item("d", 4, kind="Memory", source="Rag", timestamp=NOW, pinned=True, original_tokens=9),
        ]
    )
    assert [batch[row].content for row in range(len(batch))] == ["a", "b", "c", "d"]
    assert [batch[row].priority for row in range(-4, 0)] == [2, None, 4, None]
    assert batch[2].tags == ("x", "y")
    last = batch[-1]
    assert (last.kind, last.source, last.pinned, last.original_tokens) == ("Memory", "Rag", True, 9)
    assert last.timestamp == int(NOW.timestamp()) * 10**9
    with pytest.raises(IndexError, match="row 4: the batch has 4 rows"):
        batch[4]


def test_every_way_to_have_attributes() -> None:
    @dataclass(slots=True)
    class Slots:
        content: str
        tokens: int

    class Properties:
        def __init__(self, content: str) -> None:
            self._content = content

        tokens = 3

        @property
        def content(self) -> str:
            return self._content

    class MadeUp:
        def __getattr__(self, name: str) -> Any:
            return {"content": "made up", "tokens": 4}.get(name)

    class Own:
        """Its attributes are its own, and differ from object to object."""

        def __init__(self, **fields: Any) -> None:
            self.__dict__.update(fields)

    class Raises:
        content, tokens = "a", 1

        @property
        def kind(self) -> str:
            raise KeyError("mine")

    given: list[Any] = [
        Slots("slots", 1),
        Own(content="own", tokens=2, priority=5),
        Own(content="own", tokens=2, kind="Memory"),
        Properties("properties"),
        MadeUp(),
        {"content": "a dict", "tokens": 5},
        Own(content="own", tokens=2),
    ]
    batch = Batch(given)
    read = [(batch[row].content, batch[row].tokens, batch[row].kind, batch[row].priority) for row in range(len(batch))]
    assert read == [
        ("slots", 1, "Message", None),
        ("own", 2, "Message", 5),
        ("own", 2, "Memory", None),
        ("properties", 3, "Message", None),
        ("made up", 4, "Message", None),
        ("a dict", 5, "Message", None),
        ("own", 2, "Message", None),
    ]
    with pytest.raises(TypeError, match=r"items\[1\] lacks tokens"):
        Batch([Own(content="a", tokens=1), Own(content="a")])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"items\[0\] must be an Item"):
        Batch([Own(tokens=1)])  # type: ignore[list-item]
    with pytest.raises(KeyError, match="mine"):
        Batch([Raises()])


class Name(str):
    pass


def test_dicts_of_every_kind() -> None:
    given: dict[str, Any] = {
        "content": "text",
        "tokens": 3,
        "kind": "Memory",
        "source": "Tool",
        "priority": 4,
        "tags": ["a"],
        "metadata": {"key": "value"},
        "timestamp": 5,
        "future_relevance_hint": 0.5,
        "pinned": True,
        "original_tokens": 6,
    }
    more = {f"more {index}": index for index in range(30)}
    dicts: list[dict[Any, Any]] = [
        given,
        dict(reversed(given.items())),
        json.loads(json.dumps(given)),
        {Name(name): value for name, value in given.items()},
        {1: 2, None: 3, "\ud800": 4, **given},
        {**given, **more},
        {**more, **given},
        collections.OrderedDict(given),
    ]

    def fields(item: Item) -> dict[str, Any]:
        return {**{name: getattr(item, name) for name in given}, "tags": list(item.tags)}

    batch = Batch(dicts + dicts)
    assert [fields(batch[row]) for row in range(len(batch))] == [given] * len(dicts) * 2
    # What a row lacks does not come from the one before it.
    nothing = {**dict.fromkeys(given), "content": "b", "tokens": 1}
    plain = fields(Item("b", 1))
    batch = Batch([given, {"tokens": 1, "content": "b"}, given, nothing, {**more, **nothing}])
    assert [fields(batch[row]) for row in (1, 3, 4)] == [plain] * 3
    with pytest.raises(TypeError, match=r"items\[0\] lacks tokens"):
        Batch([{**more, "content": "a"}])


def test_values_may_change_what_they_are_in() -> None:
    metadata: dict[str, Any] = {}
    row: dict[str, Any] = {}

    class Number:
        def __float__(self) -> float:
            metadata.clear()
            row.clear()
            return 0.5

        def __index__(self) -> int:
            return int(float(self) * 2)

    text = "text " * 10
    metadata.update({"first": Number(), "second": text, "third": Number()})
    row.update({"content": text, "tokens": 1, "metadata": metadata, "kind": text})
    batch = Batch([row])
    assert metadata == row == {}
    assert batch[0].metadata == {"first": 0.5, "second": text, "third": 0.5}
    row.update({"tokens": Number(), "content": text, "kind": text, "metadata": {}})
    batch = Batch([row])
    assert row == {} and (batch[0].tokens, batch[0].content, batch[0].kind) == (1, text, text)


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ({"tokens": 1}, TypeError, r"items\[1\] lacks content"),
        ({"content": "a", "tokens": "1"}, TypeError, r"items\[1\].tokens must be int, not str"),
        ({"content": "a", "tokens": True}, TypeError, r"items\[1\].tokens must be int, not bool"),
        ({"content": "a", "tokens": 2**63}, ValueError, r"items\[1\].tokens is 9223372036854775808"),
        ({"content": b"a", "tokens": 1}, TypeError, r"items\[1\].content must be str, not bytes"),
        ({"content": "a\ud800", "tokens": 1}, ValueError, r"items\[1\].content cannot be encoded as UTF-8"),
        ({"content": "a", "tokens": 1, "tags": "x"}, TypeError, r"items\[1\].tags must be an iterable of str, not str"),
        ({"content": "a", "tokens": 1, "tags": ["x", 1]}, TypeError, r"items\[1\].tags\[1\] must be str, not int"),
        ({"content": "a", "tokens": 1, "timestamp": datetime(2026, 1, 1)}, ValueError, r"items\[1\].timestamp is a naive"),
        ({"content": "a", "tokens": 1, "timestamp": "now"}, TypeError, r"items\[1\].timestamp must be an aware datetime"),
        ({"content": "a", "tokens": 1, "metadata": [1]}, TypeError, r"items\[1\].metadata must be a mapping"),
        ({"content": "a", "tokens": 1, "metadata": {1: 2}}, TypeError, r"items\[1\].a key of metadata must be str"),
        (5, TypeError, r"items\[1\] must be an Item, a mapping or an object"),
    ],
)
def test_what_is_wrong_is_named(bad: Any, error: type[Exception], message: str) -> None:
    batch = Batch(rows(3))
    before = Scorer.priority().score(batch).tolist()
    with pytest.raises(error, match=message):
        batch.append([{"content": "good", "tokens": 1}, bad])
    assert Scorer.priority().score(batch).tolist() == before


def test_refusals_have_a_status() -> None:
    with pytest.raises(Error, match=r"items\[1\].content is empty") as raised:
        Batch([{"content": "a", "tokens": 1}, {"content": "", "tokens": 1}])
    assert raised.value.status == "EMPTY_CONTENT"
    with pytest.raises(Error) as raised:
        Scorer.from_json('{"type": "nope"}')
    assert raised.value.status == "INVALID_JSON"
    with pytest.raises(Error, match="-1") as raised:
        Scorer.kind({"Message": -1.0})
    assert raised.value.status == "INVALID_ARGUMENT"
    assert isinstance(raised.value, ValueError)


def test_a_generator_that_raises_appends_nothing() -> None:
    def items() -> Iterator[dict[str, Any]]:
        yield {"content": "a", "tokens": 1}
        raise KeyError("gone")

    batch = Batch(rows(2))
    with pytest.raises(KeyError, match="gone"):
        batch.append(items())
    assert len(batch) == 2


def test_scores_are_a_sequence_and_a_buffer() -> None:
    scores = Scorer.priority().score(rows(8))
    assert list(scores) == scores.tolist() and len(scores) == 8 and scores[-1] == scores[7]
    view = memoryview(scores)
    assert (view.format, view.readonly, view.shape, view.tolist()) == ("d", True, (8,), scores.tolist())
    out = array.array("d", bytes(64))
    assert list(Scorer.priority().score(rows(8), out=out)) == list(out)
    for wrong in (array.array("d", bytes(56)), array.array("f", bytes(32)), bytes(64)):
        with pytest.raises((TypeError, ValueError)):
            Scorer.priority().score(rows(8), out=wrong)
    with pytest.raises(IndexError):
        scores[8]


def test_top_puts_ties_in_order_and_nan_last() -> None:
    given = [0.5, float("nan"), 1.0, 0.5, float("-inf"), 1.0, -0.0, 0.0]
    scores = Scorer.custom(lambda batch: given).score(rows(8))
    assert scores.top(8) == [2, 5, 0, 3, 6, 7, 4, 1]
    for k in range(10):
        assert scores.top(k) == scores.top(8)[:k]


def test_durations_and_clocks() -> None:
    batch = Batch([{"content": "a", "tokens": 1, "timestamp": NOW - timedelta(hours=1)}])
    for half_life in ("1h", timedelta(hours=1), 3_600_000_000_000, "30m1800s"):
        assert Scorer.decay_exponential(half_life, clock=NOW).score(batch).tolist() == [0.5]
    assert Scorer.decay_window("2h", clock=lambda: NOW).score(batch).tolist() == [1.0]
    assert Scorer.decay_window("2h", clock=Clock(NOW)).at(NOW).score(batch).tolist() == [1.0]
    assert Scorer.decay_step([("1h", 1.0), ("2h", 0.25)], clock=NOW).score(batch).tolist() == [0.25]
    for wrong in ("1M", "1y", "0.5h", "", "h", "1"):
        with pytest.raises(ValueError):
            Scorer.decay_window(wrong)


def test_at_freezes_every_clock_and_survives_pickling() -> None:
    policy = '{"scorers": [{"type": "decay", "curve": {"window": {"maxAge": "1h"}}, "weight": 1}, {"type": "kind", "weight": 1}]}'
    frozen = Scorer.from_json(policy).at(NOW)
    batch = Batch([{"content": "a", "tokens": 1, "timestamp": NOW}])
    again = pickle.loads(pickle.dumps(frozen))
    assert again.score(batch).tolist() == frozen.score(batch).tolist() == [0.6]
    assert frozen.columns == ("kind", "timestamp")
    for scorer in (Scorer.custom(lambda batch: []), Scorer.decay_window("1h", clock=lambda: NOW)):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(scorer)


def test_what_a_callback_raises_comes_out_as_it_was_raised() -> None:
    raised = KeyError("mine")

    def score(batch: Batch) -> list[float]:
        raise raised

    inner = Scorer.custom(score)
    outer = Scorer.custom(lambda batch: Scorer.scaled(inner).score(batch))
    with pytest.raises(KeyError) as caught:
        Scorer.composite([(outer, 1.0), (Scorer.recency(), 1.0)]).score(rows(3))
    assert caught.value is raised
    with pytest.raises(ValueError, match="returned 2 scores for a batch of 3 rows"):
        Scorer.custom(lambda batch: [1.0, 2.0]).score(rows(3))
    with pytest.raises(TypeError, match="score 1 of a custom scorer must be float"):
        Scorer.custom(lambda batch: [1.0, None, 2.0]).score(rows(3))  # type: ignore[list-item]


def test_a_lent_batch_ends_with_the_callback() -> None:
    kept: list[Batch] = []

    def score(batch: Batch) -> list[float]:
        kept.append(batch)
        with pytest.raises(Error, match="being scored"):
            batch.append(rows(1))
        return list(Scorer.priority().score(batch))

    Scorer.custom(score).score(rows(3))
    with pytest.raises(Error, match="lent to a callback, which is over") as raised:
        len(kept[0])
    assert raised.value.status == "BUSY"


def test_threads_that_use_a_lent_batch_are_waited_for_or_refused() -> None:
    errors: list[BaseException] = []

    def score(batch: Batch) -> list[float]:
        def use() -> None:
            try:
                for _ in range(200):
                    Scorer.frequency().score(batch)
            except Error as error:
                if "is over" not in str(error):
                    errors.append(error)

        thread = threading.Thread(target=use)
        threads.append(thread)
        thread.start()
        return [0.0] * len(batch)

    threads: list[threading.Thread] = []
    for _ in range(20):
        Scorer.custom(score).score(rows(200))
    for thread in threads:
        thread.join()
    assert not errors


def test_threads_score_one_batch_and_changes_are_busy() -> None:
    batch = Batch(rows(5_000))
    scorer = Scorer.composite([(Scorer.recency(), 1.0), (Scorer.scaled(Scorer.frequency()), 2.0)])
    expected = scorer.score(batch).tolist()

    def work(_: int) -> bool:
        try:
            batch.append([])
        except Error as error:
            assert error.status == "BUSY"
        while True:
            try:
                return scorer.score(batch).tolist() == expected
            except Error as error:
                assert error.status == "BUSY"

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(40)))


def test_nothing_is_kept_alive() -> None:
    class Function:
        def __call__(self, batch: Batch) -> list[float]:
            return [0.0] * len(batch)

    function = Function()
    gone = weakref.ref(function)
    scorer = Scorer.scaled(Scorer.custom(function))
    scorer.score(rows(2))
    del function, scorer
    gc.collect()
    assert gone() is None


def test_memory_stays_flat() -> None:
    program = """
import resource
from libcupel import Batch, Clock, Error, Scorer
def turn():
    batch = Batch([{"content": "text", "tokens": 1, "tags": ["a"], "metadata": {"k": 1}}] * 20)
    memoryview(Scorer.custom(lambda b: Scorer.recency().score(b)).score(batch)).release()
    try: batch.append([{"content": "", "tokens": 1}])
    except Error: pass
for _ in range(2000): turn()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(10000): turn()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    grown = int(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout)
    assert grown < 2_000, f"{grown} KB"


def test_json_is_appended_whole_or_not_at_all() -> None:
    batch = Batch()
    batch.append_json('[{"content": "a", "tokens": 1}]')
    with pytest.raises(Error, match=r"\$\[1\]"):
        batch.append_json('[{"content": "a", "tokens": 1}, {"content": "b"}]')
    assert len(batch) == 1
    batch.clear()
    batch.shrink()
    assert len(batch) == 0 and Scorer.recency().score(batch).tolist() == []


def test_the_package_says_what_it_exports() -> None:
    assert libcupel.__all__ == sorted(libcupel.__all__)
    for name in libcupel.__all__:
        assert getattr(libcupel, name).__doc__, name
