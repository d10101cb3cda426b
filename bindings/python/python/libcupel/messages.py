"""Fits the messages of a chat to a token budget."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from libcupel._native import Scorer, Selection, Selector, from_messages

_Message = TypeVar("_Message")

RECENT = Selector(
    Scorer.recency(), slicer="prefix", placer="batch_order", keep_duplicates=True, group_key="cupel:group"
)
"""Keeps the unbroken end of a chat, and what is pinned."""


@dataclass(frozen=True, slots=True)
class LeftOut(Generic[_Message]):
    """A message that is not sent."""

    index: int
    """Where it stands among all messages."""
    message: _Message
    reason: str
    """Why: "budget", "duplicate", ..., as in `Selection.reasons`."""


@dataclass(frozen=True, slots=True)
class Fitted(Generic[_Message]):
    """The messages to send, and what became of the others."""

    messages: list[_Message]
    """The messages to send, in order."""
    left_out: list[LeftOut[_Message]]
    tokens: int
    """The tokens of the messages to send."""
    selection: Selection
    """Rows, scores and reasons."""


def fit(
    messages: Iterable[_Message],
    budget: int,
    *,
    tokens: Callable[[str], int] | Iterable[int],
    per_message: int = 0,
    selector: Selector = RECENT,
    target: int = 0,
    output_reserve: int = 0,
    kinds: Iterable[str | None] | None = None,
    pinned: Iterable[bool] | None = None,
    previous: "Fitted[_Message] | None" = None,
) -> Fitted[_Message]:
    """Chooses the messages to send: those that fit `budget` tokens, in order, tool calls and their results together.

    Messages are those of OpenAI's chat or Responses, or Anthropic's, as dicts or as the SDKs' objects. `tokens` counts the tokens of
    a text, or has a count for each message; `per_message` is added to what it counts. System and developer messages and the last
    message are pinned, unless `pinned` says otherwise: they are kept, or the call fails. Of the others, the default selector keeps
    the unbroken end.

    `target` is how much to fill where the window is not to be filled (0: `budget` less `output_reserve`). `previous` is what an
    earlier call gave for the same messages, to which some were added since: while all fits the window, what it kept is left alone,
    so that the front of the prompt stays in the caches of the model.
    """
    given = list(messages)
    if pinned is None:
        last = len(given) - 1
        pinned = [index == last or _role(message) in ("system", "developer") for index, message in enumerate(given)]
    if callable(tokens):
        count = tokens
        tokens = lambda text: count(text) + per_message  # noqa: E731
    else:
        tokens = [number + per_message for number in tokens]
    batch = from_messages(given, tokens=tokens, kinds=kinds, pinned=pinned)
    selection = selector.select(
        batch,
        budget,
        target_tokens=target,
        output_reserve=output_reserve,
        previous=None if previous is None else previous.selection,
    )
    kept = set(selection.rows)
    left_out = [
        LeftOut(index, message, selection.reasons[index]) for index, message in enumerate(given) if index not in kept
    ]
    return Fitted([given[row] for row in selection.rows], left_out, selection.kept_tokens, selection)


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, Mapping) else getattr(message, "role", None)
