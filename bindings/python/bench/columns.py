"""The same rows through the C function `cupel_batch_append_columns`: what a row costs where nobody reads Python's objects."""

import ctypes
from array import array
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

_POINTER = ctypes.c_void_p


class _Texts(ctypes.Structure):
    """`cupel_text_column`."""

    _fields_ = [
        ("data", _POINTER),
        ("data_len", ctypes.c_size_t),
        ("offsets", _POINTER),
        ("texts_len", ctypes.c_size_t),
        ("codes", _POINTER),
    ]


class _Columns(ctypes.Structure):
    """`cupel_columns`."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("rows", ctypes.c_size_t),
        ("content", _Texts),
        ("tokens", _POINTER),
        ("kind", _Texts),
        ("kind_validity", _POINTER),
        ("source", _Texts),
        ("source_validity", _POINTER),
        ("priority", _POINTER),
        ("priority_validity", _POINTER),
        ("timestamp", _POINTER),
        ("timestamp_validity", _POINTER),
        ("future_relevance_hint", _POINTER),
        ("future_relevance_hint_validity", _POINTER),
        ("pinned", _POINTER),
        ("original_tokens", _POINTER),
        ("original_tokens_validity", _POINTER),
        ("tag_lists", _POINTER),
        ("tags_len", ctypes.c_size_t),
        ("tags", _Texts),
        ("metadata_lists", _POINTER),
        ("metadata_len", ctypes.c_size_t),
        ("metadata_keys", _Texts),
        ("metadata_types", _POINTER),
        ("metadata_texts", _Texts),
        ("metadata_numbers", _POINTER),
    ]


def appending(library: Path, rows: list[dict[str, Any]]) -> Callable[[], None]:
    """A function that makes a batch, appends the rows as columns and frees it. The rows have the fields of `bench.fields`."""
    cupel = ctypes.CDLL(str(library))
    cupel.cupel_batch_free.argtypes = [_POINTER]
    cupel.cupel_batch_free.restype = None
    # What the struct points at, for as long as the function lives.
    arrays: list[array[Any]] = []

    def address(code: str, values: Iterable[Any]) -> int:
        arrays.append(array(code, values))
        return arrays[-1].buffer_info()[0]

    def texts(values: Iterable[str]) -> _Texts:
        encoded = [value.encode() for value in values]
        data = b"".join(encoded)
        return _Texts(address("B", data), len(data), address("q", _ends(map(len, encoded))), len(encoded), None)

    entries = [entry for row in rows for entry in row["metadata"].items()]
    tags = [tag for row in rows for tag in row["tags"]]
    columns = _Columns(
        struct_size=ctypes.sizeof(_Columns),
        rows=len(rows),
        content=texts(row["content"] for row in rows),
        tokens=address("q", (row["tokens"] for row in rows)),
        kind=texts(row["kind"] for row in rows),
        priority=address("q", (row["priority"] for row in rows)),
        timestamp=address("q", (row["timestamp"] for row in rows)),
        tag_lists=address("q", _ends(len(row["tags"]) for row in rows)),
        tags_len=len(tags),
        tags=texts(tags),
        metadata_lists=address("q", _ends(len(row["metadata"]) for row in rows)),
        metadata_len=len(entries),
        metadata_keys=texts(key for key, _ in entries),
        # All are doubles.
        metadata_types=address("B", bytes([1] * len(entries))),
        metadata_numbers=address("d", (value for _, value in entries)),
    )

    def append() -> None:
        batch = _POINTER()
        if cupel.cupel_batch_new(ctypes.c_size_t(len(rows)), ctypes.byref(batch), None) != 0:
            raise MemoryError("cupel_batch_new")
        status = cupel.cupel_batch_append_columns(batch, ctypes.byref(columns), None)
        cupel.cupel_batch_free(batch)
        if status != 0:
            raise ValueError(f"cupel_batch_append_columns: status {status}")
        # The closure keeps what the struct points at.
        assert arrays

    return append


def _ends(lengths: Iterable[int]) -> list[int]:
    ends = [0]
    for length in lengths:
        ends.append(ends[-1] + length)
    return ends
