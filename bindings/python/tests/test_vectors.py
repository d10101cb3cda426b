"""Runs the conformance vectors."""

import math
import os
import struct
import tomllib
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

import libcupel
from libcupel import Batch, Clock, Item, Scorer

OWN = Path(__file__).parents[3] / "tests" / "conformance"
DIRECTORY = Path(os.environ.get("CUPEL_CONFORMANCE_DIR", OWN))
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

Table = dict[str, Any]


class Other:
    """A host value that is neither text nor number, and has a text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


class Failure(Exception):
    """What a callback of a vector raises."""


def vectors() -> list[Path]:
    found = sorted(path for path in DIRECTORY.rglob("*.toml") if path.is_file())
    return [path for path in found if tomllib.loads(path.read_text())["test"]["stage"] == "scoring"]


def instant(value: datetime) -> int:
    age = value - EPOCH
    return int((age.days * 86_400 + age.seconds) * 1_000_000_000 + age.microseconds * 1_000)


def read_instant(table: Table, name: str) -> int | None:
    if f"{name}_ns" in table:
        return int(table[f"{name}_ns"])
    return instant(table[name]) if name in table else None


def nanoseconds(table: Table, name: str) -> int:
    if f"{name}_ns" in table:
        return int(table[f"{name}_ns"])
    return int(round(table[f"{name}_secs"] * 1e9))


def bits(value: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


def metadata(fields: Any) -> Any:
    entries = fields.items() if isinstance(fields, dict) else ((entry["key"], entry["value"]) for entry in fields)
    return {key: Other(value["other"]) if isinstance(value, dict) else value for key, value in entries}


def item(row: Table) -> Item:
    hint = row.get("futureRelevanceHint")
    return Item(
        row["content"],
        row["tokens"],
        kind=row.get("kind"),
        source=row.get("source"),
        priority=row.get("priority"),
        tags=row.get("tags"),
        metadata=metadata(row["metadata"]) if "metadata" in row else None,
        timestamp=read_instant(row, "timestamp"),
        future_relevance_hint=None if hint is None else float(hint),
        pinned=row.get("pinned", False),
        original_tokens=row.get("originalTokens"),
    )


class Maker:
    """Makes the scorers of a vector."""

    def __init__(self, vector: Table) -> None:
        self.clock: Any = None
        clock = vector.get("clock", {})
        match clock.get("type"):
            case "fixed":
                self.clock = read_instant(clock, "reference_time")
            case "callback":
                self.clock = Clock(self.callback(clock))
        self.shared: dict[str, Scorer] = {}
        for name in sorted(vector.get("shared", {})):
            table = vector["shared"][name]
            self.shared[name] = self.make(table["type"], table)

    @staticmethod
    def callback(clock: Table) -> Any:
        now = read_instant(clock, "reference_time") or 0

        def read() -> int:
            nonlocal now
            if "fails_with" in clock:
                raise Failure(clock["fails_with"])
            now += clock.get("advance_ns", 0)
            return int(now - clock.get("advance_ns", 0))

        return read

    def make(self, kind: str, config: Table) -> Scorer:
        match kind:
            case "recency" | "priority" | "frequency" | "reflexive":
                made: Scorer = getattr(Scorer, kind)()
                return made
            case "kind":
                if "weights" not in config or config.get("use_default_weights"):
                    return Scorer.kind()
                return Scorer.kind(unique((entry["kind"], entry["weight"]) for entry in config["weights"]))
            case "tag":
                given = unique((entry["tag"], entry["weight"]) for entry in config.get("tag_weights", []))
                return Scorer.tag(given, ignore_case=config.get("match") == "ascii_case_insensitive")
            case "metadata_trust":
                return Scorer.metadata_trust(config.get("default_score", 0.5))
            case "metadata_key":
                return Scorer.metadata_key(config["key"], config["value"], config["boost"])
            case "decay":
                return self.decay(config)
            case "composite":
                children: list[Table] = config["scorers"] if "scorers" in config else config["children"]
                return Scorer.composite([(self.make(child["type"], child), child["weight"]) for child in children])
            case "scaled":
                inner = config["inner_scorer"]
                table: Table = {"type": inner} if isinstance(inner, str) else inner
                return Scorer.scaled(self.make(table["type"], table))
            case "custom":
                return Scorer.custom(self.custom(config))
            case "shared":
                return self.shared[config["name"]]
        raise AssertionError(kind)

    @staticmethod
    def custom(config: Table) -> Any:
        def score(batch: Batch) -> list[float]:
            if "fails_with" in config:
                raise Failure(config["fails_with"])
            return [float(score) for score in config["scores"]]

        return score

    def decay(self, config: Table) -> Scorer:
        own = read_instant(config, "reference_time")
        clock = self.clock if own is None else own
        missing = config.get("null_timestamp_score", 0.5)
        curve = config["curve"]
        match curve["type"]:
            case "exponential":
                return Scorer.decay_exponential(nanoseconds(curve, "half_life"), clock=clock, missing=missing)
            case "window":
                return Scorer.decay_window(nanoseconds(curve, "max_age"), clock=clock, missing=missing)
            case "step":
                steps = [(nanoseconds(step, "max_age"), step["score"]) for step in curve["windows"]]
                return Scorer.decay_step(steps, clock=clock, missing=missing)
        raise AssertionError(curve)


class Twice(Exception):
    """A name that a dict cannot hold twice."""


def unique(pairs: Any) -> dict[str, float]:
    made: dict[str, float] = {}
    for name, weight in pairs:
        if name in made:
            raise Twice(name)
        made[name] = weight
    return made


def check(vector: Table, scorer: Scorer, rows: list[Item]) -> None:
    tolerance = vector.get("tolerance", {})
    scores = scorer.score(Batch(rows))
    assert len(scores) == len(rows)
    left = list(range(len(rows)))
    for expected in vector["expected"]:
        row = next(row for row in left if rows[row].content == expected["content"])
        left.remove(row)
        score = scores[row]
        if "score_bits" in expected:
            assert bits(score) & (1 << 64) - 1 == int(expected["score_bits"], 16)
        if "score_approx" not in expected:
            continue
        want = float(expected["score_approx"])
        if tolerance.get("exact"):
            assert bits(score) == bits(want) or math.isnan(score) and math.isnan(want), (row, score, want)
        elif "score_ulps" in tolerance:
            assert abs(bits(score) - bits(want)) <= tolerance["score_ulps"], (row, score, want)
        else:
            epsilon = tolerance.get("score_epsilon", tolerance.get("epsilon", 1e-9))
            assert abs(score - want) < epsilon, (row, score, want)
    assert not left


def test_there_are_vectors() -> None:
    assert vectors()


@pytest.mark.parametrize("path", vectors(), ids=lambda path: str(path.relative_to(DIRECTORY)))
def test_vector(path: Path) -> None:
    vector = tomllib.loads(path.read_text())
    test = vector["test"]
    if test.get("expect_item_error"):
        with pytest.raises((libcupel.Error, TypeError, ValueError)):
            [item(row) for row in vector["items"]]
        return
    if test.get("expect_construction_error"):
        with pytest.raises((libcupel.Error, TypeError, ValueError, Twice)) as raised:
            Maker(vector).make(test["scorer"], vector.get("config", {}))
        if isinstance(raised.value, libcupel.Error) and "status" in vector.get("error", {}):
            assert raised.value.status == vector["error"]["status"]
        return
    scorer = Maker(vector).make(test["scorer"], vector.get("config", {}))
    rows = [item(row) for row in vector["items"]]
    if test.get("expect_scoring_error"):
        with pytest.raises(Failure):
            scorer.score(rows)
        return
    check(vector, scorer, rows)
