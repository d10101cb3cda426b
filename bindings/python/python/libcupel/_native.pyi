from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, final, overload

from typing_extensions import Buffer

__all__ = [
    "Batch",
    "Clock",
    "Error",
    "Item",
    "Scorer",
    "Scores",
    "Selection",
    "Selector",
    "Shortfall",
    "from_messages",
]

_Instant: TypeAlias = datetime | int
_Duration: TypeAlias = timedelta | int | str
_Clock: TypeAlias = Clock | _Instant | Callable[[], _Instant] | None

class Error(ValueError):
    """A call that the library refused."""

    status: str
    """The name of the reason, such as ``"INVALID_ARGUMENT"``."""

class _ItemLike(Protocol):
    @property
    def content(self) -> str: ...
    @property
    def tokens(self) -> int: ...

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

_AnyItem: TypeAlias = Item | Mapping[str, Any] | _ItemLike
_Table: TypeAlias = _ArrowArray | _ArrowStream
_Data: TypeAlias = Batch | Iterable[_AnyItem] | _Table
_Naive: TypeAlias = Literal["error", "utc"]
_Out = TypeVar("_Out", bound=Buffer)

@final
class Clock:
    """A source of the present instant. It is read once in a scoring call, whichever scorers share it."""

    def __new__(cls, source: _Instant | Callable[[], _Instant] | None = None) -> Clock: ...

@final
class Item:
    """A piece of context. Immutable."""

    def __new__(
        cls,
        content: str,
        tokens: int,
        *,
        kind: str | None = None,
        source: str | None = None,
        priority: int | None = None,
        tags: Iterable[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: _Instant | None = None,
        future_relevance_hint: float | None = None,
        pinned: bool = False,
        original_tokens: int | None = None,
    ) -> Item: ...
    @property
    def content(self) -> str: ...
    @property
    def tokens(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def priority(self) -> int | None: ...
    @property
    def timestamp(self) -> int | None: ...
    @property
    def future_relevance_hint(self) -> float | None: ...
    @property
    def pinned(self) -> bool: ...
    @property
    def original_tokens(self) -> int | None: ...
    @property
    def tags(self) -> tuple[str, ...]: ...
    @property
    def metadata(self) -> dict[str, str | float]: ...

@final
class Batch:
    """The rows that are scored together."""

    def __new__(cls, items: Iterable[_AnyItem] | None = None) -> Batch: ...
    def append(self, items: Iterable[_AnyItem]) -> None: ...
    def append_messages(
        self,
        messages: Iterable[Any],
        *,
        tokens: Callable[[str], int] | Iterable[int] | None = None,
        timestamps: Literal["position"] | Iterable[_Instant | None] | None = None,
        kinds: Iterable[str | None] | None = None,
        pinned: Iterable[bool] | None = None,
    ) -> None: ...
    def append_json(self, json: str) -> None: ...
    def append_arrow(self, data: _Table, *, naive: _Naive = "error") -> None: ...
    def clear(self) -> None: ...
    def shrink(self) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Item: ...

@final
class Scores(Sequence[float]):
    """A score for each row. Read-only."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> float: ...  # type: ignore[override]
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def tolist(self) -> list[float]: ...
    def top(self, k: int) -> list[int]: ...

_Scores: TypeAlias = Iterable[float] | Sequence[float]

@final
class Scorer:
    """Gives every row of a batch a score: higher means more worth keeping. Immutable."""

    @staticmethod
    def recency() -> Scorer: ...
    @staticmethod
    def priority() -> Scorer: ...
    @staticmethod
    def frequency() -> Scorer: ...
    @staticmethod
    def reflexive() -> Scorer: ...
    @staticmethod
    def kind(weights: dict[str, float] | None = None) -> Scorer: ...
    @staticmethod
    def tag(weights: dict[str, float], *, ignore_case: bool = False) -> Scorer: ...
    @staticmethod
    def metadata_trust(default: float = 0.5) -> Scorer: ...
    @staticmethod
    def metadata_key(key: str, value: str, boost: float) -> Scorer: ...
    @staticmethod
    def decay_exponential(half_life: _Duration, *, clock: _Clock = None, missing: float = 0.5) -> Scorer: ...
    @staticmethod
    def decay_window(max_age: _Duration, *, clock: _Clock = None, missing: float = 0.5) -> Scorer: ...
    @staticmethod
    def decay_step(
        steps: Iterable[tuple[_Duration, float]], *, clock: _Clock = None, missing: float = 0.5
    ) -> Scorer: ...
    @staticmethod
    def composite(children: Iterable[tuple[Scorer, float]]) -> Scorer: ...
    @staticmethod
    def scaled(inner: Scorer) -> Scorer: ...
    @staticmethod
    def custom(function: Callable[[Batch], _Scores]) -> Scorer: ...
    @staticmethod
    def from_json(text: str, *, clock: _Clock = None) -> Scorer: ...
    def to_json(self) -> str: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    def at(self, instant: _Instant) -> Scorer: ...
    def freeze(self) -> Scorer: ...
    @property
    def children(self) -> list[tuple[Scorer, float]]: ...
    @overload
    def score(
        self,
        data: _Data,
        *,
        group: str | None = None,
        groups: Iterable[int] | Buffer | None = None,
        out: None = None,
        naive: _Naive = "error",
    ) -> Scores: ...
    @overload
    def score(
        self,
        data: _Data,
        *,
        group: str | None = None,
        groups: Iterable[int] | Buffer | None = None,
        out: _Out,
        naive: _Naive = "error",
    ) -> _Out: ...
    @staticmethod
    def _from_pickle(text: str, instant: int | None) -> Scorer: ...

_Slicer: TypeAlias = Literal["greedy", "knapsack", "ranked", "prefix"]
_Placer: TypeAlias = Literal["chronological", "u_shaped", "ranked", "batch_order"]

@final
class Selector:
    """A policy: which rows to keep under a token budget, and in which order. Immutable."""

    def __new__(
        cls,
        scorer: Scorer | None = None,
        *,
        slicer: _Slicer = "greedy",
        placer: _Placer = "chronological",
        overflow: Literal["fail", "truncate", "proceed"] = "fail",
        keep_duplicates: bool = False,
        bucket_size: int = 100,
        quotas: dict[str, tuple[float, float]] | None = None,
        count_quotas: dict[str, tuple[int, int | None]] | None = None,
        scarcity: Literal["degrade", "fail"] = "degrade",
        group_key: str | None = None,
        duplicate_key: str | None = None,
        pinned_first: bool = False,
    ) -> Selector: ...
    @staticmethod
    def from_json(text: str, *, clock: _Clock = None) -> Selector: ...
    def to_json(self) -> str: ...
    @property
    def scorer(self) -> Scorer | None: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    def at(self, instant: _Instant) -> Selector: ...
    def freeze(self) -> Selector: ...
    def select(
        self,
        data: _Data,
        max_tokens: int,
        *,
        target_tokens: int = 0,
        output_reserve: int = 0,
        reserved_tokens: int = 0,
        safety_margin_percent: float = 0.0,
        max_rows: int = 0,
        scores: Iterable[float] | Buffer | None = None,
        previous: Selection | None = None,
        group: str | None = None,
        groups: Iterable[int] | Buffer | None = None,
        naive: _Naive = "error",
    ) -> Selection: ...
    def needed(self, data: _Data, selection: Selection, *, naive: _Naive = "error") -> list[int]: ...
    @staticmethod
    def _from_pickle(text: str, instant: int | None) -> Selector: ...

@final
class Shortfall:
    """A count quota that could not be met."""

    @property
    def entry(self) -> int: ...
    @property
    def required(self) -> int: ...
    @property
    def found(self) -> int: ...

@final
class Selection:
    """The rows to keep, in order, and for every row its score and a reason. Immutable."""

    @property
    def rows(self) -> tuple[int, ...]: ...
    @property
    def scores(self) -> Scores: ...
    @property
    def reasons(self) -> tuple[str, ...]: ...
    @property
    def causes(self) -> tuple[int | None, ...]: ...
    @property
    def offsets(self) -> list[int]: ...
    @property
    def shortfalls(self) -> list[Shortfall]: ...
    @property
    def kept_tokens(self) -> int: ...
    @property
    def pinned_tokens(self) -> int: ...
    @property
    def considered_tokens(self) -> int: ...
    @property
    def effective_target(self) -> int: ...
    @property
    def available_tokens(self) -> int: ...
    @property
    def overflow_tokens(self) -> int: ...
    @property
    def stable(self) -> bool: ...
    def __len__(self) -> int: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

def from_messages(
    messages: Iterable[Any],
    *,
    tokens: Callable[[str], int] | Iterable[int] | None = None,
    timestamps: Literal["position"] | Iterable[_Instant | None] | None = None,
    kinds: Iterable[str | None] | None = None,
    pinned: Iterable[bool] | None = None,
) -> Batch: ...
