"""Messages of the three formats as rows, and fitted to a budget."""

import json
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from engine import need

import libcupel
from libcupel import Batch, Error, Selector, fit, from_messages

DATA = Path(__file__).parent / "data"
NAMES = ["openai-chat", "openai-responses", "anthropic"]


def recorded(name: str) -> Any:
    return json.loads((DATA / f"{name}.json").read_text())


def objects(value: Any) -> Any:
    """What an SDK makes of JSON."""
    if isinstance(value, dict):
        return SimpleNamespace(**{key: objects(field) for key, field in value.items()})
    return [objects(entry) for entry in value] if isinstance(value, list) else value


def groups(batch: Batch) -> list[Any]:
    return [batch[row].metadata.get("cupel:group") for row in range(len(batch))]


def kinds(batch: Batch) -> list[str]:
    return [batch[row].kind for row in range(len(batch))]


def test_openai_chat() -> None:
    batch = from_messages(recorded("openai-chat"), tokens=len)
    plain, tool = "Message", "ToolOutput"
    assert kinds(batch) == [
        "SystemPrompt", plain, plain, tool, tool, plain, plain, plain, plain, plain, tool, plain, plain
    ]  # fmt: skip
    first, second = "call_kq1dF4pLh", "call_Tt7vXn1Qe"
    assert groups(batch) == [None, None, first, first, first, *[None] * 4, second, second, None, None]
    assert batch[2].content == (
        'list_commits\n{"since":"2026-02-26","path":"internal/outbox"}\nread_log\n{"service":"billing","minutes":3}'
    )
    assert batch[6].content == "Here is the graph of the lease times. Does it fit?"
    assert [batch[row].timestamp for row in range(13)] == list(range(13))
    assert batch[4].source == "Tool" and batch[5].source == "Chat"
    assert batch[5].tokens == len(batch[5].content)


def test_openai_responses() -> None:
    batch = from_messages(recorded("openai-responses"))
    plain, tool = "Message", "ToolOutput"
    assert kinds(batch) == ["SystemPrompt", *[plain] * 4, tool, tool, *[plain] * 6, tool, plain]
    first, second = "call_kq1dF4pLh", "call_Tt7vXn1Qe"
    # Reasoning goes with the calls or the message that it led to.
    assert groups(batch) == [
        None, None, *[first] * 5, "messages[7]", "messages[7]", None, None, None, second, second, None
    ]  # fmt: skip
    assert batch[2].content == "I need the commits since yesterday and the log around the deploy."
    assert batch[3].content == 'list_commits\n{"since":"2026-02-26"}'
    assert batch[6].content.startswith("4f1c2aa outbox")
    assert batch[7].content == ""
    assert batch[11].content == '{"type": "search", "query": "postgres skip locked lease renewal"}'
    assert batch[12].content == "shell\nsed -n 1,40p internal/outbox/lease.go"


def test_anthropic() -> None:
    batch = from_messages(recorded("anthropic"))
    assert [row for row, kind in enumerate(kinds(batch)) if kind == "ToolOutput"] == [2]
    first, second = "toolu_01A09q90qw90lq917835lq9", "toolu_01Bq3xUu7mZr5sK9"
    assert groups(batch) == [None, first, first, *[None] * 4, second, second, None, None]
    assert batch[1].content == (
        "The commits first, then the log around the deploy.\nI look at the commits and at the log.\n"
        'list_commits\n{"since": "2026-02-26", "path": "internal/outbox"}\nread_log\n{"service": "billing"}'
    )
    assert batch[8].content == "no such file\nSorry, it is in internal/outbox/store now."


@pytest.mark.parametrize("name", NAMES)
def test_objects_are_read_as_dicts_are(name: str) -> None:
    messages = recorded(name)

    def rows(given: Any) -> list[Any]:
        batch = from_messages(given, tokens=len)
        items = [batch[row] for row in range(len(batch))]
        return [(item.kind, item.source, item.metadata, item.timestamp) for item in items]

    assert rows(objects(messages)) == rows(messages) == rows([MappingProxyType(message) for message in messages])


@pytest.mark.parametrize("name", NAMES)
def test_messages_may_come_in_turns(name: str) -> None:
    messages = recorded(name)
    whole = from_messages(messages, tokens=len)
    for cut in range(len(messages)):
        batch = from_messages(messages[:cut], tokens=len)
        batch.append_messages(messages[cut:], tokens=len)
        for row in range(len(messages)):
            one, other = batch[row], whole[row]
            assert (one.content, one.kind, one.timestamp) == (other.content, other.kind, other.timestamp)
        # A result finds its call wherever the cut is.
        found = groups(batch)
        makers = {call: row for row, message in enumerate(messages) for call in calls_and_results([message])[0]}
        for row, message in enumerate(messages):
            for call in calls_and_results([message])[1]:
                assert found[row] is not None and found[row] == found[makers[call]]


def test_ids_that_come_again_are_other_groups() -> None:
    def turn(name: str) -> list[dict[str, Any]]:
        call = {"id": "call_0", "type": "function", "function": {"name": name, "arguments": "{}"}}
        return [
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_0", "content": "done"},
        ]

    found = groups(from_messages(turn("a") + turn("b")))
    assert found[0] == found[1] != found[2] == found[3]
    batch = from_messages(turn("a"))
    batch.append_messages(turn("b"))
    assert groups(batch) == ["call_0", "call_0", groups(batch)[2], groups(batch)[2]]
    assert groups(batch)[2] != "call_0"
    batch.clear()
    batch.append_messages(turn("c"))
    assert groups(batch) == ["call_0", "call_0"]


def test_functions_without_ids_are_groups() -> None:
    messages = [
        {"role": "user", "content": "What is it?"},
        {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}},
        {"role": "function", "name": "look", "content": "a cat"},
    ]
    assert groups(from_messages(messages)) == [None, "messages[1]", "messages[1]"]


@pytest.mark.parametrize(
    ("message", "error", "said"),
    [
        ({"text": "a"}, TypeError, r"messages\[1\] is no message: it has neither role nor type"),
        (5, TypeError, r"messages\[1\] is no message"),
        ({"role": 5}, TypeError, r"messages\[1\].role must be str, not int"),
        ({"role": "user", "content": 5}, TypeError, r"messages\[1\].content must be a str or a list of parts, not int"),
        ({"role": "user", "content": {"a": 1}}, TypeError, r"messages\[1\].content must be a str or a list"),
        ({"role": "user", "content": [{"type": "text"}, 5]}, TypeError, r"messages\[1\].content\[1\] is neither"),
        ({"role": "user", "content": [{"type": "text", "text": 5}]}, TypeError, r"content\[0\].text must be str, not int"),
        (
            {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": 5}}]},
            TypeError,
            r"messages\[1\].tool_calls\[0\].function.name must be str, not int",
        ),
        ({"role": "user", "content": "\ud800"}, ValueError, r"messages\[1\].content cannot be encoded"),
        ({"role": "tool", "tool_call_id": 5, "content": ""}, TypeError, r"messages\[1\].tool_call_id must be str"),
    ],
)
def test_what_is_wrong_is_named(message: Any, error: type[Exception], said: str) -> None:
    batch = from_messages([{"role": "user", "content": "a"}])
    with pytest.raises(error, match=said):
        batch.append_messages([{"role": "user", "content": "b"}, message])
    assert len(batch) == 1


def test_lists_beside_messages_have_their_length() -> None:
    messages = recorded("anthropic")
    with pytest.raises(ValueError, match="tokens has 2 values: there are 11 messages"):
        from_messages(messages, tokens=[1, 2])
    with pytest.raises(TypeError, match=r"what tokens returns for messages\[0\] must be int, not str"):
        from_messages(messages, tokens=lambda text: text)  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match=r"pinned\[0\] must be bool"):
        from_messages(messages, pinned=["x"] * 11)  # type: ignore[list-item]
    with pytest.raises(TypeError, match="messages must be an iterable of messages, not str"):
        from_messages("hello")
    batch = from_messages(messages, kinds=["Memory", *[None] * 10], timestamps=[None] * 11, pinned=[True] * 11)
    assert (batch[0].kind, batch[0].timestamp, batch[0].pinned) == ("Memory", None, True)

    def fails(text: str) -> int:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        from_messages(messages, tokens=fails)


def calls_and_results(messages: list[Any]) -> tuple[list[str], list[str]]:
    """The ids of calls and of results, wherever they stand."""
    calls: list[str] = []
    results: list[str] = []

    def walk(value: Any) -> None:
        if isinstance(value, list):
            for entry in value:
                walk(entry)
        if isinstance(value, dict):
            kind = value.get("type", "")
            if kind == "function" or kind == "tool_use":
                calls.append(value["id"])
            elif kind.endswith("tool_call") or kind == "function_call":
                calls.append(value["call_id"])
            elif kind.endswith("call_output"):
                results.append(value["call_id"])
            elif kind == "tool_result":
                results.append(value["tool_use_id"])
            elif value.get("role") == "tool":
                results.append(value["tool_call_id"])
            for entry in value.values():
                walk(entry)

    walk(messages)
    return calls, results


@pytest.mark.parametrize("name", NAMES)
def test_what_fits_is_sent_whole_and_in_order(name: str) -> None:
    encoding = need("bpe_openai").get_encoding("o200k_base")
    messages = recorded(name)

    def count(text: str) -> int:
        return len(encoding.encode(text))

    everything = fit(messages, 10**9, tokens=count, per_message=4)
    assert everything.messages == messages and everything.left_out == []
    sizes = set()
    for budget in range(60, everything.tokens + 20, 7):
        fitted = fit(messages, budget, tokens=count, per_message=4)
        assert fitted.tokens <= budget
        assert fitted.tokens == sum(from_messages(fitted.messages, tokens=count)[row].tokens + 4 for row in range(len(fitted.messages)))
        assert fitted.messages[-1] is messages[-1]
        indices = list(fitted.selection.rows)
        assert indices == sorted(indices)
        assert [messages[index] for index in indices] == fitted.messages
        assert sorted([*indices, *(left.index for left in fitted.left_out)]) == list(range(len(messages)))
        assert {left.reason for left in fitted.left_out} <= {"budget", "pinned_override"}
        calls, results = calls_and_results(fitted.messages)
        assert sorted(calls) == sorted(results), budget
        if messages[0].get("role") in ("system", "developer"):
            assert fitted.messages[0] is messages[0]
        sizes.add(len(indices))
    assert len(sizes) > 4, "the budget makes no difference"


def test_a_budget_that_is_too_small_says_what_is_pinned() -> None:
    with pytest.raises(Error, match="pinned rows alone exceed it: rows 0, 12") as raised:
        fit(recorded("openai-chat"), 10, tokens=len)
    assert raised.value.status == "OVER_BUDGET"


def test_fit_leaves_the_front_alone_while_it_can() -> None:
    messages = [{"role": "user", "content": f"message {index}"} for index in range(40)]
    sizes = [10] * 40
    first = fit(messages[:30], 200, target=100, tokens=sizes[:30])
    assert len(first.messages) == 10
    second = fit(messages[:34], 200, target=100, tokens=sizes[:34], previous=first)
    assert second.selection.stable and second.messages[:10] == first.messages
    third = fit(messages, 200, target=100, tokens=sizes, previous=first)
    assert third.selection.stable and len(third.messages) == 20
    assert [left.reason for left in third.left_out] == ["budget"] * 20
    other = fit(messages, 200, target=100, tokens=sizes, selector=Selector(libcupel.Scorer.recency(), placer="ranked"))
    assert other.messages[0] is messages[-1]


def test_fit_of_nothing() -> None:
    fitted: libcupel.Fitted[Any] = fit([], 0, tokens=len)
    assert (fitted.messages, fitted.left_out, fitted.tokens) == ([], [], 0)
