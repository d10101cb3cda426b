"""Selectors and selections."""

import json
import pickle
import threading
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from libcupel import Batch, Clock, Error, Item, Scorer, Selector

DATA = Path(__file__).parents[3] / "examples" / "data"
NOW = datetime(2026, 3, 1, tzinfo=timezone.utc)


def items(tokens: list[int], **fields: Any) -> list[Item]:
    return [Item(f"text {row}", count, priority=row, **fields) for row, count in enumerate(tokens)]


def test_rows_scores_and_reasons() -> None:
    given = [
        Item("system", 10, pinned=True),
        Item("a", 20, priority=1),
        Item("b", 30, priority=3),
        Item("b", 30, priority=2),
        Item("c", -1, priority=4),
        Item("d", 0, priority=0),
    ]
    selection = Selector(Scorer.priority(), slicer="ranked", placer="batch_order").select(given, 60)
    assert selection.rows == (0, 1, 2, 5)
    assert selection.reasons == ("pinned", "scored", "scored", "duplicate", "negative_tokens", "zero_tokens")
    assert selection.causes == (None, None, None, 2, None, None)
    assert (selection.kept_tokens, selection.pinned_tokens, selection.considered_tokens) == (60, 10, 89)
    assert (selection.effective_target, selection.available_tokens, selection.overflow_tokens) == (50, 0, 0)
    assert selection.scores.tolist()[0] == 1.0 and len(selection) == 6
    assert selection.offsets == [0, 4] and not selection.stable and selection.shortfalls == []
    assert repr(selection) == "<Selection of 4 of 6 rows with 60 tokens>"
    assert selection.rows is selection.rows and all(type(row) is int for row in selection.rows)


def test_every_choice_of_a_policy_is_kept() -> None:
    for name, values in {
        "slicer": ("greedy", "knapsack", "ranked", "prefix"),
        "placer": ("chronological", "u_shaped", "ranked", "batch_order"),
        "overflow": ("fail", "truncate", "proceed"),
        "scarcity": ("degrade", "fail"),
    }.items():
        texts = {Selector(Scorer.recency(), **{name: value}).to_json() for value in values}  # type: ignore[arg-type]
        assert len(texts) == len(values)
        with pytest.raises(ValueError, match=f'{name} is "best": it must be one of "{values[0]}"'):
            Selector(Scorer.recency(), **{name: "best"})  # type: ignore[arg-type]
    selector = Selector(
        Scorer.recency(),
        slicer="knapsack",
        keep_duplicates=True,
        bucket_size=7,
        quotas={"Document": (10, 40.5), "Message": (0, 100)},
        count_quotas={"ToolOutput": (1, None), "Memory": (0, 3)},
        group_key="g",
        duplicate_key="d",
        pinned_first=True,
    )
    policy = json.loads(selector.to_json())
    assert policy["quotas"] == [
        {"kind": "Document", "minPercent": 10, "maxPercent": 40.5},
        {"kind": "Message", "minPercent": 0, "maxPercent": 100},
    ]
    assert [(quota["kind"], quota.get("maxCount")) for quota in policy["countQuotas"]] == [("ToolOutput", None), ("Memory", 3)]
    assert (policy["knapsackBucketSize"], policy["groupKey"], policy["duplicateKey"]) == (7, "g", "d")
    assert policy["pinnedFirst"] and not policy["deduplicationEnabled"]
    assert Selector.from_json(selector.to_json()).to_json() == selector.to_json()
    assert Selector.from_json((DATA / "chat-selector.json").read_text()).select(items([5, 6, 7]), 13).rows == (0, 1)


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"quotas": {"a": (10, 120)}}, Error, r"the greatest share of quotas\[0\] is 120"),
        ({"quotas": {"a": 10}}, TypeError, r'quotas\["a"\] must be a pair of the least and the greatest, not int'),
        ({"quotas": {5: (1, 2)}}, TypeError, "a kind in quotas must be str"),
        ({"count_quotas": {"a": (2, 1)}}, Error, r"the least count of count_quotas\[0\] is 2"),
        ({"count_quotas": {"a": (-1, 1)}}, ValueError, r'count_quotas\["a"\] is -1: it must be 0 or more'),
        ({"bucket_size": 0}, Error, "bucket_size is 0"),
        ({"slicer": 5}, TypeError, "slicer"),
    ],
)
def test_a_bad_policy_is_named(fields: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Selector(Scorer.recency(), **fields)


@pytest.mark.parametrize(
    ("request_", "status", "message"),
    [
        ({"max_tokens": -1}, "INVALID_ARGUMENT", "max_tokens is -1: it must be 0 or more"),
        ({"target_tokens": 11}, "INVALID_ARGUMENT", "target_tokens is 11: it must not exceed max_tokens"),
        ({"safety_margin_percent": float("nan")}, "INVALID_ARGUMENT", "safety_margin_percent is NaN"),
        ({"scores": [1.0]}, "LENGTH_MISMATCH", r"len\(scores\) is 1: it must be 3"),
        ({"groups": [0, 1]}, "INVALID_ARGUMENT", "groups"),
    ],
)
def test_a_bad_request_is_named(request_: Any, status: str, message: str) -> None:
    with pytest.raises(Error, match=message) as raised:
        Selector(Scorer.priority()).select(items([1, 2, 3]), **{"max_tokens": 10, **request_})
    assert raised.value.status == status


def test_what_a_request_cannot_meet_has_a_status() -> None:
    with pytest.raises(Error, match="the rows to keep have 6 tokens: 2 more than the limit of 4; pinned rows") as raised:
        Selector(Scorer.priority()).select(items([1, 2, 3], pinned=True), 4)
    assert raised.value.status == "OVER_BUDGET"
    with pytest.raises(Error, match="requires 2 of kind") as raised:
        Selector(Scorer.priority(), count_quotas={"Memory": (2, None)}, scarcity="fail").select(items([1]), 4)
    assert raised.value.status == "SHORTFALL"
    with pytest.raises(Error, match="the request must bring scores"):
        Selector().select(items([1]), 4)
    short = Selector(Scorer.priority(), count_quotas={"Memory": (2, None)}).select(items([1]), 4).shortfalls
    assert [(one.entry, one.required, one.found) for one in short] == [(0, 2, 0)]
    with pytest.raises(Error, match="group 1, rows 1 to before 3") as raised:
        Selector(Scorer.priority()).select(items([1, 3, 3], pinned=True), 4, groups=[0, 1, 3])
    assert raised.value.status == "OVER_BUDGET"


def test_scores_of_the_host_stand_in() -> None:
    import array

    for scores in ([3.0, 1.0, 2.0], array.array("d", [3.0, 1.0, 2.0]), (score for score in (3, 1, 2))):
        selection = Selector(slicer="ranked", placer="ranked").select(items([5, 5, 5]), 10, scores=scores)
        assert selection.rows == (0, 2)
    with pytest.raises(TypeError, match=r"scores\[1\] must be float, not str"):
        Selector().select(items([5, 5, 5]), 10, scores=[1.0, "x", 2.0])  # type: ignore[list-item]


def test_groups_have_a_budget_each() -> None:
    given = items([5] * 9)
    selector = Selector(Scorer.recency(), slicer="ranked", placer="batch_order")
    timed = [Item(item.content, item.tokens, timestamp=row) for row, item in enumerate(given)]
    selection = selector.select(timed, 10, groups=[0, 4, 4, 9])
    assert selection.rows == (2, 3, 7, 8) and selection.offsets == [0, 2, 2, 4]
    loop = [*selector.select(timed[:4], 10).rows, *(row + 4 for row in selector.select(timed[4:], 10).rows)]
    assert list(selection.rows) == loop
    with pytest.raises(Error, match="earlier selection"):
        selector.select(timed, 10, groups=[0, 9], previous=selector.select(timed, 10))


def test_needed_is_the_least_target() -> None:
    given = items([5, 6, 7, 8])
    selector = Selector(Scorer.priority(), slicer="ranked")
    needed = selector.needed(given, selector.select(given, 10))
    assert needed == [26, 21, 15, 8]
    for row, least in enumerate(needed):
        assert row in selector.select(given, least).rows and row not in selector.select(given, least - 1).rows
    with pytest.raises(Error, match="slicer"):
        Selector(Scorer.priority(), slicer="knapsack").needed(given, selector.select(given, 10))
    with pytest.raises(Error, match=r"len\(selection\) is 4"):
        selector.needed(given[:2], selector.select(given, 10))


def test_children_explain_a_composite() -> None:
    tree = Scorer.composite([(Scorer.priority(), 3.0), (Scorer.scaled(Scorer.kind()), 1.0)])
    given = items([1, 2, 3])
    scores = [0.0] * 3
    for child, weight in tree.children:
        scores = [one + two * weight for one, two in zip(scores, child.score(given))]
    assert scores == tree.score(given).tolist()
    assert [weight for _, weight in tree.children] == [0.75, 0.25]
    assert Scorer.recency().children == []


def test_selectors_are_pickled_and_frozen() -> None:
    selector = Selector(Scorer.decay_exponential("1h"), group_key="g")
    assert pickle.loads(pickle.dumps(selector)).to_json() == selector.to_json()
    given = [Item("a", 1, timestamp=NOW), Item("b", 1, timestamp=0)]
    frozen = selector.at(NOW)
    assert frozen.select(given, 5).scores.tolist() == [1.0, 0.0]
    assert pickle.loads(pickle.dumps(frozen)).select(given, 5).scores.tolist() == [1.0, 0.0]
    assert frozen.freeze().select(given, 5).scores.tolist() == [1.0, 0.0]
    assert selector.freeze().select(given, 5).scores[0] < 1.0
    assert frozen.scorer is not None and frozen.scorer.score(given)[0] == 1.0
    assert Selector().scorer is None
    for unpicklable in (
        Selector(Scorer.custom(lambda batch: [0.0] * len(batch))),
        Selector(Scorer.decay_exponential("1h", clock=Clock(lambda: NOW))),
    ):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(unpicklable)


def test_callbacks_raise_through_a_selection() -> None:
    class Mine(Exception):
        pass

    def fails(batch: Batch) -> list[float]:
        raise Mine("why")

    with pytest.raises(Mine, match="why"):
        Selector(Scorer.custom(fails)).select(items([1]), 5)

    def clock() -> datetime:
        raise Mine("late")

    timed = [Item("a", 1, timestamp=NOW)]
    with pytest.raises(Mine, match="late"):
        Selector(Scorer.decay_window("1h", clock=clock)).select(timed, 5, groups=[0, 1])


def test_one_selector_in_many_threads() -> None:
    selector = Selector(Scorer.composite([(Scorer.priority(), 1.0), (Scorer.kind(), 1.0)]))
    batch = Batch(items([row % 17 + 1 for row in range(3000)]))
    expected = selector.select(batch, 4000)
    found: list[Any] = []

    def work() -> None:
        for _ in range(10):
            selection = selector.select(batch, 4000)
            found.append((selection.rows, selection.scores.tolist()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [(expected.rows, expected.scores.tolist())] * 40
