"""The text of a host value is the same in every language."""

import json
import math
import struct
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from libcupel import Batch, Item, Scorer

CASES = json.loads((Path(__file__).parents[3] / "tests" / "conformance" / "values.json").read_text())["cases"]


def host_value(kind: str, value: str) -> Any:
    match kind:
        case "null":
            return None
        case "bool":
            return value == "true"
        case "string":
            return value
        case "int":
            return int(value)
        case "double":
            return float(value)
        case "decimal":
            return Decimal(value)
        case "datetime" | "localDatetime":
            return datetime.fromisoformat(value)
        case "date":
            return date.fromisoformat(value)
        case "array" | "object":
            return json.loads(value)
    raise AssertionError(kind)


def check(item: Item, case: dict[str, Any]) -> None:
    value = item.metadata["key"]
    if case["type"] == "double":
        assert isinstance(value, float)
        if "bits" in case:
            assert struct.pack(">d", value).hex() == case["bits"].removeprefix("0x")
        else:
            assert math.isnan(value)
    else:
        assert value == case["text"]
    assert Scorer.metadata_key("key", case["text"], 2.0).score([item]).tolist() == [2.0]


@pytest.mark.parametrize("case", [case for case in CASES if "host" in case], ids=lambda case: case["name"])
def test_host(case: dict[str, Any]) -> None:
    check(Item("text", 1, metadata={"key": host_value(**{"kind": case["host"]["type"], "value": case["host"]["value"]})}), case)


@pytest.mark.parametrize("case", [case for case in CASES if "json" in case], ids=lambda case: case["name"])
def test_json(case: dict[str, Any]) -> None:
    batch = Batch()
    batch.append_json('{"content": "text", "tokens": 1, "metadata": {"key": ' + case["json"] + "}}")
    check(batch[0], case)
